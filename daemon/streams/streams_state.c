/* SPDX-License-Identifier: Apache-2.0 */
/* The state of named streams on disk, as the committer sees it: opened, watched, and left at the stop.
 *
 * The daemon looks where the state lies at every commit, at the stop, and each second while positions are issued from blocks
 * that were reserved before. An idle daemon is not woken. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "stats.h"
#include "streams_core.h"

#define CHECK_EVERY_NS 1000000000ull

/* ---- opening ---- */

/* Skips a block that a crash has left: some of its positions may have been issued. */
static void skip_block(struct named_stream *named)
{
	struct store_stream *row = &named->row;

	if (row->issued == row->reserved)
		return;
	row->skips++;
	row->skipped += row->reserved - row->issued;
	if (row->skipped > STORE_GROUPS)
		row->skipped = STORE_GROUPS;
	row->skipped_from = row->issued;
	row->skipped_until = row->reserved;
	log_line(LEVEL_WARNING, "stream %s: positions %" PRIu64 " to %" PRIu64 " are skipped after a crash", row->name,
		 row->issued * store_group_positions(row), row->reserved * store_group_positions(row));
}

static int add_loaded(void *arg, const struct store_stream *row)
{
	struct streams *streams = arg;
	struct named_stream *named = named_stream_new(streams, row->noise, row->noise_size);

	if (!named)
		return -ERROR_NO_MEMORY;
	named->row = *row;
	named->row.noise = row->noise ? named->noise : NULL;
	named->state = NAMED_LIVE;
	skip_block(named);
	named->next = row->reserved;
	if (streams_insert(streams, named))
		return 0;
	free(named);
	return -ERROR_NO_MEMORY;
}

/* Locks the folder, if that was not done at the start, and opens its state. `damaged` says then whether another try can help. */
static int open_state(struct streams *streams, bool make, struct error *err)
{
	enum store_fault fault = STORE_SOUND;
	int r = 0;

	if (streams->lock_fd < 0)
		r = store_lock(streams->dir, make, &streams->lock_fd, err);
	const struct store_folder folder = {streams->dir, streams->lock_fd, NULL};

	if (r == 0)
		r = store_open(&folder, make, &streams->store, &fault, err);
	pthread_mutex_lock(&streams->lock);
	streams->damaged = fault != STORE_SOUND;
	pthread_mutex_unlock(&streams->lock);
	return r;
}

/* Undoes a load that has failed: only the new streams stay, and are counted. */
static void unload_streams(struct streams *streams, struct named_stream **fresh, size_t count, size_t room)
{
	for (size_t i = 0; i < streams->count; i++)
		if (streams->sorted[i]->state != NAMED_NEW)
			free(streams->sorted[i]);
	free(streams->sorted);
	for (size_t i = 0; i < streams->n_users; i++) {
		struct user_count *user = &streams->users[i];

		user->streams = 0;
		for (size_t k = 0; k < count; k++)
			user->streams += fresh[k]->row.uid == user->uid;
	}
	for (size_t k = 0; k < count; k++)
		fresh[k]->listed = true;
	streams->sorted = fresh;
	streams->count = count;
	streams->room = room;
}

/* Loads all streams of the state. Those that are in memory already are new: their create has caused this. One whose name
 * the state has (another daemon created it meanwhile) is taken off the index. */
static int load_streams(struct streams *streams, struct error *err)
{
	struct named_stream **fresh = streams->sorted;
	const size_t n_fresh = streams->count, room = streams->room;
	bool found;
	int r;

	for (size_t i = 0; i < streams->n_users; i++)
		streams->users[i].streams = 0;
	streams->sorted = NULL;
	streams->count = streams->room = 0;
	r = store_load(streams->store, add_loaded, streams, err);
	for (size_t i = 0; i < n_fresh && r == 0; i++) {
		streams_index(streams, fresh[i]->row.name, &found);
		fresh[i]->listed = !found;
		if (!found && !streams_insert(streams, fresh[i]))
			r = -ERROR_NO_MEMORY;
	}
	if (r == -ERROR_NO_MEMORY)
		error_set(err, ERROR_NO_MEMORY, "streams: no memory for the table");
	if (r < 0)
		unload_streams(streams, fresh, n_fresh, room);
	else
		free(fresh);
	return r;
}

/* Logs what the administrator should know of the folder. */
static void warn_of_folder(const struct streams *streams)
{
	const struct store_folder folder = {streams->dir, streams->lock_fd, NULL};
	char text[STORE_NOTE_ROOM];

	if (!store_is_marked(streams->store))
		log_line(LEVEL_WARNING,
			 "%s: its file system keeps no extended attributes: a state that was restored, copied or moved is not "
			 "detected",
			 streams->dir);
	if (store_find_writable(&folder, text))
		log_line(LEVEL_WARNING, "%s can be written by other users, who can make streams repeat numbers", text);
}

int streams_load_state(struct streams *streams, bool make, struct error *err)
{
	int r = open_state(streams, make, err);

	if (r < 0)
		return r;
	pthread_mutex_lock(&streams->lock);
	r = load_streams(streams, err);
	pthread_mutex_unlock(&streams->lock);
	if (r == 0)
		warn_of_folder(streams);
	if (r == 0)
		return 0;
	store_close(streams->store);
	streams->store = NULL;
	return r;
}

/* ---- watching ---- */

/* Call it with the lock held. */
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

	if (r == -ERROR_SYSTEM) /* unknown: the trouble stays as it was */
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

void streams_wait(struct streams *streams)
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

void streams_restore_state(struct streams *streams)
{
	struct error err = {0};
	int r = 0;

	if (streams->store) {
		streams_check_placement(streams, &err);
		pthread_mutex_lock(&streams->lock);
		streams->reopen = false;
		pthread_mutex_unlock(&streams->lock);
		return;
	}
	r = store_exists(streams->dir) ? streams_load_state(streams, false, &err) : 0;

	pthread_mutex_lock(&streams->lock);
	streams->trouble = r < 0 ? err : (struct error){0};
	streams->reopen = false;
	pthread_mutex_unlock(&streams->lock);
	if (r == 0)
		log_line(LEVEL_INFO, "the state of named streams can be read again");
}

/* ---- the end ---- */

/* Gives back what was reserved and not issued, in one transaction. If it fails, the blocks are skipped at the next start as
 * after a crash. No lock: the committer's thread has ended, and no request is under way. */
static int give_reservations_back(struct streams *streams, struct error *err)
{
	int r = store_begin(streams->store, err);

	for (size_t i = 0; i < streams->count && r == 0; i++) {
		struct named_stream *named = streams->sorted[i];

		if (named->row.issued == named->next && named->row.reserved == named->next)
			continue;
		named->row.issued = named->row.reserved = named->next;
		r = store_put(streams->store, &named->row, err);
	}
	if (r == 0)
		return store_commit(streams->store, err);
	store_rollback(streams->store);
	return r;
}

/* Writes nothing if the state is no longer at its path: the administrator decides which one to keep. */
int streams_end_state(struct streams *streams)
{
	struct error err;
	int r = streams_check_placement(streams, &err);

	if (r == 0)
		r = give_reservations_back(streams, &err);
	if (store_is_misplaced(streams->store)) {
		log_line(LEVEL_ERROR, "%s: the state in the folder lacks positions that were issued", err.text);
		return -ERROR_STORE;
	}
	if (r < 0)
		log_line(LEVEL_ERROR, "%s: the reserved blocks of streams will be skipped", err.text);
	return 0;
}
