/* SPDX-License-Identifier: MIT */
/* `kfdscope faults`: memory access faults and what was at the address. */
#include "report.h"

static int faults_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_FAULTS, NULL, NULL);
}

const struct cmd cmd_faults = {
	.name = "faults",
	.args = "RECORDING…",
	.summary = "Show memory access faults: which block it was, freed or not",
	.description = "Example:\n"
		       "  kfdscope faults /tmp/trace\n",
	.run = faults_run,
};
