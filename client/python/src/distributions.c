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
	plan->recipe.params[plan->recipe.n_params++] = trnsci_param_f64(name, value);
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

/* ---- Edges ---- */

#define P(i) (1U << (i))

/* Where a parameter has this value, all samples are the same, as numpy's algorithms have it; the parameters of `finite` are
 * finite. Elsewhere a parameter that is infinite or NaN gives NaN. The engine draws none of these. */
static const struct {
	const char *distribution;
	unsigned param;
	double at;
	unsigned finite;
	double sample;
} edges[] = {
	{GAMMA, 0, 0, 0, 0},
	{GAMMA, 0, INFINITY, 0, INFINITY},
	{CHI_SQUARED, 0, INFINITY, 0, INFINITY},
	{WEIBULL, 0, 0, 0, 0},
	{WEIBULL, 0, INFINITY, 0, 1},
	{PARETO, 0, INFINITY, 0, 0},
	{POWER, 0, INFINITY, 0, 1},
	{BETA, 1, INFINITY, P(0), 0},
	{TRIANGULAR, 0, -INFINITY, P(2), -INFINITY},
	{NONCENTRAL_CHISQUARE, 0, INFINITY, 0, INFINITY},
	{NONCENTRAL_CHISQUARE, 1, INFINITY, 0, INFINITY},
	{NONCENTRAL_F, 2, INFINITY, P(0) | P(1), INFINITY},
	{NEGATIVE_BINOMIAL, 1, 1, 0, 0}, /* a count: 0 has the same bits as a number and as an integer */
};

static bool are_finite(const double *params, int n, unsigned mask)
{
	for (int i = 0; i < n; i++)
		if (mask & P(i) && !isfinite(params[i]))
			return false;
	return true;
}

static bool has_nan(const double *params, int n)
{
	for (int i = 0; i < n; i++)
		if (isnan(params[i]))
			return true;
	return false;
}

/* Plans the edges of a distribution with n parameters. Returns false where the engine draws it. */
static bool plan_edge(struct plan *plan, const char *distribution, const double *params, int n)
{
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		if (edges[i].distribution == distribution && params[edges[i].param] == edges[i].at &&
		    !has_nan(params, n) && are_finite(params, n, edges[i].finite)) {
			set_constant(plan, edges[i].sample);
			return true;
		}
	if (are_finite(params, n, ~0U))
		return false;
	set_constant(plan, NAN);
	return true;
}

/* Distributions whose parameters are the engine's as they stand. */
static void plan_plain(struct plan *plan, const char *distribution, const char *const *names, const double *params)
{
	int n = 0;

	while (names[n])
		n++;
	if (plan_edge(plan, distribution, params, n))
		return;
	set_recipe(plan, distribution, TRNSCI_F64);
	for (int i = 0; i < n; i++)
		add_f64(plan, names[i], params[i]);
}

#define PLAN_OF_PLAIN(name, distribution, ...)                                                                         \
	static void plan_##name(const double *params, struct plan *plan)                                               \
	{                                                                                                              \
		static const char *const names[MAX_PARAMS + 1] = {__VA_ARGS__};                                        \
		plan_plain(plan, distribution, names, params);                                                         \
	}
PLAN_OF_PLAIN(chisquare, CHI_SQUARED, "df")
PLAN_OF_PLAIN(weibull, WEIBULL, "shape")
PLAN_OF_PLAIN(beta, BETA, "alpha", "beta")
PLAN_OF_PLAIN(pareto, PARETO, "a")
PLAN_OF_PLAIN(power, POWER, "a")
PLAN_OF_PLAIN(triangular, TRIANGULAR, "left", "mode", "right")
PLAN_OF_PLAIN(wald, WALD, "mean", "scale")
PLAN_OF_PLAIN(f, F, "dfnum", "dfden")
PLAN_OF_PLAIN(noncentral_chisquare, NONCENTRAL_CHISQUARE, "df", "nonc")
PLAN_OF_PLAIN(noncentral_f, NONCENTRAL_F, "dfnum", "dfden", "nonc")

static void plan_gamma(const double *params, struct plan *plan)
{
	if (plan_edge(plan, GAMMA, params, 1)) {
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

static void plan_standard_t(const double *params, struct plan *plan)
{
	if (isinf(params[0]))
		set_recipe(plan, NORMAL, TRNSCI_F64);
	else
		plan_plain(plan, STUDENT_T, (const char *const[]){"df", NULL}, params);
}

/* The logarithm is a normal number of infinite mean or deviation: of its sample only the sign is left, or NaN. */
static void plan_lognormal(const double *params, struct plan *plan)
{
	static const char *const names[] = {"mean", "std", NULL};

	if (are_finite(params, 2, ~0U)) {
		plan_plain(plan, LOGNORMAL, names, params);
		return;
	}
	set_recipe(plan, NORMAL, TRNSCI_F64);
	set_affine(plan, params[1], params[0]);
	plan->finish = EXP_OF_INFINITE;
}

/* Returns the angle in (-pi, pi]; one that lies there as it is. */
static double reduce_angle(double angle)
{
	return fabs(angle) <= M_PI ? angle : atan2(sin(angle), cos(angle));
}

/* Without concentration no place counts, and with much of it all samples are at mu, as numpy has it. */
static void plan_vonmises(const double *params, struct plan *plan)
{
	static const char *const names[] = {"mu", "kappa", NULL};
	const double mu = params[0], kappa = params[1];

	if (isfinite(mu) && isinf(kappa))
		set_constant(plan, reduce_angle(mu));
	else if (!isfinite(mu) && kappa > 1e6)
		set_constant(plan, mu);
	else
		plan_plain(plan, VONMISES, names, (const double[]){isfinite(mu) || kappa >= 1e-8 ? mu : 0, kappa});
}

static void plan_poisson(const double *params, struct plan *plan)
{
	set_recipe(plan, POISSON, TRNSCI_I64);
	add_f64(plan, "lam", params[0]);
}

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
	if (params[1] == 1 && plan_edge(plan, NEGATIVE_BINOMIAL, params, 2))
		return;
	set_recipe(plan, NEGATIVE_BINOMIAL, TRNSCI_I64);
	add_f64(plan, "successes", params[0]);
	add_f64(plan, "p", params[1]);
}

static void add_count(struct plan *plan, const char *name, double value)
{
	plan->recipe.params[plan->recipe.n_params++] = trnsci_param_u64(name, value < 0x1p63 ? (uint64_t)value : UINT64_MAX);
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
	[ID_binomial] = {"binomial", {"n", "p", "size"}, 2, 2, {0}, {COUNT, PROBABILITY}, true, false, plan_binomial},
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
	[ID_hypergeometric] = {"hypergeometric", {"ngood", "nbad", "nsample", "size"}, 3, 3, {0}, {COUNT, COUNT, COUNT}, true, false, plan_hypergeometric, check_hypergeometric},
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
	case COUNT:
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
	case EXP_OF_INFINITE:
		apply_affine(samples, n, plan->scale, plan->shift);
		for (size_t i = 0; i < n; i++)
			samples[i] = samples[i] < 0 ? 0 : samples[i];
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
