/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients of a daemon in one thread, over the bare wire: the counterpart of redis-benchmark. */
#ifndef TESTS_BENCH_SERVICE_LOAD_H
#define TESTS_BENCH_SERVICE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Draws of 512 uniforms (law "uniform") or normals, in the reply or into a tile of each client: so many in all,
 * clients at once, requests in flight each. Seconds taken; negative when it failed. */
double load_draws(const char *socket, const char *law, bool tiles, long requests, int clients, int pipeline);

/* The same clients of a Redis that has a value of size bytes for the key "size": GETs of it. */
double load_gets(const char *socket, size_t size, long requests, int clients, int pipeline);

/* Opens so many connections, each of which has had an answer; they stay until the process ends. 0 or -1. */
int load_idle(const char *socket, int clients);

#endif
