/* SPDX-License-Identifier: Apache-2.0 */
/* How the daemon stops and what other signals do: it drains, a second signal ends it at once; and it lives on without
 * file descriptors, and with a lowered instruction set. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static void lowered_cpu(void **state)
{
	struct daemon daemon;
	struct client client;

	(void)state;
	daemon_prepare(&daemon);
	daemon_spawn(&daemon, NULL, (const char *const[]){"TRNSCI_CPU=scalar", NULL});
	daemon_await(&daemon, "READY=1");
	client_open(&client, daemon.socket);
	struct value stats = client_result(&client, "stats", NULL);
	const struct value *cpu = value_get(value_get(&stats, "daemon"), "cpu");
	assert_true(value_is_text(value_get(cpu, "level"), "scalar"));
	assert_true(value_is_text(value_get(cpu, "wanted"), "scalar"));
	assert_false(value_get(cpu, "lowered")->boolean);
	client_close(&client);
	daemon_stop(&daemon);
}

/* SIGTERM with requests running, waiting and half sent: all that were whole are answered, then the end. */
static void drains(void **state)
{
	enum { COUNT = 200 };
	struct daemon daemon;
	struct client busy, idle, half;
	struct message message;
	void *base;

	(void)state;
	daemon_start(&daemon, (const char *const[]){"--stop-timeout=3600", NULL});
	client_open(&busy, daemon.socket);
	client_open(&idle, daemon.socket);
	client_open(&half, daemon.socket);
	client_result(&idle, "ping", NULL);
	client_send_bytes(&half, "\x94\x00\x07\xa4pi", 6);
	close(client_arena(&busy, 32 << 20, &base));
	uint32_t first = client_send_long(&busy, 200);
	struct value params = client_map(&busy, "n", value_uint(100000), NULL);
	for (int i = 0; i < COUNT; i++)
		client_send(&busy, "uniform", &params);
	kill(daemon.pid, SIGTERM);
	daemon_await(&daemon, "STOPPING=1");
	assert_int_equal(access(daemon.socket, F_OK), -1);
	assert_false(client_receive(&idle, &message));
	assert_false(client_receive(&half, &message));
	for (int i = 0; i <= COUNT; i++) {
		assert_true(client_receive(&busy, &message));
		assert_int_equal(message.error.code, 0);
		assert_in_range(message.msgid, first, first + COUNT);
	}
	assert_false(client_receive(&busy, &message));
	assert_int_equal(daemon_wait(&daemon), 0);
	client_close(&busy);
	client_close(&idle);
	client_close(&half);
	daemon_remove_dir(&daemon);
}

static void second_signal(void **state)
{
	struct daemon daemon;
	struct client client;
	void *base;

	(void)state;
	daemon_start(&daemon, (const char *const[]){"--stop-timeout=3600", NULL});
	client_open(&client, daemon.socket);
	close(client_arena(&client, 32 << 20, &base));
	client_send_long(&client, 250);
	assert_int_equal(client_stat(&client, "session.jobs"), 1);
	kill(daemon.pid, SIGTERM);
	daemon_await(&daemon, "STOPPING=1");
	assert_int_equal(waitpid(daemon.pid, NULL, WNOHANG), 0);
	kill(daemon.pid, SIGINT);
	assert_int_equal(daemon_wait(&daemon), 128 + SIGINT);
	client_close(&client);
	daemon_remove_dir(&daemon);
}

/* None of these ends the daemon, which serves on. */
static void other_signals(void **state)
{
	static const int signals[] = {SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGIO,
				      SIGVTALRM, SIGPROF, SIGPWR, SIGSTKFLT, SIGWINCH, SIGURG, SIGCHLD, SIGCONT};
	struct daemon daemon;
	struct client client;

	(void)state;
	daemon_start(&daemon, NULL);
	client_open(&client, daemon.socket);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		kill(daemon.pid, signals[i]);
	kill(daemon.pid, SIGRTMIN);
	kill(daemon.pid, SIGRTMAX);
	client_result(&client, "ping", NULL);
	client_close(&client);
	daemon_stop(&daemon);
}

