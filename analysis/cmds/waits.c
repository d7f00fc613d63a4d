/* SPDX-License-Identifier: MIT */
/* `kfdscope waits`: who waits for what, since when, and who signals. */
#include "report.h"

static int waits_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_WAITS, NULL, NULL);
}

const struct cmd cmd_waits = {
	.name = "waits",
	.args = "RECORDING…",
	.summary = "Show waits: who waits on what since when, who signalled, spins, lost signals",
	.description = "Example:\n"
		       "  kfdscope waits /tmp/trace\n",
	.run = waits_run,
};
