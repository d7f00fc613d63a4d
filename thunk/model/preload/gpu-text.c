/* SPDX-License-Identifier: MIT */
#include "gpu-text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bo.h"
#include "sysfs.h"

#define CONFIG_BYTES   256
#define RESOURCES      13      /* lines: the regions and windows of a PCI device */
#define MADE_UP_DOMAIN 0x8000u /* of GPUs whose place is taken */

static void put(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(char *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, PRELOAD_TEXT_MAX, format, args);
	va_end(args);
}

void preload_gpu_slot(const struct kfd_model *model, const struct kfd_model_node *node,
		      char slot[PRELOAD_SLOT_BYTES])
{
	uint32_t domain = node->domain, location = node->location_id;

	for (uint32_t i = 0; i < node->gpu_index; i++)
		if (model->gpus[i]->domain == domain && model->gpus[i]->location_id == location)
			domain = MADE_UP_DOMAIN + node->gpu_index;
	snprintf(slot, PRELOAD_SLOT_BYTES, "%04x:%02x:%02x.%u", domain, location >> 8 & 0xff,
		 location >> 3 & 0x1f, location & 7);
}

void preload_gpu_text_class(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "0x038000\n"); /* display controller, neither VGA nor 3D */
}

void preload_gpu_text_vendor(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	put(text, "0x%04x\n", node->vendor_id);
}

void preload_gpu_text_device(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	put(text, "0x%04x\n", node->device_id);
}

void preload_gpu_text_revision(struct kfd_model *model, const struct kfd_model_node *node,
			       char *text)
{
	(void)model;
	(void)node;
	put(text, "0x00\n");
}

void preload_gpu_text_unique_id(struct kfd_model *model, const struct kfd_model_node *node,
				char *text)
{
	(void)model;
	put(text, "%016llx\n", (unsigned long long)node->unique_id);
}

void preload_gpu_text_uevent(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	char slot[PRELOAD_SLOT_BYTES];

	preload_gpu_slot(model, node, slot);
	put(text,
	    "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
	    "PCI_SLOT_NAME=%s\n",
	    node->vendor_id, node->device_id, node->vendor_id, node->device_id, slot);
}

void preload_gpu_text_driver(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "../../../bus/pci/drivers/amdgpu");
}

void preload_gpu_text_bus(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "../../../bus/pci");
}

void preload_gpu_text_drm_class(struct kfd_model *model, const struct kfd_model_node *node,
				char *text)
{
	(void)model;
	(void)node;
	put(text, "../../../../../class/drm");
}

void preload_gpu_text_parent(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	char slot[PRELOAD_SLOT_BYTES];

	preload_gpu_slot(model, node, slot);
	put(text, "../../../%s", slot);
}

void preload_gpu_text_card_dev(struct kfd_model *model, const struct kfd_model_node *node,
			       char *text)
{
	(void)model;
	put(text, "226:%u\n", node->gpu_index);
}

void preload_gpu_text_render_dev(struct kfd_model *model, const struct kfd_model_node *node,
				 char *text)
{
	(void)model;
	put(text, "226:%u\n", node->render_minor);
}

void preload_gpu_text_card_uevent(struct kfd_model *model, const struct kfd_model_node *node,
				  char *text)
{
	(void)model;
	put(text, "MAJOR=226\nMINOR=%u\nDEVNAME=dri/card%u\nDEVTYPE=drm_minor\n", node->gpu_index,
	    node->gpu_index);
}

void preload_gpu_text_render_uevent(struct kfd_model *model, const struct kfd_model_node *node,
				    char *text)
{
	(void)model;
	put(text, "MAJOR=226\nMINOR=%u\nDEVNAME=dri/renderD%u\nDEVTYPE=drm_minor\n",
	    node->render_minor, node->render_minor);
}

void preload_gpu_text_zero(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "0\n");
}

void preload_gpu_text_one(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "1\n");
}

