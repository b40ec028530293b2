/* SPDX-License-Identifier: Apache-2.0 */
/* The planners and stages of distributions, for their rows (dist_rows.h); included by dist_row.c.
 *
 * Constants are computed once for a draw, in float64, by functions of our own (special.h): a libm's last bits would
 * differ from host to host, and the samples with them. A plan comes with the kernel and the inputs of its row, and x scale + shift
 * of 1 and 0. */
#include <math.h>

#include "distributions/rows/dist_kernel.h"
#include "distributions/rows/dist_plan.h"
#include "distributions/tables/discrete_table.h"
#include "distributions/tables/gamma_table.h"
#include "math/special.h"

#define TWO_PI 6.2831853071795864769

/* fmin and fmax of numbers: libm's may not be used for random numbers. */
static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

/* Parameters are float64 whatever the dtype of the samples. */
static double real_parameter(const struct draw *draw, unsigned parameter)
{
	return draw->parameters[parameter].real;
}

/* A sample x becomes x scale + shift. */
static void set_linear(struct draw_plan *plan, double scale, double shift)
{
	plan->constants.scale = scale;
	plan->constants.shift = shift;
}

static void plan_location_scale(const struct draw *draw, struct draw_plan *plan)
{
	set_linear(plan, real_parameter(draw, 1), real_parameter(draw, 0));
}

/* Plans 16-bit uniforms; wider ones are made by draw_direct. The result is rounded to the dtype, so it could become
 * high: `most`, the greatest value below it, holds it back. */
static void plan_uniform(const struct draw *draw, struct draw_plan *plan)
{
	const double low = real_parameter(draw, 0), high = real_parameter(draw, 1);
	const bool bf16 = draw->dtype == DTYPE_BF16;
	/* Find the greatest value of the dtype below high: on high's own grid, one step down where high lies on it. */
	int exponent = bf16 ? -126 : -14;
	const int digits = bf16 ? 8 : 11;

	while (ldexp(1, exponent + 1) <= fabs(high))
		exponent++;
	double step = ldexp(1, exponent - digits + 1), most = floor(high / step) * step;

	/* Below a power of two the grid is twice as fine. */
	if (most >= high)
		most -= high == ldexp(1, exponent) && exponent > (bf16 ? -126 : -14) ? step / 2 : step;
	set_linear(plan, high - low, low);
	plan->constants.uniform16.most = most;
}

/* The radius of boxmuller64 needs 64 bits: one word of float64, two of narrower samples. */
static const char *radius_words(const struct draw *draw)
{
	return draw->dtype == DTYPE_F64 ? "w" : "ww";
}

/* 16-bit samples are rounded from float32 normals inside the kernel, so that no second pass reads them. */
static void plan_normal(const struct draw *draw, struct draw_plan *plan)
{
	const bool half = dtype_size(draw->dtype) < sizeof(float);

	plan_location_scale(draw, plan);
	if (half && draw->parameters[2].natural == NORMAL_BOXMULLER)
		return;
	plan->kernel = half ? plan->kernels->normal64[draw->dtype] : plan->kernels->radius64[draw->dtype];
	plan->reads = radius_words(draw);
	plan->affine = !half;
}

static void plan_normal_samples(const struct draw *draw, struct draw_plan *plan)
{
	if (draw->parameters[2].natural != NORMAL_BOXMULLER64)
		return;
	plan->kernel = plan->kernels->normal64_per_sample[draw->dtype];
	plan->reads = radius_words(draw);
}

/* Kernels of exponentials and float32 ones of laplace numbers leave x scale + shift to the caller: most draws need none, and floats
 * are scaled as whole vectors of floats. */
static void plan_exponential(const struct draw *draw, struct draw_plan *plan)
{
	set_linear(plan, 1 / real_parameter(draw, 0), 0);
	plan->affine = true;
}

static void plan_laplace(const struct draw *draw, struct draw_plan *plan)
{
	plan_location_scale(draw, plan);
	plan->affine = draw->dtype == DTYPE_F32;
}

/* A power of 10^300 makes 0 or infinity of every exponential that is not 1, whose logarithm is at least 2^-53. */
static void plan_weibull(const struct draw *draw, struct draw_plan *plan)
{
	plan->constants.weibull.power = lesser(1 / real_parameter(draw, 0), 1e300);
	plan->constants.weibull.scale = real_parameter(draw, 1);
}

