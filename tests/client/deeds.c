/* SPDX-License-Identifier: Apache-2.0 */
#include "deeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MOST = 1 << 14, /* samples of one request */
	RING = 4096,
	FLIGHT = 16,
	ANSWER_TIMEOUT_MS = 120000, /* a thousand others come first */
	LONG = 1 << 20,
};

static struct deeds_shared *shared;
static struct trnsci_session *served, *here;
static uint32_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(random_state >> 8) * n >> 24);
}

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

	must(what, trnsci_to_array(got, &a), NULL);
	must(what, trnsci_to_array(expected, &b), NULL);
	if (a.dtype != b.dtype || a.bytes != b.bytes || a.ndim != b.ndim ||
	    memcmp(a.shape, b.shape, a.ndim * sizeof *a.shape) != 0)
		complain(what, "another shape or dtype");
	same(what, a.data, b.data, a.bytes);
}

/* ---- requests that are functions of their parameters: made twice, for the daemon and for the engine here ---- */

static struct trnsci_call *call_of(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call;

	must(method, trnsci_call_new(session, method, &call), NULL);
	return call;
}

struct sample {
	const char *distribution, *dtype, *parameter;
	double value;
};

static const struct sample samples[] = {
	{"bits", "u32", NULL, 0},	   {"bits", "u64", NULL, 0},	     {"uniform", "f32", "high", 3},
	{"uniform", "f64", NULL, 0},	   {"uniform", "bf16", NULL, 0},     {"normal", "f32", NULL, 0},
	{"normal", "f64", "std", 0.5},	   {"exponential", "f32", "rate", 2}, {"gamma", "f32", "shape", 2.5},
	{"gamma", "f64", "shape", 0.3},	   {"beta", "f32", "beta", 3},	     {"poisson", "i64", "lam", 2.5},
	{"poisson", "i64", "lam", 1e4},	   {"randint", "i64", "high", 1000}, {"bernoulli", "i8", "p", 0.3},
	{"permutation", "i64", NULL, 0},   {"rademacher", "i8", NULL, 0},    {"truncated_normal", "f32", NULL, 0},
	{"chi_squared", "f32", "df", 4.5}, {"cauchy", "f64", NULL, 0},
};

static struct trnsci_call *draw_call(struct trnsci_session *session)
{
	const struct sample *sample = &samples[below(sizeof samples / sizeof *samples)];
	struct trnsci_call *call = call_of(session, sample->distribution);
	struct trnsci_args *args = trnsci_args(call);

	trnsci_set_u64(args, "n", below(MOST) + 1);
	trnsci_set_text(args, "dtype", sample->dtype);
	trnsci_set_u64(args, "seed", below(1000));
	trnsci_set_u64(args, "stream", below(3));
	if (strcmp(sample->distribution, "permutation") != 0)
		trnsci_set_u64(args, "offset", (uint64_t)below(1 << 20) << below(20));
	if (sample->parameter)
		trnsci_set_f64(args, sample->parameter, sample->value);
	if (strcmp(sample->distribution, "beta") == 0)
		trnsci_set_f64(args, "alpha", 0.7);
	if (below(4) == 0) {
		trnsci_set_text(args, "generator", "philox4x32");
	} else if (below(4) == 0) {
		trnsci_set_u64(args, "size", 7);
		trnsci_set_u64(args, "rank", below(7));
	}
	return call;
}

static struct trnsci_call *points_call(struct trnsci_session *session)
{
	static const char *const sets[] = {"sobol", "halton", "lhs"};
	const uint32_t set = below(3);
	struct trnsci_call *call = call_of(session, sets[set]);
	struct trnsci_args *args = trnsci_args(call);

	trnsci_set_u64(args, "n", below(300) + 1);
	trnsci_set_u64(args, "d", below(12) + 1);
	trnsci_set_u64(args, "seed", below(1000));
	if (set < 2 && below(2))
		trnsci_set_text(args, "scramble", "owen");
	return call;
}

/* A step of a program whose input is x, of an even number of rows, and square. */
static void transform_step(struct trnsci_call *program)
{
	static const char *const operations[] = {"fft", "fft", "fft", "dct", "dst", "stft", "welch", "convolve", "gemm", "fftshift"};
	const char *operation = operations[below(sizeof operations / sizeof *operations)];
	struct trnsci_args *step = trnsci_step(program, operation);

	trnsci_set_text(step, "as", "y");
	if (strcmp(operation, "convolve") == 0 || strcmp(operation, "gemm") == 0) {
		trnsci_set_text(step, "a", "x");
		trnsci_set_text(step, "b", "x");
	} else {
		trnsci_set_text(step, "in", "x");
	}
	if (strcmp(operation, "stft") == 0)
		trnsci_set_u64(step, "n_fft", 16);
	if (strcmp(operation, "fft") == 0) {
		trnsci_set_bool(step, "inverse", below(2));
		trnsci_set_text(step, "precision", below(2) ? "fast" : "double");
		if (below(2))
			trnsci_set_params(step, (const struct trnsci_param[]){trnsci_i64s("axes", (const int64_t[]){0, 1}, 2), trnsci_end()});
	}
}

