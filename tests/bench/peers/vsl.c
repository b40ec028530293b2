/* SPDX-License-Identifier: Apache-2.0 */
/* The generators of MKL (VSL), one thread: method= out=f64:N|i64:N brng= p.NAME= as for `user`; normals
 * by=boxmuller|icdf. Its integers have 32 bits. */
#include <mkl_vsl.h>
#include <stdlib.h>

#include "bench/worker.h"

static VSLStreamStatePtr stream;
static void *out;
static int n;
static int (*run)(void);

static int run_boxmuller(void)
{
	return vdRngGaussian(VSL_RNG_METHOD_GAUSSIAN_BOXMULLER2, stream, n, out, 0, 1);
}

static int run_icdf(void)
{
	return vdRngGaussian(VSL_RNG_METHOD_GAUSSIAN_ICDF, stream, n, out, 0, 1);
}

static int run_exponential(void)
{
	return vdRngExponential(VSL_RNG_METHOD_EXPONENTIAL_ICDF, stream, n, out, 0, 1);
}

static int run_weibull(void)
{
	return vdRngWeibull(VSL_RNG_METHOD_WEIBULL_ICDF, stream, n, out, case_number("p.shape", 1), 0, 1);
}

static int run_cauchy(void)
{
	return vdRngCauchy(VSL_RNG_METHOD_CAUCHY_ICDF, stream, n, out, 0, 1);
}

static int run_beta(void)
{
	return vdRngBeta(VSL_RNG_METHOD_BETA_CJA, stream, n, out, case_number("p.alpha", 1), case_number("p.beta", 1),
			 0, 1);
}

static int run_geometric(void)
{
	return viRngGeometric(VSL_RNG_METHOD_GEOMETRIC_ICDF, stream, n, out, case_number("p.p", 0.5));
}

static int run_hypergeometric(void)
{
	const int good = (int)case_number("p.ngood", 1), bad = (int)case_number("p.nbad", 1);

	return viRngHypergeometric(VSL_RNG_METHOD_HYPERGEOMETRIC_H2PE, stream, n, out, good + bad,
				   (int)case_number("p.nsample", 1), good);
}

static const struct {
	const char *method;
	int (*run)(void);
} methods[] = {
	{"normal", run_boxmuller},
	{"exponential", run_exponential},
	{"weibull", run_weibull},
	{"cauchy", run_cauchy},
	{"beta", run_beta},
	{"geometric", run_geometric},
	{"hypergeometric", run_hypergeometric},
};

void work_open(void)
{
	struct case_array array;

	if (!case_has_array("out", &array))
		work_fail("the case has no output");
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		run = case_is("method", methods[i].method) ? methods[i].run : run;
	if (case_is("by", "icdf"))
		run = run_icdf;
	n = (int)array.count;
	out = work_memory(array.count * sizeof(double));
	if (!run || vslNewStream(&stream,
				 case_is("brng", "mcg59")    ? VSL_BRNG_MCG59
				 : case_is("brng", "philox") ? VSL_BRNG_PHILOX4X32X10
							     : VSL_BRNG_SFMT19937,
				 1) != VSL_STATUS_OK)
		work_fail("a stream of VSL");
}

void work_run(void)
{
	if (run() != VSL_STATUS_OK)
		work_fail("VSL");
}

void work_close(void)
{
	vslDeleteStream(&stream);
	free(out);
}
