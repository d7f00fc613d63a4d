/* SPDX-License-Identifier: MIT */
/*
 * Waits until programs have told a recording what they hold. usage: await_dumps PID…
 * Says "ready" when it listens: then is the time to start the recording. Ends when all of them have.
 */
#include <lttng/lttng.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAILED = 1, WRONG_USAGE = 2 };

/* @return kmt_state:dumped, its field pid captured; owned by the caller */
static struct lttng_condition *make_condition(void)
{
	struct lttng_event_rule *rule = lttng_event_rule_user_tracepoint_create();
	struct lttng_event_expr *pid = lttng_event_expr_event_payload_field_create("pid");
	struct lttng_condition *condition;

	if (!rule || !pid ||
	    lttng_event_rule_user_tracepoint_set_name_pattern(rule, "kmt_state:dumped") !=
		    LTTNG_EVENT_RULE_STATUS_OK)
		return NULL;
	condition = lttng_condition_event_rule_matches_create(rule);
	if (!condition || lttng_condition_event_rule_matches_append_capture_descriptor(
				  condition, pid) != LTTNG_CONDITION_STATUS_OK)
		return NULL;
	lttng_event_rule_destroy(rule);
	return condition;
}

static struct lttng_notification_channel *listen_for(struct lttng_condition *condition)
{
	struct lttng_notification_channel *channel =
		lttng_notification_channel_create(lttng_session_daemon_notification_endpoint);

	if (channel && lttng_notification_channel_subscribe(channel, condition) ==
			       LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		return channel;
	lttng_notification_channel_destroy(channel);
	return NULL;
}

/* @return the process that has told its state, -1 when the daemon tells no more */
static long next_pid(struct lttng_notification_channel *channel)
{
	const struct lttng_event_field_value *values = NULL, *value = NULL;
	struct lttng_notification *notification = NULL;
	uint64_t pid = 0;

	if (lttng_notification_channel_get_next_notification(channel, &notification) !=
	    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		return -1;
	/* Signed in the event; what is not negative comes as an unsigned number. */
	if (lttng_evaluation_event_rule_matches_get_captured_values(
		    lttng_notification_get_evaluation(notification), &values) ==
		    LTTNG_EVALUATION_EVENT_RULE_MATCHES_STATUS_OK &&
	    lttng_event_field_value_array_get_element_at_index(values, 0, &value) ==
		    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		(void)lttng_event_field_value_unsigned_int_get_value(value, &pid); /* else 0 */
	lttng_notification_destroy(notification);
	return (long)pid;
}

/* Strikes out a program that has told. @return how many have not */
static int strike_out(long pid, int count, char **pids)
{
	int left = 0;

	for (int i = 0; i < count; i++) {
		if (pids[i] && strtol(pids[i], NULL, 10) == pid)
			pids[i] = NULL;
		left += pids[i] != NULL;
	}
	return left;
}

int main(int argc, char **argv)
{
	struct lttng_condition *condition = make_condition();
	struct lttng_action *action = lttng_action_notify_create();
	struct lttng_trigger *trigger =
		condition && action ? lttng_trigger_create(condition, action) : NULL;
	struct lttng_notification_channel *channel;
	int status = FAILED;

	if (argc < 2)
		return WRONG_USAGE;
	if (!trigger || lttng_register_trigger_with_automatic_name(trigger) != LTTNG_OK)
		return FAILED;
	channel = listen_for(condition);
	if (channel) {
		long pid = 0;

		puts("ready");
		fflush(stdout);
		while (pid >= 0 && strike_out(pid, argc - 1, argv + 1) > 0)
			pid = next_pid(channel);
		status = pid >= 0 ? 0 : FAILED;
	}
	lttng_notification_channel_destroy(channel);
	(void)lttng_unregister_trigger(trigger); /* else it ends with the daemon */
	return status;
}
