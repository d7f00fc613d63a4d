/* SPDX-License-Identifier: MIT */
/*
 * The map of loaded objects. dl_iterate_phdr() is too dear for every event and takes the loader's lock,
 * so a table of return addresses that were looked at before stands in front of it: a library that was
 * loaded since then shows itself by an address that is not in the table. One that came to where
 * another one was has the same addresses; it shows itself by its name.
 */
#include "modules.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "host.h"

enum {
	MODULES_MAX = 1024, /* further ones are not told */
	SEEN_SLOTS = 4096,  /* a power of two */
};
#define PAGE_MASK (~(uint64_t)0xFFF)

struct module {
	uint64_t base, size_bytes;
	bool is_main, is_present;
	uint32_t build_id_length;
	uint8_t build_id[32];
	char path[512];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the four below */
static struct module modules[MODULES_MAX];
static int module_count;
static unsigned long long adds, subs; /* of the last look */
static bool are_told;                 /* the table has nothing that was not told */
static uint32_t epoch = 1;            /* atomic */

/* The object that an address was found in. */
struct place {
	uint64_t begin, end; /* empty: in none */
	uint64_t name_hash;
};

static uint64_t seen[SEEN_SLOTS]; /* relaxed atomics: a lost entry costs one more look */

static uint64_t *seen_slot(uint64_t address)
{
	return &seen[(address * 0x9E3779B97F4A7C15ULL >> 40) & (SEEN_SLOTS - 1)];
}

/*
 * What stands in the table for an address. _dl_find_object() takes no lock; the name can be read, since
 * an object with a frame on the stack of this thread is not unloaded.
 */
static uint64_t seen_key(uint64_t address, struct place *last)
{
#if __GLIBC_PREREQ(2, 35)
	struct dl_find_object found;

	if (address >= last->begin && address < last->end)
		return address + last->name_hash;
	*last = (struct place){ 0 };
	if (_dl_find_object((void *)(uintptr_t)address, &found) != 0)
		return address;
	last->begin = (uintptr_t)found.dlfo_map_start;
	last->end = (uintptr_t)found.dlfo_map_end;
	last->name_hash = 0xCBF29CE484222325; /* FNV-1a */
	for (const char *at = found.dlfo_link_map->l_name; at && *at; at++)
		last->name_hash = (last->name_hash ^ (uint8_t)*at) * 0x100000001B3;
#endif
	return address + last->name_hash;
}

static void emit(const struct module *module)
{
	struct kmt_state_module event = {
		.base = module->base,
		.size_bytes = module->size_bytes,
		.is_main = module->is_main,
		.build_id_len = module->build_id_length,
	};

	_Static_assert(sizeof(event.build_id) == sizeof(module->build_id), "one build id");
	memcpy(event.build_id, module->build_id, sizeof(event.build_id));
	memcpy(event.path, module->path, sizeof(event.path));
	provider_fire(TRACE_kmt_state_module, &event);
}

static void emit_gone(const struct module *module)
{
	struct kmt_state_module_gone event = {
		.base = module->base,
		.size_bytes = module->size_bytes,
	};

	memcpy(event.path, module->path, sizeof(event.path));
	provider_fire(TRACE_kmt_state_module_gone, &event);
}

/* The address range that an object's segments span. */
static void set_range(struct module *module, const struct dl_phdr_info *info)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_vaddr < begin)
			begin = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_memsz > end)
			end = segment->p_vaddr + segment->p_memsz;
	}
	if (begin > end)
		begin = end;
	module->base = info->dlpi_addr + begin;
	module->size_bytes = end - begin;
}

static void set_path(struct module *module, const char *path)
{
	ssize_t length;

	module->is_main = !*path;
	if (!module->is_main) {
		size_t used = strnlen(path, sizeof(module->path) - 1);

		memcpy(module->path, path, used);
		module->path[used] = '\0';
		return;
	}
	length = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
	module->path[length > 0 ? length : 0] = '\0';
}

