/* SPDX-License-Identifier: Apache-2.0 */
/* How long to look for news before sleeping: waking a sleeping thread on another CPU takes some 20 us each way on a
 * virtual machine, looking once more a tenth of one.
 *
 * A wait that ended within the bound was worth spinning for, so the next one spins as long as the bound; each that took
 * longer halves the window, down to nothing. So lively traffic never sleeps, a lull costs at most twice the bound of
 * CPU time, and an idle thread none. Where other threads want this CPU it sleeps as well: who spins yields to them, for a
 * turn of milliseconds, while who is woken gets the CPU at once. */
#ifndef TRNSCI_BASE_SPIN_H
#define TRNSCI_BASE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct spin {
	uint64_t most_ns;   /* the bound; 0: never spins */
	uint64_t window_ns; /* of the next wait */
	uint64_t began_ns;  /* the wait */
	unsigned looks;     /* in it */
	unsigned crowded;   /* waits that sleep after the next yield that is long */
	unsigned asleep;    /* of them still to come */
};

void spin_init(struct spin *spin, uint64_t most_ns);

/* A wait begins. */
void spin_begin(struct spin *spin);
/* Whether to look once more rather than sleep; lets other threads of this CPU run meanwhile. */
bool spin_again(struct spin *spin);
/* The wait is over, after spinning or sleep. */
void spin_end(struct spin *spin);

#endif
