/* SPDX-License-Identifier: MIT */
/*
 * Why calls fail: the library's own checks in the order in which it makes them, and what errno values
 * of the driver mean (memory.md 2, 10, 11, 17; queues.md 5; events.md 2; perf.md 2).
 */
#include "failures.h"

#include <errno.h>
#include <string.h>

enum {
	STATUS_ERROR = 1,
	STATUS_INVALID_PARAMETER = 3,
	STATUS_INVALID_HANDLE = 4,
	STATUS_INVALID_NODE_UNIT = 5,
	STATUS_NO_MEMORY = 6,
	STATUS_NOT_IMPLEMENTED = 10,
	STATUS_NOT_SUPPORTED = 11,
	STATUS_UNAVAILABLE = 12,
	STATUS_NOT_OPENED = 20,
};

/* Of 4096 ids the driver gives out all but 0 (kfd.md 7.1). */
#define EVENT_SLOTS 4095u
/* The libdrm call that opens a render node, in the numbering of the device table. */
#define DRM_OPEN_RENDER 8u

/* What an errno means when a file of the driver is opened. */
static const struct {
	int os_errno;
	const char *text;
} open_errors[] = {
	{ ENOENT, "the file does not exist: the amdgpu driver is not loaded, or the container was "
		  "not given the device" },
	{ EACCES, "no permission, resources are not short: the user is not in the group that owns "
		  "the file (render or video)" },
	{ EPERM, "not permitted, resources are not short: a device policy (cgroup) of the "
		 "container forbids it" },
	{ ENOMEM, "the kernel has no memory, or no process slot left in the driver" },
	{ EINVAL, "the driver does not support this process or card (a 32-bit process, or a card "
		  "without support)" },
	{ EBUSY, "the device is held exclusively, or is just being reset" },
	{ ENODEV, "the driver is there, but no device that it supports" },
	{ EMFILE, "the process has as many files open as its limit allows" },
};

static const char *open_error(uint32_t os_errno)
{
	for (size_t i = 0; i < G_N_ELEMENTS(open_errors); i++) {
		if (open_errors[i].os_errno == (int)os_errno)
			return open_errors[i].text;
	}
	return NULL;
}

static bool is_set(const struct args *args, const char *name)
{
	return args_number(args, name, 0) != 0;
}

/* The page size that an allocation's flags ask for. */
static uint64_t page_size_bytes(const struct args *args)
{
	static const uint64_t sizes[] = { 4096, 65536, 2 << 20, 1 << 30 };
	uint64_t size = args_number(args, "MemFlags_PageSize", 0);

	return sizes[MIN(size, G_N_ELEMENTS(sizes) - 1)];
}

static char *node_rule(const struct failure *failure)
{
	const struct process *process = failure->process;
	const struct args *args = failure->args;
	const char *const names[] = { "PreferredNode", "NodeId", "Node", "node_id" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		uint64_t node = args_number(args, names[i], UINT64_MAX);

		if (node == UINT64_MAX)
			continue;
		if (process_node(process, (uint32_t)node))
			return g_strdup_printf(
				"node %" G_GUINT64_FORMAT " cannot be used for this call", node);
		return g_strdup_printf("there is no node %" G_GUINT64_FORMAT
				       ": the process knows %u nodes",
				       node, process->nodes->len);
	}
	return g_strdup("a node that was named does not exist or cannot be used for this call");
}

static char *alloc_parameter(const struct args *args)
{
	uint64_t size = args_number(args, "SizeInBytes", 0);
	uint64_t alignment = args_number(args, "Alignment", 0);
	uint64_t page = page_size_bytes(args);

	if (alignment && alignment < page)
		return g_strdup_printf("the alignment %" G_GUINT64_FORMAT
				       " is less than a page of %" G_GUINT64_FORMAT " bytes",
				       alignment, page);
	if (alignment & (alignment - 1))
		return g_strdup_printf("the alignment %" G_GUINT64_FORMAT " is no power of two",
				       alignment);
	if (!args_number(args, "MemoryAddress_valid", 1))
		return g_strdup("the pointer for the address is NULL");
	if (size == 0)
		return g_strdup("the size is 0");
	if (size % page)
		return g_strdup_printf("the size %" G_GUINT64_FORMAT
				       " is no multiple of the page size %" G_GUINT64_FORMAT,
				       size, page);
	if (is_set(args, "MemFlags_FixedAddress") && !args_number(args, "MemoryAddress", 0))
		return g_strdup("FixedAddress needs an address, and it is NULL");
	if (is_set(args, "MemFlags_CoarseGrain") && is_set(args, "MemFlags_ExtendedCoherent"))
		return g_strdup("CoarseGrain and ExtendedCoherent exclude each other");
	if (is_set(args, "MemFlags_ExtendedCoherent") && is_set(args, "MemFlags_Uncached"))
		return g_strdup("ExtendedCoherent and Uncached exclude each other");
	if (is_set(args, "MemFlags_OnlyAddress") && is_set(args, "MemFlags_NoAddress"))
		return g_strdup("OnlyAddress and NoAddress exclude each other");
	return NULL;
}

