/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams through the library: every function, what it refuses, and that what a draw says of its range repeats
 * it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "drawing.h"

#include "harness/daemon.h"

static struct daemon trnscid;
static struct trnsci_session *session;

static void expect(int r, int expected, const struct trnsci_error *err, const char *words)
{
	if (r != expected || !strstr(err->text, words))
		fail_msg("expected %s with \"%s\", got %s: %s", trnsci_error_name(expected), words, trnsci_error_name(r),
			 err->text);
}

static void good(int r, const struct trnsci_error *err)
{
	if (r < 0)
		fail_msg("%s", err->text);
}

static void test_life(void **state)
{
	struct trnsci_stream_options options = {.generator = "philox4x32", .seed = 3, .has_seed = true, .mode = "0600"};
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};

	(void)state;
	good(trnsci_stream_create(session, "life", &options, &info, &err), &err);
	assert_string_equal(info.name, "life");
	assert_string_equal(info.generator, "philox4x32");
	assert_int_equal(info.seed, 3);
	assert_int_equal(info.stream, 1);
	assert_int_equal(info.position, 0);
	assert_int_equal(info.mode, 0600);
	assert_int_equal(info.uid, getuid());
	assert_true(info.created_s > 1600000000);
	expect(trnsci_stream_create(session, "life", NULL, NULL, &err), -TRNSCI_EXISTS, &err, "life");
	good(trnsci_stream_advance(session, "life", 5, 0, &info, &err), &err);
	assert_int_equal(info.position, 8);
	good(trnsci_stream_advance(session, "life", 0, 100, &info, &err), &err);
	assert_int_equal(info.position, 100);
	expect(trnsci_stream_advance(session, "life", 0, 96, &info, &err), -TRNSCI_OUT_OF_RANGE, &err, "never go back");
	good(trnsci_stream_advance(session, "life", 0, UINT64_MAX, &info, &err), &err);
	assert_true(info.ended);
	good(trnsci_stream_show(session, "life", &info, &err), &err);
	assert_true(info.ended);
	good(trnsci_stream_delete(session, "life", NULL, &err), &err);
	expect(trnsci_stream_show(session, "life", &info, &err), -TRNSCI_NOT_FOUND, &err, "life");
	options.has_stream = true;
	options.stream = 1;
	expect(trnsci_stream_create(session, "life", &options, NULL, &err), -TRNSCI_EXISTS, &err, "stream: 1");
	options.stream = 1ull << 32;
	expect(trnsci_stream_create(session, "life", &options, NULL, &err), -TRNSCI_OUT_OF_RANGE, &err, "philox4x32");
	options.reserved[1] = 1;
	expect(trnsci_stream_create(session, "life", &options, NULL, &err), -TRNSCI_OUT_OF_RANGE, &err, "reserved");
	expect(trnsci_stream_create(session, NULL, NULL, NULL, &err), -TRNSCI_MISSING_PARAMETER, &err, "name");
}

/* Without a seed: the one that the daemon's state was made with, the same for all; what it is can be shown. */
static void test_seeds(void **state)
{
	struct trnsci_stream_options options = {0};
	struct trnsci_stream_info first, second, third;
	struct trnsci_error err = {0};

	(void)state;
	good(trnsci_stream_create(session, "seedless", NULL, &first, &err), &err);
	good(trnsci_stream_create(session, "seedless2", &options, &second, &err), &err);
	assert_true(first.seed > UINT32_MAX);
	assert_true(second.seed == first.seed && second.stream == first.stream + 1);
	good(trnsci_stream_show(session, "seedless", &third, &err), &err);
	assert_true(third.seed == first.seed);
	options.has_seed = true;
	good(trnsci_stream_create(session, "zero", &options, &third, &err), &err);
	assert_int_equal(third.seed, 0);
	options = (struct trnsci_stream_options){.seed = 5};
	expect(trnsci_stream_create(session, "five", &options, NULL, &err), -TRNSCI_OUT_OF_RANGE, &err, "has_seed");
}

