/* SPDX-License-Identifier: MIT */
/* The files of page/ and of the chart library, taken in by the assembler (page.h). */
#include "output/page.h"

#if !defined(PAGE_DIR) || !defined(CHART_DIR)
#error "the build says where the files are"
#endif

#define PART(name, path)                                                                           \
	__asm__(".section .rodata\n" #name "_begin:\n\t.incbin \"" path "\"\n" #name               \
		"_end:\n\t.byte 0\n\t.previous\n");                                                \
	extern const char name##_begin[] __attribute__((visibility("hidden")));                    \
	extern const char name##_end[] __attribute__((visibility("hidden")));                      \
	const struct page_part name = { name##_begin, name##_end }

PART(page_html, PAGE_DIR "/page.html");
PART(page_style, PAGE_DIR "/page.css");
PART(page_script, PAGE_DIR "/page.js");
PART(page_chart_style, CHART_DIR "/dygraph.min.css");
PART(page_chart_script, CHART_DIR "/dygraph.min.js");
