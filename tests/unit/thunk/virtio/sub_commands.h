/* SPDX-License-Identifier: MIT */
/* The sub-commands that the facts name; the table is generated from them. */
#ifndef KFDSCOPE_TESTS_SUB_COMMANDS_H
#define KFDSCOPE_TESTS_SUB_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

struct sub_command {
	uint32_t command, type, since_revision;
	const char *command_name, *name;
};

extern const struct sub_command sub_commands[];
extern const size_t sub_command_count;

#endif
