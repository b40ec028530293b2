/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, prepared calls, rings and broadcasts that are under way when their daemon is killed or stopped. What a call was
 * writing that cannot be repeated is lost, and nothing else. */
#include <poll.h>

#include "harness/sanitized.h"
#include "restart.h"

enum { DRAWN, SCALED, IN_PLACE, NAMED, READS_NAMED, PROGRAM, CALLS };

struct flight {
	struct pair x, z, mine, named, of_named, drawn, of_program;
	struct trnsci_call *calls[CALLS];
};

/* normal -> of_program; of_program * 2 -> of_program: it reads only what it has written itself. */
static struct trnsci_call *program_on(struct trnsci_session *session, struct trnsci_tile *tile)
{
	struct trnsci_call *program;
	struct trnsci_args *step;

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	trnsci_set(trnsci_call_args(program), trnsci_param_u64("seed", 12));
	step = trnsci_program_step(program, "normal");
	trnsci_set(step, trnsci_param_tile("out", tile));
	step = trnsci_program_step(program, "scale");
	trnsci_set(step, trnsci_param_tile("in", tile));
	trnsci_set(step, trnsci_param_f64("by", 2));
	trnsci_set(step, trnsci_param_tile("out", tile));
	return program;
}

static void submit_flight(struct flight *flight)
{
	struct trnsci_args *args;

	struct pair *const pairs[] = {&flight->x, &flight->z, &flight->mine, &flight->named, &flight->of_named, &flight->drawn,
				      &flight->of_program};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		*pairs[i] = pair_of(TRNSCI_F32, N);
	draw(flight->x, 1);
	draw(flight->named, 3);
	memset(trnsci_tile_data(flight->mine.remote), 1, N * sizeof(float));
	memset(trnsci_tile_data(flight->mine.own), 1, N * sizeof(float));
	assert_int_equal(trnsci_stream_create(remote, "s", NULL, NULL, NULL), 0);
	kill(trnscid.pid, SIGSTOP); /* nothing is answered before the signal that ends it */
	assert_int_equal(trnsci_call_new(remote, "normal", &flight->calls[DRAWN]), 0);
	trnsci_set(trnsci_call_args(flight->calls[DRAWN]), trnsci_param_u64("seed", 8));
	trnsci_set(trnsci_call_args(flight->calls[DRAWN]), trnsci_param_tile("out", flight->drawn.remote));
	flight->calls[SCALED] = scaling(remote, flight->x.remote, flight->z.remote, 5);
	flight->calls[IN_PLACE] = scaling(remote, flight->mine.remote, flight->mine.remote, 7);
	assert_int_equal(trnsci_call_new(remote, "stream_draw", &flight->calls[NAMED]), 0);
	trnsci_set(trnsci_call_args(flight->calls[NAMED]), trnsci_param_text("name", "s"));
	args = trnsci_set_map(trnsci_call_args(flight->calls[NAMED]), "draw");
	trnsci_set(args, trnsci_param_text("op", "normal"));
	trnsci_set(args, trnsci_param_tile("out", flight->named.remote));
	flight->calls[READS_NAMED] = scaling(remote, flight->named.remote, flight->of_named.remote, 2);
	flight->calls[PROGRAM] = program_on(remote, flight->of_program.remote);
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(trnsci_submit(flight->calls[i], NULL, NULL), 0);
}

static void land_flight(struct flight *flight, const int expected[CALLS])
{
	struct trnsci_call *twins[3];

	for (int i = 0; i < CALLS; i++) {
		const int r = trnsci_wait(flight->calls[i], 30000);

		if (r != expected[i])
			fail_msg("call %d: expected %s, got %s (%s)", i, trnsci_error_name(expected[i]), trnsci_error_name(r),
				 trnsci_call_error(flight->calls[i])->text);
		if (r == -TRNSCI_CLOSED)
			assert_non_null(strstr(trnsci_call_error(flight->calls[i])->text, "not repeated"));
		trnsci_call_free(flight->calls[i]);
	}
	draw(flight->drawn, 8);
	twins[0] = scaling(own, flight->x.own, flight->z.own, 5);
	twins[1] = scaling(own, flight->mine.own, flight->mine.own, 7);
	twins[2] = program_on(own, flight->of_program.own);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(trnsci_run(twins[i], NULL), 0);
		trnsci_call_free(twins[i]);
	}
	expect_same(flight->drawn, "a draw");
	expect_same(flight->x, "what was read");
	expect_same(flight->z, "out of place");
	expect_same(flight->of_program, "a program");
}

static void free_flight(struct flight *flight)
{
	pair_free(flight->x);
	pair_free(flight->z);
	pair_free(flight->mine);
	pair_free(flight->named);
	pair_free(flight->of_named);
	pair_free(flight->drawn);
	pair_free(flight->of_program);
}

