/* SPDX-License-Identifier: MIT */
/*
 * Writes a recording of any size in the layout of LTTng's user-space tracer and with the fields of
 * our own events: a program of two threads that allocates, maps, waits, unmaps and frees, with so
 * many blocks alive at any time. For measuring how analyses scale; the same arguments write the same
 * bytes.
 *
 *   bench_big_trace DIRECTORY EVENTS [ALLOCATIONS [STACKS [LIVE]]]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	STREAMS = 2,
	CLASS_MAX = 32,
	DEPTH = 16,        /* frames of each stack */
	OTHER_STACKS = 64, /* of calls that do not allocate */
	PACKET_BYTES = 1 << 19,
	HEADER_BYTES = 32 + 52, /* packet header and context */
	EVENT_BYTES_MAX = 4096,
	EVENTS_A_CALL = 4, /* API entry, ioctl entry, ioctl exit, API exit */
	STEP_NS = 400,
};

static const unsigned char trace_uuid[16] = { 0x6b, 0x66, 0x64, 0x73, 0x63, 0x6f, 0x70, 0x65,
					      0x40, 0x00, 0x80, 0x00, 0x62, 0x69, 0x67, 0x31 };
static const char uuid_text[] = "6b666473-636f-7065-4000-800062696731";

struct stream {
	FILE *file;
	unsigned char packet[PACKET_BYTES];
	size_t used;
	uint64_t begin_ns, end_ns, sequence;
};

/* Either describes event classes (metadata is set) or writes events. */
struct writer {
	FILE *metadata; /* owned; NULL once all classes are described */
	struct stream streams[STREAMS];
	struct stream *stream; /* of the current event */
	const char *classes[CLASS_MAX];
	unsigned int class_count;
	uint64_t time_ns, events;
	uint64_t api_calls[STREAMS], ioctls[STREAMS];
	unsigned int thread;
	bool failed;
};

static void put(struct writer *w, const void *data, size_t size)
{
	memcpy(w->stream->packet + w->stream->used, data, size);
	w->stream->used += size;
}

static void number(struct writer *w, const char *name, unsigned int bits, int base, uint64_t value)
{
	if (w->metadata)
		fprintf(w->metadata,
			"\t\tinteger { size = %u; align = 8; signed = 0; encoding = none; base = "
			"%d; } "
			"_%s;\n",
			bits, base, name);
	else
		put(w, &value, bits / 8); /* little endian */
}

static void i32(struct writer *w, const char *name, int32_t value)
{
	if (w->metadata)
		fprintf(w->metadata,
			"\t\tinteger { size = 32; align = 8; signed = 1; encoding = none; base = "
			"10; } "
			"_%s;\n",
			name);
	else
		put(w, &value, sizeof(value));
}

static void u8(struct writer *w, const char *name, uint8_t value)
{
	number(w, name, 8, 10, value);
}

static void u32(struct writer *w, const char *name, uint32_t value)
{
	number(w, name, 32, 10, value);
}

static void u64(struct writer *w, const char *name, uint64_t value)
{
	number(w, name, 64, 10, value);
}

static void x64(struct writer *w, const char *name, uint64_t value)
{
	number(w, name, 64, 16, value);
}

static void status(struct writer *w)
{
	const int32_t success = 0;

	if (w->metadata)
		fputs("\t\tenum : integer { size = 32; align = 8; signed = 1; encoding = none; "
		      "base = 10; } { \"HSAKMT_STATUS_SUCCESS\" = 0, \"HSAKMT_STATUS_ERROR\" = 1, "
		      "\"HSAKMT_STATUS_NO_MEMORY\" = 6 } _status;\n",
		      w->metadata);
	else
		put(w, &success, sizeof(success));
}

static void row(struct writer *w, const char *name, unsigned int bits, const void *data,
		uint16_t count)
{
	if (w->metadata) {
		fprintf(w->metadata,
			"\t\tinteger { size = 16; align = 8; signed = 0; encoding = none; base = "
			"10; } "
			"__%s_length;\n\t\tinteger { size = %u; align = 8; signed = 0; encoding = "
			"none; base = 16; } _%s[ __%s_length ];\n",
			name, bits, name, name);
		return;
	}
	put(w, &count, sizeof(count));
	put(w, data, (size_t)count * bits / 8);
}

