/* SPDX-License-Identifier: MIT */
/* Traces into a graph (sources.h). */
#include "cmds/sources.h"

#include <string.h>
#include <sys/resource.h>

#include "plugin/merge.h"

/* A stream, by the number of its port at the merging filter. */
struct stream {
	guint trace;
	char *name; /* owned */
};

/* A trace that was added. */
struct added {
	guint trace;
	char *path, *name; /* owned */
};

struct sources {
	sources_cut_fn *cut;
	void *data;
	struct merge_listener listener;
	const bt_plugin *ctf;             /* owned */
	bt_graph *graph;                  /* owned */
	const bt_component_filter *merge; /* borrowed from the graph */
	GArray *streams;                  /* of struct stream */
	GArray *added;                    /* of struct added */
};

/* babeltrace2 ends many a sentence with addresses and numbers of its own: ": msg-it-addr=0x…, …". */
static void drop_details(char *text)
{
	for (char *at = strstr(text, ": "); at; at = strstr(at + 1, ": ")) {
		if (at[2 + strcspn(at + 2, "=,: ")] == '=') {
			*at = '\0';
			return;
		}
	}
}

char *sources_take_cause(void)
{
	const bt_error *error = bt_current_thread_take_error();
	char *text;

	if (!error)
		return g_strdup("unknown error");
	text = g_strdup(bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
	g_strdelimit(g_strchomp(text), "\n", ' ');
	drop_details(text);
	return text;
}

static void input_failed(void *data, uint64_t input, int64_t last_ns, uint64_t packets,
			 const char *problem)
{
	const struct sources *sources = data;
	const struct stream *stream = &g_array_index(sources->streams, struct stream, input);
	char *cause = problem ? g_strdup(problem) : sources_take_cause();

	sources->cut(sources->data, stream->trace, stream->name, last_ns, packets, cause);
	g_free(cause);
}

static void clear_stream(void *data)
{
	g_free(((struct stream *)data)->name);
}

static void clear_added(void *data)
{
	struct added *added = data;

	g_free(added->path);
	g_free(added->name);
}

/* An empty one in place of what there is. @return false with babeltrace2's error on the thread. */
static bool make_graph(struct sources *sources)
{
	bt_graph_put_ref(sources->graph);
	g_array_set_size(sources->streams, 0);
	sources->merge = NULL;
	sources->graph = bt_graph_create(0);
	if (sources->graph)
		sources->merge = merge_add(sources->graph, &sources->listener);
	return sources->merge != NULL;
}

/* babeltrace2 keeps the file of each stream open; processes that are recorded apart have many. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE,
				&limit); /* without it, what cannot be opened is told */
	}
}

struct sources *sources_new(sources_cut_fn *cut, void *data, char **problem)
{
	struct sources *sources = g_new0(struct sources, 1);
	char *cause;

	*problem = NULL;
	allow_many_files();
	sources->cut = cut;
	sources->data = data;
	sources->listener = (struct merge_listener){ input_failed, sources };
	sources->streams = g_array_new(FALSE, TRUE, sizeof(struct stream));
	g_array_set_clear_func(sources->streams, clear_stream);
	sources->added = g_array_new(FALSE, TRUE, sizeof(struct added));
	g_array_set_clear_func(sources->added, clear_added);
	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &sources->ctf) ==
		    BT_PLUGIN_FIND_STATUS_OK &&
	    make_graph(sources))
		return sources;
	cause = sources_take_cause();
	*problem = g_strdup_printf("babeltrace2's plugin 'ctf' does not work: %s", cause);
	g_free(cause);
	sources_free(sources);
	return NULL;
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	bt_graph_put_ref(sources->graph);
	bt_plugin_put_ref(sources->ctf);
	g_array_free(sources->streams, TRUE);
	g_array_free(sources->added, TRUE);
	g_free(sources);
}

/* Ports are named "UUID | stream class | stream", or with the path of a file. */
static char *stream_name(const bt_port_output *port)
{
	const char *name = bt_port_get_name(bt_port_output_as_port_const(port));
	char **parts = g_strsplit(name, " | ", 3), *short_name;

	if (g_strv_length(parts) == 3)
		short_name = g_strdup_printf("%s/%s", parts[1], parts[2]);
	else
		short_name = g_path_get_basename(name);
	g_strfreev(parts);
	return short_name;
}

static bool connect_source(struct sources *sources, guint trace, const bt_component_source *source)
{
	uint64_t count = bt_component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < count; i++) {
		const bt_port_output *out =
			bt_component_source_borrow_output_port_by_index_const(source, i);
		const struct stream stream = { trace, stream_name(out) };
		const bt_port_input *in = bt_component_filter_borrow_input_port_by_index_const(
			sources->merge, sources->streams->len);

		g_array_append_val(sources->streams, stream);
		if (bt_graph_connect_ports(sources->graph, out, in, NULL) !=
		    BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	}
	return true;
}

/* babeltrace2 only logs what is wrong with metadata; its cause is that no trace can be made. */
static char *source_problem(const char *trace)
{
	char *cause = sources_take_cause(), *problem;

	if (g_str_has_prefix(cause, "Cannot create trace"))
		problem = g_strdup_printf("'%s/metadata' is damaged, or not CTF 1.8", trace);
	else
		problem = g_strdup_printf("cannot read the trace '%s': %s", trace, cause);
	g_free(cause);
	return problem;
}

static bool add_source(struct sources *sources, const struct added *added)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(sources->ctf, "fs");
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	const bt_component_source *source = NULL;
	char *component = g_strdup_printf("input%u", added->trace);
	bool ok;

	ok = params &&
	     bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
		     BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	     bt_value_array_append_string_element(inputs, added->path) ==
		     BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK &&
	     class &&
	     bt_graph_add_source_component(sources->graph, class, component, params,
					   BT_LOGGING_LEVEL_NONE,
					   &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	     connect_source(sources, added->trace, source);
	bt_value_put_ref(params);
	g_free(component);
	return ok;
}

/* A graph that refused a component takes no other one: the traces so far get a new one. */
static void begin_again(struct sources *sources)
{
	bool ok = make_graph(sources);

	for (guint i = 0; ok && i < sources->added->len; i++)
		ok = add_source(sources, &g_array_index(sources->added, struct added, i));
	if (ok)
		return;
	/* It could be read a moment ago; whoever runs the graph hears that it has no streams. */
	bt_current_thread_clear_error();
	(void)make_graph(sources);
	g_array_set_size(sources->added, 0);
}

bool sources_add(struct sources *sources, guint trace, const char *path, const char *name,
		 char **problem)
{
	struct added added = { trace, g_strdup(path), g_strdup(name) };

	*problem = NULL;
	if (add_source(sources, &added)) {
		g_array_append_val(sources->added, added);
		return true;
	}
	*problem = source_problem(name);
	clear_added(&added);
	begin_again(sources);
	return false;
}

guint sources_count(const struct sources *sources)
{
	return sources->streams->len;
}

bt_graph *sources_graph(struct sources *sources)
{
	return sources->graph;
}

const bt_plugin *sources_ctf(const struct sources *sources)
{
	return sources->ctf;
}

const bt_port_output *sources_output(const struct sources *sources)
{
	return bt_component_filter_borrow_output_port_by_index_const(sources->merge, 0);
}

void sources_abandon(struct sources *sources)
{
	static bt_graph *abandoned; /* so that it does not count as lost; the process ends soon */

	abandoned = sources->graph;
	(void)abandoned;
	sources->graph = NULL;
}
