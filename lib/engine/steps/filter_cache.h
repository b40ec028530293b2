/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of coloured noise that were designed last: a call that asks for one again does not design it again.
 *
 * A filter is designed by a deferred build of the run that first asks for it, so two runs at once may design the same; the cache
 * keeps one. Filters are constant once they are kept. Any thread. */
#ifndef TRNSCI_ENGINE_FILTER_CACHE_H
#define TRNSCI_ENGINE_FILTER_CACHE_H

#include "colored/colored_design.h"

struct filters;

/* A filter, its design, and the uses of it. The filter's maker owns all of it until filters_keep. */
struct filter_entry {
	struct colored_filter filter;
	struct colored_design design;
	double *table; /* the design's, owned */
	unsigned uses; /* the cache's lock; the cache is one */
	struct filter_entry *next;
};

/* bound_bytes: of all filters that are kept. Returns 0 or -ERROR_NO_MEMORY. */
int filters_create(size_t bound_bytes, struct filters **ret_filters);
/* Nothing may be in use. Accepts NULL. */
void filters_destroy(struct filters *filters);

/* Returns a use of the filter of that design, or NULL. */
struct filter_entry *filters_take(struct filters *filters, const struct colored_design *design, bool is_wide);
/* Adds a filter that has been made and has one use, its maker's. */
void filters_keep(struct filters *filters, struct filter_entry *entry);
/* Gives a use back; also of an entry that was never kept. */
void filters_give(struct filters *filters, struct filter_entry *entry);

#endif
