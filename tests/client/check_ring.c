/* SPDX-License-Identifier: Apache-2.0 */
/* Rings, each test with a daemon and with the embedded engine: the samples of plain draws, taken in any way. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "both.h"
#include "harness/wait.h"
#include "drawing.h"

enum { SAMPLES = 4096, TIMEOUT_MS = 20000 };

static struct trnsci_reader *attach(struct trnsci_session *session, const struct drawing *draw,
				  enum trnsci_dtype dtype, uint64_t samples)
{
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err = {0};

	if (draw_ring(session, draw, dtype, samples, &ring, &err) < 0)
		fail_msg("trnsci_ring_attach %s: %s", draw->distribution, err.text);
	return ring;
}

static void take(struct trnsci_reader *ring, void *out, uint64_t n)
{
	struct trnsci_reader_info before;
	struct trnsci_reader_span span;
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_reader_describe(ring, &before), 0);
	if (trnsci_reader_take(ring, out, n, TIMEOUT_MS, &span, &err) < 0)
		fail_msg("trnsci_reader_take: %s", err.text);
	assert_true(span.count == n && span.first == before.taken && span.missed == span.first);
	assert_true(span.offset == before.offset + before.taken && span.run > n);
}

/* ---- the same bytes as a draw ---- */

static const struct drawing draws[] = {
	{.distribution = "normal", .source = {.seed = 7, .stream = 3}},
	{.distribution = "normal", .source = {.seed = 7, .offset = 5}, .params = {I64("mean", 2), I64("std", 3)}},
	{.distribution = "uniform", .source = {.generator = "philox4x32", .seed = 1, .offset = 1023}},
	{.distribution = "bits", .source = {.seed = UINT64_MAX, .stream = UINT64_MAX}},
	{.distribution = "gamma", .source = {.seed = 2, .offset = 77}, .params = {F64("shape", 0.7)}},
	{.distribution = "poisson", .source = {.seed = 3}, .params = {I64("lam", 12)}},
	{.distribution = "bernoulli", .source = {.seed = 4}, .params = {F64("p", 0.25)}},
	{.distribution = "sphere", .source = {.seed = 5, .offset = 3}, .params = {I64("dimensions", 3)}},
	{.distribution = "permutation", .source = {.seed = 6}, .params = {I64("items", 1000)}},
	{.distribution = "categorical", .source = {.seed = 8}, .params = {F64S("weights", ((const double[]){1, 2, 3}), 3)}},
};

static void compare(struct trnsci_session *session, const struct drawing *draw, enum trnsci_dtype dtype)
{
	static const uint64_t pieces[] = {1, 64, 3, 4095, 1, 777, 9000, 2048, 0, 4096, 5};
	struct trnsci_reader *ring = attach(session, draw, dtype, SAMPLES);
	struct trnsci_reader_info info;
	struct trnsci_error err;
	uint64_t n = 0, at = 0;

	assert_int_equal(trnsci_reader_describe(ring, &info), 0);
	assert_true(info.capacity >= SAMPLES && info.offset == draw->source.offset && info.taken == 0);
	assert_true(info.sample_bytes == info.components * trnsci_dtype_size(info.dtype));
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		n += pieces[i];
	unsigned char *got = malloc(n * info.sample_bytes), *expected = malloc(n * info.sample_bytes);
	if (draw_array(session, draw, info.dtype, n * info.components, expected, NULL, &err) < 0)
		fail_msg("%s: %s", draw->distribution, err.text);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; at += pieces[i++])
		take(ring, got + at * info.sample_bytes, pieces[i]);
	for (size_t i = 0; i < n * info.sample_bytes; i++)
		if (got[i] != expected[i])
			fail_msg("%s %s seed %llu on %s: byte %zu of %llu samples: expected %02x, got %02x", draw->distribution,
				 trnsci_dtype_name(info.dtype), (unsigned long long)draw->source.seed,
				 session_address(session), i, (unsigned long long)n, expected[i], got[i]);
	assert_int_equal(trnsci_reader_describe(ring, &info), 0);
	assert_true(info.taken == n && info.produced >= n && info.produced - n <= info.capacity);
	free(got);
	free(expected);
	trnsci_reader_detach(ring);
}

