/* SPDX-License-Identifier: MIT */
/* `kfdscope svm`: modes of page-fault retry and attributes of shared memory. */
#include "report.h"

static int svm_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_SVM, NULL, NULL);
}

const struct cmd cmd_svm = {
	.name = "svm",
	.args = "RECORDING…",
	.summary = "Show shared memory: page-fault-retry modes, attributes by range",
	.description = "Example:\n"
		       "  kfdscope svm /tmp/trace\n",
	.run = svm_run,
};
