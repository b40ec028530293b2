/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each method of numpy's Generator that is one distribution of the engine, shifted or scaled at most.
 *
 * Location and scale are applied here, by the same fused multiplication as in the engine: so standard samples that were
 * drawn ahead serve every location and scale, arrays of them too, and give the engine's bytes. */
#include "distributions.h"
#include "documents.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char UNIFORM[] = "uniform", NORMAL[] = "normal", EXPONENTIAL[] = "exponential", LAPLACE[] = "laplace",
		  GUMBEL[] = "gumbel", CAUCHY[] = "cauchy", GAMMA[] = "gamma", BETA[] = "beta", WEIBULL[] = "weibull",
		  LOGNORMAL[] = "lognormal", STUDENT_T[] = "student_t", CHI_SQUARED[] = "chi_squared",
		  POISSON[] = "poisson", BINOMIAL[] = "binomial", GEOMETRIC[] = "geometric", RAYLEIGH[] = "rayleigh",
		  LOGISTIC[] = "logistic", PARETO[] = "pareto", POWER[] = "power", TRIANGULAR[] = "triangular",
		  VONMISES[] = "vonmises", WALD[] = "wald", F[] = "f", NONCENTRAL_CHISQUARE[] = "noncentral_chisquare",
		  NONCENTRAL_F[] = "noncentral_f", ZIPF[] = "zipf", LOGSERIES[] = "logseries",
		  NEGATIVE_BINOMIAL[] = "negative_binomial", HYPERGEOMETRIC[] = "hypergeometric";

static void set_recipe(struct plan *plan, const char *distribution, enum trnsci_dtype dtype)
{
	plan->recipe.distribution = distribution;
	plan->recipe.dtype = dtype;
	plan->recipe.words = 2;
	plan->recipe.n_params = 0;
	plan->finish = AS_IS;
	plan->scale = 1;
	plan->shift = 0;
}

static void add_f64(struct plan *plan, const char *name, double value)
{
	plan->recipe.params[plan->recipe.n_params++] = trnsci_f64(name, value);
}

static void set_affine(struct plan *plan, double scale, double shift)
{
	plan->finish = scale == 1 && shift == 0 ? AS_IS : AFFINE;
	plan->scale = scale;
	plan->shift = shift;
}

static void set_constant(struct plan *plan, double value)
{
	set_recipe(plan, UNIFORM, TRNSCI_F64);
	plan->finish = CONSTANT;
	plan->shift = value;
}

/* Parameters: low, high. */
static void plan_uniform(const double *params, struct plan *plan)
{
	set_recipe(plan, UNIFORM, TRNSCI_F64);
	set_affine(plan, params[1] - params[0], params[0]);
	if (plan->finish == AFFINE && params[1] > params[0])
		plan->finish = WITHIN;
	plan->limit = params[1];
}

/* Parameters: location, scale. */
#define PLAN_OF_LOCATION_SCALE(name, distribution)                                                                     \
	static void plan_##name(const double *params, struct plan *plan)                                               \
	{                                                                                                              \
		set_recipe(plan, distribution, TRNSCI_F64);                                                            \
		set_affine(plan, params[1], params[0]);                                                                \
	}
PLAN_OF_LOCATION_SCALE(normal, NORMAL)
PLAN_OF_LOCATION_SCALE(laplace, LAPLACE)
PLAN_OF_LOCATION_SCALE(gumbel, GUMBEL)
PLAN_OF_LOCATION_SCALE(logistic, LOGISTIC)

static void plan_exponential(const double *params, struct plan *plan)
{
	set_recipe(plan, EXPONENTIAL, TRNSCI_F64);
	set_affine(plan, params[0], 0);
}

static void plan_rayleigh(const double *params, struct plan *plan)
{
	set_recipe(plan, RAYLEIGH, TRNSCI_F64);
	set_affine(plan, params[0], 0);
}

static void plan_cauchy(const double *params, struct plan *plan)
{
	(void)params;
	set_recipe(plan, CAUCHY, TRNSCI_F64);
}

/* What numpy's algorithms give where the engine has no distribution: 0 of shape 0, and NaN. */
static bool is_degenerate(double shape, double at_0, struct plan *plan)
{
	if (shape > 0 && shape <= DBL_MAX)
		return false;
	set_constant(plan, shape == 0 ? at_0 : shape);
	return true;
}

