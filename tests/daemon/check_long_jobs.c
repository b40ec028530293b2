/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that take long end soon after nobody wants them: by cancel, by their client's end, by SIGTERM. Each is a sine transform
 * of type 1 of 2^24, whose plan is Bluestein's of 2^24 + 1: more than a second of CPU, most of it for the plan. What counts is
 * the CPU time that the daemon takes afterwards, so a busy machine changes nothing. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { LENGTH = 1 << 24, MOST_MS = 500 };

/* CPU time of a daemon that runs. */
static uint64_t cpu_ms(const struct daemon *daemon)
{
	char path[64];
	unsigned long user, system;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", daemon->pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system), 2);
	fclose(file);
	return (user + system) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK);
}

/* Starts the transform, and waits until the plan is being built. Returns the request's number. */
static uint32_t start_long(struct client *client, const struct daemon *daemon)
{
	void *base;
	uint64_t handles[2], before;
	struct value params;
	uint32_t msgid;

	close(client_arena(client, UINT64_C(2) * LENGTH * sizeof(float) + (1 << 20), &base));
	for (int i = 0; i < 2; i++) {
		struct value shape = client_map(client, "dtype", value_string("f32"), "shape", value_uint(LENGTH), NULL);
		struct value tile = client_result(client, "tile", &shape);

		handles[i] = value_get(&tile, "tile")->u;
	}
	params = client_map(client, "in", value_uint(handles[0]), "out", value_uint(handles[1]), "type", value_string("1"), NULL);
	before = cpu_ms(daemon);
	msgid = client_send(client, "dst", &params);
	AWAIT(cpu_ms(daemon) > before + 100);
	assert_int_equal(client_stat(client, "session.jobs"), 1);
	return msgid;
}

static void expect_little(uint64_t before_ms, uint64_t after_ms, const char *what)
{
	printf("# %llu ms of CPU after %s\n", (unsigned long long)(after_ms - before_ms), what);
	if (after_ms - before_ms > MOST_MS)
		fail_msg("%llu ms of CPU after %s, expected at most %d", (unsigned long long)(after_ms - before_ms), what, MOST_MS);
}

static void cancelled(void **state)
{
	struct daemon daemon;
	struct client client;
	struct message message;
	struct value params;
	uint64_t before;

	(void)state;
	daemon_start(&daemon, (const char *const[]){"--threads=1", NULL});
	client_open(&client, daemon.socket);
	params = client_map(&client, "msgid", value_uint(start_long(&client, &daemon)), NULL);
	before = cpu_ms(&daemon);
	client_send(&client, "cancel", &params);
	for (int answers = 0; answers < 2; answers++)
		assert_true(client_receive(&client, &message));
	assert_int_equal(client_stat(&client, "session.jobs"), 0);
	expect_little(before, cpu_ms(&daemon), "cancel");
	client_close(&client);
	daemon_stop(&daemon);
}

static void client_gone(void **state)
{
	struct daemon daemon;
	struct client client, other;
	uint64_t before;

	(void)state;
	daemon_start(&daemon, (const char *const[]){"--threads=1", NULL});
	client_open(&client, daemon.socket);
	client_open(&other, daemon.socket);
	start_long(&client, &daemon);
	before = cpu_ms(&daemon);
	client_close(&client);
	AWAIT(client_stat(&other, "daemon.sessions") == 1);
	expect_little(before, cpu_ms(&daemon), "its client's end");
	client_close(&other);
	daemon_stop(&daemon);
}

static void stopped(void **state)
{
	struct daemon daemon;
	struct client client;
	struct message message;
	struct rusage start, end;
	uint64_t before;

	(void)state;
	getrusage(RUSAGE_CHILDREN, &start);
	daemon_start(&daemon, (const char *const[]){"--threads=1", "--stop-timeout=0", NULL});
	client_open(&client, daemon.socket);
	start_long(&client, &daemon);
	before = cpu_ms(&daemon);
	kill(daemon.pid, SIGTERM);
	assert_false(client_receive(&client, &message));
	assert_int_equal(daemon_wait(&daemon), 0);
	getrusage(RUSAGE_CHILDREN, &end);
	expect_little(before,
		      (uint64_t)(end.ru_utime.tv_sec + end.ru_stime.tv_sec - start.ru_utime.tv_sec - start.ru_stime.tv_sec) * 1000 +
			      (uint64_t)((end.ru_utime.tv_usec + end.ru_stime.tv_usec - start.ru_utime.tv_usec - start.ru_stime.tv_usec) / 1000),
		      "SIGTERM");
	client_close(&client);
	daemon_remove_dir(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cancelled), cmocka_unit_test(client_gone), cmocka_unit_test(stopped)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
