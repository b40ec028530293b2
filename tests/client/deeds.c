/* SPDX-License-Identifier: Apache-2.0 */
/* What clients of a crowd do, and how they check it. */
#include "deeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deed_calls.h"

enum {
	MOST = 1 << 14, /* samples of one request */
	RING = 4096,
	FLIGHT = 16,
	ANSWER_TIMEOUT_MS = 120000, /* a thousand others come first */
	LONG = 1 << 20,
};

static struct deeds_shared *shared;
static struct trnsci_session *served, *here;

/* ---- what must be ---- */

static _Noreturn void complain(const char *what, const char *why)
{
	if (atomic_fetch_add(&shared->failed, 1) == 0)
		snprintf(shared->why, sizeof shared->why, "%s: %s", what, why);
	_exit(1);
}

static void must(const char *what, int r, const struct trnsci_error *err)
{
	if (r < 0)
		complain(what, err && err->code ? err->text : trnsci_strerror(r));
	atomic_fetch_add_explicit(&shared->requests, 1, memory_order_relaxed);
}

static void same(const char *what, const void *got, const void *expected, size_t size)
{
	char why[80];
	size_t at = 0;

	while (at < size && ((const char *)got)[at] == ((const char *)expected)[at])
		at++;
	if (at == size)
		return;
	snprintf(why, sizeof why, "byte %zu of %zu is wrong", at, size);
	complain(what, why);
}

static void same_array(const char *what, const struct trnsci_value *got, const struct trnsci_value *expected)
{
	struct trnsci_array a, b;

	must(what, trnsci_value_to_array(got, &a), NULL);
	must(what, trnsci_value_to_array(expected, &b), NULL);
	if (a.dtype != b.dtype || a.bytes != b.bytes || a.ndim != b.ndim ||
	    memcmp(a.shape, b.shape, a.ndim * sizeof *a.shape) != 0)
		complain(what, "another shape or dtype");
	same(what, a.data, b.data, a.bytes);
}

/* ---- requests made twice, to the daemon and to the engine here ---- */

/* Every array of the reply. */
static void same_reply(const char *what, const struct trnsci_call *got, const struct trnsci_call *expected)
{
	const struct trnsci_value *a = trnsci_value_get(trnsci_call_reply(got), "results");
	const struct trnsci_value *b = trnsci_value_get(trnsci_call_reply(expected), "results");

	if (!a) {
		same_array(what, trnsci_call_reply(got), trnsci_call_reply(expected));
		return;
	}
	if (trnsci_value_count(a) == 0 || trnsci_value_count(a) != trnsci_value_count(b))
		complain(what, "results are missing");
	for (size_t i = 0; i < trnsci_value_count(a); i++)
		same_array(what, trnsci_value_at(a, i), trnsci_value_at(b, i));
}

static void twice(const char *what, struct trnsci_call *make(struct trnsci_session *session))
{
	const uint32_t before = deed_random_state;
	struct trnsci_call *got = make(served), *expected;

	deed_random_state = before;
	expected = make(here);
	must(what, trnsci_run(got, NULL), trnsci_call_error(got));
	must(what, trnsci_run(expected, NULL), trnsci_call_error(expected));
	same_reply(what, got, expected);
	trnsci_call_free(got);
	trnsci_call_free(expected);
}

static void draw(void)
{
	twice("draw", deed_draw_call);
}

static void points(void)
{
	twice("points", deed_points_call);
}

static void run(void)
{
	twice("run", deed_run_call);
}

/* Many in flight, of all kinds, answered in any order; some are cancelled. */
static void pipeline(void)
{
	struct trnsci_call *calls[FLIGHT], *expected[FLIGHT];
	uint32_t cancelled = deed_below(2) ? deed_below(1 << FLIGHT) & deed_below(1 << FLIGHT) : 0;

	for (size_t i = 0; i < FLIGHT; i++) {
		const uint32_t before = deed_random_state;

		calls[i] = deed_any_call(served);
		deed_random_state = before;
		expected[i] = deed_any_call(here);
		must("submit", trnsci_submit(calls[i], NULL, NULL), trnsci_call_error(calls[i]));
	}
	for (size_t i = 0; i < FLIGHT; i++)
		if (cancelled >> i & 1)
			must("cancel", trnsci_cancel(calls[i]), NULL);
	for (size_t i = 0; i < FLIGHT; i++) {
		const int r = trnsci_wait(calls[i], ANSWER_TIMEOUT_MS);

		if (r != -TRNSCI_CANCELLED || !(cancelled >> i & 1)) {
			must("pipeline", r, trnsci_call_error(calls[i]));
			must("pipeline, here", trnsci_run(expected[i], NULL), trnsci_call_error(expected[i]));
			same_reply("pipeline", calls[i], expected[i]);
		}
		trnsci_call_free(calls[i]);
		trnsci_call_free(expected[i]);
	}
}

