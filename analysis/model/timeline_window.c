/* SPDX-License-Identifier: MIT */
/* Parts of timelines (timeline_window.h). */
#include "model/timeline_window.h"

struct timeline_window {
	const struct model *model; /* borrowed */
	int64_t begin_ns, end_ns;
	GHashTable *rows; /* set of struct row, owned */
};

/* What a thread has begun: calls, or waits. */
struct row {
	const struct process *process;
	uint32_t vtid;
	enum timeline_kind kind; /* of the beginning */
	GByteArray *taken;       /* owned: outermost first, whether its beginning was wanted */
};

static guint row_hash(gconstpointer data)
{
	const struct row *row = data;

	return g_direct_hash(row->process) * 31u + row->vtid * 7u + (guint)row->kind;
}

static gboolean row_equal(gconstpointer left, gconstpointer right)
{
	const struct row *a = left, *b = right;

	return a->process == b->process && a->vtid == b->vtid && a->kind == b->kind;
}

static void row_free(void *data)
{
	struct row *row = data;

	g_byte_array_free(row->taken, TRUE);
	g_free(row);
}

struct timeline_window *timeline_window_new(const struct model *model, int64_t begin_ns,
					    int64_t end_ns)
{
	struct timeline_window *window = g_new0(struct timeline_window, 1);

	window->model = model;
	window->begin_ns = begin_ns;
	window->end_ns = end_ns;
	window->rows = g_hash_table_new_full(row_hash, row_equal, row_free, NULL);
	return window;
}

void timeline_window_free(struct timeline_window *window)
{
	if (!window)
		return;
	g_hash_table_destroy(window->rows);
	g_free(window);
}

static struct row *get_row(struct timeline_window *window, const struct timeline_item *item,
			   enum timeline_kind kind)
{
	const struct row key = { .process = item->process, .vtid = item->vtid, .kind = kind };
	struct row *row = g_hash_table_lookup(window->rows, &key);

	if (!row) {
		row = g_new0(struct row, 1);
		*row = key;
		row->taken = g_byte_array_new();
		g_hash_table_add(window->rows, row);
	}
	return row;
}

static bool begins(struct row *row, bool is_within)
{
	const guint8 taken = is_within;

	g_byte_array_append(row->taken, &taken, 1);
	return is_within;
}

/* An end without a beginning is for the viewer to make sense of. */
static bool ends(struct row *row, bool is_within)
{
	bool taken = row->taken->len ? row->taken->data[row->taken->len - 1] : is_within;

	if (row->taken->len)
		g_byte_array_set_size(row->taken, row->taken->len - 1);
	return taken;
}

bool timeline_window_takes(struct timeline_window *window, const struct timeline_item *item)
{
	bool is_within;

	if (!window->begin_ns && !window->end_ns)
		return true;
	is_within = model_within(window->model, window->begin_ns, window->end_ns, item->time_ns);
	switch (item->kind) {
	case TIMELINE_CALL_BEGIN:
	case TIMELINE_WAIT_BEGIN:
		return begins(get_row(window, item, item->kind), is_within);
	case TIMELINE_CALL_END:
		return ends(get_row(window, item, TIMELINE_CALL_BEGIN), is_within);
	case TIMELINE_WAIT_END:
		return ends(get_row(window, item, TIMELINE_WAIT_BEGIN), is_within);
	case TIMELINE_MEMORY:
	case TIMELINE_BUFFER:
	case TIMELINE_QUEUE:
	case TIMELINE_COUNTERS:
	case TIMELINE_MALLOC:
	case TIMELINE_FREE:
	case TIMELINE_CALLOC:
	case TIMELINE_REALLOC:
	case TIMELINE_MEMALIGN:
	case TIMELINE_POSIX_MEMALIGN:
	case TIMELINE_KIND_COUNT:
		break;
	}
	return is_within;
}
