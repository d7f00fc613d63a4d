/* SPDX-License-Identifier: MIT */
/* The list of virtual files; each GPU has its own set. */
#include "virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "topology.h"

/* %u stands for the render minor, %c for the number of the card. */
struct pattern {
	const char *path;
	enum preload_entry_type type;
	void (*text)(const struct kfd_model_node *node, char *text);
};

static void text_vendor(const struct kfd_model_node *node, char *text)
{
	snprintf(text, PRELOAD_TEXT_MAX, "0x%04x\n", node->vendor_id);
}

static void text_device(const struct kfd_model_node *node, char *text)
{
	snprintf(text, PRELOAD_TEXT_MAX, "0x%04x\n", node->device_id);
}

static void text_revision(const struct kfd_model_node *node, char *text)
{
	(void)node;
	snprintf(text, PRELOAD_TEXT_MAX, "0x00\n");
}

static void text_uevent(const struct kfd_model_node *node, char *text)
{
	uint32_t bus = node->location_id >> 8 & 0xff, function = node->location_id & 7;

	snprintf(text, PRELOAD_TEXT_MAX,
		 "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=0000:0000\n"
		 "PCI_SLOT_NAME=%04x:%02x:%02x.%u\n",
		 node->vendor_id, node->device_id, node->domain, bus, node->location_id >> 3 & 0x1f,
		 function);
}

static void text_subsystem(const struct kfd_model_node *node, char *text)
{
	(void)node;
	snprintf(text, PRELOAD_TEXT_MAX, "../../../../bus/pci");
}

static void text_dev(const struct kfd_model_node *node, char *text)
{
	snprintf(text, PRELOAD_TEXT_MAX, "226:%u\n", node->render_minor);
}

static void text_live(const struct kfd_model_node *node, char *text)
{
	(void)node;
	snprintf(text, PRELOAD_TEXT_MAX, "live\n");
}

static void text_zero(const struct kfd_model_node *node, char *text)
{
	(void)node;
	snprintf(text, PRELOAD_TEXT_MAX, "0\n");
}

static void text_size(const struct kfd_model_node *node, char *text)
{
	(void)node;
	snprintf(text, PRELOAD_TEXT_MAX, "16777216\n");
}