static void test_draws(void **state)
{
	static float first[50000], again[50000];
	const struct drawing draw = {.distribution = "normal", .params = {I64("mean", 2)}};
	const struct drawing sphere = {.distribution = "sphere", .params = {I64("dimensions", 5)}};
	struct drawing plain, wrong = draw;
	struct trnsci_span range, next;
	struct trnsci_error err = {0};
	struct trnsci_tile *tile;
	uint64_t n = 1001;

	(void)state;
	good(trnsci_stream_create(session, "draws", NULL, NULL, &err), &err);
	good(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, &err), &err);
	good(stream_tile(session, "draws", &draw, tile, &range, &err), &err);
	assert_int_equal(range.position, 0);
	memcpy(first, trnsci_tile_data(tile), n * sizeof *first);
	plain = drawing_again(&draw, &range);
	good(draw_tile(session, &plain, 0, tile, NULL, &err), &err);
	assert_memory_equal(first, trnsci_tile_data(tile), n * sizeof *first);
	trnsci_tile_free(tile);

	good(stream_array(session, "draws", &draw, TRNSCI_F32, 50000, first, &next, &err), &err);
	assert_int_equal(next.position, 1004);
	plain = drawing_again(&draw, &next);
	good(draw_array(session, &plain, TRNSCI_F32, 50000, again, NULL, &err), &err);
	assert_memory_equal(first, again, sizeof first);
	good(stream_array(session, "draws", &sphere, TRNSCI_F32, 500, first, &next, &err), &err);
	expect(stream_array(session, "draws", &sphere, TRNSCI_F32, 501, first, &next, &err),
	       -TRNSCI_BAD_SHAPE, &err, "multiples of 5");

	good(stream_array(session, "draws", &draw, TRNSCI_F64, 1ull << 40, NULL, &range, &err), &err);
	assert_int_equal(range.offset * 2, range.position);
	good(stream_array(session, "draws", &draw, TRNSCI_F32, 4, NULL, &next, &err), &err);
	assert_int_equal(next.position, range.position + (1ull << 41));

	wrong.source.seed = 1;
	expect(stream_array(session, "draws", &wrong, TRNSCI_F32, 4, first, NULL, &err), -TRNSCI_OUT_OF_RANGE,
	       &err, "the stream's own");
	expect(stream_array(session, "none", &draw, TRNSCI_F32, 4, first, NULL, &err), -TRNSCI_NOT_FOUND, &err,
	       "none");
}

/* Several in flight, on one connection. */
static void test_calls(void **state)
{
	enum { CALLS = 16 };
	struct trnsci_call *calls[CALLS];
	struct trnsci_span ranges[CALLS];
	struct trnsci_error err = {0};
	struct trnsci_args *args;

	(void)state;
	good(trnsci_stream_create(session, "calls", NULL, NULL, &err), &err);
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_new(session, "stream_draw", &calls[i]), 0);
		trnsci_set(trnsci_call_args(calls[i]), trnsci_param_text("name", "calls"));
		args = trnsci_set_map(trnsci_call_args(calls[i]), "draw");
		trnsci_set(args, trnsci_param_text("op", "exponential"));
		trnsci_set(args, trnsci_param_u64("n", 10));
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	assert_int_equal(wait_all(calls, CALLS, 20000), 0);
	for (int i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_span(calls[i], &ranges[i]), 0);
		for (int k = 0; k < i; k++)
			assert_true(ranges[i].position >= ranges[k].position + 12 ||
				    ranges[k].position >= ranges[i].position + 12);
		trnsci_call_free(calls[i]);
	}
}

struct listed {
	int seen, stop_at;
};

static int count(void *arg, const struct trnsci_stream_info *info)
{
	struct listed *listed = arg;
	char name[16];

	snprintf(name, sizeof name, "list%03d", listed->seen);
	listed->seen += strcmp(info->name, name) == 0;
	return listed->stop_at && listed->seen == listed->stop_at ? 42 : 0;
}

