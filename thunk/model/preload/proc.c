/* SPDX-License-Identifier: MIT */
/* Finds paths in the text that describes a process (sysfs.h). */
#include "proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"

static const char root[] = "/sys/devices/virtual/kfd/kfd/proc";

/*
 * Takes a path apart.
 * @param pid   out: 0 for the directory of all processes.
 * @param rest  out: path below that of the process, "" for itself.
 * @return false when it is not ours.
 */
static bool split(const char *path, pid_t *pid, const char **rest)
{
	const size_t length = sizeof(root) - 1;
	char *end;

	if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
		return false;
	*pid = 0;
	*rest = "";
	if (!path[length])
		return true;
	*pid = (pid_t)strtol(path + length + 1, &end, 10);
	*rest = *end ? end + 1 : end;
	return *pid > 0 && (!*end || *end == '/');
}

/* Whether a path below proc/PID is a KFD process: the primary one, or a secondary context. */
static bool is_context(const char *path, size_t length)
{
	return length == 0 || (strncmp(path, "context_", 8) == 0 && !memchr(path, '/', length));
}

/* Line of a file, or the first below a directory; NULL when the text has none. */
static const char *find_line(const char *text, const char *path, bool *is_file)
{
	size_t length = strlen(path);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		*is_file = false;
		if (!length)
			return line;
		if (strncmp(line, path, length) != 0 || !strchr("/=:", line[length]))
			continue;
		*is_file = line[length] != '/';
		return line;
	}
	return NULL;
}

/* The directory of a context's queues, which is there without any queue, too. */
static bool is_queues(const char *text, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t above = name ? (size_t)(name - path) : 0;
	char context[64];
	bool is_file;

	snprintf(context, sizeof(context), "%.*s", (int)above, path);
	return strcmp(name ? name + 1 : path, "queues") == 0 && is_context(path, above) &&
	       find_line(text, context, &is_file);
}

bool preload_proc_find(struct kfd_model *model, const char *path, struct preload_entry *out)
{
	const char *rest, *line = NULL;
	bool is_file = false;
	char *text;
	pid_t pid;

	if (!split(path, &pid, &rest))
		return false;
	if (pid) {
		text = kfd_model_sysfs(model, pid);
		line = text ? find_line(text, rest, &is_file) : NULL;
		if (text && !line && is_queues(text, rest))
			line = text;
		free(text);
		if (!line)
			return false;
	}
	out->type = is_file ? ENTRY_FILE : ENTRY_DIRECTORY;
	snprintf(out->path, sizeof(out->path), "%s", path);
	return true;
}

bool preload_proc_text(struct kfd_model *model, const char *path, char text[PRELOAD_TEXT_MAX])
{
	const char *rest, *line = NULL;
	bool is_file = false;
	char *all;
	pid_t pid;

	if (!split(path, &pid, &rest))
		return false;
	all = pid ? kfd_model_sysfs(model, pid) : NULL;
	text[0] = '\0';
	line = all ? find_line(all, rest, &is_file) : NULL;
	if (line && is_file) {
		const char *value = line + strlen(rest) + 1;
		int length = (int)strcspn(value, "\n") + (value[-1] == '=');

		snprintf(text, PRELOAD_TEXT_MAX, "%.*s", length, value);
	}
	free(all);
	return true;
}

/* The n-th different name below a directory. Lines of one directory follow each other. */
static bool nth_name(const char *text, const char *path, unsigned int n, char name[64],
		     enum preload_entry_type *type)
{
	size_t skip = *path ? strlen(path) + 1 : 0;
	char last[64] = "";

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t length;

		if (skip && (strncmp(line, path, skip - 1) != 0 || line[skip - 1] != '/'))
			continue;
		length = strcspn(line + skip, "/=:");
		snprintf(name, 64, "%.*s", (int)length, line + skip);
		if (strcmp(name, last) == 0)
			continue;
		strcpy(last, name);
		*type = line[skip + length] == '/' ? ENTRY_DIRECTORY : ENTRY_FILE;
		if (n-- == 0)
			return true;
	}
	/* as its last name */
	snprintf(name, 64, "queues");
	*type = ENTRY_DIRECTORY;
	return is_context(path, strlen(path)) && n == 0 && strcmp(last, "queues") != 0;
}

bool preload_proc_child(struct kfd_model *model, const char *path, unsigned int *n, char name[64],
			enum preload_entry_type *type)
{
	const char *rest;
	char *text;
	pid_t pid;
	bool found;

	if (!split(path, &pid, &rest))
		return false;
	if (!pid) {
		pid = kfd_model_sysfs_pid((pid_t)*n);
		snprintf(name, 64, "%d", (int)pid);
		*type = ENTRY_DIRECTORY;
		*n = (unsigned int)pid;
		return pid != 0;
	}
	text = kfd_model_sysfs(model, pid);
	found = text && nth_name(text, rest, (*n)++, name, type);
	free(text);
	return found;
}
