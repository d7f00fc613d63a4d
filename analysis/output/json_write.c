/* SPDX-License-Identifier: MIT */
/* Lines, and what is in them by json_text.h or by whoever makes an entry (json_write.h). */
#include "output/json_write.h"

#include <errno.h>
#include <stdbool.h>

#include "output/json_text.h"

#define INDENT      2
#define CHUNK_BYTES ((gsize)1 << 16)

struct writer {
	FILE *stream;
	GString *text;            /* owned: what is not written yet */
	struct json_build *build; /* owned: appends to it */
	json_entry_fn *entry;
	void *data;
	bool failed;
};

static void flush(struct writer *writer, gsize least)
{
	if (writer->text->len < least || writer->text->len == 0)
		return;
	if (!writer->failed && fwrite(writer->text->str, writer->text->len, 1, writer->stream) != 1)
		writer->failed = true;
	g_string_truncate(writer->text, 0);
}

static void new_line(struct writer *writer, int depth)
{
	flush(writer, CHUNK_BYTES);
	g_string_append_printf(writer->text, "\n%*s", depth * INDENT, "");
}

static void write_list(struct writer *writer, const char *name, const json_t *list, int depth)
{
	const json_t *entry;
	size_t i;

	g_string_append_c(writer->text, '[');
	json_array_foreach(list, i, entry)
	{
		if (writer->failed)
			return;
		if (i)
			g_string_append_c(writer->text, ',');
		new_line(writer, depth + 1);
		if (json_is_null(entry) && name && writer->entry)
			writer->entry(writer->data, name, i, writer->build);
		else
			json_text_tree(writer->text, entry);
	}
	if (json_array_size(list))
		new_line(writer, depth);
	g_string_append_c(writer->text, ']');
}

static void write_value(struct writer *writer, const char *name, const json_t *json, int depth);

static void write_object(struct writer *writer, const json_t *json, int depth)
{
	const char *name;
	json_t *value;
	bool is_first = true;

	g_string_append_c(writer->text, '{');
	json_object_foreach((json_t *)json, name, value)
	{
		if (!is_first)
			g_string_append_c(writer->text, ',');
		is_first = false;
		new_line(writer, depth + 1);
		json_text_string(writer->text, name);
		json_text_literal(writer->text, ": ");
		write_value(writer, name, value, depth + 1);
	}
	if (!is_first)
		new_line(writer, depth);
	g_string_append_c(writer->text, '}');
}

/* @param name  of the member; NULL for the outermost value. */
static void write_value(struct writer *writer, const char *name, const json_t *json, int depth)
{
	if (json_is_object(json))
		write_object(writer, json, depth);
	else if (json_is_array(json))
		write_list(writer, name, json, depth);
	else
		json_text_tree(writer->text, json);
}

int json_write(const json_t *json, FILE *stream, json_entry_fn *entry, void *data)
{
	struct writer writer = { .stream = stream, .entry = entry, .data = data };

	if (!json)
		return -ENOMEM;
	writer.text = g_string_sized_new(2 * CHUNK_BYTES);
	writer.build = json_build_new(writer.text);
	errno = 0;
	write_value(&writer, NULL, json, 0);
	g_string_append_c(writer.text, '\n');
	flush(&writer, 0);
	json_build_free(writer.build);
	g_string_free(writer.text, TRUE);
	if (writer.failed || ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}
