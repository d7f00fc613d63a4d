/* SPDX-License-Identifier: MIT */
/* Places in their order, made one by one (allocs_places.h). */
#include "output/allocs_places.h"

#include <string.h>

#include "output/stack_json.h"
#include "output/text.h"

struct row {
	const struct process_usage *process;
	const struct site_usage *usage;
	struct usage levels;             /* of the scope */
	uint64_t peak_bytes, peak_count; /* at the peak of the process */
	uint64_t slope_bytes;            /* 0 unless it grows */
	enum growth growth;
};

struct allocs_places {
	const struct document *document; /* borrowed */
	uint32_t moments;
	enum allocs_sort sort;
	GArray *places, *internal;   /* of struct row */
	const struct process *named; /* borrowed: of the place made last; NULL: there is none */
	GString *name;               /* of that process */
};

static const char *const sort_names[ALLOCS_SORT_COUNT] = {
	[ALLOCS_BY_BYTES] = "bytes", [ALLOCS_BY_GROWTH] = "growth", [ALLOCS_BY_AGE] = "age",
	[ALLOCS_BY_CHURN] = "churn", [ALLOCS_BY_PEAK] = "peak",
};

const char *allocs_sort_name(enum allocs_sort sort)
{
	return sort_names[sort];
}

bool allocs_sort_by_name(const char *name, enum allocs_sort *sort)
{
	for (int i = 0; i < ALLOCS_SORT_COUNT; i++) {
		if (strcmp(sort_names[i], name) == 0) {
			*sort = (enum allocs_sort)i;
			return true;
		}
	}
	return false;
}

static int order(uint64_t left, uint64_t right)
{
	return left < right ? 1 : left > right ? -1 : 0;
}

static int compare_rows(const void *left, const void *right, void *data)
{
	const enum allocs_sort *sort = data;
	const struct row *a = left, *b = right;
	const struct site *as = a->usage->site, *bs = b->usage->site;
	int result = 0;

	switch (*sort) {
	case ALLOCS_BY_GROWTH:
		result = order(a->slope_bytes, b->slope_bytes);
		break;
	case ALLOCS_BY_AGE:
		result = as->first_ns < bs->first_ns ? -1 : as->first_ns > bs->first_ns;
		break;
	case ALLOCS_BY_CHURN:
		result = order(as->taken_count, bs->taken_count);
		break;
	case ALLOCS_BY_PEAK:
		result = order(a->peak_bytes, b->peak_bytes);
		break;
	case ALLOCS_BY_BYTES:
	case ALLOCS_SORT_COUNT:
		break;
	}
	if (!result)
		result = order(a->levels.live_bytes, b->levels.live_bytes);
	if (!result)
		result = order(as->taken_bytes, bs->taken_bytes);
	return result ? result : as->first_ns < bs->first_ns ? -1 : as->first_ns > bs->first_ns;
}

static void add_rows(struct allocs_places *places, const struct process_usage *process)
{
	for (guint i = 0; i < process->sites->len; i++) {
		struct row row = { .process = process,
				   .usage = g_ptr_array_index(process->sites, i) };
		const struct site *site = row.usage ? row.usage->site : NULL;

		if (!site || !site->begun_count)
			continue;
		row.levels = usage_result(&site->usage, model_scope(places->document->model));
		if (!site->taken_count && !row.levels.peak_bytes)
			continue;
		site_usage_at_peak(process, row.usage, &row.peak_bytes, &row.peak_count);
		row.growth = site_growth(site);
		row.slope_bytes = row.growth == GROWTH_GROWING ? site_slope_bytes(site) : 0;
		g_array_append_val(
			site->class == BLOCK_INTERNAL ? places->internal : places->places, row);
	}
}

struct allocs_places *allocs_places_new(struct usages *usages, uint32_t moments,
					const struct document *document, enum allocs_sort sort)
{
	struct allocs_places *places = g_new0(struct allocs_places, 1);
	const GPtrArray *processes = model_processes(document->model);

	usages_finish(usages);
	places->document = document;
	places->moments = moments;
	places->sort = sort;
	places->places = g_array_new(FALSE, TRUE, sizeof(struct row));
	places->internal = g_array_new(FALSE, TRUE, sizeof(struct row));
	places->name = g_string_new(NULL);
	for (guint i = 0; i < processes->len; i++) {
		const struct process_usage *process =
			usages_process(usages, g_ptr_array_index(processes, i));

		if (process)
			add_rows(places, process);
	}
	g_array_sort_with_data(places->places, compare_rows, &sort);
	g_array_sort_with_data(places->internal, compare_rows, &sort);
	return places;
}

void allocs_places_free(struct allocs_places *places)
{
	if (!places)
		return;
	g_array_free(places->places, TRUE);
	g_array_free(places->internal, TRUE);
	g_string_free(places->name, TRUE);
	g_free(places);
}

static const GArray *get_list(const struct allocs_places *places, const char *list)
{
	return strcmp(list, "internal") == 0 ? places->internal : places->places;
}

enum allocs_sort allocs_places_sort(const struct allocs_places *places)
{
	return places->sort;
}

