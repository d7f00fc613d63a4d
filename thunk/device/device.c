/* SPDX-License-Identifier: MIT */
/* Which door to the outside the environment asks for (model.md 1). */
#include "device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/base.h"

#define KERNEL_TOPOLOGY_ROOT "/sys/devices/virtual/kfd/kfd/topology"

static device_decorator current_decorator;

void device_set_decorator(device_decorator decorator)
{
	current_decorator = decorator;
}

int device_new(struct device **out)
{
	const char *model_topology = getenv("HSA_MODEL_TOPOLOGY");
	struct device *dev = calloc(1, sizeof(*dev));
	int rc = -ENOMEM;

	if (!dev)
		return rc;
	dev->topology_root = strdup(model_topology ? model_topology : KERNEL_TOPOLOGY_ROOT);
	if (!dev->topology_root)
		goto out;
	dev->is_model = model_topology;
	dev->base_ops = dev->is_model ? &device_model_ops : &device_kernel_ops;
	dev->ops = dev->base_ops;
	rc = dev->is_model ? device_model_load(dev) : 0;
	if (rc < 0)
		goto out;
	if (current_decorator)
		current_decorator(dev);
	*out = dev;
	dev = NULL;
out:
	device_free(dev);
	return rc;
}

void device_free(struct device *dev)
{
	if (!dev)
		return;
	free((char *)dev->topology_root); /* owned; const for everybody else */
	free(dev);
}
