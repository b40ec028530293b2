/* SPDX-License-Identifier: Apache-2.0 */
/* Hints that memory will be used soon. They never fault, and change nothing but time. */
#ifndef TRNSCI_BASE_PREFETCH_H
#define TRNSCI_BASE_PREFETCH_H

static inline void prefetch_to_read(const void *at)
{
	__builtin_prefetch(at);
}

/* Takes the cache line from the CPU that wrote or read it last. Compilers make a hint to read of __builtin_prefetch where the
 * least x86-64 CPU is meant, which lacks the instruction and takes it for none. */
static inline void prefetch_to_write(void *at)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
	__builtin_prefetch(at, 1);
#endif
}

#endif
