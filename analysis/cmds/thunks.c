/* SPDX-License-Identifier: MIT */
/* Processes whose driver calls come from no libhsakmt that records (thunks.h). */
#include "thunks.h"

#include "messages.h"
#include "model/model.h"
#include "output/text.h"
#include "plugin/feed.h"

#define THUNK   "libhsakmt.so"
#define PRELOAD "kfdscope preload"

struct seen {
	const struct process *process; /* borrowed */
	bool by_preload;               /* the tracer at the libc boundary has said so */
	uint64_t library_calls, driver_calls;
	const struct stack *stack; /* borrowed: of a call of the driver; NULL: none was recorded */
};

struct look {
	struct model *model; /* owned */
	struct feed *feed;   /* owned */
	GPtrArray *seen;     /* of struct seen, owned */
};

static struct seen *seen_of(struct look *look, const struct process *process)
{
	struct seen *seen;

	for (guint i = look->seen->len; i > 0; i--) {
		seen = g_ptr_array_index(look->seen, i - 1);
		if (seen->process == process)
			return seen;
	}
	seen = g_new0(struct seen, 1);
	seen->process = process;
	g_ptr_array_add(look->seen, seen);
	return seen;
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct seen *seen = seen_of(data, call->thread->process);

	(void)entry;
	if (call->type->layer == LAYER_API)
		seen->library_calls++;
	if (call->type->layer != LAYER_IOCTL)
		return;
	seen->driver_calls++;
	if (!seen->stack)
		seen->stack = call->stack;
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	const struct arg *library;
	struct args *args;

	if (record->kind != RECORD_SCHEMA || !record->reader)
		return;
	args = args_reader_all(record->reader);
	library = args_find(args, "library");
	if (library && library->text && g_str_has_prefix(library->text, PRELOAD))
		seen_of(data, process)->by_preload = true;
	args_free(args);
}

static bool take(void *data, const bt_message *message)
{
	struct look *look = data;

	return feed_take(look->feed, message) == FEED_OK &&
	       model_events(look->model) < THUNKS_EVENTS_MAX;
}

static void bare_free(void *data)
{
	struct bare_process *bare = data;

	g_free(bare->name);
	g_free(bare->module);
	g_free(bare->thunk);
	g_free(bare);
}

static struct bare_process *bare_new(const struct seen *seen)
{
	const struct modules *modules = &seen->process->modules;
	struct bare_process *bare = g_new0(struct bare_process, 1);
	GPtrArray *copies = modules_copies(modules, THUNK);
	const struct module *module = NULL;
	GString *name = g_string_new(NULL);

	text_process(name, seen->process);
	bare->name = g_string_free(name, FALSE);
	if (copies->len)
		bare->thunk = g_strdup(((struct module *)g_ptr_array_index(copies, 0))->path);
	g_ptr_array_free(copies, TRUE);
	/* An address behind a call belongs to the call. */
	if (seen->stack)
		module = modules_find(modules, seen->stack->address[0] - 1, seen->stack->epoch);
	bare->module = module ? g_strdup(module->path) : NULL;
	return bare;
}

GPtrArray *thunks_find_bare(const char *directory)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(bare_free);
	struct look look = { .model = model_new(), .seen = g_ptr_array_new_with_free_func(g_free) };
	const struct model_observer observer = { .data = &look,
						 .call_began = call_began,
						 .state_told = state_told };

	look.feed = feed_new(look.model);
	model_observe(look.model, &observer);
	/* What cannot be read is told of the streams. */
	(void)messages_walk(directory, take, &look);
	for (guint i = 0; i < look.seen->len; i++) {
		const struct seen *seen = g_ptr_array_index(look.seen, i);

		if (seen->by_preload && seen->driver_calls && !seen->library_calls)
			g_ptr_array_add(list, bare_new(seen));
	}
	g_ptr_array_free(look.seen, TRUE);
	feed_free(look.feed);
	model_free(look.model);
	return list;
}
