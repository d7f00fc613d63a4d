/* SPDX-License-Identifier: MIT */
/* A code object for the tests: ELF header, segments, metadata note, symbols, descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <elf.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"

#define MAX_KERNELS 16u

struct writer {
	unsigned char *base, *at;
};

static void put(struct writer *out, const void *data, size_t bytes)
{
	memcpy(out->at, data, bytes);
	out->at += bytes;
}

static void align(struct writer *out, size_t bytes)
{
	while ((size_t)(out->at - out->base) % bytes)
		*out->at++ = 0;
}

static uint64_t offset(const struct writer *out)
{
	return (uint64_t)(out->at - out->base);
}

static void put_byte(struct writer *out, unsigned int value)
{
	*out->at++ = (unsigned char)value;
}

static void put_string(struct writer *out, const char *text)
{
	size_t length = strlen(text);

	if (length < 32) {
		put_byte(out, 0xa0 | (unsigned int)length);
	} else {
		put_byte(out, 0xd9);
		put_byte(out, (unsigned int)length);
	}
	put(out, text, length);
}

static void put_uint(struct writer *out, uint32_t value)
{
	if (value >= 0x80) {
		put_byte(out, 0xcd);
		put_byte(out, value >> 8);
	}
	put_byte(out, value & 0xff);
}

static void put_arg(struct writer *out, uint32_t at, uint32_t bytes, const char *kind)
{
	put_byte(out, 0x84);
	put_string(out, ".offset");
	put_uint(out, at);
	put_string(out, ".size");
	put_uint(out, bytes);
	put_string(out, ".value_kind");
	put_string(out, kind);
	put_string(out, ".const");
	put_byte(out, 0xc3);
}

uint32_t code_image_arg(const struct code_image_kernel *kernel, uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i <= n; i++) {
		uint32_t bytes = i < kernel->arg_count ? kernel->arg_bytes[i] : 8;

		at = (at + bytes - 1) / bytes * bytes;
		if (i < n)
			at += bytes;
	}
	return at;
}

static void symbol_name(char *symbol, const struct code_image_kernel *kernel)
{
	strcpy(symbol, kernel->name);
	strcat(symbol, ".kd");
}

static void put_kernel(struct writer *out, const struct code_image_kernel *kernel)
{
	static const char *const hidden[] = { "hidden_global_offset_x", "hidden_global_offset_y",
					      "hidden_global_offset_z" };
	uint32_t after = code_image_arg(kernel, kernel->arg_count);
	char symbol[128];

	symbol_name(symbol, kernel);
	put_byte(out, 0x84);
	put_string(out, ".args");
	put_byte(out, 0xdc); /* array with a 16-bit count */
	put_byte(out, 0);
	put_byte(out, kernel->arg_count + 3);
	for (uint32_t i = 0; i < kernel->arg_count; i++)
		put_arg(out, code_image_arg(kernel, i), kernel->arg_bytes[i], "by_value");
	for (uint32_t i = 0; i < 3; i++)
		put_arg(out, after + 8 * i, 8, hidden[i]);
	put_string(out, ".language_version");
	put_byte(out, 0x92);
	put_uint(out, 2);
	put_uint(out, 0);
	put_string(out, ".name");
	put_string(out, kernel->name);
	put_string(out, ".symbol");
	put_string(out, symbol);
}

static Elf64_Phdr put_note(struct writer *out, uint64_t text_va,
			   const struct code_image_kernel *kernels, uint32_t count)
{
	uint64_t start = offset(out);
	/* a note of another kind comes first */
	Elf64_Nhdr other = { .n_namesz = 4, .n_descsz = 5, .n_type = 3 }, note = { 0 };
	unsigned char *at;

	put(out, &other, sizeof(other));
	put(out, "GNU\0idnum\0\0", 12);
	at = out->at;
	out->at += sizeof(note);
	put(out, "AMDGPU\0\0", 8);
	put_byte(out, 0x82);
	put_string(out, "amdhsa.version");
	put_byte(out, 0x92);
	put_uint(out, 1);
	put_uint(out, 2);
	put_string(out, "amdhsa.kernels");
	put_byte(out, 0x90 | count);
	for (uint32_t i = 0; i < count; i++)
		put_kernel(out, &kernels[i]);
	note = (Elf64_Nhdr){ .n_namesz = 7,
			     .n_descsz = (Elf64_Word)(out->at - at - sizeof(note) - 8),
			     .n_type = 32 };
	memcpy(at, &note, sizeof(note));
	align(out, 4);
	return (Elf64_Phdr){ .p_type = PT_NOTE,
			     .p_offset = start,
			     .p_vaddr = text_va + start,
			     .p_filesz = offset(out) - start,
			     .p_memsz = offset(out) - start };
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 0, high;

	for (; *name; name++) {
		hash = (hash << 4) + (unsigned char)*name;
		high = hash & 0xf0000000;
		if (high)
			hash ^= high >> 24;
		hash &= ~high;
	}
	return hash;
}

