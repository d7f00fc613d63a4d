/* SPDX-License-Identifier: MIT */
/* Counter runs, refusals and overlaps as JSON (counters_report.h). */
#include "output/counters_report.h"

#define COUNTERS_SCHEMA  "kfdscope.counters"
#define COUNTERS_VERSION "1.1"

/* The blocks by their number (perf.md 1). */
static const char *const block_names[] = {
	"CB",  "CPC",  "CPF", "CPG", "DB", "GDS", "GRBM", "GRBMSE", "IA",  "MC", "PASC", "PASU",
	"SPI", "SRBM", "SQ",  "SX",  "TA", "TCA", "TCC",  "TCP",    "TCS", "TD", "VGT",  "WD",
};

static const char *block_name(uint32_t block)
{
	return block < G_N_ELEMENTS(block_names) ? block_names[block] : "block";
}

static void set_time(json_t *json, const char *name, int64_t time_ns)
{
	if (time_ns)
		document_set_int(json, name, (uint64_t)time_ns);
	else
		json_object_set_new(json, name, json_null());
}

static void warn(json_t *warnings, char *text)
{
	json_array_append_new(warnings, json_string(text));
	g_free(text);
}

static json_t *counter_json(const struct counter *counter, json_t *warnings)
{
	const char *name = block_name(counter->block);

	if (counter->queries && counter->zeros == counter->queries)
		warn(warnings,
		     g_strdup_printf("counter %s %" G_GUINT64_FORMAT
				     " was zero in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
				     " queries: its data is worthless; missing rights, power state "
				     "or firmware may be the cause",
				     name, counter->id, counter->zeros, counter->queries));
	if (counter->decreases)
		warn(warnings, g_strdup_printf("counter %s %" G_GUINT64_FORMAT
					       " went down between queries %" G_GUINT64_FORMAT
					       " %s: it was reset, or wrapped around",
					       name, counter->id, counter->decreases,
					       counter->decreases == 1 ? "time" : "times"));
	return json_pack("{ss sI sI sI sI}", "block", name, "id", (json_int_t)counter->id,
			 "queries", (json_int_t)counter->queries, "zeros",
			 (json_int_t)counter->zeros, "decreases", (json_int_t)counter->decreases);
}

/* One row for each query and counter. */
static json_t *values_json(const struct counter_run *run)
{
	json_t *list = json_array();

	for (guint i = 0; i < run->queries->len; i++) {
		const struct counter_query *query =
			&g_array_index(run->queries, struct counter_query, i);

		for (uint32_t j = 0; j < query->count; j++) {
			const struct counter *counter =
				j < run->counter_count ? &run->counters[j] : NULL;
			json_t *row = json_pack(
				"{sI sI sI}", "query", (json_int_t)i + 1, "time_ns",
				(json_int_t)query->time_ns, "value",
				(json_int_t)g_array_index(run->values, uint64_t, query->first + j));

			if (counter) {
				document_set_text(row, "block", block_name(counter->block));
				document_set_int(row, "id", counter->id);
			}
			json_array_append_new(list, row);
		}
	}
	return list;
}

static json_t *buffers_json(const struct counter_run *run, json_t *losses)
{
	json_t *list = json_array();

	for (guint i = 0; i < run->buffers->len; i++) {
		const struct spm_buffer *buffer =
			&g_array_index(run->buffers, struct spm_buffer, i);
		json_t *json = json_pack("{sI sI sI sI sI}", "buffer", (json_int_t)i + 1,
					 "size_bytes", (json_int_t)buffer->size_bytes, "set_ns",
					 (json_int_t)buffer->set_ns, "timeout_ms",
					 (json_int_t)buffer->timeout_ms, "remaining_ms",
					 (json_int_t)buffer->remaining_ms);

		if (buffer->told_ns) {
			document_set_int(json, "filled_bytes", buffer->filled_bytes);
			document_set_int(json, "told_ns", (uint64_t)buffer->told_ns);
			json_object_set_new(json, "loss", json_boolean(buffer->has_loss));
		} else {
			json_object_set_new(json, "filled_bytes", json_null());
		}
		if (buffer->has_loss)
			json_array_append_new(losses,
					      json_pack("{sI sI sI}", "buffer", (json_int_t)i + 1,
							"time_ns", (json_int_t)buffer->told_ns,
							"gap_ns", (json_int_t)buffer->gap_ns));
		json_array_append_new(list, json);
	}
	return list;
}

/* How long data was taken. */
static int64_t run_duration(const struct document *document, const struct counter_run *run)
{
	int64_t begin_ns = run->started_ns ? run->started_ns : run->held_from_ns;
	int64_t end_ns = run->stopped_ns ? run->stopped_ns : run->held_to_ns;

	if (!begin_ns)
		return 0;
	return (end_ns ? end_ns : model_end_ns(document->model)) - begin_ns;
}

static void set_spm(json_t *json, const struct counter_run *run, int64_t duration_ns)
{
	json_t *losses = json_array();

	document_set_int(json, "buffer_count", run->buffer_count);
	document_set_int(json, "full", run->full);
	document_set_int(json, "partial", run->partial);
	document_set_int(json, "empty", run->empty);
	document_set_int(json, "loss_count", run->losses);
	json_object_set_new(json, "buffers", buffers_json(run, losses));
	json_object_set_new(json, "losses", losses);
	if (duration_ns > 0)
		json_object_set_new(json, "bytes_per_second",
				    json_real((double)run->bytes * 1e9 / (double)duration_ns));
}

