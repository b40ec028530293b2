/* SPDX-License-Identifier: Apache-2.0 */
/* A list, the last used first. It is short, so it is searched. */
#include "engine/steps/filter_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

enum { FILTERS_MOST = 64 };

struct filters {
	pthread_mutex_t lock;
	size_t bound, bytes; /* of those in the list */
	size_t count;
	struct filter_entry *first;
};

static size_t bytes_of(const struct filter_entry *entry)
{
	const size_t numbers = (size_t)entry->filter.block + 2;

	return sizeof *entry + numbers * (entry->filter.is_wide ? sizeof(double) : sizeof(float)) +
	       2 * entry->design.n_table * sizeof *entry->table;
}

static void unuse(struct filter_entry *entry)
{
	if (--entry->uses > 0)
		return;
	colored_filter_free(&entry->filter);
	free(entry->table);
	free(entry);
}

/* Takes an entry out of the list. */
static void unlink_entry(struct filters *filters, struct filter_entry **at)
{
	struct filter_entry *entry = *at;

	*at = entry->next;
	filters->count--;
	filters->bytes -= bytes_of(entry);
}

static void link_first(struct filters *filters, struct filter_entry *entry)
{
	entry->next = filters->first;
	filters->first = entry;
	filters->count++;
	filters->bytes += bytes_of(entry);
}

/* Drops the last of the list. */
static void drop_last(struct filters *filters)
{
	struct filter_entry **at = &filters->first, *entry;

	while ((*at)->next)
		at = &(*at)->next;
	entry = *at;
	unlink_entry(filters, at);
	unuse(entry);
}

/* Returns where the filter of that design stands in the list, or its end. */
static struct filter_entry **find_entry(struct filters *filters, const struct colored_design *design, bool is_wide)
{
	struct filter_entry **at = &filters->first;

	while (*at && ((*at)->filter.is_wide != is_wide || !colored_design_equal(&(*at)->design, design)))
		at = &(*at)->next;
	return at;
}

int filters_create(size_t bound_bytes, struct filters **ret_filters)
{
	struct filters *filters = calloc(1, sizeof *filters);

	if (!filters)
		return -ERROR_NO_MEMORY;
	filters->bound = bound_bytes;
	pthread_mutex_init(&filters->lock, NULL);
	*ret_filters = filters;
	return 0;
}

void filters_destroy(struct filters *filters)
{
	if (!filters)
		return;
	while (filters->first) {
		assert(filters->first->uses == 1);
		drop_last(filters);
	}
	pthread_mutex_destroy(&filters->lock);
	free(filters);
}

struct filter_entry *filters_take(struct filters *filters, const struct colored_design *design, bool is_wide)
{
	struct filter_entry **at, *entry;

	pthread_mutex_lock(&filters->lock);
	at = find_entry(filters, design, is_wide);
	entry = *at;
	if (entry) {
		entry->uses++;
		unlink_entry(filters, at);
		link_first(filters, entry);
	}
	pthread_mutex_unlock(&filters->lock);
	return entry;
}

/* One that alone is too large does not drive out the others. */
void filters_keep(struct filters *filters, struct filter_entry *entry)
{
	pthread_mutex_lock(&filters->lock);
	if (bytes_of(entry) <= filters->bound && !*find_entry(filters, &entry->design, entry->filter.is_wide)) {
		entry->uses++;
		link_first(filters, entry);
	}
	while (filters->bytes > filters->bound || filters->count > FILTERS_MOST)
		drop_last(filters);
	pthread_mutex_unlock(&filters->lock);
}

void filters_give(struct filters *filters, struct filter_entry *entry)
{
	pthread_mutex_lock(&filters->lock);
	unuse(entry);
	pthread_mutex_unlock(&filters->lock);
}
