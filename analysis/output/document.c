/* SPDX-License-Identifier: MIT */
/* The parts of JSON objects, and their words (document.h). */
#include "output/document.h"

#include <string.h>

#include "output/stack_json.h"
#include "output/text.h"

bool document_overlaps(const struct document *document, int64_t from_ns, int64_t until_ns)
{
	return model_overlaps(document->model, document->begin_ns, document->end_ns, from_ns,
			      until_ns);
}

bool document_wants(const struct document *document, int64_t time_ns)
{
	return document_overlaps(document, time_ns, time_ns);
}

void document_set_int(json_t *json, const char *name, uint64_t value)
{
	json_object_set_new(json, name, json_integer((json_int_t)value));
}

void document_set_text(json_t *json, const char *name, const char *text)
{
	if (text)
		json_object_set_new(json, name, json_string(text));
}

void document_set_process(json_t *json, const struct process *process)
{
	GString *name = g_string_new(NULL);

	text_process(name, process);
	document_set_int(json, "vpid", process->vpid);
	document_set_text(json, "process", name->str);
	g_string_free(name, TRUE);
}

void document_set_stack(const struct document *document, json_t *json,
			const struct process *process, const struct stack *stack)
{
	struct stackview view;

	stackview_init(&view, document->sym, process, stack);
	json_object_set_new(json, "caller", caller_json(&view, document->frames));
	json_object_set_new(json, "stack", stack_json(&view, document->frames));
	stackview_fini(&view);
}

void document_set_status(json_t *json, uint32_t status)
{
	GString *name = g_string_new(NULL);

	text_status(name, status);
	document_set_int(json, "status", status);
	document_set_text(json, "status_name", name->str);
	g_string_free(name, TRUE);
}

void document_set_errno(json_t *json, uint32_t os_errno)
{
	GString *name;

	if (!os_errno)
		return;
	name = g_string_new(NULL);
	text_errno(name, os_errno);
	document_set_int(json, "errno", os_errno);
	document_set_text(json, "errno_name", name->str);
	g_string_free(name, TRUE);
}

void document_set_doubt(const struct document *document, json_t *json,
			const struct process *process, int64_t since_ns)
{
	bool doubt = model_doubt_since(document->model, process, since_ns) != NULL;

	json_object_set_new(json, "undecided", json_boolean(doubt));
}

static json_t *number_json(const struct arg *arg)
{
	char *hex;
	json_t *json;

	if (arg->type == ARG_HEX) {
		hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", arg->number);
		json = json_string(hex);
		g_free(hex);
		return json;
	}
	if ((arg->type == ARG_LABEL || arg->type == ARG_TEXT) && arg->text)
		return json_string(arg->text);
	return json_integer((json_int_t)arg->number);
}

static json_t *row_json(const struct args *args, const struct arg *arg)
{
	const uint64_t *numbers = args_row(args, arg);
	json_t *list = json_array();
	char **labels =
		arg->type == ARG_LABEL_ROW && arg->text ? g_strsplit(arg->text, ",", -1) : NULL;

	for (uint32_t i = 0; i < arg->count; i++)
		json_array_append_new(list, labels && labels[i]
						    ? json_string(labels[i])
						    : json_integer((json_int_t)numbers[i]));
	g_strfreev(labels);
	return list;
}

/* True when the arguments from index on are the bits of the word before. */
static bool is_bit_of(const struct args *args, guint index, const char *word)
{
	size_t length = strlen(word);
	const struct arg *bit;

	if (index >= args->list->len)
		return false;
	bit = &g_array_index(args->list, struct arg, index);
	return strncmp(bit->name, word, length) == 0 && bit->name[length] == '_' &&
	       (bit->type == ARG_UNSIGNED || bit->type == ARG_LABEL);
}

/* A word of flags and its bits. @return the index behind the last bit. */
static guint add_flags(json_t *json, const struct args *args, guint index)
{
	const struct arg *word = &g_array_index(args->list, struct arg, index);
	size_t prefix = strlen(word->name) + 1;
	json_t *set = json_array();
	guint next = index + 1;

	for (; is_bit_of(args, next, word->name); next++) {
		const struct arg *bit = &g_array_index(args->list, struct arg, next);
		char *name = NULL;

		if (!bit->number)
			continue;
		if (bit->text)
			name = g_strdup_printf("%s=%s", bit->name + prefix, bit->text);
		else if (bit->number > 1)
			name = g_strdup_printf("%s=%" G_GUINT64_FORMAT, bit->name + prefix,
					       bit->number);
		json_array_append_new(set, json_string(name ? name : bit->name + prefix));
		g_free(name);
	}
	json_object_set_new(json, word->name,
			    json_pack("{so so}", "raw", number_json(word), "set", set));
	return next;
}

/* Numbers that say something of the recording, not of the call. */
static bool is_bookkeeping(const struct arg *arg)
{
	if (strcmp(arg->name, "call") == 0 || strcmp(arg->name, "api_call") == 0 ||
	    strcmp(arg->name, "bt_id") == 0)
		return true;
	if (strcmp(arg->name, "ctx") == 0)
		return arg->number == 0;
	return g_str_has_suffix(arg->name, "_truncated") && arg->number == 0;
}

