/* SPDX-License-Identifier: MIT */
/* `kfdscope startup`: what programs do, and wait for, until they can work. */
#include "report.h"

static int startup_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_STARTUP, NULL, NULL);
}

const struct cmd cmd_startup = {
	.name = "startup",
	.args = "RECORDING…",
	.summary = "Show how long programs took to start, by phase, by call and by node",
	.description = "A start-up goes from the opening of the driver until the first queue is "
		       "there; of a\n"
		       "program without queues until its first memory is mapped, or the driver is "
		       "closed.\n\n"
		       "Example:\n"
		       "  kfdscope startup /tmp/trace\n",
	.run = startup_run,
};
