/* SPDX-License-Identifier: Apache-2.0 */
/* What takes long to make for one request keeps nobody from theirs: tables of distributions, sets of points, copies of
 * what is prepared. A ping that is sent behind such a request, in the same bytes, is answered before it; made on the
 * loop it would come second each time. That is counted, not timed: of TRIES one has to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "daemon/group_daemon.h"

enum { TRIES = 20, WEIGHTS = 400000, SETS = 64, DRAWS = 64 };

static double weights[WEIGHTS];
static char state_dir[128];

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < WEIGHTS; i++)
		weights[i] = 1 + (double)(i * 2654435761u % 1000003);
	snprintf(state_dir, sizeof state_dir, "--state-dir=/tmp/trnscid-loop-%d", (int)getpid());
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=0", state_dir, NULL});
	return 0;
}

static int teardown(void **state)
{
	char command[64];
	int r = group_daemon_stop(state);

	snprintf(command, sizeof command, "rm -r /tmp/trnscid-loop-%d", (int)getpid());
	return r ? r : system(command);
}

static struct value weights_value(size_t n)
{
	return value_bytes((const char *)weights, n * sizeof *weights);
}

static struct value categorical(struct client *client, uint64_t n)
{
	return client_map(client, "n", value_uint(n), "seed", value_uint(7), "weights", weights_value(WEIGHTS), NULL);
}

static struct value steps_of(struct client *client, int count, struct value step)
{
	struct value steps = value_array();

	for (int i = 0; i < count; i++)
		assert_int_equal(value_push(client->bump, &steps, step), 0);
	return client_map(client, "steps", steps, NULL);
}

static struct value prepare_of(struct client *client, struct value run)
{
	return client_map(client, "method", value_string("run"), "params", run, NULL);
}

/* Whether the ping's answer is the first; code: the other's. */
static bool is_overtaken(struct client *client, const char *method, const struct value *params, int code)
{
	const uint32_t msgid = client_send(client, method, params), ping = client_send(client, "ping", NULL);
	struct message first, second, *heavy;

	assert_true(client_receive(client, &first));
	assert_true(client_receive(client, &second));
	heavy = first.msgid == ping ? &second : &first;
	assert_int_equal(heavy->msgid, msgid);
	if ((int)heavy->error.code != code)
		fail_msg("%s: expected error %d, got %d: %s", method, code, (int)heavy->error.code, heavy->error.text);
	if (code == 0 && value_get(&heavy->result, "prepared")) {
		struct value prepared = client_map(client, "prepared", *value_get(&heavy->result, "prepared"), NULL);

		client_result(client, "release", &prepared);
	}
	return first.msgid == ping;
}

static void must_be_overtaken(struct client *client, const char *method, struct value params, int code)
{
	for (int i = 0; i < TRIES; i++)
		if (is_overtaken(client, method, &params, code))
			return;
	fail_msg("%s: expected a ping behind it to be answered first, got it second %d times", method, TRIES);
}

/* ---- requests ---- */

static void distributions(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	must_be_overtaken(&client, "categorical", categorical(&client, 1), 0);
	struct value poisson = client_map(&client, "op", value_string("poisson"), "n", value_uint(1), "lam",
					  value_real(30000), NULL);
	must_be_overtaken(&client, "run", steps_of(&client, DRAWS, poisson), 0);
	weights[WEIGHTS - 1] = -1; /* an error is reported as before, and found as late */
	must_be_overtaken(&client, "categorical", categorical(&client, 1), ERROR_OUT_OF_RANGE);
	struct value params = categorical(&client, 1);
	client_fails(&client, "categorical", &params, ERROR_OUT_OF_RANGE, "categorical: weights: weight 399999 is -1, ");
	weights[WEIGHTS - 1] = 1;
	client_close(&client);
}

static void points(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	void *base;
	int fd = client_arena(&client, 1 << 20, &base);
	struct value shape = value_array(), tile, set;
	assert_int_equal(value_push(client.bump, &shape, value_uint(1)) | value_push(client.bump, &shape, value_uint(1000)),
			 0);
	tile = client_map(&client, "dtype", value_string("f64"), "shape", shape, NULL);
	tile = client_result(&client, "tile", &tile);
	set = client_map(&client, "op", value_string("halton"), "n", value_uint(1), "d", value_uint(1000), "out",
			 *value_get(&tile, "tile"), NULL);
	must_be_overtaken(&client, "prepare", prepare_of(&client, steps_of(&client, SETS, set)), 0);
	munmap(base, 1 << 20);
	close(fd);
	client_close(&client);
}

static void prepared(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value draw = client_map(&client, "op", value_string("categorical"), "n", value_uint(1), "weights",
				       weights_value(WEIGHTS), NULL);
	must_be_overtaken(&client, "prepare", prepare_of(&client, steps_of(&client, 1, draw)), 0);
	/* And a copy of numbers that came with it. */
	struct value in = client_map(&client, "dtype", value_string("f64"), "shape", value_uint(WEIGHTS), "data",
				     weights_value(WEIGHTS), NULL);
	struct value step = client_map(&client, "op", value_string("scale"), "in", in, "by", value_real(2), NULL);
	must_be_overtaken(&client, "prepare", prepare_of(&client, steps_of(&client, 1, step)), 0);
	client_close(&client);
}

