/* SPDX-License-Identifier: Apache-2.0 */
#include "fft/plan/inner.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
	uint64_t n;
	enum fft_precision precision;
	uint32_t features;
	struct fft_plan *plan;
	size_t users;
	struct entry *next;
};

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	struct entry *first;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void lock_list(void)
{
	pthread_mutex_lock(&list.lock);
}

static void unlock_list(void)
{
	pthread_mutex_unlock(&list.lock);
}

/* A child of a process with threads must find the list whole and its lock open. */
static void watch_forks(void)
{
	pthread_atfork(lock_list, unlock_list, unlock_list);
}

static struct entry *find_entry(uint64_t n, enum fft_precision precision, uint32_t features)
{
	struct entry *entry = list.first;

	while (entry && (entry->n != n || entry->precision != precision || entry->features != features))
		entry = entry->next;
	return entry;
}

struct fft_plan *inner_take(uint64_t n, enum fft_precision precision, uint32_t features)
{
	struct entry *entry;

	lock_list();
	entry = find_entry(n, precision, features);
	if (entry)
		entry->users++;
	unlock_list();
	return entry ? entry->plan : NULL;
}

/* Without memory the plan stays its owner's alone. */
void inner_add(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan *plan)
{
	struct entry *entry;

	pthread_once(&list.once, watch_forks);
	lock_list();
	entry = find_entry(n, precision, features) ? NULL : malloc(sizeof *entry);
	if (entry) {
		*entry = (struct entry){n, precision, features, plan, 1, list.first};
		list.first = entry;
	}
	unlock_list();
}

bool inner_give(const struct fft_plan *plan)
{
	struct entry **at = &list.first, *entry;
	bool last = plan != NULL;

	lock_list();
	while (*at && (*at)->plan != plan)
		at = &(*at)->next;
	entry = *at;
	if (entry && --entry->users > 0) {
		last = false;
	} else if (entry) {
		*at = entry->next;
		free(entry);
	}
	unlock_list();
	return last;
}
