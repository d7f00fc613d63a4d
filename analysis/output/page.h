/* SPDX-License-Identifier: MIT */
/* The parts of the HTML report that are the same for every recording; embedded when it is built. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_PAGE_H
#define KFDSCOPE_ANALYSIS_OUTPUT_PAGE_H

#include <stddef.h>

struct page_part {
	const char *begin, *end;
};

/* The skeleton, with a line "@NAME@" where each of the other parts and the data go. */
extern const struct page_part page_html;
extern const struct page_part page_style, page_script;
/* The chart library (dygraphs). */
extern const struct page_part page_chart_style, page_chart_script;

#endif
