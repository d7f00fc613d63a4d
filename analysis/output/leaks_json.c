/* SPDX-License-Identifier: MIT */
/* The leak report as JSON; the numbers are those of the text (leaks_text.h). */
#include "output/leaks_text.h"
#include "output/stack_json.h"

#include <string.h>

#define LEAKS_SCHEMA  "kfdscope.leaks"
#define LEAKS_VERSION "1.3"
#define SHARES        "exported_then_freed"

static json_t *sum_json(const struct leak_sum *sum)
{
	return json_pack("{sIsI}", "blocks", (json_int_t)sum->count, "bytes",
			 (json_int_t)sum->bytes);
}

static json_t *layers_json(const struct leak_sum *layers)
{
	json_t *json = json_object();

	for (int i = 0; i < LEAK_LAYER_COUNT; i++)
		json_object_set_new(json, leak_layer_name((enum leak_layer)i),
				    sum_json(&layers[i]));
	return json;
}

static void refusal_build(struct json_build *build, const struct leak_group *group,
			  struct frames_json *frames)
{
	const struct refusal *refusal = &group->refusal;
	const char *name = strerrorname_np((int)refusal->os_errno);

	json_build_object(build, "refused_free");
	json_build_int(build, "count", refusal->count);
	json_build_int(build, "status", refusal->status);
	json_build_int(build, "errno", refusal->os_errno);
	json_build_string(build, "errno_name", name ? name : "");
	json_build_int(build, "time_ns", refusal->time_ns);
	json_build_list(build, "mapped_gpu_ids");
	for (uint32_t i = 0; i < refusal->mapped_count; i++)
		json_build_int(build, NULL, (int64_t)refusal->mapped_gpus[i]);
	json_build_end(build);
	stack_build(build, "stack", group->refused, frames);
	json_build_end(build);
}

static void site_build(struct json_build *build, const struct site *site)
{
	if (site->node_id != UINT32_MAX)
		json_build_int(build, "node_id", site->node_id);
	if (site->gpu_id)
		json_build_int(build, "gpu_id", site->gpu_id);
	json_build_string(build, "call", site->type ? site->type->name : NULL);
	json_build_string(build, "ioctl", site->ioctl ? site->ioctl->name : NULL);
	if (site->origin == ORIGIN_RESTORED)
		json_build_string(build, "origin", block_origin_name(site->origin));
}

static void group_build(struct json_build *build, const struct leak_group *group,
			struct frames_json *frames)
{
	json_build_object(build, NULL);
	json_build_int(build, "vpid", group->process->vpid);
	json_build_int(build, "blocks", (int64_t)group->sum.count);
	json_build_int(build, "bytes", (int64_t)group->sum.bytes);
	json_build_bool(build, "undecided", group->undecided);
	json_build_string(build, "layer", leak_layer_name(group->layer));
	json_build_string(build, "left_at", leak_moment_name(group->moment));
	json_build_string(build, "kind", memory_kind_name(group->site->kind));
	json_build_string(build, "class", block_class_name(group->site->class));
	json_build_int(build, "first_ns", group->first_ns);
	json_build_int(build, "last_ns", group->last_ns);
	json_build_int(build, "taken", (int64_t)group->taken_count);
	caller_build(build, "allocated_in", group->view, frames);
	stack_build(build, "stack", group->view, frames);
	site_build(build, group->site);
	if (group->is_request) {
		json_build_object(build, "driver_memory");
		json_build_int(build, "blocks", (int64_t)group->behind.count);
		json_build_int(build, "bytes", (int64_t)group->behind.bytes);
		json_build_end(build);
	}
	if (group->refusal.count)
		refusal_build(build, group, frames);
	if (group->site->class == BLOCK_REGISTRATION) {
		json_build_int(build, "registered", (int64_t)group->registered);
		json_build_int(build, "deregistered", (int64_t)group->deregistered);
	}
	json_build_end(build);
}

static json_t *internal_json(const struct memory *memory, const struct scope *scope)
{
	json_t *json = json_object();

	for (int i = ORIGIN_QUEUE; i < ORIGIN_COUNT; i++)
		json_object_set_new(
			json, block_origin_name((enum block_origin)i),
			json_pack("{sI sI sI}", "live_bytes",
				  (json_int_t)usage_result(&memory->origin_usage[i], scope)
					  .live_bytes,
				  "taken_bytes", (json_int_t)memory->origin_bytes[i],
				  "taken_blocks", (json_int_t)memory->origin_count[i]));
	return json;
}

static json_t *unfinished_json(const struct process *process)
{
	json_t *list = json_array();

	for (guint i = 0; i < process->unfinished->len; i++) {
		const struct unfinished *call =
			&g_array_index(process->unfinished, struct unfinished, i);

		json_array_append_new(list, json_pack("{ss sI sI}", "call", call->type->name,
						      "vtid", (json_int_t)call->vtid, "since_ns",
						      (json_int_t)call->since_ns));
	}
	return list;
}

static json_t *peak_json(const struct usage *usage, const struct scope *scope)
{
	return json_integer((json_int_t)usage_result(usage, scope).peak_bytes);
}

static json_t *restored_json(const struct memory *memory)
{
	return json_pack("{sI sI sI sI}", "blocks", (json_int_t)memory->restored_count, "bytes",
			 (json_int_t)memory->restored_bytes, "unlisted",
			 (json_int_t)memory->restored_unlisted, "unclear_frees",
			 (json_int_t)memory_unclear_frees(memory));
}

