/* SPDX-License-Identifier: Apache-2.0 */
/* Giving the CPU away to threads that will give it back within microseconds.
 *
 * Threads that wait for one another, more of them than there are CPUs, get on fastest when each yields instead of sleeping:
 * a switch takes a microsecond, waking a thread on another CPU three to twenty. A program that computes does not give the CPU
 * back before its time slice ends (1.4 ms or more). Beside such a program sleeping is faster, since a woken thread gets the CPU
 * at once: so after long yields there are none for a while. A crowd's yields are long now and then, which spin.h's rule would
 * take for such a program.
 *
 * Measured on two CPUs: without yields a run of 8 clients takes twice the daemon's time; without the rest after long ones, 2 and
 * 8 clients beside a program that computes get through a twelfth of what they do. */
#ifndef TRNSCI_BASE_CPU_SHARE_H
#define TRNSCI_BASE_CPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* Begin with zeros. One thread's at a time. */
struct cpu_share {
	uint64_t rest_ns;     /* without yields after the last long one; 0: there was none */
	uint64_t rest_end_ns; /* 0: it is over */
	unsigned good;        /* short yields since */
};

/* Returns whether a wait may yield. Call it once for each wait. */
bool cpu_share_begin(struct cpu_share *share);

/* Yields the CPU. Returns false if that took long, as it did not long ago: then waits do not yield for a while, twice as long as the
 * last time, at most 64 ms. With 8 ms, 2 clients beside a program that computes get through 0.63 to 0.76 as much. */
bool cpu_share_yield(struct cpu_share *share);

#endif
