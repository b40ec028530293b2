/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: what goes in and comes back, inline and large, one after another, many at once and from many threads. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "drawing.h"

/* ---- one call ---- */

static void every_kind(struct trnsci_session *session)
{
	struct trnsci_call *call;
	struct trnsci_args *map, *list;
	size_t size = 0;
	int64_t i = 0;
	double f = 0;
	bool yes = false;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	map = trnsci_set_map(trnsci_call_args(call), "payload");
	trnsci_set(map, trnsci_param_i64("i", INT64_MIN));
	trnsci_set(map, trnsci_param_f64("f", 0x1.8p-1060));
	trnsci_set(map, trnsci_param_bool("b", true));
	trnsci_set(map, trnsci_param_text("t", "replaced"));
	trnsci_set(map, trnsci_param_text("t", "text"));
	trnsci_set_params(map, (const struct trnsci_param[]){trnsci_param_bytes("d", "\0\xff", 2), trnsci_param_end()});
	list = trnsci_set_list(map, "l");
	trnsci_set(list, trnsci_param_u64(NULL, 1));
	trnsci_set_list(list, NULL);
	assert_runs(call);
	const struct trnsci_value *back = trnsci_value_get(trnsci_call_reply(call), "payload");

	assert_int_equal(trnsci_value_kind(back), TRNSCI_MAP);
	assert_int_equal(trnsci_value_count(back), 6);
	assert_int_equal(trnsci_value_to_i64(trnsci_value_get(back, "i"), &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(trnsci_value_to_f64(trnsci_value_get(back, "f"), &f), 0);
	assert_true(f == 0x1.8p-1060);
	assert_int_equal(trnsci_value_to_bool(trnsci_value_get(back, "b"), &yes), 0);
	assert_true(yes);
	assert_memory_equal(trnsci_value_to_bytes(trnsci_value_get(back, "t"), &size), "text", 4);
	assert_int_equal(size, 4);
	assert_memory_equal(trnsci_value_to_bytes(trnsci_value_get(back, "d"), &size), "\0\xff", 2);
	assert_int_equal(size, 2);
	assert_int_equal(trnsci_value_count(trnsci_value_get(back, "l")), 2);
	assert_int_equal(trnsci_value_kind(trnsci_value_at(trnsci_value_get(back, "l"), 1)), TRNSCI_LIST);
	assert_null(trnsci_value_at(trnsci_value_get(back, "l"), 2));
	assert_memory_equal(trnsci_value_name_at(back, 0, &size), "i", 1);
	assert_int_equal(trnsci_value_to_bool(trnsci_value_get(back, "i"), &yes), -TRNSCI_WRONG_TYPE);
	trnsci_call_free(call);
}

/* Containers stay valid while others are added beside them; what replaces one is a new value. */
static void containers(struct trnsci_session *session)
{
	enum { MEMBERS = 300 };
	struct trnsci_args *payload, *map, *inner, *list, *lists[MEMBERS];
	const struct trnsci_value *back;
	struct trnsci_call *call;
	char name[16];

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	payload = trnsci_set_map(trnsci_call_args(call), "payload");
	map = trnsci_set_map(payload, "map");
	inner = trnsci_set_map(map, "inner");
	list = trnsci_set_list(payload, "list");
	for (unsigned i = 0; i < MEMBERS; i++) {
		snprintf(name, sizeof name, "m%u", i);
		trnsci_set(payload, trnsci_param_u64(name, i));
		trnsci_set(map, trnsci_param_text(name, name));
		trnsci_set(inner, trnsci_param_u64(name, 2 * i));
		lists[i] = trnsci_set_list(list, NULL);
	}
	for (unsigned i = 0; i < MEMBERS; i++)
		trnsci_set(lists[i], trnsci_param_u64(NULL, 3 * i));
	assert_runs(call);
	back = trnsci_value_get(trnsci_call_reply(call), "payload");
	assert_int_equal(trnsci_value_count(back), MEMBERS + 2);
	assert_int_equal(trnsci_value_count(trnsci_value_get(back, "map")), MEMBERS + 1);
	for (unsigned i = 0; i < MEMBERS; i++) {
		const struct trnsci_value *in = trnsci_value_get(trnsci_value_get(back, "map"), "inner");
		uint64_t got[3];

		snprintf(name, sizeof name, "m%u", i);
		assert_int_equal(trnsci_value_to_u64(trnsci_value_get(back, name), &got[0]), 0);
		assert_int_equal(trnsci_value_to_u64(trnsci_value_get(in, name), &got[1]), 0);
		assert_int_equal(trnsci_value_to_u64(trnsci_value_at(trnsci_value_at(trnsci_value_get(back, "list"), i), 0), &got[2]), 0);
		assert_true(got[0] == i && got[1] == 2 * i && got[2] == 3 * i);
	}
	assert_ptr_equal(trnsci_set_map(payload, "map"), map); /* empty again */
	trnsci_set(inner, trnsci_param_u64("gone", 1));
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_NO_MEMORY);
	assert_string_equal(trnsci_call_error(call)->text, "no_memory: ping: a parameter could not be stored");
	trnsci_call_free(call);
}

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * 4096;
}

