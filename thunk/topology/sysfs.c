/* SPDX-License-Identifier: MIT */
/* Text of sysfs to numbers. Without stdio: a big machine has thousands of these files. */
#include "topology/sysfs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static ssize_t read_formatted(struct kmt_context *ctx, char *buf, const char *format, va_list args)
{
	char path[SYSFS_PATH_SIZE];
	int length = vsnprintf(path, sizeof(path), format, args);

	buf[0] = '\0';
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return ctx->device->ops->read_file(ctx->device, path, buf, SYSFS_BUFFER_SIZE);
}

ssize_t sysfs_read(struct kmt_context *ctx, char buf[SYSFS_BUFFER_SIZE], const char *format, ...)
{
	va_list args;
	ssize_t rc;

	va_start(args, format);
	rc = read_formatted(ctx, buf, format, args);
	va_end(args);
	return rc;
}

int sysfs_read_number(struct kmt_context *ctx, uint64_t *value, const char *format, ...)
{
	char buf[SYSFS_BUFFER_SIZE];
	const char *text = buf;
	va_list args;
	ssize_t rc;

	va_start(args, format);
	rc = read_formatted(ctx, buf, format, args);
	va_end(args);
	if (rc < 0)
		return (int)rc;
	if (*text < '0' || *text > '9')
		return -EINVAL;
	*value = sysfs_parse_decimal(&text);
	return 0;
}

uint64_t sysfs_parse_decimal(const char **text)
{
	const char *at = *text;
	uint64_t value = 0;

	while (*at >= '0' && *at <= '9')
		value = value * 10 + (uint64_t)(*at++ - '0');
	*text = at;
	return value;
}

bool sysfs_next_line(const char **text, struct sysfs_line *line)
{
	const char *at = *text;

	line->name = at;
	while (*at && *at != ' ' && *at != '\n')
		at++;
	line->name_length = (size_t)(at - line->name);
	if (!line->name_length || *at++ != ' ')
		return false;
	while (*at == ' ')
		at++;
	line->rest = at;
	if (*at < '0' || *at > '9')
		return false;
	line->value = sysfs_parse_decimal(&at);
	while (*at && *at != '\n')
		at++;
	*text = *at ? at + 1 : at;
	return true;
}

bool sysfs_line_is(const struct sysfs_line *line, const char *name)
{
	return strlen(name) == line->name_length && !memcmp(line->name, name, line->name_length);
}

bool sysfs_store(const struct sysfs_line *line, const struct sysfs_key *keys, size_t count,
		 size_t *hint, void *structure)
{
	for (size_t i = 0; i < count; i++) {
		size_t index = (*hint + i) % count;
		const struct sysfs_key *key = &keys[index];
		unsigned char *to = (unsigned char *)structure + key->offset;

		if (!sysfs_line_is(line, key->name))
			continue;
		*hint = index + 1;
		/* through exact types: the structures are packed to four bytes */
		if (key->size == 1) {
			*to = (uint8_t)line->value;
		} else if (key->size == 2) {
			uint16_t value = (uint16_t)line->value;

			memcpy(to, &value, sizeof(value));
		} else if (key->size == 4) {
			uint32_t value = (uint32_t)line->value;

			memcpy(to, &value, sizeof(value));
		} else {
			memcpy(to, &line->value, sizeof(line->value));
		}
		return true;
	}
	return false;
}

void sysfs_parse(const char *text, const struct sysfs_key *keys, size_t count, void *structure)
{
	struct sysfs_line line;
	size_t hint = 0;

	while (sysfs_next_line(&text, &line))
		sysfs_store(&line, keys, count, &hint, structure);
}
