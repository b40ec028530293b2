/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of ours, in a program that may have plans of its own for signals. */
#ifndef TRNSCI_BASE_THREAD_H
#define TRNSCI_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a thread that no signal is delivered to; its name is cut to 15 characters. -ERROR_SYSTEM when it cannot be had.
 * Any thread. */
int thread_start(const char *name, void *(*run)(void *arg), void *arg, pthread_t *ret_thread);

/* Asks for the CPU in slices of so long (0.1 to 100 ms) where other threads want the same CPU: its share of it stays, but
 * it begins sooner and lets go sooner. Whether the system does so: Linux from 6.12 on, for a thread of the ordinary
 * policy. There sched_yield() gives up what is left of a slice, and so costs little after a short one. */
bool thread_set_slice(uint64_t ns);

#endif
