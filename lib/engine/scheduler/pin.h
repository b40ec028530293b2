/* SPDX-License-Identifier: Apache-2.0 */
/* A thread on a CPU of its own, as long as nobody else wants that CPU.
 *
 * Threads that are woken at once may otherwise be put on one CPU. But a pinned thread that another program keeps from
 * its CPU waits for whole turns of the scheduler, milliseconds, while other CPUs may be idle. So a thread that lost its
 * CPU is free to run anywhere for a while, leaves short work to others, and sleeps as soon as it has none; for longer, the
 * sooner it happens again. Two things show that it lost its CPU: a chunk, or a look for work, that took longer than any
 * chunk computes; and a CPU that it gave away and got back late.
 *
 * Measured on two CPUs: beside a program that computes without end, 16 MiB of uniforms by a daemon take 1.6 times as long without
 * the first sign, and 1.7 times without the second. Without any pinning the slowest of a hundred sets of transforms takes twice
 * to six times as long. */
#ifndef TRNSCI_ENGINE_PIN_H
#define TRNSCI_ENGINE_PIN_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All 0: never pinned; losses are noted all the same. Belongs to the thread that runs the chunks. */
struct pin {
	const cpu_set_t *cpus; /* of the process; NULL: never pinned */
	pthread_t thread;
	unsigned index;      /* its CPU among them */
	atomic_bool is_free; /* other threads read these two */
	_Atomic uint64_t until_ns; /* when it is pinned again */
	uint64_t rest_ns;    /* how long it was free last */
};

/* Pins the thread to the index-th of cpus, which outlive it. Call it before the thread runs chunks. */
void pin_begin(struct pin *pin, pthread_t thread, const cpu_set_t *cpus, unsigned index);

/* Notes that a chunk, or a look for work, took so long until at_ns, and lets the thread go, or pins it again. */
void pin_note_time(struct pin *pin, uint64_t took_ns, uint64_t at_ns);

/* The same of a look that gave the CPU away. */
void pin_note_yield(struct pin *pin, uint64_t took_ns, uint64_t at_ns);

/* Returns whether the thread lost its CPU, and not long ago. Any thread. */
bool pin_has_lost(const struct pin *pin, uint64_t at_ns);

#endif
