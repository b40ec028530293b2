/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment that the contract asks for: round to nearest, denormals kept, exceptions masked.
 *
 * Entered at the start of every thread and of every call that computes in a caller's thread, and left again, so that
 * a program that runs with FTZ, DAZ or another rounding mode gets the same bytes and keeps its own settings. */
#ifndef TRNSCI_BASE_FPENV_H
#define TRNSCI_BASE_FPENV_H

#include <stdint.h>

struct fpenv_saved {
	uint64_t control;
};

struct fpenv_saved fpenv_enter(void);
void fpenv_leave(struct fpenv_saved saved);

#endif
