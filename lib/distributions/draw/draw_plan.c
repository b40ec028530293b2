/* SPDX-License-Identifier: Apache-2.0 */
/* One planner for each distribution: from its parameters to its kernel's inputs and constants.
 *
 * Constants are computed once for a draw, in float64, by functions of our own (special.h): a libm's last bits would
 * differ from host to host, and the samples with them. */
#include "distributions/draw/draw_plan.h"

#include <assert.h>
#include <math.h>

#include "distributions/tables/gamma_table.h"
#include "math/special.h"

#define TWO_PI 6.2831853071795864769

/* Chooses between the kernels of 64-bit and of 32-bit words. */
#define BY_WIDTH(kernels, draw, name) ((draw)->dtype == DTYPE_F64 ? (kernels)->name##_f64 : (kernels)->name##_f32)

/* fmin and fmax of numbers: libm's may not be used for random numbers. */
static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

typedef void planner(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan);

/* Parameters are float64 whatever the dtype of the samples. */
static double real_parameter(const struct draw *draw, unsigned parameter)
{
	return draw->parameters[parameter].real;
}

/* Plans a kernel that reads one word for each sample x, which becomes x scale + shift. */
static void plan_inversion(struct draw_plan *plan, dist_function *kernel, double scale, double shift)
{
	plan->kernel = kernel;
	plan->n_inputs = 1;
	plan->inputs[0] = INPUT_WORDS;
	plan->constants.scale = scale;
	plan->constants.shift = shift;
}

/* Plans 16-bit uniforms; wider ones are made by draw_direct. The result is rounded to the dtype, so it could become
 * high: `most`, the greatest value below it, holds it back. */
static void plan_uniform(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
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
	plan_inversion(plan, bf16 ? kernels->uniform_bf16 : kernels->uniform_f16, high - low, low);
	plan->constants.uniform16.most = most;
}

/* 16-bit samples are rounded from float32 normals inside the kernel, so that no second pass reads them. The radius of
 * boxmuller64 needs 64 bits: one word of float64, two of float32. */
static void plan_normal(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const bool bf16 = draw->dtype == DTYPE_BF16, half = bf16 || draw->dtype == DTYPE_F16;

	plan_inversion(plan, BY_WIDTH(kernels, draw, radius64), real_parameter(draw, 1), real_parameter(draw, 0));
	if (half && draw->parameters[2].natural == NORMAL_BOXMULLER) {
		plan->kernel = bf16 ? kernels->normal_bf16 : kernels->normal_f16;
		plan->inputs[0] = INPUT_NORMALS;
		return;
	}
	if (half)
		plan->kernel = bf16 ? kernels->normal64_bf16 : kernels->normal64_f16;
	plan->n_inputs = draw->dtype == DTYPE_F64 ? 1 : 2;
	plan->inputs[1] = INPUT_WORDS;
	plan->affine = !half;
}

/* float32 kernels of exponentials and laplace numbers leave x scale + shift to the caller, who does it on whole vectors
 * of floats. */
static void plan_exponential(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, exponential), 1 / real_parameter(draw, 0), 0);
	plan->affine = draw->dtype == DTYPE_F32;
}

static void plan_laplace(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, laplace), real_parameter(draw, 1), real_parameter(draw, 0));
	plan->affine = draw->dtype == DTYPE_F32;
}

static void plan_lognormal(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, lognormal), real_parameter(draw, 1), real_parameter(draw, 0));
	plan->inputs[0] = INPUT_NORMALS;
}

static void plan_gumbel(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, gumbel), real_parameter(draw, 1), real_parameter(draw, 0));
}

/* A power of 10^300 makes 0 or infinity of every exponential that is not 1, whose logarithm is at least 2^-53. */
static void plan_weibull(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, weibull), 1, 0);
	plan->constants.weibull.power = lesser(1 / real_parameter(draw, 0), 1e300);
	plan->constants.weibull.scale = real_parameter(draw, 1);
}

static void plan_cauchy(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, cauchy), real_parameter(draw, 1), real_parameter(draw, 0));
}

/* Bailey's polar method without rejection needs two uniforms. */
static void plan_student_t(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, BY_WIDTH(kernels, draw, student_t), 1, 0);
	plan->n_inputs = 2;
	plan->inputs[1] = INPUT_WORDS;
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
 * thinned. */
