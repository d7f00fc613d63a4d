/* SPDX-License-Identifier: MIT */
/* ELF and DWARF look-ups with elfutils (elf_file.h). */
#include "symbols/elf_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libdwfl's callbacks get no pointer of ours; a thread opens one file at a time. */
static _Thread_local const char *current_debug_dirs;

static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **path, Elf **elf)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)path;
	(void)elf;
	return -1; /* dwfl_report_elf() has given it already */
}

static bool usable(int fd, const char *path, GElf_Word crc)
{
	(void)path;
	(void)crc;
	return fd >= 0;
}

/* debug_dir/.build-id/ab/cdef….debug for each directory of the list. */
static int open_by_build_id(const uint8_t *id, int size, char **path)
{
	const char *dirs = current_debug_dirs;

	while (dirs && *dirs) {
		size_t length = strcspn(dirs, ":");
		char *name = NULL;
		int at, fd;

		if (asprintf(&name, "%.*s/.build-id/%02x/%*s.debug", (int)length, dirs, id[0],
			     2 * (size - 1), "") < 0)
			return -1;
		at = (int)strlen(name) - (int)strlen(".debug") - 2 * (size - 1);
		for (int i = 1; i < size; i++) {
			char byte[3];

			snprintf(byte, sizeof(byte), "%02x", id[i]);
			memcpy(name + at + 2 * (i - 1), byte, 2);
		}
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			*path = name;
			return fd;
		}
		free(name);
		dirs += length + (dirs[length] == ':');
	}
	return -1;
}

/* The standard finder of libdwfl would ask debuginfod servers; this one stays on this machine. */
static int find_debug(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **path)
{
	const unsigned char *id;
	GElf_Addr where;
	int size = dwfl_module_build_id(module, &id, &where);
	const char *slash = file ? strrchr(file, '/') : NULL;
	static const char *const places[] = { "", ".debug/" };
	int fd = -1;

	(void)userdata;
	(void)name;
	(void)base;
	if (size > 1)
		fd = open_by_build_id(id, size, path);
	for (int i = 0; fd < 0 && link && slash && i < 2; i++) {
		char *beside = NULL;

		if (asprintf(&beside, "%.*s/%s%s", (int)(slash - file), file, places[i], link) < 0)
			return -1;
		fd = strcmp(beside, file) == 0 ? -1 : open(beside, O_RDONLY | O_CLOEXEC);
		if (usable(fd, beside, crc))
			*path = beside;
		else
			free(beside);
	}
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debug,
	.section_address = dwfl_offline_section_address,
};

static void read_headers(struct elf_file *file, Elf *elf)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
	size_t count = 0;

	for (ssize_t i = 0; i < size && i < 64; i++)
		snprintf(file->build_id + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD) {
			file->first_vaddr = segment.p_vaddr & ~UINT64_C(4095);
			return;
		}
	}
}

void elf_file_open(struct elf_file *file, const char *path, const char *expected,
		   const char *debug_dirs)
{
	GElf_Addr bias;
	Elf *elf;
	int fd;

	memset(file, 0, sizeof(*file));
	file->reason = SYM_NO_FILE;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	file->reason = SYM_UNREADABLE;
	current_debug_dirs = debug_dirs;
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl) {
		close(fd);
		return;
	}
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
	if (!file->module)
		close(fd); /* else it is the module's now */
	dwfl_report_end(file->dwfl, NULL, NULL);
	elf = file->module ? dwfl_module_getelf(file->module, &bias) : NULL;
	if (!elf)
		return;
	file->bias = bias;
	read_headers(file, elf);
	if (expected && *expected && *file->build_id && strcmp(expected, file->build_id) != 0)
		file->reason = SYM_OTHER_FILE;
	else
		file->reason = SYM_OK;
	if (file->reason == SYM_OK)
		(void)dwfl_module_getdwarf(file->module, &bias); /* finds debug files now */
	current_debug_dirs = NULL;
}

void elf_file_close(struct elf_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	file->dwfl = NULL;
	free(file->imports);
	file->imports = NULL;
	file->import_count = 0;
}

static const char *die_name(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (dwarf_attr_integrate(die, names[i], &attribute))
			return dwarf_formstring(&attribute);
	}
	return dwarf_attr_integrate(die, DW_AT_name, &attribute) ? dwarf_formstring(&attribute)
								 : NULL;
}

static void call_place(Dwarf_Die *unit, Dwarf_Die *inlined, struct sym_level *level)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word value;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0)
		level->line = (int)value;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &value) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0)
		level->file = dwarf_filesrc(files, value, NULL, NULL);
}

/*
 * The compilation unit of an address. Clang writes no table of address ranges, so that all units have
 * to be asked.
 */
static Dwarf_Die *find_unit(struct elf_file *file, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(file->module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(file->module, unit, bias)) != NULL) {
		if (dwarf_haspc(unit, address - *bias) == 1)
			return unit;
	}
	return NULL;
}

/* Functions inlined at an address, innermost first, and the function around them. */
static uint32_t names_from_dwarf(Dwarf_Die *unit, uint64_t address, struct sym_level *levels,
				 uint32_t max)
{
	Dwarf_Die *scopes = NULL, *parents = NULL;
	int count = dwarf_getscopes(unit, address, &scopes);
	uint32_t level = 0;

	/* The chain of inlining is only complete when asked for from the innermost scope. */
	if (count > 0) {
		count = dwarf_getscopes_die(&scopes[0], &parents);
		for (int i = 0; i < count && level < max; i++) {
			int tag = dwarf_tag(&parents[i]);

			if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
				continue;
			levels[level].function = die_name(&parents[i]);
			if (tag == DW_TAG_subprogram) {
				level++;
				break;
			}
			if (level + 1 < max)
				call_place(unit, &parents[i], &levels[level + 1]);
			level++;
		}
	}
	free(scopes);
	free(parents);
	return level;
}

static void line_from_dwarf(Dwarf_Die *unit, uint64_t address, struct sym_level *level)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);

	if (!line)
		return;
	level->file = dwarf_linesrc(line, NULL, NULL);
	(void)dwarf_lineno(line, &level->line);
}

uint32_t elf_file_names(struct elf_file *file, uint64_t vaddr, struct sym_level *levels,
			uint32_t max)
{
	uint64_t address = vaddr + file->bias;
	Dwarf_Addr bias;
	Dwarf_Die *unit = find_unit(file, address, &bias);
	uint32_t count = 0;
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name;

	memset(levels, 0, max * sizeof(*levels));
	if (unit) {
		line_from_dwarf(unit, address - bias, &levels[0]);
		count = names_from_dwarf(unit, address - bias, levels, max);
	}
	name = dwfl_module_addrinfo(file->module, address, &offset, &symbol, NULL, NULL, NULL);
	/* The nearest symbol below is no answer: in a stripped library it is another function. */
	if (name && (symbol.st_size == 0 || offset >= symbol.st_size))
		name = NULL;
	if (count == 0) {
		levels[0].function = name;
		return 1;
	}
	if (!levels[count - 1].function)
		levels[count - 1].function = name;
	return count;
}
