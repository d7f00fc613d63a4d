/* SPDX-License-Identifier: MIT */
/*
 * Memory over time (usages.h). Questions about a past moment ("what was alive at the peak") are
 * answered without looking at all sites whenever the moment is passed: a site notes its own value when
 * it changes for the first time after the moment; one that never changes again still has it.
 */
#include "usages.h"

#include "keyed.h"

#define NODE_POINTS 2048u
#define SITE_POINTS 128u

/*
 * Nobody looks at all sites over time, but at those with the highest peaks. When the series of all have
 * so many points, only the first ones keep theirs.
 */
#define SITE_POINTS_ALL 131072u
#define SITES_FINE      256u
#define SITE_POINTS_FEW 4u

struct usages {
	struct model *model;    /* borrowed */
	struct keyed processes; /* of struct process: struct process_usage */
	bool keeps_series;
	int64_t moments[USAGE_MOMENTS_MAX];
	uint32_t moment_count;
};

static void process_usage_free(void *data)
{
	struct process_usage *usage = data;

	for (guint i = 0; i < G_N_ELEMENTS(usage->nodes); i++)
		series_fini(&usage->nodes[i]);
	series_fini(&usage->total);
	series_fini(&usage->internal);
	series_fini(&usage->registered);
	for (guint i = 0; i < usage->sites->len; i++) {
		struct site_usage *site = g_ptr_array_index(usage->sites, i);

		if (site)
			series_fini(&site->series);
	}
	g_ptr_array_free(usage->sites, TRUE);
	pool_fini(&usage->site_pool);
	g_free(usage);
}

static struct process_usage *get_process(struct usages *usages, const struct process *process)
{
	struct process_usage *usage = keyed_find(&usages->processes, process);

	if (usage)
		return usage;
	usage = g_new0(struct process_usage, 1);
	usage->process = process;
	for (guint i = 0; i < G_N_ELEMENTS(usage->nodes); i++)
		series_init(&usage->nodes[i], NODE_POINTS);
	series_init(&usage->total, NODE_POINTS);
	series_init(&usage->internal, NODE_POINTS);
	series_init(&usage->registered, NODE_POINTS);
	usage->sites = g_ptr_array_new();
	return keyed_add(&usages->processes, process, usage);
}

static struct site_usage *get_site(struct process_usage *process, const struct site *key)
{
	GPtrArray *sites = process->sites;
	struct site_usage *site;

	if (key->index >= sites->len)
		g_ptr_array_set_size(sites, (gint)key->index + 1);
	site = g_ptr_array_index(sites, key->index);
	if (site)
		return site;
	site = pool_take(&process->site_pool, sizeof(*site));
	site->site = key;
	series_init(&site->series, SITE_POINTS);
	g_ptr_array_index(sites, key->index) = site;
	return site;
}

static int64_t moment_ns(const struct usages *usages, uint32_t index)
{
	int64_t time_ns = usages->moments[index];

	return time_ns < 0 ? model_begin_ns(usages->model) - time_ns : time_ns;
}

/* Notes what the site held until now for each moment that has passed since its last change. */
static void settle(const struct usages *usages, const struct process_usage *process,
		   struct site_usage *site, int64_t time_ns, uint64_t bytes, uint64_t count)
{
	if (site->peak_number != process->peak_number) {
		site->peak_number = process->peak_number;
		site->peak_bytes = bytes;
		site->peak_count = count;
	}
	for (uint32_t i = 0; i < usages->moment_count; i++) {
		if (site->moment_set[i] || time_ns <= moment_ns(usages, i))
			continue;
		site->moment_set[i] = true;
		site->moment_bytes[i] = bytes;
		site->moment_count[i] = count;
	}
}

int site_usage_compare(const void *left, const void *right)
{
	const struct site_usage *a = *(struct site_usage *const *)left;
	const struct site_usage *b = *(struct site_usage *const *)right;
	const struct scope *scope = model_scope(a->site->process->model);
	const uint64_t left_peak = usage_result(&a->site->usage, scope).peak_bytes;
	const uint64_t right_peak = usage_result(&b->site->usage, scope).peak_bytes;

	if (left_peak != right_peak)
		return left_peak > right_peak ? -1 : 1;
	return a->site->first_ns < b->site->first_ns ? -1 : a->site->first_ns > b->site->first_ns;
}

