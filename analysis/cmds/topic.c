/* SPDX-License-Identifier: MIT */
/* The files of docs/help, taken in by the assembler (topic.h). */
#include "topic.h"

#ifndef HELP_DIR
#error "the build says where the files are"
#endif

#define TEXT(name, file)                                                                           \
	__asm__(".section .rodata\n" #name "_begin:\n\t.incbin \"" HELP_DIR "/" file "\"\n" #name  \
		"_end:\n\t.byte 0\n\t.previous\n");                                                \
	extern const char name##_begin[] __attribute__((visibility("hidden")));                    \
	extern const char name##_end[] __attribute__((visibility("hidden")))

TEXT(topic_recordings, "recordings.txt");
TEXT(topic_exit_status, "exit-status.txt");
TEXT(topic_json, "json.txt");
TEXT(topic_babeltrace2, "babeltrace2.txt");

const struct topic topics[] = {
	{ "recordings", "What the reports read: directories and live sessions",
	  topic_recordings_begin, topic_recordings_end },
	{ "exit-status", "What exit statuses mean", topic_exit_status_begin,
	  topic_exit_status_end },
	{ "json", "The reports as JSON", topic_json_begin, topic_json_end },
	{ "babeltrace2", "The same reports in babeltrace2", topic_babeltrace2_begin,
	  topic_babeltrace2_end },
};
const size_t topic_count = sizeof(topics) / sizeof(topics[0]);
