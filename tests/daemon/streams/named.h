/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon on a state of its own, and what its clients ask of named streams. */
#ifndef TRNSCI_TESTS_DAEMON_NAMED_H
#define TRNSCI_TESTS_DAEMON_NAMED_H

#include <signal.h>
#include <stdio.h>

#include "daemon/harness.h"

enum { BLOCK = 4096 }; /* words that a stream takes from its state at a time */

/* A folder for the daemon, without a process yet, and the setting of a state in it. */
static inline void begin(struct daemon *daemon, char state[128])
{
	daemon_prepare(daemon);
	snprintf(state, 128, "--state-dir=%s/state", daemon->dir);
}

/* Ready, with that state and another setting (or NULL). */
static inline void spawn(struct daemon *daemon, const char *state, const char *more)
{
	daemon_spawn(daemon, (const char *const[]){state, "--stream-block=4096", more, NULL}, NULL);
	daemon_await(daemon, "READY=1");
}

/* The same, and a client of it. */
static inline void spawn_with(struct daemon *daemon, const char *state, struct client *ret_client)
{
	spawn(daemon, state, NULL);
	client_open(ret_client, daemon->socket);
}

/* Ends them as a service manager would; the state stays. */
static inline void end_with(struct daemon *daemon, struct client *client)
{
	client_close(client);
	kill(daemon->pid, SIGTERM);
	assert_int_equal(daemon_wait(daemon), 0);
}

static inline struct value named(struct client *client, const char *name)
{
	return client_map(client, "name", value_string(name), NULL);
}

static inline struct value draw_of(struct client *client, const char *name, const char *distribution, uint64_t n)
{
	struct value inner = client_map(client, "op", value_string(distribution), "n", value_uint(n), NULL);

	return client_map(client, "name", value_string(name), "draw", inner, NULL);
}

static inline struct value create_seeded(struct client *client, const char *name, uint64_t seed)
{
	struct value params = client_map(client, "name", value_string(name), "seed", value_uint(seed), NULL);

	return client_result(client, "stream_create", &params);
}

static inline struct value create(struct client *client, const char *name)
{
	return create_seeded(client, name, 9);
}

static inline struct value draw(struct client *client, const char *name, const char *distribution, uint64_t n)
{
	struct value params = draw_of(client, name, distribution, n);

	return client_result(client, "stream_draw", &params);
}

#endif
