/* SPDX-License-Identifier: MIT */
/* Evictions, migrations, page faults and notes (driver_events_report.h). */
#include "output/driver_events_report.h"

#include "output/text.h"

#define COLLECTED     "collected"
#define NOT_COLLECTED "not collected"
#define REFUSED       "refused"

static const char *const eviction_triggers[] = {
	"shared virtual memory",      "user memory", "memory pressure", "suspend", "checkpoint",
	"restored from a checkpoint",
};
static const char *const migration_triggers[] = { "prefetch", "GPU page fault", "CPU page fault",
						  "memory pressure" };
static const char *const unmap_triggers[] = { "change of the mapping",
					      "change of the mapping during a migration",
					      "unmapped by the program" };

static void set_trigger(json_t *json, const char *const *names, size_t count, uint32_t trigger)
{
	char *text = trigger < count ? g_strdup(names[trigger]) : g_strdup_printf("%u", trigger);

	document_set_text(json, "trigger", text);
	g_free(text);
}

/* The node that has a gpu id; the driver names GPUs by that. */
static void set_gpu(json_t *json, const struct process *process, const char *node_name,
		    const char *gpu_name, uint32_t gpu_id)
{
	const struct node *node = process_node_of_gpu(process, gpu_id);

	document_set_int(json, gpu_name, gpu_id);
	if (node)
		document_set_int(json, node_name, node->node_id);
}

void driver_events_set(const struct document *document, json_t *json,
		       const struct driver_events *events)
{
	const GPtrArray *streams = driver_streams(events), *notes = driver_notes(events);
	const char *state = NOT_COLLECTED;
	json_t *lines = json_array();
	uint32_t os_errno = 0;

	for (guint i = 0; i < streams->len; i++) {
		const struct driver_stream *stream = g_ptr_array_index(streams, i);

		if (stream->is_open)
			state = COLLECTED;
		else
			os_errno = stream->os_errno;
	}
	if (os_errno && g_str_equal(state, NOT_COLLECTED))
		state = REFUSED;
	(void)document;
	document_set_text(json, "driver_events", state);
	if (os_errno) {
		json_t *refusal = json_object();

		document_set_errno(refusal, os_errno);
		json_object_set_new(json, "driver_events_refusal", refusal);
	}
	for (guint i = 0; i < notes->len; i++) {
		const struct driver_note *note = g_ptr_array_index(notes, i);
		json_t *line;

		if (note->event != DRIVER_OTHER)
			continue;
		line = json_pack("{sI}", "time_ns", (json_int_t)note->time_ns);
		document_set_process(line, note->process);
		set_gpu(line, note->process, "node_id", "gpu_id", note->gpu_id);
		document_set_text(line, "line", note->text ? note->text : "");
		json_array_append_new(lines, line);
	}
	json_object_set_new(json, "driver_lines", lines);
	document_set_int(json, "driver_lines_beyond", driver_lines_beyond(events));
}

static json_t *eviction_json(const struct document *document, const struct eviction *eviction)
{
	json_t *json = json_pack("{sb}", "is_rescheduled", eviction->is_rescheduled);
	json_t *before = json_null();

	document_set_process(json, eviction->process);
	set_gpu(json, eviction->process, "node_id", "gpu_id", eviction->node);
	if (eviction->begin_ns) {
		document_set_int(json, "begin_ns", (uint64_t)eviction->begin_ns);
		set_trigger(json, eviction_triggers, G_N_ELEMENTS(eviction_triggers),
			    eviction->trigger);
	}
	if (eviction->end_ns)
		document_set_int(json, "end_ns", (uint64_t)eviction->end_ns);
	if (eviction->begin_ns && eviction->end_ns)
		document_set_int(json, "length_ns",
				 (uint64_t)(eviction->end_ns - eviction->begin_ns));
	if (eviction->before) {
		before = json_pack("{ss sI}", "call", eviction->before->name, "time_ns",
				   (json_int_t)eviction->before_ns);
		document_set_stack(document, before, eviction->process, eviction->before_stack);
	}
	json_object_set_new(json, "memory_call_before", before);
	return json;
}

