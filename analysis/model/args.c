/* SPDX-License-Identifier: MIT */
/* Fields of events beyond those that every record has (args.h). */
#include "args.h"

#include <string.h>

static void arg_clear(void *data)
{
	struct arg *arg = data;

	g_free(arg->text);
}

struct args *args_new(void)
{
	struct args *args = g_new0(struct args, 1);

	args->list = g_array_new(FALSE, TRUE, sizeof(struct arg));
	g_array_set_clear_func(args->list, arg_clear);
	args->numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return args;
}

void args_free(struct args *args)
{
	if (!args)
		return;
	g_array_free(args->list, TRUE);
	g_array_free(args->numbers, TRUE);
	g_free(args);
}

void args_add(struct args *args, const char *name, enum arg_type type, uint64_t number,
	      const char *text, const uint64_t *numbers, uint32_t count)
{
	const struct arg arg = { .name = g_intern_string(name),
				 .type = type,
				 .number = number,
				 .count = count,
				 .row = args->numbers->len,
				 .text = g_strdup(text) };

	if (count)
		g_array_append_vals(args->numbers, numbers, count);
	g_array_append_val(args->list, arg);
}

const struct arg *args_find(const struct args *args, const char *name)
{
	for (guint i = 0; args && i < args->list->len; i++) {
		const struct arg *arg = &g_array_index(args->list, struct arg, i);

		if (strcmp(arg->name, name) == 0)
			return arg;
	}
	return NULL;
}

uint64_t args_number(const struct args *args, const char *name, uint64_t otherwise)
{
	const struct arg *arg = args_find(args, name);

	return arg ? arg->number : otherwise;
}

const uint64_t *args_row(const struct args *args, const struct arg *arg)
{
	return arg->count ? &g_array_index(args->numbers, uint64_t, arg->row) : NULL;
}

uint64_t args_reader_number(const struct args_reader *reader, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return reader && reader->number(reader, name, &value) ? value : otherwise;
}

uint32_t args_reader_row(const struct args_reader *reader, const char *name, uint64_t *numbers,
			 uint32_t max)
{
	return reader ? reader->row(reader, name, numbers, max) : 0;
}

struct args *args_reader_all(const struct args_reader *reader)
{
	struct args *args = args_new();

	if (reader)
		reader->all(reader, args);
	return args;
}

const struct args_reader *args_reader_keep(const struct args_reader *reader)
{
	return reader ? reader->keep(reader) : NULL;
}

void args_reader_release(const struct args_reader *reader)
{
	if (reader)
		reader->release(reader);
}