static void thin_sites(struct process_usage *usage)
{
	GPtrArray *sites = g_ptr_array_new();

	for (guint i = 0; i < usage->sites->len; i++)
		if (g_ptr_array_index(usage->sites, i))
			g_ptr_array_add(sites, g_ptr_array_index(usage->sites, i));
	g_ptr_array_sort(sites, site_usage_compare);
	usage->site_points = 0;
	for (guint i = 0; i < sites->len; i++) {
		struct series *series = &((struct site_usage *)sites->pdata[i])->series;

		series_set_limit(series, i < SITES_FINE ? SITE_POINTS : SITE_POINTS_FEW);
		usage->site_points += series_count(series);
	}
	usage->site_points_next = 2 * usage->site_points; /* so that it is done rarely */
	g_ptr_array_free(sites, TRUE);
}

/* A level changes; what it was until then is the first point of a scope that begins later. */
static void draw(const struct usages *usages, struct series *series, int64_t time_ns,
		 uint64_t before, uint64_t after)
{
	const struct scope *scope = model_scope(usages->model);

	if (!usages->keeps_series)
		return;
	if (scope->begin_ns && time_ns >= scope->begin_ns && series_count(series) == 0)
		series_set(series, scope->begin_ns, before);
	if (scope_counts(scope, time_ns))
		series_set(series, time_ns, after);
}

static void draw_site(const struct usages *usages, struct process_usage *usage,
		      struct site_usage *site, int64_t time_ns, uint64_t before, uint64_t after)
{
	const guint had = series_count(&site->series);

	draw(usages, &site->series, time_ns, before, after);
	usage->site_points += series_count(&site->series) - had;
	if (usage->site_points > MAX(SITE_POINTS_ALL, usage->site_points_next))
		thin_sites(usage);
}

static void take_callers(const struct usages *usages, struct process_usage *usage,
			 const struct block *block, int64_t time_ns, uint64_t change)
{
	const guint node = MIN(block->site->node_id, G_N_ELEMENTS(usage->nodes) - 1);

	usage->node_bytes[node] += change;
	usage->total_bytes += change;
	draw(usages, &usage->total, time_ns, usage->total_bytes - change, usage->total_bytes);
	draw(usages, &usage->nodes[node], time_ns, usage->node_bytes[node] - change,
	     usage->node_bytes[node]);
	if (usage->total_bytes > usage->peak_bytes &&
	    !scope_is_over(model_scope(usages->model), time_ns)) {
		usage->peak_bytes = usage->total_bytes;
		usage->peak_ns = time_ns;
		usage->peak_number++; /* what sites noted was of a lower one */
	}
}

static void take_totals(const struct usages *usages, struct process_usage *usage,
			const struct block *block, int64_t time_ns, uint64_t change)
{
	const struct memory *memory = block->memory;
	uint64_t now;

	if (block->site->class == BLOCK_INTERNAL) {
		now = memory->internal.live_bytes;
		draw(usages, &usage->internal, time_ns, now - change, now);
	} else if (block->site->class == BLOCK_REGISTRATION) {
		now = memory->registered.live_bytes;
		draw(usages, &usage->registered, time_ns, now - change, now);
	} else if (site_is_memory(block->site)) {
		take_callers(usages, usage, block, time_ns, change);
	}
}

/* What was alive when the scope began is its first peak. */
static void begin_scope(const struct scope *scope, struct process_usage *usage, int64_t time_ns)
{
	if (!scope->begin_ns || usage->is_begun || time_ns < scope->begin_ns)
		return;
	usage->is_begun = true;
	usage->peak_bytes = usage->total_bytes;
	usage->peak_ns = scope->begin_ns;
	usage->peak_number++;
}

static void block_changed(void *data, const struct block *block, int64_t time_ns, bool began)
{
	struct usages *usages = data;
	struct process_usage *process = get_process(usages, block->memory->process);
	struct site_usage *site = get_site(process, block->site);
	const struct scope *scope = model_scope(usages->model);
	const struct usage *now = &block->site->usage;
	const uint64_t change = began ? block->size_bytes : -block->size_bytes;

	begin_scope(scope, process, time_ns);
	settle(usages, process, site, time_ns, now->live_bytes - change,
	       began ? now->live_count - 1 : now->live_count + 1);
	draw_site(usages, process, site, time_ns, now->live_bytes - change, now->live_bytes);
	take_totals(usages, process, block, time_ns, change);
	if (began)
		process->last_id = block->id;
	else
		site->temporary_count +=
			block->id == process->last_id && scope_counts(scope, time_ns);
}

struct usages *usages_new(struct model *model)
{
	struct usages *usages = g_new0(struct usages, 1);
	const struct model_observer observer = { .data = usages, .block_changed = block_changed };

