/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and runs that wait for others to go out with them: while answers wait for a program that takes them by trnsci_next. */
#include "client/both.h"
#include "harness/wait.h"

enum { N = 300, RUNS = 100 };

static struct trnsci_session *open_queue(int queue)
{
	const struct trnsci_options options = {.queue = queue};

	return open_with(trnscid.socket, &options);
}

/* A draw that was run so often that it goes through the queue where the session has one and the daemon is awake. */
static struct trnsci_call *warm_draw(struct trnsci_session *session, struct trnsci_tile *out)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	return call;
}

/* ---- going out ---- */

/* Returns whether others than the witness have sent so many requests since it counted them last. */
static bool have_sent(struct trnsci_session *witness, uint64_t *count, uint64_t more)
{
	const uint64_t now = stat_of(witness, "daemon", "requests");

	if (now >= *count + 1 + more)
		return true;
	++*count; /* our own */
	return false;
}

/* Takes what is answered, except for `taken`: each by itself, in order, or by freeing it. */
static void take_rest(struct trnsci_session *session, struct trnsci_call *const calls[3], const struct trnsci_call *taken, int way)
{
	struct trnsci_call *call;

	for (int i = 0; i < 3; i++) {
		if (calls[i] == taken)
			continue;
		if (way == 0)
			assert_int_equal(trnsci_wait(calls[i], 0), 0);
		else if (way == 1)
			assert_int_equal(trnsci_next(session, 0, &call, NULL), 0);
		else
			trnsci_call_free(calls[i]);
	}
}

/* Submits three requests and takes one of their answers. */
static struct trnsci_call *leave_two_answers(struct trnsci_session *session, struct trnsci_call *first[3])
{
	struct trnsci_call *taken;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(trnsci_call_new(session, "ping", &first[i]), 0);
		assert_int_equal(trnsci_submit(first[i], NULL, NULL), 0);
	}
	for (int i = 0; i < 3; i++)
		AWAIT(trnsci_call_done(first[i]))
		ping(session); /* reads what has come */
	assert_int_equal(trnsci_next(session, 0, &taken, NULL), 0);
	return taken;
}

static void free_pings(struct trnsci_call *const first[3], const struct trnsci_call *taken, int way)
{
	for (int i = 0; i < 3; i++)
		if (way != 2 || first[i] == taken)
			trnsci_call_free(first[i]);
}

/* It goes out with the last of the answers that wait, however that is taken, and not before. Returns whether it went through the
 * queue. */
static bool keep_back(struct trnsci_session *session, struct trnsci_session *witness, int way)
{
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *first[3], *later = warm_draw(session, tile), *taken = leave_two_answers(session, first);
	const uint64_t before = stat_of(witness, "daemon", "queue_runs");
	uint64_t count = stat_of(session, "daemon", "requests"); /* the daemon then looks at this session's queue for a moment */
	bool queued;

	assert_int_equal(trnsci_submit(later, NULL, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_false(have_sent(witness, &count, 1));
	take_rest(session, first, taken, way);
	AWAIT(have_sent(witness, &count, 1));
	assert_int_equal(trnsci_wait(later, -1), 0);
	queued = stat_of(witness, "daemon", "queue_runs") > before;
	trnsci_call_free(later);
	trnsci_tile_free(tile);
	free_pings(first, taken, way);
	return queued;
}

static void kept_back(void **state)
{
	struct trnsci_session *plain = open_queue(-1), *queued = open_queue(1), *witness = open_queue(-1);
	int queue_slot[3] = {0};

	(void)state;
	for (int way = 0; way < 3; way++) {
		keep_back(plain, witness, way);
		AWAIT(queue_slot[way])
		queue_slot[way] = keep_back(queued, witness, way);
	}
	trnsci_close(witness);
	trnsci_close(queued);
	trnsci_close(plain);
}

/* ---- in their order ---- */

/* Frees the tile of a run that is kept back. Returns whether the run went through the queue. */
static bool free_tile_of_run(struct trnsci_session *session, struct trnsci_session *witness)
{
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *first[3], *into = warm_draw(session, tile), *taken = leave_two_answers(session, first);
	const uint64_t before = stat_of(session, "daemon", "queue_runs");
	bool queued;

	assert_int_equal(trnsci_submit(into, NULL, NULL), 0);
	trnsci_tile_free(tile);
	take_rest(session, first, taken, 1);
	if (trnsci_wait(into, -1) < 0)
		fail_msg("the run came behind the end of its tile: %s", trnsci_call_error(into)->text);
	queued = stat_of(witness, "daemon", "queue_runs") > before;
	trnsci_call_free(into);
	free_pings(first, taken, 1);
	return queued;
}

/* A run is ahead of a later request, which may free its tile. */
static void ahead_of_free(void **state)
{
	struct trnsci_session *session = open_queue(1), *witness = open_queue(-1);
	int queued = 0;

	(void)state;
	AWAIT(queued >= 5)
	queued += free_tile_of_run(session, witness);
	trnsci_close(witness);
	trnsci_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(kept_back), cmocka_unit_test(ahead_of_free)};

	return cmocka_run_group_tests(tests, start, stop);
}
