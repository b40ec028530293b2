/* SPDX-License-Identifier: Apache-2.0 */
/* session->held lists the memory in the order in which it was released, the last first. */
#include "client_held.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/producers/ring_layout.h"
#include "limits/quota.h"
#include "memory/arena.h"

/* On the background worker's thread. */
static void free_held(struct background_task *task)
{
	struct client_held *held = (struct client_held *)((char *)task - offsetof(struct client_held, free_task));

	sealed_memfd_free(&held->samples);
	sealed_memfd_free(&held->index);
	if (held->charge)
		quota_give(held->user, QUOTA_ARENA_BYTES, held->charge);
	quota_user_close(held->user);
	free(held);
}

static void free_held_in_background(struct client_held *held)
{
	held->free_task.run = free_held;
	background_post(&held->free_task);
}

/* Sets the client's index to 0. The client can write it at any moment, so this is only for a good one. */
static bool clear_index(const struct client_held *held)
{
	const struct ring_index none = {0};

	return pwrite(held->index.fd, &none, sizeof none, 0) == (ssize_t)sizeof none;
}

/* Takes the memory that a ring of the same size has left, or returns NULL. Its client has mapped both parts all along, so what
 * it reads there is only what it was given before, and it gains nothing by writing the index now. */
static struct client_held *take_released(struct session *session, uint64_t bytes)
{
	for (struct client_held **at = &session->held; *at; at = &(*at)->next) {
		struct client_held *held = *at;

		if (!held->index.base || held->samples.size != bytes || !clear_index(held))
			continue;
		*at = held->next;
		held->next = NULL;
		return held;
	}
	return NULL;
}

static int make_held(struct session *session, enum client_held_use use, uint64_t bytes, struct client_held **ret_held, struct error *err)
{
	const bool ring = use == CLIENT_HELD_RING;
	const uint64_t charge = bytes + (ring ? arena_page() : 0);
	struct client_held *held = calloc(1, sizeof *held);
	int r;

	if (held)
		held->user = quota_user_open(session->service->quota, quota_user_uid(session->user));
	if (!held || !held->user) {
		free(held);
		return error_set(err, ERROR_NO_MEMORY, "ring: its memory");
	}
	held->samples.fd = held->index.fd = -1;
	r = quota_take(held->user, QUOTA_ARENA_BYTES, charge, err);
	if (r == 0) {
		held->charge = charge;
		r = sealed_memfd_create(ring ? "trnsci-ring" : "trnsci-broadcast", bytes, SEALED_MEMFD_DAEMON_WRITES, &held->samples, err);
	}
	if (r == 0 && ring)
		r = sealed_memfd_create("trnsci-index", arena_page(), SEALED_MEMFD_CLIENT_WRITES, &held->index, err);
	if (r < 0) {
		free_held(&held->free_task);
		return r;
	}
	*ret_held = held;
	return 0;
}

int client_held_create(struct session *session, enum client_held_use use, const struct args *args,
		       unsigned samples_param, const struct sampler *sampler, bool named, struct client_held **ret_held,
		       struct error *err)
{
	const uint64_t most = session->service->settings->ring_bytes, samples = args->at[samples_param].u64;
	const size_t sample_bytes = sampler_sample_bytes(sampler);
	const uint64_t capacity = ring_capacity(samples, sample_bytes, arena_page(), most);
	const uint64_t bytes = arena_page() + capacity * sample_bytes;
	struct client_held *held;
	int r = 0;

	if (capacity == 0)
		return bind_error(args, samples_param, err, ERROR_LIMIT,
				  "%" PRIu64 " samples of %zu bytes, allowed: the setting ring_bytes = %" PRIu64, samples,
				  sample_bytes, most);
	held = use == CLIENT_HELD_RING ? take_released(session, bytes) : NULL;
	if (!held)
		r = make_held(session, use, bytes, &held, err);
	if (r < 0)
		return r;
	held->capacity = capacity;
	ring_page_begin(held->samples.base, capacity, sample_bytes, named ? capacity : 0);
	*ret_held = held;
	return 0;
}

int client_held_describe(const struct client_held *held, const struct sampler *sampler, bool named, struct bump *bump,
			 struct value *result)
{
	int failed = value_put(bump, result, "capacity", value_uint(held->capacity));

	failed |= value_put(bump, result, "sample_bytes", value_uint(sampler_sample_bytes(sampler)));
	failed |= value_put(bump, result, "bytes", value_uint(held->samples.size));
	failed |= value_put(bump, result, "data_offset", value_uint(arena_page()));
	if (held->index.base)
		failed |= value_put(bump, result, "index_bytes", value_uint(held->index.size));
	if (named)
		failed |= value_put(bump, result, "range", value_uint(held->capacity));
	return failed | sampler_describe(sampler, bump, result);
}

int client_held_dup(struct client_held *held, const struct sealed_memfd *which)
{
	const int copy = fcntl(which->fd, F_DUPFD_CLOEXEC, 0);

	held->received |= copy >= 0;
	return copy;
}

void client_held_release(struct session *session, enum client_held_use use, struct client_held *held)
{
	if (!held)
		return;
	if (!held->received) {
		free_held_in_background(held);
		return;
	}
	if (use == CLIENT_HELD_BROADCAST) { /* only its mapping is kept, until the session ends */
		close(held->samples.fd);
		held->samples.fd = -1;
	}
	held->next = session->held;
	session->held = held;
}

void client_held_end(struct session *session)
{
	while (session->held) {
		struct client_held *held = session->held;

		session->held = held->next;
		free_held_in_background(held);
	}
}
