/* SPDX-License-Identifier: MIT */
/* The command `kfdscope`: finds the subcommand and runs it. Knows nothing about any of them. */
#include "cmd.h"
#include "topic.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef KFDSCOPE_VERSION
#define KFDSCOPE_VERSION "unknown"
#endif

static const struct cmd *const commands[] = {
	&cmd_record,   &cmd_attach,  &cmd_leaks,   &cmd_allocs,   &cmd_diff,
	&cmd_failures, &cmd_waits,   &cmd_queues,  &cmd_counters, &cmd_faults,
	&cmd_svm,      &cmd_clocks,  &cmd_chains,  &cmd_report,   &cmd_timeline,
	&cmd_doctor,   &cmd_latency, &cmd_startup, &cmd_check,    &cmd_trace_compass,
};

static void print_usage(FILE *out)
{
	fputs("Usage: kfdscope COMMAND [OPTION…] [ARGUMENT…]\n\n"
	      "See what a ROCm program does with its GPUs: record it, then ask.\n\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		fprintf(out, "  %-13s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nTopics:\n", out);
	for (size_t i = 0; i < topic_count; i++)
		fprintf(out, "  %-13s %s\n", topics[i].name, topics[i].summary);
	fputs("\n'kfdscope COMMAND --help' has the options of a command, 'kfdscope help TOPIC' a "
	      "topic.\n"
	      "Exit status: 0 done, 1 findings (where asked for), 2 usage, 3 input partly "
	      "readable,\n"
	      "4 input unreadable, 5 output not written; 'record' passes the program's through.\n",
	      out);
}

static const struct cmd *find_command(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		if (g_str_equal(name, commands[i]->name))
			return commands[i];
	return NULL;
}

/* One name a line, for scripts. */
static void print_names(bool with_topics)
{
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		puts(commands[i]->name);
	for (size_t i = 0; with_topics && i < topic_count; i++)
		puts(topics[i].name);
}

/* `kfdscope help [COMMAND|TOPIC]`, and for scripts `kfdscope help --list [--topics]`. */
static int help(int argc, char **argv)
{
	char ask[] = "--help";
	const struct cmd *cmd;

	if (argc < 2) {
		print_usage(stdout);
		return CMD_EXIT_OK;
	}
	if (g_str_equal(argv[1], "--list")) {
		print_names(argc > 2 && g_str_equal(argv[2], "--topics"));
		return CMD_EXIT_OK;
	}
	cmd = find_command(argv[1]);
	if (cmd) {
		char *words[] = { argv[1], ask, NULL };

		return cmd->run(cmd, 2, words);
	}
	for (size_t i = 0; i < topic_count; i++) {
		if (!g_str_equal(argv[1], topics[i].name))
			continue;
		fwrite(topics[i].begin, 1, (size_t)(topics[i].end - topics[i].begin), stdout);
		return CMD_EXIT_OK;
	}
	fprintf(stderr, "kfdscope: no command or topic '%s' (see 'kfdscope help')\n", argv[1]);
	return CMD_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		print_usage(stderr);
		return CMD_EXIT_USAGE;
	}
	if (g_str_equal(argv[1], "--help") || g_str_equal(argv[1], "-h") ||
	    g_str_equal(argv[1], "help"))
		return help(argc - 1, argv + 1);
	if (g_str_equal(argv[1], "--version")) {
		printf("kfdscope %s\n", KFDSCOPE_VERSION);
		return CMD_EXIT_OK;
	}
	cmd = find_command(argv[1]);
	if (cmd)
		return cmd->run(cmd, argc - 1, argv + 1);
	fprintf(stderr, "kfdscope: no command '%s' (see 'kfdscope --help')\n", argv[1]);
	return CMD_EXIT_USAGE;
}

/*
 * A file that is opened must not get the number of a standard stream that is closed. These fail to be
 * read or written as closed ones do, and are closed for programs that we start.
 */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null",
				    (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	setlocale(LC_ALL, "");
	return cmd_finish(run(argc, argv));
}
