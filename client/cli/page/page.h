/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon's figures as one page of HTML: SVG inside, no script, nothing from elsewhere, light and dark. */
#ifndef TRNSCI_CLI_PAGE_PAGE_H
#define TRNSCI_CLI_PAGE_PAGE_H

#include <stdio.h>
#include <time.h>

#include <trnsci/trnsci.h>

#include "sections.h"

struct page {
	const char *address;
	time_t now;
	const struct trnsci_value *stats;   /* the reply of `stats` */
	const struct trnsci_value *clients; /* the list of `clients` */
	const struct trnsci_value *slow;    /* the reply of `slow`; NULL: an older daemon */
	const struct trnsci_value *streams; /* the list of stream_list; NULL: it failed, for this reason: */
	const char *streams_error;
	const float *spectrum; /* PAGE_BINS of welch of normal samples; NULL: there is none */
};

void page_write(FILE *out, const struct page *page);

#endif
