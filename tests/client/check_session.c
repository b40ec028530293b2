/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, calls and tiles, each test with a daemon and with the embedded engine; both must give the same bytes. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <trnsci/trnsci.h>

#include "client/daemon.h"

static struct daemon trnscid;

static struct trnsci_session *open_at(const char *address)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};

	if (trnsci_open(address, NULL, &session, &err) < 0)
		fail_msg("trnsci_open %s: %s", address, err.text);
	return session;
}

static void assert_runs(struct trnsci_call *call)
{
	int r = trnsci_run(call);

	if (r < 0)
		fail_msg("expected 0, got %d: %s", r, trnsci_call_error(call)->text);
}

static struct trnsci_tile *new_tile(struct trnsci_session *session, uint64_t scope, enum trnsci_dtype dtype, uint64_t n)
{
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err = {0};

	if (trnsci_tile_new(session, scope, dtype, 1, &n, &tile, &err) < 0)
		fail_msg("trnsci_tile_new: %s", err.text);
	return tile;
}

/* Runs check for both engines. */
static void with_both(void (*check)(struct trnsci_session *session))
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);

		check(session);
		trnsci_close(session);
	}
}

/* ---- one call ---- */

static void ping(struct trnsci_session *session)
{
	struct trnsci_call *call;
	uint64_t back = 0;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	assert_null(trnsci_reply(call));
	assert_true(trnsci_wait(call, 0) < 0); /* never sent */
	for (uint64_t i = 0; i < 3; i++) {     /* a call may be run again */
		trnsci_set_u64(trnsci_args(call), "payload", UINT64_MAX - i);
		assert_runs(call);
		assert_int_equal(trnsci_to_u64(trnsci_get(trnsci_reply(call), "payload"), &back), 0);
		assert_true(back == UINT64_MAX - i);
	}
	trnsci_call_free(call);
}

static void test_ping(void **state)
{
	(void)state;
	with_both(ping);
}

static void every_kind(struct trnsci_session *session)
{
	struct trnsci_call *call;
	struct trnsci_args *map, *list;
	size_t size = 0;
	int64_t i = 0;
	double f = 0;
	bool yes = false;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	map = trnsci_set_map(trnsci_args(call), "payload");
	trnsci_set_i64(map, "i", INT64_MIN);
	trnsci_set_f64(map, "f", 0x1.8p-1060);
	trnsci_set_bool(map, "b", true);
	trnsci_set_text(map, "t", "replaced");
	trnsci_set_text(map, "t", "text");
	trnsci_set_bytes(map, "d", "\0\xff", 2);
	list = trnsci_set_list(map, "l");
	trnsci_set_u64(list, NULL, 1);
	trnsci_set_list(list, NULL);
	assert_runs(call);
	const struct trnsci_value *back = trnsci_get(trnsci_reply(call), "payload");

	assert_int_equal(trnsci_kind(back), TRNSCI_MAP);
	assert_int_equal(trnsci_count(back), 6);
	assert_int_equal(trnsci_to_i64(trnsci_get(back, "i"), &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(trnsci_to_f64(trnsci_get(back, "f"), &f), 0);
	assert_true(f == 0x1.8p-1060);
	assert_int_equal(trnsci_to_bool(trnsci_get(back, "b"), &yes), 0);
	assert_true(yes);
	assert_memory_equal(trnsci_to_bytes(trnsci_get(back, "t"), &size), "text", 4);
	assert_int_equal(size, 4);
	assert_memory_equal(trnsci_to_bytes(trnsci_get(back, "d"), &size), "\0\xff", 2);
	assert_int_equal(size, 2);
	assert_int_equal(trnsci_count(trnsci_get(back, "l")), 2);
	assert_int_equal(trnsci_kind(trnsci_at(trnsci_get(back, "l"), 1)), TRNSCI_LIST);
	assert_null(trnsci_at(trnsci_get(back, "l"), 2));
	assert_memory_equal(trnsci_name_at(back, 0, &size), "i", 1);
	assert_int_equal(trnsci_to_bool(trnsci_get(back, "i"), &yes), -TRNSCI_WRONG_TYPE);
	trnsci_call_free(call);
}

static void test_every_kind(void **state)
{
	(void)state;
	with_both(every_kind);
}

static void wrong_requests(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "no_such", &call), 0);
	assert_int_equal(trnsci_run(call), -TRNSCI_UNKNOWN_METHOD);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_UNKNOWN_METHOD);
	assert_int_equal(strncmp(trnsci_call_error(call)->text, "unknown_method: ", 16), 0);
	assert_null(trnsci_reply(call));
	trnsci_call_free(call);

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set_u64(trnsci_args(call), "n", 4);
	trnsci_set_f64(trnsci_args(call), "std", -1);
	assert_int_equal(trnsci_run(call), -TRNSCI_OUT_OF_RANGE);
	trnsci_set_f64(trnsci_args(call), "std", 1);
	assert_runs(call);
	trnsci_set_text(NULL, "n", "no place"); /* harmless */
	trnsci_set_text(trnsci_args(call), NULL, "a list's element in a map");
	assert_int_equal(trnsci_run(call), -TRNSCI_NO_MEMORY);
	trnsci_call_free(call);

	assert_int_equal(trnsci_call_new(session, "arena", &call), -TRNSCI_NOT_SUPPORTED);
	assert_int_equal(trnsci_call_new(session, "cancel", &call), -TRNSCI_NOT_SUPPORTED);
	assert_int_equal(trnsci_call_new(NULL, "ping", &call), -TRNSCI_CLOSED);
}

