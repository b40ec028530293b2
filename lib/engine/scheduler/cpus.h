/* SPDX-License-Identifier: Apache-2.0 */
/* What the system lets this process use. The only file of the libraries that asks the system for anything. */
#ifndef TRNSCI_ENGINE_CPUS_H
#define TRNSCI_ENGINE_CPUS_H

#include <pthread.h>

/* CPUs by affinity, lowered to the cgroup's quota (cgroup v2 cpu.max, of this group and those above), 1..128. */
unsigned cpus_usable(void);

/* Keeps a thread, one of so many, on a CPU of its own, where this process may use just so many; else, or where the
 * system refuses, leaves it free. */
void cpus_pin(pthread_t thread, unsigned index, unsigned threads);

#endif
