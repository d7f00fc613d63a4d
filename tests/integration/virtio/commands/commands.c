/* SPDX-License-Identifier: MIT */
/* Compares what is sent and answered with the facts (sub_commands.h is made from them). */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sub_commands.h"
#include "virtio/guest/guest.h"
#include "virtio/observer.h"

bool shares_primary, is_newer;

/* What went over the transport since the last row began. */
static struct {
	uint32_t command, type;      /* of the row */
	unsigned int sent, answered; /* of this command; answered: with a status */
	int32_t ret;                 /* the last one */
} seen;

static void guest_begin(const struct virtio_observed *command)
{
	seen.sent += command->command == seen.command && command->type == seen.type;
}

static void guest_end(const struct virtio_observed *command)
{
	if (command->command != seen.command || command->type != seen.type)
		return;
	/* Other negative numbers may be the transport's. */
	seen.answered += command->ret >= 0 || command->ret == -EOPNOTSUPP;
	seen.ret = command->ret;
}

static void ignore(const struct virtio_observed *command)
{
	(void)command;
}

static void ignore_clocks(uint64_t guest, uint64_t before_ns, uint64_t host_ns, uint64_t after_ns)
{
	(void)guest, (void)before_ns, (void)host_ns, (void)after_ns;
}

static void ignore_end(uint64_t guest, uint32_t ctx)
{
	(void)guest, (void)ctx;
}

static void watch(void)
{
	static const struct virtio_observer observer = {
		.guest_begin = guest_begin,
		.guest_end = guest_end,
		.host_begin = ignore,
		.host_end = ignore,
		.clock_pair = ignore_clocks,
		.guest_gone_begin = ignore_end,
		.guest_gone_end = ignore_end,
	};

	virtio_observer = &observer;
}

static sender sender_of(const struct sub_command *sub)
{
	static const struct {
		const sender *senders;
		uint32_t count;
	} tables[VIRTIO_CMD_COUNT] = {
		[VIRTIO_CMD_NOP] = { send_nop, 1 },
		[VIRTIO_CMD_QUERY_INFO] = { send_query, VIRTIO_QUERY_COUNT },
		[VIRTIO_CMD_EVENT] = { send_event, VIRTIO_EVENT_COUNT },
		[VIRTIO_CMD_MEMORY] = { send_memory, VIRTIO_MEMORY_COUNT },
		[VIRTIO_CMD_QUEUE] = { send_queue, VIRTIO_QUEUE_COUNT },
		[VIRTIO_CMD_GL_INTER] = { send_gl_inter, VIRTIO_GL_INTER_COUNT },
	};

	if (sub->command >= VIRTIO_CMD_COUNT || sub->type >= tables[sub->command].count)
		return NULL;
	return tables[sub->command].senders[sub->type];
}

/* What does not belong to the revision is refused here and never sent. */
static bool row_is_good(const struct sub_command *sub)
{
	sender send = sender_of(sub);
	bool did;

	seen.command = sub->command;
	seen.type = sub->type;
	seen.sent = seen.answered = 0;
	seen.ret = 0;
	did = send && send();
	if (sub->since_revision > (is_newer ? 2u : 1u))
		return send && !did && !seen.sent;
	return did && seen.sent && seen.answered;
}

int main(void)
{
	const char *wanted = getenv("KFDSCOPE_VIRTIO_REVISION");
	HsaSystemProperties system;
	unsigned int failed = 0;

	is_newer = !wanted || strcmp(wanted, "1") != 0;
	shares_primary = getenv("KFDSCOPE_TEST_SECONDARY") == NULL;
	watch();
	if (!OK(vhsaKmtOpenKFD()) || !OK(vhsaKmtAcquireSystemProperties(&system)) ||
	    !HOLDS(find_gpu()))
		return 1;
	for (size_t i = 0; i < sub_command_count; i++) {
		const struct sub_command *sub = &sub_commands[i];
		bool good = row_is_good(sub);

		printf("%s %s %s: sent %u, answered %u, the last with %d\n", good ? "ok" : "FAILED",
		       sub->command_name, sub->name, seen.sent, seen.answered, seen.ret);
		failed += !good;
	}
	if (!OK(vhsaKmtCloseKFD()))
		return 1;
	return failed != 0;
}
