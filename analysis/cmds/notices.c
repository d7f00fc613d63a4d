/* SPDX-License-Identifier: MIT */
/* A trigger of LTTng, and the thread that waits for its notifications. */
#include "notices.h"

#include "child.h"
#include "recording.h"

#include <glib.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <unistd.h>

struct notices {
	struct lttng_trigger *trigger;     /* owned */
	struct lttng_condition *condition; /* owned */
	GAsyncQueue *queue;                /* counted; of owned struct notice */
};

/* In the order in which they are captured. */
static const char *const fields[] = { "pid", "status", "incident", "call" };

static bool make_condition(struct notices *notices)
{
	struct lttng_event_rule *rule = lttng_event_rule_user_tracepoint_create();
	char *filter = g_strdup_printf("recorder == %d", (int)getpid());
	bool ok = rule &&
		  lttng_event_rule_user_tracepoint_set_name_pattern(rule, "kmt_state:dumped") ==
			  LTTNG_EVENT_RULE_STATUS_OK &&
		  lttng_event_rule_user_tracepoint_set_filter(rule, filter) ==
			  LTTNG_EVENT_RULE_STATUS_OK;

	notices->condition = ok ? lttng_condition_event_rule_matches_create(rule) : NULL;
	ok = notices->condition != NULL;
	for (size_t i = 0; ok && i < G_N_ELEMENTS(fields); i++) {
		struct lttng_event_expr *field =
			lttng_event_expr_event_payload_field_create(fields[i]);

		/* The condition takes the expression over. */
		ok = field && lttng_condition_event_rule_matches_append_capture_descriptor(
				      notices->condition, field) == LTTNG_CONDITION_STATUS_OK;
	}
	lttng_event_rule_destroy(rule);
	g_free(filter);
	return ok;
}

static bool register_trigger(struct notices *notices)
{
	struct lttng_action *action = lttng_action_notify_create();
	char *name = recording_name("snapshot");
	bool ok;

	if (action)
		notices->trigger = lttng_trigger_create(notices->condition, action);
	ok = notices->trigger &&
	     lttng_register_trigger_with_name(notices->trigger, name) == LTTNG_OK;
	g_free(name);
	if (ok)
		return true;
	lttng_trigger_destroy(notices->trigger);
	notices->trigger = NULL;
	lttng_action_destroy(action);
	return false;
}