const struct document *allocs_places_document(const struct allocs_places *places)
{
	return places->document;
}

size_t allocs_places_count(const struct allocs_places *places, const char *list)
{
	return get_list(places, list)->len;
}

const struct site *allocs_place_site(const struct allocs_places *places, size_t index)
{
	return g_array_index(places->places, struct row, index).usage->site;
}

struct allocs_state allocs_place_state(const struct allocs_places *places, size_t index, int moment)
{
	const struct row *row = &g_array_index(places->places, struct row, index);
	struct allocs_state state = { row->levels.live_count, row->levels.live_bytes };

	if (moment >= 0)
		site_usage_at_moment(row->usage, (uint32_t)moment, &state.bytes, &state.blocks);
	return state;
}

static void build_state(struct json_build *build, const char *name, uint64_t blocks, uint64_t bytes)
{
	json_build_object(build, name);
	json_build_int(build, "blocks", (int64_t)blocks);
	json_build_int(build, "bytes", (int64_t)bytes);
	json_build_end(build);
}

static void build_levels(struct json_build *build, const struct row *row)
{
	const struct site *site = row->usage->site;

	json_build_string(build, "kind", memory_kind_name(site->kind));
	json_build_string(build, "class", block_class_name(site->class));
	build_state(build, "live", row->levels.live_count, row->levels.live_bytes);
	build_state(build, "at_peak", row->peak_count, row->peak_bytes);
	json_build_int(build, "own_peak_bytes", (int64_t)row->levels.peak_bytes);
	json_build_int(build, "first_ns", site->first_ns);
	json_build_int(build, "last_ns", site->last_ns);
	if (site->class == BLOCK_INTERNAL)
		json_build_string(build, "for", block_origin_name(site->origin));
	else if (site->origin == ORIGIN_RESTORED)
		json_build_string(build, "origin", block_origin_name(site->origin));
	if (site->node_id != UINT32_MAX)
		json_build_int(build, "node_id", site->node_id);
	if (site->gpu_id)
		json_build_int(build, "gpu_id", site->gpu_id);
}

static void build_churn(struct json_build *build, const struct site *site,
			const struct site_usage *usage)
{
	const struct scope *scope = model_scope(site->process->model);
	const int64_t last_ns = scope_is_over(scope, site->last_ns) ? scope->end_ns : site->last_ns;
	const int64_t span = last_ns - MAX(site->first_ns, scope->begin_ns);

	json_build_int(build, "taken", (int64_t)site->taken_count);
	json_build_int(build, "taken_bytes", (int64_t)site->taken_bytes);
	json_build_int(build, "ended", (int64_t)site->ended_count);
	json_build_int(build, "temporary", (int64_t)usage->temporary_count);
	if (site->ended_count)
		json_build_int(build, "mean_lifetime_ns",
			       (int64_t)(site->lifetime_sum_ns / site->ended_count));
	if (span > 0 && site->taken_count)
		json_build_real(build, "per_second",
				(double)(site->taken_count - 1) * 1e9 / (double)span);
}

static void build_growth(struct json_build *build, const struct row *row)
{
	json_build_string(build, "growth", growth_name(row->growth));
	if (row->growth == GROWTH_FLAT)
		json_build_int(build, "flat_since_ns", row->levels.peak_ns);
	if (row->growth == GROWTH_GROWING)
		json_build_int(build, "slope_bytes_per_s", (int64_t)row->slope_bytes);
}

static void build_moments(struct json_build *build, const struct allocs_places *places,
			  const struct site_usage *usage)
{
	if (!places->moments)
		return;
	json_build_list(build, "at_moments");
	for (uint32_t i = 0; i < places->moments; i++) {
		uint64_t bytes, count;

		site_usage_at_moment(usage, i, &bytes, &count);
		build_state(build, NULL, count, bytes);
	}
	json_build_end(build);
}

static const char *name_process(struct allocs_places *places, const struct process *process)
{
	if (places->named != process) {
		g_string_truncate(places->name, 0);
		text_process(places->name, process);
		places->named = process;
	}
	return places->name->str;
}

void allocs_place_build(void *data, const char *list, size_t index, struct json_build *build)
{
	struct allocs_places *places = data;
	const struct row *row = &g_array_index(get_list(places, list), struct row, index);
	const struct site *site = row->usage->site;
	struct stackview view;

	json_build_object(build, NULL);
	build_levels(build, row);
	build_churn(build, site, row->usage);
	build_growth(build, row);
	build_moments(build, places, row->usage);
	json_build_string(build, "call", site->type ? site->type->name : NULL);
	json_build_string(build, "ioctl", site->ioctl ? site->ioctl->name : NULL);
	json_build_int(build, "vpid", site->process->vpid);
	json_build_string(build, "process", name_process(places, site->process));
	stackview_init(&view, places->document->sym, site->process, site->stack);
	caller_build(build, "caller", &view, places->document->frames);
	stack_build(build, "stack", &view, places->document->frames);
	stackview_fini(&view);
	json_build_end(build);
}
