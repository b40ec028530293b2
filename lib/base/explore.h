/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two ways to do the same work is faster, learned from the times that each takes.
 *
 * The faster way is used, and the other one tried again now and then. A series of tries ends as soon as it has taken as
 * long as it may to be the better one, and a way that was not better is tried again after twice as many times: so tries
 * cost less than a hundredth. One thread at a time. */
#ifndef TRNSCI_BASE_EXPLORE_H
#define TRNSCI_BASE_EXPLORE_H

#include <stdint.h>

struct explore {
	unsigned way;         /* 0 or 1: the faster one, as far as it is known */
	unsigned learned;     /* times from which mean_ns was learned, up to where more do not count */
	unsigned until_tries; /* times that it is used before the next series of tries */
	unsigned pause;       /* the same, between two series */
	unsigned tries_left;  /* of this series; 0: there is none */
	uint64_t mean_ns;     /* what the faster way takes */
	uint64_t tried_ns;    /* what the tries of this series took, together */
};

/* Begins with one way, and tries the other one after so many times. */
void explore_init(struct explore *ways, unsigned way, unsigned until_tries);

/* Returns the way to take now. */
unsigned explore_next(const struct explore *ways);

/* Learns what a way took. Of several at once, some may have taken the other way than is tried now. */
void explore_learn(struct explore *ways, unsigned way, uint64_t took_ns);

#endif
