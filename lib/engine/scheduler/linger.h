/* SPDX-License-Identifier: Apache-2.0 */
/* How long a thread that has no more work stays awake for the next.
 *
 * To wake a thread that sleeps takes 20 to 80 us, as long as many a call computes. So a thread whose last waits were
 * short looks for work for a while. It gives its CPU away every few looks: clients are other processes, and the next
 * call comes from them. After a few long waits it sleeps at once, so an idle thread takes no time. A program that
 * computes without end keeps the CPU for a slice of milliseconds when it is given it: pin.h has what follows. */
#ifndef TRNSCI_ENGINE_LINGER_H
#define TRNSCI_ENGINE_LINGER_H

#include <stdbool.h>
#include <stdint.h>

/* Zero: it never lingers. Belongs to one thread. */
struct linger {
	uint64_t most_ns;   /* 0: never */
	uint64_t window_ns; /* how long this wait may linger */
	uint64_t began_ns;
	unsigned looks;     /* of this wait */
};

/* Begins a wait for work, which lingers for at most most_ns. */
void linger_begin(struct linger *linger, uint64_t most_ns, uint64_t at_ns);

/* Returns whether to look for work once more rather than to sleep. Gives the CPU away now and then. *at_ns is now, before
 * and after. */
bool linger_again(struct linger *linger, uint64_t *at_ns);

/* Ends a wait, asleep or awake, in which work came. */
void linger_end(struct linger *linger, uint64_t at_ns);

/* Lets the next wait linger, as work is expected. While the thread sleeps. */
void linger_open(struct linger *linger);

#endif
