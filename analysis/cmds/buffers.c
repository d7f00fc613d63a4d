/* SPDX-License-Identifier: MIT */
/* The options of recordings: ring buffers, other providers' events. */
#include "buffers.h"

#include <lttng/lttng.h>
#include <string.h>

bool buffers_parse_size(const char *text, uint64_t *size_bytes)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t size = g_ascii_strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, g_ascii_toupper(*end)) : NULL;
	unsigned int shift = unit ? 10u * (unsigned int)(unit - units + 1) : 0;

	if (unit)
		end++;
	if (!g_ascii_isdigit(*text) || *end || size == 0 || size > UINT64_MAX >> shift)
		return false;
	*size_bytes = size << shift;
	return true;
}

bool buffers_parse(const struct cmd *cmd, const struct buffers_words *words,
		   struct recording_options *recording)
{
	uint64_t size = 0;

	if (words->size &&
	    (!buffers_parse_size(words->size, &size) || size < 4096 || (size & (size - 1)) != 0)) {
		cmd_error(cmd,
			  "--subbuf-size is '%s': it must be a power of two of at least 4096 "
			  "bytes, such as 512K or 4M",
			  words->size);
		return false;
	}
	if (words->count < 0 || (words->count & (words->count - 1))) {
		cmd_error(cmd, "--subbuf-count is %d: it must be a power of two", words->count);
		return false;
	}
	recording->subbuf_size_bytes = size;
	recording->subbuf_count = (uint32_t)words->count;
	return true;
}

bool also_parse(const struct cmd *cmd, char *const *list, struct recording_options *recording)
{
	for (size_t i = 0; list && list[i]; i++) {
		const char *colon = strchr(list[i], ':');

		if (colon && colon != list[i] && colon[1] &&
		    strlen(list[i]) < LTTNG_SYMBOL_NAME_LEN)
			continue;
		cmd_error(cmd, "--also is '%s': it must be PROVIDER:EVENT, such as 'other:*'",
			  list[i]);
		return false;
	}
	recording->also = (const char *const *)list;
	return true;
}