/* Draws, scales and transforms; wants the noise, the transform, or both. */
static struct trnsci_call *program_call(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call = call_of(session, method);
	const uint64_t rows = below(60) + 16;
	const uint32_t wants = below(3);
	struct trnsci_args *step = trnsci_step(call, "normal");

	trnsci_set_params(step, (const struct trnsci_param[]){trnsci_u64s("shape", (const uint64_t[]){rows, rows}, 2), trnsci_end()});
	trnsci_set_text(step, "as", "noise");
	step = trnsci_step(call, "scale");
	trnsci_set_text(step, "in", "noise");
	trnsci_set_f64(step, "by", 0.25 + below(100));
	trnsci_set_f64(step, "plus", 1);
	trnsci_set_text(step, "as", "x");
	transform_step(call);
	if (wants != 0)
		trnsci_want(call, "x");
	if (wants != 1)
		trnsci_want(call, "y");
	trnsci_set_u64(trnsci_args(call), "seed", below(1000));
	return call;
}

static struct trnsci_call *run_call(struct trnsci_session *session)
{
	return program_call(session, "run");
}

static struct trnsci_call *any_call(struct trnsci_session *session)
{
	switch (below(3)) {
	case 0:
		return draw_call(session);
	case 1:
		return points_call(session);
	default:
		return run_call(session);
	}
}

/* Every array of the reply. */
static void same_reply(const char *what, const struct trnsci_call *got, const struct trnsci_call *expected)
{
	const struct trnsci_value *a = trnsci_get(trnsci_reply(got), "results");
	const struct trnsci_value *b = trnsci_get(trnsci_reply(expected), "results");

	if (!a) {
		same_array(what, trnsci_reply(got), trnsci_reply(expected));
		return;
	}
	if (trnsci_count(a) == 0 || trnsci_count(a) != trnsci_count(b))
		complain(what, "results are missing");
	for (size_t i = 0; i < trnsci_count(a); i++)
		same_array(what, trnsci_at(a, i), trnsci_at(b, i));
}

static void twice(const char *what, struct trnsci_call *make(struct trnsci_session *session))
{
	const uint32_t before = random_state;
	struct trnsci_call *got = make(served), *expected;

	random_state = before;
	expected = make(here);
	must(what, trnsci_run(got, NULL), trnsci_call_error(got));
	must(what, trnsci_run(expected, NULL), trnsci_call_error(expected));
	same_reply(what, got, expected);
	trnsci_call_free(got);
	trnsci_call_free(expected);
}

static void draw(void)
{
	twice("draw", draw_call);
}

static void points(void)
{
	twice("points", points_call);
}

static void run(void)
{
	twice("run", run_call);
}

