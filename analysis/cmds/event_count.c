/* SPDX-License-Identifier: MIT */
/* Counts events (event_count.h). */
#include "event_count.h"

#include "messages.h"

#include <glib.h>

static bool count(void *data, const bt_message *message)
{
	struct event_counts *counts = data;
	const bt_event *event;
	const char *name;

	if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT)
		return true;
	event = bt_message_event_borrow_event_const(message);
	name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	counts->all += name && !g_str_has_prefix(name, "lttng_ust");
	counts->calls +=
		name && (g_str_has_suffix(name, "_exit") || g_str_has_suffix(name, "_entry"));
	return true;
}

bool event_count(const char *directory, struct event_counts *counts)
{
	char *metadata = g_build_filename(directory, "metadata", NULL);
	bool ok = true;
	const char *name;
	GDir *dir;

	if (g_file_test(metadata, G_FILE_TEST_IS_REGULAR)) {
		ok = messages_walk(directory, count, counts);
	} else if ((dir = g_dir_open(directory, 0, NULL))) {
		while ((name = g_dir_read_name(dir))) {
			char *child = g_build_filename(directory, name, NULL);

			if (g_file_test(child, G_FILE_TEST_IS_DIR))
				ok &= event_count(child, counts);
			g_free(child);
		}
		g_dir_close(dir);
	}
	g_free(metadata);
	return ok;
}
