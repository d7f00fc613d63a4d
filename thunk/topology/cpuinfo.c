/* SPDX-License-Identifier: MIT */
/*
 * Parser of /proc/cpuinfo. Architectures differ in what they print, so nothing is required: a
 * warning names what is missing, once per reading.
 */
#include "topology/cpuinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUINFO_PATH "/proc/cpuinfo"
/* A line group is about 1.5 KiB; reading again with twice the room costs more than memory. */
#define BYTES_PER_CPU 2048

/* Reads the whole file into info->text; empty when it cannot be read. */
static int read_text(struct kmt_context *ctx, struct cpuinfo *info)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t size = 16384 + (cpus > 0 ? (size_t)cpus : 1) * BYTES_PER_CPU;
	ssize_t rc;

	for (;; size *= 2) {
		char *text = realloc(info->text, size);

		if (!text)
			return -ENOMEM;
		info->text = text;
		rc = ctx->device->ops->read_file(ctx->device, CPUINFO_PATH, text, size);
		if (rc < (ssize_t)size - 1 || size > ((size_t)CPUINFO_MAX_CPUS * BYTES_PER_CPU))
			break;
	}
	if (rc < 0) {
		kmt_log(KMT_LOG_WARNING, "cannot read '" CPUINFO_PATH "': errno %d", (int)-rc);
		info->text[0] = '\0';
	}
	return 0;
}

/* The value of a "name : value" line, when the line begins with name. */
static const char *value_of(const char *line, const char *end, const char *name, uint32_t *length)
{
	size_t name_length = strlen(name);
	const char *value;

	if ((size_t)(end - line) < name_length || memcmp(line, name, name_length))
		return NULL;
	value = line + name_length;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	if (value == end || *value != ':')
		return NULL;
	value++;
	while (value < end && *value == ' ')
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	*length = (uint32_t)(end - value);
	return value;
}

/* Makes room for a processor number. @return NULL without memory or for an absurd number. */
static struct cpuinfo_cpu *cpu_at(struct cpuinfo *info, unsigned long number, uint32_t *room)
{
	struct cpuinfo_cpu *cpus;
	uint32_t new_room = *room ? *room : 64;

	if (number >= CPUINFO_MAX_CPUS)
		return NULL;
	while (new_room <= number)
		new_room *= 2;
	if (new_room != *room) {
		cpus = realloc(info->cpus, new_room * sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + *room, 0, (new_room - *room) * sizeof(*cpus));
		info->cpus = cpus;
		*room = new_room;
	}
	if (info->cpu_count <= number)
		info->cpu_count = (uint32_t)number + 1;
	return &info->cpus[number];
}

/* POWER prints "POWER9, altivec supported"; the part before the comma names the processor. */
static void take_power_name(struct cpuinfo *info, struct cpuinfo_cpu *cpu, const char *value,
			    uint32_t length)
{
	const char *comma = memchr(value, ',', length);

	cpu->model = value;
	cpu->model_length = comma ? (uint32_t)(comma - value) : length;
	if (length >= 6 && !memcmp(value, "POWER9", 6))
		info->is_power9 = true;
}

static void parse(struct cpuinfo *info)
{
	struct cpuinfo_cpu *cpu = NULL;
	const char *line = info->text, *end, *value;
	uint32_t length, room = 0;

	for (; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		value = value_of(line, end, "processor", &length);
		if (value) {
			unsigned long number = strtoul(value, NULL, 10);

			cpu = length ? cpu_at(info, number, &room) : NULL;
			if (!cpu)
				kmt_log(KMT_LOG_INFO, CPUINFO_PATH ": processor %lu ignored",
					number);
			if (cpu) {
				cpu->is_present = true;
				cpu->apicid = (uint32_t)number;
			}
			continue;
		}
		if (!cpu)
			continue;
		value = value_of(line, end, "vendor_id", &length);
		if (value) {
			info->vendor = value;
			info->vendor_length = length;
			continue;
		}
		value = value_of(line, end, "model name", &length);
		if (value) {
			cpu->model = value;
			cpu->model_length = length;
			continue;
		}
		value = value_of(line, end, "apicid", &length);
		if (value) {
			cpu->apicid = (uint32_t)strtoul(value, NULL, 10);
			cpu->has_apicid = true;
			continue;
		}
		value = value_of(line, end, "cpu", &length);
		if (value)
			take_power_name(info, cpu, value, length);
	}
}

static bool vendor_is_known(const struct cpuinfo *info)
{
	static const char *const vendors[] = { "AuthenticAMD", "GenuineIntel", "HygonGenuine",
					       "CentaurHauls", "IBM" };

	for (size_t i = 0; info->vendor && i < sizeof(vendors) / sizeof(*vendors); i++)
		if (strlen(vendors[i]) <= info->vendor_length &&
		    !memcmp(vendors[i], info->vendor, strlen(vendors[i])))
			return true;
	return info->is_power9;
}

/* One line about all that is odd: cosmetics, but a user looking for a name wants the reason. */
static void warn(const struct cpuinfo *info)
{
	uint32_t present = 0, nameless = 0, without_apicid = 0;
	bool known = vendor_is_known(info);

	for (uint32_t i = 0; i < info->cpu_count; i++) {
		present += info->cpus[i].is_present;
		nameless += info->cpus[i].is_present && !info->cpus[i].model;
		without_apicid += info->cpus[i].is_present && !info->cpus[i].has_apicid;
	}
	if (known && present && present == info->cpu_count && !nameless &&
	    (!without_apicid || info->is_power9))
		return;
	kmt_log(KMT_LOG_WARNING,
		CPUINFO_PATH ": %u processors below %u; vendor '%.*s' (%s), %u without a model "
			     "name, %u without an apicid",
		present, info->cpu_count, (int)info->vendor_length,
		info->vendor ? info->vendor : "", known ? "known" : "unknown", nameless,
		without_apicid);
}

int cpuinfo_init(struct kmt_context *ctx, struct cpuinfo *info)
{
	*info = (struct cpuinfo){ 0 };
	if (read_text(ctx, info) < 0) {
		cpuinfo_fini(info);
		return -ENOMEM;
	}
	parse(info);
	warn(info);
	return 0;
}

void cpuinfo_fini(struct cpuinfo *info)
{
	free(info->cpus);
	free(info->text);
	*info = (struct cpuinfo){ 0 };
}

uint32_t cpuinfo_apicid(const struct cpuinfo *info, uint32_t cpu)
{
	if (cpu >= info->cpu_count || !info->cpus[cpu].is_present)
		return cpu;
	return info->cpus[cpu].apicid;
}
