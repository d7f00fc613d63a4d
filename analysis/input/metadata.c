/* SPDX-License-Identifier: MIT */
/* A cheap look at metadata (metadata.h). */
#include "input/metadata.h"

#include <stdint.h>
#include <string.h>

#define PACKET_MAGIC  UINT32_C(0x75d11d57)
#define PACKET_HEADER 37u /* magic, uuid, checksum, content and packet size, five bytes */

/* Where the text is: outside of declarations, or what it is inside of. */
struct scan {
	enum { SCAN_TEXT, SCAN_STRING, SCAN_COMMENT, SCAN_LINE_COMMENT } state;
	char before; /* the character before, as far as it matters */
	char last;   /* last one that is not blank, outside of comments */
	int depth;   /* of braces */
};

static void scan_text(struct scan *scan, char c)
{
	if (scan->before == '/' && (c == '*' || c == '/')) {
		scan->state = c == '*' ? SCAN_COMMENT : SCAN_LINE_COMMENT;
		scan->before = '\0';
		return;
	}
	scan->before = c;
	if (c == '"')
		scan->state = SCAN_STRING;
	scan->depth += (c == '{') - (c == '}');
	if (c != '/' && !g_ascii_isspace(c) && c != '\0')
		scan->last = c;
}

static void scan_byte(struct scan *scan, char c)
{
	switch (scan->state) {
	case SCAN_TEXT:
		scan_text(scan, c);
		break;
	case SCAN_STRING:
		if (c == '"' && scan->before != '\\')
			scan->state = SCAN_TEXT;
		scan->before = scan->before == '\\' ? '\0' : c; /* "\\" is one character */
		break;
	case SCAN_COMMENT:
		if (c == '/' && scan->before == '*')
			scan->state = SCAN_TEXT;
		scan->before = scan->state == SCAN_TEXT ? '\0' : c;
		break;
	case SCAN_LINE_COMMENT:
		if (c == '\n')
			scan->state = SCAN_TEXT;
		scan->before = '\0';
		break;
	}
}

static bool scan_is_whole(const struct scan *scan)
{
	return scan->depth == 0 && scan->last == ';' &&
	       (scan->state == SCAN_TEXT || scan->state == SCAN_LINE_COMMENT);
}

static uint32_t read_u32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool packets_are_whole(const char *metadata, gsize size)
{
	struct scan scan = { .state = SCAN_TEXT };
	gsize at = 0;

	while (at < size) {
		gsize content, packet;

		if (size - at < PACKET_HEADER || read_u32(metadata + at) != PACKET_MAGIC)
			return false;
		content = read_u32(metadata + at + 24) / 8;
		packet = read_u32(metadata + at + 28) / 8;
		if (content < PACKET_HEADER || packet < content || packet > size - at)
			return false;
		for (gsize i = PACKET_HEADER; i < content; i++)
			scan_byte(&scan, metadata[at + i]);
		at += packet;
	}
	return scan_is_whole(&scan);
}

bool metadata_is_whole(const char *metadata, gsize size)
{
	struct scan scan = { .state = SCAN_TEXT };

	if (size >= sizeof(uint32_t) && read_u32(metadata) == PACKET_MAGIC)
		return packets_are_whole(metadata, size);
	if (size < 10 || memcmp(metadata, "/* CTF 1.8", 10) != 0)
		return true;
	for (gsize i = 0; i < size; i++)
		scan_byte(&scan, metadata[i]);
	return scan_is_whole(&scan);
}

char *metadata_uuid(const char *metadata, gsize size)
{
	enum { UUID_AT = 4, UUID_BYTES = 16, TEXT_LENGTH = 36 };
	GString *digits = g_string_new(NULL);
	const char *text;

	if (size >= PACKET_HEADER && read_u32(metadata) == PACKET_MAGIC) {
		for (int i = 0; i < UUID_BYTES; i++)
			g_string_append_printf(digits, "%02x",
					       (unsigned char)metadata[UUID_AT + i]);
		return g_string_free(digits, FALSE);
	}
	/* The trace's own is the first. */
	text = g_strstr_len(metadata, (gssize)size, "uuid = \"");
	text = text ? text + strlen("uuid = \"") : NULL;
	for (int i = 0; text && i < TEXT_LENGTH && text + i < metadata + size; i++)
		if (g_ascii_isxdigit(text[i]))
			g_string_append_c(digits, g_ascii_tolower(text[i]));
	return g_string_free(digits, digits->len != 2 * UUID_BYTES);
}

GString *metadata_text(const char *metadata, gsize size)
{
	GString *text = g_string_new(NULL);
	gsize at = 0;

	if (size < sizeof(uint32_t) || read_u32(metadata) != PACKET_MAGIC) {
		g_string_append_len(text, metadata, (gssize)size);
		return text;
	}
	while (size - at >= PACKET_HEADER) {
		gsize content = read_u32(metadata + at + 24) / 8;
		gsize packet = read_u32(metadata + at + 28) / 8;

		if (content < PACKET_HEADER || packet < content || packet > size - at)
			break;
		g_string_append_len(text, metadata + at + PACKET_HEADER,
				    (gssize)(content - PACKET_HEADER));
		at += packet;
	}
	return text;
}

GArray *metadata_stream_classes(const GString *text)
{
	static const char begin[] = "stream {", number[] = "id = ";
	GArray *classes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const char *at = text->str;

	while ((at = strstr(at, begin)) != NULL) {
		at += strlen(begin);
		at += strspn(at, " \t\n");
		if (g_str_has_prefix(at, number)) {
			uint32_t id = (uint32_t)g_ascii_strtoull(at + strlen(number), NULL, 10);

			g_array_append_val(classes, id);
		}
	}
	return classes;
}
