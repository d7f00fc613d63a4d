/* SPDX-License-Identifier: MIT */
/* Component parameters (params.h). */
#include "plugin/params.h"

#include <glib.h>
#include <string.h>

enum param_type {
	PARAM_STRING,
	PARAM_NUMBER, /* not negative */
	PARAM_FORMAT,
	PARAM_BOOL,
};

struct param {
	const char *name;
	enum param_type type;
	size_t offset, size; /* of the member of struct report_options */
};

#define PARAM(name, type, member)                                                                  \
	{                                                                                          \
		(name), (type), offsetof(struct report_options, member),                           \
			sizeof(((struct report_options *)NULL)->member)                            \
	}

static const struct param params_known[] = {
	PARAM("output", PARAM_STRING, output), PARAM("format", PARAM_FORMAT, format),
	PARAM("top", PARAM_NUMBER, top),       PARAM("begin-ns", PARAM_NUMBER, begin_ns),
	PARAM("end-ns", PARAM_NUMBER, end_ns), PARAM("debug-dirs", PARAM_STRING, debug_dirs),
	PARAM("runtime", PARAM_BOOL, runtime),
};

struct reading {
	bt_self_component *component;
	struct report_options *options;
	bool ok;
};

static bool set_number(const struct param *param, const bt_value *value, void *member)
{
	uint64_t number;

	if (bt_value_is_unsigned_integer(value)) {
		number = bt_value_integer_unsigned_get(value);
	} else if (bt_value_is_signed_integer(value) && bt_value_integer_signed_get(value) >= 0) {
		number = (uint64_t)bt_value_integer_signed_get(value); /* a bare "5" is signed */
	} else {
		return false;
	}
	if (param->size == sizeof(uint32_t)) {
		uint32_t narrow = (uint32_t)MIN(number, UINT32_MAX);

		memcpy(member, &narrow, sizeof(narrow));
	} else {
		memcpy(member, &number, sizeof(number));
	}
	return true;
}

static bool set_string(const struct param *param, const bt_value *value, void *member)
{
	const char *text;
	enum report_format format;

	if (!bt_value_is_string(value))
		return false;
	text = bt_value_string_get(value);
	if (param->type == PARAM_STRING) {
		memcpy(member, &text, sizeof(text));
		return true;
	}
	if (strcmp(text, "text") != 0 && strcmp(text, "json") != 0)
		return false;
	format = strcmp(text, "json") == 0 ? REPORT_JSON : REPORT_TEXT;
	memcpy(member, &format, sizeof(format));
	return true;
}

static bool set_member(const struct param *param, const bt_value *value, void *member)
{
	bool flag;

	switch (param->type) {
	case PARAM_NUMBER:
		return set_number(param, value, member);
	case PARAM_BOOL:
		if (!bt_value_is_bool(value))
			return false;
		flag = bt_value_bool_get(value);
		memcpy(member, &flag, sizeof(flag));
		return true;
	case PARAM_STRING:
	case PARAM_FORMAT:
		break;
	}
	return set_string(param, value, member);
}

static const char *expected(enum param_type type)
{
	switch (type) {
	case PARAM_STRING:
		return "a string";
	case PARAM_NUMBER:
		return "a number that is not negative";
	case PARAM_BOOL:
		return "true or false";
	case PARAM_FORMAT:
		return "\"text\" or \"json\"";
	}
	return "?";
}

static bt_value_map_foreach_entry_const_func_status read_param(const char *key,
							       const bt_value *value, void *data)
{
	struct reading *reading = data;

	for (size_t i = 0; i < G_N_ELEMENTS(params_known); i++) {
		const struct param *param = &params_known[i];
		void *member = (char *)reading->options + param->offset;

		if (strcmp(param->name, key) != 0)
			continue;
		if (set_member(param, value, member))
			return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(reading->component,
								    "parameter '%s' must be %s",
								    key, expected(param->type));
		reading->ok = false;
		return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_ERROR;
	}
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
		reading->component,
		"unknown parameter '%s': known are output, format, top, "
		"begin-ns, end-ns, debug-dirs and runtime",
		key);
	reading->ok = false;
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_ERROR;
}

bool params_read(bt_self_component *component, const bt_value *params,
		 struct report_options *options)
{
	struct reading reading = { component, options, true };

	memset(options, 0, sizeof(*options));
	(void)bt_value_map_foreach_entry_const(params, read_param, &reading);
	return reading.ok;
}
