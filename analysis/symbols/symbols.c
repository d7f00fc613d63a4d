/* SPDX-License-Identifier: MIT */
/* The resolver: a cache of files and of the frames found in them (symbols.h). */
#include "symbols/symbols.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_file.h"

#define LEVELS_MAX 16u

struct sym {
	char *debug_dirs;  /* owned */
	GHashTable *files; /* struct sym_module (of the value) -> struct opened (owned) */
	GStringChunk *strings;
	GHashTable *outside; /* address (of the value) -> struct kept_frame (owned) */
	uint32_t frame_count;
};

struct opened {
	struct elf_file file;
	struct sym_module loaded; /* as what it was opened; owns the build id */
	GHashTable *frames;       /* key (of the value) -> struct kept_frame (owned) */
	GHashTable *entered; /* symbol (of sym->strings) -> struct kept_frame (owned): made up */
	const char *path, *module, *build_id; /* borrowed from sym->strings */
};

/* A frame, with what it is found by. */
struct kept_frame {
	uint64_t key; /* outside: the address; in a module: 2*offset+is_return; made up: none */
	struct sym_frame frame;
	struct sym_level levels[];
};

static void opened_free(void *data)
{
	struct opened *opened = data;

	if (!opened)
		return;
	elf_file_close(&opened->file);
	g_hash_table_destroy(opened->frames);
	g_hash_table_destroy(opened->entered);
	g_free((void *)opened->loaded.build_id);
	g_free(opened);
}

/* The same file; where it is loaded does not matter. */
static guint module_hash(gconstpointer data)
{
	const struct sym_module *module = data;
	guint hash = g_str_hash(module->path);

	for (uint32_t i = 0; module->build_id && i < module->build_id_size; i++)
		hash = hash * 31u + module->build_id[i];
	return hash;
}

static gboolean module_equal(gconstpointer left, gconstpointer right)
{
	const struct sym_module *a = left, *b = right;
	const uint32_t a_size = a->build_id ? a->build_id_size : 0;
	const uint32_t b_size = b->build_id ? b->build_id_size : 0;

	return a_size == b_size && strcmp(a->path, b->path) == 0 &&
	       (a_size == 0 || memcmp(a->build_id, b->build_id, a_size) == 0);
}

struct sym *sym_new(const char *debug_dirs)
{
	struct sym *sym = g_new0(struct sym, 1);

	sym->debug_dirs = g_strdup(debug_dirs ? debug_dirs : "/usr/lib/debug");
	sym->strings = g_string_chunk_new(4096);
	sym->files = g_hash_table_new_full(module_hash, module_equal, NULL, opened_free);
	sym->outside = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	return sym;
}

void sym_free(struct sym *sym)
{
	if (!sym)
		return;
	g_hash_table_destroy(sym->files);
	g_hash_table_destroy(sym->outside);
	g_string_chunk_free(sym->strings);
	g_free(sym->debug_dirs);
	g_free(sym);
}

const char *sym_reason_text(enum sym_reason reason)
{
	static const char *const texts[SYM_REASON_COUNT] = {
		[SYM_OK] = "named",
		[SYM_OUTSIDE] = "outside any module",
		[SYM_NO_FILE] = "file not found",
		[SYM_OTHER_FILE] = "build id differs",
		[SYM_UNREADABLE] = "file not readable",
		[SYM_STRIPPED] = "stripped",
		[SYM_GONE] = "its library had gone before the recording began",
	};

	return texts[reason];
}

static void hex_of(char *hex, const uint8_t *bytes, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		g_snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	hex[2 * size] = '\0';
}

static struct opened *open_module(struct sym *sym, const struct sym_module *module)
{
	char hex[2 * 64 + 1] = "";
	struct opened *opened = g_hash_table_lookup(sym->files, module);

	if (opened)
		return opened;
	if (module->build_id && module->build_id_size <= 64)
		hex_of(hex, module->build_id, module->build_id_size);
	opened = g_new0(struct opened, 1);
	opened->frames = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	opened->entered = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	elf_file_open(&opened->file, module->path, hex, sym->debug_dirs);
	opened->path = g_string_chunk_insert_const(sym->strings, module->path);
	opened->module = strrchr(opened->path, '/');
	opened->module = opened->module ? opened->module + 1 : opened->path;
	if (*hex || *opened->file.build_id)
		opened->build_id = g_string_chunk_insert_const(sym->strings,
							       *hex ? hex : opened->file.build_id);
	opened->loaded.path = opened->path;
	if (module->build_id)
		opened->loaded.build_id = g_memdup2(module->build_id, module->build_id_size);
	opened->loaded.build_id_size = module->build_id_size;
	g_hash_table_insert(sym->files, &opened->loaded, opened);
	return opened;
}

