/* SPDX-License-Identifier: MIT */
/*
 * Runs analyse_run() for tests, without the command around it.
 *
 *   run_analyse REPORT FORMAT OUTPUT FAIL_ON ENDING PATH…
 *
 * OUTPUT "-": standard output; FAIL_ON "yes" or "no"; ENDING "PID,EXIT_CODE,SIGNAL" or "-".
 */
#include <stdio.h>
#include <string.h>

#include "cmds/analyse.h"

int main(int argc, char **argv)
{
	struct analyse_ending ending = { 0 };
	struct analyse_options options = { 0 };

	if (argc < 6)
		return 99;
	options.report = strcmp(argv[1], "leaks") == 0    ? ANALYSE_LEAKS
			 : strcmp(argv[1], "chains") == 0 ? ANALYSE_CHAINS
							  : ANALYSE_PERFETTO;
	options.format = argv[2];
	options.output = argv[3];
	options.fail_on_findings = strcmp(argv[4], "yes") == 0;
	if (sscanf(argv[5], "%u,%d,%d", &ending.pid, &ending.exit_code, &ending.signal) == 3) {
		options.endings = &ending;
		options.ending_count = 1;
	}
	options.paths = (const char *const *)argv + 6;
	options.path_count = (size_t)argc - 6;
	return analyse_run(&options);
}
