/* SPDX-License-Identifier: MIT */
/* `kfdscope timeline`: the recording as tracks to look at. */
#include "report.h"

static int timeline_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_PERFETTO, "json", "timeline.json");
}

const struct cmd cmd_timeline = {
	.name = "timeline",
	.args = "RECORDING…",
	.summary = "Write a timeline for the Perfetto UI",
	.description = "Writes timeline.json unless -o names another file.\n\n"
		       "Example:\n"
		       "  kfdscope timeline -o /tmp/timeline.json /tmp/trace\n",
	.run = timeline_run,
};