/* Copies what libdw lends, with readable names. */
static void keep_level(struct sym *sym, struct sym_level *own, const struct sym_level *level)
{
	char *readable = sym_demangle(level->function);
	const char *function = readable ? readable : level->function;

	if (function)
		own->function = g_string_chunk_insert_const(sym->strings, function);
	if (level->file)
		own->file = g_string_chunk_insert_const(sym->strings, level->file);
	own->line = level->line;
	free(readable);
}

static struct kept_frame *frame_new(struct sym *sym, enum sym_reason reason,
				    const struct sym_level *levels, uint32_t count)
{
	struct kept_frame *kept = g_malloc0(sizeof(*kept) + count * sizeof(kept->levels[0]));

	kept->frame.number = sym->frame_count++;
	kept->frame.reason = reason;
	kept->frame.levels = kept->levels;
	kept->frame.level_count = count;
	for (uint32_t i = 0; i < count; i++)
		keep_level(sym, &kept->levels[i], &levels[i]);
	return kept;
}

static const struct sym_frame *resolve_outside(struct sym *sym, uint64_t address)
{
	static const struct sym_level nothing;
	struct kept_frame *kept = g_hash_table_lookup(sym->outside, &address);

	if (kept)
		return &kept->frame;
	kept = frame_new(sym, address ? SYM_OUTSIDE : SYM_GONE, &nothing, 1);
	kept->key = kept->frame.offset = address;
	g_hash_table_insert(sym->outside, &kept->key, kept);
	return &kept->frame;
}

/* A frame of a module is made: says which one that is. @return it */
static struct sym_frame *place_frame(struct kept_frame *kept, const struct opened *opened)
{
	kept->frame.path = opened->path;
	kept->frame.module = opened->module;
	kept->frame.build_id = opened->build_id;
	return &kept->frame;
}

const struct sym_frame *sym_resolve(struct sym *sym, const struct sym_module *module,
				    uint64_t address, bool is_return)
{
	struct sym_level levels[LEVELS_MAX] = { { NULL, NULL, 0 } };
	struct opened *opened;
	struct kept_frame *kept;
	uint64_t offset, key, vaddr;
	uint32_t count = 1;
	enum sym_reason reason;

	if (!module)
		return resolve_outside(sym, address);
	opened = open_module(sym, module);
	offset = address - module->base;
	key = offset * 2 + is_return;
	kept = g_hash_table_lookup(opened->frames, &key);
	if (kept)
		return &kept->frame;
	reason = opened->file.reason;
	if (reason == SYM_OK) {
		vaddr = offset - (is_return && offset > 0);
		vaddr += opened->file.first_vaddr; /* also right for programs at fixed addresses */
		count = elf_file_names(&opened->file, vaddr, levels, LEVELS_MAX);
		if (!levels[count - 1].function)
			reason = SYM_STRIPPED;
	}
	kept = frame_new(sym, reason, levels, count);
	kept->key = key;
	kept->frame.offset = offset;
	g_hash_table_insert(opened->frames, &kept->key, kept);
	return place_frame(kept, opened);
}

const struct sym_frame *sym_entered(struct sym *sym, const struct sym_module *caller,
				    uint64_t address, const struct sym_module *callee)
{
	struct opened *from = open_module(sym, caller), *into = open_module(sym, callee);
	uint64_t vaddr = address - caller->base + from->file.first_vaddr;
	struct sym_level level = { elf_file_call_target(&from->file, vaddr), NULL, 0 };
	struct kept_frame *kept;

	if (!level.function)
		return NULL;
	kept = g_hash_table_lookup(into->entered, level.function);
	if (kept)
		return &kept->frame;
	kept = frame_new(sym, SYM_OK, &level, 1);
	kept->frame.is_made_up = true;
	g_hash_table_insert(into->entered,
			    (void *)g_string_chunk_insert_const(sym->strings, level.function),
			    kept);
	return place_frame(kept, into);
}
