/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment of all arithmetic: round to nearest, denormals kept, exceptions masked.
 *
 * Every thread enters it at its start, and so does every call that computes in its caller's thread. A program that runs
 * with FTZ, DAZ or another rounding mode therefore gets the same bytes, and keeps its own settings. */
#ifndef TRNSCI_BASE_FPENV_H
#define TRNSCI_BASE_FPENV_H

#include <stdbool.h>
#include <stdint.h>

struct fpenv_saved {
	uint64_t control;
};

/* Sets this thread's environment; returns the one before. */
struct fpenv_saved fpenv_enter(void);

/* Returns whether this thread's environment is that one already, but for the flags of exceptions: a short transform takes no longer
 * than entering and leaving. */
bool fpenv_is_entered(void);

/* Restores an environment that fpenv_enter returned. */
void fpenv_leave(struct fpenv_saved saved);

#endif