void driver_events_set_evictions(const struct document *document, json_t *json,
				 const struct driver_events *events)
{
	const GPtrArray *list = driver_evictions(events);
	json_t *spans = json_array();

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(spans, eviction_json(document, g_ptr_array_index(list, i)));
	json_object_set_new(json, "eviction_spans", spans);
	document_set_int(json, "evictions_count", driver_evictions_count(events));
}

static void set_sum(json_t *json, const struct driver_sum *sum)
{
	document_set_int(json, "count", sum->count);
	document_set_int(json, "without_end", sum->open);
	document_set_int(json, "without_begin", sum->unbegun);
	document_set_int(json, "total_ns", (uint64_t)sum->total_ns);
	document_set_int(json, "longest_ns", (uint64_t)sum->longest_ns);
}

static json_t *migration_json(const struct migration_sum *row)
{
	json_t *json = json_object();

	document_set_process(json, row->process);
	set_gpu(json, row->process, "from_node_id", "from_gpu_id", row->from);
	set_gpu(json, row->process, "to_node_id", "to_gpu_id", row->to);
	set_trigger(json, migration_triggers, G_N_ELEMENTS(migration_triggers), row->trigger);
	set_sum(json, &row->sum);
	document_set_int(json, "bytes", row->sum.bytes);
	document_set_int(json, "failed", row->failed);
	return json;
}

static json_t *page_fault_json(const struct page_fault_sum *row)
{
	json_t *json = json_object();

	document_set_process(json, row->process);
	set_gpu(json, row->process, "node_id", "gpu_id", row->node);
	set_sum(json, &row->sum);
	document_set_int(json, "writes", row->writes);
	document_set_int(json, "migrated", row->migrated);
	return json;
}

static json_t *unmap_json(const struct unmap_sum *row)
{
	json_t *json = json_object();

	document_set_process(json, row->process);
	set_gpu(json, row->process, "node_id", "gpu_id", row->node);
	set_trigger(json, unmap_triggers, G_N_ELEMENTS(unmap_triggers), row->trigger);
	document_set_int(json, "count", row->count);
	document_set_int(json, "bytes", row->bytes);
	return json;
}

void driver_events_set_memory(json_t *json, const struct driver_events *events)
{
	const GPtrArray *list = driver_migrations(events);
	json_t *migrations = json_array(), *faults = json_array(), *unmaps = json_array();

	for (guint i = 0; i < list->len; i++)
		if (((const struct migration_sum *)g_ptr_array_index(list, i))->sum.count)
			json_array_append_new(migrations,
					      migration_json(g_ptr_array_index(list, i)));
	list = driver_page_faults(events);
	for (guint i = 0; i < list->len; i++)
		if (((const struct page_fault_sum *)g_ptr_array_index(list, i))->sum.count)
			json_array_append_new(faults, page_fault_json(g_ptr_array_index(list, i)));
	list = driver_unmaps(events);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(unmaps, unmap_json(g_ptr_array_index(list, i)));
	json_object_set_new(json, "migrations", migrations);
	json_object_set_new(json, "page_faults", faults);
	json_object_set_new(json, "unmaps", unmaps);
}

static json_t *note_json(const struct driver_note *note)
{
	static const char *const names[] = {
		[DRIVER_VM_FAULT] = "VM fault",
		[DRIVER_THROTTLE] = "thermal throttling",
		[DRIVER_PRE_RESET] = "GPU is being reset",
		[DRIVER_POST_RESET] = "GPU was reset",
		[DRIVER_PROCESS_START] = "process began to use the GPU",
		[DRIVER_PROCESS_END] = "process ended its use of the GPU",
	};
	json_t *json = json_pack("{ss sI}", "what", names[note->event], "time_ns",
				 (json_int_t)note->time_ns);

	document_set_process(json, note->process);
	set_gpu(json, note->process, "node_id", "gpu_id", note->gpu_id);
	if (note->text)
		document_set_text(json, "text", note->text);
	if (note->event == DRIVER_THROTTLE) {
		document_set_int(json, "bitmask", note->bitmask);
		document_set_int(json, "counter", note->counter);
	} else if (note->event == DRIVER_PRE_RESET || note->event == DRIVER_POST_RESET) {
		document_set_int(json, "sequence", note->sequence);
	} else {
		document_set_int(json, "pid", note->pid);
	}
	return json;
}

