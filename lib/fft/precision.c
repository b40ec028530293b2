/* SPDX-License-Identifier: Apache-2.0 */
/* The table of precision modes, and the choice by a target. */
#include "fft/precision.h"

#include <assert.h>

#include "base/error.h"

struct row {
	const char *name;
	enum precision beyond;
	double guaranteed, random;
	bool wide;
};

static const struct row rows[PRECISIONS] = {
#define X(id, name, beyond, guaranteed, random, wide) {name, PRECISION_##beyond, guaranteed, random, wide},
	PRECISION_TABLE(X)
#undef X
};

/* Targets below this are given float64. */
static const double LEAST_NARROW = 1e-7;

const char *precision_name(enum precision precision)
{
	assert(precision < PRECISIONS);
	return rows[precision].name;
}

bool precision_is_wide(enum precision precision)
{
	return rows[precision].wide;
}

bool precision_is_gemm(enum precision precision)
{
	return precision >= PRECISION_BF16;
}

enum precision precision_serving(enum precision precision, uint64_t n)
{
	return n > PRECISION_MAX_GEMM ? rows[precision].beyond : precision;
}

double precision_bound(enum precision precision, uint64_t n)
{
	assert(precision_serving(precision, n) == precision);
	(void)n;
	return rows[precision].guaranteed;
}

double precision_bound_random(enum precision precision)
{
	return rows[precision].random;
}

int precision_for_target(double target, uint64_t n, unsigned transforms, double rounding, enum precision *ret_precision)
{
	for (enum precision p = 0; p < PRECISIONS; p++) {
		const double bound = transforms * rows[p].guaranteed + (rows[p].wide ? 0 : rounding);

		if (precision_serving(p, n) == p && bound <= target && (rows[p].wide || target >= LEAST_NARROW)) {
			*ret_precision = p;
			return 0;
		}
	}
	return -ERROR_OUT_OF_RANGE;
}
