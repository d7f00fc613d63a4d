/* SPDX-License-Identifier: MIT */
/* Open waits, spins, signals and waiting places as JSON (waits_report.h). */
#include "output/waits_report.h"

#define WAITS_SCHEMA  "kfdscope.waits"
#define WAITS_VERSION "1.1"

static json_t *latency_json(const struct latency *latency)
{
	return json_pack("{sI sI sI sI sI}", "count", (json_int_t)latency->count, "min_ns",
			 (json_int_t)latency->min_ns, "median_ns",
			 (json_int_t)latency_quantile(latency, 500), "max_ns",
			 (json_int_t)latency->max_ns, "total_ns", (json_int_t)latency->total_ns);
}

static json_t *ids_json(const uint64_t *ids, uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t)ids[i]));
	return list;
}

/* A stack with its caller, as an object of its own. */
static json_t *place_json(const struct document *document, const struct process *process,
			  const struct stack *stack)
{
	json_t *json = json_object();

	document_set_stack(document, json, process, stack);
	return json;
}

static json_t *event_json(const struct document *document, uint64_t id,
			  const struct wait_event *event)
{
	json_t *json = json_pack("{sI}", "event_id", (json_int_t)id);

	if (!event)
		return json;
	document_set_text(json, "type", event->type);
	if (event->created_ns) {
		document_set_int(json, "created_ns", (uint64_t)event->created_ns);
		json_object_set_new(json, "created",
				    place_json(document, event->site->process, event->site->stack));
	}
	if (event->set_ns) {
		json_t *set = place_json(document, event->site->process, event->set_stack);

		document_set_int(set, "time_ns", (uint64_t)event->set_ns);
		document_set_int(set, "vtid", event->set_vtid);
		json_object_set_new(json, "last_set", set);
	} else {
		json_object_set_new(json, "last_set", json_null());
	}
	return json;
}

static json_t *open_json(const struct document *document, const struct open_wait *open)
{
	const struct wait *wait = &open->wait;
	int64_t duration_ns = model_end_ns(document->model) - wait->entry_ns;
	json_t *json = json_pack("{ss sI sI sI sb}", "call", wait->site->type->name, "vtid",
				 (json_int_t)wait->vtid, "since_ns", (json_int_t)wait->entry_ns,
				 "duration_ns", (json_int_t)duration_ns, "for_all", wait->for_all);
	json_t *events = json_array();

	if (wait->timeout_ms != UINT32_MAX)
		document_set_int(json, "timeout_ms", wait->timeout_ms);
	document_set_process(json, wait->site->process);
	document_set_doubt(document, json, wait->site->process, wait->entry_ns);
	for (uint32_t i = 0; i < wait->count; i++)
		json_array_append_new(events, event_json(document, wait->ids[i],
							 g_ptr_array_index(open->events, i)));
	json_object_set_new(json, "events", events);
	document_set_stack(document, json, wait->site->process, wait->site->stack);
	return json;
}

static json_t *spin_json(const struct document *document, const struct spin *spin)
{
	int64_t duration_ns = MAX(spin->end_ns - spin->begin_ns, 1);
	json_t *json = json_pack(
		"{ss ss sI sI sI sI sf sI sI sI sI so}", "call", spin->type->name, "mode",
		spin->is_poll ? "timeout 0" : "woken at once", "vtid", (json_int_t)spin->vtid,
		"begin_ns", (json_int_t)spin->begin_ns, "end_ns", (json_int_t)spin->end_ns, "calls",
		(json_int_t)spin->latency.count, "calls_per_second",
		(double)spin->latency.count * 1e9 / (double)duration_ns, "median_ns",
		(json_int_t)latency_quantile(&spin->latency, 500), "succeeded",
		(json_int_t)spin->succeeded, "timed_out", (json_int_t)spin->timed_out, "failed",
		(json_int_t)spin->failed, "event_ids", ids_json(spin->ids, spin->count));

	document_set_process(json, spin->process);
	document_set_stack(document, json, spin->process, spin->stack);
	return json;
}

static bool event_site_is_counted(const struct event_site *site)
{
	return site->created || site->destroyed || site->waited_sets || site->idle_sets ||
	       site->lost_sets;
}

