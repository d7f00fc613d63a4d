/* SPDX-License-Identifier: MIT */
/* Start-ups as JSON (startup_report.h). */
#include "output/startup_report.h"

#include <string.h>

#define STARTUP_SCHEMA  "kfdscope.startup"
#define STARTUP_VERSION "1.2"

/* A node is slow in something that took so many times what nine of ten others took, and this long. */
#define SLOW_FACTOR 4
#define SLOW_NS     INT64_C(5000000)

static const char *const phase_names[STARTUP_PHASE_COUNT] = {
	[STARTUP_OPEN] = "opening",  [STARTUP_FILES] = "files",     [STARTUP_SETUP] = "setup",
	[STARTUP_MEMORY] = "memory", [STARTUP_LIBRARY] = "library",
};

static const char *const first_names[STARTUP_FIRST_COUNT] = {
	[STARTUP_FIRST_OPEN] = "open",
	[STARTUP_FIRST_TOPOLOGY] = "topology",
	[STARTUP_FIRST_APERTURES] = "apertures",
	[STARTUP_FIRST_ALLOCATION] = "allocation",
	[STARTUP_FIRST_MAP] = "map",
	[STARTUP_FIRST_EVENT] = "event",
	[STARTUP_FIRST_QUEUE] = "queue",
};

static const char *const end_names[] = {
	[STARTUP_TO_QUEUE] = "queue",     [STARTUP_TO_MAP] = "map",
	[STARTUP_TO_CLOSE] = "close",     [STARTUP_TO_LAST] = "end of recording",
	[STARTUP_TO_REFUSAL] = "refusal",
};

static const char *const layer_names[LAYER_COUNT] = {
	[LAYER_HIP] = "hip",         [LAYER_HSA] = "hsa",   [LAYER_GUEST] = "guest",
	[LAYER_COMMAND] = "command", [LAYER_HOST] = "host", [LAYER_API] = "api",
	[LAYER_IOCTL] = "ioctl",     [LAYER_OS] = "system",
};

/* All work for one node, by whatever name it was recorded. */
struct row {
	const struct startup_names *names; /* NULL: nobody told of the node */
	struct startup_node sum;
	const char *slow_in; /* NULL: it is not slow */
};

/* What a node's work consists of. */
static int64_t files_of(const struct startup_node *sum)
{
	return sum->files_ns;
}

static int64_t opening_of(const struct startup_node *sum)
{
	return sum->open_ns;
}

static int64_t setup_of(const struct startup_node *sum)
{
	return sum->ioctl_ns + sum->system_ns;
}

static int64_t library_of(const struct startup_node *sum)
{
	return sum->library_ns;
}

static const struct {
	const char *name;
	int64_t (*of)(const struct startup_node *sum);
} parts[] = {
	{ "opening", opening_of },
	{ "setup", setup_of },
	{ "files", files_of },
	{ "library", library_of },
};

static int64_t row_total(const struct row *row)
{
	int64_t total_ns = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		total_ns += parts[i].of(&row->sum);
	return total_ns;
}

static void add_work(struct startup_node *sum, const struct startup_node *work)
{
	sum->files += work->files;
	sum->directories += work->directories;
	sum->failed_reads += work->failed_reads;
	sum->bytes += work->bytes;
	sum->ioctls += work->ioctls;
	sum->opens += work->opens;
	sum->files_ns += work->files_ns;
	sum->open_ns += work->open_ns;
	sum->ioctl_ns += work->ioctl_ns;
	sum->system_ns += work->system_ns;
	sum->library_ns += work->library_ns;
}

static bool is_of_no_node(const struct startup_node *work)
{
	return work->key == STARTUP_BY_TOPOLOGY && (int32_t)work->number < 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (row_total(a) != row_total(b))
		return row_total(a) > row_total(b) ? -1 : 1;
	return a->sum.number < b->sum.number ? -1 : a->sum.number > b->sum.number;
}

static int compare_times(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a > b ? -1 : a < b;
}

