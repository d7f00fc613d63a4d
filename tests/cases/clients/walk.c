/* SPDX-License-Identifier: MIT */
/*
 * Takes random steps and counts itself what reports must say of them: `walk SEED PROCESSES THREADS STEPS`.
 * Every process prints one line of JSON when it ends.
 */
#include "queues.h"

#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
	BLOCKS = 24,
	EVENTS = 8,
	QUEUES = 3,
	RANGES = 6,
	IMPORTS = 4,
	SITES = 4,
	KINDS = 2,
	NODES = 16,
	THREADS_MAX = 64,
};

#define FUNCTIONS(X)                                                                               \
	X(hsaKmtAllocMemory)                                                                       \
	X(hsaKmtFreeMemory)                                                                        \
	X(hsaKmtMapMemoryToGPUNodes)                                                               \
	X(hsaKmtUnmapMemoryToGPU)                                                                  \
	X(hsaKmtRegisterMemory)                                                                    \
	X(hsaKmtDeregisterMemory)                                                                  \
	X(hsaKmtCreateQueue)                                                                       \
	X(hsaKmtDestroyQueue)                                                                      \
	X(hsaKmtCreateEvent)                                                                       \
	X(hsaKmtDestroyEvent)                                                                      \
	X(hsaKmtSetEvent)                                                                          \
	X(hsaKmtWaitOnEvent)                                                                       \
	X(hsaKmtQueryPointerInfo)                                                                  \
	X(hsaKmtGetClockCounters)                                                                  \
	X(hsaKmtShareMemory)                                                                       \
	X(hsaKmtRegisterSharedHandle)

enum function {
#define NAME(f) F_##f,
	FUNCTIONS(NAME)
#undef NAME
		FUNCTION_COUNT
};

static const char *const function_names[] = {
#define NAME(f) #f,
	FUNCTIONS(NAME)
#undef NAME
};

/* As reports name them: with a GPU in the machine, host memory is pinned, whatever the flags. */
static const char *const kind_names[KINDS] = { "device memory", "pinned host memory" };

struct tally {
	unsigned long calls[FUNCTION_COUNT], failed[FUNCTION_COUNT];
	unsigned long taken[SITES][KINDS][NODES], left_blocks[SITES][KINDS][NODES];
	unsigned long taken_bytes[SITES][KINDS][NODES], left_bytes[SITES][KINDS][NODES];
	unsigned long freed_blocks, freed_bytes, failed_frees;
	unsigned long ranges_left, range_bytes_left;
	unsigned long imports_left, import_bytes_left, imports_closed, import_bytes_closed;
	unsigned long queues_made, queues_destroyed, queues_refused;
	unsigned long events_made, events_destroyed, waits_ok, waits_timed_out;
	unsigned long live_bytes, peak_bytes; /* of one thread */
};

static struct tally all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned gpu_nodes[NODES], gpu_count;

struct block {
	void *address;
	HSAuint64 size;
	int site, kind;
	unsigned node;
	bool mapped;
};

struct range {
	void *address;
	HSAuint64 size;
};

struct walker {
	uint64_t state;
	unsigned steps;
	struct tally tally;
	struct block blocks[BLOCKS];
	HsaEvent *events[EVENTS];
	bool is_set[EVENTS];
	HSA_QUEUEID queues[QUEUES];
	void *ring;
	struct range ranges[RANGES], imports[IMPORTS];
};

static unsigned pick(struct walker *w, unsigned below)
{
	w->state = w->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((w->state >> 33) % below);
}

/* Counts a call and what it gave. */
static HSAKMT_STATUS counted(struct walker *w, enum function f, HSAKMT_STATUS status)
{
	w->tally.calls[f]++;
	w->tally.failed[f] += status != HSAKMT_STATUS_SUCCESS;
	return status;
}

#define COUNTED(w, f, ...) counted(w, F_##f, f(__VA_ARGS__))

static void must(HSAKMT_STATUS status, const char *what)
{
	expect_status(status, HSAKMT_STATUS_SUCCESS, what);
}

