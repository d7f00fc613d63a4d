/* SPDX-License-Identifier: MIT */
/* Runs a report over recordings with the options that all reports share. */
#include "report.h"

#include "ending.h"
#include "moment.h"
#include "output/allocs_report.h"
#include "output/flames.h"
#include "output/suppressions.h"

#include <signal.h>
#include <string.h>

struct report_options {
	char *output;       /* owned */
	char *debug_dirs;   /* owned */
	char *begin, *end;  /* owned */
	char *sort;         /* owned */
	char *suppressions; /* owned */
	char *weight;       /* owned */
	gboolean json, fail_on_findings, runtime, folded, speedscope;
	int top;
};

/* An option and the reports that have it, one bit each. */
struct report_entry {
	GOptionEntry entry;
	uint64_t reports;
};

#define OF(report) (UINT64_C(1) << (report))
#define NO_REPORT  (UINT64_C(1) << 63)

static void interrupted(int number)
{
	(void)number;
	analyse_interrupt();
}

static bool suppressions_valid(const struct cmd *cmd, const char *path)
{
	char *problem;
	struct suppressions *suppressions = suppressions_load(path, &problem);

	if (!suppressions)
		cmd_error(cmd, "--suppressions: %s", problem);
	suppressions_free(suppressions);
	g_free(problem);
	return suppressions != NULL;
}

static bool options_valid(const struct cmd *cmd, const struct report_options *options,
			  struct analyse_options *analyse)
{
	enum flames_weight weight;
	enum allocs_sort sort;

	if ((options->begin && !moment_parse(cmd, "--begin", options->begin, &analyse->begin_ns)) ||
	    (options->end && !moment_parse(cmd, "--end", options->end, &analyse->end_ns)))
		return false;
	if (moment_is_after(analyse->begin_ns, analyse->end_ns)) {
		cmd_error(cmd, "--begin %s is after --end %s", options->begin, options->end);
		return false;
	}
	if (options->suppressions && !suppressions_valid(cmd, options->suppressions))
		return false;
	if (options->sort && !allocs_sort_by_name(options->sort, &sort)) {
		cmd_error(cmd, "--sort is '%s': it must be bytes, growth, age, churn or peak",
			  options->sort);
		return false;
	}
	if (options->weight && !flames_weight_by_name(options->weight, &weight)) {
		cmd_error(cmd, "--weight is '%s': it must be time, bytes or count",
			  options->weight);
		return false;
	}
	if (options->folded + options->speedscope + options->json > 1) {
		cmd_error(cmd, "--json, --folded and --speedscope exclude each other");
		return false;
	}
	if (options->weight && !options->folded && !options->speedscope) {
		cmd_error(cmd, "--weight is for --folded and --speedscope");
		return false;
	}
	if (options->top < 0) {
		cmd_error(cmd, "--top is %d: it must be 0 (all) or more", options->top);
		return false;
	}
	return true;
}

/* Several snapshots of one ring in a directory are no recording. */
static bool paths_valid(const struct cmd *cmd, const struct analyse_options *analyse)
{
	bool ok = true;

	for (size_t i = 0; ok && i < analyse->path_count; i++) {
		char *first;
		size_t count = ending_read_snapshots(analyse->paths[i], &first);

		ok = count < 2;
		if (!ok)
			cmd_error(cmd,
				  "'%s' holds %zu snapshots of the same programs: name one, as "
				  "in 'kfdscope %s %s/%s'",
				  analyse->paths[i], count, cmd->name, analyse->paths[i],
				  first ? first : "");
		g_free(first);
	}
	return ok;
}

int report_analyse(const struct cmd *cmd, struct analyse_options *analyse)
{
	GArray *endings;
	char *program;
	const struct sigaction stop = { .sa_handler = interrupted, .sa_flags = SA_RESETHAND };
	int rc;

	if (!paths_valid(cmd, analyse))
		return CMD_EXIT_USAGE;
	endings = g_array_new(FALSE, FALSE, sizeof(struct analyse_ending));
	g_array_set_clear_func(endings, ending_clear);
	program = g_strdup_printf("kfdscope: %s", cmd->name);
	for (size_t i = 0; i < analyse->path_count; i++)
		ending_read_all(analyse->paths[i], endings);
	analyse->endings = (const struct analyse_ending *)(const void *)endings->data;
	analyse->ending_count = endings->len;
	analyse->program = program;
	/* A second Ctrl-C ends us at once. */
	sigaction(SIGINT, &stop, NULL);
	rc = analyse_run(analyse);
	g_free(program);
	g_array_free(endings, TRUE);
	return rc;
}

