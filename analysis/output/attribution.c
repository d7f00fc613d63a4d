/* SPDX-License-Identifier: MIT */
/* Layers by the names in stacks (attribution.h). */
#include "output/attribution.h"

#include <string.h>

#include "model/requests.h"

struct attribution {
	struct sym *sym;   /* borrowed */
	GHashTable *views; /* struct stack -> struct stackview (owned): each stack is named once */
	GHashTable
		*paths; /* set of path keys (owned): ways inside an allocator that serve requests */
	GHashTable *asked; /* set of struct block (borrowed): with memory of a live request */
};

const char *leak_layer_name(enum leak_layer layer)
{
	static const char *const names[LEAK_LAYER_COUNT] = {
		[LEAK_APPLICATION] = "application",  [LEAK_KERNEL] = "kernel refused",
		[LEAK_RUNTIME] = "runtime",          [LEAK_THUNK] = "thunk",
		[LEAK_UNKNOWN] = "before recording",
	};

	return names[layer];
}

static void view_free(void *data)
{
	stackview_fini(data);
	g_free(data);
}

static void bytes_free(void *data)
{
	g_bytes_unref(data);
}

struct attribution *attribution_new(struct sym *sym)
{
	struct attribution *attribution = g_new0(struct attribution, 1);

	attribution->sym = sym;
	attribution->views = g_hash_table_new_full(NULL, NULL, NULL, view_free);
	attribution->paths = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, bytes_free, NULL);
	attribution->asked = g_hash_table_new(NULL, NULL);
	return attribution;
}

void attribution_free(struct attribution *attribution)
{
	if (!attribution)
		return;
	g_hash_table_destroy(attribution->views);
	g_hash_table_destroy(attribution->paths);
	g_hash_table_destroy(attribution->asked);
	g_free(attribution);
}

const struct stackview *attribution_view(struct attribution *attribution,
					 const struct process *process, const struct stack *stack)
{
	static const struct stackview nothing = { .caller = -1, .entry = -1 };
	struct stackview *view;

	if (!stack)
		return &nothing;
	view = g_hash_table_lookup(attribution->views, stack);
	if (view)
		return view;
	view = g_new0(struct stackview, 1);
	stackview_init(view, attribution->sym, process, stack);
	g_hash_table_insert(attribution->views, (void *)stack, view);
	return view;
}

static const char *function_at(const struct stackview *view, int index)
{
	const struct sym_frame *frame = view->frames[index];

	return frame->levels[frame->level_count - 1].function;
}

/* The newest block taken by one line of the program, and by which way through the runtime. */
struct newest {
	uint64_t place; /* in the order of all blocks */
	GBytes *path;   /* owned; NULL: none yet */
};

static void newest_free(void *data)
{
	struct newest *newest = data;

	g_clear_pointer(&newest->path, g_bytes_unref);
	g_free(newest);
}

/* Which frames they are, from one on. */
static GBytes *frames_key(const struct stackview *view, uint32_t first, uint32_t count)
{
	return g_bytes_new(view->frames + first, count * sizeof(view->frames[0]));
}

/* A way through the runtime: where in the entry function, and where in the first one inside it. */
static GBytes *path_key(const struct stackview *view)
{
	return frames_key(view, (uint32_t)view->entry - 1, 2);
}

static void learn_site(const struct site *site, const struct stackview *view, GHashTable *lines)
{
	/* The entry itself is left out: setting up and serving return to different places in it. */
	const uint32_t first = (uint32_t)view->entry + 1;
	GBytes *line = frames_key(view, first, view->count - first);
	struct newest *newest = g_hash_table_lookup(lines, line);

	if (!newest) {
		newest = g_new0(struct newest, 1);
		g_hash_table_insert(lines, g_bytes_ref(line), newest);
	}
	if (site->newest > newest->place) {
		newest->place = site->newest;
		g_clear_pointer(&newest->path, g_bytes_unref);
		newest->path = path_key(view);
	}
	g_bytes_unref(line);
}

static bool has_hip(const struct process *process)
{
	for (guint i = 0; i < process->modules.list->len; i++) {
		const struct module *module = g_ptr_array_index(process->modules.list, i);
		const char *slash = strrchr(module->path, '/');

		if (module_role(slash ? slash + 1 : module->path) == ROLE_HIP)
			return true;
	}
	return false;
}

/*
 * A runtime sets itself up in the first call of hipMalloc or the like, and takes memory for it. What
 * was asked for comes last: so the way by which a line of the program got its newest block is the way
 * that serves requests.
 */