static void stack(struct writer *w, int64_t which)
{
	uint64_t frames[DEPTH];

	for (int i = 0; i < DEPTH; i++)
		frames[i] = UINT64_C(0x7f0000001000) + (uint64_t)i * 0x1000;
	frames[1] = UINT64_C(0x55d000000000) + (uint64_t)which * 32;
	frames[2] = UINT64_C(0x55e000000000) + (uint64_t)(which / 16) * 32;
	row(w, "bt", 64, frames, which < 0 ? 0 : DEPTH);
	u8(w, "bt_truncated", 0);
}

static void flush(struct writer *w, struct stream *stream)
{
	const uint32_t magic = UINT32_C(0xC1FC1FC1), stream_id = 0;
	const uint32_t cpu = (uint32_t)(stream - w->streams);
	const uint64_t instance = cpu;
	const uint64_t context[] = { stream->begin_ns, stream->end_ns,   stream->used * 8,
				     PACKET_BYTES * 8, stream->sequence, 0 };
	unsigned char *at = stream->packet;

	memcpy(at, &magic, 4);
	memcpy(at + 4, trace_uuid, 16);
	memcpy(at + 20, &stream_id, 4);
	memcpy(at + 24, &instance, 8);
	memcpy(at + 32, context, sizeof(context));
	memcpy(at + 32 + sizeof(context), &cpu, 4);
	memset(at + stream->used, 0, PACKET_BYTES - stream->used);
	w->failed |= fwrite(stream->packet, PACKET_BYTES, 1, stream->file) != 1;
	stream->used = HEADER_BYTES;
	stream->begin_ns = stream->end_ns;
	stream->sequence++;
}

static unsigned int class_of(struct writer *w, const char *name)
{
	unsigned int id = 0;

	while (id < w->class_count && w->classes[id] != name && strcmp(w->classes[id], name) != 0)
		id++;
	if (id == w->class_count && w->class_count < CLASS_MAX)
		w->classes[w->class_count++] = name;
	return id;
}

static void begin(struct writer *w, const char *name)
{
	unsigned int id = class_of(w, name);
	uint16_t short_id = (uint16_t)id;
	uint32_t low;
	const int32_t pid = 4711, tid = 4711 + (int32_t)w->thread;

	if (w->metadata) {
		fprintf(w->metadata,
			"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tloglevel = "
			"13;\n"
			"\tfields := struct {\n",
			name, id);
		return;
	}
	w->stream = &w->streams[w->thread];
	if (w->stream->used + EVENT_BYTES_MAX > PACKET_BYTES)
		flush(w, w->stream);
	w->time_ns += STEP_NS;
	w->stream->end_ns = w->time_ns;
	low = (uint32_t)w->time_ns;
	put(w, &short_id, sizeof(short_id));
	put(w, &low, sizeof(low));
	put(w, &pid, sizeof(pid));
	put(w, &tid, sizeof(tid));
	put(w, "big_program\0\0\0\0\0", 17);
	w->events++;
}

static void end(struct writer *w)
{
	if (w->metadata)
		fputs("\t};\n};\n\n", w->metadata);
}

static void api_head(struct writer *w, const char *event)
{
	begin(w, event);
	u32(w, "ctx", 0);
	u64(w, "call", w->api_calls[w->thread]);
}

static void api_exit(struct writer *w, const char *event)
{
	api_head(w, event);
	status(w);
	i32(w, "os_errno", 0);
}

static void ioctl_head(struct writer *w, const char *event)
{
	begin(w, event);
	u64(w, "call", w->ioctls[w->thread]);
	u64(w, "api_call", w->api_calls[w->thread]);
}

static void ioctl_exit(struct writer *w, const char *event)
{
	ioctl_head(w, event);
	i32(w, "ret", 0);
	i32(w, "os_errno", 0);
}

static void begin_call(struct writer *w)
{
	w->api_calls[w->thread]++;
	w->ioctls[w->thread]++;
}

