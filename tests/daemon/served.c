/* SPDX-License-Identifier: Apache-2.0 */
/* The one daemon and its witness. */
#include "served.h"

static const char charged[] = "daemon.quota.arena_total_bytes.used";

struct daemon served;
struct client witness;
static unsigned rest_fds;

void served_start(const char *const *arguments)
{
	daemon_start(&served, arguments);
	client_open(&witness, served.socket);
	client_result(&witness, "ping", NULL);
	rest_fds = daemon_fds(&served);
}

int served_stop(void **state)
{
	(void)state;
	client_close(&witness);
	daemon_stop(&served);
	return 0;
}

uint64_t served_charged(void)
{
	return client_stat(&witness, charged);
}

void served_expect_rest(void)
{
	client_await_stat(&witness, "daemon.rings", 0);
	client_await_stat(&witness, "daemon.broadcasts", 0);
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, charged, 0);
	client_await_stat(&witness, "engine.jobs.running", 0);
	AWAIT(daemon_fds(&served) == rest_fds);
}
