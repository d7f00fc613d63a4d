/* SPDX-License-Identifier: MIT */
/*
 * Reports of hand-written recordings against the text that they shall give.
 *
 *   test_analysis_golden [--update] REPORT NAME.in FIXTURES
 *
 * REPORT is leaks, chains, or one of those that are JSON first (output/documents.h). The expected text is in NAME.expect; paths of this build and build ids
 * are replaced by words. The JSON form must have the numbers of the text.
 */
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/chains.h"
#include "output/chains_report.h"
#include "output/documents.h"
#include "output/flames.h"
#include "output/json_write.h"
#include "output/leaks_text.h"
#include "output/stack_json.h"
#include "text_trace.h"

static char *replace(char *text, const char *what, const char *with)
{
	char **parts = g_strsplit(text, what, -1);
	char *result = g_strjoinv(with, parts);

	g_strfreev(parts);
	g_free(text);
	return result;
}

/* The one filter for what differs between builds. */
static char *filter(char *text, const char *fixtures)
{
	GRegex *build_id = g_regex_new("build id [0-9a-f]{40}", 0, 0, NULL);
	char *result;

	text = replace(text, fixtures, "@");
	text = replace(text, SOURCE_DIR "/", "");
	result = g_regex_replace_literal(build_id, text, -1, 0, "build id ID", 0, NULL);
	g_regex_unref(build_id);
	g_free(text);
	return result;
}

/* Every group of the JSON form must stand in the text with the same numbers. */
static bool has_groups(const json_t *json, const char *text)
{
	const json_t *groups = json_object_get(json, "groups"), *group;
	bool ok = true;
	size_t i;

	json_array_foreach(groups, i, group)
	{
		char *begin = g_strdup_printf("\n%" JSON_INTEGER_FORMAT " bytes",
					      json_integer_value(json_object_get(group, "bytes")));
		char *count = g_strdup_printf(" in %" JSON_INTEGER_FORMAT " block",
					      json_integer_value(json_object_get(group, "blocks")));
		const char *line = strstr(text, begin);
		bool found = false;

		for (; line && !found; line = strstr(line + 1, begin)) {
			char *one = g_strndup(line + 1, strcspn(line + 1, "\n"));

			found = strstr(one, count) &&
				strstr(one, json_string_value(json_object_get(group, "kind")));
			g_free(one);
		}
		if (!found)
			fprintf(stderr, "the text lacks a group of the JSON form:%s%s\n", begin,
				count);
		ok &= found;
		g_free(begin);
		g_free(count);
	}
	return ok && groups;
}

static bool has_calls(const json_t *json, const char *text)
{
	const json_t *calls = json_object_get(json, "calls"), *call;
	size_t i;

	json_array_foreach(calls, i, call)
	{
		char *row = g_strdup_printf("\n%9" JSON_INTEGER_FORMAT " ",
					    json_integer_value(json_object_get(call, "count")));
		bool found = json_integer_value(json_object_get(call, "count")) == 0 ||
			     (strstr(text, row) &&
			      strstr(text, json_string_value(json_object_get(call, "name"))));

		g_free(row);
		if (!found) {
			fprintf(stderr, "the text lacks a call of the JSON form: %s\n",
				json_string_value(json_object_get(call, "name")));
			return false;
		}
	}
	return calls != NULL;
}

/* A speedscope file has the paths of the folded stacks, and their sums. */
static bool has_profiles(const json_t *json, const char *text)
{
	const json_t *profiles = json_object_get(json, "profiles"), *profile, *weight;
	const json_t *frames = json_object_get(json_object_get(json, "shared"), "frames");
	size_t i, j, paths = 0, lines = 0;
	bool ok = frames != NULL;

	for (const char *at = strchr(text, '\n'); at; at = strchr(at + 1, '\n'))
		lines++;
	json_array_foreach(profiles, i, profile)
	{
		const json_t *samples = json_object_get(profile, "samples");
		const json_t *weights = json_object_get(profile, "weights");
		json_int_t sum = 0;

		json_array_foreach(weights, j, weight) sum += json_integer_value(weight);
		ok &= json_array_size(samples) == json_array_size(weights) &&
		      sum == json_integer_value(json_object_get(profile, "endValue"));
		paths += json_array_size(samples);
	}
	/* Each weight has a title. */
	return ok && paths + FLAMES_WEIGHT_COUNT == lines;
}

static const struct {
	const char *name;
	const struct document_kind *kind;
} documents[] = {
	{ "failures", &document_failures }, { "waits", &document_waits },
	{ "queues", &document_queues },     { "counters", &document_counters },
	{ "faults", &document_faults },     { "svm", &document_svm },
	{ "clocks", &document_clocks },     { "startup", &document_startup },
};