/* None is answered: what can be is done by the next daemon, what it was writing otherwise is lost. */
static void test_killed_in_flight(void **state)
{
	static const int expected[CALLS] = {
		[IN_PLACE] = -TRNSCI_CLOSED, [NAMED] = -TRNSCI_CLOSED, [READS_NAMED] = -TRNSCI_LOST};
	struct flight flight;

	(void)state;
	open_both();
	submit_flight(&flight);
	restart(SIGKILL);
	land_flight(&flight, expected);
	assert_true(tile_info(flight.of_named.remote).lost);
	expect_lost(flight.mine, "a call in place");
	expect_lost(flight.named, "a draw from a named stream");
	free_flight(&flight);
	close_both();
}

/* A daemon that stops answers what it has: nothing is lost. What is submitted meanwhile goes to the next one. */
static void test_stopped_in_flight(void **state)
{
	static const int expected[CALLS] = {0};
	struct flight flight;

	(void)state;
	open_both();
	submit_flight(&flight);
	kill(trnscid.pid, SIGTERM);
	kill(trnscid.pid, SIGCONT);
	daemon_wait(&trnscid);
	struct trnsci_call *late = scaling(remote, flight.mine.remote, flight.mine.remote, 3);

	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
	assert_int_equal(trnsci_submit(late, NULL, NULL), 0);
	if (trnsci_wait(late, 30000) < 0)
		fail_msg("expected an answer of the next daemon, got %s", trnsci_call_error(late)->text);
	trnsci_call_free(late);
	late = scaling(own, flight.mine.own, flight.mine.own, 3);
	assert_int_equal(trnsci_run(late, NULL), 0); /* by 3 and 7 instead of 7 and 3 */
	trnsci_call_free(late);
	land_flight(&flight, expected);
	expect_same(flight.mine, "in place");
	assert_false(tile_info(flight.named.remote).lost || tile_info(flight.of_named.remote).lost);
	free_flight(&flight);
	close_both();
}

/* scale in -> in, then draws that take a while: far longer under sanitizers. */
static struct trnsci_call *long_program(struct trnsci_session *session, struct trnsci_tile *in, struct trnsci_tile *large)
{
	struct trnsci_call *program;
	struct trnsci_args *step;

	assert_int_equal(trnsci_call_new(session, "run", &program), 0);
	step = trnsci_program_step(program, "scale");
	trnsci_set(step, trnsci_param_tile("in", in));
	trnsci_set(step, trnsci_param_f64("by", 2));
	trnsci_set(step, trnsci_param_tile("out", in));
	for (int i = 0; i < (SANITIZED ? 8 : 100); i++)
		trnsci_set(trnsci_program_step(program, "normal"), trnsci_param_tile("out", large));
	return program;
}

/* Until the daemon has begun to stop. */
static void await_stopping(void)
{
	struct pollfd news = {trnscid.notify_fd, POLLIN, 0};
	char text[1024] = "";

	while (!strstr(text, "STOPPING=1")) {
		assert_int_equal(poll(&news, 1, 30000), 1);
		const ssize_t size = recv(trnscid.notify_fd, text, sizeof text - 1, 0);

		assert_true(size >= 0);
		text[size] = '\0';
	}
}

/* A daemon that stops takes no more requests, but answers those that it has: what is submitted meanwhile goes to the next one,
 * and nothing that was accepted is given up for it. */
static void test_submitted_while_it_stops(void **state)
{
	enum { LATE = 16 };
	struct trnsci_call *late[LATE], *program, *twin;
	struct pair tiles[LATE], first, large;

	(void)state;
	open_both();
	first = pair_of(TRNSCI_F32, N);
	large = pair_of(TRNSCI_F32, 1 << 20);
	draw(first, 1);
	for (int i = 0; i < LATE; i++) {
		tiles[i] = pair_of(TRNSCI_F32, N);
		draw(tiles[i], (uint64_t)i);
		late[i] = scaling(remote, tiles[i].remote, tiles[i].remote, 3);
	}
	program = long_program(remote, first.remote, large.remote);
	assert_int_equal(trnsci_submit(program, NULL, NULL), 0);
	kill(trnscid.pid, SIGTERM);
	await_stopping();
	for (int i = 0; i < LATE; i++)
		assert_int_equal(trnsci_submit(late[i], NULL, NULL), 0);
	daemon_wait(&trnscid);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
	if (trnsci_wait(program, 30000) < 0)
		fail_msg("expected the answer of the daemon that stopped, got %s", trnsci_call_error(program)->text);
	twin = long_program(own, first.own, large.own);
	assert_int_equal(trnsci_run(twin, NULL), 0);
	expect_same(first, "in place, by the daemon that stopped");
	for (int i = 0; i < LATE; i++) {
		if (trnsci_wait(late[i], 30000) < 0)
			fail_msg("late call %d: expected an answer, got %s", i, trnsci_call_error(late[i])->text);
		trnsci_call_free(late[i]);
		late[i] = scaling(own, tiles[i].own, tiles[i].own, 3);
		assert_int_equal(trnsci_run(late[i], NULL), 0);
		expect_same(tiles[i], "in place, by one of the two");
		trnsci_call_free(late[i]);
		pair_free(tiles[i]);
	}
	trnsci_call_free(program);
	trnsci_call_free(twin);
	pair_free(first);
	pair_free(large);
	close_both();
}

