/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of HTML: text that cannot become markup, and numbers as people read them. */
#ifndef TRNSCI_CLI_PAGE_HTML_H
#define TRNSCI_CLI_PAGE_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

/* Writes bytes as text, also inside quotes: markup's characters become references, and what is not printable ASCII becomes
 * a question mark. */
void html_text(FILE *out, const char *text, size_t size);
/* Write a string, and a value's text (nothing for a value of another kind), as html_text does. */
void html_string(FILE *out, const char *text);
void html_value(FILE *out, const struct trnsci_value *value);

/* "12,345,678" */
void html_count(FILE *out, uint64_t count);
/* "3.52 GiB" */
void html_bytes(FILE *out, double bytes);
/* "48 ns", "3.1 ms", "2.4 s"; microseconds with their own letter */
void html_time(FILE *out, double us);

#endif