static json_t *run_json(const struct counters *counters, const struct document *document,
			const struct counter_run *run, size_t *findings)
{
	const struct counters_process *about = counters_process(counters, run->process);
	json_t *json = json_pack("{ss sI sI sI}", "kind", run->kind == RUN_PMC ? "pmc" : "spm",
				 "run", (json_int_t)run->number, "queries",
				 (json_int_t)run->query_count, "bytes", (json_int_t)run->bytes);
	json_t *warnings = json_array(), *list = json_array();
	int64_t duration_ns = run_duration(document, run);
	bool open = run->held_from_ns && !run->held_to_ns;

	document_set_process(json, run->process);
	if (run->node_id != UINT32_MAX)
		document_set_int(json, "node_id", run->node_id);
	document_set_int(json, "gpu_id", run->gpu_id);
	set_time(json, "registered_ns", run->registered_ns);
	set_time(json, "acquired_ns", run->acquired_ns);
	set_time(json, "started_ns", run->started_ns);
	set_time(json, "stopped_ns", run->stopped_ns);
	set_time(json, "released_ns", run->released_ns);
	set_time(json, "unregistered_ns", run->unregistered_ns);
	json_object_set_new(json, "open", json_boolean(open));
	if (open)
		document_set_doubt(document, json, run->process, run->held_from_ns);
	if (about && about->has_paranoid)
		json_object_set_new(json, "perf_event_paranoid", json_integer(about->paranoid));
	for (uint32_t i = 0; i < run->counter_count; i++)
		json_array_append_new(list, counter_json(&run->counters[i], warnings));
	json_object_set_new(json, "counters", list);
	if (run->kind == RUN_PMC)
		json_object_set_new(json, "values", values_json(run));
	else
		set_spm(json, run, duration_ns);
	if (run->losses)
		warn(warnings, g_strdup_printf("data was lost %" G_GUINT64_FORMAT
					       " %s: use a larger buffer, a longer interval, or "
					       "set the next buffer sooner",
					       run->losses, run->losses == 1 ? "time" : "times"));
	*findings += json_array_size(warnings) + open;
	json_object_set_new(json, "warnings", warnings);
	document_set_stack(document, json, run->process, run->stack);
	return json;
}

static json_t *refusal_json(const struct counters *counters, const struct document *document,
			    const struct counter_refusal *refusal)
{
	const struct counters_process *about = counters_process(counters, refusal->process);
	json_t *json = json_pack("{ss sI}", "call", refusal->type->name, "time_ns",
				 (json_int_t)refusal->time_ns);

	document_set_process(json, refusal->process);
	document_set_status(json, refusal->status);
	document_set_errno(json, refusal->os_errno);
	if (refusal->node_id != UINT32_MAX)
		document_set_int(json, "node_id", refusal->node_id);
	if (refusal->run)
		document_set_int(json, "run", refusal->run->number);
	if (about && about->has_paranoid)
		json_object_set_new(json, "perf_event_paranoid", json_integer(about->paranoid));
	if (refusal->holder) {
		json_t *holder = json_pack("{sI sI}", "run", (json_int_t)refusal->holder->number,
					   "since_ns", (json_int_t)refusal->holder->held_from_ns);

		document_set_process(holder, refusal->holder->process);
		json_object_set_new(json, "held_by", holder);
	}
	document_set_stack(document, json, refusal->process, refusal->stack);
	return json;
}

json_t *counters_json(const struct counters *counters, const struct document *document)
{
	json_t *json =
		header_json(COUNTERS_SCHEMA, COUNTERS_VERSION, document->model, document->notes);
	json_t *runs = json_array(), *refusals = json_array(), *overlaps = json_array();
	const GArray *times = counters_overlaps(counters);
	const GPtrArray *list = counters_runs(counters);
	size_t findings = times->len + counters_refusals(counters)->len;

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(
			runs, run_json(counters, document, g_ptr_array_index(list, i), &findings));
	list = counters_refusals(counters);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(refusals,
				      refusal_json(counters, document, g_ptr_array_index(list, i)));
	for (guint i = 0; i < times->len; i++) {
		const struct counter_overlap *overlap =
			&g_array_index(times, struct counter_overlap, i);
		json_t *item = json_pack(
			"{sI sI sI sI sI}", "first_run", (json_int_t)overlap->first->number,
			"second_run", (json_int_t)overlap->second->number, "begin_ns",
			(json_int_t)overlap->begin_ns, "end_ns", (json_int_t)overlap->end_ns,
			"length_ns", (json_int_t)(overlap->end_ns - overlap->begin_ns));

		document_set_int(item, "node_id", overlap->first->node_id);
		json_array_append_new(overlaps, item);
	}
	document_set_int(json, "findings", findings);
	json_object_set_new(json, "runs", runs);
	json_object_set_new(json, "refused", refusals);
	json_object_set_new(json, "overlaps", overlaps);
	return json;
}
