/* SPDX-License-Identifier: MIT */
/*
 * All fields of an event as they were recorded: for reports that show arguments, or need one that is
 * no FIELD of a record. Whoever reads recordings offers a reader with each record; nothing is decoded
 * until somebody asks.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_ARGS_H
#define KFDSCOPE_ANALYSIS_MODEL_ARGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum arg_type {
	ARG_UNSIGNED,
	ARG_SIGNED,
	ARG_HEX,
	ARG_LABEL, /* an enumeration: number, and text when the number has a name */
	ARG_TEXT,
	ARG_ROW,       /* integers in a row */
	ARG_LABEL_ROW, /* enumerations in a row; text has the names with commas between */
};

struct arg {
	const char *name; /* borrowed: as long as the process runs (g_intern_string()) */
	enum arg_type type;
	uint64_t number;
	uint32_t count; /* of row */
	uint32_t row;   /* index into args.numbers */
	char *text;     /* owned; NULL: none */
};

struct args {
	GArray *list;    /* of struct arg, in the event's order, without the stack */
	GArray *numbers; /* of uint64_t: all rows */
};

/* How to get at the event behind a record. The first member of whatever implements it. */
struct args_reader {
	/* Reads a number, or an enumeration's. @return false when there is no such field. */
	bool (*number)(const struct args_reader *reader, const char *name, uint64_t *value);
	/* Reads integers in a row. @return how many of at most max. */
	uint32_t (*row)(const struct args_reader *reader, const char *name, uint64_t *numbers,
			uint32_t max);
	/* Appends all fields. */
	void (*all)(const struct args_reader *reader, struct args *args);
	/* @return a reader of the same event, the caller's to release(). */
	const struct args_reader *(*keep)(const struct args_reader *reader);
	/* Of one that keep() has returned. */
	void (*release)(const struct args_reader *reader);
};

struct args *args_new(void);
/* Accepts NULL. */
void args_free(struct args *args);
/* Appends an argument. @param text, numbers  copied; may be NULL. */
void args_add(struct args *args, const char *name, enum arg_type type, uint64_t number,
	      const char *text, const uint64_t *numbers, uint32_t count);
/* @return the argument, or NULL; args may be NULL. */
const struct arg *args_find(const struct args *args, const char *name);
/* @return the number of an argument; otherwise when there is none. */
uint64_t args_number(const struct args *args, const char *name, uint64_t otherwise);
/* The numbers of a row. */
const uint64_t *args_row(const struct args *args, const struct arg *arg);

/* Shortcuts that accept a NULL reader. */
uint64_t args_reader_number(const struct args_reader *reader, const char *name, uint64_t otherwise);
uint32_t args_reader_row(const struct args_reader *reader, const char *name, uint64_t *numbers,
			 uint32_t max);
/* All fields; empty for a NULL reader. @return the caller's to args_free(). */
struct args *args_reader_all(const struct args_reader *reader);
/* Keeps the event beyond its record, cheaper than its fields. Releasing accepts NULL, too. */
const struct args_reader *args_reader_keep(const struct args_reader *reader);
void args_reader_release(const struct args_reader *reader);

#endif
