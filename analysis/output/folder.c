/* SPDX-License-Identifier: MIT */
/* Output directories (folder.h). */
#include "output/folder.h"

#include <errno.h>
#include <ftw.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Open at a time; deeper trees only take longer. */
#define FOLDER_FDS 16

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)at;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static void remove_tree(const char *path)
{
	(void)nftw(path, remove_one, FOLDER_FDS, FTW_DEPTH | FTW_PHYS);
}

int out_folder_open(struct out_folder *folder, const char *path)
{
	size_t length;

	folder->path = g_strdup(path);
	folder->building = NULL;
	if (g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_IS_SYMLINK))
		return -EEXIST;
	for (length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
		folder->path[length - 1] = '\0';
	folder->building = g_strdup_printf("%s.part", folder->path);
	remove_tree(folder->building); /* of a run that was killed */
	return 0;
}

int out_folder_commit(struct out_folder *folder)
{
	if (rename(folder->building, folder->path) != 0)
		return -errno;
	g_clear_pointer(&folder->building, g_free);
	return 0;
}

void out_folder_close(struct out_folder *folder)
{
	if (folder->building)
		remove_tree(folder->building);
	g_clear_pointer(&folder->building, g_free);
	g_clear_pointer(&folder->path, g_free);
}