void driver_events_set_notes(json_t *json, const struct driver_events *events)
{
	const GPtrArray *list = driver_notes(events);
	json_t *notes = json_array();

	for (guint i = 0; i < list->len; i++) {
		const struct driver_note *note = g_ptr_array_index(list, i);

		if (note->event != DRIVER_OTHER)
			json_array_append_new(notes, note_json(note));
	}
	json_object_set_new(json, "driver_notes", notes);
	document_set_int(json, "driver_notes_beyond", driver_notes_beyond(events));
}

/* " on node 1 (gpu 77)", " from …", " to …" */
static void gpu_text(GString *text, const json_t *json, const char *word, const char *node_name,
		     const char *gpu_name)
{
	const int64_t gpu_id = document_int(json, gpu_name);

	g_string_append_printf(text, " %s ", word);
	if (json_object_get(json, node_name))
		g_string_append_printf(text, "node %" G_GINT64_FORMAT " (gpu %" G_GINT64_FORMAT ")",
				       document_int(json, node_name), gpu_id);
	else if (gpu_id || g_str_equal(word, "on"))
		g_string_append_printf(text, "gpu %" G_GINT64_FORMAT, gpu_id);
	else
		g_string_append(text, "system memory");
}

static void eviction_text(GString *text, const json_t *span, const struct document *document)
{
	const json_t *before = json_object_get(span, "memory_call_before");

	g_string_append(text, "queues of ");
	g_string_append(text, document_string(span, "process"));
	gpu_text(text, span, "on", "node_id", "gpu_id");
	if (json_object_get(span, "begin_ns")) {
		g_string_append(text, " evicted at ");
		document_moment(text, document, span, "begin_ns");
		g_string_append_printf(text, " (%s)", document_string(span, "trigger"));
	} else {
		g_string_append(text, " evicted before the recording");
	}
	if (json_object_get(span, "end_ns")) {
		g_string_append(text, ", restored at ");
		document_moment(text, document, span, "end_ns");
	} else {
		g_string_append(text, ", never restored");
	}
	if (json_object_get(span, "length_ns")) {
		g_string_append(text, ": stood still for ");
		text_duration(text, document_int(span, "length_ns"));
	}
	if (json_is_true(json_object_get(span, "is_rescheduled")))
		g_string_append(text, "; the restore was put off");
	g_string_append_c(text, '\n');
	if (!json_is_object(before))
		return;
	g_string_append_printf(text, "    last memory call before: %s at ",
			       document_string(before, "call"));
	document_moment(text, document, before, "time_ns");
	document_caller(text, before);
	g_string_append_c(text, '\n');
}

void driver_events_text_evictions(GString *text, const json_t *json,
				  const struct document *document)
{
	document_section(text, json, "eviction_spans", "EVICTIONS", "evictions", document,
			 eviction_text);
}

static void sum_text(GString *text, const json_t *json)
{
	g_string_append(text, ", ");
	text_duration(text, document_int(json, "total_ns"));
	g_string_append(text, " in all, the longest ");
	text_duration(text, document_int(json, "longest_ns"));
	if (document_int(json, "without_end"))
		g_string_append_printf(text, ", %" G_GINT64_FORMAT " without an end",
				       document_int(json, "without_end"));
	if (document_int(json, "without_begin"))
		g_string_append_printf(text, ", %" G_GINT64_FORMAT " without a beginning",
				       document_int(json, "without_begin"));
}

static void migration_text(GString *text, const json_t *row, const struct document *document)
{
	(void)document;
	text_count(text, (uint64_t)document_int(row, "count"), "migration", "migrations");
	g_string_append(text, " of ");
	text_bytes(text, (uint64_t)document_int(row, "bytes"));
	gpu_text(text, row, "from", "from_node_id", "from_gpu_id");
	gpu_text(text, row, "to", "to_node_id", "to_gpu_id");
	g_string_append_printf(text, ", by %s", document_string(row, "trigger"));
	sum_text(text, row);
	if (document_int(row, "failed"))
		g_string_append_printf(text, ", %" G_GINT64_FORMAT " failed",
				       document_int(row, "failed"));
	g_string_append_printf(text, "; %s\n", document_string(row, "process"));
}

