/* SPDX-License-Identifier: Apache-2.0 */
/* Noise rings: taking samples is a copy, or only a pointer; the producer is woken at most once for each half of a ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "base/spin.h"
#include "call/call.h"
#include "draw.h"
#include "reattach.h"
#include "session/fork_mark.h"
#include "session/public_error.h"
#include "session/ring_link.h"

enum {
	SPIN_NS = 20 * 1000, /* about what a sleep and a wake-up take; a busy producer is faster */
	SPINS = 64,          /* looks at the page for each look at the clock */
};

struct trnsci_ring {
	const int *alive;  /* fork_mark.h */
	uint64_t produced; /* samples, as last read from the page and checked */
	uint64_t taken;
	uint64_t half; /* samples */
	struct ring_link link;
	uint64_t borrowed;
	struct trnsci_session *session;
	struct reattach reattach;
	uint64_t before;  /* samples taken before the ring was attached again; `produced` and `taken` count from there */
	uint64_t skipped; /* samples of a named stream that were reserved for the ring and lost with a daemon */
};

/* ---- attaching ---- */

static int make_attach_call(struct trnsci_session *session, const struct drawing *drawing, uint64_t samples,
			    struct trnsci_call **ret_call, struct error *err)
{
	const char *name = draw_stream_name(drawing);
	struct trnsci_call *call;
	int r = call_make(session, "ring_attach", &call, err);

	if (r < 0)
		return r;
	r = draw_set_noise(trnsci_call_args(call), drawing, "ring", err);
	if (r < 0) {
		trnsci_call_free(call);
		return r;
	}
	if (name)
		args_set_text(trnsci_call_args(call), "name", name);
	if (samples)
		args_set_u64(trnsci_call_args(call), "samples", samples);
	*ret_call = call;
	return 0;
}

int trnsci_ring_attach(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
		       const struct trnsci_source *source, uint64_t samples, struct trnsci_ring **ret_ring,
		       struct trnsci_error *err)
{
	const struct drawing drawing = {distribution, params, source};
	struct trnsci_ring *ring = calloc(1, sizeof *ring);
	struct trnsci_call *call = NULL;
	struct error error = {0};
	int r = ring && (ring->alive = fork_mark_get()) ? 0
							: error_set(&error, ERROR_NO_MEMORY, "ring: no memory for it");

	if (r == 0)
		r = make_attach_call(session, &drawing, samples, &call, &error);
	if (r == 0) {
		session_ref(session); /* the ring's */
		r = reattach_keep(&ring->reattach, call, &error);
		if (r < 0)
			trnsci_call_free(call);
		else
			r = session->engine->attach_ring(call, &ring->link, &error);
		if (r < 0) {
			reattach_free(&ring->reattach);
			session_unref(session);
		}
	}
	if (r < 0) {
		free(ring);
		return error_export(err, &error);
	}
	ring->half = ring->link.capacity / 2;
	ring->session = session;
	*ret_ring = ring;
	return 0;
}

/* A child after fork has no pages of the ring; it only frees its copy of the object. */
void trnsci_ring_detach(struct trnsci_ring *ring)
{
	if (!ring)
		return;
	if (*ring->alive) {
		ring->session->engine->detach_ring(ring->session, &ring->link);
		reattach_free(&ring->reattach);
		session_unref(ring->session);
	}
	free(ring);
}

/* ---- attaching again ---- */

static bool is_same_noise(const struct ring_link *a, const struct ring_link *b)
{
	return a->dtype == b->dtype && a->components == b->components && a->sample_bytes == b->sample_bytes &&
	       a->capacity == b->capacity && a->range == b->range && a->seed == b->seed && a->stream == b->stream &&
	       strcmp(a->generator, b->generator) == 0;
}

/* Samples of a stream with a seed go on at the next one. Those of a named stream have a new reservation, and what was left of the
 * old one is lost. */
