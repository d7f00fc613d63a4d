/* SPDX-License-Identifier: MIT */
/* Two states of memory compared (analysis/output/diff_report.h). */
#include "output/diff_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/json_write.h"

#define LEVELS_MAX 4u

/* A path of functions "INLINED<FUNCTION CALLER …", innermost first; lines tell one build from another. */
struct path {
	struct stackview view;
	struct sym_frame frames[LEVELS_MAX];
	struct sym_level levels[LEVELS_MAX][LEVELS_MAX];
	char **words, **names[LEVELS_MAX];
};

static uint32_t frame_count; /* as if one resolver had named them all */

static void path_init(struct path *path, const char *text, int line)
{
	memset(path, 0, sizeof(*path));
	path->words = g_strsplit(text, " ", -1);
	path->view.count = g_strv_length(path->words);
	path->view.caller = (int)path->view.count - 1;
	path->view.frames = g_new0(const struct sym_frame *, path->view.count);
	path->view.roles = g_new0(enum module_role, path->view.count);
	for (uint32_t i = 0; i < path->view.count; i++) {
		path->names[i] = g_strsplit(path->words[i], "<", -1);
		path->view.frames[i] = &path->frames[i];
		path->frames[i] = (struct sym_frame){
			.number = frame_count++,
			.path = "/opt/app",
			.module = "app",
			.offset = (uint64_t)line,
			.level_count = g_strv_length(path->names[i]),
			.levels = path->levels[i],
		};
		for (uint32_t j = 0; j < path->frames[i].level_count; j++)
			path->levels[i][j] = (struct sym_level){ path->names[i][j], "app.c", line };
	}
}

static void path_fini(struct path *path)
{
	for (uint32_t i = 0; i < path->view.count; i++)
		g_strfreev(path->names[i]);
	g_strfreev(path->words);
	stackview_fini(&path->view);
}

/* A recording's state, or two. */
static void begin(struct diff *diff, bool before, bool after, struct frames_json *frames)
{
	const struct diff_told told[DIFF_SIDES] = { { before, "a", -1 }, { after, "b", -1 } };
	json_t *report = json_pack("{sb si s[]}", "complete", 1, "lost_events", 0, "partial_input");

	diff_take_report(diff, told, report, frames);
	json_decref(report);
}

static void place(struct diff *diff, const char *functions, int line, int64_t first_ns,
		  uint64_t before, uint64_t after)
{
	const struct site site = {
		.class = BLOCK_ALLOCATION,
		.kind = MEMORY_DEVICE,
		.node_id = UINT32_MAX,
		.taken_count = 1,
		.first_ns = first_ns,
	};
	const struct allocs_state states[DIFF_SIDES] = { { before > 0, before },
							 { after > 0, after } };
	struct path path;

	path_init(&path, functions, line);
	diff_take_place(diff, &site, &path.view, states);
	path_fini(&path);
}

/* Two recordings with a place each. */
static struct diff *compare(const char *before, uint64_t bytes_before, const char *after,
			    uint64_t bytes_after)
{
	struct frames_json *frames[DIFF_SIDES] = { frames_json_new(), frames_json_new() };
	struct diff *diff = diff_new();

	begin(diff, true, false, frames[DIFF_BEFORE]);
	place(diff, before, 10, 1, bytes_before, 0);
	begin(diff, false, true, frames[DIFF_AFTER]);
	place(diff, after, 25, 2, 0, bytes_after);
	frames_json_free(frames[DIFF_BEFORE]);
	frames_json_free(frames[DIFF_AFTER]);
	diff_finish(diff);
	return diff;
}

/* What a reader of the JSON form gets. */
static json_t *read_json(struct diff *diff)
{
	json_t *made = diff_json(diff), *json;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(json_write(made, stream, diff_place_build, diff), 0);
	fclose(stream);
	json = json_loadb(text, size, 0, NULL);
	assert_non_null(json);
	free(text);
	json_decref(made);
	return json;
}

static json_t *get_place(const json_t *json, size_t index)
{
	return json_array_get(json_object_get(json, "places"), index);
}

static void assert_places(const json_t *json, size_t count)
{
	assert_int_equal(json_array_size(json_object_get(json, "places")), count);
}

static int64_t change_of(const json_t *json, size_t index)
{
	return document_int(get_place(json, index), "change_bytes");
}

static void places_are_the_same_when_their_functions_are(void **state)
{
	struct diff *diff = compare("grow main", 100, "grow main", 700);
	json_t *json = read_json(diff);

	(void)state;
	assert_places(json, 1);
	assert_int_equal(change_of(json, 0), 600);
	json_decref(json);
	diff_free(diff);
}

static void what_is_shown_of_a_place_is_the_later_state(void **state)
{
	struct diff *diff = compare("grow main", 100, "grow main", 700);
	json_t *json = read_json(diff), *place = get_place(json, 0);
	json_t *stack = json_object_get(place, "stack");

	(void)state;
	assert_int_equal(json_array_size(stack), 2);
	assert_int_equal(document_int(json_array_get(stack, 0), "line"), 25);
	assert_string_equal(document_string(json_array_get(stack, 0), "function"), "grow");
	assert_true(json_equal(json_object_get(place, "caller"), json_array_get(stack, 1)));
	json_decref(json);
	diff_free(diff);
}