static json_t *signals_json(const struct document *document, const struct event_site *site)
{
	json_t *json = json_pack(
		"{sI sI sI sI sI sI sI sI sI}", "created", (json_int_t)site->created, "destroyed",
		(json_int_t)site->destroyed, "sets_with_waiter", (json_int_t)site->waited_sets,
		"sets_without_waiter", (json_int_t)site->idle_sets, "lost_sets",
		(json_int_t)site->lost_sets, "with_waiter_ns", (json_int_t)site->waited_set_ns,
		"without_waiter_ns", (json_int_t)site->idle_set_ns, "with_waiter_ioctl_ns",
		(json_int_t)site->waited_set_ioctl_ns, "without_waiter_ioctl_ns",
		(json_int_t)site->idle_set_ioctl_ns);

	document_set_process(json, site->process);
	document_set_stack(document, json, site->process, site->stack);
	return json;
}

static json_t *site_json(const struct document *document, const struct wait_site *site)
{
	json_t *setters = json_array();
	json_t *json =
		json_pack("{ss sI sI sI sI sI sI so so sI}", "call", site->type->name, "succeeded",
			  (json_int_t)site->succeeded, "timed_out", (json_int_t)site->timed_out,
			  "failed", (json_int_t)site->failed, "cut", (json_int_t)site->cut,
			  "already_signalled", (json_int_t)site->already_signalled,
			  "unknown_signals", (json_int_t)site->unknown_signals, "duration",
			  latency_json(&site->latency), "wake_latency", latency_json(&site->wake),
			  "longest_since_ns", (json_int_t)site->longest_entry_ns);

	for (guint i = 0; i < site->setters->len; i++) {
		const struct wait_setter *setter =
			&g_array_index(site->setters, struct wait_setter, i);
		json_t *item = place_json(document, site->process, setter->stack);

		document_set_int(item, "vtid", setter->vtid);
		document_set_int(item, "count", setter->count);
		json_array_append_new(setters, item);
	}
	json_object_set_new(json, "signalled_by", setters);
	document_set_process(json, site->process);
	document_set_stack(document, json, site->process, site->stack);
	return json;
}

static json_t *process_waits_json(const struct waits_process *about)
{
	json_t *json = process_json(about->process);

	document_set_process(json, about->process);
	document_set_int(json, "events_created", about->events_created);
	document_set_int(json, "events_destroyed", about->events_destroyed);
	document_set_int(json, "events_alive", about->events_alive);
	document_set_int(json, "waits", about->waits);
	document_set_int(json, "cut_waits", about->cut_waits);
	return json;
}

static int compare_sites(const void *left, const void *right)
{
	const struct wait_site *a = *(struct wait_site *const *)left;
	const struct wait_site *b = *(struct wait_site *const *)right;

	return a->latency.total_ns > b->latency.total_ns
		       ? -1
		       : a->latency.total_ns < b->latency.total_ns;
}

static json_t *sites_json(const struct waits *waits, const struct document *document)
{
	GPtrArray *sorted = g_ptr_array_copy((GPtrArray *)waits_sites(waits), NULL, NULL);
	json_t *list = json_array();

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, compare_sites);
	for (guint i = 0; i < sorted->len; i++) {
		const struct wait_site *site = g_ptr_array_index(sorted, i);

		if (site->latency.count || site->cut)
			json_array_append_new(list, site_json(document, site));
	}
	g_ptr_array_free(sorted, TRUE);
	return list;
}

json_t *waits_json(const struct waits *waits, const struct document *document)
{
	json_t *json = header_json(WAITS_SCHEMA, WAITS_VERSION, document->model, document->notes);
	json_t *open = json_array(), *spins = json_array(), *signals = json_array();
	json_t *processes = json_array();
	const GPtrArray *list = waits_open(waits);
	size_t findings = list->len;

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(open, open_json(document, g_ptr_array_index(list, i)));
	list = waits_spins(waits);
	findings += list->len;
	for (guint i = 0; i < list->len; i++) {
		const struct spin *spin = g_ptr_array_index(list, i);

		json_array_append_new(spins, spin_json(document, spin));
	}
	list = waits_event_sites(waits);
	for (guint i = 0; i < list->len; i++) {
		const struct event_site *site = g_ptr_array_index(list, i);

		if (event_site_is_counted(site) || !scope_is_limited(model_scope(document->model)))
			json_array_append_new(signals, signals_json(document, site));
	}
	list = waits_processes(waits);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(processes, process_waits_json(g_ptr_array_index(list, i)));
	document_set_int(json, "findings", findings);
	json_object_set_new(json, "open_waits", open);
	json_object_set_new(json, "spins", spins);
	json_object_set_new(json, "waits", sites_json(waits, document));
	json_object_set_new(json, "signals", signals);
	json_object_set_new(json, "processes", processes);
	return json;
}