/* The machine's real modules and ours. */
static void text_modules(const struct kfd_model_node *node, char *text)
{
	static const char line[] = "amdgpu 16777216 0 - Live 0x0000000000000000\n";
	int fd = open("/proc/self/../modules", O_RDONLY | O_CLOEXEC);
	ssize_t got;
	size_t length = sizeof(line) - 1;

	(void)node;
	memcpy(text, line, sizeof(line));
	while (fd >= 0 && length < PRELOAD_TEXT_MAX - 1 &&
	       (got = read(fd, text + length, PRELOAD_TEXT_MAX - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
}

/* clang-format off */
static const struct pattern module_patterns[] = {
	{ "/proc/modules",                   ENTRY_FILE,      text_modules },
	{ "/sys/module/amdgpu",              ENTRY_DIRECTORY, NULL },
	{ "/sys/module/amdgpu/initstate",    ENTRY_FILE,      text_live },
	{ "/sys/module/amdgpu/refcnt",       ENTRY_FILE,      text_zero },
	{ "/sys/module/amdgpu/coresize",     ENTRY_FILE,      text_size },
	{ "/sys/module/amdgpu/holders",      ENTRY_DIRECTORY, NULL },
	{ "/sys/module/amdgpu/parameters",   ENTRY_DIRECTORY, NULL },
};

static const struct pattern gpu_patterns[] = {
	{ "/sys/dev/char/226:%u",                         ENTRY_DIRECTORY, NULL },
	{ "/sys/dev/char/226:%u/dev",                     ENTRY_FILE,      text_dev },
	{ "/sys/dev/char/226:%u/device",                  ENTRY_DIRECTORY, NULL },
	{ "/sys/dev/char/226:%u/device/vendor",           ENTRY_FILE,      text_vendor },
	{ "/sys/dev/char/226:%u/device/device",           ENTRY_FILE,      text_device },
	{ "/sys/dev/char/226:%u/device/revision",         ENTRY_FILE,      text_revision },
	{ "/sys/dev/char/226:%u/device/subsystem_vendor", ENTRY_FILE,      text_vendor },
	{ "/sys/dev/char/226:%u/device/subsystem_device", ENTRY_FILE,      text_device },
	{ "/sys/dev/char/226:%u/device/uevent",           ENTRY_FILE,      text_uevent },
	{ "/sys/dev/char/226:%u/device/subsystem",        ENTRY_LINK,      text_subsystem },
	{ "/sys/dev/char/226:%u/device/drm",              ENTRY_DIRECTORY, NULL },
	/* the sibling primary node tells the GPUs apart: without it all are taken for one (drm.md 2) */
	{ "/sys/dev/char/226:%u/device/drm/card%c",       ENTRY_DIRECTORY, NULL },
	{ "/sys/dev/char/226:%u/device/drm/renderD%u",    ENTRY_DIRECTORY, NULL },
	{ "/dev/dri/card%c",                              ENTRY_DIRECTORY, NULL },
};
/* clang-format on */

/* What leads to the topology, which itself is a real directory. */
static const struct pattern kfd_patterns[] = {
	{ "/sys/class/kfd", ENTRY_DIRECTORY, NULL },
	{ "/sys/class/kfd/kfd", ENTRY_DIRECTORY, NULL },
	{ "/sys/class/kfd/kfd/topology", ENTRY_DIRECTORY, NULL },
	{ "/sys/class/kfd/kfd/proc", ENTRY_DIRECTORY, NULL },
	{ "/sys/devices/virtual/kfd", ENTRY_DIRECTORY, NULL },
	{ "/sys/devices/virtual/kfd/kfd", ENTRY_DIRECTORY, NULL },
	{ "/sys/devices/virtual/kfd/kfd/topology", ENTRY_DIRECTORY, NULL },
	{ "/sys/devices/virtual/kfd/kfd/proc", ENTRY_DIRECTORY, NULL },
};

#define MODULE_COUNT (sizeof(module_patterns) / sizeof(module_patterns[0]))
#define GPU_COUNT    (sizeof(gpu_patterns) / sizeof(gpu_patterns[0]))
#define KFD_COUNT    (sizeof(kfd_patterns) / sizeof(kfd_patterns[0]))

/* Puts the numbers of a GPU into a pattern. */
static void expand(const char *pattern, const struct kfd_model_node *node, char path[256])
{
	size_t used = 0;

	path[0] = '\0';
	for (const char *p = pattern; *p && used < 240; p++) {
		if (p[0] == '%' && (p[1] == 'u' || p[1] == 'c')) {
			uint32_t number = p[1] == 'u' ? node->render_minor : node->gpu_index;

			used += (size_t)snprintf(path + used, 256 - used, "%u", number);
			p++;
		} else {
			path[used++] = *p;
			path[used] = '\0';
		}
	}
}

typedef bool (*visit_fn)(const char *path, const struct pattern *pattern,
			 const struct kfd_model_node *node, void *data);

/*
 * The minor that a path names below /sys/dev/char, or 0: with 64 GPUs libdrm looks there thousands of
 * times, and only the entries of one of them can match.
 */
static uint32_t minor_of(const char *path)
{
	static const char prefix[] = "/sys/dev/char/226:";

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	return (uint32_t)strtoul(path + sizeof(prefix) - 1, NULL, 10);
}

/* Visits all entries that may concern the wanted path until visit returns true. */
static bool for_each(struct kfd_model *model, const char *wanted, visit_fn visit, void *data)
{
	uint32_t minor = minor_of(wanted);
	char path[256];

	for (size_t i = 0; i < MODULE_COUNT; i++)
		if (visit(module_patterns[i].path, &module_patterns[i], NULL, data))
			return true;
	for (size_t i = 0; model && i < KFD_COUNT; i++)
		if (visit(kfd_patterns[i].path, &kfd_patterns[i], NULL, data))
			return true;
	for (uint32_t n = 0; model && n < kfd_model_node_count(model); n++) {
		const struct kfd_model_node *node = kfd_model_node_at(model, n);

		if (minor && node->render_minor != minor)
			continue;
		for (size_t i = 0; node->gpu_id && i < GPU_COUNT; i++) {
			expand(gpu_patterns[i].path, node, path);
			if (visit(path, &gpu_patterns[i], node, data))
				return true;
		}
	}
	return false;
}

struct search {
	const char *path;
	const struct pattern *pattern;
	const struct kfd_model_node *node;
};

static bool is_it(const char *path, const struct pattern *pattern,
		  const struct kfd_model_node *node, void *data)
{
	struct search *search = data;

	if (strcmp(path, search->path) != 0)
		return false;
	search->pattern = pattern;
	search->node = node;
	return true;
}

bool preload_virtual_find(struct kfd_model *model, const char *path, struct preload_entry *out)
{
	struct search search = { .path = path };

	if (model && strcmp(path, "/dev/dri") == 0)
		out->type = ENTRY_DIRECTORY;
	else if (model && preload_proc_find(model, path, out))
		return true;
	else if (for_each(model, path, is_it, &search))
		out->type = search.pattern->type;
	else
		return false;
	snprintf(out->path, sizeof(out->path), "%s", path);
	return true;
}

size_t preload_virtual_text(struct kfd_model *model, const struct preload_entry *entry,
			    char text[PRELOAD_TEXT_MAX])
{
	struct search search = { .path = entry->path };

	text[0] = '\0';
	if (model && preload_proc_text(model, entry->path, text))
		return strlen(text);
	if (for_each(model, entry->path, is_it, &search) && search.pattern->text)
		search.pattern->text(search.node, text);
	return strlen(text);
}

struct child_search {
	const char *directory;
	unsigned int left;
	char *name;
	enum preload_entry_type type;
};

static bool is_child(const char *path, const struct pattern *pattern,
		     const struct kfd_model_node *node, void *data)
{
	struct child_search *search = data;
	size_t length = strlen(search->directory);

	(void)node;
	if (strncmp(path, search->directory, length) != 0 || path[length] != '/' ||
	    strchr(path + length + 1, '/') || search->left-- != 0)
		return false;
	snprintf(search->name, 64, "%s", path + length + 1);
	search->type = pattern->type;
	return true;
}

/* The render nodes themselves are devices, not entries of the list. */
static bool render_child(struct kfd_model *model, unsigned int n, char name[64])
{
	for (uint32_t i = 0; i < kfd_model_node_count(model); i++) {
		const struct kfd_model_node *node = kfd_model_node_at(model, i);

		if (node->gpu_id && n-- == 0) {
			snprintf(name, 64, "renderD%u", node->render_minor);
			return true;
		}
	}
	return false;
}

bool preload_virtual_child(struct kfd_model *model, const struct preload_entry *directory,
			   unsigned int n, char name[64], enum preload_entry_type *type)
{
	struct child_search search = { .directory = directory->path, .left = n, .name = name };

	if (n < 2) {
		snprintf(name, 64, "%s", n ? ".." : ".");
		*type = ENTRY_DIRECTORY;
		return true;
	}
	search.left = n - 2;
	if (model && preload_proc_child(model, directory->path, n - 2, name, type))
		return true;
	if (for_each(model, directory->path, is_child, &search)) {
		*type = search.type;
		return true;
	}
	*type = ENTRY_FILE;
	return model && strcmp(directory->path, "/dev/dri") == 0 &&
	       render_child(model, search.left, name);
}
