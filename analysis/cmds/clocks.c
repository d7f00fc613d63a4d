/* SPDX-License-Identifier: MIT */
/* `kfdscope clocks`: clocks that the program read, compared with each other. */
#include "report.h"

static int clocks_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_CLOCKS, NULL, NULL);
}

const struct cmd cmd_clocks = {
	.name = "clocks",
	.args = "RECORDING…",
	.summary = "Show clock readings: GPU frequency, conversion error, jumps",
	.description = "Example:\n"
		       "  kfdscope clocks /tmp/trace\n",
	.run = clocks_run,
};