static void plan_gamma(const double *params, struct plan *plan)
{
	if (is_degenerate(params[0], 0, plan)) {
		plan->shift *= params[1];
		return;
	}
	set_recipe(plan, GAMMA, TRNSCI_F64);
	add_f64(plan, "shape", params[0]);
	/* The engine rounds a scaled sample once: only scales that it does not take are applied here. */
	if (fabs(params[1]) > DBL_MAX || isnan(params[1]))
		set_affine(plan, params[1], 0);
	else
		add_f64(plan, "scale", params[1]);
}

static void plan_chisquare(const double *params, struct plan *plan)
{
	if (is_degenerate(params[0], 0, plan))
		return;
	set_recipe(plan, CHI_SQUARED, TRNSCI_F64);
	add_f64(plan, "df", params[0]);
}

static void plan_standard_t(const double *params, struct plan *plan)
{
	if (isinf(params[0])) {
		set_recipe(plan, NORMAL, TRNSCI_F64);
		return;
	}
	if (is_degenerate(params[0], NAN, plan))
		return;
	set_recipe(plan, STUDENT_T, TRNSCI_F64);
	add_f64(plan, "df", params[0]);
}

static void plan_weibull(const double *params, struct plan *plan)
{
	if (isinf(params[0])) {
		set_constant(plan, 1);
		return;
	}
	if (is_degenerate(params[0], 0, plan))
		return;
	set_recipe(plan, WEIBULL, TRNSCI_F64);
	add_f64(plan, "shape", params[0]);
}

static void plan_beta(const double *params, struct plan *plan)
{
	if (!isfinite(params[0]) || !isfinite(params[1])) {
		set_constant(plan, NAN);
		return;
	}
	set_recipe(plan, BETA, TRNSCI_F64);
	add_f64(plan, "alpha", params[0]);
	add_f64(plan, "beta", params[1]);
}

static void plan_lognormal(const double *params, struct plan *plan)
{
	if (!isfinite(params[0]) || !isfinite(params[1])) {
		set_constant(plan, NAN);
		return;
	}
	set_recipe(plan, LOGNORMAL, TRNSCI_F64);
	add_f64(plan, "mean", params[0]);
	add_f64(plan, "std", params[1]);
}

static void plan_poisson(const double *params, struct plan *plan)
{
	set_recipe(plan, POISSON, TRNSCI_I64);
	add_f64(plan, "lam", params[0]);
}

/* Distributions whose parameters are the engine's as they stand; NaN of any that is no number. */
static void plan_plain(struct plan *plan, const char *distribution, const char *const *names, const double *params)
{
	set_recipe(plan, distribution, TRNSCI_F64);
	for (int i = 0; i < MAX_PARAMS && names[i]; i++) {
		if (!isfinite(params[i])) {
			set_constant(plan, NAN);
			return;
		}
		add_f64(plan, names[i], params[i]);
	}
}

#define PLAN_OF_PLAIN(name, distribution, ...)                                                                         \
	static void plan_##name(const double *params, struct plan *plan)                                               \
	{                                                                                                              \
		static const char *const names[MAX_PARAMS + 1] = {__VA_ARGS__};                                        \
		plan_plain(plan, distribution, names, params);                                                         \
	}
PLAN_OF_PLAIN(pareto, PARETO, "a")
PLAN_OF_PLAIN(power, POWER, "a")
PLAN_OF_PLAIN(triangular, TRIANGULAR, "left", "mode", "right")
PLAN_OF_PLAIN(vonmises, VONMISES, "mu", "kappa")
PLAN_OF_PLAIN(wald, WALD, "mean", "scale")
PLAN_OF_PLAIN(f, F, "dfnum", "dfden")
PLAN_OF_PLAIN(noncentral_chisquare, NONCENTRAL_CHISQUARE, "df", "nonc")
PLAN_OF_PLAIN(noncentral_f, NONCENTRAL_F, "dfnum", "dfden", "nonc")

static void plan_zipf(const double *params, struct plan *plan)
{
	set_recipe(plan, ZIPF, TRNSCI_I64);
	add_f64(plan, "a", fmin(params[0], DBL_MAX));
}

