/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of problems share: random_body.h in both precisions. */
#ifndef TRNSCI_TESTS_FFTW_BOTH_H
#define TRNSCI_TESTS_FFTW_BOTH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"
#include "fftw3.h"

enum { RANDOM_AXES = 8 };
enum random_call { CALL_DFT, CALL_R2C, CALL_C2R, CALL_R2R };

static const char *const random_names[] = {"dft", "r2c", "c2r", "r2r"};

#define P(name) fftw_##name
#define REAL double
#define BOUND 1e-14L
#include "random_body.h"
#undef P
#undef REAL
#undef BOUND
#define P(name) fftwf_##name
#define REAL float
#define BOUND 1e-6L
#include "random_body.h"
#undef P
#undef REAL
#undef BOUND

static inline bool is_full(void)
{
	const char *full = getenv("TRNSCI_FULL");

	return full && *full && strcmp(full, "0") != 0;
}

#endif
