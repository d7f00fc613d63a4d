/* SPDX-License-Identifier: MIT */
/*
 * Name and caches of a CPU node, from the kernel's CPU devices, since the KFD lists no CPU caches
 * (topology.md 5). A cache that several processors share is reported by one of them only, and once
 * its owner has told which others share it, their copies of the file are not read at all.
 */
#include "topology/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cpuinfo.h"
#include "topology/sysfs.h"

#define CPU_ROOT "/sys/devices/system/cpu"

#define MAX_INDEX        10 /* caches that one processor can have */
#define SIBLING_MAP_SIZE 256
#define POWER9_STRIDE    8 /* of NUMA nodes; and four threads make a core */
#define POWER9_THREADS   4

struct cache_reader {
	struct kmt_context *ctx;
	const struct cpuinfo *cpuinfo;
	char directory[64]; /* holds cpuN */
	HsaCacheProperties *caches;
	uint32_t count, room;
	bool is_missing; /* the NUMA directory has nothing */
	/* One bit for each processor and index: reported by another processor already. */
	uint8_t covered[MAX_INDEX][CPUINFO_MAX_CPUS / 8];
};

void topology_cpu_name(const struct cpuinfo *cpuinfo, struct topology_node *node)
{
	HsaNodeProperties *properties = &node->properties;

	for (uint32_t i = 0; i < cpuinfo->cpu_count; i++) {
		const struct cpuinfo_cpu *cpu = &cpuinfo->cpus[i];

		if (!cpu->is_present || cpu->apicid != properties->CComputeIdLo)
			continue;
		for (uint32_t c = 0; c < cpu->model_length && c < HSA_PUBLIC_NAME_SIZE - 1; c++) {
			properties->MarketingName[c] = (unsigned char)cpu->model[c];
			if (!properties->DeviceId)
				properties->AMDName[c] = (unsigned char)cpu->model[c];
		}
		return;
	}
}

/* "32K" and the like to bytes. */
static uint32_t parse_size(const char *text)
{
	uint64_t size = sysfs_parse_decimal(&text);

	if (*text == 'K')
		size <<= 10;
	else if (*text == 'M')
		size <<= 20;
	else if (*text == 'G')
		size <<= 30;
	return (uint32_t)size;
}

