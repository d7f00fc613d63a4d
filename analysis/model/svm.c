/* SPDX-License-Identifier: MIT */
/* Modes and attributes (svm.h). */
#include "svm.h"

#include "op_cache.h"

enum svm_op {
	SVM_OP_NONE,
	SVM_OP_SET,
	SVM_OP_GET,
	SVM_OP_MODE_SET,
	SVM_OP_MODE_GET,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtSVMSetAttr", SVM_OP_SET },
	{ LAYER_API, "hsaKmtSVMGetAttr", SVM_OP_GET },
	{ LAYER_API, "hsaKmtSetXNACKMode", SVM_OP_MODE_SET },
	{ LAYER_API, "hsaKmtGetXNACKMode", SVM_OP_MODE_GET },
};

struct svm {
	struct model *model;          /* borrowed */
	struct driver_events *driver; /* owned */
	struct op_cache ops;
	GHashTable *entries;  /* struct thread (borrowed) -> struct args, owned: of the open call */
	GPtrArray *processes; /* of struct svm_process, owned */
	GPtrArray *ranges;    /* of struct svm_range, owned */
	GHashTable *index;    /* set of borrowed struct svm_range: by process, address and size */
};

static void process_free_svm(void *data)
{
	struct svm_process *about = data;

	g_array_free(about->modes, TRUE);
	g_free(about);
}

static void call_clear(void *data)
{
	g_free(((struct svm_call *)data)->attributes);
}

static void range_free(void *data)
{
	struct svm_range *range = data;

	g_array_free(range->calls, TRUE);
	g_free(range);
}

static void free_args(void *data)
{
	args_free(data);
}

static struct svm_process *process_of(struct svm *svm, struct process *process)
{
	struct svm_process *about;

	for (guint i = svm->processes->len; i > 0; i--) {
		about = g_ptr_array_index(svm->processes, i - 1);
		if (about->process == process)
			return about;
	}
	about = g_new0(struct svm_process, 1);
	about->process = process;
	about->mode = XNACK_UNKNOWN;
	about->modes = g_array_new(FALSE, TRUE, sizeof(struct xnack_call));
	g_ptr_array_add(svm->processes, about);
	return about;
}

static guint range_hash(gconstpointer data)
{
	const struct svm_range *range = data;

	return g_direct_hash(range->process) ^ (guint)(range->address >> 12) * 2654435761u ^
	       (guint)(range->size_bytes >> 12);
}

static gboolean range_equal(gconstpointer left, gconstpointer right)
{
	const struct svm_range *a = left, *b = right;

	return a->process == b->process && a->address == b->address &&
	       a->size_bytes == b->size_bytes;
}

static struct svm_range *range_of(struct svm *svm, struct process *process, uint64_t address,
				  uint64_t size_bytes)
{
	const struct svm_range key = { .process = process,
				       .address = address,
				       .size_bytes = size_bytes };
	struct svm_range *range = g_hash_table_lookup(svm->index, &key);

	if (range)
		return range;
	range = g_new0(struct svm_range, 1);
	*range = key;
	range->calls = g_array_new(FALSE, TRUE, sizeof(struct svm_call));
	g_array_set_clear_func(range->calls, call_clear);
	g_ptr_array_add(svm->ranges, range);
	g_hash_table_add(svm->index, range);
	return range;
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct svm *svm = data;

	if (op_cache_find(&svm->ops, call->type) && !call_is_inner(call))
		g_hash_table_replace(svm->entries, call->thread, args_reader_all(entry->reader));
}

static uint32_t inner_errno(const struct call *call, const struct record *exit)
{
	return call->inner_errno ? call->inner_errno
				 : (uint32_t)values_get(&exit->values, FIELD_ERRNO, 0);
}

static void end_mode(struct svm *svm, const struct call *call, bool is_set,
		     const struct args *entry, const struct record *exit)
{
	struct svm_process *about = process_of(svm, call->thread->process);
	struct xnack_call mode = {
		.time_ns = exit->time_ns,
		.is_set = is_set,
		.wanted = (int32_t)args_number(entry, "enable", 0),
		.before = about->mode,
		.status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 1),
		.os_errno = 0,
		.stack = call->stack,
	};

	if (mode.status)
		mode.os_errno = inner_errno(call, exit);
	else if (is_set)
		about->mode = mode.wanted != 0;
	else
		about->mode = args_reader_number(exit->reader, "enable", 0) != 0;
	mode.after = about->mode;
	if (scope_counts(model_scope(svm->model), exit->time_ns))
		g_array_append_val(about->modes, mode);
}

