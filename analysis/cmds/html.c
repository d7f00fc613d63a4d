/* SPDX-License-Identifier: MIT */
/* `kfdscope report`: everything about a recording in one HTML file. */
#include "report.h"

static int html_run(const struct cmd *cmd, int argc, char **argv)
{
	return report_run(cmd, argc, argv, ANALYSE_HTML, NULL, "report.html");
}

const struct cmd cmd_report = {
	.name = "report",
	.args = "RECORDING…",
	.summary = "Write everything into one HTML file that works without a network",
	.description =
		"The file holds what was found, memory over time, leaks with their stacks, failed\n"
		"calls, and lanes of queues, waits and counters to zoom. With --json, the data of\n"
		"the page alone are written.\n\n"
		"Example:\n"
		"  kfdscope report -o report.html /tmp/trace\n",
	.run = html_run,
};
