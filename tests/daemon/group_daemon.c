/* SPDX-License-Identifier: Apache-2.0 */
/* The one daemon and its witness. */
#include "group_daemon.h"

static const char charged[] = "daemon.quota.arena_total_bytes.used";

struct daemon group_daemon;
struct client witness;
static unsigned rest_fds;

void group_daemon_start(const char *const *arguments)
{
	daemon_start(&group_daemon, arguments);
	client_open(&witness, group_daemon.socket);
	client_result(&witness, "ping", NULL);
	rest_fds = daemon_fds(&group_daemon);
}

int group_daemon_stop(void **state)
{
	(void)state;
	client_close(&witness);
	daemon_stop(&group_daemon);
	return 0;
}

uint64_t group_daemon_charged(void)
{
	return client_stat(&witness, charged);
}

void group_daemon_expect_rest(void)
{
	client_await_stat(&witness, "daemon.rings", 0);
	client_await_stat(&witness, "daemon.broadcasts", 0);
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, charged, 0);
	client_await_stat(&witness, "engine.jobs.running", 0);
	AWAIT(daemon_fds(&group_daemon) == rest_fds);
}

int group_daemon_rests(void **state)
{
	(void)state;
	group_daemon_expect_rest();
	return 0;
}