/* Bailey's polar method without rejection needs two uniforms. */
static void plan_student_t(const struct draw *draw, struct draw_plan *plan)
{
	plan->constants.degrees = real_parameter(draw, 0);
}

/* Returns ln(Q(a) / Q(b)), Q being the normal distribution's upper tail, for 30 <= a < b; infinite for b infinite. */
static double tails_log_ratio(double a, double b)
{
	const double aa = 1 / (a * a), bb = 1 / (b * b);
	const double mills = aa * (-1 + aa * (2.5 - aa * 37 / 3)) - bb * (-1 + bb * (2.5 - bb * 37 / 3));

	return b > 1e300 ? INFINITY : (b - a) * (0.5 * a + 0.5 * b) + special_log1p((b - a) / a) + mills;
}

/* By inversion between the two tails' probabilities. An interval above the mean is mirrored below it, where the
 * distribution function keeps its relative accuracy. Beyond 30 standard deviations, where it underflows, the
 * logarithm of the tails' ratio is used; an interval so narrow that the density hardly changes is drawn uniformly and
 * thinned. The kernels are those of the three ways, in this order. */
static void plan_interval(const struct draw *draw, dist_function *const kernels[3], struct draw_plan *plan)
{
	double low = real_parameter(draw, 2), high = real_parameter(draw, 3);
	const bool mirrored = low > 0;
	struct truncated_constants *const t = &plan->constants.truncated;

	plan->kernel = kernels[0];
	if (mirrored) {
		const double other = -low;

		low = -high;
		high = other;
	}
	t->sign = mirrored ? -1 : 1;
	t->low = low;
	t->high = high;
	if (high <= -30) {
		/* Measure from the bound that lies nearest to the mean. */
		const double ratio = tails_log_ratio(-high, -low);

		plan->kernel = kernels[1];
		t->sign = -t->sign;
		t->low = -high;
		t->high = -low;
		t->ratio = ratio < INFINITY ? special_exp(-ratio) : 0;
		t->width = ratio < INFINITY ? -special_expm1(-ratio) : 1;
		return;
	}
	if ((1 + greater(fabs(low), fabs(high))) * (high - low) < 0x1p-10) {
		const double unit = greater(fabs(low), fabs(high)) < 0x1p-700 ? 0x1p500 : 1;

		/* Denormals are taken in another unit: std may be large. */
		plan->kernel = kernels[2];
		t->low = low * unit;
		t->high = high * unit;
		t->width = (high - low) * unit;
		plan->constants.scale /= unit;
		return;
	}
	t->below = low < -37 ? 0 : special_normal(low);
	t->above = high > 37 ? 0 : special_normal(-high);
	t->width = high > 0 ? 1 - t->below - t->above : special_normal(high) - t->below;
}

static void plan_truncated(const struct draw *draw, struct draw_plan *plan)
{
	const enum dtype dtype = draw->dtype;
	const struct dist_kernel *const k = plan->kernels;
	dist_function *const ways[] = {k->truncated[dtype], k->truncated_far[dtype], k->truncated_narrow[dtype]};

	plan_location_scale(draw, plan);
	plan_interval(draw, ways, plan);
}

/* The bounds are numbers, and so are the constants that come of them. */
static void plan_truncated_samples(const struct draw *draw, struct draw_plan *plan)
{
	const enum dtype dtype = draw->dtype;
	const struct dist_kernel *const k = plan->kernels;
	dist_function *const ways[] = {k->truncated_per_sample[dtype], k->truncated_far_per_sample[dtype],
				       k->truncated_narrow_per_sample[dtype]};

	plan_interval(draw, ways, plan);
}

/* Marsaglia and Tsang, ACM TOMS 26 (2000) 363: a normal and a uniform for each attempt. A shape below 1 draws with
 * shape + 1 and multiplies by a uniform to the power 1 / shape (their section 6), which takes one word more. */
static void plan_one_gamma(const struct draw *draw, double shape, double scale, struct draw_plan *plan)
{
	plan->constants.scale = scale;
	plan->constants.gamma[0] = gamma_constants_of(shape);
	if (shape < 1) {
		plan->kernel = plan->kernels->gamma_boosted[draw->dtype];
		plan->reads = "nww";
	}
}