static inline HSAKMT_STATUS take(struct walker *w, struct block *b)
{
	HsaMemFlags flags = { 0 };

	if (b->kind == 0) {
		flags = device_flags();
	} else {
		flags.ui32.HostAccess = 1;
		flags.ui32.NonPaged = pick(w, 2);
		flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
	}
	return COUNTED(w, hsaKmtAllocMemory, b->node, b->size, flags, &b->address);
}

static void went_live(struct walker *w, HSAuint64 size)
{
	w->tally.live_bytes += size;
	if (w->tally.live_bytes > w->tally.peak_bytes)
		w->tally.peak_bytes = w->tally.live_bytes;
}

#define SITE(n)                                                                                    \
	static CASE_FUNCTION HSAKMT_STATUS site_##n(struct walker *w, struct block *b)             \
	{                                                                                          \
		HSAKMT_STATUS status = take(w, b);                                                 \
		__asm__ volatile("" ::: "memory");                                                 \
		return status;                                                                     \
	}
SITE(0)
SITE(1)
SITE(2)
SITE(3)

static HSAKMT_STATUS (*const sites[SITES])(struct walker *, struct block *) = { site_0, site_1,
										site_2, site_3 };

static void step_alloc(struct walker *w)
{
	struct block *b = &w->blocks[pick(w, BLOCKS)];

	if (b->address)
		return;
	memset(b, 0, sizeof(*b));
	b->site = (int)pick(w, SITES);
	b->kind = (int)pick(w, KINDS);
	b->node = b->kind == 0 ? gpu_nodes[pick(w, gpu_count)] : 0;
	b->size = 4096ull * (1 + pick(w, 300));
	must(sites[b->site](w, b), "alloc");
	w->tally.taken[b->site][b->kind][b->node]++;
	w->tally.taken_bytes[b->site][b->kind][b->node] += b->size;
	went_live(w, b->size);
}

static void step_map(struct walker *w)
{
	struct block *b = &w->blocks[pick(w, BLOCKS)];
	HSAuint64 alternate;
	HsaMemFlags flags = { 0 };
	HSAuint32 nodes[NODES];
	unsigned count = 1 + pick(w, gpu_count), first = pick(w, gpu_count);

	if (!b->address)
		return;
	if (b->mapped) {
		must(COUNTED(w, hsaKmtUnmapMemoryToGPU, b->address), "unmap");
		b->mapped = false;
		return;
	}
	for (unsigned i = 0; i < count; i++)
		nodes[i] = gpu_nodes[(first + i) % gpu_count];
	must(COUNTED(w, hsaKmtMapMemoryToGPUNodes, b->address, b->size, &alternate, flags, count,
		     nodes),
	     "map");
	b->mapped = true;
}

static void step_free(struct walker *w)
{
	struct block *b = &w->blocks[pick(w, BLOCKS)];
	HSAKMT_STATUS status;

	if (!b->address)
		return;
	status = COUNTED(w, hsaKmtFreeMemory, b->address, b->size);
	if (status != HSAKMT_STATUS_SUCCESS) {
		if (!b->mapped)
			must(status, "free");
		w->tally.failed_frees++;
		return;
	}
	w->tally.freed_blocks++;
	w->tally.freed_bytes += b->size;
	w->tally.live_bytes -= b->size;
	b->address = NULL;
}

