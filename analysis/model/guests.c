/* SPDX-License-Identifier: MIT */
/* The commands that are under way, and the sums (guests.h). */
#include "guests.h"

#include "process.h"

/* Commands of which one side is missing are given up when there are more. */
#define COMMANDS_MAX           65536u
#define FIRST_RESOURCE_COMMAND 256u

struct command {
	uint64_t guest, seqno;          /* the key; in seqno also what kind of number it is */
	const struct stack *stack;      /* borrowed: of the guest's call; NULL: none, or not seen */
	const struct call_type *served; /* borrowed: the guest's call; NULL: not seen */
	bool guest_ended, host_ended;
	int64_t wait_ns, host_ns, kernel_ns;
	uint64_t sent_ns, begun_ns; /* guest's and host's monotonic clocks; 0: unknown */
};

struct clock {
	uint64_t guest;   /* the key */
	int64_t ahead_ns; /* the host's clock minus the guest's */
};

struct guests {
	GHashTable *commands; /* set of struct command, owned */
	GHashTable *clocks;   /* set of struct clock, owned */
	GPtrArray *rows;      /* of struct guest_row, owned */
};

static guint command_hash(gconstpointer data)
{
	const struct command *command = data;

	return (guint)(command->guest >> 12) * 31u + (guint)command->seqno +
	       (guint)(command->seqno >> 32) * 131071u;
}

static gboolean command_equal(gconstpointer left, gconstpointer right)
{
	const struct command *a = left, *b = right;

	return a->guest == b->guest && a->seqno == b->seqno;
}

static guint clock_hash(gconstpointer data)
{
	return (guint)(((const struct clock *)data)->guest >> 12);
}

static gboolean clock_equal(gconstpointer left, gconstpointer right)
{
	return ((const struct clock *)left)->guest == ((const struct clock *)right)->guest;
}

struct guests *guests_new(void)
{
	struct guests *guests = g_new0(struct guests, 1);

	guests->commands = g_hash_table_new_full(command_hash, command_equal, g_free, NULL);
	guests->clocks = g_hash_table_new_full(clock_hash, clock_equal, g_free, NULL);
	guests->rows = g_ptr_array_new_with_free_func(g_free);
	return guests;
}

void guests_free(struct guests *guests)
{
	if (!guests)
		return;
	g_hash_table_destroy(guests->commands);
	g_hash_table_destroy(guests->clocks);
	g_ptr_array_free(guests->rows, TRUE);
	g_free(guests);
}

/* Commands of the stream are counted by one number, blobs and resources have numbers of their own. */
static uint64_t number_of(const struct values *values)
{
	uint64_t command = values_get(values, FIELD_COMMAND, 0);

	return values_get(values, FIELD_CALL, 0) |
	       (command < FIRST_RESOURCE_COMMAND ? 0 : command << 32);
}

static struct command *find(const struct guests *guests, const struct values *values)
{
	const struct command key = { .guest = values_get(values, FIELD_GUEST, 0),
				     .seqno = number_of(values) };

	return key.guest ? g_hash_table_lookup(guests->commands, &key) : NULL;
}

/* The first command of a guest has no guest yet, and cannot be joined. */
static struct command *get(struct guests *guests, const struct values *values)
{
	struct command *command = find(guests, values);

	if (command || !values_get(values, FIELD_GUEST, 0))
		return command;
	if (g_hash_table_size(guests->commands) >= COMMANDS_MAX)
		g_hash_table_remove_all(guests->commands);
	command = g_new0(struct command, 1);
	command->guest = values_get(values, FIELD_GUEST, 0);
	command->seqno = number_of(values);
	g_hash_table_add(guests->commands, command);
	return command;
}

static struct guest_row *get_row(struct guests *guests, const struct call_type *type)
{
	struct guest_row *row;

	for (guint i = 0; i < guests->rows->len; i++) {
		row = g_ptr_array_index(guests->rows, i);
		if (row->type == type)
			return row;
	}
	row = g_new0(struct guest_row, 1);
	row->type = type;
	g_ptr_array_add(guests->rows, row);
	return row;
}

/* The innermost call of a layer that is open in the thread. */
static const struct call *open_call(const struct thread *thread, enum layer layer)
{
	for (guint i = thread->calls->len; i > 0; i--) {
		const struct call *call = &g_array_index(thread->calls, struct call, i - 1);

		if (call->type->layer == layer)
			return call;
	}
	return NULL;
}

const struct call *guests_command_around(const struct thread *thread)
{
	const struct call *call = open_call(thread, LAYER_HOST);

	return call && call->type->op == OP_HOST_COMMAND ? call : NULL;
}

bool guests_is_gone(const struct thread *thread)
{
	const struct call *call = open_call(thread, LAYER_HOST);

	return call && (call->type->op == OP_GUEST_GONE || call->gives_up);
}

/* The command that a thread of a host is about; NULL: none, or not known. */
static struct command *command_around(const struct guests *guests, const struct thread *thread)
{
	/* Nearly all recordings have no guests, and calls need not be looked through then. */
	const struct call *call =
		g_hash_table_size(guests->commands) ? guests_command_around(thread) : NULL;

