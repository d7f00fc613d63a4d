/* SPDX-License-Identifier: MIT */
/* Finds its way round a code object in GPU memory: ELF headers, hash table, symbols. */
#include "model/gpu/code_object.h"

#include <elf.h>
#include <string.h>

#include "model/gpu/metadata.h"

#define IMAGE_ALIGN  4096u
#define SEARCH_BYTES (16u << 20) /* how far before a descriptor its image may begin */
#define MAX_SEGMENTS 32u
#define MAX_DYNAMIC  64u
#define MAX_CHAIN    65536u /* symbols in one bucket of a hash table that is no ring */
#define MAX_NAME     128u

static bool peek(struct gpu_work *work, uint64_t va, void *buf, uint64_t size_bytes)
{
	struct gpu_work quiet = *work;

	return gpu_read(&quiet, va, buf, size_bytes);
}

/* Whether an image may begin here: one word, since this is anybody's memory and may be changing. */
static bool probe(struct gpu_work *work, uint64_t va, bool *is_elf)
{
	struct gpu_work quiet = *work;
	uint32_t magic = 0, want;

	memcpy(&want, ELFMAG, sizeof(want));
	if (!gpu_load32(&quiet, va, &magic))
		return false;
	*is_elf = magic == want;
	return true;
}

static bool is_image(const Elf64_Ehdr *header)
{
	return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_machine == EM_AMDGPU && header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_phnum <= MAX_SEGMENTS;
}

static bool read_dynamic(struct gpu_work *work, uint64_t va, struct gpu_code_object *object)
{
	for (uint32_t i = 0; i < MAX_DYNAMIC; i++) {
		Elf64_Dyn entry;

		if (!peek(work, va + i * sizeof(entry), &entry, sizeof(entry)))
			return false;
		switch (entry.d_tag) {
		case DT_NULL:
			return object->symtab_va && object->strtab_va && object->hash_va;
		case DT_SYMTAB:
			object->symtab_va = object->bias + entry.d_un.d_ptr;
			break;
		case DT_STRTAB:
			object->strtab_va = object->bias + entry.d_un.d_ptr;
			break;
		case DT_STRSZ:
			object->strtab_bytes = entry.d_un.d_val;
			break;
		case DT_HASH:
			object->hash_va = object->bias + entry.d_un.d_ptr;
			break;
		default:
			break;
		}
	}
	return false;
}

/* @return whether a segment of the image holds the descriptor and its tables can be read. */
static bool read_image(struct gpu_work *work, uint64_t base, const Elf64_Ehdr *header,
		       uint64_t kernel_object, struct gpu_code_object *object)
{
	bool inside = false;
	uint64_t dynamic = 0;

	*object = (struct gpu_code_object){ .bias = base };
	for (uint32_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;

		if (!peek(work, base + header->e_phoff + i * sizeof(segment), &segment,
			  sizeof(segment)))
			return false;
		/* The segment that begins the file tells where the image was meant to be. */
		if (segment.p_type == PT_LOAD && !segment.p_offset)
			object->bias = base - segment.p_vaddr;
		if (segment.p_type == PT_LOAD &&
		    kernel_object - object->bias - segment.p_vaddr < segment.p_memsz)
			inside = true;
		if (segment.p_type == PT_DYNAMIC)
			dynamic = object->bias + segment.p_vaddr;
		if (segment.p_type == PT_NOTE && !object->note_bytes) {
			object->note_va = object->bias + segment.p_vaddr;
			object->note_bytes = segment.p_filesz;
		}
	}
	return inside && dynamic && read_dynamic(work, dynamic, object);
}

bool gpu_code_object_find(struct gpu_work *work, uint64_t kernel_object,
			  struct gpu_code_object *object)
{
	uint64_t base = kernel_object & ~(uint64_t)(IMAGE_ALIGN - 1);

	for (uint64_t gone = 0; gone < SEARCH_BYTES && base; gone += IMAGE_ALIGN) {
		Elf64_Ehdr header;

		bool is_elf = false;

		if (!probe(work, base, &is_elf))
			return false;
		/* The nearest image is the one, or the descriptor belongs to none. */
		if (is_elf && peek(work, base, &header, sizeof(header)) && is_image(&header))
			return read_image(work, base, &header, kernel_object, object);
		base -= IMAGE_ALIGN;
	}
	return false;
}

/* The hash function of ELF's DT_HASH. */
static uint32_t elf_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		hash ^= hash >> 24 & 0xf0;
	}
	return hash & 0x0fffffff;
}

static bool has_name(struct gpu_work *work, const struct gpu_code_object *object, uint32_t offset,
		     const char *name)
{
	char found[MAX_NAME];
	size_t bytes = strlen(name) + 1;

	return bytes <= sizeof(found) && offset + (uint64_t)bytes <= object->strtab_bytes &&
	       peek(work, object->strtab_va + offset, found, bytes) && !memcmp(found, name, bytes);
}

bool gpu_code_object_symbol(struct gpu_work *work, const struct gpu_code_object *object,
			    const char *name, uint64_t *va)
{
	uint32_t counts[2], index = 0; /* buckets, chain entries */
	uint64_t chain;

	if (!peek(work, object->hash_va, counts, sizeof(counts)) || !counts[0])
		return false;
	chain = object->hash_va + sizeof(counts) + counts[0] * sizeof(uint32_t);
	if (!peek(work,
		  object->hash_va + sizeof(counts) + elf_hash(name) % counts[0] * sizeof(uint32_t),
		  &index, sizeof(index)))
		return false;
	for (uint32_t steps = 0; index && index < counts[1] && steps < MAX_CHAIN; steps++) {
		Elf64_Sym symbol;

		if (!peek(work, object->symtab_va + index * sizeof(symbol), &symbol,
			  sizeof(symbol)))
			return false;
		if (has_name(work, object, symbol.st_name, name)) {
			*va = object->bias + symbol.st_value;
			return true;
		}
		if (!peek(work, chain + index * sizeof(uint32_t), &index, sizeof(index)))
			return false;
	}
	return false;
}

bool gpu_code_object_signature(struct gpu_work *work, const struct gpu_code_object *object,
			       const char *symbol, struct gpu_signature *signature)
{
	struct gpu_work quiet = *work;

	return gpu_metadata_signature(&quiet, object->note_va, object->note_bytes, symbol,
				      signature);
}
