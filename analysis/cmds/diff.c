/* SPDX-License-Identifier: MIT */
/* `kfdscope diff`: memory of two recordings, or of two moments of one, compared. */
#include "report.h"

#include "moment.h"

#include <glib/gstdio.h>
#include <string.h>

#include "output/diff_report.h"
#include "output/document.h"
#include "output/file.h"

struct diff_options {
	char *output, *debug_dirs, *from, *to; /* owned */
	gboolean json, fail_on_findings;
	int top;
};

/* The report of one recording, through a file of its own. @return new, or NULL with *rc set. */
static json_t *read_allocs(const struct cmd *cmd, const struct diff_options *options,
			   const char *path, const int64_t moments_ns[2], int *rc)
{
	const char *const paths[] = { path };
	char *folder = g_dir_make_tmp("kfdscope-diff-XXXXXX", NULL);
	char *file = folder ? g_build_filename(folder, "allocs.json", NULL) : NULL;
	struct analyse_options analyse = {
		.report = ANALYSE_ALLOCS,
		.paths = paths,
		.path_count = 1,
		.output = file,
		.format = "json",
		.debug_dirs = options->debug_dirs,
		.moments_ns = { moments_ns[0], moments_ns[1] },
	};
	json_t *json = NULL;

	if (!folder) {
		cmd_error(cmd, "cannot make a temporary folder in '%s'", g_get_tmp_dir());
		*rc = CMD_EXIT_OUTPUT;
		return NULL;
	}
	*rc = report_analyse(cmd, &analyse);
	if (*rc == CMD_EXIT_OK || *rc == CMD_EXIT_PARTIAL)
		json = json_load_file(file, 0, NULL);
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	return json;
}

static int write_diff(const struct cmd *cmd, const struct diff_options *options, json_t *json)
{
	GString *text = g_string_new(NULL);
	char *dumped = options->json ? json_text(json) : NULL;
	struct out_file file;
	int error = out_open(&file, options->output);

	if (!options->json)
		diff_text(text, json, (uint32_t)options->top);
	if (!error) {
		fputs(dumped ? dumped : text->str, file.stream);
		error = out_commit(&file);
	}
	if (error)
		cmd_error(cmd, "cannot write '%s': %s",
			  options->output ? options->output : "standard output",
			  g_strerror(-error));
	g_free(dumped);
	g_string_free(text, TRUE);
	return error ? CMD_EXIT_OUTPUT : CMD_EXIT_OK;
}

static int compare(const struct cmd *cmd, const struct diff_options *options, int count,
		   char **paths, const int64_t moments_ns[2])
{
	static const int64_t no_moments[2];
	const bool one = count == 1;
	struct diff_side before = { .name = one ? options->from : paths[0],
				    .moment = one ? 0 : -1 };
	struct diff_side after = { .name = one ? options->to ? options->to : "the end" : paths[1],
				   .moment = one && moments_ns[1] ? 1 : -1 };
	json_t *sides[2] = { NULL, NULL }, *json = NULL;
	int rc, second = CMD_EXIT_OK;

	sides[0] = read_allocs(cmd, options, paths[0], one ? moments_ns : no_moments, &rc);
	if (!sides[0])
		return rc;
	if (!one)
		sides[1] = read_allocs(cmd, options, paths[1], no_moments, &second);
	if (!one && !sides[1]) {
		rc = second;
		goto out;
	}
	before.allocs = sides[0];
	after.allocs = one ? sides[0] : sides[1];
	json = diff_json(&before, &after);
	rc = MAX(rc, second); /* done or partial */
	second = write_diff(cmd, options, json);
	if (second)
		rc = second;
	else if (rc == CMD_EXIT_OK && options->fail_on_findings &&
		 document_int(json, "findings") > 0)
		rc = CMD_EXIT_FINDINGS;
out:
	json_decref(json);
	json_decref(sides[0]);
	json_decref(sides[1]);
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