	return call ? find(guests, &call->values) : NULL;
}

const struct stack *guests_stack(const struct guests *guests, const struct thread *thread)
{
	const struct command *command = command_around(guests, thread);

	return command ? command->stack : NULL;
}

void guests_call_entry(struct guests *guests, struct call *call)
{
	const struct call *served;
	struct command *command;

	if (call->type->layer == LAYER_COMMAND) {
		command = get(guests, &call->values);
		if (!command)
			return;
		served = open_call(call->thread, LAYER_GUEST);
		command->sent_ns = values_get(&call->values, FIELD_MONOTONIC, 0);
		command->stack = served ? served->stack : NULL;
		command->served = served ? served->type : call->type;
	} else if (call->type->op == OP_HOST_COMMAND) {
		command = get(guests, &call->values);
		if (!command)
			return;
		command->begun_ns = values_get(&call->values, FIELD_MONOTONIC, 0);
		call->gives_up = command->served && command->served->op == OP_GUEST_CLOSE;
	}
}

/* Nanoseconds until the host began, by its clock set to the guest's. */
static int64_t outbound_ns(const struct guests *guests, const struct command *command)
{
	const struct clock key = { .guest = command->guest };
	const struct clock *clock = g_hash_table_lookup(guests->clocks, &key);
	int64_t way_ns = (int64_t)(command->begun_ns - command->sent_ns);

	if (!command->begun_ns || !command->sent_ns)
		return 0;
	if (clock)
		way_ns -= clock->ahead_ns;
	return CLAMP(way_ns, 0, command->wait_ns - command->host_ns);
}

/* Both sides are known, or as much as there will be. */
static void account(struct guests *guests, struct command *command)
{
	struct guest_row *row = get_row(guests, command->served);
	/* Two clocks of one machine may disagree by what reading them takes. */
	int64_t host_ns = MIN(command->host_ns, command->wait_ns);
	int64_t kernel_ns = MIN(command->kernel_ns, host_ns);

	command->host_ns = host_ns;
	row->commands++;
	row->unjoined += !command->host_ended;
	row->guest_ns -= command->wait_ns;
	row->transport_ns += command->wait_ns - host_ns;
	row->outbound_ns += outbound_ns(guests, command);
	row->host_ns += host_ns - kernel_ns;
	row->kernel_ns += kernel_ns;
	g_hash_table_remove(guests->commands, command);
}

static int64_t duration_ns(const struct call *call, const struct record *exit)
{
	uint64_t from = values_get(&call->values, FIELD_MONOTONIC, 0);
	uint64_t to = values_get(&exit->values, FIELD_MONOTONIC, 0);

	return from && to ? (int64_t)(to - from) : exit->time_ns - call->entry_ns;
}

static void guest_call_exit(struct guests *guests, const struct call *call,
			    const struct record *exit)
{
	struct guest_row *row = get_row(guests, call->type);

	row->calls++;
	row->total_ns += exit->time_ns - call->entry_ns;
	row->guest_ns += exit->time_ns - call->entry_ns;
}

void guests_call_exit(struct guests *guests, const struct call *call, const struct record *exit)
{
	struct command *command = NULL;

	switch (call->type->layer) {
	case LAYER_GUEST:
		guest_call_exit(guests, call, exit);
		return;
	case LAYER_COMMAND:
		command = find(guests, &call->values);
		if (!command)
			return;
		command->wait_ns = duration_ns(call, exit);
		command->guest_ended = true;
		break;
	case LAYER_HOST:
		command = find(guests, &call->values);
		if (!command || call->type->op != OP_HOST_COMMAND)
			return;
		command->host_ns = duration_ns(call, exit);
		command->host_ended = true;
		break;
	case LAYER_IOCTL:
		command = command_around(guests, call->thread);
		if (command)
			command->kernel_ns += exit->time_ns - call->entry_ns;
		return;
	case LAYER_HIP:
	case LAYER_HSA:
	case LAYER_API:
	case LAYER_OS:
	case LAYER_COUNT:
		return;
	}
	if (command && command->guest_ended && command->host_ended && command->served)
		account(guests, command);
}

void guests_clock_pair(struct guests *guests, const struct record *record)
{
	const struct values *values = &record->values;
	uint64_t before = values_get(values, FIELD_BEFORE, 0);
	uint64_t after = values_get(values, FIELD_AFTER, 0);
	struct clock *clock = g_new0(struct clock, 1);

	clock->guest = values_get(values, FIELD_GUEST, 0);
	clock->ahead_ns =
		(int64_t)(values_get(values, FIELD_HOST_TIME, 0) - (before + (after - before) / 2));
	g_hash_table_replace(guests->clocks, clock, clock);
}

/* What the host never ended was not recorded there. */
void guests_finish(struct guests *guests)
{
	GList *left = g_hash_table_get_keys(guests->commands);

	for (GList *at = left; at; at = at->next) {
		struct command *command = at->data;

		if (command->guest_ended && command->served)
			account(guests, command);
	}
	g_list_free(left);
}

const GPtrArray *guests_rows(const struct guests *guests)
{
	return guests->rows;
}
