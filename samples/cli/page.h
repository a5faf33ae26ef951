/* SPDX-License-Identifier: MIT */
/* HTML pages that are part of the command: files of pages/, made into arrays by the build. */
#ifndef SAMPLES_CLI_PAGE_H
#define SAMPLES_CLI_PAGE_H

#include "../common/textbuf.h"

extern const char page_test_html[];
extern const char page_trace_html[];

/* The page with `json` in its place for data. Strings in it must be escaped as textbuf_add_json does. */
void page_fill(const char *page, const struct textbuf *json, struct textbuf *out);

#endif
