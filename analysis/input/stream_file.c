/* SPDX-License-Identifier: MIT */
/* Walks over packets (stream_file.h). */
#include "input/stream_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CTF_MAGIC   0xC1FC1FC1u
#define INDEX_MAGIC 0xC1F1DCC1u
/* What of a packet's context is behind its head: sequence number, discarded events, processor. */
#define CONTEXT_REST 20u

/* What begins an index file, and each packet in it; later fields differ from version to version. */
struct index_head {
	uint32_t magic, major, minor, entry_bytes;
};

struct index_entry {
	uint64_t at, packet_bits, content_bits, begin, end;
};

struct packet_index {
	char *bytes; /* owned; NULL: there is none */
	uint64_t count, entry_bytes;
	bool is_broken;
};

/* It is read before the stream: in a recording that goes on, it is behind then, not ahead. */
static void read_index(struct packet_index *index, const char *trace, const char *name)
{
	char *path = g_strdup_printf("%s/index/%s.idx", trace, name);
	struct index_head head;
	gsize size = 0;

	memset(index, 0, sizeof(*index));
	if (g_file_get_contents(path, &index->bytes, &size, NULL) && size >= sizeof(head)) {
		memcpy(&head, index->bytes, sizeof(head));
		index->entry_bytes = GUINT32_FROM_BE(head.entry_bytes);
		index->is_broken = GUINT32_FROM_BE(head.magic) != INDEX_MAGIC ||
				   index->entry_bytes < sizeof(struct index_entry);
		if (!index->is_broken) {
			index->count = (size - sizeof(head)) / index->entry_bytes;
			index->is_broken = (size - sizeof(head)) % index->entry_bytes != 0;
		}
	} else {
		index->is_broken = index->bytes != NULL;
	}
	g_free(path);
}

static bool index_agrees(const struct packet_index *index, uint64_t number, uint64_t at,
			 const struct packet_head *head)
{
	struct index_entry entry;

	if (number >= index->count)
		return false;
	memcpy(&entry,
	       index->bytes + sizeof(struct index_head) + (gsize)(number * index->entry_bytes),
	       sizeof(entry));
	return GUINT64_FROM_BE(entry.at) == at &&
	       GUINT64_FROM_BE(entry.packet_bits) == head->packet_bits &&
	       GUINT64_FROM_BE(entry.content_bits) == head->content_bits &&
	       GUINT64_FROM_BE(entry.begin) == head->begin &&
	       GUINT64_FROM_BE(entry.end) == head->end;
}

static bool is_of_class(const struct stream_rules *rules, uint32_t class)
{
	bool found = rules->classes->len == 0;

	for (guint i = 0; i < rules->classes->len; i++)
		found |= g_array_index(rules->classes, uint32_t, i) == class;
	return found;
}

/* A packet that was never closed has no end (lttng-crash). */
static bool has_possible_times(const struct stream_rules *rules, const struct packet_head *head)
{
	return head->begin <= rules->clock_max && head->end <= rules->clock_max &&
	       (head->end == 0 || head->begin <= head->end);
}

/* One bad packet must not keep babeltrace2 from the whole trace. */
static bool belongs(struct stream_file *stream, const struct packet_head *head,
		    const struct stream_rules *rules)
{
	if (head->magic != CTF_MAGIC)
		return false;
	if (rules->has_uuid && memcmp(head->uuid, rules->uuid, STREAM_UUID_BYTES) != 0) {
		stream->is_foreign = stream->packets == 0;
		return false;
	}
	if (stream->packets && (head->stream_id != stream->first_head.stream_id ||
				head->stream_instance_id != stream->first_head.stream_instance_id))
		return false;
	return is_of_class(rules, head->stream_id) && has_possible_times(rules, head) &&
	       head->content_bits >= 8 * sizeof(*head) && head->content_bits <= head->packet_bits;
}

/* Whether a packet begins behind the head of one that seems to go on past the end of the file. */
static bool has_another_head(const struct stream_file *stream, const struct packet_head *head)
{
	const size_t mark = offsetof(struct packet_head, stream_id); /* magic and uuid */
	GMappedFile *map = g_mapped_file_new(stream->path, FALSE, NULL);
	const uint64_t from = stream->good_bytes + sizeof(*head);
	bool found = false;

	if (map && g_mapped_file_get_length(map) > from)
		found = memmem(g_mapped_file_get_contents(map) + from,
			       g_mapped_file_get_length(map) - from, head, mark) != NULL;
	if (map)
		g_mapped_file_unref(map);
	return found;
}

