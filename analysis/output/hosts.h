/* SPDX-License-Identifier: MIT */
/* What each host has in a recording of several, and the sum; the same facts in text and JSON. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_HOSTS_H
#define KFDSCOPE_ANALYSIS_OUTPUT_HOSTS_H

#include <glib.h>
#include <jansson.h>

#include "model/model.h"

/* Nothing for a single host. */
void hosts_text(GString *text, const struct model *model);
/* @return an array with one object a host; NULL without memory. */
json_t *hosts_json(const struct model *model);

#endif
