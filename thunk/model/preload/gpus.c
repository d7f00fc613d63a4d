/* SPDX-License-Identifier: MIT */
/* Finds paths about GPUs by taking them apart: with many GPUs a list of all paths would be long. */
#include "gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "gpu-text.h"

#define DEVICES    "/sys/devices/"
#define CLASS      "/sys/class/drm"
#define CHAR       "/sys/dev/char"
#define BUS        "/sys/bus/pci/devices"
#define DRIVER     "/sys/bus/pci/drivers/amdgpu"
#define NODES      "/dev/dri"
#define NAME_BYTES 64

/* The directory of a GPU; %c is the number of its card, %u its render minor. */
struct pattern {
	const char *path; /* below that directory; "" for itself */
	enum preload_entry_type type;
	preload_gpu_text_fn text;
};

/* clang-format off */
static const struct pattern patterns[] = {
	{ "",                       ENTRY_DIRECTORY, NULL },
	{ "class",                  ENTRY_FILE,      preload_gpu_text_class },
	{ "config",                 ENTRY_FILE,      NULL }, /* no text: preload_gpu_config() */
	{ "device",                 ENTRY_FILE,      preload_gpu_text_device },
	{ "driver",                 ENTRY_LINK,      preload_gpu_text_driver },
	{ "drm",                    ENTRY_DIRECTORY, NULL },
	/* the sibling primary node tells the GPUs apart: without it all are taken for one (drm.md 2) */
	{ "drm/card%c",             ENTRY_DIRECTORY, NULL },
	{ "drm/card%c/dev",         ENTRY_FILE,      preload_gpu_text_card_dev },
	{ "drm/card%c/device",      ENTRY_LINK,      preload_gpu_text_parent },
	{ "drm/card%c/subsystem",   ENTRY_LINK,      preload_gpu_text_drm_class },
	{ "drm/card%c/uevent",      ENTRY_FILE,      preload_gpu_text_card_uevent },
	{ "drm/renderD%u",          ENTRY_DIRECTORY, NULL },
	{ "drm/renderD%u/dev",      ENTRY_FILE,      preload_gpu_text_render_dev },
	{ "drm/renderD%u/device",   ENTRY_LINK,      preload_gpu_text_parent },
	{ "drm/renderD%u/subsystem", ENTRY_LINK,     preload_gpu_text_drm_class },
	{ "drm/renderD%u/uevent",   ENTRY_FILE,      preload_gpu_text_render_uevent },
	{ "enable",                 ENTRY_FILE,      preload_gpu_text_one },
	{ "gpu_busy_percent",       ENTRY_FILE,      preload_gpu_text_zero },
	{ "irq",                    ENTRY_FILE,      preload_gpu_text_zero },
	{ "mem_busy_percent",       ENTRY_FILE,      preload_gpu_text_zero },
	{ "modalias",               ENTRY_FILE,      preload_gpu_text_modalias },
	{ "mem_info_gtt_total",     ENTRY_FILE,      preload_gpu_text_gtt_total },
	{ "mem_info_gtt_used",      ENTRY_FILE,      preload_gpu_text_gtt_used },
	{ "mem_info_vis_vram_total", ENTRY_FILE,     preload_gpu_text_visible_total },
	{ "mem_info_vis_vram_used", ENTRY_FILE,      preload_gpu_text_visible_used },
	{ "mem_info_vram_total",    ENTRY_FILE,      preload_gpu_text_vram_total },
	{ "mem_info_vram_used",     ENTRY_FILE,      preload_gpu_text_vram_used },
	{ "numa_node",              ENTRY_FILE,      preload_gpu_text_numa },
	{ "resource",               ENTRY_FILE,      preload_gpu_text_resource },
	{ "revision",               ENTRY_FILE,      preload_gpu_text_revision },
	{ "subsystem",              ENTRY_LINK,      preload_gpu_text_bus },
	{ "subsystem_device",       ENTRY_FILE,      preload_gpu_text_device },
	{ "subsystem_vendor",       ENTRY_FILE,      preload_gpu_text_vendor },
	{ "uevent",                 ENTRY_FILE,      preload_gpu_text_uevent },
	{ "unique_id",              ENTRY_FILE,      preload_gpu_text_unique_id },
	{ "vendor",                 ENTRY_FILE,      preload_gpu_text_vendor },
};
/* clang-format on */

