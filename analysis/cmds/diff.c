/* SPDX-License-Identifier: MIT */
/* `kfdscope diff`: memory of two recordings, or of two moments of one, compared. */
#include "report.h"

#include "moment.h"

#include <string.h>

#include "output/diff_report.h"
#include "output/document.h"
#include "output/file.h"
#include "output/json_write.h"
#include "output/report.h"

struct diff_options {
	char *output, *debug_dirs, *from, *to; /* owned */
	gboolean json, fail_on_findings;
	int top;
};

/* What a recording's report tells of a difference: one state, or two moments of it. */
struct states {
	struct diff *diff; /* borrowed */
	struct diff_told told[DIFF_SIDES];
	bool is_read;
};

static void take(void *data, const json_t *report, const struct allocs_places *places)
{
	struct states *states = data;

	states->is_read = true;
	diff_take(states->diff, states->told, report, places);
}

/* @return an exit code; states->is_read says whether there is a result. */
static int read_allocs(const struct cmd *cmd, const struct diff_options *options, const char *path,
		       const int64_t moments_ns[2], struct states *states)
{
	const char *const paths[] = { path };
	const struct allocs_taker taker = { states, take };
	struct analyse_options analyse = {
		.report = ANALYSE_ALLOCS,
		.paths = paths,
		.path_count = 1,
		.debug_dirs = options->debug_dirs,
		.moments_ns = { moments_ns[0], moments_ns[1] },
		.taker = &taker,
	};

	return report_analyse(cmd, &analyse);
}

static int write_diff(const struct cmd *cmd, const struct diff_options *options, struct diff *diff,
		      int64_t *findings)
{
	json_t *json = diff_json(diff);
	struct out_file file;
	int error = out_open(&file, options->output);

	*findings = document_int(json, "findings");
	if (!error && options->json)
		error = json_write(json, file.stream, diff_place_build, diff);
	else if (!error)
		error = diff_text(file.stream, diff, json, (uint32_t)options->top);
	if (!error)
		error = out_commit(&file);
	else
		out_abandon(&file);
	if (error)
		cmd_error(cmd, "cannot write '%s': %s",
			  options->output ? options->output : "standard output",
			  g_strerror(-error));
	json_decref(json);
	return error ? CMD_EXIT_OUTPUT : CMD_EXIT_OK;
}

static int compare(const struct cmd *cmd, const struct diff_options *options, int count,
		   char **paths, const int64_t moments_ns[2])
{
	static const int64_t no_moments[2];
	const bool one = count == 1;
	struct diff *diff = diff_new();
	struct states first = { .diff = diff };
	struct states later = { .diff = diff };
	int64_t findings = 0;
	int rc, second = CMD_EXIT_OK;

	first.told[DIFF_BEFORE] =
		(struct diff_told){ true, one ? options->from : paths[0], one ? 0 : -1 };
	(one ? &first : &later)->told[DIFF_AFTER] = (struct diff_told){ true,
									!one          ? paths[1]
									: options->to ? options->to
										      : "the end",
									moments_ns[1] ? 1 : -1 };
	rc = read_allocs(cmd, options, paths[0], one ? moments_ns : no_moments, &first);
	if (!first.is_read)
		goto out;
	if (!one)
		second = read_allocs(cmd, options, paths[1], no_moments, &later);
	if (!one && !later.is_read) {
		rc = second;
		goto out;
	}
	rc = MAX(rc, second); /* done or partial */
	diff_finish(diff);
	second = write_diff(cmd, options, diff, &findings);
	if (second)
		rc = second;
	else if (rc == CMD_EXIT_OK && options->fail_on_findings && findings > 0)
		rc = CMD_EXIT_FINDINGS;
out:
	diff_free(diff);
	return rc;
}

static bool times_valid(const struct cmd *cmd, const struct diff_options *options, int count,
			int64_t moments_ns[2])
{
	if (count == 2 && (options->from || options->to)) {
		cmd_error(cmd, "--from and --to compare moments of one recording, not of two");
		return false;
	}
	if (count == 1 && !options->from) {
		cmd_error(cmd, "give a second recording, or --from TIME to compare moments of one");
		return false;
	}
	if ((options->from && !moment_parse(cmd, "--from", options->from, &moments_ns[0])) ||
	    (options->to && !moment_parse(cmd, "--to", options->to, &moments_ns[1])))
		return false;
	if (options->top < 0)
		cmd_error(cmd, "--top is %d: it must be 0 (all) or more", options->top);
	return options->top >= 0;
}

static int diff_run(const struct cmd *cmd, int argc, char **argv)
{
	struct diff_options options = { .top = 10 };
	const GOptionEntry entries[] = {
		{ "from", 0, 0, G_OPTION_ARG_STRING, &options.from, "First moment of one recording",
		  "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &options.to, "Second moment (default: the end)",
		  "TIME" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Write to FILE instead of standard output", "FILE" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON instead of text",
		  NULL },
		{ "top", 'n', 0, G_OPTION_ARG_INT, &options.top,
		  "Print the N places that changed most, 0 for all (default 10)", "N" },
		{ "fail-on-findings", 0, 0, G_OPTION_ARG_NONE, &options.fail_on_findings,
		  "Exit with status 1 when a place holds more than before", NULL },
		{ "debug-dirs", 0, 0, G_OPTION_ARG_STRING, &options.debug_dirs,
		  "Where separate debug files lie (default: /usr/lib/debug)", "DIR:DIR…" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	int64_t moments_ns[2] = { 0, 0 };
	int rc = CMD_EXIT_USAGE;

	if (!cmd_parse(cmd, entries, NULL, &argc, &argv))
		goto out;
	if (argc != 2 && argc != 3) {
		cmd_error(cmd, "wants one or two recordings (see 'kfdscope diff --help')");
		goto out;
	}
	if (times_valid(cmd, &options, argc - 1, moments_ns))
		rc = compare(cmd, &options, argc - 1, argv + 1, moments_ns);
out:
	g_free(options.output);
	g_free(options.debug_dirs);
	g_free(options.from);
	g_free(options.to);
	return rc;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.args = "RECORDING [RECORDING]",
	.summary = "Compare what is alive at the end of two recordings, or at two moments of one",
	.description =
		"TIME is +SECONDS since the recording's begin, seconds since 1970, or a date and\n"
		"time. Functions are compared by name, so that a rebuilt program still "
		"compares.\n\n"
		"Examples:\n"
		"  kfdscope diff /tmp/before /tmp/after\n"
		"  kfdscope diff --from=+0.5 --to=+2 /tmp/trace\n",
	.run = diff_run,
};