/* The soft limit of CPU time stops the daemon as SIGTERM does; the next signal, a second later, ends it. */
static void cpu_time(void **state)
{
	struct daemon daemon;
	struct client client;
	void *base;

	(void)state;
	daemon_start(&daemon, NULL);
	client_open(&client, daemon.socket);
	client_result(&client, "ping", NULL);
	assert_int_equal(prlimit(daemon.pid, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL), 0);
	kill(daemon.pid, SIGXCPU);
	daemon_await(&daemon, "STOPPING=1");
	assert_int_equal(daemon_wait(&daemon), 0);
	client_close(&client);
	daemon_remove_dir(&daemon);

	daemon_start(&daemon, NULL);
	client_open(&client, daemon.socket);
	close(client_arena(&client, 32 << 20, &base));
	client_send_long(&client, 250);
	assert_int_equal(client_stat(&client, "session.jobs"), 1);
	assert_int_equal(prlimit(daemon.pid, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL), 0);
	kill(daemon.pid, SIGXCPU);
	daemon_await(&daemon, "STOPPING=1");
	kill(daemon.pid, SIGXCPU);
	assert_int_equal(daemon_wait(&daemon), 128 + SIGXCPU);
	client_close(&client);
	daemon_remove_dir(&daemon);
}

/* SIGQUIT keeps its meaning: the end, with a core where the limits allow one. */
static void quits(void **state)
{
	struct daemon daemon;

	(void)state;
	daemon_start(&daemon, NULL);
	assert_int_equal(prlimit(daemon.pid, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL), 0);
	kill(daemon.pid, SIGQUIT);
	assert_int_equal(daemon_wait(&daemon), 128 + SIGQUIT);
	daemon_remove_dir(&daemon);
}

static uint64_t cpu_ticks(const struct daemon *daemon)
{
	char path[64];
	unsigned long user, system;

	snprintf(path, sizeof path, "/proc/%d/stat", daemon->pid);
	FILE *file = fopen(path, "r");
	assert_int_equal(fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system),
			 2);
	fclose(file);
	return user + system;
}

/* With no fd left, connections are turned away (the loop does not spin on them), and served again when there are. */
static void no_fds_left(void **state)
{
	enum { CROWD = 100 };
	struct daemon daemon;
	struct client first, crowd[CROWD];
	struct rlimit limit = {40, 40};

	(void)state;
	daemon_start(&daemon, NULL);
	client_open(&first, daemon.socket);
	client_result(&first, "ping", NULL);
	assert_int_equal(prlimit(daemon.pid, RLIMIT_NOFILE, &limit, NULL), 0);
	for (int i = 0; i < CROWD; i++)
		client_open(&crowd[i], daemon.socket);
	client_result(&first, "ping", NULL);
	uint64_t before = cpu_ticks(&daemon);
	for (int i = 0; i < 100; i++) {
		client_result(&first, "ping", NULL);
		wait_idle(1);
	}
	assert_true(cpu_ticks(&daemon) - before < 8);
	AWAIT(client_stat(&first, "daemon.connections_refused") >= CROWD - 40);
	for (int i = 0; i < CROWD; i++)
		client_close(&crowd[i]);
	client_await_stat(&first, "daemon.sessions", 1);
	client_open(&crowd[0], daemon.socket);
	client_result(&crowd[0], "ping", NULL);
	client_close(&crowd[0]);
	client_close(&first);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowered_cpu),   cmocka_unit_test(drains), cmocka_unit_test(second_signal),
		cmocka_unit_test(other_signals), cmocka_unit_test(quits),  cmocka_unit_test(cpu_time),  cmocka_unit_test(no_fds_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
