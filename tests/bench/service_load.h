/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients of a daemon in one thread, over the bare wire: the counterpart of redis-benchmark. */
#ifndef TESTS_BENCH_SERVICE_LOAD_H
#define TESTS_BENCH_SERVICE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Draws of 512 samples. */
struct load_draw {
	const char *method; /* "uniform", "normal" */
	bool tiles;         /* into a tile of each client, or in the reply */
	bool prepared;      /* as runs of a prepared call of each client */
};

/* So many of them in all, by so many clients at once, each with so many in flight. Seconds taken; negative when it
 * failed. */
double load_draws(const char *socket, const struct load_draw *draw, long requests, int clients, int pipeline);

/* The same clients of a Redis that has a value of size bytes for the key "size": GETs of it. */
double load_gets(const char *socket, size_t size, long requests, int clients, int pipeline);

/* Opens so many connections, each of which has had an answer; they stay until the process ends. 0 or -1. */
int load_idle(const char *socket, int clients);

#endif