#define PATTERN_COUNT (sizeof(patterns) / sizeof(patterns[0]))

/* The directories that have an entry or two for each GPU. */
enum list {
	LIST_NONE,
	LIST_CLASS,
	LIST_CHAR,
	LIST_BUS,
	LIST_DRIVER,
	LIST_NODES,
	LIST_ROOTS, /* /sys/devices: the bus */
	LIST_ROOT,  /* the bus: the devices */
};

/* Name of the GPU's PCI root below /sys/devices. */
static void root_name(const struct kfd_model *model, const struct kfd_model_node *node,
		      char name[NAME_BYTES])
{
	char slot[PRELOAD_SLOT_BYTES];

	preload_gpu_slot(model, node, slot);
	snprintf(name, NAME_BYTES, "pci%.*s:00", (int)(strchr(slot, ':') - slot), slot);
}

static const struct kfd_model_node *gpu_at(struct kfd_model *model, unsigned int n)
{
	return n < model->topology.gpu_count ? model->gpus[n] : NULL;
}

/* Whether number is all of text, as the driver would print it. */
static bool is_number(const char *text, uint32_t *number)
{
	char again[16];

	*number = (uint32_t)strtoul(text, NULL, 10);
	snprintf(again, sizeof(again), "%u", *number);
	return strcmp(again, text) == 0;
}

const struct kfd_model_node *preload_gpus_device(struct kfd_model *model, const char *name,
						 uint32_t *minor)
{
	if (strncmp(name, "renderD", 7) == 0 && is_number(name + 7, minor))
		return kfd_model_node_of_minor(model, *minor);
	if (strncmp(name, "card", 4) == 0 && is_number(name + 4, minor))
		return gpu_at(model, *minor);
	return NULL;
}

/* By numbers first: libdrm looks into slots thousands of times. */
static const struct kfd_model_node *gpu_in_slot(struct kfd_model *model, const char *name,
						size_t length)
{
	unsigned int domain, bus, device, function;
	char slot[PRELOAD_SLOT_BYTES];

	if (sscanf(name, "%x:%x:%x.%u", &domain, &bus, &device, &function) != 4)
		return NULL;
	for (uint32_t i = 0; i < model->topology.gpu_count; i++) {
		const struct kfd_model_node *node = model->gpus[i];
		uint32_t location = node->location_id;

		if ((location >> 8 & 0xff) != bus || (location >> 3 & 0x1f) != device ||
		    (location & 7) != function)
			continue;
		preload_gpu_slot(model, node, slot);
		if (strlen(slot) == length && strncmp(slot, name, length) == 0)
			return node;
	}
	return NULL;
}

/*
 * The GPU in whose directory a path lies.
 * @param rest  out: the path below it.
 */
static const struct kfd_model_node *gpu_of_path(struct kfd_model *model, const char *path,
						const char **rest)
{
	const struct kfd_model_node *node;
	char root[NAME_BYTES];
	size_t length, root_length;
	const char *slot;

	if (strncmp(path, DEVICES "pci", sizeof(DEVICES "pci") - 1) != 0)
		return NULL;
	path += sizeof(DEVICES) - 1;
	root_length = strcspn(path, "/");
	if (!path[root_length])
		return NULL;
	slot = path + root_length + 1;
	length = strcspn(slot, "/");
	node = gpu_in_slot(model, slot, length);
	if (!node)
		return NULL;
	root_name(model, node, root);
	if (strlen(root) != root_length || strncmp(root, path, root_length) != 0)
		return NULL;
	*rest = slot + length + (slot[length] == '/');
	return node;
}

bool preload_gpus_owns(struct kfd_model *model, const char *path)
{
	const char *rest;

	return gpu_of_path(model, path, &rest) != NULL;
}

/* Puts the numbers of a GPU into a pattern's path. */
static void expand(const char *pattern, const struct kfd_model_node *node, char path[NAME_BYTES])
{
	const char *at = strchr(pattern, '%');

	if (!at)
		snprintf(path, NAME_BYTES, "%s", pattern);
	else
		snprintf(path, NAME_BYTES, "%.*s%u%s", (int)(at - pattern), pattern,
			 at[1] == 'u' ? node->render_minor : node->gpu_index, at + 2);
}