/* Types and values, as the call had them, or as a get came back with them. */
static void take_attributes(struct svm_call *to, const uint64_t *types, const uint64_t *values,
			    uint32_t count)
{
	to->count = count;
	to->attributes = g_new0(struct svm_attribute, MAX(count, 1));
	for (uint32_t i = 0; i < count; i++)
		to->attributes[i] =
			(struct svm_attribute){ (uint32_t)types[i], (uint32_t)values[i] };
}

static void end_attributes(struct svm *svm, const struct call *call, bool is_set,
			   const struct args *entry, const struct record *exit)
{
	struct svm_range *range;
	const struct arg *types = args_find(entry, "attrs_type");
	const struct arg *values = args_find(entry, "attrs_value");
	uint64_t got_types[SVM_ATTRIBUTES_MAX], got_values[SVM_ATTRIBUTES_MAX];
	struct svm_call one = {
		.time_ns = exit->time_ns,
		.is_set = is_set,
		.status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 1),
		.stack = call->stack,
		.wanted = (uint32_t)args_number(entry, "nattr", 0),
	};
	uint32_t count;

	(void)process_of(svm, call->thread->process);
	if (!scope_counts(model_scope(svm->model), exit->time_ns))
		return;
	range = range_of(svm, call->thread->process, args_number(entry, "start_addr", 0),
			 args_number(entry, "size", 0));
	if (range->calls->len >= SVM_CALLS_MAX) {
		range->more++;
		return;
	}
	if (one.status)
		one.os_errno = inner_errno(call, exit);
	count = args_reader_row(exit->reader, "attrs_type", got_types, SVM_ATTRIBUTES_MAX);
	if (!is_set && !one.status && count &&
	    args_reader_row(exit->reader, "attrs_value", got_values, SVM_ATTRIBUTES_MAX) == count)
		take_attributes(&one, got_types, got_values, count);
	else
		take_attributes(&one, types ? args_row(entry, types) : NULL,
				values ? args_row(entry, values) : NULL,
				types && values ? MIN(types->count, values->count) : 0);
	g_array_append_val(range->calls, one);
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct svm *svm = data;
	enum svm_op op = (enum svm_op)op_cache_find(&svm->ops, call->type);
	const struct args *entry;

	(void)time_ns;
	if (op == SVM_OP_NONE || call_is_inner(call))
		return;
	entry = g_hash_table_lookup(svm->entries, call->thread);
	if (exit && op >= SVM_OP_MODE_SET)
		end_mode(svm, call, op == SVM_OP_MODE_SET, entry, exit);
	else if (exit)
		end_attributes(svm, call, op == SVM_OP_SET, entry, exit);
	g_hash_table_remove(svm->entries, call->thread);
}

struct svm *svm_new(struct model *model)
{
	struct svm *svm = g_new0(struct svm, 1);
	const struct model_observer observer = { .data = svm,
						 .call_began = call_began,
						 .call_ended = call_ended };

	svm->model = model;
	svm->driver = driver_events_new(model);
	op_cache_init(&svm->ops, known_ops, G_N_ELEMENTS(known_ops));
	svm->entries = g_hash_table_new_full(NULL, NULL, NULL, free_args);
	svm->processes = g_ptr_array_new_with_free_func(process_free_svm);
	svm->ranges = g_ptr_array_new_with_free_func(range_free);
	svm->index = g_hash_table_new(range_hash, range_equal);
	model_observe(model, &observer);
	return svm;
}

void svm_free(struct svm *svm)
{
	if (!svm)
		return;
	driver_events_free(svm->driver);
	op_cache_fini(&svm->ops);
	g_hash_table_destroy(svm->entries);
	g_hash_table_destroy(svm->index);
	g_ptr_array_free(svm->processes, TRUE);
	g_ptr_array_free(svm->ranges, TRUE);
	g_free(svm);
}

const struct driver_events *svm_driver(const struct svm *svm)
{
	return svm->driver;
}

const GPtrArray *svm_processes(const struct svm *svm)
{
	return svm->processes;
}

const GPtrArray *svm_ranges(const struct svm *svm)
{
	return svm->ranges;
}