	usages->model = model;
	keyed_init(&usages->processes, process_usage_free);
	model_observe(model, &observer);
	return usages;
}

void usages_free(struct usages *usages)
{
	if (!usages)
		return;
	keyed_fini(&usages->processes);
	g_free(usages);
}

void usages_keep_series(struct usages *usages)
{
	usages->keeps_series = true;
}

void usages_add_moment(struct usages *usages, int64_t time_ns)
{
	if (usages->moment_count < USAGE_MOMENTS_MAX)
		usages->moments[usages->moment_count++] = time_ns;
}

/* A level that did not change since the scope began. */
static void draw_begin(const struct usages *usages, struct series *series, uint64_t level)
{
	if (usages->keeps_series && series_count(series) == 0)
		series_set(series, model_scope(usages->model)->begin_ns, level);
}

static void finish_process(const struct usages *usages, struct process_usage *usage)
{
	const struct memory *memory = usage->process->memory;

	begin_scope(model_scope(usages->model), usage, INT64_MAX);
	for (guint i = 0; i < usage->sites->len; i++) {
		struct site_usage *site = g_ptr_array_index(usage->sites, i);

		if (site)
			draw_begin(usages, &site->series, site->site->usage.live_bytes);
	}
	for (guint i = 0; i < G_N_ELEMENTS(usage->nodes); i++)
		if (usage->node_bytes[i])
			draw_begin(usages, &usage->nodes[i], usage->node_bytes[i]);
	draw_begin(usages, &usage->total, usage->total_bytes);
	draw_begin(usages, &usage->internal, memory->internal.live_bytes);
	draw_begin(usages, &usage->registered, memory->registered.live_bytes);
}

void usages_finish(struct usages *usages)
{
	const struct scope *scope = model_scope(usages->model);
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, usages->processes.table);
	while (scope->begin_ns && g_hash_table_iter_next(&iter, NULL, &value))
		finish_process(usages, value);
}

const struct process_usage *usages_process(const struct usages *usages,
					   const struct process *process)
{
	return g_hash_table_lookup(usages->processes.table, process);
}

void site_usage_at_peak(const struct process_usage *process, const struct site_usage *site,
			uint64_t *bytes, uint64_t *count)
{
	bool noted = site->peak_number == process->peak_number;

	*bytes = noted ? site->peak_bytes : site->site->usage.live_bytes;
	*count = noted ? site->peak_count : site->site->usage.live_count;
}

void site_usage_at_moment(const struct site_usage *site, uint32_t moment, uint64_t *bytes,
			  uint64_t *count)
{
	bool noted = site->moment_set[moment];

	*bytes = noted ? site->moment_bytes[moment] : site->site->usage.live_bytes;
	*count = noted ? site->moment_count[moment] : site->site->usage.live_count;
}

enum growth site_growth(const struct site *site)
{
	const struct scope *scope = model_scope(site->process->model);
	const struct process *process = site->process;
	const struct usage usage = usage_result(&site->usage, scope);
	const int64_t span = usage.peak_ns - MAX(site->first_ns, scope->begin_ns);
	int64_t end_ns = process->closed_ns ? process->closed_ns : process->last_ns, idle;

	if (scope_is_over(scope, end_ns))
		end_ns = scope->end_ns;
	idle = end_ns - usage.peak_ns;
	if (usage.live_bytes == 0)
		return GROWTH_RETURNED;
	if (span <= 0 || site->taken_count < 3)
		return GROWTH_ONCE;
	if (idle > span / 4)
		return GROWTH_FLAT;
	/* A burst shortly before the end is no trend yet. */
	return span < (end_ns - MAX(process->first_ns, scope->begin_ns)) / 20 ? GROWTH_ONCE
									      : GROWTH_GROWING;
}

uint64_t site_slope_bytes(const struct site *site)
{
	const struct scope *scope = model_scope(site->process->model);
	const struct usage usage = usage_result(&site->usage, scope);
	const int64_t span = usage.peak_ns - MAX(site->first_ns, scope->begin_ns);
	const uint64_t mean = site->taken_count ? site->taken_bytes / site->taken_count : 0;

	if (span <= 0 || usage.peak_bytes <= mean)
		return 0;
	return (uint64_t)((double)(usage.peak_bytes - mean) * 1e9 / (double)span);
}

const char *growth_name(enum growth growth)
{
	static const char *const names[GROWTH_COUNT] = {
		[GROWTH_RETURNED] = "given back",
		[GROWTH_ONCE] = "once",
		[GROWTH_FLAT] = "flat",
		[GROWTH_GROWING] = "growing",
	};

	return names[growth];
}
