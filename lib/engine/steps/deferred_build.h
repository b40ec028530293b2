/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred builds: tables of distributions, sets of points and copies of inputs, which a client can make large.
 *
 * A request is compiled by the thread that received it, and other clients wait for that thread. So only what is small
 * is built while it compiles; the request's job builds the rest piece by piece before its first step runs. */
#ifndef TRNSCI_ENGINE_DEFERRED_BUILD_H
#define TRNSCI_ENGINE_DEFERRED_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* One of them. It is allocated in the bump allocator of its run; its owner frees what it holds with bump_defer. */
struct deferred_build {
	/* Builds one piece, at most CHUNK_MOST_NS. Returns 1 while pieces are left, 0 at the end, or an error with *err.
	 */
	int (*piece)(struct deferred_build *build, struct error *err);
	/* Checks the client's values, which takes some nanoseconds for each of `checks`. NULL: nothing is left to
	 * check. */
	int (*check)(struct deferred_build *build, struct error *err);
	uint64_t checks;
	struct deferred_build *next;
};

/* Those of a run, in order. All zero: none. */
struct deferred_builds {
	struct deferred_build *first, *last;
	uint32_t built_ns;   /* estimated time of what was built while compiling */
	uint64_t held_bytes; /* of everything built, beside the bump allocator */
	uint64_t work_bytes; /* the most that a build holds only while it runs */
};

/* Returns whether a build of that cost may run while compiling, and then charges it: all together take at most 0.1 ms.
 */
bool deferred_build_is_small(struct deferred_builds *builds, uint64_t cost_ns);

/* Appends a build. */
void deferred_build_add(struct deferred_builds *builds, struct deferred_build *build);

/* Builds one piece of the first one. Returns 1 while there may be more, 0 when there is none, or its error. */
int deferred_build_advance(struct deferred_builds *builds, struct error *err);

enum { DEFERRED_CHECKS_MAX = 1 << 17 }; /* about 0.2 ms */

/* Runs all checks now, before something is taken that cannot be given back. Returns -ERROR_LIMIT if they are more than
 * DEFERRED_CHECKS_MAX. context begins an error's text. */
int deferred_build_check(const struct deferred_builds *builds, const char *context, struct error *err);

#endif
