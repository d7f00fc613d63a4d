/* SPDX-License-Identifier: MIT */
/* Stacks with names and owners (stackview.h). */
#include "output/stackview.h"

#include <string.h>

static const struct {
	const char *prefix;
	enum module_role role;
} module_roles[] = {
	{ "libhsakmt.", ROLE_THUNK },  { "libhsa-runtime64.", ROLE_HSA },
	{ "libhsa-", ROLE_HSA },       { "libamdhip64.", ROLE_HIP },
	{ "libhiprtc", ROLE_HIP },     { "libamdocl64.", ROLE_HIP },
	{ "libOpenCL.", ROLE_HIP },    { "libamd_comgr.", ROLE_HIP },
	{ "libdrm", ROLE_THUNK },      { "librocprofiler", ROLE_TOOL },
	{ "libroctracer", ROLE_TOOL }, { "libroctx", ROLE_TOOL },
	{ "libkfdscope", ROLE_TOOL },  { "liblttng-ust", ROLE_TOOL },
	{ "libc.", ROLE_SYSTEM },      { "libc-", ROLE_SYSTEM },
	{ "libpthread", ROLE_SYSTEM }, { "libstdc++.", ROLE_SYSTEM },
	{ "libc++", ROLE_SYSTEM },     { "libgcc_s.", ROLE_SYSTEM },
	{ "ld-linux", ROLE_SYSTEM },   { "ld.so", ROLE_SYSTEM },
	{ "libm.", ROLE_SYSTEM },      { "libasan.", ROLE_SYSTEM },
	{ "libtsan.", ROLE_SYSTEM },
};

static const char *const allocators[] = {
	"hipMalloc",
	"hipHostMalloc",
	"hipExtMalloc",
	"hipHostAlloc",
	"hipMemAlloc",
	"hipArrayCreate",
	"hipArray3DCreate",
	"hipMemCreate",
	"hipExtHostAlloc",
	"hipMemPool",
	"hsa_memory_allocate",
	"hsa_amd_memory_pool_allocate",
	"hsa_amd_vmem",
	"hsa_amd_memory_lock",
	"hsa_amd_interop_map_buffer",
	"hsa_amd_ipc_memory_attach",
	"hipIpcOpenMemHandle",
	"hipHostRegister",
	"hsa_memory_register",
	"hipImportExternalMemory",
	"clCreateBuffer",
	"clSVMAlloc",
};

enum module_role module_role(const char *module)
{
	for (size_t i = 0; module && i < G_N_ELEMENTS(module_roles); i++) {
		if (strncmp(module, module_roles[i].prefix, strlen(module_roles[i].prefix)) == 0)
			return module_roles[i].role;
	}
	return ROLE_APPLICATION;
}

const char *module_role_name(enum module_role role)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_APPLICATION] = "app", [ROLE_HIP] = "hip",       [ROLE_HSA] = "hsa",
		[ROLE_THUNK] = "thunk",     [ROLE_SYSTEM] = "system", [ROLE_TOOL] = "tool",
	};

	return names[role];
}

bool is_allocator(const char *function)
{
	for (size_t i = 0; function && i < G_N_ELEMENTS(allocators); i++) {
		if (strncmp(function, allocators[i], strlen(allocators[i])) == 0)
			return true;
	}
	return false;
}

static const char *function_of(const struct sym_frame *frame)
{
	return frame->levels[frame->level_count - 1].function;
}

/* The header templates (hipMalloc<T>) are compiled into the application, yet are not its code. */
static bool is_wrapper(const struct sym_frame *frame)
{
	for (uint32_t i = 0; i < frame->level_count; i++) {
		const char *function = frame->levels[i].function;

		/* "hipError_t hipMalloc<float>(…)": a template's name begins with its result. */
		if (function && g_str_has_prefix(function, "hipError_t "))
			function += strlen("hipError_t ");
		if (!is_allocator(function))
			return false;
	}
	return true;
}

