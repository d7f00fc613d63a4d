/* SPDX-License-Identifier: MIT */
/* `kfdscope latency`: memory that was not freed, and who allocated it. */
#include "report.h"

static int latency_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_LATENCY, NULL, NULL);
}

const struct cmd cmd_latency = {
	.name = "latency",
	.args = "RECORDING…",
	.summary = "Show what each call costs, by node, thread count and caller",
	.description = "Example:\n"
		       "  kfdscope latency --top 5 /tmp/trace\n",
	.run = latency_run,
};
