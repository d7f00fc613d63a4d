/* SPDX-License-Identifier: MIT */
/* `kfdscope chains`: what calls cost, from the application's call down to the ioctls. */
#include "report.h"

static int chains_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_CHAINS, NULL, NULL);
}

const struct cmd cmd_chains = {
	.name = "chains",
	.args = "RECORDING…",
	.summary = "Show what calls cost, from hipMalloc down to the ioctls",
	.description = "Examples:\n"
		       "  kfdscope chains --json /tmp/trace\n"
		       "  kfdscope chains --folded --weight=bytes /tmp/trace | flamegraph.pl\n"
		       "  kfdscope chains --speedscope -o /tmp/chains.speedscope.json /tmp/trace\n",
	.run = chains_run,
};