static void test_wrong_requests(void **state)
{
	(void)state;
	with_both(wrong_requests);
}

/* ---- the same bytes ---- */

enum { N = 100003 };

static void draw_everywhere(const char *law, enum trnsci_dtype dtype, uint64_t offset)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};
	const struct trnsci_draw draw = {.law = law, .seed = 99, .stream = 5, .offset = offset};
	size_t bytes = N * trnsci_dtype_size(dtype);
	char *tile_bytes[2], *copied = malloc(bytes);

	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, 0, dtype, N);
		struct trnsci_span span = {0};
		struct trnsci_error err = {0};

		if (trnsci_draw(session, &draw, 0, tile, &span, &err) < 0)
			fail_msg("%s: %s", law, err.text);
		assert_true(span.next > span.position && span.next % 4 == 0);
		tile_bytes[i] = malloc(bytes);
		memcpy(tile_bytes[i], trnsci_tile_data(tile), bytes);
		if (trnsci_draw_copy(session, &draw, dtype, N, copied, NULL, &err) < 0)
			fail_msg("%s: %s", law, err.text);
		assert_memory_equal(copied, tile_bytes[i], bytes);
		trnsci_tile_free(tile);
		trnsci_close(session);
	}
	assert_memory_equal(tile_bytes[0], tile_bytes[1], bytes);
	free(tile_bytes[0]);
	free(tile_bytes[1]);
	free(copied);
}

static void test_same_bytes(void **state)
{
	(void)state;
	draw_everywhere("bits", TRNSCI_U32, 0);
	draw_everywhere("bits", TRNSCI_U64, 3);
	draw_everywhere("uniform", TRNSCI_F32, 1);
	draw_everywhere("uniform", TRNSCI_F64, 77);
	draw_everywhere("normal", TRNSCI_F32, 5);
	draw_everywhere("normal", TRNSCI_F64, 6);
}

/* A copy in several pieces and inline equals one tile. */
static void copies(struct trnsci_session *session)
{
	enum { MANY = 700001 };
	const struct trnsci_draw draw = {
		.law = "uniform", .seed = 3, .offset = 11, .numbers = {{"low", -2}, {"high", 7}}};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, MANY);
	float *copied = malloc(MANY * sizeof *copied), few[5];
	struct trnsci_span whole = {0}, span = {0};
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_draw(session, &draw, 0, tile, &whole, &err), 0);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_F32, MANY, copied, &span, &err), 0);
	assert_memory_equal(copied, trnsci_tile_data(tile), MANY * sizeof *copied);
	assert_true(span.position == whole.position && span.next == whole.next);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_F32, 5, few, NULL, &err), 0);
	assert_memory_equal(few, copied, sizeof few);
	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_DTYPE_NONE, 5, few, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	free(copied);
	trnsci_tile_free(tile);
}

static void test_copies(void **state)
{
	(void)state;
	with_both(copies);
}

/* Laws of vectors, of counts and of a list, by the typed calls: few and many are pieces of one tile. */
static void laws(struct trnsci_session *session)
{
	static const double alpha[] = {1, 2.5, 3, 0.5};
	const struct trnsci_draw draws[] = {
		{.law = "sphere", .seed = 1, .offset = 5, .numbers = {{"dimensions", 3}}},
		{.law = "dirichlet", .seed = 2, .offset = 7, .list = {"alpha", alpha, 4}},
		{.law = "normal", .seed = 3, .offset = 1, .choices = {{"method", "boxmuller64"}}},
	};
	const uint64_t n = 12 * 30000;
	float *copied = malloc(n * sizeof *copied);

	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, n);
		struct trnsci_error err = {0};

		if (trnsci_draw(session, &draws[i], 0, tile, NULL, &err) < 0)
			fail_msg("%s: %s", draws[i].law, err.text);
		if (trnsci_draw_copy(session, &draws[i], TRNSCI_F32, n, copied, NULL, &err) < 0)
			fail_msg("%s: %s", draws[i].law, err.text);
		assert_memory_equal(copied, trnsci_tile_data(tile), n * sizeof *copied);
		assert_int_equal(trnsci_draw_copy(session, &draws[i], TRNSCI_F32, 24, copied, NULL, &err), 0);
		assert_memory_equal(copied, trnsci_tile_data(tile), 24 * sizeof *copied);
		trnsci_tile_free(tile);
	}
	free(copied);
}

static void test_laws(void **state)
{
	(void)state;
	with_both(laws);
}

/* A permutation copied in pieces is one: every item comes once. */
static void permutation(struct trnsci_session *session)
{
	enum { ITEMS = 400000 };
	const struct trnsci_draw draw = {.law = "permutation", .seed = 6};
	int64_t *items = malloc(ITEMS * sizeof *items);
	char *seen = calloc(ITEMS, 1);

	assert_int_equal(trnsci_draw_copy(session, &draw, TRNSCI_I64, ITEMS, items, NULL, NULL), 0);
	for (size_t i = 0; i < ITEMS; i++) {
		assert_true(items[i] >= 0 && items[i] < ITEMS && !seen[items[i]]);
		seen[items[i]] = 1;
	}
	free(items);
	free(seen);
}

