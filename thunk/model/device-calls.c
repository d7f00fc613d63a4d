/* SPDX-License-Identifier: MIT */
/* The calls about the device as a whole: version, apertures, clocks, settings (kfd.md 4). */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "engine04.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "smi.h"
#include "usercopy.h"

#define GPUVM_BASE        0x10000ull /* 64 KiB: the low reserved part (kfd.md 6.3) */
#define WINDOW_LAST       0xffffffffull
#define LDS_BASE          (1ull << 48)
#define SCRATCH_BASE      (2ull << 48)
#define LDS_BASE_G8       (1ull << 61)
#define TILE_CONFIGS      32
#define MACRO_CONFIGS     16
#define LINEAR_ALIGNED_AT 8 /* where libraries look for the mode */
#define LINEAR_ALIGNED    (1u << 2)
#define GB_ADDR_CONFIG    0x10000444u
#define GB_ADDR_OLD       0x22011003u /* what a discrete card before gfx9 has */

int kfd_model_call_get_version(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_version_args *args = call->args;

	args->major_version = KFD_IOCTL_MAJOR_VERSION;
	args->minor_version = kfd_model_scenario_minor(call->process->model->scenario);
	return 0;
}

int kfd_model_call_get_clock_counters(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_clock_counters_args *args = call->args;
	struct kfd_model *model = call->process->model;
	const struct kfd_model_node *node = kfd_model_process_node(call->process, args->gpu_id);

	/* Both of one moment, however the thread is scheduled. */
	args->cpu_clock_counter = kfd_model_clock_cpu_ns();
	args->gpu_clock_counter =
		node ? kfd_model_clock_gpu_at(model, node, args->cpu_clock_counter) : 0;
	args->system_clock_counter = kfd_model_clock_boottime_ns(model);
	args->system_clock_freq = 1000000000;
	return 0;
}

void kfd_model_apertures(const struct kfd_model_vm *vm, uint64_t *lds, uint64_t *scratch,
			 uint64_t *gpuvm)
{
	bool old = vm->node->gfx_version < 90000;

	*lds = old ? LDS_BASE_G8 : LDS_BASE;
	*scratch = old ? LDS_BASE_G8 + WINDOW_LAST + 1 : SCRATCH_BASE;
	*gpuvm = GPUVM_BASE;
}

static void fill_apertures(const struct kfd_model_vm *vm, struct kfd_process_device_apertures *out)
{
	memset(out, 0, sizeof(*out));
	out->gpu_id = vm->gpu_id;
	kfd_model_apertures(vm, &out->lds_base, &out->scratch_base, &out->gpuvm_base);
	out->lds_limit = out->lds_base | WINDOW_LAST;
	out->scratch_limit = out->scratch_base | WINDOW_LAST;
	out->gpuvm_limit = vm->node->gpuvm_limit;
	if (vm->process->model->engines && out->gpuvm_limit >= KFD_MODEL_ENGINE04_WINDOW)
		out->gpuvm_limit = KFD_MODEL_ENGINE04_WINDOW - 1;
}

int kfd_model_call_get_process_apertures(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_process_apertures_args *args = call->args;
	struct kfd_model_process *process = call->process;

	memset(args, 0, sizeof(*args));
	while (args->num_of_nodes < process->vm_count &&
	       args->num_of_nodes < NUM_OF_SUPPORTED_GPUS) {
		fill_apertures(&process->vms[args->num_of_nodes],
			       &args->process_apertures[args->num_of_nodes]);
		args->num_of_nodes++;
	}
	return 0;
}

int kfd_model_call_get_process_apertures_new(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_process_apertures_new_args *args = call->args;
	struct kfd_model_process *process = call->process;
	struct kfd_process_device_apertures apertures[KFD_MODEL_MAX_GPUS];
	uint32_t room = args->num_of_nodes, filled = 0;

	if (!room) {
		args->num_of_nodes = process->vm_count;
		return 0;
	}
	if (room > process->model->topology.node_count)
		return -EINVAL;
	for (; filled < process->vm_count && filled < room; filled++)
		fill_apertures(&process->vms[filled], &apertures[filled]);
	args->num_of_nodes = filled;
	return kfd_model_copy_out(args->kfd_process_device_apertures_ptr, apertures,
				  filled * sizeof(apertures[0]));
}

/* @return the GPU when it exists and has its address space; else NULL and the errno. */
static struct kfd_model_vm *acquired_vm(struct kfd_model_process *process, uint32_t gpu_id, int *rc)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, gpu_id);

	*rc = !vm ? -EINVAL : vm->acquired ? 0 : -ESRCH;
	return *rc ? NULL : vm;
}

