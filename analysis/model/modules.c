/* SPDX-License-Identifier: MIT */
/* Module map with epochs, and interned stacks (modules.h). */
#include "modules.h"

#include <string.h>

static void module_free(void *data)
{
	struct module *module = data;

	if (!module)
		return;
	g_free(module->path);
	g_free(module);
}

void modules_init(struct modules *modules)
{
	modules->list = g_ptr_array_new_with_free_func(module_free);
	modules->epoch = 0;
}

void modules_fini(struct modules *modules)
{
	if (modules->list)
		g_ptr_array_free(modules->list, TRUE);
	modules->list = NULL;
}

static void set_build_id(struct module *module, const uint8_t *build_id, uint32_t size)
{
	if (!build_id || size == 0 || size > MODULE_BUILD_ID_MAX)
		return;
	memcpy(module->build_id, build_id, size);
	module->build_id_size = size;
}

void modules_copy_current(struct modules *to, const struct modules *from)
{
	for (guint i = 0; i < from->list->len; i++) {
		const struct module *module = g_ptr_array_index(from->list, i);

		if (module->last_epoch == UINT32_MAX)
			modules_load(to, module->base, module->size_bytes, module->path,
				     module->build_id, module->build_id_size);
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether one name is the other's with more of the version: the loader has libx.so.1, the file system .1.2. */
static bool same_name(const char *one, const char *other)
{
	size_t length = MIN(strlen(one), strlen(other));

	return strncmp(one, other, length) == 0 && (one[length] == '\0' || one[length] == '.') &&
	       (other[length] == '\0' || other[length] == '.');
}

/* The build id decides. Paths only stand in for it: two sources may spell one file differently. */
static bool same_module(const struct module *module, uint64_t base, uint64_t size_bytes,
			const char *path, const uint8_t *build_id, uint32_t build_id_size)
{
	const char *name = base_name(path), *known = base_name(module->path);

	if (module->base != base)
		return false;
	if (build_id && build_id_size && module->build_id_size)
		return module->build_id_size == build_id_size &&
		       memcmp(module->build_id, build_id, build_id_size) == 0;
	return strcmp(known, name) == 0 ||
	       (module->size_bytes == size_bytes && same_name(known, name));
}

void modules_load(struct modules *modules, uint64_t base, uint64_t size_bytes, const char *path,
		  const uint8_t *build_id, uint32_t build_id_size)
{
	bool took_over = false;
	struct module *module;

	if (size_bytes == 0 || !path)
		return; /* the vDSO is listed with size 0 (trace-compass.md 9.6) */
	for (guint i = 0; i < modules->list->len; i++) {
		module = g_ptr_array_index(modules->list, i);
		if (module->last_epoch != UINT32_MAX || module->base >= base + size_bytes ||
		    base >= module->base + module->size_bytes)
			continue;
		if (same_module(module, base, size_bytes, path, build_id, build_id_size)) {
			set_build_id(module, build_id, build_id_size);
			return;
		}
		module->last_epoch = modules->epoch;
		took_over = true;
	}
	if (took_over)
		modules->epoch++;
	module = g_new0(struct module, 1);
	module->base = base;
	module->size_bytes = size_bytes;
	module->path = g_strdup(path);
	set_build_id(module, build_id, build_id_size);
	/* Nothing was here before: then stacks taken before this news belong to it as well. */
	module->first_epoch = took_over ? modules->epoch : 0;
	module->last_epoch = UINT32_MAX;
	g_ptr_array_add(modules->list, module);
}

void modules_identify(struct modules *modules, uint64_t base, const uint8_t *build_id,
		      uint32_t build_id_size)
{
	for (guint i = modules->list->len; i > 0; i--) {
		struct module *module = g_ptr_array_index(modules->list, i - 1);

		if (module->base != base || module->last_epoch != UINT32_MAX)
			continue;
		if (module->build_id_size)
			/* Known already; another id is another file loaded from the same path. */
			modules_load(modules, base, module->size_bytes, module->path, build_id,
				     build_id_size);
		else
			set_build_id(module, build_id, build_id_size);
		return;
	}
}

const struct module *modules_find(const struct modules *modules, uint64_t address, uint32_t epoch)
{
	for (guint i = modules->list->len; i > 0; i--) {
		const struct module *module = g_ptr_array_index(modules->list, i - 1);

		if (address >= module->base && address - module->base < module->size_bytes &&
		    epoch >= module->first_epoch && epoch <= module->last_epoch)
			return module;
	}
	return NULL;
}

static bool is_copy(const struct module *module, const struct module *other)
{
	return module->build_id_size && module->build_id_size == other->build_id_size &&
	       memcmp(module->build_id, other->build_id, other->build_id_size) == 0;
}

GPtrArray *modules_copies(const struct modules *modules, const char *name)
{
	GPtrArray *named = g_ptr_array_new(), *copies = g_ptr_array_new();

	for (guint i = 0; i < modules->list->len; i++) {
		struct module *module = g_ptr_array_index(modules->list, i);

		if (g_str_has_prefix(base_name(module->path), name))
			g_ptr_array_add(named, module);
	}
	for (guint i = 0; i < modules->list->len; i++) {
		struct module *module = g_ptr_array_index(modules->list, i);
		bool is_one = g_ptr_array_find(named, module, NULL);

		for (guint j = 0; j < named->len && !is_one; j++)
			is_one = is_copy(module, g_ptr_array_index(named, j));
		if (is_one)
			g_ptr_array_add(copies, module);
	}
	g_ptr_array_free(named, TRUE);
	return copies;
}

static guint stack_hash(gconstpointer data)
{
	const struct stack *stack = data;
	/* Two at a time, so that no product waits for the one before. */
	uint64_t even = UINT64_C(0xcbf29ce484222325) ^ stack->epoch, odd = stack->depth;
	uint32_t i = 0;

	for (; i + 1 < stack->depth; i += 2) {
		even = (even ^ stack->address[i]) * UINT64_C(0x9e3779b97f4a7c15);
		odd = (odd ^ stack->address[i + 1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
		even ^= even >> 29;
		odd ^= odd >> 31;
	}
	if (i < stack->depth)
		even = (even ^ stack->address[i]) * UINT64_C(0x9e3779b97f4a7c15);
	even ^= (odd << 32) | (odd >> 32);
	return (guint)(even ^ (even >> 32));
}

static gboolean stack_equal(gconstpointer left, gconstpointer right)
{
	const struct stack *a = left, *b = right;

	return a->depth == b->depth && a->epoch == b->epoch && a->truncated == b->truncated &&
	       memcmp(a->address, b->address, a->depth * sizeof(a->address[0])) == 0;
}

void stacks_init(struct stacks *stacks)
{
	stacks->table = g_hash_table_new(stack_hash, stack_equal);
	stacks->pool = (struct pool){ 0 };
}

void stacks_fini(struct stacks *stacks)
{
	if (stacks->table)
		g_hash_table_destroy(stacks->table);
	stacks->table = NULL;
	pool_fini(&stacks->pool);
}

const struct stack *stacks_intern(struct stacks *stacks, const uint64_t *address, uint32_t depth,
				  uint32_t epoch, bool truncated)
{
	/* 64 frames is the recorder's limit; a deeper stack is cut here and says so. */
	enum { DEPTH_MAX = 128 };
	union {
		struct stack stack;
		uint8_t bytes[sizeof(struct stack) + DEPTH_MAX * sizeof(uint64_t)];
	} key;
	struct stack *stack;

	if (depth == 0 || !address)
		return NULL;
	if (depth > DEPTH_MAX) {
		depth = DEPTH_MAX;
		truncated = true;
	}
	key.stack = (struct stack){ .epoch = epoch, .depth = depth, .truncated = truncated };
	memcpy(key.bytes + sizeof(struct stack), address, depth * sizeof(uint64_t));
	stack = g_hash_table_lookup(stacks->table, &key.stack);
	if (stack)
		return stack;
	stack = pool_take(&stacks->pool, sizeof(*stack) + depth * sizeof(uint64_t));
	memcpy(stack, &key, sizeof(*stack) + depth * sizeof(uint64_t));
	stack->process = stacks->process;
	stack->id = g_hash_table_size(stacks->table) + 1;
	g_hash_table_add(stacks->table, stack);
	return stack;
}