static void find_caller(struct stackview *view)
{
	view->caller = view->entry = -1;
	for (uint32_t i = 0; i < view->count; i++) {
		if (view->roles[i] != ROLE_APPLICATION || is_wrapper(view->frames[i])) {
			if (view->roles[i] == ROLE_HIP || view->roles[i] == ROLE_HSA ||
			    view->roles[i] == ROLE_APPLICATION)
				view->entry = (int)i;
			continue;
		}
		view->caller = (int)i;
		return;
	}
}

static struct sym_module where_of(const struct module *module)
{
	return (struct sym_module){
		.path = module->path,
		.base = module->base,
		.build_id = module->build_id_size ? module->build_id : NULL,
		.build_id_size = module->build_id_size,
	};
}

static void add_frame(struct stackview *view, const struct sym_frame *frame)
{
	view->frames[view->count] = frame;
	view->roles[view->count] = module_role(frame->module);
	view->count++;
}

/*
 * A runtime's exported functions often only jump on into the library. The call that entered it tells
 * which one it was: hsa_amd_memory_pool_allocate shows even though it left no frame.
 */
static void add_entered(struct stackview *view, struct sym *sym, const struct module *inner,
			const struct module *outer, uint64_t address)
{
	const struct sym_frame *last, *entered;
	struct sym_module callee, caller;

	if (!inner || !outer || inner == outer || view->count == 0)
		return;
	last = view->frames[view->count - 1];
	if (view->roles[view->count - 1] != ROLE_HSA && view->roles[view->count - 1] != ROLE_HIP)
		return;
	callee = where_of(inner);
	caller = where_of(outer);
	entered = sym_entered(sym, &caller, address, &callee);
	if (entered &&
	    (!function_of(last) || strcmp(function_of(last), entered->levels[0].function) != 0))
		add_frame(view, entered);
}

static bool is_own(const struct module *module)
{
	const char *slash = strrchr(module->path, '/');

	return g_str_has_prefix(slash ? slash + 1 : module->path, "libkfdscope-");
}

void stackview_init(struct stackview *view, struct sym *sym, const struct process *process,
		    const struct stack *stack)
{
	const struct module *inner = NULL;

	memset(view, 0, sizeof(*view));
	view->caller = view->entry = -1;
	if (!stack)
		return;
	if (stack->process)
		process = stack->process; /* a guest's, in its host's report */
	view->truncated = stack->truncated;
	view->frames = g_new0(const struct sym_frame *, 2 * stack->depth);
	view->roles = g_new0(enum module_role, 2 * stack->depth);
	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct module *module =
			modules_find(&process->modules, stack->address[i] - 1, stack->epoch);
		struct sym_module where = { 0 };

		if (module && is_own(module))
			continue; /* between a runtime and its caller when that layer is recorded */
		if (module)
			where = where_of(module);
		add_entered(view, sym, inner, module, stack->address[i]);
		add_frame(view, sym_resolve(sym, module ? &where : NULL, stack->address[i], true));
		inner = module;
	}
	find_caller(view);
}

void stackview_fini(struct stackview *view)
{
	g_free(view->frames);
	g_free(view->roles);
	memset(view, 0, sizeof(*view));
}

void stackview_key(const struct stackview *view, GByteArray *key)
{
	g_byte_array_append(key, (const guint8 *)view->frames,
			    (guint)(view->count * sizeof(view->frames[0])));
}

void frame_function(GString *text, const struct sym_frame *frame)
{
	if (function_of(frame))
		g_string_append(text, function_of(frame));
	else if (frame->reason == SYM_GONE)
		g_string_append(text, "(not known)");
	else if (frame->module)
		g_string_append_printf(text, "%s+0x%" G_GINT64_MODIFIER "x", frame->module,
				       frame->offset);
	else
		g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x", frame->offset);
}

void level_place(GString *text, const struct sym_level *level)
{
	if (!level->file)
		return;
	g_string_append_printf(text, " at %s", level->file);
	if (level->line > 0)
		g_string_append_printf(text, ":%d", level->line);
}
