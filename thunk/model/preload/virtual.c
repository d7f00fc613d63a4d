/* SPDX-License-Identifier: MIT */
/* The list of virtual files that are there once; gpus.c has those of each GPU, proc.c of processes. */
#include "virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpus.h"
#include "numbers.h"
#include "proc.h"
#include "real.h"

typedef int (*open_fn)(const char *, int, ...);

PRELOAD_REAL(open, open_fn)

struct pattern {
	const char *path;
	enum preload_entry_type type;
	bool is_shared; /* with the real machine */
	void (*text)(char *text);
};

static void text_live(char *text)
{
	strcpy(text, "live\n");
}

static void text_zero(char *text)
{
	strcpy(text, "0\n");
}

static void text_size(char *text)
{
	strcpy(text, "16777216\n");
}

/* The machine's real modules and ours. */
static void text_modules(char *text)
{
	static const char line[] = "amdgpu 16777216 0 - Live 0x0000000000000000\n";
	int fd = real_open()("/proc/modules", O_RDONLY | O_CLOEXEC);
	ssize_t got;
	size_t length = sizeof(line) - 1;

	memcpy(text, line, sizeof(line));
	while (fd >= 0 && length < PRELOAD_TEXT_MAX - 1 &&
	       (got = read(fd, text + length, PRELOAD_TEXT_MAX - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
}

static void text_kfd_dev(char *text)
{
	snprintf(text, PRELOAD_TEXT_MAX, "%u:0\n", PRELOAD_KFD_MAJOR);
}

static void text_kfd_uevent(char *text)
{
	snprintf(text, PRELOAD_TEXT_MAX, "MAJOR=%u\nMINOR=0\nDEVNAME=kfd\n", PRELOAD_KFD_MAJOR);
}

static void text_kfd_class(char *text)
{
	strcpy(text, "../../../../class/kfd");
}

static void text_kfd_device(char *text)
{
	strcpy(text, "../../devices/virtual/kfd/kfd");
}

static void text_drm_version(char *text)
{
	strcpy(text, "drm 1.1.0 20060810\n");
}

/* clang-format off */
static const struct pattern module_patterns[] = {
	{ "/proc/modules",                  ENTRY_FILE,      false, text_modules },
	{ "/sys/module",                    ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/module/amdgpu",             ENTRY_DIRECTORY, false, NULL },
	{ "/sys/module/amdgpu/coresize",    ENTRY_FILE,      false, text_size },
	{ "/sys/module/amdgpu/holders",     ENTRY_DIRECTORY, false, NULL },
	{ "/sys/module/amdgpu/initstate",   ENTRY_FILE,      false, text_live },
	{ "/sys/module/amdgpu/parameters",  ENTRY_DIRECTORY, false, NULL },
	{ "/sys/module/amdgpu/refcnt",      ENTRY_FILE,      false, text_zero },
};

/* The topology itself is a real directory. */
static const struct pattern machine_patterns[] = {
	{ "/dev",                           ENTRY_DIRECTORY, true,  NULL },
	{ "/dev/dri",                       ENTRY_DIRECTORY, false, NULL },
	{ "/dev/kfd",                       ENTRY_DEVICE,    false, NULL },
	{ "/sys/bus",                       ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/bus/pci",                   ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/bus/pci/devices",           ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/bus/pci/drivers",           ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/bus/pci/drivers/amdgpu",    ENTRY_DIRECTORY, false, NULL },
	{ "/sys/class",                     ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/class/drm",                 ENTRY_DIRECTORY, false, NULL },
	{ "/sys/class/drm/version",         ENTRY_FILE,      false, text_drm_version },
	{ "/sys/class/kfd",                 ENTRY_DIRECTORY, false, NULL },
	{ "/sys/class/kfd/kfd",             ENTRY_LINK,      false, text_kfd_device },
	{ "/sys/dev",                       ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/dev/char",                  ENTRY_DIRECTORY, true,  NULL },
	{ PRELOAD_KFD_CHAR,                 ENTRY_LINK,      false, text_kfd_device },
	{ "/sys/devices",                   ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/devices/virtual",           ENTRY_DIRECTORY, true,  NULL },
	{ "/sys/devices/virtual/kfd",       ENTRY_DIRECTORY, false, NULL },
	{ "/sys/devices/virtual/kfd/kfd",   ENTRY_DIRECTORY, false, NULL },
	{ "/sys/devices/virtual/kfd/kfd/dev",       ENTRY_FILE,      false, text_kfd_dev },
	{ "/sys/devices/virtual/kfd/kfd/proc",      ENTRY_DIRECTORY, false, NULL },
	{ "/sys/devices/virtual/kfd/kfd/subsystem", ENTRY_LINK,      false, text_kfd_class },
	{ "/sys/devices/virtual/kfd/kfd/topology",  ENTRY_DIRECTORY, false, NULL },
	{ "/sys/devices/virtual/kfd/kfd/uevent",    ENTRY_FILE,      false, text_kfd_uevent },
};

static const char *const owned[] = {
	"/dev/dri/",       "/dev/kfd/",       "/sys/bus/pci/drivers/amdgpu/",
	"/sys/class/drm/", "/sys/class/kfd/", "/sys/devices/virtual/kfd/",
	"/sys/dev/char/226:",
};
/* clang-format on */

#define MODULE_COUNT  (sizeof(module_patterns) / sizeof(module_patterns[0]))
#define MACHINE_COUNT (sizeof(machine_patterns) / sizeof(machine_patterns[0]))

/* The n-th pattern of both lists, the second only with a machine; NULL behind the last. */
static const struct pattern *pattern_at(const struct kfd_model *model, size_t n)
{
	if (n < MODULE_COUNT)
		return &module_patterns[n];
	n -= MODULE_COUNT;
	return model && n < MACHINE_COUNT ? &machine_patterns[n] : NULL;
}

static const struct pattern *pattern_of(const struct kfd_model *model, const char *path)
{
	const struct pattern *pattern;

	for (size_t i = 0; (pattern = pattern_at(model, i)); i++)
		if (strcmp(pattern->path, path) == 0)
			return pattern;
	return NULL;
}

bool preload_virtual_find(struct kfd_model *model, const char *path, struct preload_entry *out)
{
	const struct pattern *pattern = pattern_of(model, path);

	if (!pattern)
		return model &&
		       (preload_proc_find(model, path, out) || preload_gpus_find(model, path, out));
	out->type = pattern->type;
	snprintf(out->path, sizeof(out->path), "%s", path);
	return true;
}

bool preload_virtual_is_shared(const char *path)
{
	for (size_t i = 0; i < MODULE_COUNT; i++)
		if (module_patterns[i].is_shared && strcmp(module_patterns[i].path, path) == 0)
			return true;
	for (size_t i = 0; i < MACHINE_COUNT; i++)
		if (machine_patterns[i].is_shared && strcmp(machine_patterns[i].path, path) == 0)
			return true;
	return false;
}

bool preload_virtual_owns(struct kfd_model *model, const char *path)
{
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		if (strncmp(path, owned[i], strlen(owned[i])) == 0)
			return true;
	return preload_gpus_owns(model, path);
}

size_t preload_virtual_text(struct kfd_model *model, const struct preload_entry *entry,
			    char text[PRELOAD_TEXT_MAX])
{
	const struct pattern *pattern = pattern_of(model, entry->path);

	size_t length = 0;

	text[0] = '\0';
	if (pattern && pattern->text)
		pattern->text(text);
	else if (model && !pattern && !preload_proc_text(model, entry->path, text) &&
		 preload_gpus_text(model, entry->path, text, &length))
		return length;
	return strlen(text);
}

static bool is_child(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/' &&
	       !strchr(path + length + 1, '/');
}

bool preload_virtual_child(struct kfd_model *model, const struct preload_entry *directory,
			   unsigned int *position, char name[64], enum preload_entry_type *type)
{
	unsigned int n = *position, before;
	const struct pattern *pattern;

	if (n < 2) {
		snprintf(name, 64, "%s", n ? ".." : ".");
		*type = ENTRY_DIRECTORY;
		*position = n + 1;
		return true;
	}
	n -= 2;
	for (size_t i = 0; (pattern = pattern_at(model, i)); i++) {
		if (!is_child(directory->path, pattern->path) || n-- != 0)
			continue;
		snprintf(name, 64, "%s", pattern->path + strlen(directory->path) + 1);
		*type = pattern->type;
		*position += 1;
		return true;
	}
	if (!model)
		return false;
	before = *position - n;
	if (preload_proc_child(model, directory->path, &n, name, type)) {
		*position = before + n;
		return true;
	}
	*position += 1;
	return preload_gpus_child(model, directory->path, n, name, type);
}