/* Many in flight, of all kinds, answered in any order; some are cancelled. */
static void pipeline(void)
{
	struct trnsci_call *calls[FLIGHT], *expected[FLIGHT];
	uint32_t cancelled = below(2) ? below(1 << FLIGHT) & below(1 << FLIGHT) : 0;

	for (size_t i = 0; i < FLIGHT; i++) {
		const uint32_t before = random_state;

		calls[i] = any_call(served);
		random_state = before;
		expected[i] = any_call(here);
		must("submit", trnsci_submit(calls[i], NULL, NULL, NULL), trnsci_call_error(calls[i]));
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
	const uint32_t before = random_state;
	struct trnsci_call *got = any_call(served), *expected;

	random_state = before;
	expected = any_call(here);
	for (uint32_t runs = below(5) + 1; runs; runs--) {
		if (below(8) == 0) {
			const uint64_t seed = below(1000);

			trnsci_set_u64(trnsci_args(got), "seed", seed);
			trnsci_set_u64(trnsci_args(expected), "seed", seed);
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
	const uint32_t which = below(4);
	struct trnsci_call *calls[2];
	int r[2];

	for (int i = 0; i < 2; i++) {
		calls[i] = call_of(i ? here : served, methods[which]);
		trnsci_set_f64(trnsci_args(calls[i]), which == 0 ? "std" : "in", -1);
		r[i] = trnsci_run(calls[i], NULL);
	}
	if (r[0] >= 0 || r[0] != r[1])
		complain(methods[which], "a wrong request was answered otherwise than here");
	for (int i = 0; i < 2; i++)
		trnsci_call_free(calls[i]);
}

/* ---- tiles ---- */

static void tiles_of(struct trnsci_session *session, uint64_t n, struct trnsci_tile **ret_spectrum, uint64_t scope)
{
	const struct drawing noise = {.distribution = "normal", .source = {.seed = below(1000), .offset = below(1 << 20)}};
	const uint64_t half = n / 2 + 1;
	struct trnsci_tile *in;
	struct trnsci_error err;

	must("tile", trnsci_tile_new(session, scope, TRNSCI_F32, 1, &n, &in, &err), &err);
	must("tile", trnsci_tile_new(session, scope, TRNSCI_C64, 1, &half, ret_spectrum, &err), &err);
	must("draw", draw_tile(session, &noise, n, in, NULL, &err), &err);
	const struct trnsci_param forward[] = {trnsci_bool("real", true), trnsci_with_tile("in", in), trnsci_end()};

	must("fft", trnsci_apply(session, "fft", forward, ret_spectrum, &err), &err);
}

static void tiles(void)
{
	const uint64_t n = below(MOST) + 1;
	const uint32_t before = random_state;
	struct trnsci_tile *got, *expected;
	uint64_t scopes[] = {trnsci_scope_new(served), trnsci_scope_new(here)};
	struct trnsci_error err;

	tiles_of(served, n, &got, scopes[0]);
	random_state = before;
	tiles_of(here, n, &expected, scopes[1]);
	same("tiles", trnsci_tile_data(got), trnsci_tile_data(expected), tile_info(expected).bytes);
	if (below(2)) /* or the session's end frees them */
		must("scope", trnsci_scope_free(served, scopes[0], &err), &err);
	else
		trnsci_tile_free(got);
	must("scope", trnsci_scope_free(here, scopes[1], &err), &err);
}

/* One that takes long, and is left. */
static void leave(void)
{
	struct trnsci_call *call = call_of(served, "run");
	struct trnsci_args *step = trnsci_step(call, "gamma");

	trnsci_set_u64(step, "n", LONG);
	trnsci_set_f64(step, "shape", 0.5);
	must("leave", trnsci_submit(call, NULL, NULL, NULL), trnsci_call_error(call));
	if (below(2)) {
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
	struct drawing noise = {.distribution = "normal", .source = {.seed = DEEDS_SEED, .offset = below(1 << 30)}};
	struct trnsci_ring *ring;
	struct trnsci_error err;

	must("ring", draw_ring(served, &noise, TRNSCI_F32, RING, &ring, &err), &err);
	for (uint32_t takes = below(4); takes; takes--) { /* none: it is left full */
		const uint64_t n = below(MOST) + 1;

		must("ring", trnsci_ring_take(ring, out, n, ANSWER_TIMEOUT_MS, NULL, &err), &err);
		drawn_here("ring", noise, TRNSCI_F32, out, n);
		noise.source.offset += n;
	}
	trnsci_ring_detach(ring);
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
	struct trnsci_ring_info info;
	struct trnsci_ring *ring;
	struct trnsci_error err;

	must("stream ring", stream_ring(served, DEEDS_STREAM, &bits, TRNSCI_U32, RING, &ring, &err), &err);
	must("stream ring", trnsci_ring_describe(ring, &info), NULL);
	for (uint32_t takes = below(3) + 1; takes; takes--) {
		uint64_t offset, n;

		must("stream ring", trnsci_ring_place(ring, ANSWER_TIMEOUT_MS, &offset, &n, &err), &err);
		if (n > RING)
			n = RING;
		must("stream ring", trnsci_ring_take(ring, out, n, ANSWER_TIMEOUT_MS, NULL, &err), &err);
		const struct drawing there = {.distribution = "bits", .source = {.seed = info.seed, .stream = info.stream, .offset = offset}};
		drawn_here("stream ring", there, TRNSCI_U32, out, n);
		claim(offset, n);
	}
	trnsci_ring_detach(ring);
}

static void stream(void)
{
	static uint32_t out[1024];
	const uint64_t n = below(1024) + 1;
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
	struct trnsci_broadcast_span span;
	struct trnsci_broadcast *reader;
	struct trnsci_error err;
	uint64_t next = 0;

	must("broadcast", trnsci_broadcast_attach(served, DEEDS_BROADCAST, &reader, &err), &err);
	if (below(2)) /* or from the first on, which are long gone */
		must("broadcast", trnsci_broadcast_seek(reader, UINT64_MAX), NULL);
	for (uint32_t takes = below(3) + 1; takes; takes--) {
		struct drawing news = deeds_news();

		must("broadcast", trnsci_broadcast_take(reader, out, below(2048) + 1, ANSWER_TIMEOUT_MS, &span, &err),
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
	trnsci_broadcast_detach(reader);
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
	random_state = seed;
	must("open", trnsci_open(socket, &options, &served, &err), &err);
	must("embedded", trnsci_open("embedded:", &embedded, &here, &err), &err);
	for (uint32_t count = below(20) + 1; count; count--)
		deeds[below(deeds_count)].act();
	trnsci_close(served);
	atomic_fetch_add(&shared->clients, 1);
	_exit(0);
}