/* Under the loader's lock: only notes what there is. */
static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	bool *is_unchanged = data;
	struct module *module = &modules[module_count];

	(void)size;
	if (*is_unchanged && info->dlpi_adds == adds && info->dlpi_subs == subs)
		return 1;
	*is_unchanged = false;
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	/* The vDSO is no file (trace-compass.md 9.6). */
	if (strncmp(info->dlpi_name, "linux-vdso", 10) == 0 || module_count == MODULES_MAX)
		return 0;
	set_range(module, info);
	set_path(module, info->dlpi_name);
	for (int i = 0; i < module_count; i++) {
		if (modules[i].base == module->base && strcmp(modules[i].path, module->path) == 0) {
			modules[i].is_present = true;
			return 0;
		}
	}
	module->build_id_length =
		(uint32_t)build_id_read(info, module->build_id, sizeof(module->build_id));
	module->is_present = true;
	module_count++;
	return 0;
}

/* Drops the objects that have gone. */
static void sweep(void)
{
	int kept = 0;

	for (int i = 0; i < module_count; i++) {
		if (!modules[i].is_present) {
			emit_gone(&modules[i]);
			continue;
		}
		if (kept != i)
			modules[kept] = modules[i];
		kept++;
	}
	module_count = kept;
}

/* After an overflow 0 is left out: nothing has been told in it. */
static void epoch_next(void)
{
	if (__atomic_add_fetch(&epoch, 1, __ATOMIC_RELAXED) == 0)
		__atomic_add_fetch(&epoch, 1, __ATOMIC_RELAXED);
}

uint32_t modules_epoch(void)
{
	return __atomic_load_n(&epoch, __ATOMIC_RELAXED);
}

/* The caller holds the lock. */
static void update(void)
{
	const int known = module_count;
	int first_new = known; /* modules from here on have not been told yet */
	const bool tells = provider_enabled(TRACE_kmt_state_module);
	bool is_unchanged = module_count > 0 && (are_told || !tells);

	for (int i = 0; i < known; i++)
		modules[i].is_present = false;
	dl_iterate_phdr(look_at, &is_unchanged);
	if (is_unchanged)
		return;
	epoch_next();
	for (int i = 0; i < SEEN_SLOTS; i++)
		__atomic_store_n(&seen[i], 0, __ATOMIC_RELAXED);
	/* What has gone first: something new may lie in its place. */
	for (int i = 0; i < known; i++)
		first_new -= !modules[i].is_present;
	sweep();
	for (int i = are_told ? first_new : 0; i < module_count; i++)
		emit(&modules[i]);
	are_told = tells;
}

bool modules_seen(const uint64_t *frames, int count)
{
	struct place place = { 0 };
	bool has_news = false;

	if (!provider_enabled(TRACE_kmt_state_module))
		return false;
	for (int i = 0; i < count; i++) {
		const uint64_t key = seen_key(frames[i], &place);

		if (__atomic_load_n(seen_slot(frames[i]), __ATOMIC_RELAXED) != key)
			has_news = true;
	}
	/* Who holds the lock is looking already. */
	if (!has_news)
		return true;
	if (pthread_mutex_trylock(&lock) != 0)
		return false;
	update();
	for (int i = 0; i < count; i++)
		__atomic_store_n(seen_slot(frames[i]), seen_key(frames[i], &place),
				 __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return false; /* the epoch may be another one now; the next time tells */
}

bool modules_have(uint64_t begin, const char *name)
{
	bool has = false;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < module_count && !has; i++)
		has = (modules[i].base & PAGE_MASK) == (begin & PAGE_MASK) &&
		      (modules[i].is_main ? !*name : strcmp(modules[i].path, name) == 0);
	pthread_mutex_unlock(&lock);
	return has;
}

void modules_dump(void)
{
	pthread_mutex_lock(&lock);
	update();
	for (int i = 0; i < module_count; i++)
		emit(&modules[i]);
	pthread_mutex_unlock(&lock);
}

void modules_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	module_count = 0;
	epoch_next();
	memset(seen, 0, sizeof(seen));
}