static void set_each(struct trnsci_args *args, unsigned i)
{
	static const char text[] = "a text that is longer than what a small value would hold";
	static const uint64_t numbers[40];
	const struct trnsci_array array = trnsci_array_vector(TRNSCI_U64, i % 40, numbers);
	struct trnsci_args *list;

	switch (i % 4 + 4 * (i / 1000 % 2)) {
	case 0:
	case 5:
		trnsci_set(args, trnsci_param_text("x", text + i % sizeof text));
		break;
	case 1:
	case 6:
		trnsci_set(args, trnsci_param_array("x", &array));
		break;
	case 2:
	case 7:
		list = trnsci_set_list(args, "x");
		for (unsigned k = 0; k < i % 7; k++)
			trnsci_set(trnsci_set_map(list, NULL), trnsci_param_bytes("of", numbers, 8 * k));
		break;
	case 3:
		trnsci_set(args, trnsci_param_u64s("x", numbers, i % 40));
		break;
	default:
		trnsci_set(args, trnsci_param_u64("x", i));
	}
}

/* A call whose parameters are set again and again holds the last ones. */
static void set_again(struct trnsci_session *session)
{
	enum { TIMES = 400000, MOST_BYTES = 8 << 20 };
	struct trnsci_call *call;
	struct trnsci_args *payload;
	uint64_t kept = 0;
	size_t before;

	assert_int_equal(trnsci_call_new(session, "ping", &call), 0);
	payload = trnsci_set_map(trnsci_call_args(call), "payload");
	trnsci_set(payload, trnsci_param_u64("kept", 7));
	assert_runs(call);
	before = resident_bytes();
	for (unsigned i = 0; i <= TIMES; i++)
		set_each(payload, i);
	for (unsigned i = 0; i < 8 * TIMES; i++)
		trnsci_set(payload, trnsci_param_text("x", ""));
#ifdef __SANITIZE_ADDRESS__ /* it keeps what is freed */
	before += resident_bytes();
#endif
	if (resident_bytes() > before + MOST_BYTES)
		fail_msg("%d times: %zu bytes more", TIMES, resident_bytes() - before);
	assert_runs(call);
	assert_int_equal(trnsci_value_count(trnsci_value_get(trnsci_call_reply(call), "payload")), 2);
	assert_int_equal(trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "payload"), "kept"), &kept), 0);
	assert_int_equal(kept, 7);
	trnsci_call_free(call);
}

static void wrong_requests(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "no_such", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_UNKNOWN_METHOD);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_UNKNOWN_METHOD);
	assert_int_equal(strncmp(trnsci_call_error(call)->text, "unknown_method: ", 16), 0);
	assert_null(trnsci_call_reply(call));
	trnsci_call_free(call);

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 4));
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("std", -1));
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_OUT_OF_RANGE);
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("std", 1));
	assert_runs(call);
	trnsci_set(NULL, trnsci_param_text("n", "no place")); /* harmless */
	trnsci_set(trnsci_call_args(call), trnsci_param_text(NULL, "a list's element in a map"));
	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_MISSING_PARAMETER);
	trnsci_call_free(call);

	assert_int_equal(trnsci_call_new(session, "arena", &call), -TRNSCI_NOT_SUPPORTED);
	assert_int_equal(trnsci_call_new(session, "cancel", &call), -TRNSCI_NOT_SUPPORTED);
	assert_int_equal(trnsci_call_new(NULL, "ping", &call), -TRNSCI_CLOSED);
}

