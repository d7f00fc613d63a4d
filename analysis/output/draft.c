/* SPDX-License-Identifier: MIT */
/* Text with blanks (draft.h). */
#include "output/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* So many blanks are filled at once: each time the buffer of the stream is written out. */
#define FILLS_MAX 4096u

struct fill {
	int64_t blank;
	char *text; /* owned */
};

struct draft {
	FILE *target;  /* borrowed */
	FILE *stream;  /* owned when it is not the target */
	GArray *fills; /* of struct fill */
	int error;     /* 0 or -errno */
};

/* Appending would put the contents of blanks at the end. */
static bool can_be_rewritten(FILE *stream)
{
	int flags = fileno(stream) >= 0 ? fcntl(fileno(stream), F_GETFL) : 0;

	return ftello(stream) >= 0 && flags >= 0 && !(flags & O_APPEND);
}

static void clear_fill(void *data)
{
	g_free(((struct fill *)data)->text);
}

struct draft *draft_new(FILE *target)
{
	FILE *stream = can_be_rewritten(target) ? target : tmpfile();
	struct draft *draft;

	if (!stream)
		return NULL;
	draft = g_new0(struct draft, 1);
	draft->target = target;
	draft->stream = stream;
	draft->fills = g_array_new(FALSE, FALSE, sizeof(struct fill));
	g_array_set_clear_func(draft->fills, clear_fill);
	return draft;
}

FILE *draft_stream(struct draft *draft)
{
	return draft->stream;
}

int64_t draft_blank(struct draft *draft, unsigned int size)
{
	int64_t blank = ftello(draft->stream);

	fprintf(draft->stream, "%*s", (int)size, "");
	return blank;
}

static void note_error(struct draft *draft)
{
	if (!draft->error)
		draft->error = errno ? -errno : -EIO;
}

static void fill_all(struct draft *draft)
{
	off_t end = ftello(draft->stream);

	errno = 0;
	for (guint i = 0; i < draft->fills->len; i++) {
		const struct fill *fill = &g_array_index(draft->fills, struct fill, i);

		if (fseeko(draft->stream, (off_t)fill->blank, SEEK_SET) != 0 ||
		    fputs(fill->text, draft->stream) == EOF)
			note_error(draft);
	}
	if (draft->fills->len && (end < 0 || fseeko(draft->stream, end, SEEK_SET) != 0))
		note_error(draft);
	g_array_set_size(draft->fills, 0);
}

void draft_fill(struct draft *draft, int64_t blank, const char *text)
{
	struct fill fill = { blank, g_strdup(text) };

	g_array_append_val(draft->fills, fill);
	if (draft->fills->len >= FILLS_MAX)
		fill_all(draft);
}

static void copy_to_target(struct draft *draft)
{
	char buffer[16384];
	size_t size;

	rewind(draft->stream);
	errno = 0;
	while ((size = fread(buffer, 1, sizeof(buffer), draft->stream)) > 0)
		if (fwrite(buffer, 1, size, draft->target) != size)
			break;
	if (ferror(draft->stream) || ferror(draft->target))
		note_error(draft);
}

int draft_finish(struct draft *draft)
{
	fill_all(draft);
	errno = 0;
	if (ferror(draft->stream) || fflush(draft->stream) != 0)
		note_error(draft);
	if (!draft->error && draft->stream != draft->target)
		copy_to_target(draft);
	return draft->error;
}

void draft_free(struct draft *draft)
{
	if (!draft)
		return;
	if (draft->stream != draft->target)
		fclose(draft->stream);
	g_array_free(draft->fills, TRUE);
	g_free(draft);
}