static void allocate(struct writer *w, uint64_t block, uint64_t which)
{
	static const char *const flags[] = {
		"NonPaged",         "CachePolicy",         "ReadOnly",         "PageSize",
		"HostAccess",       "NoSubstitute",        "GDSMemory",        "Scratch",
		"AtomicAccessFull", "AtomicAccessPartial", "ExecuteAccess",    "CoarseGrain",
		"AQLQueueMemory",   "FixedAddress",        "NoNUMABind",       "Uncached",
		"NoAddress",        "OnlyAddress",         "ExtendedCoherent", "GTTAccess",
		"Contiguous",       "ExecuteBlit",         "QueueObject",
	};
	static const char *const ioctl_flags[] = {
		"VRAM",          "GTT",
		"USERPTR",       "DOORBELL",
		"MMIO_REMAP",    "WRITABLE",
		"EXECUTABLE",    "PUBLIC",
		"NO_SUBSTITUTE", "AQL_QUEUE_MEM",
		"COHERENT",      "UNCACHED",
		"EXT_COHERENT",  "CONTIGUOUS_BEST_EFFORT",
	};
	const uint64_t address = UINT64_C(0x7fb000000000) + block * 0x10000;
	char name[64];

	begin_call(w);
	api_head(w, "kmt:hsaKmtAllocMemory_entry");
	u32(w, "PreferredNode", 1);
	u32(w, "PreferredNode_gpu_id", 40961);
	u64(w, "SizeInBytes", 65536);
	number(w, "MemFlags", 32, 16, 1);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		snprintf(name, sizeof(name), "MemFlags_%s", flags[i]);
		u8(w, name, i == 0);
	}
	u8(w, "MemoryAddress_valid", 1);
	x64(w, "MemoryAddress", 0);
	stack(w, (int64_t)which);
	end(w);
	ioctl_head(w, "kfd:ALLOC_MEMORY_OF_GPU_entry");
	i32(w, "fd", 17);
	x64(w, "va_addr", address);
	u64(w, "size", 65536);
	x64(w, "mmap_offset", 0);
	u32(w, "gpu_id", 40961);
	number(w, "flags", 32, 16, 1);
	for (size_t i = 0; i < sizeof(ioctl_flags) / sizeof(ioctl_flags[0]); i++) {
		snprintf(name, sizeof(name), "flags_%s", ioctl_flags[i]);
		u8(w, name, i == 0);
	}
	stack(w, -1);
	end(w);
	ioctl_exit(w, "kfd:ALLOC_MEMORY_OF_GPU_exit");
	x64(w, "handle", UINT64_C(0xa00100000000) + block);
	x64(w, "mmap_offset", 0x100000);
	end(w);
	api_exit(w, "kmt:hsaKmtAllocMemory_exit");
	u8(w, "MemoryAddress_valid", 1);
	x64(w, "MemoryAddress", address);
	end(w);
}

static void map_ioctl(struct writer *w, const char *entry, const char *exit, uint64_t block)
{
	const uint32_t gpu = 40961;

	ioctl_head(w, entry);
	i32(w, "fd", 17);
	x64(w, "handle", UINT64_C(0xa00100000000) + block);
	x64(w, "device_ids_array_ptr", UINT64_C(0x55de8f366594));
	u64(w, "device_ids_count", 1);
	u8(w, "device_ids_truncated", 0);
	row(w, "device_ids", 32, &gpu, 1);
	u32(w, "n_devices", 1);
	u32(w, "n_success", 0);
	stack(w, -1);
	end(w);
	ioctl_exit(w, exit);
	u32(w, "n_success", 1);
	end(w);
}

static void map(struct writer *w, uint64_t block, uint64_t which)
{
	begin_call(w);
	api_head(w, "kmt:hsaKmtMapMemoryToGPU_entry");
	x64(w, "MemoryAddress", UINT64_C(0x7fb000000000) + block * 0x10000);
	u64(w, "MemorySizeInBytes", 65536);
	stack(w, (int64_t)which);
	end(w);
	map_ioctl(w, "kfd:MAP_MEMORY_TO_GPU_entry", "kfd:MAP_MEMORY_TO_GPU_exit", block);
	api_exit(w, "kmt:hsaKmtMapMemoryToGPU_exit");
	u8(w, "AlternateVAGPU_valid", 1);
	x64(w, "AlternateVAGPU", 0);
	end(w);
}