/* What nine of ten GPUs' nodes took at most; nodes of processors are compared with none. */
static bool typical_time(const GArray *rows, size_t part, int64_t *typical_ns)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(int64_t));
	bool known;

	for (guint i = 0; i < rows->len; i++) {
		const struct row *row = &g_array_index(rows, struct row, i);
		int64_t time_ns = parts[part].of(&row->sum);

		if (row->names && row->names->gpu_id)
			g_array_append_val(times, time_ns);
	}
	g_array_sort(times, compare_times);
	known = times->len > 1;
	if (known)
		*typical_ns = g_array_index(times, int64_t, 1 + (times->len - 2) / 10);
	g_array_free(times, TRUE);
	return known;
}

static void find_slow(GArray *rows)
{
	int64_t typical_ns;

	for (size_t part = 0; part < G_N_ELEMENTS(parts); part++) {
		if (!typical_time(rows, part, &typical_ns))
			continue;
		for (guint i = 0; i < rows->len; i++) {
			struct row *row = &g_array_index(rows, struct row, i);
			int64_t time_ns = parts[part].of(&row->sum);

			if (row->names && row->names->gpu_id && !row->slow_in &&
			    time_ns > SLOW_NS && time_ns > SLOW_FACTOR * typical_ns)
				row->slow_in = parts[part].name;
		}
	}
}

static GArray *make_rows(const struct startups *startups, const struct startup *startup)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(struct row));

	for (guint i = 0; i < startup->work.nodes->len; i++) {
		const struct startup_node *work =
			&g_array_index(startup->work.nodes, struct startup_node, i);
		struct row fresh = { .names = startups_names(startups, startup, work),
				     .sum = { .key = work->key, .number = work->number } };
		struct row *row = NULL;

		if (is_of_no_node(work))
			continue;
		for (guint j = 0; fresh.names && j < rows->len && !row; j++)
			if (g_array_index(rows, struct row, j).names == fresh.names)
				row = &g_array_index(rows, struct row, j);
		if (!row) {
			g_array_append_val(rows, fresh);
			row = &g_array_index(rows, struct row, rows->len - 1);
		}
		add_work(&row->sum, work);
	}
	g_array_sort(rows, compare_rows);
	find_slow(rows);
	return rows;
}

static json_t *row_json(const struct row *row)
{
	static const char *const keys[] = { [STARTUP_BY_TOPOLOGY] = "topology_node",
					    [STARTUP_BY_GPU] = "gpu_id",
					    [STARTUP_BY_MINOR] = "render_minor",
					    [STARTUP_BY_NODE] = "node_id" };
	const struct startup_node *sum = &row->sum;
	json_t *json = json_object();

	if (row->names) {
		const struct node *node = process_node(row->names->process, row->names->node_id);

		document_set_int(json, "node_id", row->names->node_id);
		document_set_int(json, "topology_node", row->names->topology_node);
		if (row->names->gpu_id) {
			document_set_int(json, "gpu_id", row->names->gpu_id);
			json_object_set_new(json, "render_minor",
					    json_integer(row->names->render_minor));
		}
		if (node && node->name)
			document_set_text(json, "name", node->name);
	} else {
		document_set_int(json, keys[sum->key], sum->number);
	}
	document_set_int(json, "total_ns", (uint64_t)row_total(row));
	document_set_int(json, "files", sum->files);
	document_set_int(json, "directories", sum->directories);
	document_set_int(json, "failed_reads", sum->failed_reads);
	document_set_int(json, "file_bytes", sum->bytes);
	document_set_int(json, "files_ns", (uint64_t)sum->files_ns);
	document_set_int(json, "opens", sum->opens);
	document_set_int(json, "open_ns", (uint64_t)sum->open_ns);
	document_set_int(json, "ioctls", sum->ioctls);
	document_set_int(json, "ioctl_ns", (uint64_t)sum->ioctl_ns);
	document_set_int(json, "libdrm_ns", (uint64_t)sum->system_ns);
	document_set_int(json, "library_ns", (uint64_t)sum->library_ns);
	if (row->slow_in)
		document_set_text(json, "slow_in", row->slow_in);
	return json;
}

