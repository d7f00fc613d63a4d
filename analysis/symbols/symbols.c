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
	GHashTable *files; /* path+build id (owned) -> struct opened (owned) */
	GStringChunk *strings;
	GHashTable *outside; /* address -> struct sym_frame (owned) */
};

struct opened {
	struct elf_file file;
	GHashTable *frames;  /* 2*offset+is_return (owned uint64_t) -> struct sym_frame (owned) */
	GHashTable *entered; /* function (owned) -> struct sym_frame (owned): made up */
	const char *path, *module, *build_id; /* borrowed from sym->strings */
};

static void frame_free(void *data)
{
	struct sym_frame *frame = data;

	if (!frame)
		return;
	g_free((void *)frame->levels);
	g_free(frame);
}

static void opened_free(void *data)
{
	struct opened *opened = data;

	if (!opened)
		return;
	elf_file_close(&opened->file);
	g_hash_table_destroy(opened->frames);
	g_hash_table_destroy(opened->entered);
	g_free(opened);
}

struct sym *sym_new(const char *debug_dirs)
{
	struct sym *sym = g_new0(struct sym, 1);

	sym->debug_dirs = g_strdup(debug_dirs ? debug_dirs : "/usr/lib/debug");
	sym->strings = g_string_chunk_new(4096);
	sym->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, opened_free);
	sym->outside = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, frame_free);
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
	char *key;
	struct opened *opened;

	if (module->build_id && module->build_id_size <= 64)
		hex_of(hex, module->build_id, module->build_id_size);
	key = g_strdup_printf("%s%c%s", module->path, '\n', hex);
	opened = g_hash_table_lookup(sym->files, key);
	if (opened) {
		g_free(key);
		return opened;
	}
	opened = g_new0(struct opened, 1);
	opened->frames = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, frame_free);
	opened->entered = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, frame_free);
	elf_file_open(&opened->file, module->path, hex, sym->debug_dirs);
	opened->path = g_string_chunk_insert_const(sym->strings, module->path);
	opened->module = strrchr(opened->path, '/');
	opened->module = opened->module ? opened->module + 1 : opened->path;
	if (*hex || *opened->file.build_id)
		opened->build_id = g_string_chunk_insert_const(sym->strings,
							       *hex ? hex : opened->file.build_id);
	g_hash_table_insert(sym->files, key, opened);
	return opened;
}

/* Copies what libdw lends, with readable names. */
static const struct sym_level *own_levels(struct sym *sym, const struct sym_level *levels,
					  uint32_t count)
{
	struct sym_level *own = g_new0(struct sym_level, count);

	for (uint32_t i = 0; i < count; i++) {
		char *readable = sym_demangle(levels[i].function);
		const char *function = readable ? readable : levels[i].function;

		if (function)
			own[i].function = g_string_chunk_insert_const(sym->strings, function);
		if (levels[i].file)
			own[i].file = g_string_chunk_insert_const(sym->strings, levels[i].file);
		own[i].line = levels[i].line;
		free(readable);
	}
	return own;
}

static struct sym_frame *frame_new(struct sym *sym, enum sym_reason reason,
				   const struct sym_level *levels, uint32_t count)
{
	struct sym_frame *frame = g_new0(struct sym_frame, 1);

	frame->reason = reason;
	frame->levels = own_levels(sym, levels, count);
	frame->level_count = count;
	return frame;
}

static const struct sym_frame *resolve_outside(struct sym *sym, uint64_t address)
{
	static const struct sym_level nothing;
	struct sym_frame *frame = g_hash_table_lookup(sym->outside, &address);

	if (frame)
		return frame;
	frame = frame_new(sym, address ? SYM_OUTSIDE : SYM_GONE, &nothing, 1);
	frame->offset = address;
	g_hash_table_insert(sym->outside, &frame->offset, frame);
	return frame;
}

const struct sym_frame *sym_resolve(struct sym *sym, const struct sym_module *module,
				    uint64_t address, bool is_return)
{
	struct sym_level levels[LEVELS_MAX] = { { NULL, NULL, 0 } };
	struct opened *opened;
	struct sym_frame *frame;
	uint64_t offset, key, vaddr;
	uint32_t count = 1;
	enum sym_reason reason;

	if (!module)
		return resolve_outside(sym, address);
	opened = open_module(sym, module);
	offset = address - module->base;
	key = offset * 2 + is_return;
	frame = g_hash_table_lookup(opened->frames, &key);
	if (frame)
		return frame;
	reason = opened->file.reason;
	if (reason == SYM_OK) {
		vaddr = offset - (is_return && offset > 0);
		vaddr += opened->file.first_vaddr; /* also right for programs at fixed addresses */
		count = elf_file_names(&opened->file, vaddr, levels, LEVELS_MAX);
		if (!levels[count - 1].function)
			reason = SYM_STRIPPED;
	}
	frame = frame_new(sym, reason, levels, count);
	frame->path = opened->path;
	frame->module = opened->module;
	frame->build_id = opened->build_id;
	frame->offset = offset;
	g_hash_table_insert(opened->frames, g_memdup2(&key, sizeof(key)), frame);
	return frame;
}

const struct sym_frame *sym_entered(struct sym *sym, const struct sym_module *caller,
				    uint64_t address, const struct sym_module *callee)
{
	struct opened *from = open_module(sym, caller), *into = open_module(sym, callee);
	uint64_t vaddr = address - caller->base + from->file.first_vaddr;
	struct sym_level level = { elf_file_call_target(&from->file, vaddr), NULL, 0 };
	struct sym_frame *frame;

	if (!level.function)
		return NULL;
	frame = g_hash_table_lookup(into->entered, level.function);
	if (frame)
		return frame;
	frame = frame_new(sym, SYM_OK, &level, 1);
	frame->path = into->path;
	frame->module = into->module;
	frame->build_id = into->build_id;
	frame->is_made_up = true;
	g_hash_table_insert(into->entered, g_strdup(level.function), frame);
	return frame;
}