static int attach_again(void *reader, struct error *err)
{
	struct trnsci_ring *ring = reader;
	struct trnsci_session *session = ring->session;
	const uint64_t range = ring->link.range, within = range ? ring->taken & (range - 1) : 0;
	struct ring_link link;
	struct trnsci_call *call;
	int r = reattach_call(&ring->reattach, &call, err);

	if (r < 0)
		return r;
	if (!range)
		draw_set_noise_offset(trnsci_call_args(call), ring->link.offset + ring->taken);
	r = session->engine->attach_ring(call, &link, err);
	if (r < 0)
		return r;
	if (!is_same_noise(&ring->link, &link)) {
		session->engine->detach_ring(session, &link);
		return error_set(err, ERROR_BAD_REPLY, "ring: the daemon has another stream or ring for its parameters");
	}
	session->engine->detach_ring(session, &ring->link);
	ring->skipped += within ? range - within : 0;
	ring->before += ring->taken;
	ring->link = link;
	ring->produced = ring->taken = 0;
	return 0;
}

/* A ring ends with its session, which the library brings back: `closed` and `cancelled` are that end. */
static bool is_lost(const struct trnsci_ring *ring, uint32_t state)
{
	return ring->reattach.recipe && (state == RING_OPEN || state == ERROR_CLOSED || state == ERROR_CANCELLED);
}

static int check_running(struct trnsci_ring *ring, uint32_t state, int64_t deadline, struct error *err)
{
	const int r = ring_link_check(ring->session, &ring->link, "ring", state, err);

	/* The daemon writes why it ends a ring before it ends the connection. */
	if (r == -ERROR_CLOSED && state == RING_OPEN)
		state = atomic_load_explicit(&ring->link.page->state, memory_order_acquire);
	if (state == ERROR_NOT_PERMITTED)
		return ring_link_check(ring->session, &ring->link, "ring", state, err);
	return r == -ERROR_CLOSED && is_lost(ring, state) ? reattach_wait(&ring->reattach, "ring", attach_again, ring, deadline, err) : r;
}

/* ---- waiting ---- */

/* Reads the producer's counter and checks that it is possible. */
static int read_produced(struct trnsci_ring *ring, struct error *err)
{
	const uint64_t produced = atomic_load_explicit(&ring->link.page->produced, memory_order_acquire);

	if (produced < ring->produced || produced - ring->taken > ring->link.capacity)
		return error_set(err, ERROR_BAD_REPLY, "ring: the producer claims %llu samples after %llu",
				 (unsigned long long)produced, (unsigned long long)ring->taken);
	ring->produced = produced;
	return 0;
}

static inline uint64_t available(const struct trnsci_ring *ring)
{
	return ring->produced - ring->taken;
}

static int spin_for_samples(struct trnsci_ring *ring, uint64_t n, struct error *err)
{
	const int64_t end = clock_ns() + SPIN_NS;
	int r = 0;

	do
		for (int i = 0; i < SPINS && r == 0 && available(ring) < n; i++) {
			spin_pause();
			r = read_produced(ring, err);
		}
	while (r == 0 && available(ring) < n && clock_ns() < end);
	return r;
}

/* Waits until n samples are available. The counter is read again after the state: a producer publishes its last samples
 * before it closes. */
static int wait_for(struct trnsci_ring *ring, uint64_t n, int64_t deadline, struct error *err)
{
	int r = read_produced(ring, err);

	if (r == 0 && available(ring) < n && deadline > 0)
		r = spin_for_samples(ring, n, err);
	while (r == 0 && available(ring) < n) {
		uint32_t news = atomic_load_explicit(&ring->link.page->news, memory_order_acquire);
		uint32_t state = atomic_load_explicit(&ring->link.page->state, memory_order_acquire);

		r = read_produced(ring, err);
		if (r < 0 || available(ring) >= n)
			break;
		const uint64_t times = ring->reattach.times;

		r = check_running(ring, state, deadline, err);
		if (r < 0 || ring->reattach.times != times)
			continue;
		if (clock_ns() >= deadline)
			return error_set(err, ERROR_TIMEOUT, "ring: %llu of %llu samples were there in time",
					 (unsigned long long)available(ring), (unsigned long long)n);
		ring_link_sleep(ring->link.page, news, deadline);
	}
	return r;
}

/* ---- taking ---- */

static inline const char *next_samples(const struct trnsci_ring *ring)
{
	return ring->link.samples + (ring->taken & (ring->link.capacity - 1)) * ring->link.sample_bytes;
}

/* Advances the reader's index. When another half has become free, the producer may be asleep: we write the index and
 * then read `asleep`, the producer writes `asleep` and then reads the index, so at least one of the two sees the other.
 */
