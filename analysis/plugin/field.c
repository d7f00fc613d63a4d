/* SPDX-License-Identifier: MIT */
/* Reading fields by what their classes say (field.h). */
#include "plugin/field.h"

#include <glib.h>
#include <string.h>

int64_t field_member(const bt_field_class *structure, const char *name)
{
	uint64_t count;

	if (!structure)
		return -1;
	count = bt_field_class_structure_get_member_count(structure);
	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0)
			return (int64_t)i;
	}
	return -1;
}

static enum field_reading reading_of(const bt_field_class *class)
{
	switch (bt_field_class_get_type(class)) {
	case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
		return READ_UNSIGNED;
	case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
		return READ_SIGNED;
	case BT_FIELD_CLASS_TYPE_STATIC_ARRAY:
	case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITHOUT_LENGTH_FIELD:
	case BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD:
		return reading_of(bt_field_class_array_borrow_element_field_class_const(class)) ==
				       READ_UNSIGNED
			       ? READ_ROW_OF_UNSIGNED
			       : READ_OTHER;
	case BT_FIELD_CLASS_TYPE_STRING:
		return READ_TEXT;
	default:
		return READ_OTHER;
	}
}

enum field_reading field_member_reading(const bt_field_class *structure, int64_t index)
{
	return reading_of(bt_field_class_structure_member_borrow_field_class_const(
		bt_field_class_structure_borrow_member_by_index_const(structure, (uint64_t)index)));
}

bool field_number(const bt_field *field, uint64_t *value)
{
	switch (bt_field_get_class_type(field)) {
	case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
		*value = bt_field_integer_unsigned_get_value(field);
		return true;
	case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
	case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
		*value = (uint64_t)bt_field_integer_signed_get_value(field);
		return true;
	case BT_FIELD_CLASS_TYPE_BOOL:
		*value = bt_field_bool_get_value(field);
		return true;
	default:
		return false;
	}
}

bool field_is_array(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	return type == BT_FIELD_CLASS_TYPE_STATIC_ARRAY ||
	       type == BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITHOUT_LENGTH_FIELD ||
	       type == BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD;
}

uint32_t field_row(const bt_field *field, enum field_reading reading, uint64_t *numbers,
		   uint32_t max)
{
	uint64_t length;

	if (reading != READ_ROW_OF_UNSIGNED && !field_is_array(field))
		return 0;
	length = MIN(bt_field_array_get_length(field), max);
	if (reading == READ_ROW_OF_UNSIGNED) {
		for (uint64_t i = 0; i < length; i++)
			numbers[i] = bt_field_integer_unsigned_get_value(
				bt_field_array_borrow_element_field_by_index_const(field, i));
		return (uint32_t)length;
	}
	/* All elements are of one class. */
	for (uint64_t i = 0; i < length; i++)
		if (!field_number(bt_field_array_borrow_element_field_by_index_const(field, i),
				  &numbers[i]))
			return 0;
	return (uint32_t)length;
}