static const struct pattern *pattern_of(const struct kfd_model_node *node, const char *rest)
{
	char path[NAME_BYTES];

	for (size_t i = 0; i < PATTERN_COUNT; i++) {
		bool same;

		if (strchr(patterns[i].path, '%')) {
			expand(patterns[i].path, node, path);
			same = strcmp(path, rest) == 0;
		} else {
			same = strcmp(patterns[i].path, rest) == 0;
		}
		if (same)
			return &patterns[i];
	}
	return NULL;
}

static enum list list_of(struct kfd_model *model, const char *path)
{
	static const struct {
		const char *path;
		enum list list;
	} lists[] = {
		{ CLASS, LIST_CLASS },   { CHAR, LIST_CHAR },   { BUS, LIST_BUS },
		{ DRIVER, LIST_DRIVER }, { NODES, LIST_NODES }, { "/sys/devices", LIST_ROOTS },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(path, lists[i].path) == 0)
			return lists[i].list;
	if (strncmp(path, DEVICES "pci", sizeof(DEVICES "pci") - 1) != 0 ||
	    strchr(path + sizeof(DEVICES), '/'))
		return LIST_NONE;
	for (uint32_t i = 0; i < model->topology.gpu_count; i++) {
		char root[NAME_BYTES];

		root_name(model, model->gpus[i], root);
		if (strcmp(path + sizeof(DEVICES) - 1, root) == 0)
			return LIST_ROOT;
	}
	return LIST_NONE;
}

/* The n-th name of a list. */
static bool list_name(struct kfd_model *model, enum list list, const char *path, unsigned int n,
		      char name[NAME_BYTES])
{
	const struct kfd_model_node *node = gpu_at(model, n / 2);
	char other[NAME_BYTES];

	switch (list) {
	case LIST_CLASS:
	case LIST_NODES:
		if (node)
			snprintf(name, NAME_BYTES, n % 2 ? "renderD%u" : "card%u",
				 n % 2 ? node->render_minor : node->gpu_index);
		return node != NULL;
	case LIST_CHAR:
		if (node)
			snprintf(name, NAME_BYTES, "226:%u",
				 n % 2 ? node->render_minor : node->gpu_index);
		return node != NULL;
	case LIST_BUS:
	case LIST_DRIVER:
		node = gpu_at(model, n);
		if (node)
			preload_gpu_slot(model, node, name);
		return node != NULL;
	case LIST_ROOTS:
		for (unsigned int i = 0; (node = gpu_at(model, i)); i++) {
			root_name(model, node, name);
			if (i)
				root_name(model, gpu_at(model, i - 1), other);
			if ((!i || strcmp(name, other) != 0) && n-- == 0)
				return true;
		}
		return false;
	case LIST_ROOT:
		for (unsigned int i = 0; (node = gpu_at(model, i)); i++) {
			root_name(model, node, other);
			preload_gpu_slot(model, node, name);
			if (strcmp(path + sizeof(DEVICES) - 1, other) == 0 && n-- == 0)
				return true;
		}
		return false;
	case LIST_NONE:
		break;
	}
	return false;
}

static enum preload_entry_type list_type(enum list list)
{
	switch (list) {
	case LIST_CLASS:
	case LIST_CHAR:
	case LIST_BUS:
	case LIST_DRIVER:
		return ENTRY_LINK;
	case LIST_NODES:
		return ENTRY_DEVICE;
	case LIST_ROOTS:
	case LIST_ROOT:
	case LIST_NONE:
		break;
	}
	return ENTRY_DIRECTORY;
}

/*
 * The GPU that a link of a list leads to.
 * @param up    out: what leads from there to /sys.
 * @param name  out: of the DRM device, "" for the PCI device.
 */
