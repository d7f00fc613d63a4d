/* SPDX-License-Identifier: MIT */
/* Output files (file.h). */
#include "output/file.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reports can have hundreds of megabytes: few large writes. */
#define BUFFER_BYTES 65536

/* A device or a pipe is written to as it is; only a plain file can be put in place of another. */
static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

int out_open(struct out_file *file, const char *path)
{
	int error;

	memset(file, 0, sizeof(*file));
	if (!path || strcmp(path, "-") == 0) {
		file->stream = stdout;
		return 0;
	}
	file->path = g_strdup(path);
	if (!is_special(path))
		file->building = g_strdup_printf("%s.part", path);
	file->stream = fopen(file->building ? file->building : path, "we");
	if (file->stream) {
		file->buffer = g_malloc(BUFFER_BYTES);
		(void)setvbuf(file->stream, file->buffer, _IOFBF, BUFFER_BYTES);
		return 0;
	}
	error = errno;
	out_abandon(file);
	return -error;
}

int out_commit(struct out_file *file)
{
	int error = 0;

	if (!file->stream)
		return -EBADF;
	if (fflush(file->stream) != 0 || ferror(file->stream))
		error = errno ? errno : EIO;
	if (file->path) {
		if (fclose(file->stream) != 0 && !error)
			error = errno;
		file->stream = NULL;
		if (!error && file->building && rename(file->building, file->path) != 0)
			error = errno;
		if (!error) {
			g_free(file->building);
			file->building = NULL; /* it has its name now */
		}
	}
	file->stream = NULL;
	out_abandon(file);
	return -error;
}

void out_abandon(struct out_file *file)
{
	if (file->path && file->stream)
		fclose(file->stream);
	if (file->building)
		unlink(file->building);
	g_free(file->buffer);
	g_free(file->path);
	g_free(file->building);
	memset(file, 0, sizeof(*file));
}