static void step_range(struct walker *w)
{
	unsigned i = pick(w, RANGES);

	if (w->ranges[i].address) {
		must(COUNTED(w, hsaKmtDeregisterMemory, w->ranges[i].address), "deregister");
		munmap(w->ranges[i].address, w->ranges[i].size);
		w->ranges[i].address = NULL;
		return;
	}
	w->ranges[i].size = 4096ull * (1 + pick(w, 30));
	w->ranges[i].address = mmap(NULL, w->ranges[i].size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(COUNTED(w, hsaKmtRegisterMemory, w->ranges[i].address, w->ranges[i].size), "register");
}

static void step_queue(struct walker *w)
{
	unsigned i = pick(w, QUEUES);
	unsigned node = gpu_nodes[pick(w, gpu_count)];

	if (pick(w, 5) == 0) {
		HSA_QUEUEID id;

		if (counted(w, F_hsaKmtCreateQueue,
			    make_queue(node, (HSA_QUEUE_TYPE)77, w->ring, &id)) == 0)
			exit(91);
		w->tally.queues_refused++;
	} else if (w->queues[i]) {
		must(COUNTED(w, hsaKmtDestroyQueue, w->queues[i]), "destroy queue");
		w->queues[i] = 0;
		w->tally.queues_destroyed++;
	} else {
		must(counted(w, F_hsaKmtCreateQueue,
			     make_queue(node, pick(w, 2) ? HSA_QUEUE_COMPUTE : HSA_QUEUE_SDMA,
					w->ring, &w->queues[i])),
		     "create queue");
		w->tally.queues_made++;
	}
}

static void step_event(struct walker *w)
{
	unsigned i = pick(w, EVENTS);
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HSAKMT_STATUS status;

	if (!w->events[i]) {
		must(COUNTED(w, hsaKmtCreateEvent, &descriptor, false, false, &w->events[i]),
		     "create event");
		w->is_set[i] = false;
		w->tally.events_made++;
		return;
	}
	switch (pick(w, 3)) {
	case 0:
		must(COUNTED(w, hsaKmtSetEvent, w->events[i]), "set");
		w->is_set[i] = true;
		break;
	case 1:
		status = COUNTED(w, hsaKmtWaitOnEvent, w->events[i], 0);
		if (status != (w->is_set[i] ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_WAIT_TIMEOUT))
			must(status, "wait");
		if (status)
			w->tally.waits_timed_out++;
		else
			w->tally.waits_ok++;
		w->is_set[i] = false; /* not manual reset */
		break;
	default:
		must(COUNTED(w, hsaKmtDestroyEvent, w->events[i]), "destroy event");
		w->events[i] = NULL;
		w->tally.events_destroyed++;
	}
}

static void step_share(struct walker *w)
{
	struct block *b = &w->blocks[pick(w, BLOCKS)];
	unsigned i = pick(w, IMPORTS);
	HsaSharedMemoryHandle handle;
	HSAuint64 size;

	if (w->imports[i].address) {
		must(COUNTED(w, hsaKmtDeregisterMemory, w->imports[i].address), "close import");
		w->tally.live_bytes -= w->imports[i].size;
		w->tally.imports_closed++;
		w->tally.import_bytes_closed += w->imports[i].size;
		w->imports[i].address = NULL;
		return;
	}
	if (!b->address || b->kind != 0)
		return;
	must(COUNTED(w, hsaKmtShareMemory, b->address, b->size, &handle), "share");
	must(COUNTED(w, hsaKmtRegisterSharedHandle, &handle, &w->imports[i].address, &size),
	     "import");
	w->imports[i].size = size;
	went_live(w, size);
}

static void step_other(struct walker *w)
{
	HsaPointerInfo info;
	HsaClockCounters counters;
	HsaMemFlags flags = device_flags();
	void *address = NULL;

	switch (pick(w, 5)) {
	case 0:
		(void)COUNTED(w, hsaKmtQueryPointerInfo, w, &info);
		break;
	case 1:
		must(COUNTED(w, hsaKmtGetClockCounters, gpu_nodes[pick(w, gpu_count)], &counters),
		     "clock");
		break;
	case 2:
		if (COUNTED(w, hsaKmtAllocMemory, gpu_nodes[0], 0, flags, &address) == 0)
			exit(92);
		break;
	case 3:
		if (COUNTED(w, hsaKmtAllocMemory, 99, 4096, flags, &address) == 0)
			exit(92);
		break;
	default:
		if (COUNTED(w, hsaKmtAllocMemory, gpu_nodes[0], 4097, flags, &address) == 0)
			exit(92);
	}
}

static void settle(struct walker *w)
{
	struct tally *t = &w->tally;
	const unsigned long *from = (const unsigned long *)t; /* it has nothing else in it */
	unsigned long *to = (unsigned long *)&all;

	for (int i = 0; i < BLOCKS; i++)
		if (w->blocks[i].address) {
			const struct block *b = &w->blocks[i];

			t->left_blocks[b->site][b->kind][b->node]++;
			t->left_bytes[b->site][b->kind][b->node] += b->size;
		}
	for (int i = 0; i < RANGES; i++)
		if (w->ranges[i].address) {
			t->ranges_left++;
			t->range_bytes_left += w->ranges[i].size;
		}
	for (int i = 0; i < IMPORTS; i++)
		if (w->imports[i].address) {
			t->imports_left++;
			t->import_bytes_left += w->imports[i].size;
		}
	pthread_mutex_lock(&all_lock);
	for (size_t i = 0; i < sizeof(all) / sizeof(*to); i++)
		to[i] += from[i];
	pthread_mutex_unlock(&all_lock);
}

static void *walk(void *data)
{
	static void (*const steps[])(struct walker *) = {
		step_alloc, step_alloc, step_alloc, step_map,   step_map,   step_free, step_free,
		step_range, step_queue, step_event, step_event, step_share, step_other
	};
	struct walker *w = data;

	for (unsigned i = 0; i < w->steps; i++)
		steps[pick(w, sizeof(steps) / sizeof(*steps))](w);
	settle(w);
	return NULL;
}

static void print_cells(const char *name, unsigned long counts[SITES][KINDS][NODES],
			unsigned long bytes[SITES][KINDS][NODES])
{
	const char *comma = "";

	printf("\"%s\": [", name);
	for (int s = 0; s < SITES; s++)
		for (int k = 0; k < KINDS; k++)
			for (int n = 0; n < NODES; n++)
				if (counts[s][k][n]) {
					printf("%s[\"site_%d\", \"%s\", %d, %lu, %lu]", comma, s,
					       kind_names[k], n, counts[s][k][n], bytes[s][k][n]);
					comma = ", ";
				}
	printf("], ");
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned processes = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	unsigned steps = argc > 4 ? (unsigned)atoi(argv[4]) : 500;
	static char out[1 << 16];
	pid_t child = 0;
	pthread_t ids[THREADS_MAX];
	HsaSystemProperties system;
	int status = 0;

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (processes > 1) {
		char words[2][32],
			*args[] = { argv[0], words[0], words[1], argv[3], argv[4], NULL };

		snprintf(words[0], 32, "%llu", (unsigned long long)seed + 1000);
		snprintf(words[1], 32, "%u", processes - 1);
		if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ))
			return 96;
	}
	system = open_driver();
	for (unsigned i = 0; i < system.NumNodes && i < NODES; i++) {
		HsaNodeProperties node;

		OK(hsaKmtGetNodeProperties(i, &node));
		if (node.KFDGpuID)
			gpu_nodes[gpu_count++] = i;
	}
	for (unsigned i = 0; i < threads; i++) {
		struct walker *w = calloc(1, sizeof(*w));

		w->state = seed * 1000003 + i;
		w->steps = steps;
		w->ring = make_ring();
		went_live(w, RING_BYTES);
		if (pthread_create(&ids[i], NULL, walk, w))
			return 97;
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("{\"pid\": %d, \"threads\": %u, ", (int)getpid(), threads);
	printf("\"calls\": {");
	for (int i = 0; i < FUNCTION_COUNT; i++)
		printf("%s\"%s\": [%lu, %lu]", i ? ", " : "", function_names[i], all.calls[i],
		       all.failed[i]);
	printf("}, ");
	print_cells("taken", all.taken, all.taken_bytes);
	print_cells("left", all.left_blocks, all.left_bytes);
#define SHOW(m) printf("\"" #m "\": %lu, ", all.m)
	SHOW(freed_blocks);
	SHOW(freed_bytes);
	SHOW(failed_frees);
	SHOW(ranges_left);
	SHOW(range_bytes_left);
	SHOW(imports_left);
	SHOW(import_bytes_left);
	SHOW(imports_closed);
	SHOW(import_bytes_closed);
	SHOW(queues_made);
	SHOW(queues_destroyed);
	SHOW(queues_refused);
	SHOW(events_made);
	SHOW(events_destroyed);
	SHOW(waits_ok);
	SHOW(waits_timed_out);
	printf("\"peak_bytes\": %lu}\n", all.peak_bytes);
	fflush(stdout);
	close_driver();
	if (child && (waitpid(child, &status, 0) != child || status))
		return 98;
	return 0;
}
