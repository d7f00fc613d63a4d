/* SPDX-License-Identifier: MIT */
/* `kfdscope timeline`: the recording as tracks to look at, for Trace Compass or the Perfetto UI. */
#include <string.h>

#include "report.h"

/* The last -o or --output decides, as it does when the options are parsed. */
static const char *output_of(int argc, char **argv)
{
	const char *output = NULL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output") == 0)
			output = i + 1 < argc ? argv[++i] : output;
		else if (g_str_has_prefix(argv[i], "--output="))
			output = argv[i] + strlen("--output=");
		else if (g_str_has_prefix(argv[i], "-o"))
			output = argv[i] + strlen("-o");
	}
	return output;
}

static int timeline_run(const struct cmd *cmd, int argc, char **argv)
{
	const char *output = output_of(argc, argv);
	bool is_derived = output && strcmp(output, "-") != 0 && !g_str_has_suffix(output, ".json");

	return report_run(cmd, argc, argv, is_derived ? ANALYSE_DERIVED : ANALYSE_PERFETTO, "json",
			  "timeline.json");
}

const struct cmd cmd_timeline = {
	.name = "timeline",
	.args = "RECORDING…",
	.summary = "Write a timeline for Trace Compass or the Perfetto UI",
	.description = "An output that ends in .json (timeline.json without -o) is a trace for the "
		       "Perfetto\n"
		       "UI. Any other is a new directory with a CTF trace for Trace Compass; the "
		       "views that\n"
		       "draw it come with 'kfdscope trace-compass install'.\n\n"
		       "Examples:\n"
		       "  kfdscope timeline -o /tmp/timeline.json /tmp/trace\n"
		       "  kfdscope timeline -o /tmp/for-trace-compass /tmp/trace\n",
	.run = timeline_run,
};