static void page_fault_text(GString *text, const json_t *row, const struct document *document)
{
	(void)document;
	text_count(text, (uint64_t)document_int(row, "count"), "page fault", "page faults");
	gpu_text(text, row, "on", "node_id", "gpu_id");
	g_string_append_printf(
		text, ", %" G_GINT64_FORMAT " of writes, %" G_GINT64_FORMAT " ended by a migration",
		document_int(row, "writes"), document_int(row, "migrated"));
	sum_text(text, row);
	g_string_append_printf(text, "; %s\n", document_string(row, "process"));
}

static void unmap_text(GString *text, const json_t *row, const struct document *document)
{
	(void)document;
	text_count(text, (uint64_t)document_int(row, "count"), "range", "ranges");
	g_string_append(text, " of ");
	text_bytes(text, (uint64_t)document_int(row, "bytes"));
	g_string_append(text, " unmapped");
	gpu_text(text, row, "from", "node_id", "gpu_id");
	g_string_append_printf(text, ": %s; %s\n", document_string(row, "trigger"),
			       document_string(row, "process"));
}

void driver_events_text_memory(GString *text, const json_t *json, const struct document *document)
{
	document_section(text, json, "migrations", "MIGRATIONS", "rows", document, migration_text);
	document_section(text, json, "page_faults", "PAGE FAULTS OF THE GPU", "rows", document,
			 page_fault_text);
	document_section(text, json, "unmaps", "UNMAPPED FROM THE GPU", "rows", document,
			 unmap_text);
}

static void beyond_text(GString *text, const json_t *json, const char *name, const char *what)
{
	if (document_int(json, name))
		g_string_append_printf(text,
				       "and %" G_GINT64_FORMAT " more %s, which are not kept\n",
				       document_int(json, name), what);
}

static void note_text(GString *text, const json_t *note, const struct document *document)
{
	g_string_append(text, document_string(note, "what"));
	gpu_text(text, note, "on", "node_id", "gpu_id");
	g_string_append(text, " at ");
	document_moment(text, document, note, "time_ns");
	if (json_object_get(note, "bitmask")) {
		g_string_append_printf(text, ", reasons 0x%" G_GINT64_MODIFIER "x, ",
				       (uint64_t)document_int(note, "bitmask"));
		text_count(text, (uint64_t)document_int(note, "counter"), "time so far",
			   "times so far");
	}
	if (json_object_get(note, "pid"))
		g_string_append_printf(text, ", process %" G_GINT64_FORMAT,
				       document_int(note, "pid"));
	if (json_object_get(note, "sequence"))
		g_string_append_printf(text, ", reset number %" G_GINT64_FORMAT,
				       document_int(note, "sequence"));
	if (json_object_get(note, "text"))
		g_string_append_printf(text, ": %s", document_string(note, "text"));
	g_string_append_printf(text, "; told to %s\n", document_string(note, "process"));
}

void driver_events_text_notes(GString *text, const json_t *json, const struct document *document)
{
	document_section(text, json, "driver_notes", "TOLD BY THE DRIVER", "notes", document,
			 note_text);
	beyond_text(text, json, "driver_notes_beyond", "notes of the driver");
}

static void line_text(GString *text, const json_t *line, const struct document *document)
{
	g_string_append_printf(text, "'%s'", document_string(line, "line"));
	gpu_text(text, line, "on", "node_id", "gpu_id");
	g_string_append(text, " at ");
	document_moment(text, document, line, "time_ns");
	g_string_append_printf(text, "; told to %s\n", document_string(line, "process"));
}

void driver_events_text_rest(GString *text, const json_t *json, const struct document *document,
			     const char *what)
{
	const char *state = document_string(json, "driver_events");

	document_section(text, json, "driver_lines", "LINES OF THE DRIVER THAT ARE NOT KNOWN",
			 "lines", document, line_text);
	beyond_text(text, json, "driver_lines_beyond", "such lines");
	if (g_str_equal(state, NOT_COLLECTED))
		g_string_append_printf(text,
				       "%s: not collected. 'kfdscope record --smi' listens to the "
				       "driver's event streams.\n",
				       what);
	else if (g_str_equal(state, REFUSED))
		g_string_append_printf(
			text, "%s: not collected. The driver refused its event stream: %s\n", what,
			document_string(json_object_get(json, "driver_events_refusal"),
					"errno_name"));
}
