/* SPDX-License-Identifier: MIT */
/* Each failing call: what it asked for, why it failed, what was alive (failures_report.h). */
#include "output/failures_report.h"

#include "output/text.h"

#define FAILURES_SCHEMA  "kfdscope.failures"
#define FAILURES_VERSION "1.1"

static json_t *holders_json(const struct document *document, const struct failure *failure)
{
	json_t *list = json_array();

	for (guint i = 0; i < failure->holders->len; i++) {
		const struct failure_holder *holder =
			&g_array_index(failure->holders, struct failure_holder, i);
		json_t *item = json_pack("{sI}", "count", (json_int_t)holder->count);

		if (failure->subject == SUBJECT_MEMORY)
			document_set_int(item, "bytes", holder->bytes);
		if (holder->type)
			document_set_text(item, "call", holder->type->name);
		document_set_stack(document, item, failure->process, holder->stack);
		json_array_append_new(list, item);
	}
	return list;
}

static void set_subject(const struct document *document, json_t *json,
			const struct failure *failure)
{
	if (failure->subject == SUBJECT_OTHER)
		return;
	if (failure->node_id != UINT32_MAX)
		document_set_int(json, "node_id", failure->node_id);
	if (failure->subject == SUBJECT_MEMORY) {
		document_set_text(json, "kind", memory_kind_name(failure->kind));
		document_set_int(json, "wanted_bytes", failure->wanted_bytes);
		document_set_int(json, "live_bytes", failure->kind_bytes);
		document_set_int(json, "live_blocks", failure->kind_count);
		document_set_int(json, "node_live_bytes", failure->node_bytes);
		document_set_int(json, "memlock_bytes", failure->process->memlock_bytes);
	} else {
		document_set_text(json, "kind",
				  failure->subject == SUBJECT_QUEUE ? "queue" : "event");
		document_set_int(json, "live_count", failure->live_count);
	}
	json_object_set_new(json, "holders", holders_json(document, failure));
}

static json_t *cause_json(const struct call_type *type, const struct args *args)
{
	json_t *json = json_pack("{ss so}", "call", type->name, "arguments", document_args(args));
	char *path = failure_path(args);

	document_set_text(json, "path", path);
	g_free(path);
	return json;
}

static json_t *failure_json(const struct failures *failures, const struct document *document,
			    const struct failure *failure)
{
	const struct failures_process *about = failures_process(failures, failure->process);
	json_t *json =
		json_pack("{ss sI sI sI so}", "call", failure->type->name, "time_ns",
			  (json_int_t)failure->entry_ns, "duration_ns",
			  (json_int_t)(failure->time_ns - failure->entry_ns), "vtid",
			  (json_int_t)failure->vtid, "arguments", document_args(failure->args));

	document_set_process(json, failure->process);
	if (failure->status)
		document_set_status(json, failure->status);
	document_set_errno(json, failure->os_errno);
	document_set_text(json, "reason", failure->reason);
	if (failure->inner)
		json_object_set_new(json, "cause", cause_json(failure->inner, failure->inner_args));
	if (about && (failure->type->op == OP_OPEN || failure->type->op == OP_OPEN_SECONDARY)) {
		document_set_int(json, "uid", about->uid);
		document_set_int(json, "gid", about->gid);
	}
	set_subject(document, json, failure);
	if (failure->more) {
		document_set_int(json, "more", failure->more);
		document_set_int(json, "more_last_ns", (uint64_t)failure->more_last_ns);
	}
	document_set_stack(document, json, failure->process, failure->stack);
	return json;
}

static json_t *recovered_json(const struct recovered *recovered)
{
	json_t *json =
		json_pack("{ss sI sI sI so}", "call", recovered->type->name, "count",
			  (json_int_t)recovered->count, "first_ns", (json_int_t)recovered->first_ns,
			  "last_ns", (json_int_t)recovered->last_ns, "cause",
			  cause_json(recovered->inner, recovered->args));

	document_set_process(json, recovered->process);
	document_set_errno(json, recovered->os_errno);
	return json;
}

json_t *failures_json(const struct failures *failures, const struct document *document)
{
	json_t *json =
		header_json(FAILURES_SCHEMA, FAILURES_VERSION, document->model, document->notes);
	const GPtrArray *list = failures_list(failures), *kept = failures_recovered(failures);
	json_t *items = json_array(), *recovered = json_array();
	uint64_t count = 0;

	for (guint i = 0; i < list->len; i++) {
		const struct failure *failure = g_ptr_array_index(list, i);

		if (!document_wants(document, failure->time_ns))
			continue;
		count += 1 + failure->more;
		json_array_append_new(items, failure_json(failures, document, failure));
	}
	for (guint i = 0; i < kept->len; i++)
		json_array_append_new(recovered, recovered_json(g_ptr_array_index(kept, i)));
	document_set_int(json, "findings", count);
	document_set_int(json, "failed_calls", count);
	json_object_set_new(json, "failures", items);
	json_object_set_new(json, "recovered", recovered);
	return json;
}

