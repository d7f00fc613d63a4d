/* SPDX-License-Identifier: MIT */
/* Option parsing and messages that all subcommands share. */
#include "cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* GOption takes a value for a flag in silence. @return the flag, or NULL. */
static const char *flag_with_value(const struct cmd *cmd, const GOptionEntry *entries, int argc,
				   char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = strchr(argv[i], '=');

		if (argv[i][0] != '-' && cmd->takes_program)
			return NULL;
		if (!g_str_has_prefix(argv[i], "--") || !value)
			continue;
		for (const GOptionEntry *entry = entries; entry->long_name; entry++)
			if (entry->arg == G_OPTION_ARG_NONE &&
			    strlen(entry->long_name) == (size_t)(value - argv[i]) - 2 &&
			    strncmp(entry->long_name, argv[i] + 2, strlen(entry->long_name)) == 0)
				return entry->long_name;
	}
	return NULL;
}

/* GOption does not tell the values that may be left out: --model=X becomes --model[=X]. */
static void mark_optional(GString *help, const GOptionEntry *entry)
{
	char *has = g_strdup_printf("--%s=%s  ", entry->long_name, entry->arg_description);
	char *wants = g_strdup_printf("--%s[=%s]", entry->long_name, entry->arg_description);

	g_string_replace(help, has, wants, 1);
	g_free(has);
	g_free(wants);
}

/* Prints the help and ends the process, as GOption would, but not as if a full disk were none. */
static void print_help(GOptionContext *context, const GOptionEntry *entries)
{
	char *text = g_option_context_get_help(context, TRUE, NULL);
	GString *help = g_string_new(text);

	for (const GOptionEntry *entry = entries; entry->long_name; entry++)
		if (entry->flags & G_OPTION_FLAG_OPTIONAL_ARG)
			mark_optional(help, entry);
	fputs(help->str, stdout);
	g_string_free(help, TRUE);
	g_free(text);
	exit(cmd_finish(CMD_EXIT_OK));
}

bool cmd_parse(const struct cmd *cmd, const GOptionEntry *entries, void *data, int *argc,
	       char ***argv)
{
	GOptionContext *context = g_option_context_new(cmd->args);
	GOptionGroup *group = g_option_group_new(cmd->name, "", "", data, NULL);
	char *prgname = g_strdup_printf("kfdscope %s", cmd->name);
	gboolean wants_help = FALSE;
	const GOptionEntry help[] = {
		{ "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, "Show this help", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const char *flag = flag_with_value(cmd, entries, *argc, *argv);
	GError *error = NULL;
	bool ok;

	g_set_prgname(prgname);
	g_option_context_set_summary(context, cmd->summary);
	g_option_context_set_description(context, cmd->description);
	g_option_group_add_entries(group, entries);
	g_option_group_add_entries(group, help);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_main_group(context, group);
	g_option_context_set_strict_posix(context, cmd->takes_program);
	ok = g_option_context_parse(context, argc, argv, &error);
	if (ok && wants_help)
		print_help(context, entries);
	if (ok && flag) {
		cmd_error(cmd, "--%s takes no value (see 'kfdscope %s --help')", flag, cmd->name);
		ok = false;
	} else if (!ok)
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

int cmd_finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* Who noticed has said it. */
	if (status != CMD_EXIT_OUTPUT)
		fprintf(stderr, "kfdscope: cannot write 'standard output': %s\n",
			g_strerror(errno ? errno : EIO));
	return CMD_EXIT_OUTPUT;
}
