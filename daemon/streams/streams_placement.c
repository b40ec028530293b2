/* SPDX-License-Identifier: Apache-2.0 */
/* Watches where the state lies: at every commit, at the stop, and each second while positions are issued from blocks that
 * were reserved before. An idle daemon is not woken. */
#include <string.h>
#include <time.h>

#include "log.h"
#include "stats.h"
#include "streams_core.h"

#define CHECK_EVERY_NS 1000000000ull

/* With the lock. */
static void note_placement(struct streams *streams, bool misplaced, const struct error *err)
{
	if (misplaced == streams->misplaced)
		return;
	streams->misplaced = misplaced;
	streams->trouble = misplaced ? *err : (struct error){0};
	if (misplaced)
		log_line(LEVEL_ERROR, "no named streams: %s", err->text);
	else
		log_line(LEVEL_INFO, "the state of named streams is back in its place");
}

int streams_check_placement(struct streams *streams, struct error *err)
{
	int r = store_check_placement(streams->store, err);

	if (r == -ERROR_SYSTEM) /* not known: it stays as it was */
		return r;
	pthread_mutex_lock(&streams->lock);
	note_placement(streams, r < 0, err);
	pthread_mutex_unlock(&streams->lock);
	return r;
}

void streams_note_draw(struct streams *streams)
{
	if (streams->drawn)
		return;
	streams->drawn = true;
	pthread_cond_signal(&streams->wake);
}

void committer_wait(struct streams *streams)
{
	const struct timespec until = {(time_t)(streams->check_ns / 1000000000), (long)(streams->check_ns % 1000000000)};
	struct error err;

	if (!streams->drawn) {
		pthread_cond_wait(&streams->wake, &streams->lock);
	} else if (stats_now_ns() < streams->check_ns) {
		pthread_cond_timedwait(&streams->wake, &streams->lock, &until);
	} else {
		streams->drawn = false;
		streams->check_ns = stats_now_ns() + CHECK_EVERY_NS;
		pthread_mutex_unlock(&streams->lock);
		if (streams->store)
			streams_check_placement(streams, &err);
		pthread_mutex_lock(&streams->lock);
	}
}