static void holders_text(GString *text, const json_t *failure)
{
	const json_t *holders = json_object_get(failure, "holders"), *holder;
	size_t i;

	json_array_foreach(holders, i, holder)
	{
		g_string_append(text, "        ");
		if (json_object_get(holder, "bytes")) {
			text_bytes(text, (uint64_t)document_int(holder, "bytes"));
			g_string_append(text, " in ");
			text_count(text, (uint64_t)document_int(holder, "count"), "block",
				   "blocks");
		} else {
			g_string_append_printf(text, "%" G_GINT64_FORMAT,
					       document_int(holder, "count"));
		}
		g_string_append(text, " made");
		document_caller(text, holder);
		g_string_append_c(text, '\n');
	}
}

static void subject_text(GString *text, const json_t *failure)
{
	const char *kind = document_string(failure, "kind");

	if (!*kind)
		return;
	g_string_append(text, "    alive then");
	if (json_object_get(failure, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(failure, "node_id"));
	g_string_append(text, ": ");
	if (json_object_get(failure, "wanted_bytes")) {
		text_bytes(text, (uint64_t)document_int(failure, "live_bytes"));
		g_string_append(text, " in ");
		text_count(text, (uint64_t)document_int(failure, "live_blocks"), "block", "blocks");
		g_string_append_printf(text, " of %s; wanted: ", kind);
		text_bytes(text, (uint64_t)document_int(failure, "wanted_bytes"));
	} else {
		g_string_append_printf(text, "%" G_GINT64_FORMAT " %s%s",
				       document_int(failure, "live_count"), kind,
				       document_int(failure, "live_count") == 1 ? "" : "s");
	}
	g_string_append_c(text, '\n');
	holders_text(text, failure);
}

static void failure_text(GString *text, const json_t *failure, const struct document *document)
{
	const json_t *cause = json_object_get(failure, "cause");

	g_string_append_printf(text, "%s failed with ", document_string(failure, "call"));
	document_status(text, failure);
	g_string_append(text, " at ");
	document_moment(text, document, failure, "time_ns");
	document_caller(text, failure);
	g_string_append_printf(text, ", %s, thread %" G_GINT64_FORMAT "\n",
			       document_string(failure, "process"), document_int(failure, "vtid"));
	if (*document_string(failure, "reason"))
		g_string_append_printf(text, "    reason: %s\n",
				       document_string(failure, "reason"));
	g_string_append(text, "    arguments: ");
	document_arguments(text, json_object_get(failure, "arguments"));
	g_string_append_c(text, '\n');
	if (cause) {
		g_string_append_printf(
			text, "    inside failed: %s with %s: ", document_string(cause, "call"),
			document_string(failure, "errno_name"));
		document_arguments(text, json_object_get(cause, "arguments"));
		g_string_append_c(text, '\n');
	}
	if (json_object_get(failure, "uid"))
		g_string_append_printf(text,
				       "    the process ran as user %" G_GINT64_FORMAT
				       ", group %" G_GINT64_FORMAT "\n",
				       document_int(failure, "uid"), document_int(failure, "gid"));
	subject_text(text, failure);
	document_stack(text, 8, failure);
	if (json_object_get(failure, "more")) {
		g_string_append_printf(
			text, "    and %" G_GINT64_FORMAT " more of the same, the last at ",
			document_int(failure, "more"));
		document_moment(text, document, failure, "more_last_ns");
		g_string_append_c(text, '\n');
	}
	g_string_append_c(text, '\n');
}

static void cause_text(GString *text, const json_t *cause)
{
	if (*document_string(cause, "path"))
		g_string_append_printf(text, "%s: ", document_string(cause, "path"));
	document_arguments(text, json_object_get(cause, "arguments"));
}

static void recovered_text(GString *text, const json_t *item, const struct document *document)
{
	const json_t *cause = json_object_get(item, "cause");

	text_count(text, (uint64_t)document_int(item, "count"), "time", "times");
	g_string_append_printf(text, " %s inside %s failed with %s, first at ",
			       document_string(cause, "call"), document_string(item, "call"),
			       document_string(item, "errno_name"));
	document_moment(text, document, item, "first_ns");
	g_string_append_printf(text, "; %s\n    ", document_string(item, "process"));
	cause_text(text, cause);
	g_string_append_c(text, '\n');
}

void failures_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *failures = json_object_get(json, "failures");
	const json_t *recovered = json_object_get(json, "recovered");

	document_header(text, "FAILED CALLS", document);
	if (document_int(json, "failed_calls") == 0)
		g_string_append(text, "No recorded call of the library or the driver failed.\n");
	else
		text_count(text, (uint64_t)document_int(json, "failed_calls"), "call failed.\n\n",
			   "calls failed.\n\n");
	for (size_t i = 0; i < document_shown(document, failures); i++)
		failure_text(text, json_array_get(failures, i), document);
	document_more(text, document, failures, "failures");
	if (json_array_size(recovered)) {
		g_string_append(text, "\nFAILED INSIDE CALLS THAT SUCCEEDED\n");
		for (size_t i = 0; i < document_shown(document, recovered); i++)
			recovered_text(text, json_array_get(recovered, i), document);
		document_more(text, document, recovered, "of them");
	}
}
