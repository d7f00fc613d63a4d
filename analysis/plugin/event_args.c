/* SPDX-License-Identifier: MIT */
/* Fields by name, and all of them with the names of enumeration values (event_args.h). */
#include "plugin/event_args.h"

#include <glib.h>
#include <string.h>

#include "plugin/field.h"

#define ROW_MAX 128u

/* Names that were looked up before: a power of two, so many that few share a place. */
#define NAMES_BITS 10

struct field_name {
	const bt_field_class *class; /* of the payload */
	const char *name;            /* interned */
	int64_t index;               /* -1: it has no such field */
};

struct field_names {
	struct field_name known[1u << NAMES_BITS];
};

static int64_t index_of(struct field_names *names, const bt_field_class *class, const char *name)
{
	/* The same caller asks with the same string: its address is as good as its text to find it. */
	uint64_t hash = ((uint64_t)(uintptr_t) class * 31 + (uint64_t)(uintptr_t)name) *
			UINT64_C(0x9e3779b97f4a7c15);
	struct field_name *known = &names->known[hash >> (64 - NAMES_BITS)];

	if (known->class != class || strcmp(known->name, name) != 0)
		*known = (struct field_name){ class, g_intern_string(name),
					      field_member(class, name) };
	return known->index;
}

static const bt_field *find(const struct args_reader *reader, const char *name)
{
	const struct event_args *args = (const struct event_args *)reader;
	int64_t index;

	if (!args->payload)
		return NULL;
	index = index_of(args->names, bt_field_borrow_class_const(args->payload), name);
	return index < 0 ? NULL
			 : bt_field_structure_borrow_member_field_by_index_const(args->payload,
										 (uint64_t)index);
}

static bool is_enumeration(bt_field_class_type type)
{
	return type == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION ||
	       type == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION;
}

static bool args_of_number(const struct args_reader *reader, const char *name, uint64_t *value)
{
	const bt_field *field = find(reader, name);

	return field && field_number(field, value);
}

static uint32_t args_of_row(const struct args_reader *reader, const char *name, uint64_t *numbers,
			    uint32_t max)
{
	const bt_field *field = find(reader, name);

	return field ? field_row(field, READ_OTHER, numbers, max) : 0;
}

/* The name of an enumeration's value, borrowed; NULL when it has none. */
static const char *label(const bt_field *field)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t count = 0;

	if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)
		(void)bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	else
		(void)bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	return count ? labels[0] : NULL;
}

static void add_row(struct args *args, const char *name, const bt_field *field)
{
	uint64_t numbers[ROW_MAX];
	uint32_t count = field_row(field, READ_OTHER, numbers, ROW_MAX);
	GString *labels;

	if (count == 0 || !is_enumeration(bt_field_get_class_type(
				  bt_field_array_borrow_element_field_by_index_const(field, 0)))) {
		args_add(args, name, ARG_ROW, 0, NULL, numbers, count);
		return;
	}
	labels = g_string_new(NULL);
	for (uint32_t i = 0; i < count; i++) {
		const char *text =
			label(bt_field_array_borrow_element_field_by_index_const(field, i));

		g_string_append(labels, i ? "," : "");
		if (text)
			g_string_append(labels, text);
		else
			g_string_append_printf(labels, "%" G_GUINT64_FORMAT, numbers[i]);
	}
	args_add(args, name, ARG_LABEL_ROW, 0, labels->str, numbers, count);
	g_string_free(labels, TRUE);
}

static void add_field(struct args *args, const char *name, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	enum arg_type as = ARG_UNSIGNED;
	uint64_t number;

	if (type == BT_FIELD_CLASS_TYPE_STRING) {
		args_add(args, name, ARG_TEXT, 0, field_text(field), NULL, 0);
	} else if (field_is_array(field)) {
		add_row(args, name, field);
	} else if (field_number(field, &number)) {
		if (is_enumeration(type))
			as = ARG_LABEL;
		else if (type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)
			as = ARG_SIGNED;
		else if (type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER &&
			 bt_field_class_integer_get_preferred_display_base(
				 bt_field_borrow_class_const(field)) ==
				 BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL)
			as = ARG_HEX;
		args_add(args, name, as, number, as == ARG_LABEL ? label(field) : NULL, NULL, 0);
	}
}

static void args_of_all(const struct args_reader *reader, struct args *args)
{
	const struct event_args *event = (const struct event_args *)reader;
	const bt_field_class *class;
	uint64_t count;

	if (!event->payload)
		return;
	class = bt_field_borrow_class_const(event->payload);
	count = bt_field_class_structure_get_member_count(class);
	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));

		/* Stacks have their own place; lengths are those of the rows behind them. */
		if (strcmp(name, "bt") == 0 || strcmp(name, "stack") == 0 || *name == '_')
			continue;
		add_field(args, name,
			  bt_field_structure_borrow_member_field_by_index_const(event->payload, i));
	}
}

static const struct args_reader *args_keep(const struct args_reader *reader)
{
	struct event_args *kept = g_memdup2(reader, sizeof(*kept));

	bt_message_get_ref(kept->message);
	return &kept->reader;
}

static void args_release(const struct args_reader *reader)
{
	struct event_args *kept = (struct event_args *)reader;

	bt_message_put_ref(kept->message);
	g_free(kept);
}

void event_args_init(struct event_args *args)
{
	*args = (struct event_args){ .reader = { .number = args_of_number,
						 .row = args_of_row,
						 .all = args_of_all,
						 .keep = args_keep,
						 .release = args_release },
				     .names = g_new0(struct field_names, 1) };
}

void event_args_fini(struct event_args *args)
{
	g_free(args->names);
}

const struct args_reader *event_args_of(struct event_args *args, const bt_message *message,
					const bt_event *event)
{
	args->message = message;
	args->payload = bt_event_borrow_payload_field_const(event);
	return &args->reader;
}