static void unmap(struct writer *w, uint64_t block, uint64_t which)
{
	begin_call(w);
	api_head(w, "kmt:hsaKmtUnmapMemoryToGPU_entry");
	x64(w, "MemoryAddress", UINT64_C(0x7fb000000000) + block * 0x10000);
	stack(w, (int64_t)which);
	end(w);
	map_ioctl(w, "kfd:UNMAP_MEMORY_FROM_GPU_entry", "kfd:UNMAP_MEMORY_FROM_GPU_exit", block);
	api_exit(w, "kmt:hsaKmtUnmapMemoryToGPU_exit");
	end(w);
}

static void release(struct writer *w, uint64_t block, uint64_t which)
{
	begin_call(w);
	api_head(w, "kmt:hsaKmtFreeMemory_entry");
	x64(w, "MemoryAddress", UINT64_C(0x7fb000000000) + block * 0x10000);
	u64(w, "SizeInBytes", 65536);
	stack(w, (int64_t)which);
	end(w);
	ioctl_head(w, "kfd:FREE_MEMORY_OF_GPU_entry");
	i32(w, "fd", 17);
	x64(w, "handle", UINT64_C(0xa00100000000) + block);
	stack(w, -1);
	end(w);
	ioctl_exit(w, "kfd:FREE_MEMORY_OF_GPU_exit");
	end(w);
	api_exit(w, "kmt:hsaKmtFreeMemory_exit");
	end(w);
}

static void event_data(struct writer *w)
{
	const uint32_t id = 5, none32 = 0;
	const uint64_t age = 1, none64 = 0;

	x64(w, "events_ptr", UINT64_C(0x7ffc00001000));
	u64(w, "events_count", 1);
	u8(w, "events_truncated", 0);
	row(w, "events_event_id", 32, &id, 1);
	row(w, "events_last_event_age", 64, &age, 1);
	row(w, "events_memory_va", 64, &none64, 1);
	row(w, "events_memory_gpu_id", 32, &none32, 1);
	row(w, "events_memory_error_type", 32, &none32, 1);
}

static void wait_event(struct writer *w, uint64_t which)
{
	begin_call(w);
	api_head(w, "kmt:hsaKmtWaitOnEvent_entry");
	x64(w, "Event", UINT64_C(0x55de8f300000));
	u32(w, "Event_id", 5);
	u32(w, "Milliseconds", 100);
	stack(w, (int64_t)which);
	end(w);
	ioctl_head(w, "kfd:WAIT_EVENTS_entry");
	i32(w, "fd", 17);
	event_data(w);
	u32(w, "num_events", 1);
	u32(w, "wait_for_all", 1);
	u32(w, "timeout", 100);
	stack(w, -1);
	end(w);
	ioctl_exit(w, "kfd:WAIT_EVENTS_exit");
	event_data(w);
	u32(w, "timeout", 100);
	i32(w, "wait_result", 0);
	end(w);
	api_exit(w, "kmt:hsaKmtWaitOnEvent_exit");
	end(w);
}

