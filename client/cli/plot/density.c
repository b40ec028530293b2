/* SPDX-License-Identifier: Apache-2.0 */
/* Exact densities and probabilities. Sources: N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions
 * (2nd ed., 1994) and Univariate Discrete Distributions (3rd ed., 2005); forms and parameters are numpy's. */
#include "density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what several of them need ---- */

static double log_beta(double a, double b)
{
	return lgamma(a) + lgamma(b) - lgamma(a + b);
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double bell(double z)
{
	return exp(-z * z / 2) / sqrt(2 * M_PI);
}

static double gamma_density(double x, double shape, double scale)
{
	return x > 0 ? exp((shape - 1) * log(x / scale) - x / scale - lgamma(shape)) / scale : 0;
}

static double f_density(double x, double n, double d)
{
	const double a = n / 2, b = d / 2;

	return x > 0 ? exp(a * log(n / d) + (a - 1) * log(x) - (a + b) * log1p(n * x / d) - log_beta(a, b)) : 0;
}

static double triangular_density(double x, double left, double mode, double right)
{
	if (x < left || x > right)
		return 0;
	return x < mode ? 2 * (x - left) / ((right - left) * (mode - left)) : 2 * (right - x) / ((right - left) * (right - mode));
}

/* exp(-k) I0(k) as the mean of exp(k (cos t - 1)); the trapezoidal rule is exact to rounding for a periodic function. */
static double scaled_bessel(double kappa)
{
	enum { POINTS = 4096 };
	double sum = 0;

	for (int i = 0; i < POINTS; i++)
		sum += exp(kappa * (cos(2 * M_PI * i / POINTS) - 1));
	return sum / POINTS;
}

/* zeta(a) by Euler and Maclaurin's formula from 20 on. */
static double zeta(double a)
{
	enum { FROM = 20 };
	double sum = 0;

	for (int k = 1; k < FROM; k++)
		sum += pow(k, -a);
	return sum + pow(FROM, 1 - a) / (a - 1) + pow(FROM, -a) / 2 + a * pow(FROM, -a - 1) / 12 -
	       a * (a + 1) * (a + 2) * pow(FROM, -a - 3) / 720;
}

/* The mean of densities whose first parameter n grows by 2 with a Poisson variable of mean nonc / 2: of chi-square, or (d above
 * 0) of F, whose sum is still divided by n. */
static double poisson_mixture(double x, double n, double d, double nonc)
{
	const double lam = nonc / 2, width = 10 * sqrt(lam + 1) + 20;
	double sum = 0;

	for (double j = fmax(0, floor(lam - width)); j <= lam + width; j++) {
		const double weight = exp(-lam + (lam > 0 ? j * log(lam) : j > 0 ? -INFINITY : 0) - lgamma(j + 1));
		const double more = n + 2 * j, ratio = n / more;

		sum += weight * (d > 0 ? ratio * f_density(x * ratio, more, d) : gamma_density(x, more / 2, 2));
	}
	return sum;
}

/* ---- the table ---- */

/* distribution, whether it is discrete (x is an integer then), its density at x by the parameters p, their names. Bounds of
 * truncated_normal are in standard deviations. */
#define DENSITIES(X)                                                                                                               \
	X(uniform, false, x >= p[0] && x < p[1] ? 1 / (p[1] - p[0]) : 0, "low", "high")                                           \
	X(normal, false, bell((x - p[0]) / p[1]) / p[1], "mean", "std")                                                           \
	X(exponential, false, x >= 0 ? p[0] * exp(-p[0] * x) : 0, "rate")                                                         \
	X(laplace, false, exp(-fabs(x - p[0]) / p[1]) / (2 * p[1]), "loc", "scale")                                               \
	X(lognormal, false, x > 0 ? bell((log(x) - p[0]) / p[1]) / (p[1] * x) : 0, "mean", "std")                                 \
	X(gumbel, false, exp(-(x - p[0]) / p[1] - exp(-(x - p[0]) / p[1])) / p[1], "loc", "scale")                                \
	X(weibull, false, x > 0 ? p[0] / p[1] * pow(x / p[1], p[0] - 1) * exp(-pow(x / p[1], p[0])) : 0, "shape", "scale")        \
	X(cauchy, false, 1 / (M_PI * p[1] * (1 + (x - p[0]) / p[1] * ((x - p[0]) / p[1]))), "loc", "scale")                       \
	X(student_t, false,                                                                                                       \
	  exp(lgamma((p[0] + 1) / 2) - lgamma(p[0] / 2) - (p[0] + 1) / 2 * log1p(x * x / p[0])) / sqrt(p[0] * M_PI), "df")        \
	X(truncated_normal, false,                                                                                                \
	  (x - p[0]) / p[1] >= p[2] && (x - p[0]) / p[1] <= p[3]                                                                  \
		  ? bell((x - p[0]) / p[1]) / p[1] / ((erfc(p[2] / M_SQRT2) - erfc(p[3] / M_SQRT2)) / 2) : 0,                     \
	  "mean", "std", "low", "high")                                                                                           \
	X(gamma, false, gamma_density(x, p[0], p[1]), "shape", "scale")                                                           \
	X(chi_squared, false, gamma_density(x, p[0] / 2, 2), "df")                                                                \
	X(beta, false, x > 0 && x < 1 ? exp((p[0] - 1) * log(x) + (p[1] - 1) * log1p(-x) - log_beta(p[0], p[1])) : 0,             \
	  "alpha", "beta")                                                                                                        \
	X(rayleigh, false, x >= 0 ? x / (p[0] * p[0]) * exp(-x * x / (2 * p[0] * p[0])) : 0, "scale")                             \
	X(logistic, false, 1 / (4 * p[1] * pow(cosh((x - p[0]) / (2 * p[1])), 2)), "loc", "scale")                                \
	X(pareto, false, x >= 0 ? p[0] * pow(1 + x, -p[0] - 1) : 0, "a")                                                          \
	X(power, false, x >= 0 && x <= 1 ? p[0] * pow(x, p[0] - 1) : 0, "a")                                                      \
	X(triangular, false, triangular_density(x, p[0], p[1], p[2]), "left", "mode", "right")                                    \
	X(vonmises, false, fabs(x) <= M_PI ? exp(p[1] * (cos(x - p[0]) - 1)) / (2 * M_PI * scaled_bessel(p[1])) : 0,              \
	  "mu", "kappa")                                                                                                          \
	X(wald, false,                                                                                                            \
	  x > 0 ? sqrt(p[1] / (2 * M_PI * x * x * x)) * exp(-p[1] * (x - p[0]) * (x - p[0]) / (2 * p[0] * p[0] * x)) : 0,         \
	  "mean", "scale")                                                                                                        \
	X(f, false, f_density(x, p[0], p[1]), "dfnum", "dfden")                                                                   \
	X(noncentral_chisquare, false, poisson_mixture(x, p[0], 0, p[1]), "df", "nonc")                                           \
	X(noncentral_f, false, poisson_mixture(x, p[0], p[1], p[2]), "dfnum", "dfden", "nonc")                                    \
	X(poisson, true, x < 0 || p[0] <= 0 ? x == 0 : exp(x * log(p[0]) - p[0] - lgamma(x + 1)), "lam")                          \
	X(binomial, true,                                                                                                         \
	  x < 0 || x > p[0] || p[1] <= 0 || p[1] >= 1 ? x == (p[1] >= 1 ? p[0] : 0)                                               \
		  : exp(log_choose(p[0], x) + x * log(p[1]) + (p[0] - x) * log1p(-p[1])), "trials", "p")                          \
	X(geometric, true, x >= 1 ? p[0] * exp((x - 1) * log1p(-p[0])) : 0, "p")                                                  \
	X(bernoulli, true, x == 1 ? p[0] : x == 0 ? 1 - p[0] : 0, "p")                                                            \
	X(randint, true, x >= p[0] && x < p[1] ? 1 / (p[1] - p[0]) : 0, "low", "high")                                            \
	X(rademacher, true, x == 1 || x == -1 ? 0.5 + 0 * p[0] : 0, NULL)                                                         \
	X(zipf, true, x >= 1 ? pow(x, -p[0]) / zeta(p[0]) : 0, "a")                                                               \
	X(logseries, true, x >= 1 ? -pow(p[0], x) / (x * log1p(-p[0])) : 0, "p")                                                  \
	X(negative_binomial, true,                                                                                                \
	  x >= 0 ? exp(lgamma(x + p[0]) - lgamma(x + 1) - lgamma(p[0]) + p[0] * log(p[1]) + x * log1p(-p[1])) : 0,                \
	  "successes", "p")                                                                                                       \
	X(hypergeometric, true,                                                                                                   \
	  x < fmax(0, p[2] - p[1]) || x > fmin(p[2], p[0]) ? 0                                                                    \
		  : exp(log_choose(p[0], x) + log_choose(p[1], p[2] - x) - log_choose(p[0] + p[1], p[2])),                        \
	  "ngood", "nbad", "nsample")

#define FUNCTION(name, is_discrete, density, ...)                                                                                  \
	static double density_of_##name(double x, const double *p)                                                                \
	{                                                                                                                         \
		return density;                                                                                                   \
	}
DENSITIES(FUNCTION)

static const struct {
	const char *distribution;
	bool discrete;
	double (*at)(double x, const double *params);
	const char *params[DENSITY_PARAMS];
} densities[] = {
#define ROW(name, is_discrete, density, ...) {#name, is_discrete, density_of_##name, {__VA_ARGS__}},
	DENSITIES(ROW)
};

static double param_value(const struct options *options, const char *name)
{
	const char *text = options_value(options, name);

	return text ? strtod(text, NULL) : 0;
}

bool density_find(const struct options *options, const char *distribution, struct density *ret)
{
	for (size_t i = 0; i < sizeof densities / sizeof *densities; i++) {
		if (strcmp(densities[i].distribution, distribution) != 0)
			continue;
		*ret = (struct density){.discrete = densities[i].discrete, .at = densities[i].at};
		for (size_t j = 0; j < DENSITY_PARAMS && densities[i].params[j]; j++)
			ret->params[j] = param_value(options, densities[i].params[j]);
		return true;
	}
	return false;
}

/* ---- integrals ---- */

/* The tanh-sinh rule, which takes singularities at the ends: Takahasi and Mori, Publ. RIMS 9 (1974) 721. */
static double integrate(const struct density *density, double low, double high)
{
	enum { STEPS = 64 };
	const double middle = (low + high) / 2, half = (high - low) / 2, h = 3.5 / STEPS;
	double sum = 0;

	for (int i = -STEPS; i <= STEPS; i++) {
		const double t = i * h, u = M_PI_2 * sinh(t), c = cosh(u);

		sum += density->at(middle + half * tanh(u), density->params) * M_PI_2 * cosh(t) / (c * c);
	}
	return sum * half * h;
}

double density_integrate(const struct density *density, double low, double high)
{
	double sum = 0;

	if (!density->discrete)
		return integrate(density, low, high);
	for (double k = ceil(low); k < high; k++)
		sum += density->at(k, density->params);
	return sum;
}

/* The upper incomplete gamma function, by its series below a + 1 and by Lentz's continued fraction above. Source: Numerical
 * Recipes, section 6.2, after DLMF 8.7 and 8.9. */
double chi_square_exceeds(double chi, double freedom)
{
	const double a = freedom / 2, x = chi / 2, lead = exp(a * log(x) - x - lgamma(a));
	double sum = 1 / a, term = sum, b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;

	if (!(x > 0))
		return 1;
	if (x < a + 1) {
		for (int n = 1; n < 10000 && term > 1e-17 * sum; n++)
			sum += term *= x / (a + n);
		return 1 - sum * lead;
	}
	for (int n = 1; n < 10000; n++) {
		const double an = -n * (n - a);

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		fraction *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return fraction * lead;
}