static void same_as_draws(struct trnsci_session *session)
{
	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
		compare(session, &draws[i], TRNSCI_DTYPE_NONE);
	compare(session, &draws[0], TRNSCI_F64);
	compare(session, &draws[2], TRNSCI_F16);
	compare(session, &draws[3], TRNSCI_U64);
}

/* Many times around, borrowed: runs that pass the end of the ring lie in one piece. */
static void borrowed(struct trnsci_session *session)
{
	const struct drawing draw = {.distribution = "normal", .source = {.seed = 11}};
	struct trnsci_reader *ring = attach(session, &draw, TRNSCI_F32, SAMPLES);
	enum { N = 1500, TIMES = 40 };
	float *expected = malloc(N * TIMES * sizeof *expected);
	struct trnsci_error err;
	const void *lent = NULL;
	struct trnsci_reader_span span = {0};

	assert_int_equal(draw_array(session, &draw, TRNSCI_F32, N * TIMES, expected, NULL, &err), 0);
	for (size_t i = 0; i < TIMES; i++) {
		assert_int_equal(trnsci_reader_borrow(ring, N, TIMEOUT_MS, &lent, NULL, &err), 0);
		assert_memory_equal(lent, expected + i * N, N * sizeof(float));
		/* What is not given back comes again. */
		assert_int_equal(trnsci_reader_release(ring, N + 1, &err), -TRNSCI_OUT_OF_RANGE);
		assert_non_null(strstr(err.text, "allowed are the 1500"));
		assert_int_equal(trnsci_reader_take(ring, expected, 1, 0, &span, &err), -TRNSCI_OUT_OF_RANGE);
		assert_true(span.count == 0);
		assert_int_equal(trnsci_reader_release(ring, 100, NULL), 0);
		assert_int_equal(trnsci_reader_borrow(ring, N - 100, TIMEOUT_MS, &lent, NULL, &err), 0);
		assert_memory_equal(lent, expected + i * N + 100, (N - 100) * sizeof(float));
		assert_int_equal(trnsci_reader_release(ring, N - 100, NULL), 0);
	}
	assert_int_equal(trnsci_reader_borrow(ring, SAMPLES / 2 + 1, 0, &lent, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	/* To learn where the next sample lies is not to take it. */
	assert_int_equal(ring_place(ring, TIMEOUT_MS, &span, &err), 0);
	assert_true(span.missed == N * TIMES && span.first == N * TIMES && span.offset == N * TIMES && span.run > N);
	assert_int_equal(trnsci_reader_seek(ring, 0, &err), -TRNSCI_NOT_SUPPORTED);
	assert_non_null(strstr(err.text, "ring: seek: "));
	assert_int_equal(ring_place(ring, TIMEOUT_MS, &span, &err), 0);
	assert_int_equal(span.first, N * TIMES);
	free(expected);
	trnsci_reader_detach(ring);
}

/* What is there is taken; then an error says that there is no more. */
static void end_of_stream(struct trnsci_session *session)
{
	const uint64_t left = 3 * SAMPLES + 1001;
	struct drawing draw = {.distribution = "bits", .source = {.seed = 12, .offset = UINT64_MAX - left + 1}};
	struct trnsci_reader *ring = attach(session, &draw, TRNSCI_U32, SAMPLES), *none = NULL;
	uint32_t *got = calloc(left + 10, sizeof *got), *expected = calloc(left, sizeof *expected);
	struct trnsci_span span;
	struct trnsci_reader_span got_span;
	struct trnsci_error err;

	if (draw_array(session, &draw, TRNSCI_U32, left, expected, &span, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(span.ended && span.position == draw.source.offset && span.next == TRNSCI_END_OF_WORDS);
	assert_int_equal(trnsci_reader_take(ring, got, left + 10, TIMEOUT_MS, &got_span, &err), -TRNSCI_END_OF_STREAM);
	assert_true(got_span.count == left && got_span.offset == draw.source.offset);
	assert_memory_equal(got, expected, left * sizeof *got);
	assert_int_equal(trnsci_reader_take(ring, got, 1, -1, &got_span, &err), -TRNSCI_END_OF_STREAM);
	trnsci_reader_detach(ring);
	draw.distribution = "uniform"; /* as float64 its offset lies beyond the end */
	assert_int_equal(draw_ring(session, &draw, TRNSCI_F64, 0, &none, &err), -TRNSCI_END_OF_STREAM);
	free(got);
	free(expected);
}

/* A sequence that has drawn the end of its stream does not move any more. */
static void last_words(struct trnsci_session *session)
{
	struct drawing draw = {.distribution = "bits", .source = {.seed = 12, .position = UINT64_MAX - 15}};
	struct trnsci_tile *tile;
	struct trnsci_span span;
	struct trnsci_error err;
	uint64_t n = 16;

	assert_int_equal(trnsci_tile_new(session, TRNSCI_U32, 1, &n, &tile, &err), 0);
	if (draw_tile(session, &draw, 0, tile, &span, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(span.ended && span.next == TRNSCI_END_OF_WORDS);
	draw.source.position = span.next;
	assert_int_equal(draw_tile(session, &draw, 0, tile, &span, &err), -TRNSCI_END_OF_STREAM);
	assert_non_null(strstr(err.text, "has ended"));
	trnsci_tile_free(tile);
}

static void refusals(struct trnsci_session *session)
{
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err;
	const struct {
		struct drawing draw;
		enum trnsci_dtype dtype;
		uint64_t samples;
		int code;
		const char *words;
	} wrong[] = {
		{{.distribution = "nothing"}, 0, 0, TRNSCI_UNKNOWN_METHOD, "op"},
		{{.distribution = "fft"}, 0, 0, TRNSCI_UNKNOWN_METHOD, "op"},
		{{.distribution = NULL}, 0, 0, TRNSCI_MISSING_PARAMETER, "distribution"},
		{{.distribution = "normal"}, TRNSCI_I8, 0, TRNSCI_OUT_OF_RANGE, "dtype"},
		{{.distribution = "normal", .params = {I64("std", -1)}}, 0, 0, TRNSCI_OUT_OF_RANGE, "std"},
		{{.distribution = "normal", .params = {I64("n", 1)}}, 0, 0, TRNSCI_UNKNOWN_PARAMETER, "noise"},
		{{.distribution = "normal", .source = {.size = 2}}, 0, 0, TRNSCI_OUT_OF_RANGE, "size"},
		{{.distribution = "permutation"}, 0, 0, TRNSCI_MISSING_PARAMETER, "items"},
		{{.distribution = "normal"}, 0, (uint64_t)1 << 32, TRNSCI_LIMIT, "samples"},
		{{.distribution = "normal"}, 0, (uint64_t)1 << 40, TRNSCI_OUT_OF_RANGE, "samples"},
		{{.distribution = "normal", .source = {.generator = "philox4x32", .stream = (uint64_t)1 << 32}}, 0, 0, TRNSCI_OUT_OF_RANGE, "stream"},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		int r = draw_ring(session, &wrong[i].draw, wrong[i].dtype, wrong[i].samples, &ring, &err);

		if (r != -wrong[i].code || !strstr(err.text, wrong[i].words))
			fail_msg("case %zu on %s: expected %s with \"%s\", got %d %s", i, session_address(session),
				 trnsci_error_name(wrong[i].code), wrong[i].words, r, r ? err.text : "");
	}
	assert_null(ring);
	trnsci_reader_detach(NULL);
	assert_true(trnsci_reader_take(NULL, NULL, 0, 0, NULL, &err) < 0);
}

/* ---- waiting ---- */

/* What is not there in time is an error, and what came before is taken. */
static void in_no_time(struct trnsci_session *session)
{
	const struct drawing draw = {.distribution = "normal", .source = {.seed = 13}};
	struct trnsci_reader *ring = attach(session, &draw, TRNSCI_F32, SAMPLES);
	float *got = malloc(100 * SAMPLES * sizeof *got), *expected = malloc(100 * SAMPLES * sizeof *expected);
	struct trnsci_error err;
	struct trnsci_reader_span span;
	uint64_t all = 0;

	assert_int_equal(draw_array(session, &draw, TRNSCI_F32, 100 * SAMPLES, expected, NULL, &err), 0);
	while (all < 100 * SAMPLES) {
		int r = trnsci_reader_take(ring, got + all, 100 * SAMPLES - all, 0, &span, &err);

		assert_true(r == 0 || r == -TRNSCI_TIMEOUT);
		assert_true(span.first == all || span.count == 0);
		all += span.count;
	}
	assert_memory_equal(got, expected, 100 * SAMPLES * sizeof *got);
	free(got);
	free(expected);
	trnsci_reader_detach(ring);
}

struct taker {
	struct trnsci_session *session;
	uint64_t seed;
};

static void *take_much(void *arg)
{
	const struct taker *taker = arg;
	const struct drawing draw = {.distribution = "normal", .source = {.seed = taker->seed}};
	enum { N = 100000 };
	float *got = malloc(N * sizeof *got), *expected = malloc(N * sizeof *expected);
	struct trnsci_reader *ring = attach(taker->session, &draw, TRNSCI_F32, SAMPLES);
	struct trnsci_error err;

	assert_int_equal(draw_array(taker->session, &draw, TRNSCI_F32, N, expected, NULL, &err), 0);
	for (size_t at = 0; at < N; at += 1000)
		take(ring, got + at, 1000);
	assert_memory_equal(got, expected, N * sizeof *got);
	trnsci_reader_detach(ring);
	free(got);
	free(expected);
	return NULL;
}

/* Rings of one session, each with a thread of its own. */
static void threads(struct trnsci_session *session)
{
	pthread_t ids[4];
	struct taker takers[4];

	for (size_t i = 0; i < 4; i++) {
		takers[i] = (struct taker){session, i};
		pthread_create(&ids[i], NULL, take_much, &takers[i]);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static uint64_t daemon_stat(struct trnsci_session *session, const char *name)
{
	struct trnsci_call *call;
	uint64_t number = 0;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), 0);
	assert_int_equal(trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "daemon"), name), &number),
			 0);
	trnsci_call_free(call);
	return number;
}

/* The library wakes the filler at most once in half a ring: when it takes as fast as it can, in pieces of any size, and
 * when the filler sleeps between any two. */
static void few_wake_ups(void **state)
{
	enum { TAKEN = 400 * SAMPLES, SLOWLY = 40 * SAMPLES };
	struct trnsci_session *session = open_at(trnscid.socket);
	const struct drawing draw = {.distribution = "uniform", .source = {.seed = 14}};
	static float out[3000];

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		struct trnsci_reader *ring = attach(session, &draw, TRNSCI_F32, SAMPLES);
		const uint64_t before = daemon_stat(session, "ring_wakes"), all = slow ? SLOWLY : TAKEN;
		uint64_t done = 0, wakes;

		for (uint64_t n = 1; done < all; done += n, n = slow ? 500 : n * 31 % 2999) {
			take(ring, out, n);
			if (slow)
				wait_as_slow_peer(200);
		}
		trnsci_reader_detach(ring);
		wakes = daemon_stat(session, "ring_wakes") - before;
		if (wakes > done / (SAMPLES / 2) || (slow && wakes == 0))
			fail_msg("%llu samples of a ring of %d: expected 1 to %llu wake-ups, got %llu",
				 (unsigned long long)done, SAMPLES, (unsigned long long)done / (SAMPLES / 2),
				 (unsigned long long)wakes);
	}
	trnsci_close(session);
}

/* ---- ends ---- */

static void closed_session(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};
	static float out[1 << 20];
	struct trnsci_error err;
	struct trnsci_reader_span span;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_reader *ring = attach(session, &draws[0], TRNSCI_F32, SAMPLES);

		trnsci_close(session);
		assert_int_equal(trnsci_reader_take(ring, out, sizeof out / sizeof *out, TIMEOUT_MS, &span, &err),
				 -TRNSCI_CLOSED);
		assert_true(span.count <= 2 * SAMPLES);
		trnsci_reader_detach(ring);
	}
}

