/* SPDX-License-Identifier: MIT */
/*
 * Values of babeltrace2's fields. How a field is read is known from its class, so that events need not
 * be asked again.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_FIELD_H
#define KFDSCOPE_ANALYSIS_PLUGIN_FIELD_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

enum field_reading {
	READ_UNSIGNED,
	READ_SIGNED,
	READ_ROW_OF_UNSIGNED, /* stacks and ids, the longest rows */
	READ_TEXT,
	READ_OTHER,
};

/* @return the index of a member of a structure, or -1; class may be NULL. */
int64_t field_member(const bt_field_class *structure, const char *name);
/* @param index  of a member that is there. */
enum field_reading field_member_reading(const bt_field_class *structure, int64_t index);

bool field_is_array(const bt_field *field);
/* @return false when the field is no number. */
bool field_number(const bt_field *field, uint64_t *value);
/* Integers in a row. @return how many of at most max; 0 when it is none. */
uint32_t field_row(const bt_field *field, enum field_reading reading, uint64_t *numbers,
		   uint32_t max);

/*
 * The text of a string field, borrowed. In babeltrace2 2.0 a string that was read and is empty has no
 * characters, but the bytes of the event whose memory it has got: only its length tells.
 */
static inline const char *field_text(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

/* field_number() for a field of a class that has said already how. */
static inline bool field_number_as(const bt_field *field, enum field_reading reading,
				   uint64_t *value)
{
	switch (reading) {
	case READ_UNSIGNED:
		*value = bt_field_integer_unsigned_get_value(field);
		return true;
	case READ_SIGNED:
		*value = (uint64_t)bt_field_integer_signed_get_value(field);
		return true;
	case READ_ROW_OF_UNSIGNED:
	case READ_TEXT:
		return false;
	case READ_OTHER:
		break;
	}
	return field_number(field, value);
}

#endif
