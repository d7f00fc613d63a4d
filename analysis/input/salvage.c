/* SPDX-License-Identifier: MIT */
/* Checking and repairing stream files (salvage.h). */
#include "input/salvage.h"

#include "input/metadata.h"
#include "input/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The clock offset that turns stream times into Unix time, from the text of the metadata. */
static int64_t clock_offset(const char *text)
{
	static const char key[] = "offset = ";
	const char *at = strstr(text, key);

	return at ? g_ascii_strtoll(at + strlen(key), NULL, 10) : 0;
}

static char *metadata_string(const char *text, const char *key)
{
	const char *at = strstr(text, key), *end;

	at = at ? at + strlen(key) : NULL;
	end = at ? strchr(at, '"') : NULL;
	return end ? g_strndup(at, (gsize)(end - at)) : NULL;
}

static void append_time(GString *note, const char *before, int64_t time_ns)
{
	g_string_append_printf(note, "%s%" G_GINT64_FORMAT ".%09d (Unix time)", before,
			       time_ns / 1000000000, (int)(time_ns % 1000000000));
}

static void note_damage(const struct stream_file *stream, int64_t offset, GPtrArray *notes)
{
	GString *note = g_string_new(NULL);
	int64_t end_ns = (int64_t)stream->last_end + offset;

	g_string_printf(note, "'%s' ", stream->path);
	if (stream->open_errno) {
		g_string_append_printf(note, "cannot be read: %s", g_strerror(stream->open_errno));
	} else if (stream->pad_bytes) {
		g_string_append_printf(note,
				       "ends %" G_GUINT64_FORMAT " bytes early, in padding; no "
				       "event is lost",
				       stream->pad_bytes);
	} else if (stream->size_bytes == 0) {
		g_string_append(note, "is empty, though its index lists packets");
	} else if (stream->is_foreign) {
		g_string_append(note, "is a file of another recording, and left out");
	} else if (stream->cut_bytes) {
		g_string_append_printf(note, "ends at byte %" G_GUINT64_FORMAT, stream->size_bytes);
		append_time(note, ", inside a packet that begins at ", end_ns);
		g_string_append(note, "; what there is of it is read");
	} else if (stream->good_bytes == stream->size_bytes) {
		g_string_append_printf(note,
				       "has %" G_GUINT64_FORMAT " of the %" G_GUINT64_FORMAT
				       " packets that its index lists",
				       stream->packets, stream->listed);
	} else {
		g_string_append_printf(
			note, "is damaged at byte %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
			stream->good_bytes, stream->size_bytes);
		if (stream->any)
			append_time(note, "; read until ", end_ns);
		else
			g_string_append(note, "; nothing in it can be read");
	}
	g_ptr_array_add(notes, g_string_free(note, FALSE));
}

/* Rubbish after whole packets need not stand for lost events, but nothing says that it does not. */
static bool loses_events(const struct stream_file *stream)
{
	return stream->is_damaged && !stream->pad_bytes;
}

/* @return from when on events of it are missing (Unix ns). */
static int64_t missing_from(const struct stream_file *stream, int64_t offset)
{
	return stream->any && !stream->misses_some ? (int64_t)stream->last_end + offset : INT64_MIN;
}

/* The head of a packet that was cut says then that it was meant to end there. */
static bool shorten_packet(const struct stream_file *stream, FILE *copy)
{
	struct packet_head head = stream->cut_head;

	head.packet_bits = stream->cut_bytes * 8;
	head.content_bits = MIN(head.content_bits, head.packet_bits);
	return fseeko(copy, (off_t)stream->good_bytes, SEEK_SET) == 0 &&
	       fwrite(&head, sizeof(head), 1, copy) == 1;
}

static bool copy_prefix(const struct stream_file *stream, const char *target)
{
	FILE *from = fopen(stream->path, "re"), *to = fopen(target, "we");
	uint64_t left = stream->good_bytes + stream->cut_bytes;
	char buffer[65536];
	bool ok = from && to;

	while (ok && left) {
		size_t part = fread(buffer, 1, MIN(left, sizeof(buffer)), from);

		ok = part > 0 && fwrite(buffer, 1, part, to) == part;
		left -= part;
	}
	ok = ok && (!stream->cut_bytes || shorten_packet(stream, to));
	if (from)
		fclose(from);
	if (to && fclose(to) != 0)
		ok = false;
	return ok;
}