/* One call run several times: the library prepares it. */
static void repeated(void)
{
	const uint32_t before = deed_random_state;
	struct trnsci_call *got = deed_any_call(served), *expected;

	deed_random_state = before;
	expected = deed_any_call(here);
	for (uint32_t runs = deed_below(5) + 1; runs; runs--) {
		if (deed_below(8) == 0) {
			const uint64_t seed = deed_below(1000);

			trnsci_set(trnsci_call_args(got), trnsci_param_u64("seed", seed));
			trnsci_set(trnsci_call_args(expected), trnsci_param_u64("seed", seed));
		}
		must("repeated", trnsci_run(got, NULL), trnsci_call_error(got));
		must("repeated", trnsci_run(expected, NULL), trnsci_call_error(expected));
		same_reply("repeated", got, expected);
	}
	trnsci_call_free(got);
	trnsci_call_free(expected);
}

/* What is wrong is refused alike, and harms nothing. */
static void wrong(void)
{
	static const char *const methods[] = {"normal", "fft", "run", "no_such_method"};
	const uint32_t which = deed_below(4);
	struct trnsci_call *calls[2];
	int r[2];

	for (int i = 0; i < 2; i++) {
		calls[i] = deed_call(i ? here : served, methods[which]);
		trnsci_set(trnsci_call_args(calls[i]), trnsci_param_f64(which == 0 ? "std" : "in", -1));
		r[i] = trnsci_run(calls[i], NULL);
	}
	if (r[0] >= 0 || r[0] != r[1])
		complain(methods[which], "a wrong request was answered otherwise than here");
	for (int i = 0; i < 2; i++)
		trnsci_call_free(calls[i]);
}

/* ---- tiles ---- */

static void tiles_of(struct trnsci_session *session, uint64_t n, struct trnsci_tile **ret_in, struct trnsci_tile **ret_spectrum)
{
	const struct drawing noise = {.distribution = "normal", .source = {.seed = deed_below(1000), .offset = deed_below(1 << 20)}};
	const uint64_t half = n / 2 + 1;
	struct trnsci_error err;

	must("tile", trnsci_tile_new(session, TRNSCI_F32, 1, &n, ret_in, &err), &err);
	must("tile", trnsci_tile_new(session, TRNSCI_C64, 1, &half, ret_spectrum, &err), &err);
	must("draw", draw_tile(session, &noise, n, *ret_in, NULL, &err), &err);
	const struct trnsci_param forward[] = {trnsci_param_bool("real", true), trnsci_param_tile("in", *ret_in),
					       trnsci_param_end()};

	must("fft", trnsci_apply_tile(session, "fft", forward, ret_spectrum, &err), &err);
}

static void tiles(void)
{
	const uint64_t n = deed_below(MOST) + 1;
	const uint32_t before = deed_random_state;
	struct trnsci_tile *got, *expected, *got_from, *expected_from;

	tiles_of(served, n, &got_from, &got);
	deed_random_state = before;
	tiles_of(here, n, &expected_from, &expected);
	same("tiles", trnsci_tile_data(got), trnsci_tile_data(expected), tile_info(expected).bytes);
	if (deed_below(2)) /* or the session's end frees it */
		trnsci_tile_free(got_from);
	trnsci_tile_free(got);
	trnsci_tile_free(expected_from);
	trnsci_tile_free(expected);
}

/* One that takes long, and is left. */
static void leave(void)
{
	struct trnsci_call *call = deed_call(served, "run");
	struct trnsci_args *step = trnsci_program_step(call, "gamma");

	trnsci_set(step, trnsci_param_u64("n", LONG));
	trnsci_set(step, trnsci_param_f64("shape", 0.5));
	must("leave", trnsci_submit(call, NULL, NULL), trnsci_call_error(call));
	if (deed_below(2)) {
		const int r = trnsci_wait(call, 1) == -TRNSCI_TIMEOUT && trnsci_cancel(call) == 0
				      ? trnsci_wait(call, ANSWER_TIMEOUT_MS)
				      : 0;
		if (r != -TRNSCI_CANCELLED)
			must("leave", r, trnsci_call_error(call));
	}
	trnsci_call_free(call);
}

/* ---- rings, streams, broadcasts ---- */

/* So many samples at that place, drawn here. */
static void drawn_here(const char *what, struct drawing noise, enum trnsci_dtype dtype, const void *got, uint64_t n)
{
	static char expected[8 * MOST];
	struct trnsci_error err;

	must(what, draw_array(here, &noise, dtype, n, expected, NULL, &err), &err);
	same(what, got, expected, n * trnsci_dtype_size(dtype));
}

static void ring(void)
{
	static float out[MOST];
	struct drawing noise = {.distribution = "normal", .source = {.seed = DEEDS_SEED, .offset = deed_below(1 << 30)}};
	struct trnsci_reader *ring;
	struct trnsci_error err;

	must("ring", draw_ring(served, &noise, TRNSCI_F32, RING, &ring, &err), &err);
	for (uint32_t takes = deed_below(4); takes; takes--) { /* none: it is left full */
		const uint64_t n = deed_below(MOST) + 1;

		must("ring", trnsci_reader_take(ring, out, n, ANSWER_TIMEOUT_MS, NULL, &err), &err);
		drawn_here("ring", noise, TRNSCI_F32, out, n);
		noise.source.offset += n;
	}
	trnsci_reader_detach(ring);
}

