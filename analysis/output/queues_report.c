/* SPDX-License-Identifier: MIT */
/* Census, outstanding and refused queues, event streams (queues_report.h). */
#include "output/queues_report.h"

#include "output/driver_events_report.h"
#include "output/text.h"

#define QUEUES_SCHEMA  "kfdscope.queues"
#define QUEUES_VERSION "1.2"

#define COLLECTED     "collected"
#define NOT_COLLECTED "not collected"

static void set_queue(const struct document *document, json_t *json, const struct queue *queue)
{
	document_set_process(json, queue->process);
	document_set_text(json, "kind", queue_kind_name(queue->kind));
	document_set_text(json, "type", queue->type ? queue->type : "unknown");
	document_set_text(json, "priority", queue->priority ? queue->priority : "unknown");
	document_set_int(json, "percentage", queue->percentage);
	document_set_int(json, "ring_bytes", queue->ring_bytes);
	if (queue->node_id != UINT32_MAX)
		document_set_int(json, "node_id", queue->node_id);
	if (queue->gpu_id)
		document_set_int(json, "gpu_id", queue->gpu_id);
	if (queue->call)
		document_set_text(json, "call", queue->call->name);
	document_set_stack(document, json, queue->process, queue->stack);
}

static json_t *internal_json(const struct queue_memory *memory)
{
	json_t *list = json_array();

	for (int i = 0; i < QUEUE_ROLE_COUNT; i++)
		if (memory->blocks[i])
			json_array_append_new(list,
					      json_pack("{ss sI sI}", "for",
							queue_role_name((enum queue_role)i),
							"blocks", (json_int_t)memory->blocks[i],
							"bytes", (json_int_t)memory->bytes[i]));
	return list;
}

static json_t *outstanding_json(const struct document *document, const struct queue *queue)
{
	json_t *json = json_pack("{sI sI sI sb}", "queue_id", (json_int_t)queue->id,
				 "internal_bytes", (json_int_t)queue->internal_bytes, "updates",
				 (json_int_t)queue->updates, "at_close", queue->at_close);

	json_object_set_new(json, "internal", internal_json(&queue->memory));
	if (queue->created_ns)
		document_set_int(json, "created_ns", (uint64_t)queue->created_ns);
	set_queue(document, json, queue);
	document_set_doubt(document, json, queue->process, queue->created_ns);
	return json;
}

static json_t *refused_json(const struct document *document, const struct refused_queue *refused)
{
	json_t *json = json_pack("{sI sI}", "time_ns", (json_int_t)refused->time_ns, "live_queues",
				 (json_int_t)refused->live_queues);

	document_set_status(json, refused->status);
	document_set_errno(json, refused->os_errno);
	set_queue(document, json, &refused->queue);
	return json;
}

/* The library or program that called: the module of the application's own frame. */
static char *calling_module(const struct document *document, const struct queue_share *share)
{
	struct stackview view;
	char *module = NULL;

	stackview_init(&view, document->sym, share->process, share->stack);
	if (view.caller >= 0 && view.frames[view.caller]->path)
		module = g_path_get_basename(view.frames[view.caller]->path);
	stackview_fini(&view);
	return module ? module : g_strdup("unknown");
}

static json_t *share_of(json_t *list, const struct process *process, const char *module)
{
	json_t *share;
	size_t i;

	json_array_foreach(list, i, share)
	{
		if (document_int(share, "vpid") == process->vpid &&
		    g_str_equal(document_string(share, "module"), module))
			return share;
	}
	share = json_pack("{ss sI}", "module", module, "count", (json_int_t)0);
	document_set_process(share, process);
	json_array_append_new(list, share);
	return share;
}

static json_t *census_json(const struct document *document, const struct queue_census *census)
{
	json_t *json =
		json_pack("{ss sI sI sI sI sI}", "kind", queue_kind_name(census->kind), "created",
			  (json_int_t)census->created, "destroyed", (json_int_t)census->destroyed,
			  "alive", (json_int_t)census->alive, "peak", (json_int_t)census->peak,
			  "peak_ns", (json_int_t)census->peak_ns);
	json_t *excess = json_array(), *shares = json_array();

	document_set_text(json, "hostname", census->hostname);
	if (census->node_id != UINT32_MAX)
		document_set_int(json, "node_id", census->node_id);
	document_set_int(json, "gpu_id", census->gpu_id);
	json_object_set_new(json, "limit",
			    census->limit ? json_integer((json_int_t)census->limit) : json_null());
	for (guint i = 0; i < census->excess->len; i++) {
		const struct queue_excess *span =
			&g_array_index(census->excess, struct queue_excess, i);

		json_array_append_new(excess, json_pack("{sI sI sI sI sb}", "begin_ns",
							(json_int_t)span->begin_ns, "end_ns",
							(json_int_t)span->end_ns, "length_ns",
							(json_int_t)(span->end_ns - span->begin_ns),
							"peak", (json_int_t)span->peak,
							"until_the_end", span->is_open));
	}
	for (guint i = 0; i < census->shares->len; i++) {
		const struct queue_share *share =
			&g_array_index(census->shares, struct queue_share, i);
		char *module = calling_module(document, share);
		json_t *item = share_of(shares, share->process, module);

		document_set_int(item, "count",
				 (uint64_t)document_int(item, "count") + share->count);
		g_free(module);
	}
	json_object_set_new(json, "above_limit", excess);
	json_object_set_new(json, "at_peak", shares);
	return json;
}