static void test_permutation(void **state)
{
	(void)state;
	with_both(permutation);
}

/* Parts by rank join to the whole. */
static void ranks(struct trnsci_session *session)
{
	const struct trnsci_draw whole = {.law = "normal", .seed = 8, .offset = 3};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 1001);
	struct trnsci_error err = {0};

	assert_int_equal(trnsci_draw(session, &whole, 0, tile, NULL, &err), 0);
	for (uint64_t rank = 0; rank < 7; rank++) {
		struct trnsci_draw part = whole;
		uint64_t begin, end;

		part.rank = rank;
		part.size = 7;
		assert_true(trnsci_partition(1001, rank, 7, &begin, &end));
		struct trnsci_tile *own = new_tile(session, 0, TRNSCI_F32, end - begin);

		if (trnsci_draw(session, &part, 1001, own, NULL, &err) < 0)
			fail_msg("rank %d: %s", (int)rank, err.text);
		assert_memory_equal(trnsci_tile_data(own), (float *)trnsci_tile_data(tile) + begin,
				    (end - begin) * sizeof(float));
		trnsci_tile_free(own);
	}
	assert_false(trnsci_partition(1, 1, 1, &(uint64_t){0}, &(uint64_t){0}));
	trnsci_tile_free(tile);
}

static void test_ranks(void **state)
{
	(void)state;
	with_both(ranks);
}

/* Five uniforms and five normals take words 0..7 and 8..15. */
static void generators(struct trnsci_session *session)
{
	struct trnsci_generator generator = {.seed = 4}, saved;
	const struct trnsci_draw uniform = {.law = "uniform"}, normal = {.law = "normal"};
	const struct trnsci_draw again = {.law = "normal",
					  .seed = 4,
					  .offset = 8,
					  .numbers = {{"mean", 0}},
					  .choices = {{"method", "boxmuller"}}};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 5), *wide = new_tile(session, 0, TRNSCI_F64, 5);
	struct trnsci_error err = {0};
	float expected[5];

	assert_int_equal(trnsci_generator_draw(session, &generator, &uniform, tile, &err), 0);
	assert_true(generator.position == 8);
	saved = generator;
	assert_int_equal(trnsci_generator_draw(session, &generator, &normal, tile, &err), 0);
	assert_true(generator.position == 16);
	assert_int_equal(trnsci_draw_copy(session, &again, TRNSCI_F32, 5, expected, NULL, &err), 0);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	assert_int_equal(trnsci_generator_draw(session, &saved, &normal, wide, &err), 0);
	assert_true(saved.position == 20); /* ten words from 8, rounded up */
	const struct trnsci_draw odd = {.law = "normal", .choices = {{"method", "guess"}}};

	assert_int_equal(trnsci_generator_draw(session, &saved, &odd, wide, &err), -TRNSCI_OUT_OF_RANGE);
	saved.position = 3;
	assert_int_equal(trnsci_generator_draw(session, &saved, &normal, wide, &err), -TRNSCI_OUT_OF_RANGE);
	assert_true(saved.position == 3);
	trnsci_tile_free(tile);
	trnsci_tile_free(wide);
}

static void test_generators(void **state)
{
	(void)state;
	with_both(generators);
}

/* uniform, then box_muller, is normal; results come inline and by tile. */
static void programs(struct trnsci_session *session)
{
	const struct trnsci_draw normal = {.law = "normal", .seed = 21};
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 1000);
	struct trnsci_call *program;
	struct trnsci_args *step;
	struct trnsci_array array;
	struct trnsci_error err = {0};
	float expected[1000];

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set_u64(trnsci_args(program), "seed", 21);
	step = trnsci_step(program, "uniform");
	trnsci_set_u64(step, "n", 1000);
	trnsci_set_text(step, "as", "u");
	step = trnsci_step(program, "box_muller");
	trnsci_set_text(step, "in", "u");
	trnsci_set_text(step, "as", "z");
	step = trnsci_step(program, "scale");
	trnsci_set_text(step, "in", "z");
	trnsci_set_tile(step, "out", tile);
	trnsci_want(program, "z");
	assert_runs(program);
	assert_int_equal(trnsci_draw_copy(session, &normal, TRNSCI_F32, 1000, expected, NULL, &err), 0);
	assert_int_equal(trnsci_to_array(trnsci_get(trnsci_get(trnsci_reply(program), "results"), "z"), &array), 0);
	assert_int_equal(array.dtype, TRNSCI_F32);
	assert_int_equal(array.count, 1000);
	assert_memory_equal(array.data, expected, sizeof expected);
	assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
	trnsci_call_free(program);
	trnsci_tile_free(tile);
}

static void test_programs(void **state)
{
	(void)state;
	with_both(programs);
}

