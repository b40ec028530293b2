/* SPDX-License-Identifier: Apache-2.0 */
/* Exact densities and probabilities. Sources: N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions
 * (2nd ed., 1994) and Univariate Discrete Distributions (3rd ed., 2005); forms and parameters are numpy's. */
#include "density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- continuous ---- */

static double uniform(double x, const double *p)
{
	return x >= p[0] && x < p[1] ? 1 / (p[1] - p[0]) : 0;
}

static double normal(double x, const double *p)
{
	const double z = (x - p[0]) / p[1];

	return exp(-z * z / 2) / (p[1] * sqrt(2 * M_PI));
}

static double exponential(double x, const double *p)
{
	return x >= 0 ? p[0] * exp(-p[0] * x) : 0;
}

static double laplace(double x, const double *p)
{
	return exp(-fabs(x - p[0]) / p[1]) / (2 * p[1]);
}

static double lognormal(double x, const double *p)
{
	return x > 0 ? normal(log(x), p) / x : 0;
}

static double gumbel(double x, const double *p)
{
	const double z = (x - p[0]) / p[1];

	return exp(-z - exp(-z)) / p[1];
}

static double weibull(double x, const double *p)
{
	const double z = x / p[1];

	return x > 0 ? p[0] / p[1] * pow(z, p[0] - 1) * exp(-pow(z, p[0])) : 0;
}

static double cauchy(double x, const double *p)
{
	const double z = (x - p[0]) / p[1];

	return 1 / (M_PI * p[1] * (1 + z * z));
}

static double student_t(double x, const double *p)
{
	return exp(lgamma((p[0] + 1) / 2) - lgamma(p[0] / 2) - (p[0] + 1) / 2 * log1p(x * x / p[0])) / sqrt(p[0] * M_PI);
}

/* Bounds are in standard deviations. */
static double truncated_normal(double x, const double *p)
{
	const double z = (x - p[0]) / p[1], inside = (erfc(p[2] / M_SQRT2) - erfc(p[3] / M_SQRT2)) / 2;

	return z >= p[2] && z <= p[3] ? normal(x, p) / inside : 0;
}

static double gamma_density(double x, const double *p)
{
	return x > 0 ? exp((p[0] - 1) * log(x / p[1]) - x / p[1] - lgamma(p[0])) / p[1] : 0;
}

static double chi_squared(double x, const double *p)
{
	return gamma_density(x, (const double[]){p[0] / 2, 2});
}

static double log_beta(double a, double b)
{
	return lgamma(a) + lgamma(b) - lgamma(a + b);
}

static double beta(double x, const double *p)
{
	return x > 0 && x < 1 ? exp((p[0] - 1) * log(x) + (p[1] - 1) * log1p(-x) - log_beta(p[0], p[1])) : 0;
}

static double rayleigh(double x, const double *p)
{
	return x >= 0 ? x / (p[0] * p[0]) * exp(-x * x / (2 * p[0] * p[0])) : 0;
}

static double logistic(double x, const double *p)
{
	const double e = exp(-fabs(x - p[0]) / p[1]);

	return e / (p[1] * (1 + e) * (1 + e));
}

static double pareto(double x, const double *p)
{
	return x >= 0 ? p[0] * pow(1 + x, -p[0] - 1) : 0;
}

static double power(double x, const double *p)
{
	return x >= 0 && x <= 1 ? p[0] * pow(x, p[0] - 1) : 0;
}