static uint32_t read_value(struct cache_reader *reader, uint32_t cpu, uint32_t index,
			   const char *name)
{
	uint64_t value = 0;

	if (sysfs_read_number(reader->ctx, &value, "%s/cpu%u/cache/index%u/%s", reader->directory,
			      cpu, index, name) < 0)
		return 0;
	return (uint32_t)value;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * Hexadecimal words, most significant first, commas between: read from the end, four processors a
 * digit.
 */
static void read_shared_map(struct cache_reader *reader, uint32_t cpu, uint32_t index,
			    HsaCacheProperties *cache)
{
	char buf[SYSFS_BUFFER_SIZE];
	ssize_t length = sysfs_read(reader->ctx, buf, "%s/cpu%u/cache/index%u/shared_cpu_map",
				    reader->directory, cpu, index);
	uint32_t sharer = 0;

	for (ssize_t at = length - 1; at >= 0 && sharer < CPUINFO_MAX_CPUS; at--) {
		int digit = hex_digit(buf[at]);

		if (digit < 0)
			continue;
		for (uint32_t bit = 0; bit < 4; bit++, sharer++) {
			uint32_t apicid = cpuinfo_apicid(reader->cpuinfo, sharer);

			if (!(digit & (1 << bit)))
				continue;
			reader->covered[index][sharer / 8] |= (uint8_t)(1 << sharer % 8);
			if (apicid < SIBLING_MAP_SIZE)
				cache->SiblingMap[apicid] = 1;
		}
	}
}

/* A new zeroed entry, or NULL without memory. */
static HsaCacheProperties *cache_add(struct cache_reader *reader)
{
	uint32_t room = reader->room ? reader->room * 2 : 16;
	HsaCacheProperties *cache;

	if (reader->count == reader->room) {
		cache = realloc(reader->caches, room * sizeof(*cache));
		if (!cache)
			return NULL;
		reader->caches = cache;
		reader->room = room;
	}
	cache = &reader->caches[reader->count++];
	memset(cache, 0, sizeof(*cache));
	return cache;
}

static int read_cache(struct cache_reader *reader, uint32_t cpu, uint32_t index)
{
	HsaCacheProperties *cache = cache_add(reader);
	char buf[SYSFS_BUFFER_SIZE];

	if (!cache)
		return -ENOMEM;
	cache->ProcessorIdLow = cpuinfo_apicid(reader->cpuinfo, cpu);
	cache->CacheLevel = read_value(reader, cpu, index, "level");
	cache->CacheType.ui32.CPU = 1;
	if (sysfs_read(reader->ctx, buf, "%s/cpu%u/cache/index%u/type", reader->directory, cpu,
		       index) > 0) {
		cache->CacheType.ui32.Data = buf[0] == 'D' || buf[0] == 'U';
		cache->CacheType.ui32.Instruction = buf[0] == 'I' || buf[0] == 'U';
	}
	if (sysfs_read(reader->ctx, buf, "%s/cpu%u/cache/index%u/size", reader->directory, cpu,
		       index) > 0)
		cache->CacheSize = parse_size(buf);
	cache->CacheLineSize = read_value(reader, cpu, index, "coherency_line_size");
	cache->CacheAssociativity = read_value(reader, cpu, index, "ways_of_associativity");
	cache->CacheLinesPerTag = read_value(reader, cpu, index, "physical_line_partition");
	read_shared_map(reader, cpu, index, cache);
	return 0;
}

/* Reads the caches that a processor owns. @return how many indexes it has, or -ENOMEM. */
static int read_cpu(struct cache_reader *reader, uint32_t cpu)
{
	uint32_t index;

	for (index = 0; index < MAX_INDEX; index++) {
		uint64_t owner;
		int rc;

		if (reader->covered[index][cpu / 8] & (1 << cpu % 8))
			continue;
		if (sysfs_read_number(reader->ctx, &owner, "%s/cpu%u/cache/index%u/shared_cpu_list",
				      reader->directory, cpu, index) < 0)
			break;
		if (reader->cpuinfo->is_power9 ? cpu % POWER9_THREADS != 0 : owner != cpu)
			continue;
		rc = read_cache(reader, cpu, index);
		if (rc < 0)
			return rc;
	}
	return (int)index;
}

/*
 * Visits the processors of a list like "0-3,8". Where there is no list, each known processor is
 * tried: those that are not in the directory have no files.
 */
static int read_cpu_list(struct cache_reader *reader, const char *list)
{
	while (*list >= '0' && *list <= '9') {
		uint64_t first = sysfs_parse_decimal(&list), last = first;

		if (*list == '-') {
			list++;
			last = sysfs_parse_decimal(&list);
		}
		for (uint64_t cpu = first; cpu <= last && cpu < CPUINFO_MAX_CPUS; cpu++)
			if (read_cpu(reader, (uint32_t)cpu) == -ENOMEM)
				return -ENOMEM;
		if (*list == ',')
			list++;
	}
	return 0;
}

static int read_known_cpus(struct cache_reader *reader)
{
	for (uint32_t cpu = 0; cpu < reader->cpuinfo->cpu_count; cpu++)
		if (reader->cpuinfo->cpus[cpu].is_present && read_cpu(reader, cpu) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

/* Looks where the caches are described: the NUMA node, or all processors for a single node. */
static int read_all(struct cache_reader *reader, uint32_t node_id)
{
	uint32_t numa = node_id * (reader->cpuinfo->is_power9 ? POWER9_STRIDE : 1);
	char list[SYSFS_BUFFER_SIZE];
	int rc;

	snprintf(reader->directory, sizeof(reader->directory), TOPOLOGY_NUMA_ROOT "/node%u", numa);
	if (sysfs_read(reader->ctx, list, "%s/cpulist", reader->directory) >= 0)
		rc = read_cpu_list(reader, list);
	else
		rc = read_known_cpus(reader);
	if (rc < 0 || reader->count)
		return rc;
	reader->is_missing = true;
	if (node_id != 0) /* the plain directory has everybody's */
		return 0;
	snprintf(reader->directory, sizeof(reader->directory), CPU_ROOT);
	return read_known_cpus(reader);
}

HSAKMT_STATUS topology_cpu_caches(struct kmt_context *ctx, const struct cpuinfo *cpuinfo,
				  struct topology_node *node, uint32_t node_id)
{
	struct cache_reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return HSAKMT_STATUS_NO_MEMORY;
	reader->ctx = ctx;
	reader->cpuinfo = cpuinfo;
	rc = read_all(reader, node_id);
	node->lacks_numa_caches = reader->is_missing;
	if (rc == 0) {
		node->caches = reader->caches;
		node->properties.NumCaches = reader->count;
		reader->caches = NULL;
	}
	free(reader->caches);
	free(reader);
	return rc < 0 ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_SUCCESS;
}