/* The kernel had no memory: which limit that can be. */
static char *memory_limit(const struct failure *failure)
{
	const char *kind = memory_kind_name(failure->kind);

	if (failure->kind == MEMORY_DEVICE_HOST)
		return g_strdup_printf(
			"the kernel has not so much %s: of device memory on the node "
			"this process holds %" G_GUINT64_FORMAT
			" bytes; the CPU-visible part of it is the smaller limit",
			kind, failure->kind_bytes);
	return g_strdup_printf("the kernel has not so much %s left: this process holds "
			       "%" G_GUINT64_FORMAT " bytes of it",
			       kind, failure->kind_bytes);
}

static char *alloc_rule(const struct failure *failure)
{
	switch (failure->status) {
	case STATUS_INVALID_PARAMETER:
		return alloc_parameter(failure->args);
	case STATUS_NOT_IMPLEMENTED:
		return g_strdup("scratch memory takes no alignment");
	case STATUS_NOT_SUPPORTED:
		return g_strdup("contiguous memory needs interface version 1.16");
	case STATUS_NO_MEMORY:
	case STATUS_ERROR:
		if (failure->os_errno == ENOMEM || failure->os_errno == ENOSPC)
			return memory_limit(failure);
		if (failure->os_errno == 0)
			return g_strdup("no free range of addresses, or no memory for the "
					"library's own record");
		return NULL;
	default:
		return NULL;
	}
}

static char *register_rule(const struct failure *failure)
{
	switch (failure->status) {
	case STATUS_INVALID_HANDLE:
		return g_strdup(
			"the range belongs to memory from hsaKmtAllocMemory, which cannot be "
			"registered as host memory");
	case STATUS_INVALID_PARAMETER:
		if (is_set(failure->args, "MemFlags_CoarseGrain") &&
		    is_set(failure->args, "MemFlags_ExtendedCoherent"))
			return g_strdup("CoarseGrain and ExtendedCoherent exclude each other");
		return NULL;
	case STATUS_ERROR:
	case STATUS_NO_MEMORY:
		if (failure->os_errno == ENOMEM)
			return g_strdup_printf("the kernel cannot pin so much host memory: %" //
					       G_GUINT64_FORMAT
					       " bytes are registered, the locked-memory limit is "
					       "%" G_GUINT64_FORMAT " bytes",
					       failure->process->memory->registered.live_bytes,
					       failure->process->memlock_bytes);
		if (failure->os_errno == EFAULT)
			return g_strdup("part of the range is not mapped in the process");
		return NULL;
	default:
		return NULL;
	}
}

static void append_nodes(GString *text, const struct process *process, const uint64_t *gpus,
			 uint32_t count)
{
	g_string_append(text, count == 1 ? " on node" : " on nodes");
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = process_node_of_gpu(process, (uint32_t)gpus[i]);

		g_string_append(text, i == 0 ? " " : i + 1 == count ? " and " : ", ");
		if (node)
			g_string_append_printf(text, "%u", node->node_id);
		else
			g_string_append_printf(text, "of gpu %" G_GUINT64_FORMAT, gpus[i]);
	}
}

static char *free_rule(const struct failure *failure, const struct call *call)
{
	const struct refusal *refusal = call->target ? &call->target->refusal : NULL;
	GString *text;

	if (failure->os_errno == EBUSY) {
		text = g_string_new("the memory is still mapped");
		if (refusal && refusal->mapped_count)
			append_nodes(text, failure->process, refusal->mapped_gpus,
				     refusal->mapped_count);
		return g_string_free(text, FALSE);
	}
	if (args_number(failure->args, "MemoryAddress", 1) == 0)
		return g_strdup("the address is NULL");
	if (!call->target)
		return g_strdup("no living allocation begins at the address: it was freed already, "
				"or never given out");
	return NULL;
}

static char *queue_rule(const struct failure *failure)
{
	const struct arg *type = args_find(failure->args, "Type");
	int64_t priority = (int64_t)args_number(failure->args, "Priority", 0);

	if (failure->status == STATUS_INVALID_PARAMETER && !failure->os_errno) {
		if (priority < -3 || priority > 3)
			return g_strdup_printf("the priority %" G_GINT64_FORMAT
					       " is not within -3 to 3",
					       priority);
		if (type && !type->text)
			return g_strdup_printf("there is no queue type %" G_GUINT64_FORMAT,
					       type->number);
		if (type)
			return g_strdup_printf("the driver has no queues of type %s", type->text);
	}
	switch (failure->os_errno) {
	case ENOMEM:
		return g_strdup("the driver has no queue slot, doorbell or memory left");
	case EINVAL:
		return g_strdup("the driver rejects ring address, ring size or save area");
	case EBUSY:
		return g_strdup("the driver's scheduler is busy, or the node is being reset");
	case ETIME:
		return g_strdup("the GPU's scheduler did not answer in time: it may hang");
	default:
		return NULL;
	}
}