static json_t *stream_json(const struct document *document, const struct smi_stream *stream)
{
	json_t *json = json_pack("{sI sI sI}", "time_ns", (json_int_t)stream->time_ns, "node_id",
				 (json_int_t)stream->node_id, "fd", (json_int_t)stream->fd);

	document_set_process(json, stream->process);
	document_set_status(json, stream->status);
	document_set_stack(document, json, stream->process, stream->stack);
	return json;
}

static json_t *process_queues_json(const struct queues_process *about)
{
	json_t *json = process_json(about->process);

	document_set_process(json, about->process);
	document_set_int(json, "created", about->created);
	document_set_int(json, "destroyed", about->destroyed);
	document_set_int(json, "refused", about->refused);
	document_set_int(json, "at_close", about->at_close);
	return json;
}

static json_t *packets_json(const struct packet_sums *packets)
{
	return json_pack("{sI sI sI sI sI sI sI sI}", "submitted", (json_int_t)packets->submitted,
			 "kernel_dispatches", (json_int_t)packets->kernel_dispatches, "barriers",
			 (json_int_t)packets->barriers, "barriers_seen_as_and",
			 (json_int_t)packets->barriers_and, "barriers_seen_as_or",
			 (json_int_t)packets->barriers_or, "agent_dispatches",
			 (json_int_t)packets->agent_dispatches, "vendor_packets",
			 (json_int_t)packets->vendor_packets, "unseen",
			 (json_int_t)packets->unseen);
}

static json_t *activity_json(const struct document *document, const struct queue_activity *row)
{
	json_t *json =
		json_pack("{sI sI sI sI sI sI}", "queue_id", (json_int_t)row->queue_id, "queues",
			  (json_int_t)row->queues, "looks", (json_int_t)row->looks, "busy_looks",
			  (json_int_t)row->busy_looks, "unreadable", (json_int_t)row->unreadable,
			  "peak_pending", (json_int_t)row->peak_pending);

	document_set_process(json, row->process);
	document_set_text(json, "kind", row->kind ? row->kind : "unknown");
	document_set_text(json, "type", row->type ? row->type : "unknown");
	document_set_text(json, "unit", row->has_packets ? "packets" : "bytes");
	if (row->node_id != UINT32_MAX)
		document_set_int(json, "node_id", row->node_id);
	document_set_int(json, "gpu_id", row->gpu_id);
	if (row->peak_pending)
		document_set_int(json, "peak_ns", (uint64_t)row->peak_ns);
	if (row->unreadable)
		document_set_errno(json, row->os_errno);
	if (row->has_packets)
		json_object_set_new(json, "packets", packets_json(&row->packets));
	document_set_stack(document, json, row->process, row->stack);
	return json;
}

json_t *queues_json(const struct queues *queues, const struct document *document)
{
	json_t *json = header_json(QUEUES_SCHEMA, QUEUES_VERSION, document->model, document->notes);
	json_t *census = json_array(), *outstanding = json_array(), *refused = json_array();
	json_t *streams = json_array(), *processes = json_array(), *activity = json_array();
	const GPtrArray *list = queues_census(queues);
	size_t findings = queues_refused_count(queues);

	for (guint i = 0; i < list->len; i++) {
		const struct queue_census *counts = g_ptr_array_index(list, i);

		if (!counts->peak && !counts->created && !counts->destroyed)
			continue; /* there was none in the scope */
		findings += counts->excess->len;
		json_array_append_new(census, census_json(document, counts));
	}
	list = queues_outstanding(queues);
	findings += list->len;
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(outstanding,
				      outstanding_json(document, g_ptr_array_index(list, i)));
	list = queues_refused(queues);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(refused, refused_json(document, g_ptr_array_index(list, i)));
	list = queues_streams(queues);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(streams, stream_json(document, g_ptr_array_index(list, i)));
	list = queues_activity(queues);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(activity,
				      activity_json(document, g_ptr_array_index(list, i)));
	list = queues_processes(queues);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(processes, process_queues_json(g_ptr_array_index(list, i)));
	document_set_int(json, "findings", findings);
	json_object_set_new(json, "census", census);
	json_object_set_new(json, "outstanding", outstanding);
	json_object_set_new(json, "refused", refused);
	document_set_int(json, "refused_count", queues_refused_count(queues));
	json_object_set_new(json, "event_streams", streams);
	driver_events_set(document, json, queues_driver(queues));
	driver_events_set_evictions(document, json, queues_driver(queues));
	document_set_text(json, "evictions",
			  g_str_equal(document_string(json, "driver_events"), COLLECTED)
				  ? COLLECTED
				  : NOT_COLLECTED);
	document_set_text(json, "activity", json_array_size(activity) ? COLLECTED : NOT_COLLECTED);
	json_object_set_new(json, "queue_activity", activity);
	json_object_set_new(json, "processes", processes);
	return json;
}

