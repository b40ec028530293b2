/* SPDX-License-Identifier: Apache-2.0 */
/* What a session and its daemon learn beside programs that compute on every CPU, they forget when these have ended: runs go through
 * the queue, and nobody sleeps. Counted are sleeps and messages, in the best of several series, and judged in a time in which other
 * processes of this host have hardly used the CPUs. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "client/both.h"
#include "engine/scheduler/cpus.h"
#include "harness/wait.h"

enum { N = 16, THREADS_MOST = 4, LEARNED = 2000, SERIES = 1000, ALLOWED = SERIES / 20, PROGRAMS_MOST = 64, BATCH_NS = 200000000 };

/* Runs of the threads of one session, so many each. */
struct series {
	struct trnsci_session *session;
	unsigned runs;
};

static void *run_draws(void *arg)
{
	const struct series *series = arg;
	struct trnsci_tile *out = new_tile(series->session, TRNSCI_F32, N);
	struct trnsci_call *call;
	int r = 0;

	assert_int_equal(trnsci_call_new(series->session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	for (unsigned i = 0; r == 0 && i < series->runs; i++)
		r = trnsci_run(call, NULL);
	trnsci_call_free(call);
	trnsci_tile_free(out);
	return r == 0 ? NULL : arg;
}

static void run_series(struct trnsci_session *session, unsigned n_threads, unsigned runs)
{
	struct series series = {session, runs / n_threads};
	pthread_t threads[THREADS_MOST];
	void *failed;

	for (unsigned k = 0; k < n_threads; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, run_draws, &series), 0);
	for (unsigned k = 0; k < n_threads; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
	}
}

/* Of both sides: runs that came by the socket, kicks of a daemon that slept, and wakes of clients that did. */
static uint64_t count_messages(struct trnsci_session *session, unsigned n_threads)
{
	const uint64_t kicks = stat_of(session, "daemon", "queue_kicks"), wakes = stat_of(session, "daemon", "queue_wakes"),
		       runs = stat_of(session, "daemon", "queue_runs");

	run_series(session, n_threads, SERIES);
	return stat_of(session, "daemon", "queue_kicks") - kicks + stat_of(session, "daemon", "queue_wakes") - wakes + SERIES -
	       (stat_of(session, "daemon", "queue_runs") - runs);
}

/* A program that computes, on that CPU alone. */
static pid_t compute_on(unsigned cpu)
{
	const pid_t pid = fork();
	cpu_set_t one;

	if (pid != 0)
		return pid;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
	while (true)
		;
}

/* Runs beside a program on each CPU. */
static void learn_beside_programs(struct trnsci_session *session, unsigned n_threads)
{
	pid_t programs[PROGRAMS_MOST];
	unsigned n = 0;
	cpu_set_t all;

	sched_getaffinity(0, sizeof all, &all);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && n < PROGRAMS_MOST; cpu++)
		if (CPU_ISSET(cpu, &all))
			programs[n++] = compute_on(cpu);
	run_series(session, n_threads, LEARNED);
	while (n-- > 0) {
		kill(programs[n], SIGKILL);
		waitpid(programs[n], NULL, 0);
	}
}

/* In ticks of the kernel's clock, of all CPUs together. */
static uint64_t time_of_all(void)
{
	unsigned long long user, nice, system;
	FILE *file = fopen("/proc/stat", "re");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "cpu %llu %llu %llu", &user, &nice, &system), 3);
	fclose(file);
	return user + nice + system;
}

static uint64_t time_of_process(pid_t pid)
{
	unsigned long long user, system;
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system), 2);
	fclose(file);
	return user + system;
}

static uint64_t time_of_others(void)
{
	return time_of_all() - time_of_process(getpid()) - time_of_process(trnscid.pid);
}

/* Series for a fifth of a second. Returns the fewest messages of one, and whether others used less than a tenth of a CPU meanwhile. */
static uint64_t count_fewest(struct trnsci_session *session, unsigned n_threads, bool *ret_calm)
{
	const uint64_t others = time_of_others(), end_ns = wait_now_ns() + BATCH_NS;
	uint64_t fewest = SERIES;

	while (fewest > ALLOWED && wait_now_ns() < end_ns) {
		const uint64_t messages = count_messages(session, n_threads);

		fewest = messages < fewest ? messages : fewest;
	}
	*ret_calm = time_of_others() - others <= 2;
	return fewest;
}

static void check_left(struct trnsci_session *session, unsigned n_threads)
{
	const uint64_t end_ns = wait_now_ns() + DEADLINE_S * UINT64_C(1000000000) / 4;
	uint64_t messages = SERIES;
	bool calm = false;

	while (messages > ALLOWED && !calm && wait_now_ns() < end_ns)
		messages = count_fewest(session, n_threads, &calm);
	if (messages > ALLOWED && calm)
		fail_msg("%u threads: expected at most %d sleeps and messages in %d runs, got %llu", n_threads, ALLOWED, SERIES,
			 (unsigned long long)messages);
	if (messages > ALLOWED)
		print_message("# not judged with %u threads: other programs use the CPUs\n", n_threads);
}

static void leaves_it(void **state)
{
	const struct trnsci_options options = {.queue = 1};

	(void)state;
	if (cpus_usable() < 2)
		skip(); /* where nobody spins */
	for (unsigned n_threads = 1; n_threads <= THREADS_MOST; n_threads *= 2) {
		struct trnsci_session *session = open_with(trnscid.socket, &options);

		run_series(session, n_threads, LEARNED);
		learn_beside_programs(session, n_threads);
		check_left(session, n_threads);
		trnsci_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_it)};

	return cmocka_run_group_tests(tests, start, stop);
}
