/* SPDX-License-Identifier: MIT */
/* How texts, words and arguments get into events. */
#include "values.h"

#include <string.h>
#include <sys/ioctl.h>

void trace_text(char *to, size_t size, const void *from, size_t length)
{
	size_t used = from ? strnlen(from, length < size - 1 ? length : size - 1) : 0;

	if (used)
		memcpy(to, from, used);
	to[used] = '\0';
}

void trace_text16(char *to, size_t size, const HSAuint16 *from, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length && from[i]; i++) {
		const unsigned int c = from[i];
		const size_t need = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;

		if (used + need >= size)
			break;
		if (need == 1) {
			to[used++] = (char)c;
			continue;
		}
		if (need == 2) {
			to[used++] = (char)(0xC0 | c >> 6);
		} else {
			to[used++] = (char)(0xE0 | c >> 12);
			to[used++] = (char)(0x80 | (c >> 6 & 0x3F));
		}
		to[used++] = (char)(0x80 | (c & 0x3F));
	}
	to[used] = '\0';
}

uint32_t trace_bits(const HSAuint32 *words, size_t count)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits += (uint32_t)__builtin_popcount(words[i]);
	return bits;
}

void trace_copy_argument(void *to, size_t size, unsigned long request, const void *arg)
{
	const size_t there = _IOC_SIZE(request);
	const size_t copied = there < size ? there : size;

	memset(to, 0, size);
	if (arg && copied)
		memcpy(to, arg, copied);
}

void trace_rest(void *to, size_t size, unsigned long request, const void *arg, size_t whole)
{
	const size_t there = _IOC_SIZE(request);
	const size_t begin = whole - size;
	size_t copied = 0;

	if (there > begin)
		copied = there - begin < size ? there - begin : size;
	memset(to, 0, size);
	if (arg && copied)
		memcpy(to, (const char *)arg + begin, copied);
}
