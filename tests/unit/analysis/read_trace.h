/* SPDX-License-Identifier: MIT */
/* A finished model from the text of a trace, for tests of the model. After cmocka's header. */
#ifndef KFDSCOPE_TESTS_UNIT_ANALYSIS_READ_TRACE_H
#define KFDSCOPE_TESTS_UNIT_ANALYSIS_READ_TRACE_H

#include "text_trace.h"

/* @return the caller's; a trace that is no trace fails the test. */
static inline struct model *read_trace(const char *text)
{
	struct model *model = model_new();
	char *error = text_trace_read(model, text, NULL);

	if (error)
		fail_msg("%s", error);
	model_finish(model);
	return model;
}

#endif