static void plan_gamma(const struct draw *draw, struct draw_plan *plan)
{
	plan_one_gamma(draw, real_parameter(draw, 0), real_parameter(draw, 1), plan);
}

static void plan_chi_squared(const struct draw *draw, struct draw_plan *plan)
{
	plan_one_gamma(draw, real_parameter(draw, 0) / 2, 2, plan);
}

/* Two gammas, x / (x + y); both are boosted if either is, so that the words of an attempt have one layout. */
static void plan_beta(const struct draw *draw, struct draw_plan *plan)
{
	const double a = real_parameter(draw, 0), b = real_parameter(draw, 1);

	plan->constants.gamma[0] = gamma_constants_of(a);
	plan->constants.gamma[1] = gamma_constants_of(b);
	if (a < 1 || b < 1) {
		plan->kernel = plan->kernels->beta_boosted[draw->dtype];
		plan->reads = "nwwnww";
	}
}

/* One gamma for each component, as a logarithm: of small shapes the gamma itself would underflow. */
static void plan_dirichlet(const struct draw *draw, struct draw_plan *plan)
{
	const struct gamma_table *table = draw->table;

	plan->components = table->components;
	plan->n_components = table->n;
}

static void plan_table(const struct draw *draw, struct draw_plan *plan)
{
	plan->constants.table = draw->table;
}

static void plan_discrete(const struct draw *draw, struct draw_plan *plan)
{
	plan->kernel = plan->kernels->discrete[draw->dtype];
	plan->reads = "w";
	plan->constants.table = draw->table;
}

/* Means that a table serves have one; larger ones are drawn by Hoermann's PTRS, Insurance: Mathematics and Economics
 * 12 (1993) 39, whose constants these are. */
static void plan_poisson(const struct draw *draw, struct draw_plan *plan)
{
	const double mean = real_parameter(draw, 0), b = 0.931 + 2.53 * sqrt(mean);

	if (draw->table) {
		plan_discrete(draw, plan);
		return;
	}
	plan->constants.counts.a = -0.059 + 0.02483 * b;
	plan->constants.counts.b = b;
	plan->constants.counts.centre = mean + 0.43;
	plan->constants.counts.quick = 0.9277 - 3.6224 / (b - 2);
	plan->constants.counts.accept = (1.1239 + 1.1328 / (b - 3.4)) * sqrt(TWO_PI);
	plan->constants.counts.mean = mean;
	plan->constants.counts.trials = 0x1p62;
}

static struct discrete poisson_values(const union dist_value parameters[])
{
	return discrete_poisson(parameters[0].real);
}

/* The same by Hoermann's BTRS, Journal of Statistical Computation and Simulation 46 (1993) 101, for the rarer
 * outcome. */
static void plan_binomial(const struct draw *draw, struct draw_plan *plan)
{
	const double n = (double)draw->parameters[0].natural, given = real_parameter(draw, 1),
		     p = lesser(given, 1 - given);
	const double q = 1 - p, spread = sqrt(n * p * q), b = 1.15 + 2.53 * spread;
	const double mode = floor((n + 1) * p), rest = n - mode;

	if (draw->table) {
		plan_discrete(draw, plan);
		return;
	}
	/* The kernel counts the rarer outcome; the other count is n less that. */
	plan->constants.scale = given > 0.5 ? -1 : 1;
	plan->constants.shift = given > 0.5 ? n : 0;
	plan->constants.counts.a = -0.0873 + 0.0248 * b + 0.01 * p;
	plan->constants.counts.b = b;
	plan->constants.counts.centre = n * p + 0.5;
	plan->constants.counts.quick = 0.92 - 4.2 / b;
	plan->constants.counts.accept = (2.83 + 5.1 / b) * spread / sqrt(mode) / sqrt(rest);
	plan->constants.counts.mean = n * p;
	plan->constants.counts.rest_mean = n * q;
	plan->constants.counts.trials = n;
	plan->constants.counts.log_top = special_stirling(mode) + special_stirling(rest) +
					 special_deviance(mode, n * p) + special_deviance(rest, n * q);
}

static struct discrete binomial_values(const union dist_value parameters[])
{
	return discrete_binomial((double)parameters[0].natural, parameters[1].real);
}