static double triangular(double x, const double *p)
{
	const double left = p[0], mode = p[1], right = p[2];

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

static double vonmises(double x, const double *p)
{
	return fabs(x) <= M_PI ? exp(p[1] * (cos(x - p[0]) - 1)) / (2 * M_PI * scaled_bessel(p[1])) : 0;
}

static double wald(double x, const double *p)
{
	const double d = x - p[0];

	return x > 0 ? sqrt(p[1] / (2 * M_PI * x * x * x)) * exp(-p[1] * d * d / (2 * p[0] * p[0] * x)) : 0;
}

static double f_density(double x, const double *p)
{
	const double a = p[0] / 2, b = p[1] / 2;

	return x > 0 ? exp(a * log(p[0] / p[1]) + (a - 1) * log(x) - (a + b) * log1p(p[0] * x / p[1]) - log_beta(a, b)) : 0;
}

/* The mean of densities whose first parameter grows by 2 with a Poisson variable of mean nonc / 2. */
static double poisson_mixture(double nonc, double x, double (*at)(double x, double more))
{
	const double lam = nonc / 2, width = 10 * sqrt(lam + 1) + 20;
	double sum = 0;

	for (double j = fmax(0, floor(lam - width)); j <= lam + width; j++)
		sum += exp(-lam + (lam > 0 ? j * log(lam) : j > 0 ? -INFINITY : 0) - lgamma(j + 1)) * at(x, 2 * j);
	return sum;
}

static _Thread_local const double *mixed; /* parameters of the densities that are mixed */

static double chi_squared_more(double x, double more)
{
	return chi_squared(x, (const double[]){mixed[0] + more});
}

static double noncentral_chisquare(double x, const double *p)
{
	mixed = p;
	return poisson_mixture(p[1], x, chi_squared_more);
}

/* F of dfnum + more degrees of freedom, of a sum that is still divided by dfnum. */
static double f_more(double x, double more)
{
	const double ratio = mixed[0] / (mixed[0] + more);

	return ratio * f_density(x * ratio, (const double[]){mixed[0] + more, mixed[1]});
}

static double noncentral_f(double x, const double *p)
{
	mixed = p;
	return poisson_mixture(p[2], x, f_more);
}

/* ---- discrete: x is an integer ---- */

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double poisson(double x, const double *p)
{
	if (x < 0 || p[0] <= 0)
		return x == 0;
	return exp(x * log(p[0]) - p[0] - lgamma(x + 1));
}

static double binomial(double x, const double *p)
{
	if (x < 0 || x > p[0] || p[1] <= 0 || p[1] >= 1)
		return x == (p[1] >= 1 ? p[0] : 0);
	return exp(log_choose(p[0], x) + x * log(p[1]) + (p[0] - x) * log1p(-p[1]));
}

static double geometric(double x, const double *p)
{
	return x >= 1 ? p[0] * exp((x - 1) * log1p(-p[0])) : 0;
}

static double bernoulli(double x, const double *p)
{
	return x == 1 ? p[0] : x == 0 ? 1 - p[0] : 0;
}

static double randint(double x, const double *p)
{
	return x >= p[0] && x < p[1] ? 1 / (p[1] - p[0]) : 0;
}

static double rademacher(double x, const double *p)
{
	(void)p;
	return x == 1 || x == -1 ? 0.5 : 0;
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

static double zipf(double x, const double *p)
{
	return x >= 1 ? pow(x, -p[0]) / zeta(p[0]) : 0;
}

static double logseries(double x, const double *p)
{
	return x >= 1 ? -pow(p[0], x) / (x * log1p(-p[0])) : 0;
}

static double negative_binomial(double x, const double *p)
{
	return x >= 0 ? exp(lgamma(x + p[0]) - lgamma(x + 1) - lgamma(p[0]) + p[0] * log(p[1]) + x * log1p(-p[1])) : 0;
}

static double hypergeometric(double x, const double *p)
{
	const double good = p[0], bad = p[1], n = p[2];

	if (x < fmax(0, n - bad) || x > fmin(n, good))
		return 0;
	return exp(log_choose(good, x) + log_choose(bad, n - x) - log_choose(good + bad, n));
}

/* ---- the table ---- */

static const struct {
	const char *distribution;
	const char *params[DENSITY_PARAMS];
	bool discrete;
	double (*at)(double x, const double *params);
} densities[] = {
	{"uniform", {"low", "high"}, false, uniform},
	{"normal", {"mean", "std"}, false, normal},
	{"exponential", {"rate"}, false, exponential},
	{"laplace", {"loc", "scale"}, false, laplace},
	{"lognormal", {"mean", "std"}, false, lognormal},
	{"gumbel", {"loc", "scale"}, false, gumbel},
	{"weibull", {"shape", "scale"}, false, weibull},
	{"cauchy", {"loc", "scale"}, false, cauchy},
	{"student_t", {"df"}, false, student_t},
	{"truncated_normal", {"mean", "std", "low", "high"}, false, truncated_normal},
	{"gamma", {"shape", "scale"}, false, gamma_density},
	{"chi_squared", {"df"}, false, chi_squared},
	{"beta", {"alpha", "beta"}, false, beta},
	{"rayleigh", {"scale"}, false, rayleigh},
	{"logistic", {"loc", "scale"}, false, logistic},
	{"pareto", {"a"}, false, pareto},
	{"power", {"a"}, false, power},
	{"triangular", {"left", "mode", "right"}, false, triangular},
	{"vonmises", {"mu", "kappa"}, false, vonmises},
	{"wald", {"mean", "scale"}, false, wald},
	{"f", {"dfnum", "dfden"}, false, f_density},
	{"noncentral_chisquare", {"df", "nonc"}, false, noncentral_chisquare},
	{"noncentral_f", {"dfnum", "dfden", "nonc"}, false, noncentral_f},
	{"poisson", {"lam"}, true, poisson},
	{"binomial", {"trials", "p"}, true, binomial},
	{"geometric", {"p"}, true, geometric},
	{"bernoulli", {"p"}, true, bernoulli},
	{"randint", {"low", "high"}, true, randint},
	{"rademacher", {NULL}, true, rademacher},
	{"zipf", {"a"}, true, zipf},
	{"logseries", {"p"}, true, logseries},
	{"negative_binomial", {"successes", "p"}, true, negative_binomial},
	{"hypergeometric", {"ngood", "nbad", "nsample"}, true, hypergeometric},
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