/* What was not sent was not done, and is sent to the next daemon whatever it is. */
static void test_never_sent(void **state)
{
	struct trnsci_call *call;

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		open_both();
		struct pair x = pair_of(TRNSCI_F32, N);

		draw(x, 1);
		restart(signals[i]);
		assert_int_equal(scale(x, x, 3), 0);
		expect_same(x, "in place, sent when the daemon was gone");
		restart(signals[i]);
		assert_int_equal(trnsci_call_new(remote, "stream_create", &call), 0);
		trnsci_set(trnsci_call_args(call), trnsci_param_text("name", "late"));
		if (trnsci_run(call, NULL) < 0)
			fail_msg("expected a stream, got %s", trnsci_call_error(call)->text);
		trnsci_call_free(call);
		pair_free(x);
		close_both();
	}
}

/* ---- prepared calls ---- */

static uint64_t prepared_runs(void)
{
	struct trnsci_call *call;
	uint64_t runs = 0;

	assert_int_equal(trnsci_call_new(remote, "stats", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), 0);
	assert_int_equal(
		trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "daemon"), "requests_prepared"),
				    &runs),
		0);
	trnsci_call_free(call);
	return runs;
}

/* So often that it is prepared. */
static void run_often(struct trnsci_call *call)
{
	const uint64_t before = prepared_runs();

	for (int i = 0; i < 6; i++)
		if (trnsci_run(call, NULL) < 0)
			fail_msg("expected an answer, got %s", trnsci_call_error(call)->text);
	if (prepared_runs() == before)
		fail_msg("expected a run of the prepared call, got none");
}

/* Runs of prepared calls are in flight, with a seed or a tile of their own: each is sent again with these, and what a run
 * in place was writing is lost, not what the call names. Later runs are prepared again. */
static void test_prepared_in_flight(void **state)
{
	const struct trnsci_param seed[] = {trnsci_param_u64("seed", 8), trnsci_param_end()};

	(void)state;
	open_both();
	struct pair x = pair_of(TRNSCI_F32, N), z = pair_of(TRNSCI_F32, N), drawn = pair_of(TRNSCI_F32, N),
		    mine = pair_of(TRNSCI_F32, N), other = pair_of(TRNSCI_F32, N);
	const struct trnsci_param tile[] = {trnsci_param_tile("out", other.remote), trnsci_param_end()};
	struct trnsci_call *calls[3], *twin, *own_draw;

	draw(x, 1);
	draw(mine, 2);
	draw(other, 3);
	calls[0] = scaling(remote, x.remote, z.remote, 5);
	calls[1] = scaling(remote, mine.remote, mine.remote, 1);
	assert_int_equal(trnsci_call_new(remote, "normal", &calls[2]), 0);
	trnsci_set(trnsci_call_args(calls[2]), trnsci_param_tile("out", drawn.remote));
	for (int i = 0; i < 3; i++)
		run_often(calls[i]);
	kill(trnscid.pid, SIGSTOP);
	assert_int_equal(trnsci_submit(calls[0], NULL, NULL), 0);
	assert_int_equal(trnsci_submit(calls[1], tile, NULL), 0);
	assert_int_equal(trnsci_submit(calls[2], seed, NULL), 0);
	restart(SIGKILL);
	assert_int_equal(trnsci_wait(calls[0], 30000), 0);
	assert_int_equal(trnsci_wait(calls[1], 30000), -TRNSCI_CLOSED);
	assert_int_equal(trnsci_wait(calls[2], 30000), 0);
	twin = scaling(own, x.own, z.own, 5);
	assert_int_equal(trnsci_run(twin, NULL), 0);
	expect_same(z, "a prepared call");
	expect_same(mine, "the tile that another stood for");
	assert_int_equal(trnsci_call_new(own, "normal", &own_draw), 0);
	trnsci_set(trnsci_call_args(own_draw), trnsci_param_tile("out", drawn.own));
	assert_int_equal(trnsci_run(own_draw, seed), 0);
	expect_same(drawn, "a prepared draw with a seed of its own");
	expect_lost(other, "the tile of a run in place");
	for (int i = 0; i < 3; i++)
		run_often(calls[i]);
	expect_same(z, "a prepared call, prepared again");
	for (int i = 0; i < 3; i++)
		trnsci_call_free(calls[i]);
	trnsci_call_free(twin);
	trnsci_call_free(own_draw);
	pair_free(x);
	pair_free(z);
	pair_free(drawn);
	pair_free(mine);
	pair_free(other);
	close_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_in_flight),
		cmocka_unit_test(test_stopped_in_flight),
		cmocka_unit_test(test_submitted_while_it_stops),
		cmocka_unit_test(test_never_sent),
		cmocka_unit_test(test_prepared_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
