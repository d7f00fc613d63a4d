/* SPDX-License-Identifier: MIT */
/* Option parsing and messages that all subcommands share. */
#include "cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* GOption leaves the separator in place when what follows it looks like an option. */
static void drop_separator(const struct cmd *cmd, int *argc, char **argv)
{
	int last = cmd->takes_program ? MIN(*argc - 1, 1) : *argc - 1;

	for (int i = 1; i <= last; i++) {
		if (g_strcmp0(argv[i], "--") != 0)
			continue;
		memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof(*argv));
		(*argc)--;
		return;
	}
}

bool cmd_parse(const struct cmd *cmd, const GOptionEntry *entries, void *data, int *argc,
	       char ***argv)
{
	GOptionContext *context = g_option_context_new(cmd->args);
	GOptionGroup *group = g_option_group_new(cmd->name, "", "", data, NULL);
	char *prgname = g_strdup_printf("kfdscope %s", cmd->name);
	GError *error = NULL;
	bool ok;

	g_set_prgname(prgname);
	g_option_context_set_summary(context, cmd->summary);
	g_option_context_set_description(context, cmd->description);
	g_option_group_add_entries(group, entries);
	g_option_context_set_main_group(context, group);
	g_option_context_set_strict_posix(context, cmd->takes_program);
	ok = g_option_context_parse(context, argc, argv, &error);
	if (!ok)
		cmd_error(cmd, "%s (see 'kfdscope %s --help')", error->message, cmd->name);
	if (ok)
		drop_separator(cmd, argc, *argv);
	g_clear_error(&error);
	g_option_context_free(context);
	g_free(prgname);
	return ok;
}

void cmd_error(const struct cmd *cmd, const char *format, ...)
{
	va_list args;

	cmd_progress_end();
	fprintf(stderr, "kfdscope: %s: ", cmd->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* A progress line stands on the terminal and has no newline yet. */
static bool progress_shown;

void cmd_progress(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
	progress_shown = true;
}

void cmd_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}