/* No place of the shared stream is given out twice. */
static void claim(uint64_t position, uint64_t words)
{
	for (uint64_t at = position / 4; at < (position + words + 3) / 4; at++) {
		if (at >> DEEDS_PLACES_LOG)
			complain("stream", "went on for longer than this test can follow");
		if (atomic_fetch_or_explicit(&shared->given[at / 8], (uint8_t)(1u << at % 8), memory_order_relaxed) >>
			    at % 8 & 1)
			complain("stream", "a place that was given out before");
	}
}

/* A ring of the shared stream: its samples lie where it says. */
static void ring_of_stream(void)
{
	static uint32_t out[RING];
	const struct drawing bits = {.distribution = "bits"};
	struct trnsci_reader_info info;
	struct trnsci_reader *ring;
	struct trnsci_error err;

	must("stream ring", stream_ring(served, DEEDS_STREAM, &bits, TRNSCI_U32, RING, &ring, &err), &err);
	must("stream ring", trnsci_reader_describe(ring, &info), NULL);
	for (uint32_t takes = deed_below(3) + 1; takes; takes--) {
		struct trnsci_reader_span span;

		must("stream ring", ring_place(ring, ANSWER_TIMEOUT_MS, &span, &err), &err);
		const uint64_t offset = span.offset, n = span.run < RING ? span.run : RING;
		must("stream ring", trnsci_reader_take(ring, out, n, ANSWER_TIMEOUT_MS, NULL, &err), &err);
		const struct drawing there = {.distribution = "bits", .source = {.seed = info.seed, .stream = info.stream, .offset = offset}};
		drawn_here("stream ring", there, TRNSCI_U32, out, n);
		claim(offset, n);
	}
	trnsci_reader_detach(ring);
}

static void stream(void)
{
	static uint32_t out[1024];
	const uint64_t n = deed_below(1024) + 1;
	const struct drawing bits = {.distribution = "bits"};
	struct trnsci_span range;
	struct trnsci_error err;

	must("stream", stream_array(served, DEEDS_STREAM, &bits, TRNSCI_U32, n, out, &range, &err), &err);
	const struct drawing there = {.distribution = "bits", .source = {.seed = range.seed, .stream = range.stream, .offset = range.offset}};
	drawn_here("stream", there, TRNSCI_U32, out, n);
	claim(range.position, n);
}

/* A reader sees every sample in order, or gets the range that it missed. */
static void broadcast(void)
{
	static float out[2048];
	struct trnsci_reader_span span;
	struct trnsci_reader *reader;
	struct trnsci_error err;
	uint64_t next = 0;

	must("broadcast", trnsci_broadcast_attach(served, DEEDS_BROADCAST, &reader, &err), &err);
	if (deed_below(2)) /* or from the first on, which are long gone */
		must("broadcast", trnsci_reader_seek(reader, UINT64_MAX, NULL), NULL);
	for (uint32_t takes = deed_below(3) + 1; takes; takes--) {
		struct drawing news = deeds_news();

		must("broadcast", trnsci_reader_take(reader, out, deed_below(2048) + 1, ANSWER_TIMEOUT_MS, &span, &err),
		     &err);
		if (next && span.missed != next)
			complain("broadcast", "samples were left out without a word");
		next = span.first + span.count;
		if (!span.count)
			continue;
		if (span.offset != span.first)
			complain("broadcast", "a wrong place");
		news.source.offset = span.offset;
		drawn_here("broadcast", news, TRNSCI_F32, out, span.count);
	}
	trnsci_reader_detach(reader);
}

static const struct deed {
	const char *name;
	void (*act)(void);
} deeds[] = {
	{"draw", draw},	      {"points", points}, {"run", run},	    {"pipeline", pipeline},	  {"repeated", repeated},
	{"wrong", wrong},     {"tiles", tiles},	  {"leave", leave}, {"ring", ring},		  {"stream", stream},
	{"stream ring", ring_of_stream},		  {"broadcast", broadcast},
};

const size_t deeds_count = sizeof deeds / sizeof *deeds;

const char *deeds_name(size_t index)
{
	return deeds[index].name;
}

struct drawing deeds_news(void)
{
	return (struct drawing){.distribution = "normal", .source = {.seed = DEEDS_SEED}};
}

void deeds_live(struct deeds_shared *all, const char *socket, uint32_t seed)
{
	const struct trnsci_options options = {
		.arena_bytes = 1 << 21, .timeout_ms = ANSWER_TIMEOUT_MS, .reconnect_ms = -1};
	const struct trnsci_options embedded = {.arena_bytes = 1 << 21, .threads = 1};
	struct trnsci_error err;

	shared = all;
	deed_random_state = seed;
	must("open", trnsci_open(socket, &options, &served, &err), &err);
	must("embedded", trnsci_open("embedded:", &embedded, &here, &err), &err);
	for (uint32_t count = deed_below(20) + 1; count; count--)
		deeds[deed_below(deeds_count)].act();
	trnsci_close(served);
	atomic_fetch_add(&shared->clients, 1);
	_exit(0);
}
