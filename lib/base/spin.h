/* SPDX-License-Identifier: Apache-2.0 */
/* A moment between two looks at memory. */
#ifndef TRNSCI_BASE_SPIN_H
#define TRNSCI_BASE_SPIN_H

/* Lets the other thread of this core run for some cycles. */
static inline void spin_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
