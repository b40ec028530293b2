/* SPDX-License-Identifier: Apache-2.0 */
/* Noise rings: taking samples is a copy, or only a pointer; the producer is woken at most once for each half of a ring.
 */
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/spin.h"
#include "draw.h"
#include "reader.h"
#include "session/public_error.h"

enum {
	SPIN_NS = 20 * 1000, /* about what a sleep and a wake-up take; a busy producer is faster */
	SPINS = 64,          /* looks at the page for each look at the clock */
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

/* Samples of a stream with a seed go on at the next one. Those of a named stream have a new reservation. */
static int attach(const struct trnsci_reader *ring, struct trnsci_call *call, struct ring_link *ret_link, struct error *err)
{
	if (ring->link.page && !ring->link.range)
		draw_set_noise_offset(trnsci_call_args(call), ring->link.offset + ring->next);
	return call->session->engine->attach_ring(call, ret_link, err);
}

/* A ring ends with its session, which the library brings back: `closed` and `cancelled` are that end. */
static bool is_lost(uint32_t state)
{
	return state == RING_OPEN || state == ERROR_CLOSED || state == ERROR_CANCELLED;
}

/* What was left of the reservation of a named stream is lost. */
static int resume(struct trnsci_reader *ring, const struct ring_link *link, struct error *err)
{
	const struct ring_link *old = &ring->link;
	const uint64_t within = old->range ? ring->next & (old->range - 1) : 0;

	if (!reader_is_same_stream(old, link) || old->sample_bytes != link->sample_bytes || old->capacity != link->capacity ||
	    old->range != link->range)
		return error_set(err, ERROR_BAD_REPLY, "ring: the daemon has another stream or ring for its parameters");
	ring->skipped += within ? old->range - within : 0;
	ring->before += ring->next;
	ring->next = 0;
	return 0;
}

/* ---- waiting ---- */

/* Reads the producer's counter and checks that it is possible. */
static int look(struct trnsci_reader *ring, struct error *err)
{
	const uint64_t produced = atomic_load_explicit(&ring->link.page->produced, memory_order_acquire);

	if (produced < ring->produced || produced - ring->next > ring->link.capacity)
		return error_set(err, ERROR_BAD_REPLY, "ring: the producer claims %llu samples after %llu",
				 (unsigned long long)produced, (unsigned long long)ring->next);
	ring->produced = produced;
	return 0;
}

static int spin_for_samples(struct trnsci_reader *ring, uint64_t n, struct error *err)
{
	const int64_t end = clock_ns() + SPIN_NS;
	int r = 0;

	do
		for (int i = 0; i < SPINS && r == 0 && reader_available(ring) < n; i++) {
			spin_pause();
			r = look(ring, err);
		}
	while (r == 0 && reader_available(ring) < n && clock_ns() < end);
	return r;
}

static int wait_for(struct trnsci_reader *ring, uint64_t n, int64_t deadline, struct error *err)
{
	int r = look(ring, err);

	if (r == 0 && reader_available(ring) < n && deadline > 0)
		r = spin_for_samples(ring, n, err);
	if (r == 0)
		r = reader_wait(ring, n, deadline, err);
	if (r == READER_TIME_OVER)
		return error_set(err, ERROR_TIMEOUT, "ring: %llu of %llu samples were there in time",
				 (unsigned long long)reader_available(ring), (unsigned long long)n);
	return r;
}

/* ---- taking ---- */

/* Takes samples as they come. A reservation that is lost with a daemon ends the run that the span states. */
static int take(struct trnsci_reader *ring, char *out, uint64_t n, int64_t deadline, struct trnsci_reader_span *span,
		struct error *err)
{
	const uint64_t times = ring->times, half = ring->link.capacity / 2;
	uint64_t done = 0;
	int r = 0;

	*span = reader_span(ring, 0);
	while (r == 0 && done < n) {
		uint64_t have = n - done < half ? n - done : half;

		r = reader_available(ring) ? 0 : wait_for(ring, 1, deadline, err);
		have = reader_available(ring) < have ? reader_available(ring) : have;
		if (r == -ERROR_BAD_REPLY)
			break;
		if (done == 0)
			*span = reader_span(ring, 0);
		else if (ring->times != times && ring->link.range && span->run > done)
			span->run = done;
		memcpy(out + done * ring->link.sample_bytes, reader_samples(ring), have * ring->link.sample_bytes);
		reader_give_back(ring, have);
		done += have;
	}
	span->count = done;
	return r;
}

static int await(struct trnsci_reader *ring, uint64_t n, int64_t deadline, struct error *err)
{
	const uint64_t half = ring->link.capacity / 2;

	if (n > half)
		return error_set(err, ERROR_OUT_OF_RANGE, "ring: %llu samples, allowed is half a ring, %llu", (unsigned long long)n,
				 (unsigned long long)half);
	return wait_for(ring, n, deadline, err);
}

int trnsci_ring_attach(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
		       const struct trnsci_source *source, uint64_t samples, struct trnsci_reader **ret_reader,
		       struct trnsci_error *err)
{
	static const struct reader_kind kind = {.name = "ring",
						.attach = attach,
						.is_lost = is_lost,
						.resume = resume,
						.look = look,
						.take = take,
						.await = await};
	const struct drawing drawing = {distribution, params, source};
	struct trnsci_call *call;
	struct error error = {0};
	int r = make_attach_call(session, &drawing, samples, &call, &error);

	if (r == 0)
		r = reader_attach(&kind, call, ret_reader, &error);
	return r < 0 ? error_export(err, &error) : 0;
}
