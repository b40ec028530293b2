/* SPDX-License-Identifier: Apache-2.0 */
/* What the service is measured beside: Redis over its Unix socket, and a bare echo over one. */
#ifndef TESTS_BENCH_SERVICE_PEERS_H
#define TESTS_BENCH_SERVICE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct redisContext;

struct redis {
	pid_t pid;
	char folder[64], socket[96];
	struct redisContext *context;
};

/* Without persistence, with a key "N" of N bytes for each of the sizes. 0, or -1 and a word on stderr. */
int redis_start(struct redis *redis, const size_t *sizes, size_t count);
void redis_get(struct redis *redis, size_t size);
/* GETs of 2 KiB by redis-benchmark: so many in all, clients at once, requests in flight each. */
int redis_load(const struct redis *redis, long requests, int clients, int pipeline);
void redis_stop(struct redis *redis);

/* A process that answers every request of so many bytes with a reply of so many; spinning: neither side sleeps. */
struct echo {
	pid_t pid;
	int socket;
	bool spinning;
	size_t request, reply;
};

int echo_start(struct echo *echo, bool spinning, size_t request, size_t reply);
void echo_once(struct echo *echo);
void echo_stop(struct echo *echo);

#endif