json_t *document_args(const struct args *args)
{
	json_t *json = json_object();
	guint i = 0;

	while (args && i < args->list->len) {
		const struct arg *arg = &g_array_index(args->list, struct arg, i);

		i++;
		if (is_bookkeeping(arg))
			continue;
		if (g_str_has_suffix(arg->name, "_valid")) {
			char *name = g_strndup(arg->name, strlen(arg->name) - strlen("_valid"));

			if (!arg->number) {
				json_object_set_new(json, name, json_null());
				while (i < args->list->len &&
				       g_str_has_prefix(
					       g_array_index(args->list, struct arg, i).name, name))
					i++;
			}
			g_free(name);
		} else if (arg->type == ARG_ROW || arg->type == ARG_LABEL_ROW) {
			json_object_set_new(json, arg->name, row_json(args, arg));
		} else if (arg->type == ARG_HEX && is_bit_of(args, i, arg->name)) {
			i = add_flags(json, args, i - 1);
		} else {
			json_object_set_new(json, arg->name, number_json(arg));
		}
	}
	return json;
}

int64_t document_int(const json_t *json, const char *name)
{
	return json_integer_value(json_object_get(json, name));
}

const char *document_string(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? text : "";
}

void document_header(GString *text, const char *title, const struct document *document)
{
	header_text(text, title, document->model, document->notes);
}

void document_moment(GString *text, const struct document *document, const json_t *json,
		     const char *name)
{
	text_moment(text, document->model, document_int(json, name));
}

static void frame_place(GString *text, const json_t *frame)
{
	const char *function = document_string(frame, "function");
	const char *file = document_string(frame, "file");
	char *module = g_path_get_basename(document_string(frame, "module"));

	if (*function)
		g_string_append(text, function);
	else
		g_string_append_printf(text, "%s+0x%" G_GINT64_MODIFIER "x",
				       *document_string(frame, "module") ? module : "?",
				       document_int(frame, "offset"));
	if (*file) {
		char *base = g_path_get_basename(file);

		g_string_append_printf(text, " at %s", base);
		if (document_int(frame, "line"))
			g_string_append_printf(text, ":%" G_GINT64_FORMAT,
					       document_int(frame, "line"));
		g_free(base);
	} else if (*function && *document_string(frame, "module")) {
		g_string_append_printf(text, " in %s", module);
	}
	g_free(module);
}

void document_stack(GString *text, int indent, const json_t *json)
{
	const json_t *stack = json_object_get(json, "stack"), *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		g_string_append_printf(text, "%*s%-8s", indent, "",
				       document_string(frame, "layer"));
		frame_place(text, frame);
		if (*document_string(frame, "unnamed"))
			g_string_append_printf(text, " [%s]", document_string(frame, "unnamed"));
		g_string_append(text, json_is_true(json_object_get(frame, "inlined"))
					      ? " (inlined)\n"
					      : "\n");
	}
	if (json_array_size(stack) == 0)
		g_string_append_printf(text, "%*s(no stack was recorded)\n", indent, "");
}

void document_caller(GString *text, const json_t *json)
{
	const json_t *caller = json_object_get(json, "caller");

	if (!json_is_object(caller))
		return;
	g_string_append(text, " in ");
	frame_place(text, caller);
}

void document_status(GString *text, const json_t *json)
{
	const char *status = document_string(json, "status_name");
	const char *os_errno = document_string(json, "errno_name");

	g_string_append(text, status);
	if (*os_errno)
		g_string_append_printf(text, "%s%s", *status ? ", " : "", os_errno);
}

void document_doubt(GString *text, const json_t *json)
{
	if (json_is_true(json_object_get(json, "undecided")))
		g_string_append(text, "    UNDECIDED: its end may be among the events that were "
				      "lost\n");
}

static void value_text(GString *text, const json_t *value)
{
	const json_t *item;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_INTEGER:
		g_string_append_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_STRING:
		g_string_append(text, json_string_value(value));
		break;
	case JSON_ARRAY:
		g_string_append_c(text, '[');
		json_array_foreach(value, i, item)
		{
			g_string_append(text, i ? ", " : "");
			value_text(text, item);
		}
		g_string_append_c(text, ']');
		break;
	case JSON_OBJECT:
		value_text(text, json_object_get(value, "raw"));
		g_string_append_c(text, ' ');
		value_text(text, json_object_get(value, "set"));
		break;
	default:
		g_string_append(text, "NULL");
		break;
	}
}

void document_arguments(GString *text, const json_t *args)
{
	const char *name;
	const json_t *value;
	bool first = true;

	json_object_foreach((json_t *)args, name, value)
	{
		g_string_append_printf(text, "%s%s=", first ? "" : ", ", name);
		value_text(text, value);
		first = false;
	}
	if (first)
		g_string_append(text, "(none)");
}

size_t document_shown(const struct document *document, const json_t *list)
{
	size_t count = json_array_size(list);

	return document->top && document->top < count ? document->top : count;
}

void document_more(GString *text, const struct document *document, const json_t *list,
		   const char *what)
{
	size_t hidden = json_array_size(list) - document_shown(document, list);

	if (hidden)
		g_string_append_printf(text, "and %zu more %s (--top=0 lists all)\n", hidden, what);
}

void document_section(GString *text, const json_t *json, const char *name, const char *title,
		      const char *what, const struct document *document,
		      void (*write)(GString *, const json_t *, const struct document *))
{
	const json_t *list = json_object_get(json, name);

	if (json_array_size(list) == 0)
		return;
	g_string_append_printf(text, "%s\n", title);
	for (size_t i = 0; i < document_shown(document, list); i++)
		write(text, json_array_get(list, i), document);
	document_more(text, document, list, what);
	g_string_append_c(text, '\n');
}