/*
 * A directory like the trace's, with links to what is good and copies of the good parts. It has no index:
 * babeltrace2 ends in an assertion of its own at some that are wrong, and makes one when there is none.
 */
static bool make_copy(struct salvage *salvage, const char *trace, const GArray *streams)
{
	char *real = realpath(trace, NULL);
	bool ok = real != NULL;
	char *link;

	salvage->temporary = g_dir_make_tmp("kfdscope-XXXXXX", NULL);
	ok = ok && salvage->temporary;
	if (ok) {
		char *metadata = g_build_filename(real, "metadata", NULL);

		link = g_build_filename(salvage->temporary, "metadata", NULL);
		ok = symlink(metadata, link) == 0;
		g_free(link);
		g_free(metadata);
	}
	for (guint i = 0; ok && i < streams->len; i++) {
		const struct stream_file *stream = &g_array_index(streams, struct stream_file, i);
		char *original = g_build_filename(real, stream->name, NULL);

		link = g_build_filename(salvage->temporary, stream->name, NULL);
		if (!stream->is_damaged)
			ok = stream->size_bytes == 0 || symlink(original, link) == 0;
		else if (stream->any)
			ok = copy_prefix(stream, link);
		g_free(link);
		g_free(original);
	}
	free(real);
	return ok;
}

static void clear_cut(void *data)
{
	g_free(((struct salvage_cut *)data)->stream);
}

/* Files of one stream follow each other when the tracer limits their sizes. */
static void add_cut(struct salvage *salvage, const GArray *streams, const struct packet_head *head)
{
	struct salvage_cut cut = { .stream =
					   g_strdup_printf("%u/%" G_GUINT64_FORMAT, head->stream_id,
							   head->stream_instance_id) };

	for (guint i = 0; i < streams->len; i++) {
		const struct stream_file *stream = &g_array_index(streams, struct stream_file, i);

		if (stream->packets && stream->first_head.stream_id == head->stream_id &&
		    stream->first_head.stream_instance_id == head->stream_instance_id)
			cut.packets += stream->packets;
	}
	g_array_append_val(salvage->cuts, cut);
}

bool salvage_has_told(const struct salvage *salvage, const char *stream, uint64_t packets)
{
	for (guint i = 0; i < salvage->cuts->len; i++) {
		const struct salvage_cut *cut =
			&g_array_index(salvage->cuts, struct salvage_cut, i);

		if (g_str_equal(cut->stream, stream) && packets >= cut->packets)
			return true;
	}
	return false;
}

static bool read_uuid(const char *metadata, gsize size, uint8_t *uuid)
{
	char *digits = metadata_uuid(metadata, size);
	const bool ok = digits && strlen(digits) == 2 * STREAM_UUID_BYTES;

	for (guint i = 0; ok && i < STREAM_UUID_BYTES; i++)
		uuid[i] = (uint8_t)(g_ascii_xdigit_value(digits[2 * i]) << 4 |
				    g_ascii_xdigit_value(digits[2 * i + 1]));
	g_free(digits);
	return ok;
}

static bool repair(struct salvage *salvage, const char *trace, const struct stream_rules *rules,
		   int64_t offset, GPtrArray *notes, char **problem)
{
	GArray *streams = stream_files_list(trace);
	bool damaged = false, misled = false, any = streams->len == 0, ok = true;
	const guint told = notes->len;
	int open_errno = 0;

	for (guint i = 0; i < streams->len; i++) {
		struct stream_file *stream = &g_array_index(streams, struct stream_file, i);

		stream_file_check(stream, trace, rules);
		any |= stream->any || !stream->is_damaged;
		open_errno = open_errno ? open_errno : stream->open_errno;
		misled |= stream->index_is_wrong;
		if (!stream->is_damaged)
			continue;
		damaged = true;
		note_damage(stream, offset, notes);
		if (loses_events(stream))
			salvage->missing_from_ns =
				MIN(salvage->missing_from_ns, missing_from(stream, offset));
	}
	for (guint i = 0; i < streams->len; i++) {
		const struct stream_file *stream = &g_array_index(streams, struct stream_file, i);

		if (stream->cut_bytes && !stream->pad_bytes)
			add_cut(salvage, streams, &stream->cut_head);
	}
	if (damaged && !any) {
		g_ptr_array_set_size(notes, (gint)told); /* the problem says it all */
		*problem = g_strdup_printf("no stream of the trace '%s' can be read%s%s", trace,
					   open_errno ? ": " : "",
					   open_errno ? g_strerror(open_errno) : "");
		ok = false;
	} else if ((damaged || misled) && !make_copy(salvage, trace, streams)) {
		*problem = g_strdup_printf("cannot make a repaired copy of the trace '%s': %s",
					   trace, g_strerror(errno));
		ok = false;
	} else if (damaged || misled) {
		g_free(salvage->path);
		salvage->path = g_strdup(salvage->temporary);
	}
	g_array_free(streams, TRUE);
	return ok;
}

