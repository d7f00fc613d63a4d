/* SPDX-License-Identifier: MIT */
/* Kernel arguments from the metadata note of a code object. */
#include "model/gpu/metadata.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu/msgpack.h"

#define MAX_NOTE_BYTES       (4u << 20)
#define NOTE_AMDGPU_METADATA 32u

/* One argument's map. @return false when it is broken or there are too many. */
static bool read_arg(struct msgpack *msg, struct gpu_signature *signature)
{
	static const char *const offset_kinds[] = { "hidden_global_offset_x",
						    "hidden_global_offset_y",
						    "hidden_global_offset_z" };
	uint64_t offset = 0, size_bytes = 0;
	const char *kind = "";
	uint32_t pairs, kind_length = 0;

	if (!msgpack_map(msg, &pairs))
		return false;
	for (uint32_t i = 0; i < pairs; i++) {
		const char *key;
		uint32_t length;
		bool ok;

		if (!msgpack_string(msg, &key, &length))
			return false;
		if (length == 7 && !memcmp(key, ".offset", length))
			ok = msgpack_uint(msg, &offset);
		else if (length == 5 && !memcmp(key, ".size", length))
			ok = msgpack_uint(msg, &size_bytes);
		else if (length == 11 && !memcmp(key, ".value_kind", length))
			ok = msgpack_string(msg, &kind, &kind_length);
		else
			ok = msgpack_skip(msg);
		if (!ok)
			return false;
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (kind_length == strlen(offset_kinds[i]) &&
		    !memcmp(kind, offset_kinds[i], kind_length))
			signature->global_offset[i] = (uint32_t)offset;
	}
	if (kind_length >= 7 && !memcmp(kind, "hidden_", 7))
		return true;
	if (signature->arg_count == GPU_SIGNATURE_MAX_ARGS)
		return false;
	signature->arg[signature->arg_count].offset = (uint32_t)offset;
	signature->arg[signature->arg_count].size_bytes = (uint32_t)size_bytes;
	signature->arg_count++;
	return true;
}

static bool read_args(struct msgpack *msg, struct gpu_signature *signature)
{
	uint32_t items;

	*signature =
		(struct gpu_signature){ .global_offset = { GPU_SIGNATURE_NONE, GPU_SIGNATURE_NONE,
							   GPU_SIGNATURE_NONE } };
	if (!msgpack_array(msg, &items))
		return false;
	for (uint32_t i = 0; i < items; i++) {
		if (!read_arg(msg, signature))
			return false;
	}
	return true;
}

/* One kernel's map. @return whether it is the kernel; msg is behind it unless it is broken. */
static bool read_kernel(struct msgpack *msg, const char *symbol, struct gpu_signature *signature)
{
	struct msgpack args = { 0 };
	bool is_it = false;
	uint32_t pairs;

	if (!msgpack_map(msg, &pairs))
		return false;
	for (uint32_t i = 0; i < pairs; i++) {
		const char *key;
		uint32_t length;
		bool ok = true;

		if (!msgpack_string(msg, &key, &length))
			return false;
		if (length == 7 && !memcmp(key, ".symbol", length)) {
			is_it = msgpack_is(msg, symbol);
			continue;
		}
		if (length == 5 && !memcmp(key, ".args", length))
			args = *msg;
		ok = msgpack_skip(msg);
		if (!ok)
			return false;
	}
	return is_it && args.at && read_args(&args, signature);
}

static bool read_metadata(struct msgpack msg, const char *symbol, struct gpu_signature *signature)
{
	uint32_t pairs, kernels;

	if (!msgpack_map(&msg, &pairs))
		return false;
	for (uint32_t i = 0; i < pairs; i++) {
		if (!msgpack_is(&msg, "amdhsa.kernels")) {
			if (!msgpack_skip(&msg))
				return false;
			continue;
		}
		if (!msgpack_array(&msg, &kernels))
			return false;
		for (uint32_t k = 0; k < kernels; k++) {
			struct msgpack kernel = msg;

			if (read_kernel(&kernel, symbol, signature))
				return true;
			if (!msgpack_skip(&msg))
				return false;
		}
		return false;
	}
	return false;
}

static uint64_t align4(uint64_t bytes)
{
	return (bytes + 3) & ~3ull;
}

/* Looks through the notes for the metadata's. */
static bool read_notes(const unsigned char *notes, uint64_t bytes, const char *symbol,
		       struct gpu_signature *signature)
{
	while (bytes >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name_bytes, desc_bytes;
		const unsigned char *name = notes + sizeof(note);

		memcpy(&note, notes, sizeof(note));
		name_bytes = align4(note.n_namesz);
		desc_bytes = align4(note.n_descsz);
		if (name_bytes + note.n_descsz > bytes - sizeof(note))
			return false;
		if (note.n_type == NOTE_AMDGPU_METADATA && note.n_namesz >= 6 &&
		    !memcmp(name, "AMDGPU", 6)) {
			const unsigned char *desc = name + name_bytes;
			struct msgpack msg = { .at = desc, .end = desc + note.n_descsz };

			return read_metadata(msg, symbol, signature);
		}
		if (name_bytes + desc_bytes > bytes - sizeof(note))
			return false;
		notes += sizeof(note) + name_bytes + desc_bytes;
		bytes -= sizeof(note) + name_bytes + desc_bytes;
	}
	return false;
}

bool gpu_metadata_signature(struct gpu_work *work, uint64_t note_va, uint64_t note_bytes,
			    const char *symbol, struct gpu_signature *signature)
{
	unsigned char *notes;
	bool found = false;

	if (!note_bytes || note_bytes > MAX_NOTE_BYTES)
		return false;
	notes = malloc(note_bytes);
	if (notes && gpu_read(work, note_va, notes, note_bytes))
		found = read_notes(notes, note_bytes, symbol, signature);
	free(notes);
	return found;
}
