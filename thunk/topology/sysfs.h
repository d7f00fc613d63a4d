/* SPDX-License-Identifier: MIT */
/* Reading files of "name value" lines and single numbers through the context's device. */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_SYSFS_H
#define KFDSCOPE_THUNK_TOPOLOGY_SYSFS_H

#include "context.h"

/* A sysfs file is at most a page; what is beyond is ignored (topology.md 2). */
#define SYSFS_BUFFER_SIZE (4096 + 1)

/* Room for every path below a topology root. */
#define SYSFS_PATH_SIZE 512

/*
 * Reads a file whose name is put together from a format.
 * @return the number of bytes in buf (NUL-terminated), or -errno; -ENAMETOOLONG for a long name.
 */
ssize_t sysfs_read(struct kmt_context *ctx, char buf[SYSFS_BUFFER_SIZE], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the decimal number at the start of a file. @return 0 or -errno; -EINVAL: no number. */
int sysfs_read_number(struct kmt_context *ctx, uint64_t *value, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* One "name value" line. */
struct sysfs_line {
	const char *name; /* borrowed from the text; not terminated */
	size_t name_length;
	uint64_t value;
	const char *rest; /* the value as text, for lists */
};

/*
 * Takes the next line from *text and moves *text on. Parsing ends at the first line that has not the
 * shape (topology.md 2).
 */
bool sysfs_next_line(const char **text, struct sysfs_line *line);
bool sysfs_line_is(const struct sysfs_line *line, const char *name);

/* The decimal digits at *text; moves *text past them. 0 without any. */
uint64_t sysfs_parse_decimal(const char **text);

/* Where the number behind a name is stored. */
struct sysfs_key {
	const char *name;
	uint16_t offset; /* in the structure */
	uint8_t size;    /* bytes: 1, 2, 4 or 8; larger numbers are cut */
};
#define SYSFS_KEY(key_name, structure, member)                                                     \
	{                                                                                          \
		.name = (key_name), .offset = offsetof(structure, member),                         \
		.size = sizeof(((structure *)0)->member)                                           \
	}

/*
 * Stores a line's value if its name is in the table.
 *
 * @param hint  in/out: where to begin to look; lines mostly come in the order of the table.
 * @return whether it was there.
 */
bool sysfs_store(const struct sysfs_line *line, const struct sysfs_key *keys, size_t count,
		 size_t *hint, void *structure);

/* Parses a whole text into a structure by a table; unknown names are skipped. */
void sysfs_parse(const char *text, const struct sysfs_key *keys, size_t count, void *structure);

#endif