/* Whether packets begin as LTTng's do; other writers of UST traces order their context otherwise. */
static bool is_lttng_layout(const char *text)
{
	const char *begin = strstr(text, "timestamp_begin"),
		   *content = strstr(text, "content_size");

	return strstr(text, "tracer_name = \"lttng-ust\"") && strstr(text, "stream_instance_id") &&
	       begin && content && begin < content;
}

/* Buffers of one process have its number in the environment; otherwise it is in the context. */
static uint32_t environment_vpid(const char *text)
{
	static const char key[] = "\tvpid = ";
	const char *at = strstr(text, key);

	return at ? (uint32_t)g_ascii_strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool check_streams(struct salvage *salvage, const char *trace, const char *metadata,
			  gsize size, const GString *text, GPtrArray *notes, char **problem)
{
	const int64_t offset = clock_offset(text->str);
	struct stream_rules rules = { .classes = metadata_stream_classes(text),
				      .clock_max = (uint64_t)(INT64_MAX - MAX(offset, 0)) };
	bool ok = true;

	/* Other tracers lay out packets otherwise; their streams are left alone. */
	if (is_lttng_layout(text->str)) {
		rules.has_uuid = read_uuid(metadata, size, rules.uuid);
		ok = repair(salvage, trace, &rules, offset, notes, problem);
	}
	g_array_free(rules.classes, TRUE);
	return ok;
}

bool salvage_open(struct salvage *salvage, const char *trace, GPtrArray *notes, char **problem)
{
	char *path = g_build_filename(trace, "metadata", NULL);
	char *metadata = NULL;
	GError *error = NULL;
	GString *text;
	gsize size = 0;
	bool ok = true, is_read;

	memset(salvage, 0, sizeof(*salvage));
	salvage->missing_from_ns = INT64_MAX;
	salvage->cuts = g_array_new(FALSE, FALSE, sizeof(struct salvage_cut));
	g_array_set_clear_func(salvage->cuts, clear_cut);
	salvage->trace = g_strdup(trace);
	salvage->path = g_strdup(trace);
	*problem = NULL;
	is_read = g_file_get_contents(path, &metadata, &size, &error);
	text = metadata_text(metadata, size);
	salvage->hostname = metadata_string(text->str, "hostname = \"");
	salvage->vpid = environment_vpid(text->str);
	if (!is_read) {
		*problem = g_strdup_printf("cannot read '%s': %s", path, error->message);
		g_error_free(error);
		ok = false;
	} else if (size == 0) {
		*problem = g_strdup_printf("'%s' is empty", path);
		ok = false;
	} else if (!metadata_is_whole(metadata, size)) {
		*problem = g_strdup_printf("'%s' is damaged: it ends before its last declaration "
					   "does",
					   path);
		ok = false;
	} else {
		ok = check_streams(salvage, trace, metadata, size, text, notes, problem);
	}
	if (!ok)
		salvage->missing_from_ns = INT64_MIN;
	g_string_free(text, TRUE);
	g_free(metadata);
	g_free(path);
	return ok;
}

void salvage_close(struct salvage *salvage)
{
	GDir *dir = salvage->temporary ? g_dir_open(salvage->temporary, 0, NULL) : NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(salvage->temporary, name, NULL);

		unlink(path);
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	if (salvage->temporary)
		rmdir(salvage->temporary);
	g_free(salvage->temporary);
	if (salvage->cuts)
		g_array_free(salvage->cuts, TRUE);
	g_free(salvage->trace);
	g_free(salvage->path);
	g_free(salvage->hostname);
	memset(salvage, 0, sizeof(*salvage));
}