/* ---- the same results, limits, ends ---- */

static void expect_samples(const struct value *data, uint64_t n)
{
	struct draw draw = {
		.distribution = DIST_CATEGORICAL, .dtype = DTYPE_I64, .stream = {GENERATOR_THREEFRY4X32, 7, 0}};
	int64_t *expected = malloc(n * sizeof *expected);
	struct draw_kernels kernels;
	struct dist_fault fault;
	struct fpenv_saved saved;
	void *table;

	draw_select(cpu_detect(), &kernels);
	assert_int_equal(draw_prepare(&draw, weights, WEIGHTS, &table, &fault), 0);
	saved = fpenv_enter();
	draw_fill(&kernels, &draw, 0, n, expected);
	fpenv_leave(saved);
	assert_int_equal(data->bytes.size, n * sizeof *expected);
	assert_memory_equal(data->bytes.at, expected, data->bytes.size);
	free(table);
	free(expected);
}

static void same_samples(void **state)
{
	enum { N = 5000 };
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = categorical(&client, N), result = client_result(&client, "categorical", &params);
	expect_samples(value_get(&result, "data"), N);
	struct value draw = client_map(&client, "op", value_string("categorical"), "n", value_uint(N), "seed", value_uint(7),
				       "as", value_string("x"), "weights", weights_value(WEIGHTS), NULL);
	struct value results = value_array();
	assert_int_equal(value_push(client.bump, &results, value_string("x")), 0);
	params = steps_of(&client, 1, draw);
	assert_int_equal(value_put(client.bump, &params, "results", results), 0);
	params = prepare_of(&client, params);
	result = client_result(&client, "prepare", &params);
	params = client_map(&client, "prepared", *value_get(&result, "prepared"), NULL);
	for (int i = 0; i < 2; i++) {
		result = client_result(&client, "run_prepared", &params);
		expect_samples(value_get(value_get(value_get(&result, "results"), "x"), "data"), N);
	}
	client_close(&client);
}

/* While it is being made: cancelled, out of time, its client gone. Nothing of it is left, which the tear-down sees. */
static void ends(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = categorical(&client, 1), cancel;
	for (int i = 0; i < TRIES; i++) {
		const uint32_t msgid = client_send(&client, "categorical", &params);
		int code = -1;

		cancel = client_map(&client, "msgid", value_uint(msgid), NULL);
		client_send(&client, "cancel", &cancel);
		for (int k = 0; k < 2; k++) {
			assert_true(client_receive(&client, &message));
			code = message.msgid == msgid ? (int)message.error.code : code;
		}
		assert_true(code == 0 || code == ERROR_CANCELLED);
	}
	assert_int_equal(value_put(client.bump, &params, "timeout_ms", value_uint(1)), 0);
	client_fails(&client, "categorical", &params, ERROR_TIMEOUT, "timeout_ms");
	client_close(&client);
	for (int i = 0; i < TRIES; i++) {
		client_open(&client, group_daemon.socket);
		params = categorical(&client, 1);
		client_send(&client, i % 2 ? "categorical" : "nothing", &params);
		struct value draw = client_map(&client, "op", value_string("categorical"), "n", value_uint(1), "weights",
					       weights_value(WEIGHTS), NULL);
		params = prepare_of(&client, steps_of(&client, 1, draw));
		client_send(&client, "prepare", &params);
		client_close(&client);
	}
}

static void limits(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value names = value_array(), params;
	for (int i = 0; i < 513; i++)
		assert_int_equal(value_push(client.bump, &names, value_string("x")), 0);
	params = client_map(&client, "steps", value_array(), "results", names, NULL);
	client_fails(&client, "run", &params, ERROR_LIMIT, "run: results: 513 names, allowed are 512");
	struct value noise = client_map(&client, "op", value_string("categorical"), "weights", weights_value(131073), NULL);
	params = client_map(&client, "samples", value_uint(1024), "noise", noise, NULL);
	client_fails(&client, "ring_attach", &params, ERROR_LIMIT, "131073 weights, allowed in draws of a named stream");
	params = client_map(&client, "name", value_string("s"), NULL);
	client_result(&client, "stream_create", &params);
	struct value draw = client_map(&client, "op", value_string("categorical"), "n", value_uint(1), "weights",
				       weights_value(131073), NULL);
	params = client_map(&client, "name", value_string("s"), "draw", draw, NULL);
	client_fails(&client, "stream_draw", &params, ERROR_LIMIT, "131073 weights, allowed in draws of a named stream");
	assert_int_equal(value_put(client.bump, &draw, "weights", weights_value(131072)), 0);
	params = client_map(&client, "name", value_string("s"), "draw", draw, NULL);
	must_be_overtaken(&client, "stream_draw", params, 0);
	client_close(&client);
}

int main(void)
{
#define rested(name) cmocka_unit_test_teardown(name, group_daemon_rests)
	const struct CMUnitTest tests[] = {
		rested(distributions), rested(points), rested(prepared),
		rested(same_samples),  rested(ends),   cmocka_unit_test(limits), /* opens the streams' state */
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