/* Symbol i+1 is that of kernel i; three buckets, so that there are chains. */
static void put_hash(struct writer *out, const struct code_image_kernel *kernels, uint32_t count)
{
	uint32_t table[2 + 3 + MAX_KERNELS + 1] = { 3, count + 1 };
	char symbol[128];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t *bucket;

		symbol_name(symbol, &kernels[i]);
		bucket = &table[2 + hash_of(symbol) % 3];
		table[5 + i + 1] = *bucket;
		*bucket = i + 1;
	}
	put(out, table, (5 + count + 1) * sizeof(table[0]));
}

struct code_image code_image_write(struct fake_host *host, uint64_t va, uint64_t text_va,
				   const struct code_image_kernel *kernels, uint32_t count)
{
	struct writer out = { .base = fake_at(host, va), .at = fake_at(host, va) };
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_DYN,
			      .e_machine = EM_AMDGPU,
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 3 };
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_vaddr = text_va }, note, dynamic;
	uint64_t symtab, strings, hash, names[MAX_KERNELS], string_bytes = 1;
	struct code_image image = { .va = va };
	char symbol[128];

	assert_in_range(count, 1, MAX_KERNELS - 1);
	out.at += sizeof(header) + 3 * sizeof(Elf64_Phdr);
	note = put_note(&out, text_va, kernels, count);
	align(&out, 8);
	strings = offset(&out);
	put_byte(&out, 0);
	for (uint32_t i = 0; i < count; i++) {
		symbol_name(symbol, &kernels[i]);
		names[i] = string_bytes;
		put(&out, symbol, strlen(symbol) + 1);
		string_bytes += strlen(symbol) + 1;
	}
	align(&out, 8);
	hash = offset(&out);
	put_hash(&out, kernels, count);
	align(&out, 64);
	image.descriptor = va + offset(&out);
	memset(out.at, 0, 64 * (size_t)count);
	out.at += 64 * (size_t)count;
	symtab = offset(&out);
	put(&out, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (uint32_t i = 0; i < count; i++)
		put(&out,
		    &(Elf64_Sym){ .st_name = (Elf64_Word)names[i],
				  .st_value = text_va + image.descriptor - va + 64 * (uint64_t)i,
				  .st_size = 64 },
		    sizeof(Elf64_Sym));
	dynamic = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_vaddr = text_va + offset(&out) };
	const Elf64_Dyn entries[] = {
		{ .d_tag = DT_SYMTAB, .d_un.d_ptr = text_va + symtab },
		{ .d_tag = DT_SYMENT, .d_un.d_val = sizeof(Elf64_Sym) },
		{ .d_tag = DT_STRTAB, .d_un.d_ptr = text_va + strings },
		{ .d_tag = DT_STRSZ, .d_un.d_val = string_bytes },
		{ .d_tag = DT_HASH, .d_un.d_ptr = text_va + hash },
		{ .d_tag = DT_NULL },
	};
	put(&out, entries, sizeof(entries));
	load.p_filesz = load.p_memsz = offset(&out);
	memcpy(out.base, &header, sizeof(header));
	memcpy(out.base + 64, &load, sizeof(load));
	memcpy(out.base + 120, &note, sizeof(note));
	memcpy(out.base + 176, &dynamic, sizeof(dynamic));
	image.end = va + offset(&out);
	image.hidden_offset = code_image_arg(&kernels[count - 1], kernels[count - 1].arg_count);
	return image;
}
