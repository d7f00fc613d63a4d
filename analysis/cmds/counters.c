/* SPDX-License-Identifier: MIT */
/* `kfdscope counters`: counter runs, what was refused, values and losses. */
#include "report.h"

static int counters_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_COUNTERS, NULL, NULL);
}

const struct cmd cmd_counters = {
	.name = "counters",
	.args = "RECORDING…",
	.summary = "Show counter runs: values, who held them, refusals, losses",
	.description = "Example:\n"
		       "  kfdscope counters --json /tmp/trace\n",
	.run = counters_run,
};