void preload_gpu_text_modalias(struct kfd_model *model, const struct kfd_model_node *node,
			       char *text)
{
	(void)model;
	put(text, "pci:v%08Xd%08Xsv%08Xsd%08Xbc03sc80i00\n", node->vendor_id, node->device_id,
	    node->vendor_id, node->device_id);
}

/* Nothing of the GPU can be reached through the bus. */
void preload_gpu_text_resource(struct kfd_model *model, const struct kfd_model_node *node,
			       char *text)
{
	size_t used = 0;

	(void)model;
	(void)node;
	for (int i = 0; i < RESOURCES; i++)
		used += (size_t)snprintf(text + used, PRELOAD_TEXT_MAX - used,
					 "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
}

static void put_word(char *config, size_t at, uint32_t word)
{
	config[at] = (char)(word & 0xff);
	config[at + 1] = (char)(word >> 8 & 0xff);
}

size_t preload_gpu_config(const struct kfd_model_node *node, char text[PRELOAD_TEXT_MAX])
{
	memset(text, 0, CONFIG_BYTES);
	put_word(text, 0x00, node->vendor_id);
	put_word(text, 0x02, node->device_id);
	put_word(text, 0x04, 0x0406); /* memory, master, no line interrupts */
	put_word(text, 0x0a, 0x0380); /* another display controller */
	put_word(text, 0x2c, node->vendor_id);
	put_word(text, 0x2e, node->device_id);
	return CONFIG_BYTES;
}

/* As for a machine whose firmware says nothing. */
void preload_gpu_text_numa(struct kfd_model *model, const struct kfd_model_node *node, char *text)
{
	(void)model;
	(void)node;
	put(text, "-1\n");
}

void preload_gpu_text_vram_total(struct kfd_model *model, const struct kfd_model_node *node,
				 char *text)
{
	put(text, "%llu\n",
	    (unsigned long long)kfd_model_scenario_vram_total(model->scenario, node));
}

void preload_gpu_text_visible_total(struct kfd_model *model, const struct kfd_model_node *node,
				    char *text)
{
	put(text, "%llu\n",
	    (unsigned long long)kfd_model_scenario_vram_visible(model->scenario, node));
}

void preload_gpu_text_gtt_total(struct kfd_model *model, const struct kfd_model_node *node,
				char *text)
{
	(void)node;
	put(text, "%llu\n", (unsigned long long)model->topology.system_bytes);
}

/* What other processes say of themselves, added up; monitors have no memory of their own. */
static unsigned long long used_by_others(struct kfd_model *model, const struct kfd_model_node *node)
{
	unsigned long long sum = 0;
	char key[32];

	snprintf(key, sizeof(key), "vram_%u=", node->gpu_id);
	for (pid_t pid = kfd_model_sysfs_pid(0); pid; pid = kfd_model_sysfs_pid(pid)) {
		char *all = pid == getpid() ? NULL : kfd_model_sysfs(model, pid);
		const char *line = all ? strstr(all, key) : NULL;

		if (line)
			sum += strtoull(line + strlen(key), NULL, 10);
		free(all);
	}
	return sum;
}

void preload_gpu_text_vram_used(struct kfd_model *model, const struct kfd_model_node *node,
				char *text)
{
	unsigned long long own = atomic_load(&model->vram_used[node->gpu_index]);
	unsigned long long outside = kfd_model_scenario_vram_outside(model->scenario, node);

	put(text, "%llu\n", own + outside + used_by_others(model, node));
}

void preload_gpu_text_visible_used(struct kfd_model *model, const struct kfd_model_node *node,
				   char *text)
{
	put(text, "%llu\n", (unsigned long long)atomic_load(&model->visible_used[node->gpu_index]));
}

void preload_gpu_text_gtt_used(struct kfd_model *model, const struct kfd_model_node *node,
			       char *text)
{
	(void)node;
	put(text, "%llu\n", (unsigned long long)atomic_load(&model->system_used));
}
