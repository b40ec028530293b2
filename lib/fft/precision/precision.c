/* SPDX-License-Identifier: Apache-2.0 */
/* The table of precision modes, and the choice of one by a target error. */
#include "fft/precision/precision.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "fft/precision/dft_gemm.h"

/* A row of PRECISION_TABLE (precision.h). */
struct mode {
	const char *name;
	enum precision beyond;     /* the mode of longer transforms */
	double guaranteed, random; /* bounds of the relative L2 error */
	bool wide;                 /* float64 in and out */
};

static const struct mode modes[PRECISIONS] = {
#define X(id, name, beyond, guaranteed, random, wide) {name, PRECISION_##beyond, guaranteed, random, wide},
	PRECISION_TABLE(X)
#undef X
};

/* Targets below this get a float64 mode: rounding to float32 alone costs 6e-8. */
static const double LEAST_NARROW = 1e-7;

const char *precision_name(enum precision precision)
{
	assert(precision < PRECISIONS);
	return modes[precision].name;
}

bool precision_is_wide(enum precision precision)
{
	return modes[precision].wide;
}

bool precision_is_gemm(enum precision precision)
{
	return precision >= PRECISION_BF16;
}

enum precision precision_serving(enum precision precision, uint64_t n)
{
	return n > PRECISION_MAX_GEMM ? modes[precision].beyond : precision;
}

int precision_plan_create(enum precision precision, uint64_t n, uint32_t features, struct fft_plan **ret_plan)
{
	static const enum gemm_precision arithmetic[PRECISIONS] = {
		[PRECISION_BF16] = GEMM_BF16,         [PRECISION_BF16_REFINED] = GEMM_BF16,
		[PRECISION_OZAKI] = GEMM_OZAKI,       [PRECISION_OZAKI6] = GEMM_OZAKI6,
		[PRECISION_OZAKI_HQ] = GEMM_OZAKI_HQ, [PRECISION_OZAKI_FP64] = GEMM_OZAKI_FP64,
	};

	if (!precision_is_gemm(precision))
		return fft_plan_create(n, precision == PRECISION_FAST ? FFT_F32 : FFT_F64, features, ret_plan);
	return fft_plan_create_gemm(n, arithmetic[precision], precision == PRECISION_BF16_REFINED, features, ret_plan);
}

double precision_bound(enum precision precision, uint64_t n)
{
	assert(precision_serving(precision, n) == precision);
	return modes[precision].guaranteed;
}

double precision_bound_random(enum precision precision)
{
	return modes[precision].random;
}

/* Each transform's error passes through those behind it: (1 + one)^transforms (1 + rounding) - 1. Where bounds are not
 * proved, their products are left out. */
double precision_bound_in_row(enum precision precision, unsigned transforms, double rounding)
{
	const double one = modes[precision].guaranteed;

	if (!precision_is_gemm(precision) || (transforms == 1 && rounding == 0))
		return transforms * one + rounding;
	return expm1(transforms * log1p(one) + log1p(rounding));
}

/* Rows are in the order of cost, so the first that meets the target is the cheapest. */
int precision_for_target(double target, uint64_t n, unsigned transforms, double rounding, enum precision *ret_precision)
{
	for (enum precision p = 0; p < PRECISIONS; p++) {
		const double sum = precision_bound_in_row(p, transforms, modes[p].wide ? 0 : rounding);

		if (precision_serving(p, n) == p && sum <= target && (modes[p].wide || target >= LEAST_NARROW)) {
			*ret_precision = p;
			return 0;
		}
	}
	return -ERROR_OUT_OF_RANGE;
}
