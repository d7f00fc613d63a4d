/* SPDX-License-Identifier: MIT */
/* Finds NT_GNU_BUILD_ID among the notes of a loaded object. */
#include "build_id.h"

#include <elf.h>
#include <string.h>

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* One note segment. Lengths are the file's word, so each is checked against what is left. */
static size_t find(const char *notes, size_t left, uint8_t *to, size_t size)
{
	while (left >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		const char *name = notes + sizeof(*note);
		const size_t name_size = padded(note->n_namesz);
		const size_t whole = sizeof(*note) + name_size + padded(note->n_descsz);

		if (whole > left)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
			const size_t length = note->n_descsz < size ? note->n_descsz : size;

			memcpy(to, name + name_size, length);
			return length;
		}
		notes += whole;
		left -= whole;
	}
	return 0;
}

size_t build_id_read(const struct dl_phdr_info *info, uint8_t *to, size_t size)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		size_t length;

		if (segment->p_type != PT_NOTE)
			continue;
		length = find((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz,
			      to, size);
		if (length)
			return length;
	}
	return 0;
}
