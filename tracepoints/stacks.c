/* SPDX-License-Identifier: MIT */
/*
 * The table of distinct stacks (stacks.h): a hash table without deletion over a store that only grows,
 * so that looking up takes no lock, also in a signal handler. Both are plain memory of this object: what
 * is not used costs nothing, and a forked child has its own copy.
 */
#include "stacks.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "modules.h"

enum {
	STORE_BYTES = 8 << 20, /* some 25,000 stacks of 32 frames */
	UNIT = 16,             /* a stack's number is its place in the store, in units */
	SLOTS = 1 << 16,       /* a power of two */
	PROBES = 16,           /* slots looked at */
	HOMES_MAX =
		512, /* libraries that stacks were seen in; stacks of further ones get no number */
	STACK_HOMES_MAX = 32, /* of one stack */
	HOME_NAME_MAX = 512,
};

/* A library as it was when a stack was first seen. Written once, before it is counted. */
struct home {
	const void *map; /* its link_map, to compare only */
	uint64_t begin, end;
	char name[HOME_NAME_MAX];
};

/* What is in the store; written once, before its slot, but for the three atomics. */
struct entry {
	uint64_t hash;
	uint32_t told_in;   /* modules_epoch() in which its libraries were told */
	uint32_t stands_in; /* and in which they were all there */
	uint32_t defined;   /* recordings when it was defined last */
	uint16_t count;
	uint8_t is_truncated, home_count;
	uint16_t homes[STACK_HOMES_MAX]; /* only home_count of them are stored */
};

static _Alignas(UNIT) unsigned char store[STORE_BYTES];
static uint32_t used = 1; /* units; the first one is not used, so that 0 is no number */
static uint32_t slots[SLOTS];
static uint32_t stack_count, stacks_max = UINT32_MAX;
static uint32_t recordings = 1; /* that have started */

static pthread_mutex_t homes_lock = PTHREAD_MUTEX_INITIALIZER; /* for adding */
static struct home homes[HOMES_MAX];
static uint32_t home_count;

static struct entry *entry_at(uint32_t number)
{
	return (struct entry *)(void *)(store + (size_t)number * UNIT);
}

static size_t head_bytes(unsigned int home_count_of_stack)
{
	const size_t size = offsetof(struct entry, homes) + home_count_of_stack * sizeof(uint16_t);

	return (size + 7) & ~(size_t)7;
}

static uint64_t *entry_frames(struct entry *entry)
{
	return (uint64_t *)(void *)((unsigned char *)entry + head_bytes(entry->home_count));
}

/* Two chains, since one would wait for its multiplications. */
static uint64_t hash_of(const uint64_t *frames, int count, bool is_truncated)
{
	uint64_t a = 0xCBF29CE484222325 + is_truncated, b = (uint64_t)count;
	int i = 0;

	for (; i + 1 < count; i += 2) {
		a = (a ^ frames[i]) * 0x9E3779B97F4A7C15;
		b = (b ^ frames[i + 1]) * 0xC2B2AE3D27D4EB4F;
	}
	if (i < count)
		a = (a ^ frames[i]) * 0x9E3779B97F4A7C15;
	a ^= b >> 32 | b << 32;
	return (a ^ a >> 32) * 0x9E3779B97F4A7C15;
}

#if __GLIBC_PREREQ(2, 35)
/*
 * The names can be read, since an object with a frame on the stack of this thread is not unloaded, and
 * _dl_find_object() takes no lock.
 */
static bool is_home(const struct home *home, const struct dl_find_object *found)
{
	return found->dlfo_link_map == home->map &&
	       (uintptr_t)found->dlfo_map_start == home->begin &&
	       strcmp(found->dlfo_link_map->l_name, home->name) == 0;
}

static bool home_stands(const struct home *home)
{
	struct dl_find_object found;

	return _dl_find_object((void *)(uintptr_t)home->begin, &found) == 0 &&
	       is_home(home, &found);
}

static int home_find(const struct dl_find_object *found)
{
	/* The newest first: those that have gone stay in the list. */
	for (uint32_t i = __atomic_load_n(&home_count, __ATOMIC_ACQUIRE); i > 0; i--) {
		if (is_home(&homes[i - 1], found))
			return (int)i - 1;
	}
	return -1;
}

/* The program itself, and the C library that it has: those are in nearly all stacks. */
static bool is_permanent(const struct dl_find_object *found)
{
	struct dl_find_object libc;

	return !*found->dlfo_link_map->l_name ||
	       (_dl_find_object((void *)(uintptr_t)gnu_get_libc_version, &libc) == 0 &&
		libc.dlfo_link_map == found->dlfo_link_map);
}