static void describe(struct writer *w)
{
	fprintf(w->metadata,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n\n"
		"env {\n\tdomain = \"ust\";\n\ttracer_name = \"lttng-ust\";\n"
		"\ttracer_major = 2;\n\ttracer_minor = 13;\n\ttrace_name = \"big\";\n"
		"\thostname = \"host\";\n};\n\n"
		"clock {\n\tname = \"monotonic\";\n\tuuid = \"%s\";\n\tfreq = 1000000000;\n"
		"\toffset = 1700000000000000000;\n};\n\n",
		uuid_text, uuid_text);
	fputs("typealias integer { size = 32; align = 8; signed = false; "
	      "map = clock.monotonic.value; } := uint32_clock_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; "
	      "map = clock.monotonic.value; } := uint64_clock_t;\n\n"
	      "stream {\n\tid = 0;\n"
	      "\tevent.header := struct {\n"
	      "\t\tenum : integer { size = 16; align = 8; signed = false; } "
	      "{ compact = 0 ... 65534, extended = 65535 } id;\n"
	      "\t\tvariant <id> {\n\t\t\tstruct { uint32_clock_t timestamp; } compact;\n"
	      "\t\t\tstruct { uint32_t id; uint64_clock_t timestamp; } extended;\n\t\t} v;\n"
	      "\t} align(8);\n"
	      "\tpacket.context := struct {\n\t\tuint64_clock_t timestamp_begin;\n"
	      "\t\tuint64_clock_t timestamp_end;\n\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t};\n"
	      "\tevent.context := struct {\n"
	      "\t\tinteger { size = 32; align = 8; signed = 1; } _vpid;\n"
	      "\t\tinteger { size = 32; align = 8; signed = 1; } _vtid;\n"
	      "\t\tinteger { size = 8; align = 8; signed = 0; encoding = UTF8; } _procname[17];\n"
	      "\t};\n};\n\n",
	      w->metadata);
	allocate(w, 0, 0);
	map(w, 0, 0);
	unmap(w, 0, 0);
	release(w, 0, 0);
	wait_event(w, 0);
	memset(w->api_calls, 0, sizeof(w->api_calls));
	memset(w->ioctls, 0, sizeof(w->ioctls));
}

static FILE *open_file(const char *directory, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file)
		fprintf(stderr, "bench_big_trace: cannot write '%s': %s\n", path, strerror(errno));
	return file;
}

static void run(struct writer *w, uint64_t events, uint64_t allocations, uint64_t stacks,
		uint64_t live)
{
	uint64_t freed = 0;

	for (uint64_t block = 0; w->events < events; block++) {
		uint64_t which = block % OTHER_STACKS;
		uint64_t due = events * (block + 1) / allocations;

		w->thread = (unsigned int)(block % STREAMS);
		if (block < allocations) {
			allocate(w, block, OTHER_STACKS + block % stacks);
			map(w, block, which);
			if (block - freed >= live) {
				unmap(w, freed, which);
				release(w, freed++, which);
			}
		}
		while (w->events + EVENTS_A_CALL <= due)
			wait_event(w, which);
		if (block >= allocations)
			wait_event(w, which);
	}
}

static uint64_t argument(char **argv, int argc, int index, uint64_t otherwise)
{
	return argc > index ? strtoull(argv[index], NULL, 0) : otherwise;
}

static bool finish(struct writer *w)
{
	for (int i = 0; i < STREAMS; i++) {
		if (!w->streams[i].file)
			continue;
		flush(w, &w->streams[i]);
		w->failed |= fclose(w->streams[i].file) != 0;
	}
	return !w->failed;
}

int main(int argc, char **argv)
{
	uint64_t events = argument(argv, argc, 2, 0);
	uint64_t allocations = argument(argv, argc, 3, events / 25 ? events / 25 : 1);
	uint64_t stacks = argument(argv, argc, 4, 50000);
	uint64_t live = argument(argv, argc, 5, 1000);
	struct writer *w = calloc(1, sizeof(*w));
	bool ok = false;

	if (argc < 3 || !events || !allocations || !stacks || !live || !w) {
		fputs("usage: bench_big_trace DIRECTORY EVENTS [ALLOCATIONS [STACKS [LIVE]]]\n",
		      stderr);
		goto out;
	}
	if (mkdir(argv[1], 0777) != 0) {
		fprintf(stderr, "bench_big_trace: '%s': %s\n", argv[1], strerror(errno));
		goto out;
	}
	w->metadata = open_file(argv[1], "metadata");
	if (!w->metadata)
		goto out;
	describe(w);
	w->failed = fclose(w->metadata) != 0;
	w->metadata = NULL;
	for (int i = 0; i < STREAMS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "kfdscope_%d", i);
		w->streams[i].file = open_file(argv[1], name);
		w->streams[i].used = HEADER_BYTES;
		w->failed |= !w->streams[i].file;
	}
	if (!w->failed)
		run(w, events, allocations, stacks, live);
	ok = finish(w);
	if (ok)
		printf("%" PRIu64 " events\n", w->events);
out:
	free(w);
	return ok ? 0 : 1;
}