static void node_text(GString *text, const json_t *json)
{
	if (json_object_get(json, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(json, "node_id"));
	if (document_int(json, "gpu_id"))
		g_string_append_printf(text, " (gpu %" G_GINT64_FORMAT ")",
				       document_int(json, "gpu_id"));
}

static void census_text(GString *text, const json_t *census, const struct document *document)
{
	const json_t *item;
	size_t i;

	g_string_append_printf(text, "%" G_GINT64_FORMAT " %s queues at the peak",
			       document_int(census, "peak"), document_string(census, "kind"));
	node_text(text, census);
	g_string_append(text, ", ");
	document_moment(text, document, census, "peak_ns");
	if (json_is_integer(json_object_get(census, "limit")))
		g_string_append_printf(text, "; the hardware runs %" G_GINT64_FORMAT " at once",
				       document_int(census, "limit"));
	else
		g_string_append(text, "; how many the hardware runs at once was not recorded");
	g_string_append_printf(text,
			       "\n    %" G_GINT64_FORMAT " made, %" G_GINT64_FORMAT
			       " destroyed, %" G_GINT64_FORMAT " alive at the end\n",
			       document_int(census, "created"), document_int(census, "destroyed"),
			       document_int(census, "alive"));
	json_array_foreach(json_object_get(census, "at_peak"), i, item)
		g_string_append_printf(text, "    %" G_GINT64_FORMAT " of the peak by %s in %s\n",
				       document_int(item, "count"), document_string(item, "module"),
				       document_string(item, "process"));
	json_array_foreach(json_object_get(census, "above_limit"), i, item)
	{
		g_string_append(text, "    MORE QUEUES THAN SLOTS from ");
		document_moment(text, document, item, "begin_ns");
		g_string_append(text, " to ");
		document_moment(text, document, item, "end_ns");
		g_string_append(text, ", ");
		text_duration(text, document_int(item, "length_ns"));
		g_string_append_printf(text, ", up to %" G_GINT64_FORMAT "%s\n",
				       document_int(item, "peak"),
				       json_is_true(json_object_get(item, "until_the_end"))
					       ? ", until the end of the recording"
					       : "");
	}
}

static void queue_text(GString *text, const json_t *queue)
{
	g_string_append_printf(text, "queue of type %s, priority %s, ring ",
			       document_string(queue, "type"), document_string(queue, "priority"));
	text_bytes(text, (uint64_t)document_int(queue, "ring_bytes"));
	node_text(text, queue);
	document_caller(text, queue);
	g_string_append_printf(text, ", %s\n", document_string(queue, "process"));
}

static void outstanding_text(GString *text, const json_t *queue, const struct document *document)
{
	const json_t *part;
	size_t i;

	queue_text(text, queue);
	g_string_append_printf(text, "    id 0x%" G_GINT64_MODIFIER "x",
			       document_int(queue, "queue_id"));
	if (json_object_get(queue, "created_ns")) {
		g_string_append(text, ", made at ");
		document_moment(text, document, queue, "created_ns");
	} else {
		g_string_append(text, ", made before the recording");
	}
	g_string_append(text, ", holds ");
	text_bytes(text, (uint64_t)document_int(queue, "internal_bytes"));
	g_string_append_printf(text, " of the library's own memory; %s\n",
			       json_is_true(json_object_get(queue, "at_close"))
				       ? "left when the driver was closed"
				       : "alive at the end of the recording");
	json_array_foreach(json_object_get(queue, "internal"), i, part)
	{
		g_string_append(text, "        ");
		text_bytes(text, (uint64_t)document_int(part, "bytes"));
		g_string_append(text, " in ");
		text_count(text, (uint64_t)document_int(part, "blocks"), "block", "blocks");
		g_string_append_printf(text, ": %s\n", document_string(part, "for"));
	}
	document_doubt(text, queue);
	document_stack(text, 8, queue);
}

static void refused_text(GString *text, const json_t *refused, const struct document *document)
{
	document_status(text, refused);
	g_string_append(text, " at ");
	document_moment(text, document, refused, "time_ns");
	g_string_append(text, ", with ");
	text_count(text, (uint64_t)document_int(refused, "live_queues"),
		   "queue alive: ", "queues alive: ");
	queue_text(text, refused);
	document_stack(text, 8, refused);
}

static void stream_text(GString *text, const json_t *stream, const struct document *document)
{
	g_string_append_printf(text, "opened for node %" G_GINT64_FORMAT " at ",
			       document_int(stream, "node_id"));
	document_moment(text, document, stream, "time_ns");
	document_caller(text, stream);
	g_string_append(text, ": ");
	document_status(text, stream);
	g_string_append_printf(text, ", descriptor %" G_GINT64_FORMAT "; %s\n",
			       document_int(stream, "fd"), document_string(stream, "process"));
}

static void packets_text(GString *text, const json_t *packets)
{
	static const struct {
		const char *name, *words;
	} kinds[] = {
		{ "kernel_dispatches", "kernel dispatches" },
		{ "barriers", "barriers" },
		{ "agent_dispatches", "agent dispatches" },
		{ "vendor_packets", "vendor packets" },
		{ "unseen", "gone before anyone looked" },
	};
	const char *separator = ": ";

	g_string_append(text, "    ");
	text_count(text, (uint64_t)document_int(packets, "submitted"), "packet submitted",
		   "packets submitted");
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!document_int(packets, kinds[i].name))
			continue;
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT " %s", separator,
				       document_int(packets, kinds[i].name), kinds[i].words);
		separator = ", ";
	}
	g_string_append_c(text, '\n');
}

