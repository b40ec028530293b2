/* SPDX-License-Identifier: Apache-2.0 */
/* The named streams of a daemon: opened with their folder, counted, closed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams_core.h"

static void copy_text(char dir[SETTING_TEXT_ROOM], const char *at, size_t size, const char *behind)
{
	snprintf(dir, SETTING_TEXT_ROOM, "%.*s%s", (int)size, at, behind);
}

void streams_find_dir(const struct settings *settings, char dir[SETTING_TEXT_ROOM], bool *ret_named)
{
	const char *service = getenv("STATE_DIRECTORY"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	*ret_named = true;
	if (*settings->state_dir) {
		copy_text(dir, settings->state_dir, SETTING_TEXT_ROOM, "");
		return;
	}
	if (service && *service) { /* systemd separates several by colons */
		copy_text(dir, service, strcspn(service, ":"), "");
		return;
	}
	*ret_named = false;
	if (state && *state == '/')
		copy_text(dir, state, strlen(state), "/trnsci");
	else
		copy_text(dir, home && *home == '/' ? home : "", SETTING_TEXT_ROOM, "/.local/state/trnsci");
}

const struct error *streams_trouble(const struct streams *streams)
{
	return streams && streams->trouble.code ? &streams->trouble : NULL;
}

/* Locks a folder that was named. The user's default folder is locked when it is needed: other daemons of the user may use
 * it until then. */
static int take_folder(struct streams *streams, struct error *err)
{
	bool named;
	int r = 0;

	streams_find_dir(streams->settings, streams->dir, &named);
	if (named)
		r = store_lock(streams->dir, true, &streams->lock_fd, err);
	if (r < 0)
		return r;
	if (store_exists(streams->dir) && streams_load_state(streams, false, &streams->trouble) < 0)
		assert(streams->trouble.code);
	return 0;
}

/* Timed waits use the clock of stats_now_ns. */
static void init_wake(pthread_cond_t *wake)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(wake, &attributes);
	pthread_condattr_destroy(&attributes);
}

int streams_open(const struct settings *settings, struct streams **ret_streams, struct error *err)
{
	struct streams *streams = calloc(1, sizeof *streams);
	int r;

	if (!streams)
		return error_set(err, ERROR_NO_MEMORY, "streams: no memory for the table");
	streams->settings = settings;
	streams->lock_fd = -1;
	streams->last = &streams->first;
	pthread_mutex_init(&streams->lock, NULL);
	init_wake(&streams->wake);
	r = take_folder(streams, err);
	if (r == 0 && committer_start(streams) < 0)
		r = error_set(err, ERROR_SYSTEM, "streams: the committer's thread cannot be started");
	if (r < 0) {
		streams_close(streams);
		return r;
	}
	*ret_streams = streams;
	return 0;
}

int streams_close(struct streams *streams)
{
	if (!streams)
		return 0;
	int r = committer_stop(streams);

	for (size_t i = 0; i < streams->count; i++)
		free(streams->sorted[i]);
	if (streams->lock_fd >= 0)
		close(streams->lock_fd);
	pthread_cond_destroy(&streams->wake);
	pthread_mutex_destroy(&streams->lock);
	free(streams->sorted);
	free(streams->users);
	free(streams);
	return r;
}

int streams_stats(struct streams *streams, bool paths, struct bump *bump, struct value *map)
{
	struct {
		const char *name;
		uint64_t number;
	} rows[4];
	int failed = value_put(bump, map, "state_dir", paths ? value_string(streams->dir) : value_nil());
	const char *text;
	char *trouble;

	pthread_mutex_lock(&streams->lock);
	rows[0].name = "streams", rows[0].number = streams->count;
	rows[1].name = "commits", rows[1].number = streams->commits;
	rows[2].name = "failed_commits", rows[2].number = streams->failures;
	rows[3].name = "draws_that_waited", rows[3].number = streams->waits;
	text = !streams->trouble.code || paths ? streams->trouble.text : error_meaning(streams->trouble.code);
	trouble = bump_copy(bump, text, strlen(text));
	pthread_mutex_unlock(&streams->lock);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		failed |= value_put(bump, map, rows[i].name, value_uint(rows[i].number));
	return failed | !trouble | value_put(bump, map, "trouble", trouble && *trouble ? value_string(trouble) : value_nil());
}