static const struct kfd_model_node *link_target(struct kfd_model *model, const char *path,
						const char **up, char name[NAME_BYTES])
{
	uint32_t minor;

	name[0] = '\0';
	if (strncmp(path, CLASS "/", sizeof(CLASS)) == 0) {
		*up = "../../";
		snprintf(name, NAME_BYTES, "%s", path + sizeof(CLASS));
		return preload_gpus_device(model, name, &minor);
	}
	if (strncmp(path, CHAR "/226:", sizeof(CHAR "/226:") - 1) == 0) {
		const struct kfd_model_node *node;

		*up = "../../";
		if (!is_number(path + sizeof(CHAR "/226:") - 1, &minor))
			return NULL;
		node = kfd_model_node_of_minor(model, minor);
		snprintf(name, NAME_BYTES, node ? "renderD%u" : "card%u", minor);
		return node ? node : gpu_at(model, minor);
	}
	if (strncmp(path, BUS "/", sizeof(BUS)) == 0) {
		*up = "../../../";
		return gpu_in_slot(model, path + sizeof(BUS), strlen(path + sizeof(BUS)));
	}
	if (strncmp(path, DRIVER "/", sizeof(DRIVER)) == 0) {
		*up = "../../../../";
		return gpu_in_slot(model, path + sizeof(DRIVER), strlen(path + sizeof(DRIVER)));
	}
	return NULL;
}

bool preload_gpus_find(struct kfd_model *model, const char *path, struct preload_entry *out)
{
	const struct kfd_model_node *node;
	const struct pattern *pattern;
	const char *rest, *up;
	char name[NAME_BYTES];
	uint32_t minor;

	if (strlen(path) >= sizeof(out->path))
		return false;
	node = gpu_of_path(model, path, &rest);
	if (node) {
		pattern = pattern_of(node, rest);
		if (!pattern)
			return false;
		out->type = pattern->type;
	} else if (list_of(model, path) == LIST_ROOT) {
		out->type = ENTRY_DIRECTORY;
	} else if (link_target(model, path, &up, name)) {
		out->type = ENTRY_LINK;
	} else if (strncmp(path, NODES "/", sizeof(NODES)) == 0 &&
		   preload_gpus_device(model, path + sizeof(NODES), &minor)) {
		out->type = ENTRY_DEVICE;
	} else {
		return false;
	}
	strcpy(out->path, path);
	return true;
}

bool preload_gpus_text(struct kfd_model *model, const char *path, char text[PRELOAD_TEXT_MAX],
		       size_t *length)
{
	const struct kfd_model_node *node;
	char name[NAME_BYTES], root[NAME_BYTES], slot[PRELOAD_SLOT_BYTES];
	const struct pattern *pattern;
	const char *rest, *up;

	text[0] = '\0';
	node = gpu_of_path(model, path, &rest);
	if (node) {
		pattern = pattern_of(node, rest);
		if (pattern && pattern->text)
			pattern->text(model, node, text);
		*length = strlen(text);
		if (strcmp(rest, "config") == 0)
			*length = preload_gpu_config(node, text);
		return pattern != NULL;
	}
	node = link_target(model, path, &up, name);
	if (!node)
		return false;
	root_name(model, node, root);
	preload_gpu_slot(model, node, slot);
	snprintf(text, PRELOAD_TEXT_MAX, "%sdevices/%s/%s%s%s", up, root, slot,
		 *name ? "/drm/" : "", name);
	*length = strlen(text);
	return true;
}

/* The n-th pattern right below a directory of a GPU. */
static bool pattern_child(const struct kfd_model_node *node, const char *rest, unsigned int n,
			  char name[NAME_BYTES], enum preload_entry_type *type)
{
	size_t length = strlen(rest);
	char path[NAME_BYTES];

	for (size_t i = 0; i < PATTERN_COUNT; i++) {
		const char *last;

		expand(patterns[i].path, node, path);
		if (length && (strncmp(path, rest, length) != 0 || path[length] != '/'))
			continue;
		last = path + length + (length != 0);
		if (!*last || strchr(last, '/') || n-- != 0)
			continue;
		strcpy(name, last);
		*type = patterns[i].type;
		return true;
	}
	return false;
}

bool preload_gpus_child(struct kfd_model *model, const char *path, unsigned int n, char name[64],
			enum preload_entry_type *type)
{
	const struct kfd_model_node *node;
	const char *rest;
	enum list list;

	node = gpu_of_path(model, path, &rest);
	if (node)
		return pattern_child(node, rest, n, name, type);
	list = list_of(model, path);
	*type = list_type(list);
	return list_name(model, list, path, n, name);
}