/* A compiler may inline in one build what it calls in the next. */
static void inlined_functions_count_like_called_ones(void **state)
{
	struct diff *diff = compare("take<grow main", 100, "take grow<main", 700);
	json_t *json = read_json(diff), *place = get_place(json, 0);

	(void)state;
	assert_places(json, 1);
	assert_int_equal(change_of(json, 0), 600);
	assert_int_equal(json_array_size(json_object_get(place, "stack")), 3);
	assert_string_equal(document_string(json_object_get(place, "caller"), "function"), "grow");
	json_decref(json);
	diff_free(diff);
}

static void a_place_that_is_new_or_gone_counts_in_full(void **state)
{
	struct diff *diff = compare("grow old", 100, "grow new", 700);
	json_t *json = read_json(diff);

	(void)state;
	assert_places(json, 2);
	assert_int_equal(change_of(json, 0), 700);
	assert_int_equal(change_of(json, 1), -100);
	assert_int_equal(document_int(json, "findings"), 1);
	json_decref(json);
	diff_free(diff);
}

static void a_part_of_a_path_is_another_place(void **state)
{
	struct diff *diff = compare("grow main", 100, "grow", 700);
	json_t *json = read_json(diff);

	(void)state;
	assert_places(json, 2);
	json_decref(json);
	diff_free(diff);
}

static void two_moments_of_one_recording_are_compared(void **state)
{
	struct frames_json *frames = frames_json_new();
	struct diff *diff = diff_new();
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *json;

	(void)state;
	begin(diff, true, true, frames);
	place(diff, "grow main", 10, 1, 300, 700);
	place(diff, "keep main", 11, 2, 50, 50);
	frames_json_free(frames);
	diff_finish(diff);
	json = read_json(diff);
	assert_places(json, 1);
	assert_int_equal(change_of(json, 0), 400);
	assert_int_equal(document_int(json, "unchanged_places"), 1);
	assert_int_equal(diff_text(stream, diff, json, 0), 0);
	fclose(stream);
	assert_non_null(strstr(text, "+400 bytes of device memory in main at app.c:10"));
	assert_non_null(strstr(text, "1 place holds as much as before."));
	free(text);
	json_decref(json);
	diff_free(diff);
}

/* Places that grew by the same amount at one time: their order must not depend on where memory lies. */
static void equal_changes_stand_in_the_order_in_which_they_came(void **state)
{
	enum { PLACES = 50 };
	struct frames_json *frames = frames_json_new();
	struct diff *diff = diff_new();
	json_t *json;

	(void)state;
	begin(diff, true, true, frames);
	for (int i = 0; i < PLACES; i++) {
		char *functions = g_strdup_printf("grow%d main", i * 7 % PLACES);

		place(diff, functions, 10, 1, 0, 100);
		g_free(functions);
	}
	frames_json_free(frames);
	diff_finish(diff);
	json = read_json(diff);
	for (int i = 0; i < PLACES; i++) {
		char *function = g_strdup_printf("grow%d", i * 7 % PLACES);
		const json_t *stack = json_object_get(get_place(json, (size_t)i), "stack");

		assert_string_equal(document_string(json_array_get(stack, 0), "function"),
				    function);
		g_free(function);
	}
	json_decref(json);
	diff_free(diff);
}

static void a_side_without_numbers_of_what_it_lacks_is_said_to_lack_events(void **state)
{
	const struct diff_told told[DIFF_SIDES] = { { true, "a", -1 }, { true, "b", -1 } };
	json_t *report = json_pack("{sb si s[]}", "complete", 0, "lost_events", 0, "partial_input");
	struct frames_json *frames = frames_json_new();
	struct diff *diff = diff_new();
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *json;

	(void)state;
	diff_take_report(diff, told, report, frames);
	frames_json_free(frames);
	diff_finish(diff);
	json = read_json(diff);
	assert_int_equal(diff_text(stream, diff, json, 0), 0);
	fclose(stream);
	assert_non_null(strstr(text, "NOT COMPLETE: events are missing;"));
	assert_null(strstr(text, "0 events lost"));
	free(text);
	json_decref(json);
	json_decref(report);
	diff_free(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_the_same_when_their_functions_are),
		cmocka_unit_test(what_is_shown_of_a_place_is_the_later_state),
		cmocka_unit_test(inlined_functions_count_like_called_ones),
		cmocka_unit_test(a_place_that_is_new_or_gone_counts_in_full),
		cmocka_unit_test(a_part_of_a_path_is_another_place),
		cmocka_unit_test(two_moments_of_one_recording_are_compared),
		cmocka_unit_test(a_side_without_numbers_of_what_it_lacks_is_said_to_lack_events),
		cmocka_unit_test(equal_changes_stand_in_the_order_in_which_they_came),
	};

	return cmocka_run_group_tests_name("analysis/output/diff_report", tests, NULL, NULL);
}