/* A child must not take what is its parent's; the parent goes on. */
static void forked(struct trnsci_session *session)
{
	struct trnsci_reader *ring = attach(session, &draws[0], TRNSCI_F32, SAMPLES);
	struct trnsci_error err;
	struct trnsci_reader_info info;
	const void *lent;
	float out[64], more[64];
	int status;
	pid_t child;

	take(ring, out, 64);
	child = fork();
	if (child == 0) {
		bool right = trnsci_reader_take(ring, out, 1, 0, NULL, &err) == -TRNSCI_CLOSED &&
			     trnsci_reader_borrow(ring, 1, 0, &lent, NULL, &err) == -TRNSCI_CLOSED &&
			     trnsci_reader_release(ring, 0, NULL) == -TRNSCI_CLOSED &&
			     trnsci_reader_describe(ring, &info) == -TRNSCI_CLOSED;

		trnsci_reader_detach(ring);
		_exit(right ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	take(ring, more, 64);
	assert_memory_not_equal(out, more, sizeof out);
	trnsci_reader_detach(ring);
}

/* Memory counts as a file; the signal of a file that is too large would end this process, whose action is the default. */
static void file_size_limit(void **state)
{
	struct trnsci_session *session = open_at("embedded:");
	const struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, limit = {64 << 10, RLIM_INFINITY};
	struct trnsci_reader *ring = NULL;
	struct trnsci_error err;

	(void)state;
	assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	const int r = draw_ring(session, &draws[0], TRNSCI_F32, 1 << 20, &ring, &err);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(r, -TRNSCI_SYSTEM);
	assert_non_null(strstr(err.text, "ring: memfd: File too large"));
	ring = attach(session, &draws[0], TRNSCI_F32, SAMPLES);
	trnsci_reader_detach(ring);
	trnsci_close(session);
}

static void daemon_killed(void **state)
{
	struct daemon other;
	struct trnsci_session *session;
	struct trnsci_reader *ring;
	struct trnsci_error err;
	static float out[1 << 18];

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=1"));
	session = open_at(other.socket);
	ring = attach(session, &draws[0], TRNSCI_F32, SAMPLES);
	take(ring, out, 64);
	daemon_discard(&other);
	/* What it had drawn is still there; then there is no more, though nobody can say so. */
	assert_int_equal(trnsci_reader_take(ring, out, sizeof out / sizeof *out, -1, NULL, &err), -TRNSCI_CLOSED);
	trnsci_reader_detach(ring);
	trnsci_close(session);
}

BOTH(same_as_draws)
BOTH(borrowed)
BOTH(end_of_stream)
BOTH(last_words)
BOTH(refusals)
BOTH(in_no_time)
BOTH(threads)
BOTH(forked)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_draws_by_both), cmocka_unit_test(borrowed_by_both),
		cmocka_unit_test(end_of_stream_by_both), cmocka_unit_test(refusals_by_both),
		cmocka_unit_test(in_no_time_by_both),	 cmocka_unit_test(threads_by_both),
		cmocka_unit_test(closed_session),	 cmocka_unit_test(forked_by_both),
		cmocka_unit_test(daemon_killed),	 cmocka_unit_test(few_wake_ups),
		cmocka_unit_test(last_words_by_both),	 cmocka_unit_test(file_size_limit),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
