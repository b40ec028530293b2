/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts. A reader copies first, and then learns from the producer's `claimed` counter whether the copy was
 * overwritten. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "call/run.h"
#include "draw.h"
#include "reader.h"
#include "session/public_error.h"

/* ---- the publisher ---- */

/* Reserved fields are refused now, so that a later version can give them a meaning. */
static int check_options(const struct trnsci_broadcast_options *options, struct error *err)
{
	if (options->mode > 0777)
		return error_set(err, ERROR_OUT_OF_RANGE, "broadcast: mode: 0%o, allowed up to 0777", options->mode);
	for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
		if (options->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "broadcast: a reserved field is not 0");
	return 0;
}

static void set_options(struct trnsci_args *args, const struct trnsci_broadcast_options *options)
{
	const unsigned mode = options->mode;
	char octal[] = {(char)('0' + (mode >> 6 & 7)), (char)('0' + (mode >> 3 & 7)), (char)('0' + (mode & 7)), 0};

	if (options->samples)
		args_set_u64(args, "samples", options->samples);
	if (options->rate != 0)
		trnsci_set(args, trnsci_param_f64("rate", options->rate));
	if (mode)
		args_set_text(args, "mode", octal);
}

int trnsci_broadcast_create(struct trnsci_session *session, const char *name, const char *distribution,
			    const struct trnsci_param *params, const struct trnsci_source *source,
			    const struct trnsci_broadcast_options *options, struct trnsci_error *err)
{
	static const struct trnsci_broadcast_options defaults;
	const struct drawing drawing = {distribution, params, source};
	const struct trnsci_broadcast_options *o = options ? options : &defaults;
	struct trnsci_call *call = NULL;
	struct error error = {0};
	int r = check_options(o, &error);

	if (r == 0)
		r = call_make_named(session, "broadcast_create", name, &call, &error);
	if (r == 0) {
		r = draw_set_noise(trnsci_call_args(call), &drawing, "broadcast", &error);
		if (r < 0)
			trnsci_call_free(call);
	}
	if (r < 0)
		return error_export(err, &error);
	if (draw_stream_name(&drawing))
		args_set_text(trnsci_call_args(call), "stream_name", draw_stream_name(&drawing));
	set_options(trnsci_call_args(call), o);
	r = call_run_and_free(call, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_broadcast_publish(struct trnsci_session *session, const char *name, uint64_t n, uint64_t *ret_produced,
			     struct trnsci_error *err)
{
	struct trnsci_call *call;
	struct error error = {0};
	uint64_t produced = 0;
	int r = call_make_named(session, "broadcast_publish", name, &call, &error);

	if (r == 0) {
		args_set_u64(trnsci_call_args(call), "n", n);
		r = call_run(call, &error);
	}
	if (r < 0)
		return error_export(err, &error);
	r = call_reply_u64(call, "produced", &produced, &error);
	trnsci_call_free(call);
	if (r == 0 && ret_produced)
		*ret_produced = produced;
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_broadcast_close(struct trnsci_session *session, const char *name, struct trnsci_error *err)
{
	struct trnsci_call *call;
	struct error error = {0};
	int r = call_make_named(session, "broadcast_close", name, &call, &error);

	if (r == 0)
		r = call_run_and_free(call, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

/* ---- a reader ---- */

static uint64_t read_produced(const struct trnsci_reader *broadcast)
{
	return atomic_load_explicit(&broadcast->link.page->produced, memory_order_acquire);
}

/* Moves on to the oldest sample that is not being overwritten. */
static void skip_lost(struct trnsci_reader *broadcast)
{
	const uint64_t claimed = atomic_load_explicit(&broadcast->link.page->claimed, memory_order_acquire);
	const uint64_t oldest = claimed > broadcast->link.capacity ? claimed - broadcast->link.capacity : 0;

	if (broadcast->next < oldest)
		broadcast->next = oldest;
}

static int look(struct trnsci_reader *broadcast, struct error *err)
{
	(void)err;
	broadcast->produced = read_produced(broadcast);
	if (broadcast->produced <= broadcast->next) {
		skip_lost(broadcast);
		broadcast->produced = read_produced(broadcast);
	}
	return 0;
}

/* ---- attaching ---- */

/* Attaches by the call, and frees it. An embedded engine refuses the call itself. */
static int attach(const struct trnsci_reader *broadcast, struct trnsci_call *call, struct ring_link *ret_link, struct error *err)
{
	const struct session_engine *engine = call->session->engine;

	(void)broadcast;
	return engine->attach_broadcast ? engine->attach_broadcast(call, ret_link, err) : call_run_and_free(call, err);
}

/* One that its owner has closed is over; one whose daemon has stopped, or was lost, may be made again. */
static bool is_lost(uint32_t state)
{
	return state == RING_OPEN || state == ERROR_NO_DAEMON;
}

/* Returns how far the reader's place in its stream lies behind the start of a broadcast that was made again; negative: before it.
 * *ret_known is false where there is no such place: the samples are of another stream, of a named one, or far ahead of it. */
static int64_t find_place(const struct trnsci_reader *broadcast, const struct ring_link *link, bool *ret_known)
{
	const uint64_t produced = atomic_load_explicit(&link->page->produced, memory_order_acquire);
	const int64_t ahead = (int64_t)(broadcast->link.offset + broadcast->next - link->offset);

	*ret_known = reader_is_same_stream(&broadcast->link, link) && !link->range && !broadcast->link.range &&
		     (ahead < 0 || (uint64_t)ahead <= produced + link->capacity);
	return ahead;
}

/* The owner has made the broadcast again. The reader goes on at its place in the stream, and what the broadcast leaves out there is
 * missed. Without such a place it goes on at the broadcast's oldest sample; numbers of samples go on in any case. */
static int resume(struct trnsci_reader *broadcast, const struct ring_link *link, struct error *err)
{
	bool known;

	if (link->dtype != broadcast->link.dtype || link->sample_bytes != broadcast->link.sample_bytes)
		return error_set(err, ERROR_BAD_SHAPE, "broadcast: it was made again with other samples, allowed is to attach anew");
	const int64_t ahead = find_place(broadcast, link, &known);
	const uint64_t index = known && ahead > 0 ? (uint64_t)ahead : 0, gap = known && ahead < 0 ? (uint64_t)-ahead : 0;
	const uint64_t before = reader_number(broadcast) + gap - index;

	broadcast->missed += broadcast->before - before;
	broadcast->before = before;
	broadcast->next = index;
	return 0;
}

/* ---- reading ---- */

static int wait_for(struct trnsci_reader *broadcast, int64_t deadline, struct error *err)
{
	const int r = reader_wait(broadcast, 1, deadline, err);

	if (r == READER_TIME_OVER)
		return error_set(err, ERROR_TIMEOUT, "broadcast: no sample %llu in time", (unsigned long long)reader_number(broadcast));
	return r;
}

/* Copies at most n samples of one reservation. Returns how many: 0 if the producer overwrote the first of them
 * meanwhile; otherwise the page still has the place of their reservation. The producer is then close behind, and the
 * reader skips a quarter of the ring to stay ahead of it. */
static uint64_t copy_samples(struct trnsci_reader *broadcast, void *out, uint64_t n, uint64_t *ret_place, uint64_t *ret_run)
{
	const struct ring_link *link = &broadcast->link;
	const uint64_t first = broadcast->next, have = reader_available(broadcast);

	ring_link_place(link, first, ret_place, ret_run);
	n = n < have ? n : have;
	n = n < *ret_run ? n : *ret_run;
	n = n < link->capacity / 8 ? n : link->capacity / 8;
	memcpy(out, reader_samples(broadcast), n * link->sample_bytes);
#if !defined(__SANITIZE_THREAD__)
	atomic_thread_fence(memory_order_acquire);
#endif
	skip_lost(broadcast);
	if (broadcast->next > first) {
		const uint64_t ahead = broadcast->next + link->capacity / 4;

		broadcast->next = ahead < read_produced(broadcast) ? ahead : broadcast->next;
		return 0;
	}
	broadcast->next = first + n;
	return n;
}

/* Takes samples until n are there or something is missing. A span never covers a gap, two reservations, or two daemons. */
static int take_samples(struct trnsci_reader *broadcast, char *out, uint64_t n, int64_t deadline,
			struct trnsci_reader_span *span, struct error *err)
{
	uint64_t place, run;
	int r = 0;

	skip_lost(broadcast);
	while (r == 0 && span->count < n) {
		const uint64_t number = reader_number(broadcast), times = broadcast->times, range = broadcast->link.range;

		if (span->count > 0 && range && broadcast->next % range == 0)
			return 0; /* what follows lies elsewhere in the stream */

		r = reader_available(broadcast) ? 0 : wait_for(broadcast, deadline, err);
		if (span->count > 0 && (reader_number(broadcast) != number || broadcast->times != times))
			return 0; /* some were missed, or lie elsewhere: the next call reports them */
		span->missed = span->count ? span->missed : broadcast->before + broadcast->missed;
		span->first = span->count ? span->first : reader_number(broadcast);
		if (r == 0) {
			const uint64_t copied = copy_samples(
				broadcast, out + span->count * broadcast->link.sample_bytes, n - span->count, &place, &run);

			span->offset = span->count ? span->offset : place;
			span->run = span->count ? span->run : run;
			span->count += copied;
		}
		if (span->count > 0 && reader_number(broadcast) != span->first + span->count)
			return 0;
	}
	return r;
}

static int take(struct trnsci_reader *broadcast, char *out, uint64_t n, int64_t deadline, struct trnsci_reader_span *span,
		struct error *err)
{
	span->missed = broadcast->before + broadcast->missed;
	const int r = take_samples(broadcast, out, n, deadline, span, err);

	if (span->count == 0)
		span->first = reader_number(broadcast);
	broadcast->missed = span->first + span->count - broadcast->before; /* the caller knows of all samples before this one */
	return r;
}

static void seek(struct trnsci_reader *broadcast, uint64_t sample)
{
	if (sample == UINT64_MAX)
		broadcast->next = read_produced(broadcast);
	else
		broadcast->next = sample > broadcast->before ? sample - broadcast->before : 0;
	broadcast->missed = broadcast->next;
}

int trnsci_broadcast_attach(struct trnsci_session *session, const char *name, struct trnsci_reader **ret_reader,
			    struct trnsci_error *err)
{
	static const struct reader_kind kind = {.name = "broadcast",
						.awaits_owner = true,
						.attach = attach,
						.is_lost = is_lost,
						.resume = resume,
						.look = look,
						.take = take,
						.seek = seek};
	struct trnsci_call *call;
	struct error error = {0};
	int r = call_make_named(session, "broadcast_attach", name, &call, &error);

	if (r == 0)
		r = reader_attach(&kind, call, ret_reader, &error);
	return r < 0 ? error_export(err, &error) : 0;
}
