/* SPDX-License-Identifier: MIT */
/*
 * Files that the library reads, summed up by node of the topology. A large machine has thousands of
 * them, each read in some microseconds: an event for each would cost more than the reading.
 */
#include <string.h>
#include <time.h>

#include "trace.h"

bool trace_reads_wanted(void)
{
	const struct trace_provider *provider = trace_provider_get();

	return __builtin_expect(provider != NULL, 0) &&
	       trace_enabled(provider, TRACE_kmt_os_files_read);
}

uint64_t trace_reads_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The node whose file it is: ROOT/nodes/NUMBER/…; -1: of none. */
static int32_t node_of(const struct device *dev, const char *path)
{
	size_t length = dev->topology_root ? strlen(dev->topology_root) : 0;
	uint32_t node = 0;

	if (length == 0 || strncmp(path, dev->topology_root, length) != 0 ||
	    strncmp(path + length, "/nodes/", 7) != 0)
		return -1;
	path += length + 7;
	if (*path < '0' || *path > '9')
		return -1;
	while (*path >= '0' && *path <= '9' && node < INT32_MAX / 10)
		node = node * 10 + (uint32_t)(*path++ - '0');
	return (int32_t)node;
}

void trace_reads_flush(void)
{
	struct trace_thread *thread = &trace_thread;
	const struct trace_reads *reads = &thread->reads;
	struct kmt_os_files_read event;

	/* What a handler adds while an event is made is told with the next. */
	if (thread->busy)
		return;
	thread->has_reads = false;
	if (!trace_point_begin(TRACE_kmt_os_files_read))
		return;
	event = (struct kmt_os_files_read){
		.api_call = thread->api_call,
		.topology_node = reads->node,
		.files = reads->files,
		.directories = reads->directories,
		.failed = reads->failed,
		.bytes = reads->bytes,
		.busy_ns = reads->busy_ns,
	};
	trace_call_fire(TRACE_kmt_os_files_read, &event);
}

void trace_reads_add(const struct device *dev, const char *path, bool is_directory,
		     uint64_t began_ns, int64_t ret)
{
	struct trace_thread *thread = &trace_thread;
	struct trace_reads *reads = &thread->reads;
	uint64_t busy_ns = trace_reads_now_ns() - began_ns;
	int32_t node = node_of(dev, path);

	if (thread->has_reads && reads->node != node)
		trace_reads_flush();
	if (!thread->has_reads)
		*reads = (struct trace_reads){ .node = node };
	thread->has_reads = true;
	if (ret < 0)
		reads->failed++;
	else if (!is_directory)
		reads->bytes += (uint64_t)ret;
	reads->files += !is_directory;
	reads->directories += is_directory;
	reads->busy_ns += busy_ns;
}