static json_t *nodes_json(const struct startups *startups, const struct startup *startup,
			  size_t *slow)
{
	GArray *rows = make_rows(startups, startup);
	json_t *list = json_array();

	for (guint i = 0; i < rows->len; i++) {
		const struct row *row = &g_array_index(rows, struct row, i);

		*slow += row->slow_in != NULL;
		json_array_append_new(list, row_json(row));
	}
	g_array_free(rows, TRUE);
	return list;
}

static json_t *phases_json(const struct startup *startup)
{
	int64_t duration_ns = MAX(startup->end_ns - startup->begin_ns, 1);
	int64_t rest_ns = startup->end_ns - startup->begin_ns;
	json_t *list = json_array();

	for (int i = 0; i <= STARTUP_PHASE_COUNT; i++) {
		int64_t phase_ns = i < STARTUP_PHASE_COUNT ? startup->work.phase_ns[i] : rest_ns;

		rest_ns -= phase_ns;
		/* Below nothing: calls of several threads at once, or one that goes on. */
		phase_ns = MAX(phase_ns, 0);
		json_array_append_new(
			list, json_pack("{ss sI sI}", "name",
					i < STARTUP_PHASE_COUNT ? phase_names[i] : "program",
					"total_ns", (json_int_t)phase_ns, "permille",
					(json_int_t)(phase_ns * 1000 / duration_ns)));
	}
	return list;
}

