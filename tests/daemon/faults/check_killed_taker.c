/* SPDX-License-Identifier: Apache-2.0 */
/* A ring's client that is killed at any instruction: before and after each of its system calls, and some way on from
 * there. Nothing of it is left, and another client's ring goes on. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trnsci/trnsci.h>

#include "client/drawing.h"

#include "daemon/group_daemon.h"

enum { SAMPLES = 1024, STEPS_MOST = 3000, PIECE = 700, ALL = 1 << 20, TIMEOUT_MS = 20000 };

static const struct drawing noise = {.distribution = "normal", .source = {.seed = 5}};
static struct trnsci_session *session;
static struct trnsci_reader *ring; /* the other client's */
static float *expected;
static uint64_t taken, charged, threads, in_flight;
static unsigned fds;

/* ---- the client ---- */

static void must(int r)
{
	if (r < 0)
		_exit(1);
}

/* From its first system call to its last. */
static void live(void)
{
	struct trnsci_session *own = NULL;
	struct trnsci_reader *mine = NULL;
	float out[PIECE];
	const void *at;

	must(trnsci_open(group_daemon.socket, NULL, &own, NULL));
	must(draw_ring(own, &noise, TRNSCI_F32, SAMPLES, &mine, NULL));
	for (int i = 0; i < 4; i++)
		must(trnsci_reader_take(mine, out, PIECE, TIMEOUT_MS, NULL, NULL));
	must(trnsci_reader_borrow(mine, 100, TIMEOUT_MS, &at, NULL, NULL));
	must(trnsci_reader_release(mine, 100, NULL));
	trnsci_reader_detach(mine);
	trnsci_close(own);
	_exit(0);
}

/* Stopped before its first instruction; -1 where processes must not be traced. */
static pid_t traced(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(2);
		raise(SIGSTOP);
		live();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSTOPPED(status) ? pid : -1;
}

/* Goes on to the next stop; false: it has ended, which must be well. */
static bool go_on(pid_t pid, int how)
{
	int status;

	assert_int_equal(ptrace(how, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status) && status != 0)
		fail_msg("the client: expected status 0, got %d", status);
	return WIFSTOPPED(status);
}

/* ---- the others ---- */

static void is_well(long stops, long steps)
{
	client_await_stat(&witness, "daemon.sessions", 2);
	client_await_stat(&witness, "daemon.rings", 1);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", charged);
	client_await_stat(&witness, "engine.jobs.running", 1);
	client_await_stat(&witness, "daemon.quota.fds_total.used", in_flight);
	for (struct waiting waiting = await_begin("", __FILE__, __LINE__);
	     daemon_fds(&group_daemon) != fds && !await_is_over(&waiting);)
		await_nap(&waiting);
	if (daemon_fds(&group_daemon) != fds || daemon_kib(&group_daemon, "Threads") != threads)
		fail_msg("after %ld stops and %ld steps: expected %u descriptors and %" PRIu64
			 " threads, got %u and %" PRIu64,
			 stops, steps, fds, threads, daemon_fds(&group_daemon), daemon_kib(&group_daemon, "Threads"));
}

static void takes_on(void)
{
	static float out[PIECE];
	struct trnsci_error err;

	if (trnsci_reader_take(ring, out, PIECE, TIMEOUT_MS, NULL, &err) < 0)
		fail_msg("the other client's ring: %s", err.text);
	assert_memory_equal(out, expected + taken, sizeof out);
	taken += PIECE;
}

static int setup(void **state)
{
	struct trnsci_error err;

	(void)state;
	group_daemon_start((const char *const[]){"--threads", "2", "--arena-ahead-bytes", "0",
						 "--connections-per-second", "100000", NULL});
	expected = malloc(ALL * sizeof *expected);
	if (trnsci_open(group_daemon.socket, NULL, &session, &err) < 0 ||
	    draw_array(session, &noise, TRNSCI_F32, ALL, expected, NULL, &err) < 0 ||
	    draw_ring(session, &noise, TRNSCI_F32, SAMPLES, &ring, &err) < 0)
		fail_msg("%s", err.text);
	takes_on();
	charged = group_daemon_charged();
	return 0;
}

static int teardown(void **state)
{
	trnsci_reader_detach(ring);
	trnsci_close(session);
	free(expected);
	group_daemon_expect_rest();
	return group_daemon_stop(state);
}

/* What the other client alone has. */
static void remember(void)
{
	client_await_stat(&witness, "daemon.sessions", 2);
	client_await_stat(&witness, "daemon.rings", 1);
	AWAIT(group_daemon_charged() == charged); /* a thread gives back what the traced one had */
	in_flight = client_stat(&witness, "daemon.quota.fds_total.used");
	threads = daemon_kib(&group_daemon, "Threads");
	fds = daemon_fds(&group_daemon);
}

/* ---- every point ---- */

static void kill_at(long stops, long steps)
{
	pid_t pid = traced();
	bool alive = true;

	for (long i = 0; alive && i < stops; i++)
		alive = go_on(pid, PTRACE_SYSCALL);
	for (long i = 0; alive && i < steps; i++)
		alive = go_on(pid, PTRACE_SINGLESTEP);
	if (alive) {
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	takes_on();
	is_well(stops, steps);
}

static void every_point(void **state)
{
	const int times = getenv("TRNSCI_FULL") ? 4 : 1;
	uint64_t grown, anon;
	unsigned random = 7;
	long stops = 0;
	pid_t pid = traced();

	(void)state;
	if (pid < 0) {
		printf("# skipped: no process may be traced here\n");
		skip();
	}
	while (go_on(pid, PTRACE_SYSCALL))
		stops++;
	remember();
	anon = daemon_kib(&group_daemon, "RssAnon");
	for (int time = 0; time < times; time++)
		for (long at = 0; at <= stops; at++) {
			random = random * 1664525 + 1013904223;
			kill_at(at, at % 3 == 0 ? 0 : (random >> 12) % (at % 3 == 1 ? 60 : STEPS_MOST));
		}
	grown = daemon_kib(&group_daemon, "RssAnon");
	printf("# %ld points, %" PRIu64 " KiB before, %" PRIu64 " KiB after\n", times * (stops + 1), anon, grown);
	assert_true(stops > 20);
	assert_true(SANITIZED || grown < anon + 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_point)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, teardown);
}