static json_t *leaks_process_json(const struct leaks_process *leaks)
{
	const struct memory *memory = leaks->process->memory;
	const struct scope *scope = model_scope(leaks->process->model);
	const struct usage usage = usage_result(&memory->usage, scope);
	json_t *json = process_json(leaks->process);

	json_object_set_new(json, "left_at", json_string(leak_moment_name(leaks->moment)));
	json_object_set_new(json, "left", sum_json(&leaks->left));
	json_object_set_new(json, "undecided", sum_json(&leaks->undecided));
	json_object_set_new(json, "layers", layers_json(leaks->layers));
	json_object_set_new(json, "peak_bytes", json_integer((json_int_t)usage.peak_bytes));
	json_object_set_new(json, "peak_ns", json_integer((json_int_t)usage.peak_ns));
	json_object_set_new(json, "freed",
			    json_pack("{sIsI}", "blocks", (json_int_t)memory->freed_count, "bytes",
				      (json_int_t)memory->freed_bytes));
	json_object_set_new(json, "failed_frees", json_integer((json_int_t)memory->failed_frees));
	json_object_set_new(json, "reserved_peak_bytes", peak_json(&memory->reserved, scope));
	json_object_set_new(json, "registered_peak_bytes", peak_json(&memory->registered, scope));
	json_object_set_new(json, "memlock_bytes",
			    json_integer((json_int_t)leaks->process->memlock_bytes));
	json_object_set_new(json, "lost_events",
			    json_integer((json_int_t)leaks->process->lost_events));
	json_object_set_new(json, "internal", internal_json(memory, scope));
	if (memory->restored_count || memory->restored_unlisted)
		json_object_set_new(json, "restored", restored_json(memory));
	json_object_set_new(json, "unfinished_calls", unfinished_json(leaks->process));
	return json;
}

static void share_build(struct json_build *build, const struct leaks_report *report,
			const struct share *share)
{
	struct stackview exported, freed;

	stackview_init(&exported, report->sym, share->process, share->stack);
	stackview_init(&freed, report->sym, share->process, share->free_stack);
	json_build_object(build, NULL);
	json_build_int(build, "vpid", share->process->vpid);
	json_build_int(build, "bytes", (int64_t)share->size_bytes);
	json_build_int(build, "exported_ns", share->time_ns);
	json_build_int(build, "freed_ns", share->freed_ns);
	json_build_int(build, "importers", (int64_t)share->importers);
	stack_build(build, "export_stack", &exported, report->frames_json);
	stack_build(build, "free_stack", &freed, report->frames_json);
	json_build_end(build);
	stackview_fini(&exported);
	stackview_fini(&freed);
}

static json_t *suppressed_json(const struct leaks_report *report)
{
	const struct suppressions *suppressions = report->options.suppressions;
	json_t *json = sum_json(&report->suppressed), *list = json_array();

	for (guint i = 0; suppressions && i < suppressions->list->len; i++) {
		const struct suppression *suppression = g_ptr_array_index(suppressions->list, i);

		json_array_append_new(list, json_pack("{ss sI sI}", "pattern", suppression->pattern,
						      "blocks", (json_int_t)suppression->count,
						      "bytes", (json_int_t)suppression->bytes));
	}
	json_object_set_new(json, "by", list);
	return json;
}

static const GPtrArray *get_list(const struct leaks_report *report, const char *name)
{
	const struct {
		const char *name;
		const GPtrArray *list;
	} lists[] = {
		{ "groups", report->groups },     { "registrations", report->registrations },
		{ "imports", report->imports },   { "reservations", report->reservations },
		{ SHARES, report->freed_shares },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		if (strcmp(lists[i].name, name) == 0)
			return lists[i].list;
	return NULL;
}

void leaks_entry_build(void *data, const char *list, size_t index, struct json_build *build)
{
	const struct leaks_report *report = data;
	const void *entry = g_ptr_array_index(get_list(report, list), index);

	if (strcmp(list, SHARES) == 0)
		share_build(build, report, entry);
	else
		group_build(build, entry, report->frames_json);
}

/* A null for each entry. */
static void set_list(json_t *json, const char *name, const struct leaks_report *report)
{
	const GPtrArray *entries = get_list(report, name);
	json_t *list = json_array();

	for (guint i = 0; i < entries->len; i++)
		json_array_append_new(list, json_null());
	json_object_set_new(json, name, list);
}

json_t *leaks_json(const struct leaks_report *report, const struct report_notes *notes)
{
	json_t *json = header_json(LEAKS_SCHEMA, LEAKS_VERSION, report->model, notes);
	json_t *processes = json_array(), *reasons = json_object();

	for (guint i = 0; i < report->processes->len; i++)
		json_array_append_new(processes,
				      leaks_process_json(&g_array_index(report->processes,
									struct leaks_process, i)));
	for (int i = 0; i < SYM_REASON_COUNT; i++)
		json_object_set_new(reasons, sym_reason_text((enum sym_reason)i),
				    json_integer((json_int_t)report->frames[i]));
	json_object_set_new(json, "left", sum_json(&report->left));
	json_object_set_new(json, "undecided", sum_json(&report->undecided));
	json_object_set_new(json, "suppressed", suppressed_json(report));
	json_object_set_new(json, "layers", layers_json(report->layers));
	set_list(json, "groups", report);
	set_list(json, "registrations", report);
	set_list(json, "imports", report);
	set_list(json, "reservations", report);
	set_list(json, SHARES, report);
	json_object_set_new(json, "processes", processes);
	json_object_set_new(json, "frames", reasons);
	return json;
}