static void plan_truncated(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	double low = real_parameter(draw, 2), high = real_parameter(draw, 3);
	const bool mirrored = low > 0;
	struct truncated_constants *const t = &plan->constants.truncated;

	plan_inversion(plan, BY_WIDTH(kernels, draw, truncated), real_parameter(draw, 1), real_parameter(draw, 0));
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

		plan->kernel = BY_WIDTH(kernels, draw, truncated_far);
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
		plan->kernel = BY_WIDTH(kernels, draw, truncated_narrow);
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

/* Appends the inputs that one attempt at a gamma needs; boosted: its shape may be below 1. */
static void add_gamma_inputs(struct draw_plan *plan, bool boosted)
{
	plan->inputs[plan->n_inputs++] = INPUT_NORMALS;
	plan->inputs[plan->n_inputs++] = INPUT_WORDS;
	if (boosted)
		plan->inputs[plan->n_inputs++] = INPUT_WORDS;
}

/* Marsaglia and Tsang, ACM TOMS 26 (2000) 363: a normal and a uniform for each attempt. A shape below 1 draws with
 * shape + 1 and multiplies by a uniform to the power 1 / shape (their section 6), which takes one word more. */
static void plan_one_gamma(const struct dist_kernel *kernels, const struct draw *draw, double shape, double scale,
		       struct draw_plan *plan)
{
	plan->kernel = shape < 1 ? BY_WIDTH(kernels, draw, gamma_boosted) : BY_WIDTH(kernels, draw, gamma);
	plan->constants.scale = scale;
	plan->constants.gamma[0] = gamma_constants_of(shape);
	add_gamma_inputs(plan, shape < 1);
}

static void plan_gamma(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_one_gamma(kernels, draw, real_parameter(draw, 0), real_parameter(draw, 1), plan);
}

static void plan_chi_squared(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_one_gamma(kernels, draw, real_parameter(draw, 0) / 2, 2, plan);
}

/* Two gammas, x / (x + y); both are boosted if either is, so that the words of an attempt have one layout. */
static void plan_beta(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const double a = real_parameter(draw, 0), b = real_parameter(draw, 1);
	const bool boosted = a < 1 || b < 1;

	plan->kernel = boosted ? BY_WIDTH(kernels, draw, beta_boosted) : BY_WIDTH(kernels, draw, beta);
	plan->constants.gamma[0] = gamma_constants_of(a);
	plan->constants.gamma[1] = gamma_constants_of(b);
	add_gamma_inputs(plan, boosted);
	add_gamma_inputs(plan, boosted);
}

/* One gamma for each component, as a logarithm: of small shapes the gamma itself would underflow. */
static void plan_dirichlet(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const struct gamma_table *table = draw->table;

	plan->kernel = BY_WIDTH(kernels, draw, gamma_log);
	plan->components = table->components;
	plan->n_components = table->n;
	add_gamma_inputs(plan, true);
}

static void plan_discrete_table(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, kernels->discrete_i64, 1, 0);
	plan->constants.table = draw->table;
}

/* Plans a kernel of transformed rejection (counts_body.h). */
static void plan_transformed(struct draw_plan *plan, dist_function *kernel)
{
	plan->kernel = kernel;
	plan->n_inputs = 2;
	plan->inputs[0] = plan->inputs[1] = INPUT_WORDS;
}

/* Means that a table serves have one; larger ones are drawn by Hoermann's PTRS, Insurance: Mathematics and Economics
 * 12 (1993) 39, whose constants these are. */
static void plan_poisson(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const double mean = real_parameter(draw, 0), b = 0.931 + 2.53 * sqrt(mean);

	if (draw->table) {
		plan_discrete_table(kernels, draw, plan);
		return;
	}
	plan_transformed(plan, kernels->poisson_i64);
	plan->constants.scale = 1;
	plan->constants.counts.a = -0.059 + 0.02483 * b;
	plan->constants.counts.b = b;
	plan->constants.counts.centre = mean + 0.43;
	plan->constants.counts.quick = 0.9277 - 3.6224 / (b - 2);
	plan->constants.counts.accept = (1.1239 + 1.1328 / (b - 3.4)) * sqrt(TWO_PI);
	plan->constants.counts.mean = mean;
	plan->constants.counts.trials = 0x1p62;
}

/* The same by Hoermann's BTRS, Journal of Statistical Computation and Simulation 46 (1993) 101, for the rarer
 * outcome. */
