/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's steps need and a client can make large: tables of distributions, sets of points, copies of what a
 * prepared call keeps.
 *
 * A program is compiled by the thread on which its request arrived, that of all clients. So what is small is made
 * there at once, and the rest is only noted, for the request's job to make piece by piece before anything runs. */
#ifndef TRNSCI_ENGINE_DEFERRED_BUILD_H
#define TRNSCI_ENGINE_DEFERRED_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct program;

/* Belongs to the bump allocator of its program, in which its owner sees that what it holds is let go of. */
struct deferred_build {
	/* 1: there is more; 0: made. Or a negative error, which it tells. Of at most about 250 us. */
	int (*piece)(struct deferred_build *build, struct error *err);
	/* What its request has wrong, in some nanoseconds each of its `checks`; NULL: nothing any more. */
	int (*check)(struct deferred_build *build, struct error *err);
	uint64_t checks;
	struct deferred_build *next;
};

/* Whether what takes so long is to be made at once: all of a program that is takes 0.1 ms. */
bool deferred_build_is_small(struct program *program, uint64_t cost_ns);

/* Notes it, behind the others. */
void deferred_build_add(struct program *program, struct deferred_build *build);

/* A piece of the first that is not made. 1: there may be more to make; 0: there was none; or its error. */
int deferred_build_advance(struct program *program, struct error *err);

enum { DEFERRED_CHECKS_MAX = 1 << 17 }; /* at once: some 0.2 ms */

/* All checks at once, where an error must come before something is had that cannot be given back. -ERROR_LIMIT when
 * there would be more than DEFERRED_CHECKS_MAX. context begins its text. */
int deferred_build_check(struct program *program, const char *context, struct error *err);

#endif
