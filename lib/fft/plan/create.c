/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a plan's kind by its length. */
#include "fft/plan/create.h"

#include "base/error.h"
#include "fft/plan/bluestein.h"
#include "fft/plan/factor.h"
#include "fft/plan/smooth.h"

int fft_plan_create_inner(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	return factor_is_smooth(n) ? fft_plan_create_smooth(n, precision, features, ret_plan)
				   : fft_plan_create_bluestein(n, precision, features, ret_plan);
}

int fft_plan_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	if (n == 0 || n > FFT_MAX_LENGTH)
		return -ERROR_OUT_OF_RANGE;
	return fft_plan_create_inner(n, precision, features, ret_plan);
}
