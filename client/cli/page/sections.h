/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the page of status --html, and its style. */
#ifndef TRNSCI_CLI_PAGE_SECTIONS_H
#define TRNSCI_CLI_PAGE_SECTIONS_H

#include <stdio.h>

#include <trnsci/trnsci.h>

/* A spectrum is welch of so many normal samples, by segments of so many. Rows: the most that a table shows. */
enum { PAGE_SPECTRUM_SAMPLES = 65536, PAGE_SEGMENT = 512, PAGE_BINS = PAGE_SEGMENT / 2 + 1, PAGE_ROWS = 40 };

extern const char page_style[];

void page_write_lanes(FILE *out, const struct trnsci_value *lanes);
void page_write_latencies(FILE *out, const struct trnsci_value *latency);
void page_write_spectrum(FILE *out, const float *spectrum);
/* reply: that of `slow`. */
void page_write_slow(FILE *out, const struct trnsci_value *reply);
void page_write_clients(FILE *out, const struct trnsci_value *clients);
/* error: why there is no list, where streams is NULL. */
void page_write_streams(FILE *out, const struct trnsci_value *streams, const char *error);

#endif