/* A message beyond frame_bytes ends its connection. Its call fails with the reason; others go on. */
static void a_message_too_large(void **state)
{
	enum { BYTES = 40 << 20 };
	char *const payload = calloc(BYTES, 1);
	struct trnsci_session *session = open_at(trnscid.socket);
	struct trnsci_call *before, *large;
	float x[3];

	(void)state;
	assert_non_null(payload);
	assert_int_equal(trnsci_call_new(session, "normal", &before), 0);
	trnsci_set(trnsci_call_args(before), trnsci_param_u64("n", 4000000));
	assert_int_equal(trnsci_call_new(session, "ping", &large), 0);
	trnsci_set(trnsci_call_args(large), trnsci_param_bytes("payload", payload, BYTES));
	assert_int_equal(trnsci_submit(before, NULL, NULL), 0);
	assert_int_equal(trnsci_run(large, NULL), -TRNSCI_BAD_FRAME);
	assert_string_equal(trnsci_call_error(large)->text,
			    "bad_frame: ping: the daemon refused its message: longer than a frame may be (frame_bytes); larger "
			    "arrays go into tiles");
	assert_int_equal(trnsci_wait(before, -1), 0);
	assert_int_equal(trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_F32, 3, x, NULL, NULL), 0);
	trnsci_call_free(before);
	trnsci_call_free(large);
	trnsci_close(session);
	free(payload);
}

static void assert_foreign(const struct trnsci_error *err, int r, const char *where)
{
	char text[200];

	snprintf(text, sizeof text, "bad_tile: %s: the tile is of another session, allowed are those of this one", where);
	assert_string_equal(err->text, text);
	assert_int_equal(r, -TRNSCI_BAD_TILE);
}

/* Both sessions give their first tile the same handle: the other's must not stand for one's own. */
static void tiles_of_another_session(struct trnsci_session *session)
{
	struct trnsci_session *other = open_at("embedded:");
	struct trnsci_tile *own = new_tile(session, TRNSCI_F32, 4), *foreign = new_tile(other, TRNSCI_F32, 4);
	struct trnsci_tile *into = foreign, *result = NULL;
	const struct trnsci_tile *const place = foreign;
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_error err = {0};
	struct trnsci_call *call;

	memset(trnsci_tile_data(own), 0, 4 * sizeof(float));
	for (int i = 0; i < 5; i++) { /* whole, prepared, and through a queue */
		assert_foreign(&err, trnsci_draw_tile(session, "uniform", NULL, &source, &into, NULL, &err), "uniform: out");
		assert_foreign(&err,
			       trnsci_apply_tile(session, "scale",
						 (const struct trnsci_param[]){trnsci_param_tile("in", foreign),
									       trnsci_param_f64("by", 2), trnsci_param_end()},
						 &own, &err),
			       "scale: in");
		assert_foreign(&err,
			       trnsci_draw_tile(session, "exponential",
						(const struct trnsci_param[]){trnsci_param_tile_elements("rate", place),
									      trnsci_param_u64("n", 4), trnsci_param_end()},
						&source, &result, NULL, &err),
			       "exponential: rate");
	}
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	trnsci_set(trnsci_program_step(call, "zero_pad"), trnsci_param_tile("out", own));
	struct trnsci_args *step = trnsci_program_step(call, "scale");
	trnsci_set(step, trnsci_param_tile("in", foreign));
	assert_foreign(trnsci_call_error(call), trnsci_run(call, NULL), "run: steps[1] scale: in");
	assert_foreign(trnsci_call_error(call), trnsci_submit(call, NULL, NULL), "run: steps[1] scale: in");
	trnsci_call_free(call);

	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("by", 2));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", own));
	for (int i = 0; i < 5; i++) { /* the same parameter may name a good tile later */
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", foreign));
		assert_foreign(trnsci_call_error(call), trnsci_run(call, NULL), "scale: in");
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", own));
		assert_runs(call);
	}
	trnsci_call_free(call);
	for (int i = 0; i < 4; i++)
		assert_true(((const float *)trnsci_tile_data(own))[i] == 0);
	trnsci_tile_free(foreign);
	trnsci_tile_free(own);
	trnsci_close(other);
}