static void plan_logseries(const double *params, struct plan *plan)
{
	set_recipe(plan, LOGSERIES, TRNSCI_I64);
	add_f64(plan, "p", params[0]);
}

static void plan_negative_binomial(const double *params, struct plan *plan)
{
	set_recipe(plan, NEGATIVE_BINOMIAL, TRNSCI_I64);
	add_f64(plan, "successes", params[0]);
	add_f64(plan, "p", params[1]);
}

/* As numpy, which takes numbers that are no integers for those below them. */
static void add_count(struct plan *plan, const char *name, double value)
{
	plan->recipe.params[plan->recipe.n_params++] =
		trnsci_u64(name, value < 0x1p63 ? (uint64_t)value : UINT64_MAX);
}

static void plan_hypergeometric(const double *params, struct plan *plan)
{
	set_recipe(plan, HYPERGEOMETRIC, TRNSCI_I64);
	add_count(plan, "ngood", params[0]);
	add_count(plan, "nbad", params[1]);
	add_count(plan, "nsample", params[2]);
}

static void plan_binomial(const double *params, struct plan *plan)
{
	set_recipe(plan, BINOMIAL, TRNSCI_I64);
	add_count(plan, "trials", params[0]);
	add_f64(plan, "p", params[1]);
}

static void plan_geometric(const double *params, struct plan *plan)
{
	set_recipe(plan, GEOMETRIC, TRNSCI_I64);
	add_f64(plan, "p", params[0]);
}

/* ---- Conditions on several parameters ---- */

static int check_uniform(const double *params, bool of_array)
{
	const double range = params[1] - params[0];

	if (isfinite(range))
		return constraint_check(range, "high - low", NON_NEGATIVE, of_array);
	PyErr_SetString(PyExc_OverflowError,
			of_array ? "Range exceeds valid bounds" : "high - low range exceeds valid bounds");
	return -1;
}

static int check_triangular(const double *params, bool of_array)
{
	const char *wrong = params[0] > params[1]    ? "left > mode"
			    : params[1] > params[2]  ? "mode > right"
			    : params[0] == params[2] ? "left == right"
						     : NULL;

	(void)of_array;
	if (wrong)
		PyErr_SetString(PyExc_ValueError, wrong);
	return wrong ? -1 : 0;
}

static int check_hypergeometric(const double *params, bool of_array)
{
	(void)of_array;
	if (params[0] + params[1] >= params[2])
		return 0;
	PyErr_SetString(PyExc_ValueError, "ngood + nbad < nsample");
	return -1;
}

#define METHODS(X)                                                                                                     \
	X(uniform) X(normal) X(laplace) X(gumbel) X(exponential) X(rayleigh) X(standard_cauchy) X(gamma) X(chisquare)  \
	X(standard_t) X(weibull) X(beta) X(lognormal) X(poisson) X(binomial) X(geometric) X(logistic) X(pareto)        \
	X(power) X(triangular) X(vonmises) X(wald) X(f) X(noncentral_chisquare) X(noncentral_f) X(zipf) X(logseries)   \
	X(negative_binomial) X(hypergeometric)

#define ID_OF(name) ID_##name,
enum { METHODS(ID_OF) };

