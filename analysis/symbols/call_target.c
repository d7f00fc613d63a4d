/* SPDX-License-Identifier: MIT */
/*
 * Which imported function a call instruction calls, read from the code in the file: x86-64 calls the
 * procedure linkage table or straight through the global offset table, and the table's relocations
 * have the names.
 */
#include "symbols/elf_file.h"

#include <stdlib.h>
#include <string.h>

static int compare_imports(const void *left, const void *right)
{
	const struct import *a = left, *b = right;

	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static void add_relocations(struct elf_file *file, Elf *elf, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL), *symbols = NULL;
	Elf_Scn *symbol_section = elf_getscn(elf, header->sh_link);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Shdr symbol_header;
	struct import *grown;

	if (symbol_section && gelf_getshdr(symbol_section, &symbol_header))
		symbols = elf_getdata(symbol_section, NULL);
	grown = realloc(file->imports, (file->import_count + count) * sizeof(*grown));
	if (!data || !symbols || !grown) {
		file->imports = grown ? grown : file->imports;
		return;
	}
	file->imports = grown;
	for (size_t i = 0; i < count; i++) {
		struct import *import = &file->imports[file->import_count];
		GElf_Rela relocation;
		GElf_Sym symbol;

		if (!gelf_getrela(data, (int)i, &relocation) ||
		    (GELF_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(relocation.r_info) != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
			continue;
		import->slot = relocation.r_offset;
		import->name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
		if (import->name && *import->name)
			file->import_count++;
	}
}

static void find_imports(struct elf_file *file, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	file->has_imports = true;
	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
		return;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr section_header;

		if (gelf_getshdr(section, &section_header) && section_header.sh_type == SHT_RELA &&
		    (section_header.sh_flags & SHF_ALLOC))
			add_relocations(file, elf, section, &section_header);
	}
	if (file->import_count)
		qsort(file->imports, file->import_count, sizeof(*file->imports), compare_imports);
}

/* @return false when the file does not have these bytes at that address. */
static bool read_code(Elf *elf, uint64_t vaddr, uint8_t *bytes, size_t size)
{
	size_t count = 0, file_size = 0;
	const char *raw = elf_rawfile(elf, &file_size);

	if (!raw || elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    vaddr < segment.p_vaddr || vaddr - segment.p_vaddr >= segment.p_filesz ||
		    segment.p_filesz - (vaddr - segment.p_vaddr) < size ||
		    segment.p_offset + (vaddr - segment.p_vaddr) + size > file_size)
			continue;
		memcpy(bytes, raw + segment.p_offset + (vaddr - segment.p_vaddr), size);
		return true;
	}
	return false;
}

static uint64_t relative(const uint8_t *bytes, uint64_t next)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return next + (uint64_t)(int64_t)distance;
}

/* A stub of the linkage table: [endbr64] [bnd] jmp *slot(%rip). @return the slot, or 0. */
static uint64_t stub_slot(Elf *elf, uint64_t vaddr)
{
	static const uint8_t endbr64[] = { 0xF3, 0x0F, 0x1E, 0xFA };
	uint8_t code[16];
	size_t at = 0;

	if (!read_code(elf, vaddr, code, sizeof(code)))
		return 0;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	if (code[at] == 0xF2)
		at++;
	if (code[at] != 0xFF || code[at + 1] != 0x25)
		return 0;
	return relative(code + at + 2, vaddr + at + 6);
}

const char *elf_file_call_target(struct elf_file *file, uint64_t vaddr)
{
	GElf_Addr bias;
	Elf *elf = file->reason == SYM_OK ? dwfl_module_getelf(file->module, &bias) : NULL;
	struct import key = { 0, NULL };
	const struct import *found;
	uint8_t code[6];

	if (!elf)
		return NULL;
	if (!file->has_imports)
		find_imports(file, elf);
	if (file->import_count == 0 || vaddr < sizeof(code) ||
	    !read_code(elf, vaddr - sizeof(code), code, sizeof(code)))
		return NULL;
	if (code[0] == 0xFF && code[1] == 0x15)
		key.slot = relative(code + 2, vaddr); /* call *slot(%rip) */
	else if (code[1] == 0xE8)
		key.slot = stub_slot(elf, relative(code + 2, vaddr));
	if (!key.slot)
		return NULL;
	found = bsearch(&key, file->imports, file->import_count, sizeof(key), compare_imports);
	return found ? found->name : NULL;
}
