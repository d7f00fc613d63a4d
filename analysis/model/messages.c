/* SPDX-License-Identifier: MIT */
/* Messages of the library, and hidden GPUs (messages.h). */
#include "model/messages.h"

#include "model/args.h"

static void message_clear(void *data)
{
	struct message *message = data;

	g_free(message->level);
	g_free(message->text);
}

void messages_init(struct messages *messages)
{
	messages->list = g_array_new(FALSE, FALSE, sizeof(struct message));
	g_array_set_clear_func(messages->list, message_clear);
	messages->hidden = g_array_new(FALSE, FALSE, sizeof(struct hidden_node));
	messages->beyond = 0;
}

void messages_fini(struct messages *messages)
{
	g_array_free(messages->list, TRUE);
	g_array_free(messages->hidden, TRUE);
}

static char *text_of(const struct args *args, const char *name)
{
	const struct arg *arg = args_find(args, name);

	return g_strdup(arg && arg->text ? arg->text : "");
}

static struct message *find_message(const struct messages *messages, const struct message *like)
{
	for (guint i = 0; i < messages->list->len; i++) {
		struct message *message = &g_array_index(messages->list, struct message, i);

		if (message->process == like->process && g_str_equal(message->text, like->text))
			return message;
	}
	return NULL;
}

static void take_message(struct messages *messages, const struct process *process,
			 const struct record *record)
{
	struct args *args = args_reader_all(record->reader);
	struct message message = { .process = process,
				   .time_ns = record->time_ns,
				   .count = 1,
				   .level = text_of(args, "level"),
				   .text = text_of(args, "text") };
	struct message *known = find_message(messages, &message);

	args_free(args);
	if (!known && messages->list->len < MESSAGES_MAX) {
		g_array_append_val(messages->list, message);
		return;
	}
	message_clear(&message);
	if (known)
		known->count++;
	else
		messages->beyond++;
}

static void take_hidden(struct messages *messages, const struct process *process,
			const struct record *record)
{
	const struct args_reader *reader = record->reader;
	const struct hidden_node node = {
		.process = process,
		.topology_node = (uint32_t)args_reader_number(reader, "topology_node", 0),
		.gpu_id = (uint32_t)args_reader_number(reader, "gpu_id", 0),
		.domain = (uint32_t)args_reader_number(reader, "domain", 0),
		.location_id = (uint32_t)args_reader_number(reader, "location_id", 0),
		.render_minor = (int32_t)args_reader_number(reader, "render_minor", 0),
		.os_errno = (uint32_t)args_reader_number(reader, "os_errno", 0),
	};

	/* Each opening and each dump tells of it again. */
	for (guint i = 0; i < messages->hidden->len; i++) {
		struct hidden_node *known = &g_array_index(messages->hidden, struct hidden_node, i);

		if (known->process == process && known->topology_node == node.topology_node) {
			*known = node;
			return;
		}
	}
	g_array_append_val(messages->hidden, node);
}

void messages_take(struct messages *messages, const struct process *process,
		   const struct record *record)
{
	if (record->kind == RECORD_MESSAGE)
		take_message(messages, process, record);
	else if (record->kind == RECORD_DUMP_HIDDEN)
		take_hidden(messages, process, record);
}
