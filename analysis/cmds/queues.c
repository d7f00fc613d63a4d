/* SPDX-License-Identifier: MIT */
/* `kfdscope queues`: how many queues lived, and what became of them. */
#include "report.h"

static int queues_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_QUEUES, NULL, NULL);
}

const struct cmd cmd_queues = {
	.name = "queues",
	.args = "RECORDING…",
	.summary = "Show queues against hardware slots, never destroyed or refused ones",
	.description = "Example:\n"
		       "  kfdscope queues /tmp/trace\n",
	.run = queues_run,
};