static void inline_inputs(struct trnsci_session *session)
{
	const float x[3] = {1, 2, 3};
	const uint64_t shape = 3;
	struct trnsci_call *call;
	struct trnsci_array array;
	float y[3];

	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	trnsci_set_array(trnsci_args(call), "in", TRNSCI_F32, 1, &shape, x);
	trnsci_set_f64(trnsci_args(call), "by", 2);
	trnsci_set_f64(trnsci_args(call), "plus", 0.5);
	assert_runs(call);
	assert_int_equal(trnsci_to_array(trnsci_reply(call), &array), 0);
	assert_int_equal(array.bytes, sizeof y);
	memcpy(y, array.data, sizeof y);
	assert_true(y[0] == 2.5f && y[1] == 4.5f && y[2] == 6.5f);
	trnsci_call_free(call);
}

static void test_inline_inputs(void **state)
{
	(void)state;
	with_both(inline_inputs);
}

/* Messages far larger than a socket takes at once, several of them under way, go both ways. */
static void large_messages(struct trnsci_session *session)
{
	const uint64_t n = 2000000;
	struct trnsci_call *calls[3];
	struct trnsci_array array;
	float *x = malloc(n * sizeof *x);

	for (uint64_t i = 0; i < n; i++)
		x[i] = (float)i;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trnsci_call_new(session, "scale", &calls[i]), 0);
		trnsci_set_array(trnsci_args(calls[i]), "in", TRNSCI_F32, 1, &n, x);
		assert_int_equal(trnsci_submit(calls[i]), 0);
	}
	assert_int_equal(trnsci_wait_all(calls, 3, 20000), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trnsci_to_array(trnsci_reply(calls[i]), &array), 0);
		assert_int_equal(array.bytes, n * sizeof *x);
		assert_memory_equal(array.data, x, n * sizeof *x);
		trnsci_call_free(calls[i]);
	}
	free(x);
	ping(session);
}

static void test_large_messages(void **state)
{
	(void)state;
	with_both(large_messages);
}

/* ---- tiles ---- */

static void tiles(struct trnsci_session *session)
{
	const uint64_t shape[2] = {3, 5}, huge = UINT64_MAX;
	struct trnsci_tile *a = NULL, *b;
	struct trnsci_error err = {0};
	size_t ndim = 0;
	uint64_t scope = trnsci_scope_new(session);

	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_F64, 2, shape, &a, &err), 0);
	assert_int_equal(trnsci_tile_bytes(a), 120);
	assert_int_equal(trnsci_tile_count(a), 15);
	assert_int_equal(trnsci_tile_dtype(a), TRNSCI_F64);
	assert_memory_equal(trnsci_tile_shape(a, &ndim), shape, sizeof shape);
	assert_int_equal(ndim, 2);
	assert_int_equal((uintptr_t)trnsci_tile_data(a) % 64, 0);
	memset(trnsci_tile_data(a), 1, 120);
	b = a;
	assert_true(trnsci_tile_new(session, 0, TRNSCI_F64, 1, &huge, &b, &err) < 0);
	assert_ptr_equal(a, b);
	assert_true(trnsci_tile_new(session, 0, TRNSCI_F64, 9, shape, &b, &err) < 0);
	assert_true(trnsci_tile_new(session, 0, TRNSCI_DTYPE_NONE, 2, shape, &b, &err) < 0);
	for (int i = 0; i < 100; i++)
		new_tile(session, scope, TRNSCI_F32, 1000);
	assert_int_equal(trnsci_scope_free(session, scope, &err), 0);
	assert_true(trnsci_scope_free(session, 0, &err) < 0);
	trnsci_tile_free(a);
	trnsci_tile_free(NULL);
	for (int i = 0; i < 200; i++) /* more than fit at once: what is freed is used again */
		trnsci_tile_free(new_tile(session, 0, TRNSCI_F32, 1 << 20));
}

static void test_tiles(void **state)
{
	(void)state;
	with_both(tiles);
}

static void foreign_tile(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "uniform", &call), 0);
	trnsci_set_u64(trnsci_args(call), "out", 12345678);
	int r = trnsci_run(call);

	assert_true(r == -TRNSCI_BAD_TILE || r == -TRNSCI_NOT_SUPPORTED);
	trnsci_call_free(call);
}

static void test_foreign_tile(void **state)
{
	(void)state;
	with_both(foreign_tile);
}

/* ---- many at once ---- */

enum { CALLS = 50 };

static void submits(struct trnsci_session *session)
{
	struct trnsci_call *calls[CALLS], *answered;
	bool seen[CALLS] = {false};
	struct pollfd poll_fd = {.fd = trnsci_fd(session), .events = POLLIN};

	assert_true(poll_fd.fd >= 0);
	assert_int_equal(trnsci_fd(session), poll_fd.fd);
	assert_int_equal(trnsci_next(session, 0, &answered), -TRNSCI_TIMEOUT);
	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_new(session, "normal", &calls[i]), 0);
		trnsci_set_u64(trnsci_args(calls[i]), "n", 1 + 1000 * i);
		trnsci_call_set_user(calls[i], &seen[i]);
		assert_int_equal(trnsci_submit(calls[i]), 0);
	}
	for (size_t i = 0; i < CALLS; i++) {
		while (trnsci_next(session, 0, &answered) < 0)
			assert_true(poll(&poll_fd, 1, 10000) == 1);
		assert_int_equal(trnsci_call_error(answered)->code, 0);
		assert_false(*(bool *)trnsci_call_user(answered));
		*(bool *)trnsci_call_user(answered) = true;
	}
	assert_int_equal(poll(&poll_fd, 1, 0), 0); /* nothing is left */
	for (size_t i = 0; i < CALLS; i++)
		trnsci_call_free(calls[i]);
}

