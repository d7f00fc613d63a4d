/* SPDX-License-Identifier: MIT */
/* `kfdscope leaks`: memory that was not freed, and who allocated it. */
#include "report.h"

static int leaks_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_LEAKS, NULL, NULL);
}

const struct cmd cmd_leaks = {
	.name = "leaks",
	.args = "RECORDING…",
	.summary = "Show memory that was not freed and who allocated it",
	.description = "Example:\n"
		       "  kfdscope leaks --top 5 /tmp/trace\n",
	.run = leaks_run,
};
