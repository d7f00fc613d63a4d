/* SPDX-License-Identifier: MIT */
/* Checking and repairing stream files (salvage.h). */
#include "input/salvage.h"

#include "input/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The packet header and context of every LTTng 2.x user-space stream, without padding (trace-compass.md
 * 9.4): magic, uuid, stream id, stream instance, begin, end, content bits, packet bits.
 */
struct packet_head {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t begin, end;
	uint64_t content_bits, packet_bits;
} __attribute__((packed));

#define CTF_MAGIC   0xC1FC1FC1u
#define INDEX_MAGIC 0xC1F1DCC1u

struct stream {
	char *name, *path;   /* owned */
	uint64_t size_bytes; /* of the file */
	uint64_t good_bytes; /* whole packets */
	uint64_t pad_bytes;  /* to add behind good_bytes for a last packet that lost padding only */
	uint64_t cut_at;     /* where a last packet begins that lost events; its head is good */
	uint64_t cut_bytes;  /* what there is of it; 0: no such packet */
	struct packet_head cut_head;
	uint64_t last_end; /* clock value at the end of the last good packet */
	bool any;          /* there is a good packet */
	bool is_damaged;
	int open_errno; /* why it cannot be read at all; 0: it can */
};

static void stream_clear(struct stream *stream)
{
	g_free(stream->name);
	g_free(stream->path);
}

/* The clock offset that turns stream times into Unix time, from the text of the metadata. */
static int64_t clock_offset(const char *metadata, gsize size)
{
	static const char key[] = "offset = ";
	const char *at = memmem(metadata, size, key, strlen(key));

	return at ? g_ascii_strtoll(at + strlen(key), NULL, 10) : 0;
}

static char *metadata_string(const char *metadata, gsize size, const char *key)
{
	const char *at = memmem(metadata, size, key, strlen(key));
	const char *end;

	if (!at)
		return NULL;
	at += strlen(key);
	end = memchr(at, '"', size - (gsize)(at - metadata));
	return end ? g_strndup(at, (gsize)(end - at)) : NULL;
}

/* Walks over the packets of a stream file. */
static void check_packets(struct stream *stream, FILE *file)
{
	struct packet_head head;
	uint64_t at = 0;

	while (at < stream->size_bytes) {
		uint64_t packet, content, left = stream->size_bytes - at;

		if (fseeko(file, (off_t)at, SEEK_SET) != 0 ||
		    fread(&head, sizeof(head), 1, file) != 1 || head.magic != CTF_MAGIC)
			break;
		packet = head.packet_bits / 8;
		content = (head.content_bits + 7) / 8;
		if (packet < sizeof(head) || content > packet)
			break;
		if (packet > left) {
			if (content <= left) { /* only padding is missing */
				stream->pad_bytes = packet - left;
				stream->good_bytes = stream->size_bytes;
				stream->last_end = head.end;
				stream->any = true;
				at = stream->size_bytes;
			} else {
				stream->cut_at = at;
				stream->cut_bytes = left;
				stream->cut_head = head;
				stream->last_end = head.begin;
				stream->any = true;
			}
			break;
		}
		at += packet;
		stream->good_bytes = at;
		stream->last_end = head.end;
		stream->any = true;
	}
	stream->is_damaged = at != stream->size_bytes || stream->pad_bytes;
}

/* A stream without data is usual for a processor without events, unless its index knows better. */
static bool index_has_packets(const char *trace, const char *name)
{
	char *path = g_strdup_printf("%s/index/%s.idx", trace, name);
	uint8_t head[16];
	uint32_t magic = 0;
	struct stat status;
	FILE *file = fopen(path, "re");
	bool has = false;

	if (file && fread(head, sizeof(head), 1, file) == 1 && fstat(fileno(file), &status) == 0) {
		memcpy(&magic, head, sizeof(magic));
		has = GUINT32_FROM_BE(magic) == INDEX_MAGIC && status.st_size > (off_t)sizeof(head);
	}
	if (file)
		fclose(file);
	g_free(path);
	return has;
}

static void check_stream(struct stream *stream, const char *trace)
{
	FILE *file = fopen(stream->path, "re");
	struct stat status;

	if (!file || fstat(fileno(file), &status) != 0) {
		stream->is_damaged = true;
		stream->open_errno = errno;
	} else {
		stream->size_bytes = (uint64_t)status.st_size;
		check_packets(stream, file);
		if (stream->size_bytes == 0)
			stream->is_damaged = index_has_packets(trace, stream->name);
	}
	if (file)
		fclose(file);
}

static void note_damage(const struct stream *stream, int64_t offset, GPtrArray *notes)
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
	} else if (stream->cut_bytes) {
		g_string_append_printf(note,
				       "ends at byte %" G_GUINT64_FORMAT
				       ", inside a packet that begins at %" G_GINT64_FORMAT
				       ".%09d (Unix time); what there is of it is read",
				       stream->size_bytes, end_ns / 1000000000,
				       (int)(end_ns % 1000000000));
	} else {
		g_string_append_printf(
			note, "is damaged at byte %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
			stream->good_bytes, stream->size_bytes);
		if (stream->any)
			g_string_append_printf(note,
					       "; read until %" G_GINT64_FORMAT ".%09d (Unix time)",
					       end_ns / 1000000000, (int)(end_ns % 1000000000));
		else
			g_string_append(note, "; nothing in it can be read");
	}
	g_ptr_array_add(notes, g_string_free(note, FALSE));
}