/* What was asked for, borrowed from the options. */
static void options_apply(const struct report_options *options, const char *always_format,
			  const char *default_output, struct analyse_options *analyse)
{
	analyse->output = options->output ? options->output : default_output;
	if (!options->output && !always_format && options->json)
		analyse->output = NULL; /* the default is the name of the other form */
	analyse->format = always_format         ? always_format
			  : options->folded     ? "folded"
			  : options->speedscope ? "speedscope"
			  : options->json       ? "json"
						: "text";
	analyse->weight = options->weight;
	analyse->top = (uint32_t)options->top;
	analyse->suppressions = options->suppressions;
	analyse->sort = options->sort;
	analyse->runtime = options->runtime;
	analyse->fail_on_findings = options->fail_on_findings;
	analyse->debug_dirs = options->debug_dirs;
}

static void options_fini(struct report_options *options)
{
	g_free(options->output);
	g_free(options->debug_dirs);
	g_free(options->sort);
	g_free(options->weight);
	g_free(options->suppressions);
	g_free(options->begin);
	g_free(options->end);
}

int report_run(const struct cmd *cmd, int argc, char **argv, enum analyse_report report,
	       const char *always_format, const char *default_output)
{
	struct report_options options = { .top = 10 };
	struct analyse_options analyse = { .report = report };
	char *output_help = default_output
				    ? g_strdup_printf("Write to FILE (default: %s)", default_output)
				    : g_strdup("Write to FILE instead of standard output");
	/* Each with the reports that have it; 0: all. A timeline has no sections to cut. */
	const struct report_entry known[] = {
		{ { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, output_help, "FILE" },
		  0 },
		{ { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON instead of text",
		    NULL },
		  always_format ? NO_REPORT : 0 },
		{ { "top", 'n', always_format ? G_OPTION_FLAG_HIDDEN : 0, G_OPTION_ARG_INT,
		    &options.top,
		    "Print the N largest entries of each section, 0 for all (default 10)", "N" },
		  0 },
		{ { "begin", 0, 0, G_OPTION_ARG_STRING, &options.begin,
		    "Print only what happened from TIME on (+SECONDS, or a date); all is read",
		    "TIME" },
		  0 },
		{ { "end", 0, 0, G_OPTION_ARG_STRING, &options.end,
		    "Print only what happened until TIME", "TIME" },
		  0 },
		{ { "runtime", 0, 0, G_OPTION_ARG_NONE, &options.runtime,
		    "List what runtimes took and keep for themselves, too", NULL },
		  OF(ANALYSE_LEAKS) },
		{ { "suppressions", 0, 0, G_OPTION_ARG_FILENAME, &options.suppressions,
		    "Count apart what matches a line leak:PATTERN of FILE", "FILE" },
		  OF(ANALYSE_LEAKS) },
		{ { "sort", 0, 0, G_OPTION_ARG_STRING, &options.sort,
		    "Order of the places: bytes, growth, age, churn or peak", "ORDER" },
		  OF(ANALYSE_ALLOCS) },
		{ { "folded", 0, 0, G_OPTION_ARG_NONE, &options.folded,
		    "Print call paths as folded stacks, for flame graphs", NULL },
		  OF(ANALYSE_CHAINS) },
		{ { "speedscope", 0, 0, G_OPTION_ARG_NONE, &options.speedscope,
		    "Print call paths as a file for speedscope", NULL },
		  OF(ANALYSE_CHAINS) },
		{ { "weight", 0, 0, G_OPTION_ARG_STRING, &options.weight,
		    "What paths weigh: time (default), bytes or count", "WEIGHT" },
		  OF(ANALYSE_CHAINS) },
		{ { "fail-on-findings", 0, 0, G_OPTION_ARG_NONE, &options.fail_on_findings,
		    "Exit with status 1 when there are findings or lost events", NULL },
		  0 },
		{ { "debug-dirs", 0, 0, G_OPTION_ARG_STRING, &options.debug_dirs,
		    "Where separate debug files lie (default: /usr/lib/debug)", "DIR:DIR…" },
		  0 },
	};
	GOptionEntry entries[G_N_ELEMENTS(known) + 1] = { 0 };
	size_t count = 0;
	int rc = CMD_EXIT_USAGE;

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (!known[i].reports || (known[i].reports & OF(report)))
			entries[count++] = known[i].entry;
	if (!cmd_parse(cmd, entries, NULL, &argc, &argv) || !options_valid(cmd, &options, &analyse))
		goto out;
	if (argc < 2) {
		cmd_error(cmd, "no recording to read (see 'kfdscope %s --help')", cmd->name);
		goto out;
	}
	analyse.paths = (const char *const *)argv + 1;
	analyse.path_count = (size_t)argc - 1;
	options_apply(&options, always_format, default_output, &analyse);
	rc = report_analyse(cmd, &analyse);
out:
	g_free(output_help);
	options_fini(&options);
	return rc;
}
