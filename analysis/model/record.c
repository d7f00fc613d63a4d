/* SPDX-License-Identifier: MIT */
/* The names of fields and the meaning of calls, from their two lists. */
#include "record.h"

#include <string.h>

static const char *const field_names[] = {
#define FIELD(name, text) [FIELD_##name] = text,
#include "field.def"
#undef FIELD
};

_Static_assert(FIELD_COUNT <= 64, "a record keeps one bit for each field");
_Static_assert(sizeof(field_names) / sizeof(field_names[0]) == FIELD_COUNT, "a name each");

static const struct {
	enum layer layer;
	const char *name;
	enum call_op op;
} known_calls[] = {
#define CALL(layer, name, op) { LAYER_##layer, name, OP_##op },
#include "call.def"
#undef CALL
};

const char *field_name(enum field field)
{
	return field < FIELD_COUNT ? field_names[field] : NULL;
}

enum field field_by_name(const char *name)
{
	for (int i = 0; i < FIELD_COUNT; i++) {
		if (strcmp(field_names[i], name) == 0)
			return (enum field)i;
	}
	return FIELD_COUNT;
}

enum call_op call_op_by_name(enum layer layer, const char *name)
{
	for (size_t i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++) {
		if (known_calls[i].layer == layer && strcmp(known_calls[i].name, name) == 0)
			return known_calls[i].op;
	}
	return OP_OTHER;
}