static void test_submits(void **state)
{
	(void)state;
	with_both(submits);
}

static void waits(struct trnsci_session *session)
{
	struct trnsci_call *calls[CALLS], *answered;
	size_t index = CALLS;

	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_new(session, "uniform", &calls[i]), 0);
		trnsci_set_u64(trnsci_args(calls[i]), "n", 5000);
		assert_int_equal(trnsci_submit(calls[i]), 0);
	}
	assert_int_equal(trnsci_wait_any(calls, CALLS, 10000, &index), 0);
	assert_true(index < CALLS && trnsci_done(calls[index]));
	assert_int_equal(trnsci_wait_all(calls, CALLS, 10000), 0);
	assert_int_equal(trnsci_next(session, 0, &answered), -TRNSCI_TIMEOUT); /* all were waited for */
	for (size_t i = 0; i < CALLS; i++) {
		assert_true(trnsci_done(calls[i]));
		trnsci_call_free(calls[i]);
	}
}

static void test_waits(void **state)
{
	(void)state;
	with_both(waits);
}

struct worker {
	pthread_t thread;
	struct trnsci_session *session;
	uint64_t seed;
	int failed;
	float samples[3000];
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	const struct trnsci_draw draw = {.law = "normal", .seed = worker->seed};
	const uint64_t n = 3000;
	struct trnsci_tile *tile = NULL;
	float again[3000];

	/* All want the arena at once: one gets it, the others wait for that. */
	worker->failed |= trnsci_tile_new(worker->session, 0, TRNSCI_F32, 1, &n, &tile, NULL) < 0 ||
			  trnsci_draw(worker->session, &draw, 0, tile, NULL, NULL) < 0;
	memcpy(worker->samples, trnsci_tile_data(tile), sizeof worker->samples);
	trnsci_tile_free(tile);
	for (int i = 0; i < 40; i++) {
		worker->failed |= trnsci_draw_copy(worker->session, &draw, TRNSCI_F32, 3000,
						   i ? again : worker->samples, NULL, NULL) < 0;
		worker->failed |= i && memcmp(again, worker->samples, sizeof again) != 0;
	}
	return NULL;
}

/* Eight threads on one connection: each gets its own answers. */
static void threads(struct trnsci_session *session)
{
	enum { WORKERS = 8 };
	struct worker *workers = calloc(WORKERS, sizeof *workers);

	for (size_t i = 0; i < WORKERS; i++) {
		workers[i].session = session;
		workers[i].seed = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (size_t i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_false(workers[i].failed);
	}
	assert_memory_not_equal(workers[0].samples, workers[1].samples, sizeof workers[0].samples);
	free(workers);
}

static void test_threads(void **state)
{
	(void)state;
	with_both(threads);
}

/* ---- ends ---- */

static struct trnsci_call *program_of(struct trnsci_session *session, struct trnsci_tile *tile, int steps)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	for (int i = 0; i < steps; i++)
		trnsci_set_tile(trnsci_step(call, "normal"), "out", tile);
	return call;
}

/* One that takes long enough to be in flight still. */
static struct trnsci_call *submit_long(struct trnsci_session *session, struct trnsci_tile *tile)
{
	struct trnsci_call *call = program_of(session, tile, 40);

	assert_int_equal(trnsci_submit(call), 0);
	return call;
}

static void cancels(struct trnsci_session *session)
{
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F64, 1 << 20);
	struct trnsci_call *call = submit_long(session, tile);

	assert_int_equal(trnsci_wait(call, 0), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_submit(call), -TRNSCI_OUT_OF_RANGE); /* in flight */
	assert_int_equal(trnsci_cancel(call), 0);
	assert_int_equal(trnsci_wait(call, 10000), -TRNSCI_CANCELLED);
	assert_int_equal(trnsci_cancel(call), 0); /* too late, and harmless */
	trnsci_call_free(call);
	trnsci_call_free(submit_long(session, tile)); /* freed in flight */
	trnsci_tile_free(tile);
	ping(session);
}

static void test_cancels(void **state)
{
	(void)state;
	with_both(cancels);
}

/* trnsci_run gives up after the session's time, and the call is cancelled. */
static void test_timeouts(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct trnsci_options options = {.timeout_ms = 100};
		struct trnsci_session *session = NULL;
		struct trnsci_call *call;

		assert_int_equal(trnsci_open(addresses[i], &options, &session, NULL), 0);
		struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F64, 1 << 20);

		call = program_of(session, tile, 250);
		assert_int_equal(trnsci_run(call), -TRNSCI_TIMEOUT);
		assert_int_equal(trnsci_call_error(call)->code, TRNSCI_TIMEOUT);
		assert_int_equal(trnsci_wait(call, 10000), -TRNSCI_CANCELLED);
		trnsci_call_free(call);
		trnsci_tile_free(tile);
		trnsci_close(session);
	}
}

static void test_close_in_flight(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F64, 1 << 20);
		struct trnsci_call *call = submit_long(session, tile);

		trnsci_close(session);
		assert_true(trnsci_done(call));
		assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CLOSED);
		assert_int_equal(trnsci_run(call), -TRNSCI_CLOSED);
		assert_null(trnsci_tile_data(tile));
		trnsci_call_free(call);
		trnsci_tile_free(tile);
	}
}