static void plan_binomial(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const double n = (double)draw->parameters[0].natural, given = real_parameter(draw, 1),
		     p = lesser(given, 1 - given);
	const double q = 1 - p, spread = sqrt(n * p * q), b = 1.15 + 2.53 * spread;
	const double mode = floor((n + 1) * p), rest = n - mode;

	if (draw->table) {
		plan_discrete_table(kernels, draw, plan);
		return;
	}
	plan_transformed(plan, kernels->binomial_i64);
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

/* By inversion: floor of an exponential of this mean. p = 1 always gives 1. */
static void plan_geometric(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const double p = real_parameter(draw, 0);

	plan_inversion(plan, kernels->geometric_i64, 1, 0);
	plan->constants.mean_trials = p < 1 ? -1 / special_log1p(-p) : 0;
}

/* p in binary, 32 digits a word: a sample compares its words with them until they differ, so p counts to its last bit
 * although a sample almost always reads one word. */
static void plan_bernoulli(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	double rest = real_parameter(draw, 0);

	plan_inversion(plan, draw->dtype == DTYPE_I8 ? kernels->bernoulli_i8 : kernels->bernoulli_i32, 1, 0);
	plan->constants.bernoulli.certain = rest >= 1;
	for (unsigned i = 0; i < DIST_DIGITS && rest < 1; i++) {
		const double whole = floor(rest * 0x1p32);

		plan->constants.bernoulli.digits[i] = (uint32_t)whole;
		rest = rest * 0x1p32 - whole;
	}
}

/* Lemire, ACM TOMACS 29 (2019) 3: multiply and reject below 2^w mod range. A range of 0 stands for 2^64. */
static void plan_randint(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const int64_t low = draw->parameters[0].integer, high = draw->parameters[1].integer;
	const uint64_t range = (uint64_t)high - (uint64_t)low;
	const bool narrow = draw->dtype == DTYPE_I32 || draw->dtype == DTYPE_U32;

	plan_inversion(plan, narrow ? kernels->randint_i32 : kernels->randint_i64, 1, 0);
	plan->constants.randint.low = low;
	plan->constants.randint.range = range;
	plan->constants.randint.reject_below = narrow ? (1ull << 32) % range : range ? -range % range : 0;
}

static void plan_categorical(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	plan_inversion(plan, kernels->alias_i64, 1, 0);
	plan->constants.table = draw->table;
}

static void plan_rademacher(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	dist_function *const kernel = draw->dtype == DTYPE_I8    ? kernels->rademacher_i8
				      : draw->dtype == DTYPE_I32 ? kernels->rademacher_i32
								 : BY_WIDTH(kernels, draw, rademacher);

	plan_inversion(plan, kernel, 1, 0);
}

static planner *const planners[DIST_COUNT] = {
	[DIST_UNIFORM] = plan_uniform,
	[DIST_NORMAL] = plan_normal,
	[DIST_EXPONENTIAL] = plan_exponential,
	[DIST_LAPLACE] = plan_laplace,
	[DIST_LOGNORMAL] = plan_lognormal,
	[DIST_GUMBEL] = plan_gumbel,
	[DIST_WEIBULL] = plan_weibull,
	[DIST_CAUCHY] = plan_cauchy,
	[DIST_STUDENT_T] = plan_student_t,
	[DIST_TRUNCATED_NORMAL] = plan_truncated,
	[DIST_GAMMA] = plan_gamma,
	[DIST_CHI_SQUARED] = plan_chi_squared,
	[DIST_BETA] = plan_beta,
	[DIST_POISSON] = plan_poisson,
	[DIST_BINOMIAL] = plan_binomial,
	[DIST_GEOMETRIC] = plan_geometric,
	[DIST_BERNOULLI] = plan_bernoulli,
	[DIST_RANDINT] = plan_randint,
	[DIST_CATEGORICAL] = plan_categorical,
	[DIST_RADEMACHER] = plan_rademacher,
	[DIST_DIRICHLET] = plan_dirichlet,
};

void draw_plan_make(const struct dist_kernel *kernel, const struct draw *draw, struct draw_plan *ret_plan)
{
	assert(planners[draw->distribution]);
	*ret_plan = (struct draw_plan){0};
	planners[draw->distribution](kernel, draw, ret_plan);
	ret_plan->affine = ret_plan->affine && (ret_plan->constants.scale != 1 || ret_plan->constants.shift != 0);
}