/* @return -1 when there is no room, or another thread is at it. */
static int home_add(const struct dl_find_object *found)
{
	const char *name = found->dlfo_link_map->l_name;
	struct home *home;
	int index;

	if (strlen(name) >= HOME_NAME_MAX || pthread_mutex_trylock(&homes_lock) != 0)
		return -1;
	index = home_find(found);
	if (index < 0 && home_count < HOMES_MAX) {
		index = (int)home_count;
		home = &homes[index];
		home->map = found->dlfo_link_map;
		home->begin = (uintptr_t)found->dlfo_map_start;
		home->end = (uintptr_t)found->dlfo_map_end;
		strcpy(home->name, name);
		__atomic_store_n(&home_count, home_count + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&homes_lock);
	return index;
}

/* The libraries of a stack; code that lies in none, or never goes, needs no home. @return how many, or -1. */
static int homes_of(const uint64_t *frames, int count, uint16_t *out)
{
	struct dl_find_object found;
	int known = 0;

	for (int i = 0; i < count; i++) {
		int index = -1;

		for (int k = 0; k < known && index < 0; k++) {
			if (frames[i] >= homes[out[k]].begin && frames[i] < homes[out[k]].end)
				index = out[k];
		}
		if (index >= 0 || _dl_find_object((void *)(uintptr_t)frames[i], &found) != 0 ||
		    is_permanent(&found))
			continue;
		index = home_find(&found);
		if (index < 0)
			index = home_add(&found);
		if (index < 0 || known == STACK_HOMES_MAX)
			return -1;
		out[known++] = (uint16_t)index;
	}
	return known;
}
#else
/* Without a way to ask, libraries that take the place of others cannot be noticed. */
static bool home_stands(const struct home *home)
{
	(void)home;
	return true;
}

static int homes_of(const uint64_t *frames, int count, uint16_t *out)
{
	(void)frames;
	(void)count;
	(void)out;
	return 0;
}
#endif

static bool entry_stands(const struct entry *entry)
{
	for (int i = 0; i < entry->home_count; i++) {
		if (!home_stands(&homes[entry->homes[i]]))
			return false;
	}
	return true;
}

static bool entry_is(struct entry *entry, uint64_t hash, const uint64_t *frames, int count,
		     bool is_truncated)
{
	return entry->hash == hash && entry->count == count &&
	       entry->is_truncated == is_truncated &&
	       memcmp(entry_frames(entry), frames, (size_t)count * sizeof(*frames)) == 0 &&
	       entry_stands(entry);
}

/* @return the units' first; 0 when the store is full. */
static uint32_t store_take(size_t size)
{
	const uint32_t units = (uint32_t)((size + UNIT - 1) / UNIT);
	uint32_t first = __atomic_load_n(&used, __ATOMIC_RELAXED);

	do {
		if (first + units > STORE_BYTES / UNIT)
			return 0;
	} while (!__atomic_compare_exchange_n(&used, &first, first + units, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return first;
}

/* @return the number, 0 without room; *winner is another thread's that was quicker at the slot. */
static uint32_t add(uint32_t *slot, uint64_t hash, const uint64_t *frames, int count,
		    bool is_truncated, uint32_t *winner)
{
	uint16_t at[STACK_HOMES_MAX];
	int home_count_of_stack;
	struct entry *entry;
	uint32_t number;

	*winner = 0;
	if (__atomic_load_n(&stack_count, __ATOMIC_RELAXED) >= stacks_max)
		return 0;
	home_count_of_stack = homes_of(frames, count, at);
	if (home_count_of_stack < 0)
		return 0;
	number = store_take(head_bytes((unsigned int)home_count_of_stack) +
			    (size_t)count * sizeof(*frames));
	if (!number)
		return 0;
	entry = entry_at(number);
	entry->hash = hash;
	entry->count = (uint16_t)count;
	entry->is_truncated = is_truncated;
	entry->home_count = (uint8_t)home_count_of_stack;
	memcpy(entry->homes, at, (size_t)home_count_of_stack * sizeof(*at));
	memcpy(entry_frames(entry), frames, (size_t)count * sizeof(*frames));
	if (!__atomic_compare_exchange_n(slot, winner, number, false, __ATOMIC_RELEASE,
					 __ATOMIC_ACQUIRE))
		return 0;
	__atomic_fetch_add(&stack_count, 1, __ATOMIC_RELAXED);
	return number;
}

/* A loop's next call has the last one's stack: then even the hash is spared. */
static __thread uint32_t last_number __attribute__((tls_model("initial-exec")));

static bool is_last(const uint64_t *frames, int count, bool is_truncated)
{
	struct entry *entry;

	if (!last_number)
		return false;
	entry = entry_at(last_number);
	return entry->count == count && entry->is_truncated == is_truncated &&
	       memcmp(entry_frames(entry), frames, (size_t)count * sizeof(*frames)) == 0 &&
	       entry_stands(entry);
}

static uint32_t find_or_add(const uint64_t *frames, int count, bool is_truncated)
{
	const uint64_t hash = hash_of(frames, count, is_truncated);

	for (uint32_t probe = 0; probe < PROBES; probe++) {
		uint32_t *slot = &slots[(hash + probe) & (SLOTS - 1)];
		uint32_t number = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!number) {
			uint32_t added = add(slot, hash, frames, count, is_truncated, &number);

			if (added || !number)
				return added;
		}
		if (entry_is(entry_at(number), hash, frames, count, is_truncated))
			return number;
	}
	return 0;
}

uint32_t stacks_number(const uint64_t *frames, int count, bool is_truncated)
{
	const uint32_t epoch = modules_epoch();
	struct entry *entry;
	uint32_t number;

	if (count <= 0)
		return 0;
	number = is_last(frames, count, is_truncated) ? last_number
						      : find_or_add(frames, count, is_truncated);
	if (number)
		last_number = number;
	entry = number ? entry_at(number) : NULL;
	if (!entry || __atomic_load_n(&entry->told_in, __ATOMIC_RELAXED) != epoch) {
		if (modules_seen(frames, count) && entry)
			__atomic_store_n(&entry->told_in, epoch, __ATOMIC_RELAXED);
	}
	return number;
}

/* What is always there, and no file that recordings are told of. */
static bool is_vdso(const char *name)
{
	return strncmp(name, "linux-vdso", 10) == 0;
}

static bool is_gone(const struct entry *entry, uint64_t address)
{
	for (int i = 0; i < entry->home_count; i++) {
		const struct home *home = &homes[entry->homes[i]];

		if (address >= home->begin && address < home->end)
			return !is_vdso(home->name) && !modules_have(home->begin, home->name);
	}
	return false;
}

bool stacks_get(uint32_t number, struct trace_kept_stack *out)
{
	const uint32_t epoch = modules_epoch();
	const uint64_t *frames;
	struct entry *entry;
	bool stands = true;

	if (!number || number >= __atomic_load_n(&used, __ATOMIC_ACQUIRE))
		return false;
	entry = entry_at(number);
	frames = entry_frames(entry);
	out->length = entry->count;
	out->is_truncated = entry->is_truncated;
	memcpy(out->frames, frames, entry->count * sizeof(*frames));
	if (__atomic_load_n(&entry->stands_in, __ATOMIC_RELAXED) == epoch)
		return true;
	for (int i = 0; i < entry->count; i++) {
		if (!is_gone(entry, frames[i]))
			continue;
		out->frames[i] = 0;
		stands = false;
	}
	if (stands)
		__atomic_store_n(&entry->stands_in, epoch, __ATOMIC_RELAXED);
	return true;
}

bool stacks_define(uint32_t number)
{
	const uint32_t now = __atomic_load_n(&recordings, __ATOMIC_RELAXED);
	struct kmt_state_stack event;
	struct entry *entry;

	if (!number || !provider_enabled(TRACE_kmt_state_stack))
		return false;
	entry = entry_at(number);
	if (__atomic_load_n(&entry->defined, __ATOMIC_RELAXED) == now)
		return true;
	event = (struct kmt_state_stack){
		.bt = entry_frames(entry),
		.bt_len = entry->count,
		.bt_truncated = entry->is_truncated,
		.bt_id = number,
	};
	provider_fire(TRACE_kmt_state_stack, &event);
	/* Afterwards, so that another thread's events come after its own definition or this one. */
	__atomic_store_n(&entry->defined, now, __ATOMIC_RELEASE);
	return true;
}

void stacks_recording_started(void)
{
	__atomic_add_fetch(&recordings, 1, __ATOMIC_RELAXED);
}

void stacks_init(void)
{
	const char *wanted = secure_getenv("KFDSCOPE_KEEP_STACKS");
	char *end = NULL;
	unsigned long value;

	if (!wanted || !*wanted)
		return;
	value = strtoul(wanted, &end, 10);
	if (*end == '\0' && value > 0 && value < UINT32_MAX)
		stacks_max = (uint32_t)value;
}

void stacks_forked(void)
{
	pthread_mutex_init(&homes_lock, NULL);
	stacks_recording_started(); /* for this process */
}
