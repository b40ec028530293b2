/* SPDX-License-Identifier: Apache-2.0 */
/* A client that is stopped between two looks: while it stands still what it waits for comes, and then its time passes. It takes what
 * is there. The clock is the test's own: one look at it is where the client stops, each look of a wait in its turn. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "daemon/group_daemon.h"

enum {
	LOOKS = 60,          /* beyond the first ones a wait that spins repeats itself */
	TIMEOUT_MS = 600000, /* of a wait; an hour passes while the client stands still */
	SAMPLES = 4096,
	SHORT = 8, /* waits, after which the next one spins */
	ASLEEP_MS = 20, /* after which a wait has no more looks: it sleeps */
};

static _Atomic uint64_t passed_ns; /* beside the true time */
static _Thread_local unsigned left; /* looks until this thread stops; 0: it does not */
static atomic_bool has_come;
static void (*come)(void); /* returns when what is awaited has come; the daemon is halted before */

static void let_come(bool time_passes)
{
	if (atomic_exchange(&has_come, true))
		return;
	kill(group_daemon.pid, SIGCONT);
	come();
	passed_ns += time_passes ? UINT64_C(3600000000000) : 0;
}

/* The client stops before it reads the clock. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	if (left > 0 && --left == 0)
		let_come(true);
	const int r = (int)syscall(SYS_clock_gettime, clock, ret_time);

	if (clock == CLOCK_MONOTONIC)
		ret_time->tv_sec += (time_t)(passed_ns / 1000000000);
	return r;
}

/* A wait that sleeps has no looks. */
static void *end_sleep(void *arg)
{
	(void)arg;
	for (int ms = 0; ms < ASLEEP_MS && !atomic_load(&has_come); ms++)
		wait_as_slow_peer(1000);
	let_come(false);
	return NULL;
}

static void wait_and_stop(const char *what, unsigned look, int (*wait)(void))
{
	pthread_t beside;
	int r;

	atomic_store(&has_come, false);
	assert_int_equal(pthread_create(&beside, NULL, end_sleep, NULL), 0);
	left = look;
	r = wait();
	left = 0;
	pthread_join(beside, NULL);
	if (r)
		fail_msg("%s: expected it, stopped at look %u, got %s", what, look, trnsci_error_name(r));
}

static struct trnsci_session *session;
static struct trnsci_call *call;
static struct trnsci_reader *ring, *reader;
static float samples[SAMPLES];

static int take_answer(void)
{
	struct trnsci_call *answered;

	return trnsci_next(session, TIMEOUT_MS, &answered, NULL);
}

static int take_from_ring(void)
{
	return trnsci_reader_take(ring, samples, 1, TIMEOUT_MS, NULL, NULL);
}

static int take_from_broadcast(void)
{
	return trnsci_reader_take(reader, samples, 1, TIMEOUT_MS, NULL, NULL);
}

static void open_session(int queue)
{
	const struct trnsci_options options = {.queue = queue};

	assert_int_equal(trnsci_open(group_daemon.socket, &options, &session, NULL), 0);
}

/* The daemon has handled what came before the first of these. */
static void answer_comes(void)
{
	for (int i = 0; i < 3; i++)
		client_result(&witness, "ping", NULL);
}

/* Runs of a call, by messages or, once there were a few, by the queue. */
static void expect_answers(const char *what, int queue)
{
	come = answer_comes;
	open_session(queue);
	assert_int_equal(trnsci_call_new(session, "uniform", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 8));
	for (unsigned look = 1; look <= LOOKS; look++) {
		for (int i = 0; i < SHORT; i++)
			assert_int_equal(trnsci_run(call, NULL), 0);
		daemon_halt(&group_daemon);
		assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
		wait_and_stop(what, look, take_answer);
	}
	trnsci_call_free(call);
	trnsci_close(session);
}

static void answers(void **state)
{
	(void)state;
	expect_answers("a message", -1);
	expect_answers("the queue", 1);
}

static uint64_t end_of_ring;

static uint64_t find_end(void)
{
	struct trnsci_reader_info info;

	assert_int_equal(trnsci_reader_describe(ring, &info), 0);
	return info.produced;
}

static void ring_fills(void)
{
	AWAIT(find_end() > end_of_ring);
}

/* Takes all that a halted daemon has left there. */
static void empty_ring(void)
{
	struct trnsci_reader_span span;

	do
		trnsci_reader_take(ring, samples, SAMPLES, 0, &span, NULL);
	while (span.count > 0);
	end_of_ring = find_end();
}

static void samples_of_a_ring(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* a thread looks at the ring beside the one that takes from it, which programs may not do */
#endif
	come = ring_fills;
	open_session(0);
	assert_int_equal(trnsci_ring_attach(session, "normal", NULL, NULL, SAMPLES, &ring, NULL), 0);
	for (unsigned look = 1; look <= LOOKS; look++) {
		daemon_halt(&group_daemon);
		empty_ring();
		wait_and_stop("a ring", look, take_from_ring);
	}
	trnsci_reader_detach(ring);
	trnsci_close(session);
}

static struct client owner;

static void owner_publishes(void)
{
	struct value params = client_map(&owner, "name", value_string("news"), "n", value_uint(1), NULL);

	client_result(&owner, "broadcast_publish", &params);
}

static void samples_of_a_broadcast(void **state)
{
	(void)state;
	come = owner_publishes;
	client_open(&owner, group_daemon.socket);
	struct value params = client_map(&owner, "name", value_string("news"), "samples", value_uint(SAMPLES), NULL);
	client_result(&owner, "broadcast_create", &params);
	open_session(0);
	assert_int_equal(trnsci_broadcast_attach(session, "news", &reader, NULL), 0);
	for (unsigned look = 1; look <= LOOKS; look++) {
		daemon_halt(&group_daemon);
		wait_and_stop("a broadcast", look, take_from_broadcast);
	}
	trnsci_reader_detach(reader);
	trnsci_close(session);
	client_close(&owner);
}

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads=1", "--arena-ahead-bytes=0", NULL});
	return 0;
}

int main(void)
{
#define rests(name) cmocka_unit_test_teardown(name, group_daemon_rests)
	const struct CMUnitTest tests[] = {rests(answers), rests(samples_of_a_ring), rests(samples_of_a_broadcast)};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