/* A last packet that is longer than what is left of the file, unless its size is what is wrong. */
static void take_cut(struct stream_file *stream, const struct packet_head *head)
{
	const uint64_t left = stream->size_bytes - stream->good_bytes;

	if (left < sizeof(*head) + CONTEXT_REST || has_another_head(stream, head))
		return;
	stream->cut_bytes = left;
	stream->cut_head = *head;
	stream->any = true;
	if (head->content_bits / 8 + (head->content_bits % 8 != 0) <= left) {
		stream->pad_bytes = head->packet_bits / 8 - left;
		stream->last_end = MAX(head->begin, head->end);
	} else {
		stream->last_end = head->begin;
	}
}

static void check_packets(struct stream_file *stream, FILE *file, const struct packet_index *index,
			  const struct stream_rules *rules)
{
	struct packet_head head;

	while (stream->good_bytes < stream->size_bytes) {
		const uint64_t at = stream->good_bytes;

		if (fseeko(file, (off_t)at, SEEK_SET) != 0 ||
		    fread(&head, sizeof(head), 1, file) != 1 || !belongs(stream, &head, rules))
			break;
		if (head.packet_bits / 8 > stream->size_bytes - at) {
			take_cut(stream, &head);
			break;
		}
		if (stream->packets == 0)
			stream->first_head = head;
		stream->index_is_wrong |= !index_agrees(index, stream->packets, at, &head);
		stream->packets++;
		stream->good_bytes += head.packet_bits / 8;
		stream->last_end = MAX(head.begin, head.end);
		stream->any = true;
	}
	stream->is_damaged = stream->good_bytes != stream->size_bytes;
}

/* An index that lists more than there is tells what nothing else would. */
static void check_index(struct stream_file *stream, const struct packet_index *index)
{
	stream->listed = index->count;
	if (index->count > stream->packets && !stream->is_damaged) {
		stream->misses_some = stream->index_is_wrong;
		stream->is_damaged = true;
	}
	stream->index_is_wrong = index->bytes && (stream->index_is_wrong || index->is_broken ||
						  index->count != stream->packets);
}

void stream_file_check(struct stream_file *stream, const char *trace,
		       const struct stream_rules *rules)
{
	struct packet_index index;
	FILE *file;
	struct stat status;

	read_index(&index, trace, stream->name);
	file = fopen(stream->path, "re");
	if (file && fstat(fileno(file), &status) == 0) {
		stream->size_bytes = (uint64_t)status.st_size;
		check_packets(stream, file, &index, rules);
		check_index(stream, &index);
	} else if (errno != ENOENT || index.count) {
		stream->is_damaged = true;
		stream->open_errno = errno;
	}
	if (file)
		fclose(file);
	g_free(index.bytes);
}

static void clear(void *data)
{
	struct stream_file *stream = data;

	g_free(stream->name);
	g_free(stream->path);
}

static void add(GArray *streams, const char *trace, char *name)
{
	struct stream_file stream = { .name = name, .path = g_build_filename(trace, name, NULL) };

	g_array_append_val(streams, stream);
}

/* Streams without a file, of which there is an index. */
static void add_missing(GArray *streams, const char *trace)
{
	char *folder = g_build_filename(trace, "index", NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir)) != NULL) {
		char *name = g_str_has_suffix(entry, ".idx") ? g_strndup(entry, strlen(entry) - 4)
							     : NULL;
		char *path = name ? g_build_filename(trace, name, NULL) : NULL;

		if (name && !g_file_test(path, G_FILE_TEST_EXISTS))
			add(streams, trace, g_steal_pointer(&name));
		g_free(path);
		g_free(name);
	}
	if (dir)
		g_dir_close(dir);
	g_free(folder);
}

GArray *stream_files_list(const char *trace)
{
	GArray *streams = g_array_new(FALSE, TRUE, sizeof(struct stream_file));
	GDir *dir = g_dir_open(trace, 0, NULL);
	const char *name;

	g_array_set_clear_func(streams, clear);
	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);

		if (name[0] != '.' && strcmp(name, "metadata") != 0 &&
		    g_file_test(path, G_FILE_TEST_IS_REGULAR))
			add(streams, trace, g_strdup(name));
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	add_missing(streams, trace);
	return streams;
}