/* More than one reply holds. */
static void test_list(void **state)
{
	enum { STREAMS = 300 };
	struct trnsci_call *calls[STREAMS];
	struct trnsci_error err = {0};
	struct listed listed = {0}, stopped = {.stop_at = 7};
	char name[16];

	(void)state;
	for (int i = 0; i < STREAMS; i++) {
		snprintf(name, sizeof name, "list%03d", i);
		assert_int_equal(trnsci_call_new(session, "stream_create", &calls[i]), 0);
		trnsci_set(trnsci_call_args(calls[i]), trnsci_param_text("name", name));
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	assert_int_equal(wait_all(calls, STREAMS, 20000), 0);
	for (int i = 0; i < STREAMS; i++)
		trnsci_call_free(calls[i]);
	good(trnsci_stream_list(session, count, &listed, &err), &err);
	assert_int_equal(listed.seen, STREAMS);
	assert_int_equal(trnsci_stream_list(session, count, &stopped, &err), 42);
	assert_int_equal(stopped.seen, 7);
}

static void test_embedded(void **state)
{
	struct trnsci_session *embedded;
	struct trnsci_error err = {0};
	struct listed listed = {0};

	(void)state;
	good(trnsci_open("embedded:", NULL, &embedded, &err), &err);
	expect(trnsci_stream_create(embedded, "a", NULL, NULL, &err), -TRNSCI_NOT_SUPPORTED, &err, "a daemon");
	expect(trnsci_stream_list(embedded, count, &listed, &err), -TRNSCI_NOT_SUPPORTED, &err, "a daemon");
	trnsci_close(embedded);
}

/* A signal's parts, also those that come in pieces, whose filter the library takes from the stream: taps, a table, an exponent. */
static void test_signals(void **state)
{
	enum { MOST = 300000 };
	static const double taps[] = {1, -0.5, 0.25}, psd[] = {10, 1e-2, 100, 1e-4}, band[] = {5, 400};
	static const size_t lengths[] = {5, 7, 100003, 0, 1, 199984};
	static float parts[MOST], whole[MOST];
	const struct trnsci_param filters[][5] = {
		{trnsci_param_f64s("taps", taps, 3), trnsci_param_end()},
		{trnsci_param_f64s("psd", psd, 4), trnsci_param_f64s("band", band, 2), trnsci_param_u64("fs", 1000),
		 trnsci_param_u64("length", 512), trnsci_param_end()},
		{trnsci_param_f64("exponent", 1.5), trnsci_param_text("dtype", "f32"), trnsci_param_end()},
		{trnsci_param_end()},
	};
	static const char *const shown[] = {"f32 taps", "f32 psd", "f32 exponent=1.5", "f32 color=pink"};
	struct trnsci_source signal = trnsci_source_named("signal"), own = trnsci_source_seed(11);
	struct trnsci_stream_info info;
	struct trnsci_span span;
	struct trnsci_error err = {0};

	(void)state;
	for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
		const struct trnsci_stream_options options = {.seed = 11, .has_seed = true, .noise = filters[f]};
		size_t at = 0;

		good(trnsci_stream_create(session, "signal", &options, &info, &err), &err);
		assert_string_equal(info.noise, shown[f]);
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			good(trnsci_draw_array(session, "colored", i == 2 ? filters[f] : NULL, &signal, TRNSCI_F32, lengths[i],
					       parts + at, &span, &err),
			     &err);
			assert_int_equal(span.offset, at);
			at += lengths[i];
		}
		assert_int_equal(at, MOST);
		own.stream = info.stream;
		good(trnsci_draw_array(session, "colored", filters[f], &own, TRNSCI_F32, MOST, whole, NULL, &err), &err);
		assert_memory_equal(parts, whole, sizeof whole);
		good(trnsci_stream_show(session, "signal", &info, &err), &err);
		assert_int_equal(info.position, MOST);
		expect(trnsci_draw_array(session, "normal", NULL, &signal, TRNSCI_F32, 5, parts, NULL, &err), -TRNSCI_OUT_OF_RANGE,
		       &err, "one signal");
		good(trnsci_stream_delete(session, "signal", NULL, &err), &err);
	}
}

static int setup(void **state)
{
	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	return trnsci_open(trnscid.socket, NULL, &session, NULL);
}

static int teardown(void **state)
{
	(void)state;
	trnsci_close(session);
	daemon_stop(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_seeds), cmocka_unit_test(test_draws),    cmocka_unit_test(test_calls),
		cmocka_unit_test(test_list), cmocka_unit_test(test_embedded), cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