/* Numbers that have no table are read for each sample, too. */
static void plan_hypergeometric(const struct draw *draw, struct draw_plan *plan)
{
	plan->constants.table = draw->table;
	plan->constants.hypergeometric.good = (double)draw->parameters[0].natural;
	plan->constants.hypergeometric.bad = (double)draw->parameters[1].natural;
	plan->constants.hypergeometric.sample = (double)draw->parameters[2].natural;
	if (!draw->table) {
		plan->kernel = plan->kernels->hypergeometric_per_sample[draw->dtype];
		plan->per_sample = true;
	}
}

/* By inversion: floor of an exponential of this mean. p = 1 always gives 1. */
static void plan_geometric(const struct draw *draw, struct draw_plan *plan)
{
	const double p = real_parameter(draw, 0);

	plan->constants.mean_trials = p < 1 ? -1 / special_log1p(-p) : 0;
}

/* p in binary, 32 digits a word: a sample compares its words with them until they differ, so p counts to its last bit
 * although a sample almost always reads one word. */
static void plan_bernoulli(const struct draw *draw, struct draw_plan *plan)
{
	double rest = real_parameter(draw, 0);

	plan->constants.bernoulli.certain = rest >= 1;
	for (unsigned i = 0; i < DIST_DIGITS && rest < 1; i++) {
		const double whole = floor(rest * 0x1p32);

		plan->constants.bernoulli.digits[i] = (uint32_t)whole;
		rest = rest * 0x1p32 - whole;
	}
}

/* Lemire, ACM TOMACS 29 (2019) 3: multiply and reject below 2^w mod range. A range of 0 stands for 2^64. */
static void plan_randint(const struct draw *draw, struct draw_plan *plan)
{
	const int64_t low = draw->parameters[0].integer, high = draw->parameters[1].integer;
	const uint64_t range = (uint64_t)high - (uint64_t)low;
	const bool narrow = draw->dtype == DTYPE_I32 || draw->dtype == DTYPE_U32;

	plan->constants.randint.low = low;
	plan->constants.randint.range = range;
	plan->constants.randint.reject_below = narrow ? (1ull << 32) % range : range ? -range % range : 0;
}

/* ---- stages ---- */

/* The gamma numbers that are the means of negative_binomial's Poisson numbers. */
static bool success_gammas(const struct stage_args *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const double p = s->own[1][i];

		s->ret[0][i] = s->own[0][i];
		s->ret[1][i] = (1 - p) / p;
	}
	return true;
}

/* Beyond the end lies a mean with probability below 2^-66 (least_success). */
static bool success_means(const struct stage_args *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->ret[0][i] = s->made[i] < NEGATIVE_BINOMIAL_END ? s->made[i] : NEGATIVE_BINOMIAL_END;
	return true;
}

/* Above one degree of freedom a normal carries the noncentrality, and no Poisson number is needed. */
static bool noncentral_means_below(const struct stage_args *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		s->ret[0][i] = s->own[0][i] > 1 ? 0 : s->own[1][i] / 2;
		s->made[i] = 0;
		any = any || s->own[0][i] <= 1;
	}
	return any;
}

static bool noncentral_parameters(const struct stage_args *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const double df = s->own[0][i];

		s->ret[0][i] = df > 1 ? (df - 1) / 2 : df / 2 + s->made[i];
		s->ret[1][i] = df > 1 ? sqrt(s->own[1][i]) : -1;
	}
	return true;
}

static bool noncentral_means(const struct stage_args *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->ret[0][i] = s->own[2][i] / 2;
	return true;
}

/* Two chi-squared numbers over their degrees of freedom. */
static bool ratio_parameters(const struct stage_args *s)
{
	for (size_t i = 0; i < s->n; i++) {
		s->ret[0][i] = s->own[0][i];
		s->ret[1][i] = s->own[1][i];
		s->ret[2][i] = s->own[1][i] / s->own[0][i];
	}
	s->constants->ratio_apart = !s->kernels->all_between(s->ret[2], s->n, 0x1p-400, 0x1p400);
	for (size_t i = 0; s->constants->ratio_apart && i < s->n; i++)
		s->ret[2][i] = special_quotient(s->own[1][i], s->own[0][i], &s->ret[3][i]);
	return true;
}

static bool noncentral_ratio_parameters(const struct stage_args *s)
{
	ratio_parameters(s);
	for (size_t i = 0; i < s->n; i++)
		s->ret[0][i] = s->own[0][i] + 2 * s->made[i];
	return true;
}
