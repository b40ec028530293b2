/* SPDX-License-Identifier: Apache-2.0 */
/* A session's kept memory, in the order in which it came back. */
#include "client_held.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/arena.h"
#include "engine/ring_page.h"
#include "limits/quota.h"

/* By the reaper: freeing pages takes its time. */
static void take_down(struct chore *chore)
{
	struct lent *lent = (struct lent *)((char *)chore - offsetof(struct lent, chore));

	shared_free(&lent->samples);
	shared_free(&lent->index);
	if (lent->charge)
		quota_give(lent->user, QUOTA_ARENA_BYTES, lent->charge);
	quota_user_close(lent->user);
	free(lent);
}

static void drop(struct lent *lent)
{
	lent->chore.run = take_down;
	reaper_post(&lent->chore);
}

/* The client's index is 0 again. It may write what it likes, now as later. */
static bool clear_index(const struct lent *lent)
{
	const struct ring_index none = {0};

	return pwrite(lent->index.fd, &none, sizeof none, 0) == (ssize_t)sizeof none;
}

/* What a ring of the same size has left. */
static struct lent *find_kept(struct session *session, uint64_t bytes)
{
	for (struct lent **at = &session->lent; *at; at = &(*at)->next) {
		struct lent *lent = *at;

		if (!lent->index.base || lent->samples.size != bytes || !clear_index(lent))
			continue;
		*at = lent->next;
		lent->next = NULL;
		return lent;
	}
	return NULL;
}

static int make(struct session *session, enum lent_use use, uint64_t bytes, struct lent **ret_lent, struct error *err)
{
	const bool ring = use == LENT_RING;
	const uint64_t charge = bytes + (ring ? arena_page() : 0);
	struct lent *lent = calloc(1, sizeof *lent);
	int r;

	if (lent)
		lent->user = quota_user_open(session->service->quota, quota_user_uid(session->user));
	if (!lent || !lent->user) {
		free(lent);
		return error_set(err, ERROR_NO_MEMORY, "ring: its memory");
	}
	lent->samples.fd = lent->index.fd = -1;
	r = quota_take(lent->user, QUOTA_ARENA_BYTES, charge, err);
	if (r == 0) {
		lent->charge = charge;
		r = shared_create(ring ? "trnsci-ring" : "trnsci-broadcast", bytes, SHARED_OURS, &lent->samples, err);
	}
	if (r == 0 && ring)
		r = shared_create("trnsci-index", arena_page(), SHARED_THEIRS, &lent->index, err);
	if (r < 0) {
		take_down(&lent->chore);
		return r;
	}
	*ret_lent = lent;
	return 0;
}

int lent_create(struct session *session, enum lent_use use, const struct args *args, unsigned samples_param,
		const struct noise *noise, bool named, struct lent **ret_lent, struct error *err)
{
	const uint64_t most = session->service->settings->ring_bytes, samples = args->at[samples_param].u64;
	const size_t sample_bytes = noise_sample_bytes(noise);
	const uint64_t capacity = ring_capacity(samples, sample_bytes, arena_page(), most);
	const uint64_t bytes = arena_page() + capacity * sample_bytes;
	struct lent *lent;
	int r = 0;

	if (capacity == 0)
		return bind_error(args, samples_param, err, ERROR_LIMIT,
				  "%" PRIu64 " samples of %zu bytes, allowed: the setting ring_bytes = %" PRIu64, samples,
				  sample_bytes, most);
	lent = use == LENT_RING ? find_kept(session, bytes) : NULL;
	if (!lent)
		r = make(session, use, bytes, &lent, err);
	if (r < 0)
		return r;
	lent->capacity = capacity;
	ring_page_begin(lent->samples.base, capacity, sample_bytes, named ? capacity : 0);
	*ret_lent = lent;
	return 0;
}

int lent_describe(const struct lent *lent, const struct noise *noise, bool named, struct zone *zone,
		  struct value *result)
{
	int failed = value_put(zone, result, "capacity", value_uint(lent->capacity));

	failed |= value_put(zone, result, "sample_bytes", value_uint(noise_sample_bytes(noise)));
	failed |= value_put(zone, result, "bytes", value_uint(lent->samples.size));
	failed |= value_put(zone, result, "data_offset", value_uint(arena_page()));
	if (lent->index.base)
		failed |= value_put(zone, result, "index_bytes", value_uint(lent->index.size));
	if (named)
		failed |= value_put(zone, result, "range", value_uint(lent->capacity));
	return failed | noise_describe(noise, zone, result);
}

int lent_copy(struct lent *lent, const struct shared *which)
{
	const int copy = fcntl(which->fd, F_DUPFD_CLOEXEC, 0);

	lent->had |= copy >= 0;
	return copy;
}

void lent_return(struct session *session, enum lent_use use, struct lent *lent)
{
	if (!lent)
		return;
	if (!lent->had) {
		drop(lent);
		return;
	}
	if (use == LENT_BROADCAST) { /* its pages are the reaper's to free, when the session ends */
		close(lent->samples.fd);
		lent->samples.fd = -1;
	}
	lent->next = session->lent;
	session->lent = lent;
}

void lent_end(struct session *session)
{
	while (session->lent) {
		struct lent *lent = session->lent;

		session->lent = lent->next;
		drop(lent);
	}
}