/* clang-format off */
#define LOCATION_SCALE {"loc", "scale", "size"}, 2, 0, {0, 1}, {ANY_NUMBER, NON_NEGATIVE}, false, true
static const struct method methods[] = {
	[ID_uniform] = {"uniform", {"low", "high", "size"}, 2, 0, {0, 1}, {ANY_NUMBER, ANY_NUMBER}, false, true, plan_uniform, check_uniform},
	[ID_normal] = {"normal", LOCATION_SCALE, plan_normal},
	[ID_laplace] = {"laplace", LOCATION_SCALE, plan_laplace},
	[ID_gumbel] = {"gumbel", LOCATION_SCALE, plan_gumbel},
	[ID_exponential] = {"exponential", {"scale", "size"}, 1, 0, {1}, {NON_NEGATIVE}, false, true, plan_exponential},
	[ID_rayleigh] = {"rayleigh", {"scale", "size"}, 1, 0, {1}, {NON_NEGATIVE}, false, true, plan_rayleigh},
	[ID_standard_cauchy] = {"standard_cauchy", {"size"}, 0, 0, {0}, {0}, false, true, plan_cauchy},
	[ID_gamma] = {"gamma", {"shape", "scale", "size"}, 2, 1, {0, 1}, {NON_NEGATIVE, NON_NEGATIVE}, false, false, plan_gamma},
	[ID_chisquare] = {"chisquare", {"df", "size"}, 1, 1, {0}, {POSITIVE}, false, false, plan_chisquare},
	[ID_standard_t] = {"standard_t", {"df", "size"}, 1, 1, {0}, {POSITIVE}, false, false, plan_standard_t},
	[ID_weibull] = {"weibull", {"a", "size"}, 1, 1, {0}, {NON_NEGATIVE}, false, false, plan_weibull},
	[ID_beta] = {"beta", {"a", "b", "size"}, 2, 2, {0}, {POSITIVE, POSITIVE}, false, false, plan_beta},
	[ID_lognormal] = {"lognormal", {"mean", "sigma", "size"}, 2, 0, {0, 1}, {ANY_NUMBER, NON_NEGATIVE}, false, false, plan_lognormal},
	[ID_poisson] = {"poisson", {"lam", "size"}, 1, 0, {1}, {MEAN_OF_COUNTS}, true, false, plan_poisson},
	[ID_binomial] = {"binomial", {"n", "p", "size"}, 2, 2, {0}, {NON_NEGATIVE, PROBABILITY}, true, false, plan_binomial},
	[ID_logistic] = {"logistic", LOCATION_SCALE, plan_logistic},
	[ID_pareto] = {"pareto", {"a", "size"}, 1, 1, {0}, {POSITIVE}, false, false, plan_pareto},
	[ID_power] = {"power", {"a", "size"}, 1, 1, {0}, {POSITIVE}, false, false, plan_power},
	[ID_triangular] = {"triangular", {"left", "mode", "right", "size"}, 3, 3, {0}, {ANY_NUMBER}, false, false, plan_triangular, check_triangular},
	[ID_vonmises] = {"vonmises", {"mu", "kappa", "size"}, 2, 2, {0}, {ANY_NUMBER, NON_NEGATIVE}, false, false, plan_vonmises},
	[ID_wald] = {"wald", {"mean", "scale", "size"}, 2, 2, {0}, {POSITIVE, POSITIVE}, false, false, plan_wald},
	[ID_f] = {"f", {"dfnum", "dfden", "size"}, 2, 2, {0}, {POSITIVE, POSITIVE}, false, false, plan_f},
	[ID_noncentral_chisquare] = {"noncentral_chisquare", {"df", "nonc", "size"}, 2, 2, {0}, {POSITIVE, NON_NEGATIVE}, false, false, plan_noncentral_chisquare},
	[ID_noncentral_f] = {"noncentral_f", {"dfnum", "dfden", "nonc", "size"}, 3, 3, {0}, {POSITIVE, POSITIVE, NON_NEGATIVE}, false, false, plan_noncentral_f},
	[ID_zipf] = {"zipf", {"a", "size"}, 1, 1, {0}, {ABOVE_1}, true, false, plan_zipf},
	[ID_logseries] = {"logseries", {"p", "size"}, 1, 1, {0}, {PROBABILITY_NOT_1}, true, false, plan_logseries},
	[ID_negative_binomial] = {"negative_binomial", {"n", "p", "size"}, 2, 2, {0}, {POSITIVE_NOT_NAN, PROBABILITY_NOT_0}, true, false, plan_negative_binomial},
	[ID_hypergeometric] = {"hypergeometric", {"ngood", "nbad", "nsample", "size"}, 3, 3, {0}, {NON_NEGATIVE, NON_NEGATIVE, NON_NEGATIVE}, true, false, plan_hypergeometric, check_hypergeometric},
	[ID_geometric] = {"geometric", {"p", "size"}, 1, 1, {0}, {PROBABILITY_NOT_0}, true, false, plan_geometric},
};
/* clang-format on */