struct waiter {
	struct trnsci_call *call;
	int result;
};

static void *wait_long(void *arg)
{
	struct waiter *waiter = arg;

	waiter->result = trnsci_wait(waiter->call, -1);
	return NULL;
}

/* Another thread waits while the session is closed: it comes back. */
static void test_close_wakes(void **state)
{
	const char *const addresses[] = {"embedded:", trnscid.socket};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trnsci_session *session = open_at(addresses[i]);
		struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F64, 1 << 20);
		struct waiter waiter = {.call = submit_long(session, tile)};
		pthread_t thread;

		pthread_create(&thread, NULL, wait_long, &waiter);
		nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); /* likely inside by then; right either way */
		trnsci_close(session);
		pthread_join(thread, NULL);
		assert_true(waiter.result == -TRNSCI_CLOSED || waiter.result == 0);
		trnsci_call_free(waiter.call);
		trnsci_tile_free(tile);
	}
}

/* In a child every function says `closed`, and the parent's session goes on. */
static void forks(struct trnsci_session *session)
{
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F32, 8);
	struct trnsci_call *call;
	int status;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	pid_t child = fork();

	if (child == 0) {
		struct trnsci_call *other;
		struct trnsci_tile *another;
		const uint64_t n = 1;
		bool good = trnsci_run(call) == -TRNSCI_CLOSED && trnsci_call_error(call)->code == TRNSCI_CLOSED &&
			    trnsci_call_new(session, "ping", &other) == -TRNSCI_CLOSED &&
			    trnsci_tile_new(session, 0, TRNSCI_F32, 1, &n, &another, NULL) == -TRNSCI_CLOSED &&
			    trnsci_fd(session) == -TRNSCI_CLOSED && trnsci_next(session, 0, &other) == -TRNSCI_CLOSED;

		trnsci_call_free(call);
		trnsci_tile_free(tile);
		trnsci_close(session);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_runs(call);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	ping(session);
}

static void test_forks(void **state)
{
	(void)state;
	with_both(forks);
}

static void test_no_daemon(void **state)
{
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	char long_path[300];

	(void)state;
	memset(long_path, 'x', sizeof long_path - 1);
	long_path[sizeof long_path - 1] = '\0';
	assert_int_equal(trnsci_open("/nonexistent/socket", NULL, &session, &err), -TRNSCI_NO_DAEMON);
	assert_non_null(strstr(err.text, "/nonexistent/socket"));
	assert_int_equal(trnsci_open(long_path, NULL, &session, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.threads = 129}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.cpu = "z80"}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_open("embedded:", &(struct trnsci_options){.reserved = {1}}, &session, &err),
			 -TRNSCI_OUT_OF_RANGE);
	assert_null(session);
	trnsci_close(NULL);
	trnsci_call_free(NULL);
}

/* $TRNSCI_SOCKET names the default. */
static void test_default_address(void **state)
{
	struct trnsci_session *session = NULL;
	char address[128];

	(void)state;
	setenv("TRNSCI_SOCKET", trnscid.socket, 1);
	assert_int_equal(trnsci_open(NULL, NULL, &session, NULL), 0);
	assert_string_equal(trnsci_address(session), trnscid.socket);
	assert_false(trnsci_is_embedded(session));
	trnsci_close(session);
	unsetenv("TRNSCI_SOCKET");
	snprintf(address, sizeof address, "unix:%s", trnscid.socket);
	assert_int_equal(trnsci_open(address, NULL, &session, NULL), 0);
	trnsci_close(session);
}

