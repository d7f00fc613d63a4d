/* SPDX-License-Identifier: MIT */
/* `kfdscope failures`: calls that failed, and why. */
#include "report.h"

static int failures_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_FAILURES, NULL, NULL);
}

const struct cmd cmd_failures = {
	.name = "failures",
	.args = "RECORDING…",
	.summary = "Show calls that failed: arguments, errno, the rule broken, what was alive",
	.description = "Example:\n"
		       "  kfdscope failures --top 3 /tmp/trace\n",
	.run = failures_run,
};