int constraint_check(double value, const char *name, enum constraint constraint, bool of_array)
{
	const char *nan = of_array ? "contains NaNs" : "is NaN";

	switch (constraint) {
	case ANY_NUMBER:
		return 0;
	case NON_NEGATIVE:
		if (isnan(value) || !signbit(value))
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0", name);
		return -1;
	case POSITIVE:
	case POSITIVE_NOT_NAN:
		if (value > 0 || (isnan(value) && constraint == POSITIVE))
			return 0;
		PyErr_Format(PyExc_ValueError, isnan(value) ? "%s must not be NaN" : "%s <= 0", name);
		return -1;
	case PROBABILITY:
		if (value >= 0 && value <= 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0, %s > 1 or %s %s", name, name, name, nan);
		return -1;
	case PROBABILITY_NOT_0:
		if (value > 0 && value <= 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s <= 0, %s > 1 or %s contains NaNs", name, name, name);
		return -1;
	case PROBABILITY_NOT_1:
		if (value >= 0 && value < 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s < 0, %s >= 1 or %s %s", name, name, name, nan);
		return -1;
	case ABOVE_1:
		if (value > 1)
			return 0;
		PyErr_Format(PyExc_ValueError, "%s <= 1 or %s %s", name, name, nan);
		return -1;
	case MEAN_OF_COUNTS:
		if (value >= 0 && value <= 0x1p63 - 0x1p34)
			return 0;
		if (value > 0)
			PyErr_Format(PyExc_ValueError, "%s value too large", name);
		else
			PyErr_Format(PyExc_ValueError, "%s < 0 or %s %s", name, name, nan);
		return -1;
	}
	return 0;
}

/* The variants give the same bytes: fma is exact by instruction and by library. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("fma", "default")))
#endif
static void apply_affine(double *samples, size_t n, double scale, double shift)
{
	for (size_t i = 0; i < n; i++)
		samples[i] = fma(samples[i], scale, shift);
}

void finish_samples(const struct plan *plan, double *samples, size_t n)
{
	switch (plan->finish) {
	case AS_IS:
		break;
	case AFFINE:
		apply_affine(samples, n, plan->scale, plan->shift);
		break;
	case WITHIN:
		apply_affine(samples, n, plan->scale, plan->shift);
		for (size_t i = 0; i < n; i++)
			if (samples[i] >= plan->limit)
				samples[i] = nextafter(plan->limit, -INFINITY);
		break;
	case CONSTANT:
		for (size_t i = 0; i < n; i++)
			samples[i] = plan->shift;
		break;
	}
}

/* ---- The engine's own location and scale, for long draws ---- */

static bool is_number(double value)
{
	return fabs(value) <= DBL_MAX;
}

/* The engine takes the rate: only scales that it gets back exactly from that. */
static bool fuse_rate(struct plan *plan)
{
	const double rate = 1 / plan->scale;

	if (!(rate >= DBL_MIN && rate <= DBL_MAX) || 1 / rate != plan->scale)
		return false;
	add_f64(plan, "rate", rate);
	return true;
}

void plan_fuse(struct plan *plan)
{
	const char *distribution = plan->recipe.distribution;
	bool fused = true;

	if ((plan->finish != AFFINE && plan->finish != WITHIN) || !is_number(plan->shift) || !is_number(plan->scale) ||
	    plan->scale < 0)
		return;
	if (distribution == UNIFORM && plan->finish == WITHIN) {
		add_f64(plan, "low", plan->shift);
		add_f64(plan, "high", plan->limit);
	} else if (distribution == NORMAL) {
		add_f64(plan, "mean", plan->shift);
		add_f64(plan, "std", plan->scale);
	} else if (distribution == LAPLACE || distribution == GUMBEL || distribution == LOGISTIC) {
		add_f64(plan, "loc", plan->shift);
		add_f64(plan, "scale", plan->scale);
	} else if (distribution == RAYLEIGH) {
		add_f64(plan, "scale", plan->scale);
	} else {
		fused = distribution == EXPONENTIAL && fuse_rate(plan);
	}
	if (fused)
		plan->finish = AS_IS;
}

/* ---- The methods ---- */

#define CALL_OF(name)                                                                                                  \
	static PyObject *call_##name(METHOD_ARGS)                                                                      \
	{                                                                                                              \
		return method_call(&methods[ID_##name], self, args, n_args, kwnames);                                  \
	}
METHODS(CALL_OF)

#define ROW_OF(name)                                                                                                   \
	{#name, (PyCFunction)(void (*)(void))call_##name, METH_FASTCALL | METH_KEYWORDS, PyDoc_STR(DOC_##name)},
PyMethodDef distribution_methods[] = {METHODS(ROW_OF){NULL, NULL, 0, NULL}};