/* Last: the daemon dies in mid-request. */
static void test_dead_daemon(void **state)
{
	struct trnsci_session *session = open_at(trnscid.socket);
	struct trnsci_tile *tile = new_tile(session, 0, TRNSCI_F64, 1 << 20);
	struct trnsci_call *call = submit_long(session, tile), *next, *answered;

	(void)state;
	daemon_stop(&trnscid, SIGKILL);
	assert_int_equal(trnsci_wait(call, 10000), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_run(call), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_call_new(session, "ping", &next), 0);
	assert_int_equal(trnsci_run(next), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_next(session, -1, &answered), -TRNSCI_CLOSED);
	((char *)trnsci_tile_data(tile))[0] = 1; /* still ours to touch */
	trnsci_call_free(call);
	trnsci_call_free(next);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

static int set_up(void **state)
{
	(void)state;
	return daemon_start(&trnscid, "2");
}

static int tear_down(void **state)
{
	(void)state;
	daemon_stop(&trnscid, SIGTERM);
	return 0;
}

/* Cosine transforms and Hermitian ones without a call object: there and back, known values, and what is refused. */
static void transforms(struct trnsci_session *session)
{
	static const double cosine[4] = {5, -2.2304424973876633, 0, -0.15851266778110726};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, 4), *y = new_tile(session, 0, TRNSCI_F64, 4);
	struct trnsci_tile *half = new_tile(session, 0, TRNSCI_C128, 3);
	const int64_t lengths[1] = {-1};
	struct trnsci_dct dct = {.norm = "ortho"};
	struct trnsci_fft fft = {.hermitian = true, .inverse = true, .lengths = lengths};
	struct trnsci_error err = {0};
	double *in = trnsci_tile_data(x), *out = trnsci_tile_data(y);

	for (int i = 0; i < 4; i++)
		in[i] = i + 1;
	assert_int_equal(trnsci_dct(session, &dct, x, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - cosine[i] < 1e-14 && cosine[i] - out[i] < 1e-14);
	dct.inverse = true;
	assert_int_equal(trnsci_dct(session, &dct, y, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - in[i] < 1e-14 && in[i] - out[i] < 1e-14);
	assert_int_equal(trnsci_fft(session, &fft, x, half, &err), 0);
	fft.inverse = false;
	assert_int_equal(trnsci_fft(session, &fft, half, y, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] - in[i] < 1e-14 && in[i] - out[i] < 1e-14);
	dct.type = 5;
	assert_int_equal(trnsci_dct(session, &dct, x, y, &err), -TRNSCI_OUT_OF_RANGE);
	assert_string_equal(err.text, "out_of_range: dct: type: 5, allowed are 1 to 4, and 0 for 2");
	fft.length = 4;
	assert_int_equal(trnsci_fft(session, &fft, half, y, &err), -TRNSCI_OUT_OF_RANGE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(half);
}

static double distance(const struct trnsci_tile *x, const double *y, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const double d = ((const double *)trnsci_tile_data(x))[i] - y[i];

		most = d > most ? d : -d > most ? -d : most;
	}
	return most;
}

/* To short-time spectra and back; each option reaches the engine. */
static void frames(struct trnsci_session *session)
{
	enum { SAMPLES = 64, BINS = 9, FRAMES = 17 };
	const uint64_t shape[2] = {FRAMES, BINS};
	const double beta = 3;
	struct trnsci_stft stft = {.n_fft = 16, .window = "kaiser", .window_parameter = &beta, .normalized = true,
				   .frames_first = true, .pad_mode = "circular", .length = SAMPLES};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, SAMPLES), *y = new_tile(session, 0, TRNSCI_F64, SAMPLES);
	struct trnsci_tile *between;
	struct trnsci_error err = {0};
	double *in = trnsci_tile_data(x);

	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_C128, 2, shape, &between, &err), 0);
	for (int i = 0; i < SAMPLES; i++)
		in[i] = (double)(i * i % 23) - 11;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), 0);
	assert_int_equal(trnsci_istft(session, &stft, between, y, &err), 0);
	assert_true(distance(y, in, SAMPLES) < 1e-13);
	stft.frames_first = false;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_BAD_SHAPE);
	stft.frames_first = true;
	stft.onesided = TRNSCI_OFF;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_BAD_SHAPE);
	stft.onesided = 3;
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_OUT_OF_RANGE);
	assert_string_equal(err.text, "out_of_range: stft: onesided: 3, allowed is 0 to 2");
	stft.onesided = TRNSCI_DEFAULT;
	stft.pad_mode = "nothing";
	assert_int_equal(trnsci_stft(session, &stft, x, between, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_stft(session, &stft, x, NULL, &err), -TRNSCI_BAD_TILE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(between);
}

/* scipy.signal.convolve([1, 2, 3, 4], [1, -1, 2]), correlate of the same. */
static void meetings(struct trnsci_session *session)
{
	static const double full[6] = {1, 1, 3, 5, 2, 8}, same[4] = {1, 3, 5, 2}, correlated[6] = {2, 3, 5, 7, -1, 4};
	struct trnsci_tile *a = new_tile(session, 0, TRNSCI_F64, 4), *b = new_tile(session, 0, TRNSCI_F64, 3);
	struct trnsci_tile *six = new_tile(session, 0, TRNSCI_F64, 6), *four = new_tile(session, 0, TRNSCI_F64, 4);
	struct trnsci_error err = {0};

	memcpy(trnsci_tile_data(a), (const double[]){1, 2, 3, 4}, 32);
	memcpy(trnsci_tile_data(b), (const double[]){1, -1, 2}, 24);
	assert_int_equal(trnsci_convolve(session, NULL, -1, a, b, six, &err), 0);
	assert_true(distance(six, full, 6) < 1e-14);
	assert_int_equal(trnsci_convolve(session, "same", 0, a, b, four, &err), 0);
	assert_true(distance(four, same, 4) < 1e-14);
	assert_int_equal(trnsci_correlate(session, "full", -1, a, b, six, &err), 0);
	assert_true(distance(six, correlated, 6) < 1e-14);
	assert_int_equal(trnsci_convolve(session, NULL, 1, a, b, six, &err), -TRNSCI_OUT_OF_RANGE);
	trnsci_tile_free(a);
	trnsci_tile_free(b);
	trnsci_tile_free(six);
	trnsci_tile_free(four);
}

/* A cosine of amplitude 2 on bin 2 of 8 has power 2 there, and in its cross spectrum with itself; the median of four
 * equal segments is divided by its bias, 1 - 1/2 + 1/3. */
static void spectra(struct trnsci_session *session)
{
	enum { SAMPLES = 32, BINS = 5 };
	static const double power[BINS] = {0, 0, 2, 0, 0}, cross[2 * BINS] = {0, 0, 0, 0, 2};
	static const double unbiased[BINS] = {0, 0, 2.4, 0, 0};
	const uint64_t noverlap = 0;
	const int64_t axis = 0;
	struct trnsci_welch welch = {.fs = 100, .nperseg = 8, .noverlap = &noverlap, .window = "boxcar",
				     .detrend = "none", .scaling = "spectrum", .average = "mean", .axis = &axis};
	struct trnsci_tile *x = new_tile(session, 0, TRNSCI_F64, SAMPLES), *y = new_tile(session, 0, TRNSCI_F64, BINS);
	struct trnsci_tile *z = new_tile(session, 0, TRNSCI_C128, BINS);
	struct trnsci_error err = {0};

	for (int i = 0; i < SAMPLES; i++)
		((double *)trnsci_tile_data(x))[i] = (const double[]){2, 0, -2, 0}[i % 4];
	assert_int_equal(trnsci_welch(session, &welch, x, NULL, y, &err), 0);
	assert_true(distance(y, power, BINS) < 1e-13);
	welch.average = "median";
	assert_int_equal(trnsci_welch(session, &welch, x, NULL, y, &err), 0);
	assert_true(distance(y, unbiased, BINS) < 1e-13);
	welch.average = NULL;
	assert_int_equal(trnsci_welch(session, &welch, x, x, z, &err), 0);
	assert_true(distance(z, cross, 2 * BINS) < 1e-13);
	assert_int_equal(trnsci_welch(session, NULL, x, NULL, y, &err), -TRNSCI_BAD_SHAPE);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
	trnsci_tile_free(z);
}

static void test_signals(void **state)
{
	(void)state;
	with_both(frames);
	with_both(meetings);
	with_both(spectra);
}

static void test_transforms(void **state)
{
	(void)state;
	with_both(transforms);
}

/* Estimates without a call object; each is asked of both engines, whose bytes are the same. */
static void traces(struct trnsci_session *session)
{
	static double first[2][2];
	static bool known;
	const uint64_t shape[2] = {300, 300}, oblong[2] = {300, 200};
	const struct trnsci_draw entries = {.law = "normal", .seed = 5};
	struct trnsci_trace how = {.probes = 40, .seed = 3, .offset = 7};
	struct trnsci_error err = {0};
	struct trnsci_tile *square = NULL, *other = NULL;
	double estimate[2], error[2] = {0, 0};

	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_F32, 2, shape, &square, &err), 0);
	assert_int_equal(trnsci_tile_new(session, 0, TRNSCI_F32, 2, oblong, &other, &err), 0);
	assert_int_equal(trnsci_draw(session, &entries, 0, square, NULL, &err), 0);
	for (int i = 0; i < 2; i++) {
		how.method = i ? "hutchpp" : NULL;
		assert_int_equal(trnsci_trace(session, &how, square, &estimate[i], &error[i], &err), 0);
		assert_true(error[i] > 0);
	}
	if (known) {
		assert_memory_equal(first[0], estimate, sizeof estimate);
		assert_memory_equal(first[1], error, sizeof error);
	}
	memcpy(first[0], estimate, sizeof estimate);
	memcpy(first[1], error, sizeof error);
	known = true;
	assert_int_equal(trnsci_trace(session, NULL, other, estimate, error, &err), -TRNSCI_BAD_SHAPE);
	assert_true(estimate[0] == first[0][0] && error[0] == first[1][0]);
	how.law = "cauchy";
	assert_int_equal(trnsci_trace(session, &how, square, estimate, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	how = (struct trnsci_trace){.probes = 1};
	assert_int_equal(trnsci_trace(session, &how, square, estimate, error, &err), 0);
	assert_true(error[0] != error[0]);
	how.reserved[1] = 1;
	assert_int_equal(trnsci_trace(session, &how, square, estimate, NULL, &err), -TRNSCI_OUT_OF_RANGE);
	assert_int_equal(trnsci_trace(session, NULL, NULL, estimate, NULL, &err), -TRNSCI_BAD_TILE);
	assert_int_equal(trnsci_trace(session, NULL, square, NULL, NULL, &err), -TRNSCI_MISSING_PARAMETER);
	trnsci_tile_free(square);
	trnsci_tile_free(other);
}

static void test_traces(void **state)
{
	(void)state;
	with_both(traces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces),         cmocka_unit_test(test_signals),
		cmocka_unit_test(test_transforms),
		cmocka_unit_test(test_ping),           cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_wrong_requests), cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_copies),         cmocka_unit_test(test_laws),
		cmocka_unit_test(test_permutation),    cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_generators),     cmocka_unit_test(test_programs),
		cmocka_unit_test(test_inline_inputs),  cmocka_unit_test(test_large_messages),
		cmocka_unit_test(test_tiles),          cmocka_unit_test(test_foreign_tile),
		cmocka_unit_test(test_submits),        cmocka_unit_test(test_waits),
		cmocka_unit_test(test_threads),        cmocka_unit_test(test_cancels),
		cmocka_unit_test(test_timeouts),       cmocka_unit_test(test_close_in_flight),
		cmocka_unit_test(test_close_wakes),    cmocka_unit_test(test_forks),
		cmocka_unit_test(test_no_daemon),      cmocka_unit_test(test_default_address),
		cmocka_unit_test(test_dead_daemon),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
