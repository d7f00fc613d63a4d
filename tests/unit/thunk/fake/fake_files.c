/* SPDX-License-Identifier: MIT */
/* The in-memory file tree of the fake device. */
#include "fake_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t fake_files_find(const struct fake_device *fake, const char *path, bool *found)
{
	size_t low = 0, high = fake->file_count;

	*found = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(fake->files[middle].path, path);

		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Children of path: the distinct names between "path/" and the next slash. */
int fake_files_count_dir(const struct fake_device *fake, const char *path)
{
	char prefix[512];
	size_t length, last_length = 0;
	const char *last = NULL;
	bool found;
	int count = 0;

	length = (size_t)snprintf(prefix, sizeof(prefix), "%s/", path);
	if (length >= sizeof(prefix))
		return -ENAMETOOLONG;
	for (size_t i = fake_files_find(fake, prefix, &found); i < fake->file_count; i++) {
		const char *name = fake->files[i].path;
		size_t name_length;

		if (strncmp(name, prefix, length))
			break;
		name += length;
		name_length = strcspn(name, "/");
		if (last && name_length == last_length && !strncmp(name, last, name_length))
			continue;
		last = name;
		last_length = name_length;
		count++;
	}
	return count ? count : -ENOENT;
}

static void file_fini(struct fake_file *file)
{
	free(file->path);
	free(file->content);
}

/* The file of that name, made empty when it is new. */
static struct fake_file *file_for(struct fake_device *fake, const char *path)
{
	bool found;
	size_t index = fake_files_find(fake, path, &found);
	struct fake_file *file;

	if (!found) {
		fake->files = fake_grow(fake->files, fake->file_count, &fake->file_room,
					sizeof(*fake->files));
		memmove(&fake->files[index + 1], &fake->files[index],
			(fake->file_count - index) * sizeof(*fake->files));
		fake->file_count++;
		fake->files[index] = (struct fake_file){ .path = strdup(path) };
	}
	file = &fake->files[index];
	free(file->content);
	file->content = NULL;
	file->err = 0;
	file->fn = NULL;
	return file;
}

void fake_device_set_file(struct fake_device *fake, const char *path, const char *content)
{
	pthread_mutex_lock(&fake->lock);
	file_for(fake, path)->content = strdup(content);
	pthread_mutex_unlock(&fake->lock);
}

void fake_device_set_file_errno(struct fake_device *fake, const char *path, int err)
{
	pthread_mutex_lock(&fake->lock);
	file_for(fake, path)->err = err;
	pthread_mutex_unlock(&fake->lock);
}

void fake_device_on_read(struct fake_device *fake, const char *path, fake_read_fn fn, void *data)
{
	struct fake_file *file;

	pthread_mutex_lock(&fake->lock);
	file = file_for(fake, path);
	file->fn = fn;
	file->data = data;
	pthread_mutex_unlock(&fake->lock);
}

void fake_device_remove(struct fake_device *fake, const char *path)
{
	size_t length = strlen(path), kept = 0;

	pthread_mutex_lock(&fake->lock);
	for (size_t i = 0; i < fake->file_count; i++) {
		struct fake_file *file = &fake->files[i];
		bool below = !strncmp(file->path, path, length) &&
			     (file->path[length] == '\0' || file->path[length] == '/');

		if (below)
			file_fini(file);
		else
			fake->files[kept++] = *file;
	}
	fake->file_count = kept;
	pthread_mutex_unlock(&fake->lock);
}

bool fake_device_set_key(struct fake_device *fake, const char *path, const char *key,
			 const char *value)
{
	char line[256], *content = NULL, *at, *end, *out = NULL;
	size_t index, size;
	bool found;

	pthread_mutex_lock(&fake->lock);
	index = fake_files_find(fake, path, &found);
	if (found && fake->files[index].content)
		content = strdup(fake->files[index].content);
	pthread_mutex_unlock(&fake->lock);
	if (!content)
		return false;
	snprintf(line, sizeof(line), "%s ", key);
	at = content;
	while (strncmp(at, line, strlen(line))) {
		at = strchr(at, '\n');
		if (!at || !*++at) {
			free(content);
			return false;
		}
	}
	end = strchr(at, '\n');
	end = end ? end + 1 : at + strlen(at);
	line[0] = '\0';
	if (value)
		snprintf(line, sizeof(line), "%s %s\n", key, value);
	size = strlen(content) + strlen(line) + 1;
	out = malloc(size);
	if (out) {
		snprintf(out, size, "%.*s%s%s", (int)(at - content), content, line, end);
		fake_device_set_file(fake, path, out);
	}
	free(out);
	free(content);
	return true;
}

/* Takes over one file of a tree listing; name may begin with T/. */
static void tree_file(struct fake_device *fake, const char *name, const char *content)
{
	char path[512];

	if (!strncmp(name, "T/", 2))
		snprintf(path, sizeof(path), "%s/%s", FAKE_TOPOLOGY_ROOT, name + 2);
	else
		snprintf(path, sizeof(path), "%s", name);
	fake_device_set_file(fake, path, content);
}

bool fake_device_load_tree(struct fake_device *fake, const char *name)
{
	char path[512], line[1024], file[512] = "", content[8192];
	size_t used = 0;
	FILE *listing;

	snprintf(path, sizeof(path), "%s/%s", FAKE_TREES_DIR, name);
	listing = fopen(path, "r");
	if (!listing)
		return false;
	content[0] = '\0';
	while (fgets(line, sizeof(line), listing)) {
		char *equals = strstr(line, " =");

		if (line[0] == '#')
			continue;
		if (equals && (equals[2] == ' ' || equals[2] == '\n')) {
			if (file[0])
				tree_file(fake, file, content);
			snprintf(file, sizeof(file), "%.*s", (int)(equals - line), line);
			used = (size_t)snprintf(content, sizeof(content), "%s",
						equals[2] == ' ' ? equals + 3 : "");
			continue;
		}
		used += (size_t)snprintf(content + used, sizeof(content) - used, "%s", line);
		if (used >= sizeof(content))
			break;
	}
	if (file[0])
		tree_file(fake, file, content);
	fclose(listing);
	return true;
}

void fake_files_free(struct fake_device *fake)
{
	for (size_t i = 0; i < fake->file_count; i++)
		file_fini(&fake->files[i]);
	free(fake->files);
}
