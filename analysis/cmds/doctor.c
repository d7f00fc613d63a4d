/* SPDX-License-Identifier: MIT */
/* `kfdscope doctor`: says whether recording works here, and whether a program will be captured. */
#include "checkup.h"
#include "cmd.h"
#include "environment.h"
#include "output/json_write.h"

#include <jansson.h>
#include <stdio.h>

static const char *const verdict_names[] = { "good", "note", "problem" };

static void print_text(const struct checkup *checkup)
{
	static const char *const marks[] = { "  ok  ", "  --  ", "  !!  " };

	for (guint i = 0; i < checkup->findings->len; i++) {
		const struct finding *finding =
			&g_array_index(checkup->findings, struct finding, i);

		printf("%s%s: %s\n", marks[finding->verdict], finding->subject, finding->text);
	}
	printf("%s\n", checkup_has_problem(checkup) ? "Something will not be recorded: see '!!'."
						    : "Recording works.");
}

static void print_json(const struct checkup *checkup)
{
	json_t *findings = json_array();
	json_t *root;

	for (guint i = 0; i < checkup->findings->len; i++) {
		const struct finding *finding =
			&g_array_index(checkup->findings, struct finding, i);

		json_array_append_new(findings,
				      json_pack("{s:s, s:s, s:s}", "verdict",
						verdict_names[finding->verdict], "subject",
						finding->subject, "text", finding->text));
	}
	root = json_pack("{s:s, s:i, s:b, s:o}", "schema", "kfdscope.doctor", "version", 1,
			 "recording_works", !checkup_has_problem(checkup), "findings", findings);
	(void)json_write(root, stdout, NULL, NULL); /* main() asks the stream how it went */
	json_decref(root);
}

static void look_at_program(struct checkup *checkup, const struct places *places,
			    const char *program)
{
	const struct environment_options options = { .program = program };
	char **envp = NULL, *reason = NULL;

	if (environment_make(&options, places, &envp, &reason))
		checkup_program(checkup, places, program, envp);
	else
		checkup_add(checkup, VERDICT_PROBLEM, "program", "not looked at: %s", reason);
	g_strfreev(envp);
	g_free(reason);
}

static int doctor_run(const struct cmd *cmd, int argc, char **argv)
{
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON instead of text", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	struct places places;
	struct checkup checkup;
	int rc;

	if (!cmd_parse(cmd, entries, NULL, &argc, &argv))
		return CMD_EXIT_USAGE;
	places_init(&places);
	checkup_init(&checkup);
	checkup_installation(&checkup, &places);
	checkup_lttng(&checkup);
	checkup_devices(&checkup);
	if (argc > 1)
		look_at_program(&checkup, &places, argv[1]);
	if (json)
		print_json(&checkup);
	else
		print_text(&checkup);
	rc = checkup_has_problem(&checkup) ? CMD_EXIT_FINDINGS : CMD_EXIT_OK;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cmd_error(cmd, "cannot write the result");
		rc = CMD_EXIT_OUTPUT;
	}
	checkup_fini(&checkup);
	places_fini(&places);
	return rc;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.args = "[-- PROGRAM]",
	.takes_program = true,
	.summary = "Say whether recording works here and whether a program will be captured",
	.description = "Exit status 1 when something will not be recorded.\n\n"
		       "Example:\n"
		       "  kfdscope doctor -- rocminfo\n",
	.run = doctor_run,
};
