/* SPDX-License-Identifier: MIT */
/* Notes on who asked for an object (origin.h). */
#include "origin.h"

#include <stddef.h>

static kmt_origin_source current_source;

void kmt_origin_set_source(kmt_origin_source source)
{
	current_source = source;
}

uint64_t kmt_origin(void)
{
	return current_source ? current_source() : 0;
}