/* Rubbish after whole packets need not stand for lost events, but nothing says that it does not. */
static bool loses_events(const struct stream *stream)
{
	return stream->is_damaged && !stream->pad_bytes;
}

/* The head of a packet that was cut says then that it was meant to end there. */
static bool shorten_packet(const struct stream *stream, FILE *copy)
{
	struct packet_head head = stream->cut_head;

	head.content_bits = head.packet_bits = stream->cut_bytes * 8;
	return fseeko(copy, (off_t)stream->cut_at, SEEK_SET) == 0 &&
	       fwrite(&head, sizeof(head), 1, copy) == 1;
}

static bool copy_prefix(const struct stream *stream, const char *target)
{
	FILE *from = fopen(stream->path, "re"), *to = fopen(target, "we");
	const uint64_t size = stream->good_bytes + stream->cut_bytes;
	uint64_t left = size;
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
	return ok && truncate(target, (off_t)(size + stream->pad_bytes)) == 0;
}

/* A directory like the trace's, with links to what is good and copies of the good parts. */
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
		const struct stream *stream = &g_array_index(streams, struct stream, i);
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

static GArray *list_streams(const char *trace)
{
	GArray *streams = g_array_new(FALSE, TRUE, sizeof(struct stream));
	GDir *dir = g_dir_open(trace, 0, NULL);
	const char *name;

	g_array_set_clear_func(streams, (GDestroyNotify)(void (*)(void))stream_clear);
	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		struct stream stream = { .name = g_strdup(name),
					 .path = g_build_filename(trace, name, NULL) };

		if (name[0] == '.' || strcmp(name, "metadata") == 0 ||
		    !g_file_test(stream.path, G_FILE_TEST_IS_REGULAR))
			stream_clear(&stream);
		else
			g_array_append_val(streams, stream);
	}
	if (dir)
		g_dir_close(dir);
	return streams;
}

static bool repair(struct salvage *salvage, const char *trace, const char *metadata, gsize size,
		   GPtrArray *notes, char **problem)
{
	GArray *streams = list_streams(trace);
	int64_t offset = clock_offset(metadata, size);
	bool damaged = false, any = streams->len == 0, ok = true;
	int open_errno = 0;

	for (guint i = 0; i < streams->len; i++) {
		struct stream *stream = &g_array_index(streams, struct stream, i);

		check_stream(stream, trace);
		any |= stream->any || !stream->is_damaged;
		open_errno = open_errno ? open_errno : stream->open_errno;
		if (!stream->is_damaged)
			continue;
		damaged = true;
		note_damage(stream, offset, notes);
		if (stream->cut_bytes)
			g_ptr_array_add(salvage->cut,
					g_strdup_printf("%u/%" G_GUINT64_FORMAT,
							stream->cut_head.stream_id,
							stream->cut_head.stream_instance_id));
		if (loses_events(stream))
			salvage->missing_from_ns =
				MIN(salvage->missing_from_ns,
				    stream->any ? (int64_t)stream->last_end + offset : INT64_MIN);
	}
	if (damaged && !any) {
		*problem = g_strdup_printf("no stream of the trace '%s' can be read%s%s", trace,
					   open_errno ? ": " : "",
					   open_errno ? g_strerror(open_errno) : "");
		ok = false;
	} else if (damaged && !make_copy(salvage, trace, streams)) {
		*problem = g_strdup_printf("cannot make a repaired copy of the trace '%s': %s",
					   trace, g_strerror(errno));
		ok = false;
	} else if (damaged) {
		g_free(salvage->path);
		salvage->path = g_strdup(salvage->temporary);
	}
	g_array_free(streams, TRUE);
	return ok;
}

/* Whether packets begin as LTTng's do; other writers of UST traces order their context otherwise. */
static bool is_lttng_layout(const char *metadata, gsize size)
{
	const char *begin = memmem(metadata, size, "timestamp_begin", 15);
	const char *content = memmem(metadata, size, "content_size", 12);

	return memmem(metadata, size, "tracer_name = \"lttng-ust\"", 25) &&
	       memmem(metadata, size, "stream_instance_id", 18) && begin && content &&
	       begin < content;
}

bool salvage_open(struct salvage *salvage, const char *trace, GPtrArray *notes, char **problem)
{
	char *path = g_build_filename(trace, "metadata", NULL);
	char *metadata = NULL;
	GError *error = NULL;
	gsize size = 0;
	bool ok = true;

	memset(salvage, 0, sizeof(*salvage));
	salvage->missing_from_ns = INT64_MAX;
	salvage->cut = g_ptr_array_new_with_free_func(g_free);
	salvage->trace = g_strdup(trace);
	salvage->path = g_strdup(trace);
	*problem = NULL;
	if (!g_file_get_contents(path, &metadata, &size, &error)) {
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
	} else if (is_lttng_layout(metadata, size)) {
		/* Other tracers lay out packets otherwise; their streams are left alone. */
		salvage->hostname = metadata_string(metadata, size, "hostname = \"");
		ok = repair(salvage, trace, metadata, size, notes, problem);
	}
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
	if (salvage->cut)
		g_ptr_array_free(salvage->cut, TRUE);
	g_free(salvage->trace);
	g_free(salvage->path);
	g_free(salvage->hostname);
	memset(salvage, 0, sizeof(*salvage));
}
