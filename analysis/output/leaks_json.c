/* SPDX-License-Identifier: MIT */
/* The leak report as JSON; the numbers are those of the text (leaks_text.h). */
#include "output/leaks_text.h"
#include "output/stack_json.h"

#include <string.h>

#define LEAKS_SCHEMA  "kfdscope.leaks"
#define LEAKS_VERSION "1.3"

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

static json_t *refusal_json(const struct leak_group *group, struct frames_json *frames)
{
	const struct refusal *refusal = &group->refusal;
	const char *name = strerrorname_np((int)refusal->os_errno);
	json_t *gpus = json_array();

	for (uint32_t i = 0; i < refusal->mapped_count; i++)
		json_array_append_new(gpus, json_integer((json_int_t)refusal->mapped_gpus[i]));
	return json_pack("{si sI si ss sI so so}", "count", (int)refusal->count, "status",
			 (json_int_t)refusal->status, "errno", (int)refusal->os_errno, "errno_name",
			 name ? name : "", "time_ns", (json_int_t)refusal->time_ns,
			 "mapped_gpu_ids", gpus, "stack", stack_json(&group->refused, frames));
}

static json_t *group_json(const struct leak_group *group, struct frames_json *frames)
{
	const struct site *site = group->site;
	json_t *json = json_pack(
		"{sI sI sI sb ss ss ss ss sI sI sI so so}", "vpid",
		(json_int_t)group->process->vpid, "blocks", (json_int_t)group->sum.count, "bytes",
		(json_int_t)group->sum.bytes, "undecided", group->undecided, "layer",
		leak_layer_name(group->layer), "left_at", leak_moment_name(group->moment), "kind",
		memory_kind_name(site->kind), "class", block_class_name(site->class), "first_ns",
		(json_int_t)group->first_ns, "last_ns", (json_int_t)group->last_ns, "taken",
		(json_int_t)group->taken_count, "allocated_in", caller_json(&group->view, frames),
		"stack", stack_json(&group->view, frames));

	if (!json)
		return NULL;
	if (site->node_id != UINT32_MAX)
		json_object_set_new(json, "node_id", json_integer(site->node_id));
	if (site->gpu_id)
		json_object_set_new(json, "gpu_id", json_integer(site->gpu_id));
	if (site->type)
		json_object_set_new(json, "call", json_string(site->type->name));
	if (site->ioctl)
		json_object_set_new(json, "ioctl", json_string(site->ioctl->name));
	if (site->origin == ORIGIN_RESTORED)
		json_object_set_new(json, "origin", json_string(block_origin_name(site->origin)));
	if (group->is_request)
		json_object_set_new(json, "driver_memory",
				    json_pack("{sI sI}", "blocks", (json_int_t)group->behind.count,
					      "bytes", (json_int_t)group->behind.bytes));
	if (group->refusal.count)
		json_object_set_new(json, "refused_free", refusal_json(group, frames));
	if (site->class == BLOCK_REGISTRATION) {
		json_object_set_new(json, "registered",
				    json_integer((json_int_t)group->registered));
		json_object_set_new(json, "deregistered",
				    json_integer((json_int_t)group->deregistered));
	}
	return json;
}

static json_t *groups_json(const GPtrArray *groups, struct frames_json *frames)
{
	json_t *list = json_array();

	for (guint i = 0; i < groups->len; i++)
		json_array_append_new(list, group_json(g_ptr_array_index(groups, i), frames));
	return list;
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

static json_t *share_json(const struct leaks_report *report, const struct share *share,
			  struct frames_json *frames)
{
	struct stackview exported, freed;
	json_t *json;

	stackview_init(&exported, report->sym, share->process, share->stack);
	stackview_init(&freed, report->sym, share->process, share->free_stack);
	json = json_pack("{sI sI sI sI sI so so}", "vpid", (json_int_t)share->process->vpid,
			 "bytes", (json_int_t)share->size_bytes, "exported_ns",
			 (json_int_t)share->time_ns, "freed_ns", (json_int_t)share->freed_ns,
			 "importers", (json_int_t)share->importers, "export_stack",
			 stack_json(&exported, frames), "free_stack", stack_json(&freed, frames));
	stackview_fini(&exported);
	stackview_fini(&freed);
	return json;
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

json_t *leaks_json(const struct leaks_report *report, const struct report_notes *notes)
{
	json_t *json = header_json(LEAKS_SCHEMA, LEAKS_VERSION, report->model, notes);
	json_t *processes = json_array(), *shares = json_array(), *reasons = json_object();
	struct frames_json *frames = frames_json_new();

	for (guint i = 0; i < report->processes->len; i++)
		json_array_append_new(processes,
				      leaks_process_json(&g_array_index(report->processes,
									struct leaks_process, i)));
	for (guint i = 0; i < report->freed_shares->len; i++)
		json_array_append_new(
			shares,
			share_json(report, g_ptr_array_index(report->freed_shares, i), frames));
	for (int i = 0; i < SYM_REASON_COUNT; i++)
		json_object_set_new(reasons, sym_reason_text((enum sym_reason)i),
				    json_integer((json_int_t)report->frames[i]));
	json_object_set_new(json, "left", sum_json(&report->left));
	json_object_set_new(json, "undecided", sum_json(&report->undecided));
	json_object_set_new(json, "suppressed", suppressed_json(report));
	json_object_set_new(json, "layers", layers_json(report->layers));
	json_object_set_new(json, "groups", groups_json(report->groups, frames));
	json_object_set_new(json, "registrations", groups_json(report->registrations, frames));
	json_object_set_new(json, "imports", groups_json(report->imports, frames));
	json_object_set_new(json, "reservations", groups_json(report->reservations, frames));
	json_object_set_new(json, "exported_then_freed", shares);
	json_object_set_new(json, "processes", processes);
	json_object_set_new(json, "frames", reasons);
	frames_json_free(frames);
	return json;
}