static inline void give_back(struct trnsci_ring *ring, uint64_t n)
{
	const uint64_t before = ring->taken / ring->half;

	ring->taken += n;
	if (ring->taken / ring->half == before) {
		atomic_store_explicit(&ring->link.index->taken, ring->taken, memory_order_release);
		return;
	}
	atomic_store_explicit(&ring->link.index->taken, ring->taken, memory_order_seq_cst);
	if (atomic_load_explicit(&ring->link.page->asleep, memory_order_seq_cst))
		ring->session->engine->wake_ring(&ring->link);
}

static int check_usable(const struct trnsci_ring *ring, struct error *err)
{
	if (!ring)
		return error_set(err, ERROR_CLOSED, "ring: there is none");
	if (!*ring->alive)
		return error_set(err, ERROR_CLOSED,
				 "ring: it belongs to another process, a child after fork must attach its own");
	if (ring->borrowed)
		return error_set(err, ERROR_OUT_OF_RANGE, "ring: %llu samples are borrowed, allowed is to release them",
				 (unsigned long long)ring->borrowed);
	return 0;
}

static int take_slowly(struct trnsci_ring *ring, char *out, uint64_t n, int timeout_ms, uint64_t *ret_taken,
		       struct trnsci_error *err)
{
	struct error error = {0};
	uint64_t done = 0;
	int r = check_usable(ring, &error);
	const int64_t deadline = deadline_after(timeout_ms);

	while (r == 0 && done < n) {
		uint64_t have = n - done < ring->half ? n - done : ring->half;

		r = available(ring) ? 0 : wait_for(ring, 1, deadline, &error);
		have = available(ring) < have ? available(ring) : have;
		if (r == -ERROR_BAD_REPLY)
			break;
		memcpy(out + done * ring->link.sample_bytes, next_samples(ring), have * ring->link.sample_bytes);
		give_back(ring, have);
		done += have;
	}
	if (ret_taken)
		*ret_taken = done;
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_ring_take(struct trnsci_ring *ring, void *out, uint64_t n, int timeout_ms, uint64_t *ret_taken,
		     struct trnsci_error *err)
{
	if (!ring || !*ring->alive || ring->borrowed || available(ring) < n)
		return take_slowly(ring, out, n, timeout_ms, ret_taken, err);
	memcpy(out, next_samples(ring), n * ring->link.sample_bytes);
	give_back(ring, n);
	if (ret_taken)
		*ret_taken = n;
	return 0;
}

int trnsci_ring_borrow(struct trnsci_ring *ring, uint64_t n, int timeout_ms, const void **ret_samples,
		       struct trnsci_error *err)
{
	struct error error = {0};
	int r = check_usable(ring, &error);

	if (r == 0 && n > ring->half)
		r = error_set(&error, ERROR_OUT_OF_RANGE, "ring: %llu samples, allowed is half a ring, %llu",
			      (unsigned long long)n, (unsigned long long)ring->half);
	if (r == 0 && available(ring) < n)
		r = wait_for(ring, n, deadline_after(timeout_ms), &error);
	if (r < 0)
		return error_export(err, &error);
	ring->borrowed = n;
	*ret_samples = next_samples(ring);
	return 0;
}

int trnsci_ring_release(struct trnsci_ring *ring, uint64_t n)
{
	if (!ring || !*ring->alive)
		return -ERROR_CLOSED;
	if (n > ring->borrowed)
		return -ERROR_OUT_OF_RANGE;
	ring->borrowed = 0;
	give_back(ring, n);
	return 0;
}

int trnsci_ring_place(struct trnsci_ring *ring, int timeout_ms, uint64_t *ret_offset, uint64_t *ret_run,
		      struct trnsci_error *err)
{
	struct error error = {0};
	int r = 0;

	if (!ring || !*ring->alive)
		r = check_usable(ring, &error);
	else if (!available(ring)) /* a reservation is known once its first samples are there */
		r = wait_for(ring, 1, deadline_after(timeout_ms), &error);
	if (r < 0)
		return error_export(err, &error);
	ring_link_place(&ring->link, ring->taken, ret_offset, ret_run);
	return 0;
}

int trnsci_ring_describe(const struct trnsci_ring *ring, struct trnsci_ring_info *ret_info)
{
	if (!ring || !*ring->alive)
		return -ERROR_CLOSED;
	ring_link_describe(&ring->link, ring->before, ret_info);
	ret_info->taken = ring->before + ring->taken;
	ret_info->restarts = ring->reattach.times;
	ret_info->skipped = ring->skipped;
	return 0;
}