static const struct document_kind *document_of(const char *report)
{
	for (size_t i = 0; i < G_N_ELEMENTS(documents); i++) {
		if (strcmp(documents[i].name, report) == 0)
			return documents[i].kind;
	}
	return NULL;
}

/* A report whose text is written from its JSON. */
static json_t *make_document(const struct document_kind *kind, const void *watcher,
			     const struct model *model, GString *text)
{
	const struct document document = { .model = model,
					   .sym = sym_new(NULL),
					   .frames = frames_json_new() };
	json_t *json = kind->json(watcher, &document);

	kind->text(text, json, &document);
	frames_json_free(document.frames);
	sym_free(document.sym);
	return json;
}

/* What a reader of the JSON form gets. */
static json_t *read_leaks(struct leaks_report *leaks)
{
	json_t *made = leaks_json(leaks, NULL), *json = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int error = json_write(made, stream, leaks_entry_build, leaks);

	fclose(stream);
	if (!error)
		json = json_loadb(text, size, 0, NULL);
	free(text);
	json_decref(made);
	return json;
}

/* Makes the report both ways. @return the text, or NULL when the JSON form differs. */
static char *make_report(const char *report, const char *in, const char *fixtures)
{
	struct model *model = model_new();
	struct chains *chains = chains_new(model);
	const struct document_kind *kind = document_of(report);
	void *watcher = kind ? kind->watch(model) : NULL;
	char *error = text_trace_read_file(model, in, fixtures);
	GString *text = g_string_new(NULL);
	json_t *json = NULL;
	bool ok = !error;

	if (error)
		fprintf(stderr, "%s: %s\n", in, error);
	model_finish(model);
	if (ok && kind) {
		json = make_document(kind, watcher, model, text);
		ok = json_is_integer(json_object_get(json, "findings"));
	} else if (ok && strcmp(report, "leaks") == 0) {
		const struct leaks_options options = { .top = 0, .runtime = true };
		struct leaks_report *leaks = leaks_report_new(model, &options);

		leaks_text(text, leaks, NULL);
		json = read_leaks(leaks);
		ok = has_groups(json, text->str);
		leaks_report_free(leaks);
	} else if (ok && strcmp(report, "folded") == 0) {
		for (int weight = 0; weight < FLAMES_WEIGHT_COUNT; weight++) {
			g_string_append_printf(text, "weight %d\n", weight);
			flames_folded(text, chains, NULL, (enum flames_weight)weight);
		}
		json = flames_speedscope(chains, model, NULL, FLAMES_TIME);
		ok = has_profiles(json, text->str);
	} else if (ok) {
		struct chains_report *paths = chains_report_new(model, chains, NULL, 0);

		chains_text(text, paths, NULL);
		json = chains_json(paths, NULL);
		ok = has_calls(json, text->str);
		chains_report_free(paths);
	}
	json_decref(json);
	if (kind)
		kind->unwatch(watcher);
	g_free(error);
	chains_free(chains);
	model_free(model);
	return g_string_free(text, !ok);
}

static void show_difference(const char *expected, const char *actual)
{
	char **want = g_strsplit(expected, "\n", -1), **have = g_strsplit(actual, "\n", -1);

	for (size_t i = 0; want[i] || have[i]; i++) {
		if (want[i] && have[i] && strcmp(want[i], have[i]) == 0)
			continue;
		fprintf(stderr, "line %zu\n  expected: %s\n  actual:   %s\n", i + 1,
			want[i] ? want[i] : "(end)", have[i] ? have[i] : "(end)");
		break;
	}
	fprintf(stderr, "--- actual\n%s", actual);
	g_strfreev(want);
	g_strfreev(have);
}

int main(int argc, char **argv)
{
	bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
	char **args = argv + update;
	char *text, *expected = NULL, *path;
	int status = 1;

	if (argc - update != 4) {
		fprintf(stderr, "usage: %s [--update] REPORT NAME.in FIXTURES\n", argv[0]);
		return 2;
	}
	text = make_report(args[1], args[2], args[3]);
	if (!text)
		return 1;
	text = filter(text, args[3]);
	path = g_strdup(args[2]);
	path = replace(path, ".in", ".expect");
	if (update) {
		status = g_file_set_contents(path, text, -1, NULL) ? 0 : 1;
	} else if (!g_file_get_contents(path, &expected, NULL, NULL)) {
		fprintf(stderr, "%s is missing; --update makes it from:\n%s", path, text);
	} else if (strcmp(expected, text) == 0) {
		status = 0;
	} else {
		show_difference(expected, text);
	}
	g_free(expected);
	g_free(path);
	g_free(text);
	return status;
}