/* What is not negative comes as an unsigned number, whatever the field's type. */
static int32_t captured_number(const struct lttng_event_field_value *values, unsigned int index)
{
	const struct lttng_event_field_value *value = NULL;
	uint64_t positive = 0;
	int64_t number = 0;

	if (lttng_event_field_value_array_get_element_at_index(values, index, &value) !=
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		return 0;
	if (lttng_event_field_value_get_type(value) == LTTNG_EVENT_FIELD_VALUE_TYPE_SIGNED_INT)
		(void)lttng_event_field_value_signed_int_get_value(value, &number); /* it is one */
	else if (lttng_event_field_value_unsigned_int_get_value(value, &positive) ==
		 LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		number = (int64_t)positive;
	return (int32_t)number;
}

static char *captured_text(const struct lttng_event_field_value *values, unsigned int index)
{
	const struct lttng_event_field_value *value = NULL;
	const char *text = NULL;

	if (lttng_event_field_value_array_get_element_at_index(values, index, &value) ==
	    LTTNG_EVENT_FIELD_VALUE_STATUS_OK)
		(void)lttng_event_field_value_string_get_value(value, &text); /* else NULL */
	return g_strdup(text ? text : "");
}

static struct notice *notice_from(struct lttng_notification *notification)
{
	const struct lttng_evaluation *evaluation = lttng_notification_get_evaluation(notification);
	const struct lttng_event_field_value *values = NULL;
	struct notice *notice;

	if (!evaluation ||
	    lttng_evaluation_event_rule_matches_get_captured_values(evaluation, &values) !=
		    LTTNG_EVALUATION_EVENT_RULE_MATCHES_STATUS_OK)
		return NULL;
	notice = g_new0(struct notice, 1);
	notice->pid = captured_number(values, 0);
	notice->status = captured_number(values, 1);
	notice->incident = captured_text(values, 2);
	notice->call = captured_text(values, 3);
	return notice;
}

struct listener {
	struct lttng_notification_channel *channel; /* owned */
	GAsyncQueue *queue;                         /* counted */
};

/* Until the daemon hangs up: a channel cannot be closed while somebody waits at it. */
static gpointer listen(gpointer data)
{
	struct listener *listener = data;
	struct lttng_notification *notification;
	enum lttng_notification_channel_status status;

	for (;;) {
		struct notice *notice;

		notification = NULL;
		status = lttng_notification_channel_get_next_notification(listener->channel,
									  &notification);
		if (status == LTTNG_NOTIFICATION_CHANNEL_STATUS_NOTIFICATIONS_DROPPED ||
		    status == LTTNG_NOTIFICATION_CHANNEL_STATUS_INTERRUPTED)
			continue;
		if (status != LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
			break;
		notice = notice_from(notification);
		lttng_notification_destroy(notification);
		if (!notice)
			continue;
		g_async_queue_push(listener->queue, notice);
		kill(getpid(), CHILD_SIGNAL_OWN);
	}
	g_async_queue_unref(listener->queue);
	lttng_notification_channel_destroy(listener->channel);
	g_free(listener);
	return NULL;
}

static bool start_listening(struct notices *notices)
{
	struct lttng_notification_channel *channel =
		lttng_notification_channel_create(lttng_session_daemon_notification_endpoint);
	struct listener *listener;

	if (!channel || lttng_notification_channel_subscribe(channel, notices->condition) !=
				LTTNG_NOTIFICATION_CHANNEL_STATUS_OK) {
		lttng_notification_channel_destroy(channel);
		return false;
	}
	listener = g_new0(struct listener, 1);
	listener->channel = channel;
	listener->queue = g_async_queue_ref(notices->queue);
	g_thread_unref(g_thread_new("notices", listen, listener));
	return true;
}

struct notices *notices_open(char **reason)
{
	struct notices *notices = g_new0(struct notices, 1);

	notices->queue = g_async_queue_new_full((GDestroyNotify)notice_free);
	if (make_condition(notices) && register_trigger(notices) && start_listening(notices))
		return notices;
	*reason = g_strdup("the session daemon cannot tell of events (it must be that of "
			   "lttng-tools 2.13 or newer)");
	notices_close(notices);
	return NULL;
}

struct notice *notices_wait(struct notices *notices, int64_t timeout_us)
{
	if (timeout_us <= 0)
		return g_async_queue_try_pop(notices->queue);
	return g_async_queue_timeout_pop(notices->queue, (guint64)timeout_us);
}

void notice_free(struct notice *notice)
{
	if (!notice)
		return;
	g_free(notice->incident);
	g_free(notice->call);
	g_free(notice);
}

void notices_close(struct notices *notices)
{
	if (!notices)
		return;
	if (notices->trigger)
		(void)lttng_unregister_trigger(notices->trigger); /* it ends with the daemon */
	lttng_trigger_destroy(notices->trigger);
	lttng_condition_destroy(notices->condition);
	g_async_queue_unref(notices->queue);
	g_free(notices);
}

void notices_end_left(pid_t recorder)
{
	struct lttng_triggers *triggers = NULL;
	const struct lttng_trigger *trigger;
	unsigned int count = 0;
	const char *name;

	if (lttng_list_triggers(&triggers) != LTTNG_OK ||
	    lttng_triggers_get_count(triggers, &count) != LTTNG_TRIGGER_STATUS_OK)
		count = 0;
	for (unsigned int i = 0; i < count; i++) {
		trigger = lttng_triggers_get_at_index(triggers, i);
		if (lttng_trigger_get_name(trigger, &name) == LTTNG_TRIGGER_STATUS_OK &&
		    recording_name_is_left(name, recorder))
			(void)lttng_unregister_trigger(trigger); /* it ends with the daemon */
	}
	lttng_triggers_destroy(triggers);
}
