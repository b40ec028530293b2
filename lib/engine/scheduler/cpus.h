/* SPDX-License-Identifier: Apache-2.0 */
/* What the system lets this process use. The only file of the libraries that asks the system for anything. */
#ifndef TRNSCI_ENGINE_CPUS_H
#define TRNSCI_ENGINE_CPUS_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUs by affinity, lowered to the cgroup's quota (cgroup v2 cpu.max, of this group and those above), 1..128. */
unsigned cpus_usable(void);

/* Returns whether the calling thread may use just so many CPUs, and which they are. */
bool cpus_list(unsigned count, cpu_set_t *ret_cpus);
/* Keeps a thread on the index-th CPU of the set, or lets it run on all of them. Where the system refuses, nothing
 * changes. */
void cpus_pin(pthread_t thread, const cpu_set_t *cpus, unsigned index);
void cpus_unpin(pthread_t thread, const cpu_set_t *cpus);

/* Returns the bytes of the cache that a core has for itself; 1 MiB where the system does not say. */
size_t cpus_cache_bytes(void);

/* Returns the least memory limit of this process's control groups, of either version; UINT64_MAX: none. */
uint64_t cpus_memory_limit(void);

/* Returns whether what leaves that cache is soon back from the next one, which takes it in: AMD's, shared by few cores. */
bool cpus_have_victim_l3(void);

#endif