static void inline_inputs(struct trnsci_session *session)
{
	const float x[3] = {1, 2, 3};
	struct trnsci_call *call;
	struct trnsci_array array;
	float y[3];

	assert_int_equal(trnsci_call_new(session, "scale", &call), 0);
	set_array(trnsci_call_args(call), "in", TRNSCI_F32, 3, x);
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("by", 2));
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("plus", 0.5));
	assert_runs(call);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &array), 0);
	assert_int_equal(array.bytes, sizeof y);
	memcpy(y, array.data, sizeof y);
	assert_true(y[0] == 2.5f && y[1] == 4.5f && y[2] == 6.5f);
	trnsci_call_free(call);
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
		set_array(trnsci_call_args(calls[i]), "in", TRNSCI_F32, n, x);
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	assert_int_equal(wait_all(calls, 3, 20000), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trnsci_value_to_array(trnsci_call_reply(calls[i]), &array), 0);
		assert_int_equal(array.bytes, n * sizeof *x);
		assert_memory_equal(array.data, x, n * sizeof *x);
		trnsci_call_free(calls[i]);
	}
	free(x);
	ping(session);
}

/* ---- many at once ---- */

enum { CALLS = 50 };

static void submits(struct trnsci_session *session)
{
	struct trnsci_call *calls[CALLS], *answered;
	bool seen[CALLS] = {false};
	struct pollfd poll_fd = {.fd = trnsci_session_fd(session), .events = POLLIN};

	assert_true(poll_fd.fd >= 0);
	assert_int_equal(trnsci_session_fd(session), poll_fd.fd);
	assert_int_equal(trnsci_next(session, 0, &answered, NULL), -TRNSCI_TIMEOUT);
	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_new(session, "normal", &calls[i]), 0);
		trnsci_set(trnsci_call_args(calls[i]), trnsci_param_u64("n", 1 + 1000 * i));
		assert_int_equal(trnsci_submit(calls[i], NULL, &seen[i]), 0);
	}
	for (size_t i = 0; i < CALLS; i++) {
		void *one;

		while (trnsci_next(session, 0, &answered, &one) < 0)
			assert_true(poll(&poll_fd, 1, 10000) == 1);
		assert_int_equal(trnsci_call_error(answered)->code, 0);
		assert_false(*(bool *)one);
		*(bool *)one = true;
	}
	assert_int_equal(poll(&poll_fd, 1, 0), 0); /* nothing is left */
	for (size_t i = 0; i < CALLS; i++)
		trnsci_call_free(calls[i]);
}

static void waits(struct trnsci_session *session)
{
	struct trnsci_call *calls[CALLS], *answered;

	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_call_new(session, "uniform", &calls[i]), 0);
		trnsci_set(trnsci_call_args(calls[i]), trnsci_param_u64("n", 5000));
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	assert_int_equal(wait_all(calls, CALLS, 10000), 0);
	assert_int_equal(trnsci_next(session, 0, &answered, NULL), -TRNSCI_TIMEOUT); /* all were waited for */
	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_wait(calls[i], 0), 0);
		trnsci_call_free(calls[i]);
	}
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
	const struct drawing draw = {.distribution = "normal", .source = {.seed = worker->seed}};
	const uint64_t n = 3000;
	struct trnsci_tile *tile = NULL;
	float again[3000];

	/* All want the arena at once: one gets it, the others wait for that. */
	worker->failed |= trnsci_tile_new(worker->session, TRNSCI_F32, 1, &n, &tile, NULL) < 0 ||
			  draw_tile(worker->session, &draw, 0, tile, NULL, NULL) < 0;
	memcpy(worker->samples, trnsci_tile_data(tile), sizeof worker->samples);
	trnsci_tile_free(tile);
	for (int i = 0; i < 40; i++) {
		worker->failed |= draw_array(worker->session, &draw, TRNSCI_F32, 3000,
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

BOTH(ping)
BOTH(every_kind)
BOTH(containers)
BOTH(set_again)
BOTH(wrong_requests)
BOTH(tiles_of_another_session)
BOTH(inline_inputs)
BOTH(large_messages)
BOTH(submits)
BOTH(waits)
BOTH(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_too_large),
		cmocka_unit_test(ping_by_both),
		cmocka_unit_test(every_kind_by_both),
		cmocka_unit_test(containers_by_both),
		cmocka_unit_test(set_again_by_both),
		cmocka_unit_test(wrong_requests_by_both),
		cmocka_unit_test(tiles_of_another_session_by_both),
		cmocka_unit_test(inline_inputs_by_both),
		cmocka_unit_test(large_messages_by_both),
		cmocka_unit_test(submits_by_both),
		cmocka_unit_test(waits_by_both),
		cmocka_unit_test(threads_by_both),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
