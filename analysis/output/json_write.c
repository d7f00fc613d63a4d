/* SPDX-License-Identifier: MIT */
/* The outermost levels by hand, what is in them by jansson (json_write.h). */
#include "output/json_write.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#define INDENT 2

struct writer {
	FILE *stream;
	int depth;
};

static int new_line(const struct writer *writer, int depth)
{
	return fprintf(writer->stream, "\n%*s", depth * INDENT, "") < 0 ? -1 : 0;
}

/* Line ends stand between values only: those in strings are escaped. */
static int write_indented(const char *text, size_t size, void *data)
{
	const struct writer *writer = data;

	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t plain = end ? (size_t)(end - text) : size;

		if (plain && fwrite(text, plain, 1, writer->stream) != 1)
			return -1;
		if (!end)
			break;
		if (new_line(writer, writer->depth) != 0)
			return -1;
		text += plain + 1;
		size -= plain + 1;
	}
	return 0;
}

static int write_value(const json_t *json, struct writer *writer)
{
	return json_dump_callback(json, write_indented, writer,
				  JSON_INDENT(INDENT) | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);
}

static int write_list(const char *name, const json_t *list, struct writer *writer,
		      json_entry_fn *make, void *data)
{
	int result = fputc('[', writer->stream) == EOF ? -1 : 0;

	writer->depth = 2;
	for (size_t i = 0; i < json_array_size(list) && result == 0; i++) {
		json_t *entry = json_incref(json_array_get(list, i));

		if (json_is_null(entry) && make)
			entry = make(data, name, i);
		if (i)
			fputc(',', writer->stream);
		result = !entry || new_line(writer, 2) != 0 ? -1 : write_value(entry, writer);
		json_decref(entry);
	}
	writer->depth = 1;
	if (result == 0)
		result = new_line(writer, 1);
	return result || fputc(']', writer->stream) == EOF ? -1 : 0;
}

int json_write(const json_t *json, FILE *stream, json_entry_fn *entry, void *data)
{
	struct writer writer = { stream, 1 };
	const char *name, *between = "";
	int result = json ? 0 : -1;
	json_t *value;

	errno = json ? 0 : ENOMEM;
	if (json && json_object_size(json) == 0)
		return fputs("{}\n", stream) == EOF ? -EIO : 0;
	if (json)
		fputc('{', stream);
	json_object_foreach((json_t *)json, name, value)
	{
		json_t *key = json_string(name);

		fputs(between, stream);
		between = ",";
		result = new_line(&writer, 1) != 0 || !key || write_value(key, &writer) != 0 ||
					 fputs(": ", stream) == EOF
				 ? -1
				 : 0;
		json_decref(key);
		if (result == 0)
			result = json_array_size(value)
					 ? write_list(name, value, &writer, entry, data)
					 : write_value(value, &writer);
		if (result != 0)
			break;
	}
	if (result != 0 || fputs("\n}\n", stream) == EOF || ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}