/* In the order in which they came. */
static json_t *firsts_json(const struct startup *startup)
{
	json_t *list = json_array();
	int order[STARTUP_FIRST_COUNT], count = 0;

	for (int i = 0; i < STARTUP_FIRST_COUNT; i++) {
		int at = count;

		if (!startup->first_ns[i])
			continue;
		for (; at > 0 && startup->first_ns[order[at - 1]] > startup->first_ns[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	for (int i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{ss sI}", "name", first_names[order[i]], "after_ns",
				  (json_int_t)(startup->first_ns[order[i]] - startup->begin_ns)));
	return list;
}

static int compare_calls(const void *left, const void *right)
{
	const struct startup_call *a = left, *b = right;

	if (a->type->layer != b->type->layer)
		return a->type->layer < b->type->layer ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return strcmp(a->type->name, b->type->name);
}

static json_t *calls_json(const struct startup *startup)
{
	json_t *list = json_array();

	g_array_sort(startup->work.calls, compare_calls);
	for (guint i = 0; i < startup->work.calls->len; i++) {
		const struct startup_call *call =
			&g_array_index(startup->work.calls, struct startup_call, i);

		json_array_append_new(
			list,
			json_pack("{ss ss sI sI sI sI sI}", "name", call->type->name, "layer",
				  layer_names[call->type->layer], "count", (json_int_t)call->count,
				  "failed", (json_int_t)call->failed, "total_ns",
				  (json_int_t)call->total_ns, "self_ns", (json_int_t)call->self_ns,
				  "max_ns", (json_int_t)call->max_ns));
	}
	return list;
}

/* Of all nodes, and of none. */
static json_t *files_json(const struct startup *startup)
{
	struct startup_node sum = { 0 };

	if (!startup->reads_told)
		return json_null();
	for (guint i = 0; i < startup->work.nodes->len; i++)
		add_work(&sum, &g_array_index(startup->work.nodes, struct startup_node, i));
	return json_pack("{sI sI sI sI sI}", "files", (json_int_t)sum.files, "directories",
			 (json_int_t)sum.directories, "failed", (json_int_t)sum.failed_reads,
			 "bytes", (json_int_t)sum.bytes, "total_ns", (json_int_t)sum.files_ns);
}

static json_t *one_json(const struct startups *startups, const struct document *document,
			const struct startup *startup, size_t *findings)
{
	json_t *json = json_object();
	size_t slow = 0;

	document_set_process(json, startup->process);
	if (startup->process->hostname)
		document_set_text(json, "hostname", startup->process->hostname);
	document_set_int(json, "number", startup->number);
	document_set_int(json, "begin_ns", (uint64_t)startup->begin_ns);
	document_set_int(json, "end_ns", (uint64_t)startup->end_ns);
	document_set_int(json, "duration_ns", (uint64_t)(startup->end_ns - startup->begin_ns));
	document_set_int(json, "before_ns",
			 (uint64_t)(startup->begin_ns - startup->process->first_ns));
	document_set_text(json, "ended_by", end_names[startup->end]);
	if (startup->end == STARTUP_TO_REFUSAL)
		document_set_status(json, startup->status);
	document_set_int(json, "threads", startup->threads);
	if (startup->inside)
		document_set_text(json, "inside", startup->inside->name);
	document_set_stack(document, json, startup->process, startup->stack);
	document_set_doubt(document, json, startup->process, startup->begin_ns);
	json_object_set_new(json, "firsts", firsts_json(startup));
	json_object_set_new(json, "phases", phases_json(startup));
	json_object_set_new(json, "files", files_json(startup));
	json_object_set_new(json, "nodes", nodes_json(startups, startup, &slow));
	json_object_set_new(json, "calls", calls_json(startup));
	document_set_int(json, "slow_nodes", slow);
	*findings += slow + (startup->end == STARTUP_TO_REFUSAL);
	return json;
}

static bool has_startup(const GPtrArray *list, const struct process *process)
{
	for (guint i = 0; i < list->len; i++)
		if (((const struct startup *)g_ptr_array_index(list, i))->process == process)
			return true;
	return false;
}

/* Processes that use the driver and were seen to open it not. */
static json_t *missed_json(const struct document *document, const GPtrArray *list)
{
	const GPtrArray *processes = model_processes(document->model);
	json_t *missed = json_array();

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		json_t *json;

		if (!(process->has_api || process->has_ioctl) || has_startup(list, process))
			continue;
		json = json_object();
		document_set_process(json, process);
		json_array_append_new(missed, json);
	}
	return missed;
}

static json_t *hidden_json(const struct messages *messages)
{
	json_t *list = json_array();

	for (guint i = 0; i < messages->hidden->len; i++) {
		const struct hidden_node *node =
			&g_array_index(messages->hidden, struct hidden_node, i);
		json_t *json = json_object();

		document_set_process(json, node->process);
		document_set_int(json, "topology_node", node->topology_node);
		document_set_int(json, "gpu_id", node->gpu_id);
		document_set_int(json, "domain", node->domain);
		document_set_int(json, "location_id", node->location_id);
		json_object_set_new(json, "render_minor", json_integer(node->render_minor));
		document_set_errno(json, node->os_errno);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *messages_json(const struct messages *messages)
{
	json_t *list = json_array();

	for (guint i = 0; i < messages->list->len; i++) {
		const struct message *message = &g_array_index(messages->list, struct message, i);
		json_t *json = json_object();

		document_set_process(json, message->process);
		json_object_set_new(json, "time_ns", json_integer(message->time_ns));
		document_set_int(json, "count", message->count);
		document_set_text(json, "level", message->level);
		document_set_text(json, "text", message->text);
		json_array_append_new(list, json);
	}
	return list;
}

json_t *startup_json(const struct startups *startups, const struct document *document)
{
	json_t *json =
		header_json(STARTUP_SCHEMA, STARTUP_VERSION, document->model, document->notes);
	const struct messages *messages = startups_messages(startups);
	const GPtrArray *list = startups_list(startups);
	json_t *startups_json = json_array();
	size_t findings = 0;

	for (guint i = 0; i < list->len; i++) {
		const struct startup *startup = g_ptr_array_index(list, i);

		if (document_overlaps(document, startup->begin_ns, startup->end_ns))
			json_array_append_new(startups_json,
					      one_json(startups, document, startup, &findings));
	}
	document_set_int(json, "findings", findings);
	json_object_set_new(json, "startups", startups_json);
	json_object_set_new(json, "not_recorded", missed_json(document, list));
	json_object_set_new(json, "hidden_nodes", hidden_json(messages));
	json_object_set_new(json, "messages", messages_json(messages));
	document_set_int(json, "messages_beyond", messages->beyond);
	return json;
}