int kfd_model_call_set_memory_policy(struct kfd_model_call *call)
{
	struct kfd_ioctl_set_memory_policy_args *args = call->args;
	struct kfd_model_vm *vm;
	int rc;

	if (args->default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
	    args->alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
		return -EINVAL;
	vm = acquired_vm(call->process, args->gpu_id, &rc);
	if (!vm)
		return rc;
	vm->default_policy = args->default_policy;
	vm->alternate_policy = args->alternate_policy;
	vm->alternate_base = args->alternate_aperture_base;
	vm->alternate_size = args->alternate_aperture_size;
	return 0;
}

int kfd_model_call_set_scratch_backing_va(struct kfd_model_call *call)
{
	struct kfd_ioctl_set_scratch_backing_va_args *args = call->args;
	int rc;
	struct kfd_model_vm *vm = acquired_vm(call->process, args->gpu_id, &rc);

	if (!vm)
		return rc;
	vm->scratch_base = args->va_addr;
	return 0;
}

int kfd_model_call_set_trap_handler(struct kfd_model_call *call)
{
	struct kfd_ioctl_set_trap_handler_args *args = call->args;
	int rc;
	struct kfd_model_vm *vm = acquired_vm(call->process, args->gpu_id, &rc);

	if (!vm)
		return rc;
	vm->tba = args->tba_addr;
	vm->tma = args->tma_addr;
	return 0;
}

int kfd_model_call_get_tile_config(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_tile_config_args *args = call->args;
	const struct kfd_model_node *node = kfd_model_process_node(call->process, args->gpu_id);
	/* all linear but for what graphics needs, which nobody draws with here */
	uint32_t tile_modes[TILE_CONFIGS] = { [LINEAR_ALIGNED_AT] = LINEAR_ALIGNED };
	const uint32_t macro_modes[MACRO_CONFIGS] = { 0 };
	bool old = node && node->gfx_version < 90000;
	uint32_t tiles = old ? TILE_CONFIGS : 0, macros = old ? MACRO_CONFIGS : 0;

	if (!node)
		return -EINVAL;
	args->gb_addr_config = old ? GB_ADDR_OLD : GB_ADDR_CONFIG;
	args->num_banks = old ? 2 : 0; /* the register's code for 16 */
	args->num_ranks = 0;
	if (args->num_tile_configs > tiles)
		args->num_tile_configs = tiles;
	if (args->num_macro_tile_configs > macros)
		args->num_macro_tile_configs = macros;
	if (kfd_model_copy_out(args->tile_config_ptr, tile_modes,
			       args->num_tile_configs * sizeof(tile_modes[0])) ||
	    kfd_model_copy_out(args->macro_tile_config_ptr, macro_modes,
			       args->num_macro_tile_configs * sizeof(macro_modes[0])))
		return -EFAULT;
	return 0;
}

int kfd_model_call_smi_events(struct kfd_model_call *call)
{
	struct kfd_ioctl_smi_events_args *args = call->args;
	struct kfd_model *model = call->process->model;
	const struct kfd_model_node *node = kfd_model_process_node(call->process, args->gpuid);
	int fd;

	if (!node)
		return -EINVAL;
	fd = kfd_model_smi_open(model, node);
	if (fd < 0)
		return fd;
	args->anon_fd = (uint32_t)fd;
	return 0;
}

int kfd_model_call_create_process(struct kfd_model_call *call)
{
	struct kfd_model *model = call->process->model;
	struct kfd_model_process *process;
	const uint32_t count = sizeof(model->secondaries) / sizeof(model->secondaries[0]);
	uint32_t id = 0;
	int rc = -ENOSPC;

	if (call->process->is_secondary)
		return -EINVAL;
	process = kfd_model_process_new(model, true);
	if (!process)
		return -ENOMEM;
	pthread_mutex_lock(&model->lock);
	while (id < count && model->secondaries[id])
		id++;
	if (id < count) {
		model->secondaries[id] = process;
		process->context_id = id;
		process->has_secondary_id = true;
		call->file->process = process;
		process = NULL;
		rc = 0;
	}
	pthread_mutex_unlock(&model->lock);
	kfd_model_process_free(process);
	return rc;
}

int kfd_model_call_refused(struct kfd_model_call *call)
{
	(void)call; /* the first debugger interface is gone (kfd.md 4, numbers 0x0D..0x10) */
	return -EPERM;
}

int kfd_model_call_cross_memory_copy(struct kfd_model_call *call)
{
	(void)call; /* removed from the driver; the number stays and fails */
	return -EINVAL;
}
