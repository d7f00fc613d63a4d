/* SPDX-License-Identifier: MIT */
/*
 * What the client programs share: data that tells where it came from, comparison that names the
 * first wrong byte, and the end with PASS or an exit status of 1.
 */
#ifndef KFDSCOPE_TESTS_PROGRAMS_CHECK_H
#define KFDSCOPE_TESTS_PROGRAMS_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Fails the program with a reason. */
#define CHECK_FAIL(...)                                                                            \
	do {                                                                                       \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                    \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fprintf(stderr, "\n");                                                             \
		exit(1);                                                                           \
	} while (0)

/* Byte i of the data with this seed. */
static inline unsigned char check_byte(uint32_t seed, size_t i)
{
	return (unsigned char)(((uint32_t)i * 2654435761u + seed * 40503u) >> 21);
}

static inline void check_write(void *to, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = check_byte(seed, i);
}

/* Compares bytes with the data of a seed, from its byte `from` on. */
static inline void check_same(const char *what, const void *found, size_t bytes, uint32_t seed,
			      size_t from)
{
	const unsigned char *at = (const unsigned char *)found;

	for (size_t i = 0; i < bytes; i++) {
		if (at[i] != check_byte(seed, from + i))
			CHECK_FAIL("%s: byte %zu of %zu is %02x, not %02x", what, i, bytes, at[i],
				   check_byte(seed, from + i));
	}
}

/* Compares bytes with a repeated pattern. */
static inline void check_filled(const char *what, const void *found, size_t bytes,
				const void *pattern, size_t pattern_bytes)
{
	const unsigned char *at = (const unsigned char *)found;
	const unsigned char *want = (const unsigned char *)pattern;

	for (size_t i = 0; i < bytes; i++) {
		if (at[i] != want[i % pattern_bytes])
			CHECK_FAIL("%s: byte %zu of %zu is %02x, not %02x", what, i, bytes, at[i],
				   want[i % pattern_bytes]);
	}
}

#endif
