/* SPDX-License-Identifier: MIT */
/* `kfdscope allocs`: what became of all memory, place by place. */
#include "report.h"

static int allocs_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_ALLOCS, NULL, NULL);
}

const struct cmd cmd_allocs = {
	.name = "allocs",
	.args = "RECORDING…",
	.summary = "Show every place that takes memory: churn, growth, peak, what is unbalanced",
	.description = "--sort is one of bytes (default), growth, age, churn, peak.\n"
		       "\"growing\" means that the place reached its highest level shortly before "
		       "the end,\n"
		       "\"flat\" that it filled up once and stayed, \"once\" that there is no "
		       "trend to tell.\n\n"
		       "Example:\n"
		       "  kfdscope allocs --sort=growth --top 3 /tmp/trace\n",
	.run = allocs_run,
};