static void activity_text(GString *text, const json_t *row, const struct document *document)
{
	if (document_int(row, "queues") > 1)
		g_string_append_printf(text, "%" G_GINT64_FORMAT " further queues",
				       document_int(row, "queues"));
	else
		g_string_append_printf(text, "queue 0x%" G_GINT64_MODIFIER "x of type %s",
				       document_int(row, "queue_id"), document_string(row, "type"));
	node_text(text, row);
	document_caller(text, row);
	g_string_append_printf(text, ", %s\n    had work in %" G_GINT64_FORMAT " of ",
			       document_string(row, "process"), document_int(row, "busy_looks"));
	text_count(text, (uint64_t)document_int(row, "looks"), "sample", "samples");
	if (document_int(row, "peak_pending")) {
		g_string_append_printf(text, ", at most %" G_GINT64_FORMAT " %s, ",
				       document_int(row, "peak_pending"),
				       document_string(row, "unit"));
		document_moment(text, document, row, "peak_ns");
	}
	g_string_append_c(text, '\n');
	if (document_int(row, "unreadable")) {
		g_string_append(text, "    its pointers could not be read in ");
		text_count(text, (uint64_t)document_int(row, "unreadable"), "sample", "samples");
		g_string_append_printf(text, ": %s\n", document_string(row, "errno_name"));
	}
	if (json_object_get(row, "packets"))
		packets_text(text, json_object_get(row, "packets"));
}

void queues_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *processes = json_object_get(json, "processes"), *process;
	size_t i;

	document_header(text, "QUEUES", document);
	if (json_array_size(processes) == 0)
		g_string_append(text, "No queue was made in this recording.\n");
	json_array_foreach(processes, i, process)
	{
		g_string_append_printf(text, "%s: ", document_string(process, "process"));
		text_count(text, (uint64_t)document_int(process, "created"), "queue made",
			   "queues made");
		g_string_append_printf(
			text, ", %" G_GINT64_FORMAT " destroyed, %" G_GINT64_FORMAT " refused\n",
			document_int(process, "destroyed"), document_int(process, "refused"));
	}
	g_string_append_c(text, '\n');
	document_section(text, json, "census", "QUEUES AGAINST HARDWARE SLOTS", "kinds", document,
			 census_text);
	document_section(text, json, "outstanding", "NEVER DESTROYED", "queues", document,
			 outstanding_text);
	document_section(text, json, "refused", "REFUSED", "refusals", document, refused_text);
	document_section(text, json, "event_streams", "EVENT STREAMS OF THE DRIVER", "streams",
			 document, stream_text);
	document_section(text, json, "queue_activity", "ACTIVITY", "queues", document,
			 activity_text);
	driver_events_text_evictions(text, json, document);
	driver_events_text_rest(text, json, document, "Evictions");
	if (g_str_equal(document_string(json, "activity"), NOT_COLLECTED))
		g_string_append(text, "Activity: not collected. 'kfdscope record --queues' samples "
				      "queues.\n");
}