void attribution_learn(struct attribution *attribution, const struct process *process)
{
	GHashTable *lines;
	GHashTableIter iter;
	void *key;

	if (!has_hip(process))
		return; /* spares the naming of all stacks */
	lines = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, bytes_free, newest_free);
	g_hash_table_iter_init(&iter, process->memory->sites);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct site *site = key;
		const struct stackview *view = attribution_view(attribution, process, site->stack);

		if ((site->class == BLOCK_ALLOCATION || site->class == BLOCK_BO) &&
		    view->entry > 0 && view->caller >= 0 && view->roles[view->entry] == ROLE_HIP &&
		    is_allocator(function_at(view, view->entry)))
			learn_site(site, view, lines);
	}
	g_hash_table_iter_init(&iter, lines);
	while (g_hash_table_iter_next(&iter, NULL, &key)) {
		const struct newest *newest = key;

		if (newest->path)
			g_hash_table_add(attribution->paths, g_bytes_ref(newest->path));
	}
	g_hash_table_destroy(lines);
}

/* The HSA function by which the runtime above entered HSA; -1: there is none, or it has no name. */
static int hsa_entry(const struct stackview *view)
{
	for (int i = view->entry - 1; i >= 0; i--) {
		if (view->roles[i] == ROLE_HSA)
			return function_at(view, i) ? i : -1;
	}
	return -1;
}

/* Inside an allocator of the runtime: whether the block is the runtime's own all the same. */
static bool is_own_path(const struct attribution *attribution, const struct stackview *view)
{
	int hsa = hsa_entry(view);
	GBytes *path;
	bool serves;

	if (view->roles[view->entry] != ROLE_HIP || view->entry == 0)
		return false;
	if (hsa >= 0 && !is_allocator(function_at(view, hsa)))
		return true; /* hsa_init, hsa_queue_create … */
	path = path_key(view);
	serves = g_hash_table_contains(attribution->paths, path);
	g_bytes_unref(path);
	return !serves;
}

/* Taken while the runtime served a recorded call, but not what the call gave to the program. */
static bool is_runtimes(const struct block *block)
{
	const struct call_type *served = block->served;

	if (!served)
		return false;
	/* Some functions hand out handles to memory, and no addresses. */
	return requests_gives(block->memory->process->requests, served) ||
	       !is_allocator(served->name);
}

/*
 * The same for what was taken before the recording began, when it is known what the program held then.
 */
static bool was_runtimes(const struct block *block, const struct stackview *view)
{
	const char *function;

	if (!block->from_dump || !block->memory->process->requests->is_dumped || view->entry < 0 ||
	    view->roles[view->entry] != ROLE_HIP)
		return false;
	function = function_at(view, view->entry);
	return function && !strstr(function, "Array"); /* those hand out handles */
}

void attribution_ask(struct attribution *attribution, const struct block *block)
{
	g_hash_table_add(attribution->asked, (void *)block);
}

bool attribution_has_request(const struct attribution *attribution, const struct block *block)
{
	return g_hash_table_contains(attribution->asked, block);
}

/*
 * With ioctls alone recorded, what the library took for itself shows by its function that the program
 * called: none that gives memory.
 */
static bool is_librarys(const struct block *block, const struct stackview *view)
{
	static const char *const functions[] = { "hsaKmtOpenKFD", "hsaKmtAcquireSystemProperties",
						 "hsaKmtCreateEvent", "hsaKmtCreateQueue" };
	const char *outermost = NULL;

	for (uint32_t i = 0; block->site->class == BLOCK_BO && i < view->count; i++) {
		const char *function = function_at(view, (int)i);

		if (function && g_str_has_prefix(function, "hsaKmt"))
			outermost = function;
	}
	for (size_t i = 0; outermost && i < G_N_ELEMENTS(functions); i++)
		if (g_str_has_prefix(outermost, functions[i]))
			return true;
	return false;
}

enum leak_layer attribution_layer(const struct attribution *attribution, const struct block *block,
				  const struct stackview *view)
{
	bool has_runtime = false;

	if (block->site->class == BLOCK_KEPT)
		return LEAK_THUNK;
	if (block->refusal.count)
		return LEAK_KERNEL;
	if (attribution_has_request(attribution, block))
		return LEAK_APPLICATION;
	if (is_runtimes(block) || was_runtimes(block, view) || is_librarys(block, view))
		return LEAK_RUNTIME;
	if (view->count == 0)
		return block->from_dump ? LEAK_UNKNOWN : LEAK_APPLICATION;
	for (uint32_t i = 0; i < view->count; i++)
		has_runtime |= view->roles[i] == ROLE_HIP || view->roles[i] == ROLE_HSA;
	if (view->caller < 0)
		return has_runtime ? LEAK_RUNTIME : LEAK_APPLICATION;
	if (view->entry < 0 || view->roles[view->entry] == ROLE_APPLICATION)
		return LEAK_APPLICATION; /* it called the thunk itself */
	/* A nameless entry is not held against the runtime: hiding a leak is the worse mistake. */
	if (!function_at(view, view->entry))
		return LEAK_APPLICATION;
	if (!is_allocator(function_at(view, view->entry)) || is_own_path(attribution, view))
		return LEAK_RUNTIME;
	return LEAK_APPLICATION;
}
