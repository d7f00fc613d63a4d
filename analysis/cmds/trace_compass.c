/* SPDX-License-Identifier: MIT */
/* `kfdscope trace-compass`: puts the views for derived traces where Trace Compass looks for them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "places.h"

/* Below the workspace; Trace Compass reads every analysis in it when it starts. */
#define VIEWS_FOLDER ".metadata/.plugins/org.eclipse.tracecompass.tmf.analysis.xml.core/xml_files"

static bool copy_file(const struct cmd *cmd, const char *from, const char *to)
{
	GError *error = NULL;
	char *data = NULL;
	gsize size;
	bool ok = g_file_get_contents(from, &data, &size, &error) &&
		  g_file_set_contents(to, data, (gssize)size, &error);

	if (!ok) {
		cmd_error(cmd, "%s", error->message);
		g_error_free(error);
	}
	g_free(data);
	return ok;
}

static int copy_views(const struct cmd *cmd, const char *views, const char *folder)
{
	GDir *dir = g_dir_open(views, 0, NULL);
	const char *name;
	int count = 0;
	bool ok = true;

	if (!dir) {
		cmd_error(cmd, "the views are not at '%s': the installation is not complete",
			  views);
		return CMD_EXIT_UNREADABLE;
	}
	if (g_mkdir_with_parents(folder, 0777) != 0) {
		cmd_error(cmd, "cannot make '%s': %s", folder, g_strerror(errno));
		ok = false;
	}
	while (ok && (name = g_dir_read_name(dir)) != NULL) {
		char *from = g_build_filename(views, name, NULL);
		char *to = g_build_filename(folder, name, NULL);

		if (g_str_has_suffix(name, ".xml")) {
			ok = copy_file(cmd, from, to);
			count += ok;
		}
		g_free(from);
		g_free(to);
	}
	g_dir_close(dir);
	if (!ok)
		return CMD_EXIT_OUTPUT;
	printf("%d views in %s\nRestart Trace Compass to see them.\n", count, folder);
	return CMD_EXIT_OK;
}

static int trace_compass_run(const struct cmd *cmd, int argc, char **argv)
{
	char *workspace = NULL, *folder;
	const GOptionEntry entries[] = {
		{ "workspace", 'w', 0, G_OPTION_ARG_FILENAME, &workspace,
		  "Trace Compass's workspace (default: ~/.tracecompass)", "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	struct places places;
	int rc = CMD_EXIT_USAGE;

	if (!cmd_parse(cmd, entries, NULL, &argc, &argv))
		goto out;
	if (argc < 2 || strcmp(argv[1], "install") != 0) {
		cmd_error(cmd, "say what to do: 'kfdscope trace-compass install'");
		goto out;
	}
	if (argc > 2) {
		cmd_error(cmd, "'%s' is one argument too many", argv[2]);
		goto out;
	}
	folder = workspace
			 ? g_build_filename(workspace, VIEWS_FOLDER, NULL)
			 : g_build_filename(g_get_home_dir(), ".tracecompass", VIEWS_FOLDER, NULL);
	places_init(&places);
	rc = copy_views(cmd, places.views, folder);
	places_fini(&places);
	g_free(folder);
out:
	g_free(workspace);
	return rc;
}

const struct cmd cmd_trace_compass = {
	.name = "trace-compass",
	.args = "install",
	.summary = "Install the views that draw 'kfdscope timeline' in Trace Compass",
	.description = "Example:\n"
		       "  kfdscope trace-compass install --workspace /tmp/workspace\n",
	.run = trace_compass_run,
};