static char *event_rule(const struct failure *failure)
{
	if (failure->live_count >= EVENT_SLOTS)
		return g_strdup_printf("all %u event slots of the process are in use", EVENT_SLOTS);
	if (failure->status == STATUS_INVALID_PARAMETER)
		return g_strdup("there is no such event type");
	return NULL;
}

static char *svm_rule(const struct failure *failure)
{
	const struct args *args = failure->args;
	uint64_t start = args_number(args, "start_addr", 0), size = args_number(args, "size", 0);

	if (failure->status == STATUS_NOT_SUPPORTED)
		return g_strdup("shared virtual memory needs interface version 1.5");
	if (failure->status == STATUS_INVALID_PARAMETER) {
		if (!start || !size)
			return g_strdup("start and size must not be 0");
		if ((start | size) % 4096)
			return g_strdup("start and size must be multiples of the page size 4096");
		return g_strdup("too many attributes for one call");
	}
	if (failure->status == STATUS_INVALID_NODE_UNIT)
		return g_strdup("access can be set for GPU nodes only, and the node must exist");
	if (args_number(args, "nattr", 1) == 0 && failure->os_errno == EINVAL)
		return g_strdup("the driver wants at least one attribute");
	if (failure->os_errno == EFAULT)
		return g_strdup("part of the range is not mapped in the process");
	return NULL;
}

static char *xnack_rule(const struct failure *failure)
{
	if (failure->os_errno == EBUSY)
		return g_strdup("the mode cannot change while the process has queues");
	if (failure->os_errno == EPERM)
		return g_strdup("this hardware cannot retry page faults");
	return NULL;
}

static char *counter_rule(const struct failure *failure)
{
	if (strcmp(failure->type->name, "hsaKmtPmcStartTrace") == 0 &&
	    failure->status == STATUS_UNAVAILABLE)
		return g_strdup("the counters have no open perf event: access was not acquired, or "
				"is not possible for these counters");
	if (failure->status == STATUS_UNAVAILABLE)
		return g_strdup("too few free counters, or the process may not use them");
	if (failure->status == STATUS_INVALID_HANDLE)
		return g_strdup("there is no such counter run");
	return NULL;
}

static char *open_rule(const struct failure *failure)
{
	char *path = failure_path(failure->inner_args);
	const char *text = open_error(failure->os_errno);
	char *reason;

	if (!path)
		return g_strdup(text);
	reason = g_strdup_printf("%s: %s", path, text ? text : "the system refuses to open it");
	g_free(path);
	return reason;
}

/* By the operation, or by the name where the model knows none. */
static char *rule_of_call(const struct failure *failure, const struct call *call)
{
	const char *name = failure->type->name;

	switch (failure->type->op) {
	case OP_ALLOC:
		return alloc_rule(failure);
	case OP_BO_ALLOC:
		return failure->os_errno == ENOMEM ? memory_limit(failure) : NULL;
	case OP_REGISTER:
		return register_rule(failure);
	case OP_FREE:
	case OP_BO_FREE:
		return free_rule(failure, call);
	case OP_QUEUE_CREATE:
		return queue_rule(failure);
	case OP_EVENT_CREATE:
		return event_rule(failure);
	case OP_OPEN:
	case OP_OPEN_SECONDARY:
		return open_rule(failure);
	default:
		break;
	}
	if (g_str_has_prefix(name, "hsaKmtSVM"))
		return svm_rule(failure);
	if (g_str_has_suffix(name, "XNACKMode"))
		return xnack_rule(failure);
	if (g_str_has_prefix(name, "hsaKmtPmc"))
		return counter_rule(failure);
	return NULL;
}

char *failure_path(const struct args *args)
{
	const struct arg *path = args_find(args, "path");

	if (path && path->text)
		return g_strdup(path->text);
	if (args_number(args, "command", 0) == DRM_OPEN_RENDER)
		return g_strdup_printf("/dev/dri/renderD%" G_GUINT64_FORMAT,
				       args_number(args, "fd", 0));
	return NULL;
}

char *failure_rule(const struct failure *failure, const struct call *call)
{
	char *reason;

	if (failure->status == STATUS_NOT_OPENED && failure->type->op != OP_OPEN &&
	    failure->type->op != OP_OPEN_SECONDARY)
		return g_strdup(failure->process->forked
					? "the driver is not open: a child of fork must open it "
					  "for itself"
					: "the driver is not open in this process");
	reason = rule_of_call(failure, call);
	if (!reason && failure->status == STATUS_INVALID_NODE_UNIT)
		reason = node_rule(failure);
	return reason;
}
