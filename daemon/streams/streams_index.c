/* SPDX-License-Identifier: Apache-2.0 */
/* The streams, sorted by name, and how many each user has. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "streams_core.h"

enum { FIRST_BLOCK = 1 << 14 }; /* groups; doubles while a stream is drawn from quickly */

size_t streams_index(const struct streams *streams, const char *name, bool *ret_found)
{
	size_t low = 0, high = streams->count;

	*ret_found = false;
	while (low < high && !*ret_found) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(streams->sorted[middle]->row.name, name);

		*ret_found = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

struct user_count *streams_user(struct streams *streams, uint32_t uid)
{
	struct user_count *users;

	for (size_t i = 0; i < streams->n_users; i++)
		if (streams->users[i].uid == uid)
			return &streams->users[i];
	users = realloc(streams->users, (streams->n_users + 1) * sizeof *users);
	if (!users)
		return NULL;
	streams->users = users;
	users[streams->n_users] = (struct user_count){uid, 0};
	return &users[streams->n_users++];
}

static bool grow_index(struct streams *streams)
{
	const size_t room = streams->room ? 2 * streams->room : 64;
	struct named_stream **sorted;

	if (streams->count < streams->room)
		return true;
	sorted = realloc(streams->sorted, room * sizeof *sorted);
	if (!sorted)
		return false;
	streams->sorted = sorted;
	streams->room = room;
	return true;
}

bool streams_insert(struct streams *streams, struct named_stream *named)
{
	bool found;
	const size_t at = streams_index(streams, named->row.name, &found);
	struct user_count *user = streams_user(streams, named->row.uid);

	assert(!found);
	if (!user || !grow_index(streams))
		return false;
	memmove(streams->sorted + at + 1, streams->sorted + at, (streams->count - at) * sizeof *streams->sorted);
	streams->sorted[at] = named;
	named->listed = true;
	streams->count++;
	user->streams++;
	return true;
}

void streams_remove(struct streams *streams, struct named_stream *named)
{
	bool found;
	const size_t at = streams_index(streams, named->row.name, &found);

	assert(found && streams->sorted[at] == named);
	streams->count--;
	memmove(streams->sorted + at, streams->sorted + at + 1, (streams->count - at) * sizeof *streams->sorted);
	streams_user(streams, named->row.uid)->streams--;
}

struct named_stream *named_stream_new(const struct streams *streams, const char *noise, size_t noise_size)
{
	const uint64_t most = streams->settings->stream_block / STREAM_GROUP_WORDS;
	struct named_stream *named = calloc(1, sizeof *named + noise_size);

	if (!named)
		return NULL;
	named->block = most < FIRST_BLOCK ? most : FIRST_BLOCK;
	named->reserve.kind = COMMIT_RESERVE;
	named->reserve.named = named;
	named->waiters_last = &named->waiters;
	if (noise) {
		memcpy(named->noise, noise, noise_size);
		named->row.noise = named->noise;
		named->row.noise_size = noise_size;
	}
	return named;
}
