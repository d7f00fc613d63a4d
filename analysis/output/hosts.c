/* SPDX-License-Identifier: MIT */
/* A table of hosts (hosts.h). */
#include "output/hosts.h"

#include "output/text.h"

struct host {
	const char *hostname; /* interned; NULL: unknown */
	uint64_t processes, events, live_count, live_bytes;
};

static void add_process(struct host *host, const struct process *process)
{
	const struct usage usage =
		usage_result(&process->memory->usage, model_scope(process->model));

	host->processes++;
	host->events += process->own_events;
	host->live_count += usage.live_count;
	host->live_bytes += usage.live_bytes;
}

/* @return of struct host, in the order of their first process. */
static GArray *hosts_of(const struct model *model)
{
	const GPtrArray *processes = model_processes(model);
	GArray *hosts = g_array_new(FALSE, FALSE, sizeof(struct host));

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		guint j = 0;

		while (j < hosts->len &&
		       g_array_index(hosts, struct host, j).hostname != process->hostname)
			j++;
		if (j == hosts->len) {
			const struct host host = { .hostname = process->hostname };

			g_array_append_val(hosts, host);
		}
		add_process(&g_array_index(hosts, struct host, j), process);
	}
	return hosts;
}

static void row_text(GString *text, const char *name, const struct host *host)
{
	GString *bytes = g_string_new(NULL);

	text_bytes(bytes, host->live_bytes);
	g_string_append_printf(text,
			       "    %-24s%12" G_GUINT64_FORMAT "%12" G_GUINT64_FORMAT
			       "%13" G_GUINT64_FORMAT "  %s\n",
			       name, host->processes, host->events, host->live_count, bytes->str);
	g_string_free(bytes, TRUE);
}

void hosts_text(GString *text, const struct model *model)
{
	GArray *hosts = hosts_of(model);
	struct host total = { 0 };

	if (hosts->len > 1) {
		g_string_append_printf(text, "\n    %-24s%12s%12s%13s  %s\n", "host", "processes",
				       "events", "live blocks", "live bytes");
		for (guint i = 0; i < hosts->len; i++) {
			const struct host *host = &g_array_index(hosts, struct host, i);

			row_text(text, host->hostname ? host->hostname : "(unknown)", host);
			total.processes += host->processes;
			total.events += host->events;
			total.live_count += host->live_count;
			total.live_bytes += host->live_bytes;
		}
		row_text(text, "total", &total);
		g_string_append(text,
				"\nTimes are by each host's own clock: between hosts they are no "
				"more exact than the clocks.\n");
	}
	g_array_free(hosts, TRUE);
}

json_t *hosts_json(const struct model *model)
{
	GArray *hosts = hosts_of(model);
	json_t *list = json_array();

	for (guint i = 0; i < hosts->len; i++) {
		const struct host *host = &g_array_index(hosts, struct host, i);
		json_t *json = json_pack(
			"{sI sI s{sI sI}}", "processes", (json_int_t)host->processes,
			"kfdscope_events", (json_int_t)host->events, "live", "blocks",
			(json_int_t)host->live_count, "bytes", (json_int_t)host->live_bytes);

		if (host->hostname)
			json_object_set_new(json, "hostname", json_string(host->hostname));
		json_array_append_new(list, json);
	}
	g_array_free(hosts, TRUE);
	return list;
}
