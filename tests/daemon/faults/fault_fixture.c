/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon of the checks of faults. */
#include "fault_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct daemon fault_daemon;
struct fault_page *fault_page;
struct faulty fault_library;
unsigned fault_quiet_fds;
uint64_t fault_kept_next;
static char state_dir[128];

/* It does not spin, so that a session makes the same number of calls each time. No busy machine reaches its time limits, which a
 * clock that is set on by a month would. */
static const char *const arguments[] = {state_dir,
					"--arena-ahead-bytes",
					"0",
					"--threads",
					"2",
					"--spin-us",
					"0",
					"--stream-block=1024",
					"--frame-timeout=3600",
					"--send-timeout=3600",
					"--connections-per-second",
					"1000000",
					NULL};
static const char *const environment[] = {fault_library.preload, fault_library.page, NULL};

void fault_prepare(struct daemon *daemon)
{
	daemon_prepare(daemon);
	snprintf(state_dir, sizeof state_dir, "--state-dir=%s", daemon->dir);
	faulty_name(daemon, &fault_library);
	fault_page = faulty_page(&fault_library);
}

void fault_arm(int error, long nth)
{
	fault_page->armed = 0;
	fault_page->kill = 0;
	fault_page->lasting = 0;
	fault_page->error = error;
	fault_page->nth = nth;
	fault_page->seen = 0;
	fault_page->armed = 1;
}

static void expect_alive(const char *when)
{
	int status;

	if (waitpid(fault_daemon.pid, &status, WNOHANG) != 0)
		fail_msg("%s %s, call %ld (%s): the daemon is gone, status %d", when, strerror(fault_page->error),
			 (long)fault_page->nth, fault_page->what, status);
}

/* They are closed after the statistics have it. */
static void expect_quiet_fds(const char *when)
{
	for (struct waiting waiting = await_begin("descriptors", __FILE__, __LINE__);
	     daemon_fds(&fault_daemon) != fault_quiet_fds && !await_is_over(&waiting);)
		await_nap(&waiting);
	if (daemon_fds(&fault_daemon) != fault_quiet_fds)
		fail_msg("%s %s, call %ld (%s): expected %u descriptors, got %u", when, strerror(fault_page->error),
			 (long)fault_page->nth, fault_page->what, fault_quiet_fds, daemon_fds(&fault_daemon));
}

void fault_expect_well(const char *when)
{
	struct client client;

	fault_page->armed = 0;
	expect_alive(when);
	client_open(&client, fault_daemon.socket);
	client_expect_known_draw(&client);
	client_await_stat(&client, "daemon.sessions", 1);
	client_await_stat(&client, "daemon.quota.arena_total_bytes.used", 0);
	assert_int_equal(client_stat(&client, "daemon.quota.jobs_total.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.work_total_bytes.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.fds_total.used"), 0);
	assert_int_equal(client_stat(&client, "daemon.quota.connections.used"), 1);
	if (fault_quiet_fds)
		expect_quiet_fds(when);
	client_close(&client);
}

void fault_spawn(struct daemon *daemon)
{
	int loud = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	daemon_spawn(daemon, arguments, environment);
	dup2(loud, STDERR_FILENO);
	close(loud);
	close(null);
}

uint64_t fault_draw_kept(struct client *client, struct error *ret_error)
{
	struct value draw = client_map(client, "op", value_string("bits"), "n", value_uint(100), NULL);
	struct value params = client_map(client, "name", value_string("kept"), "draw", draw, NULL);
	struct message message = client_call(client, "stream_draw", &params);

	*ret_error = message.error;
	return ret_error->code ? 0 : client_number(&message.result, "next");
}

int fault_setup(void **state)
{
	struct client client;

	(void)state;
	fault_prepare(&fault_daemon);
	fault_spawn(&fault_daemon);
	daemon_await(&fault_daemon, "READY=1");
	client_open(&client, fault_daemon.socket);
	struct value params = client_map(&client, "name", value_string("kept"), NULL);
	client_result(&client, "stream_create", &params);
	fault_kept_next = fault_draw_kept(&client, &(struct error){0});
	client_close(&client);
	return 0;
}

int fault_teardown(void **state)
{
	(void)state;
	munmap(fault_page, sizeof *fault_page);
	daemon_stop(&fault_daemon);
	return 0;
}

struct value fault_prepare_params(struct client *client, struct value run)
{
	return client_map(client, "method", value_string("run"), "params", run, NULL);
}
