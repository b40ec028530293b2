/* SPDX-License-Identifier: Apache-2.0 */
/* The docstrings of the methods that are written in C; tests run their examples. */
#ifndef TRNSCI_PYTHON_DOCUMENTS_H
#define TRNSCI_PYTHON_DOCUMENTS_H

#define DOC_random \
	"random($self, size=None, dtype='float64', out=None)\n" \
	"--\n\n" \
	"Draw from [0, 1): multiples of 2**-53, of float32 2**-24.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n" \
	"dtype : dtype, optional\n" \
	"    float64 or float32.\n" \
	"out : ndarray, optional\n" \
	"    Where the samples go; returned.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).random(2).round(3)\n" \
	"array([0.067, 0.967])\n"

#define DOC_standard_normal \
	"standard_normal($self, size=None, dtype='float64', out=None)\n" \
	"--\n\n" \
	"Draw standard normal numbers, by Box and Muller's method.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n" \
	"dtype : dtype, optional\n" \
	"    float64 or float32.\n" \
	"out : ndarray, optional\n" \
	"    Where the samples go; returned.\n\n" \
	"Notes\n" \
	"-----\n" \
	"float32 numbers end at 5.88 standard deviations: of 10**10 samples 41\n" \
	"should lie beyond. Those of ``session.draw('normal', n, 'f4',\n" \
	"method='boxmuller64')`` end at 9.4 and take 1.7 times as long.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).standard_normal(2).shape\n" \
	"(2,)\n"

#define DOC_standard_exponential \
	"standard_exponential($self, size=None, dtype='float64', method='zig', out=None)\n" \
	"--\n\n" \
	"Draw exponential numbers of mean 1.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n" \
	"dtype : dtype, optional\n" \
	"    float64 or float32.\n" \
	"method : str, optional\n" \
	"    Ignored: there is one method, by inversion.\n" \
	"out : ndarray, optional\n" \
	"    Where the samples go; returned.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> bool(trnsci.Generator(1).standard_exponential(3).min() > 0)\n" \
	"True\n"

#define DOC_standard_gamma \
	"standard_gamma($self, shape, size=None, dtype='float64', out=None)\n" \
	"--\n\n" \
	"Draw gamma numbers of scale 1.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"shape : float or array_like of floats\n" \
	"    Shape of the distribution, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n" \
	"dtype : dtype, optional\n" \
	"    float64 or float32.\n" \
	"out : ndarray, optional\n" \
	"    Where the samples go; returned.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).standard_gamma([1.0, 2.0]).shape\n" \
	"(2,)\n"

#define DOC_uniform \
	"uniform($self, low=0.0, high=1.0, size=None)\n" \
	"--\n\n" \
	"Draw from [low, high).\n\n" \
	"Parameters\n" \
	"----------\n" \
	"low, high : float or array_like of floats, optional\n" \
	"    Bounds; the upper one is never reached.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> bool(trnsci.Generator(1).uniform(-1, 1, 100).min() >= -1)\n" \
	"True\n"

#define DOC_normal \
	"normal($self, loc=0.0, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw normal numbers of float64.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"loc, scale : float or array_like of floats, optional\n" \
	"    Mean and standard deviation.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Notes\n" \
	"-----\n" \
	"Those of float32 (`standard_normal`) end at 5.88 standard deviations.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).normal([0.0, 5.0], 1.0, (3, 2)).shape\n" \
	"(3, 2)\n"

#define DOC_laplace \
	"laplace($self, loc=0.0, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw from a Laplace (double exponential) distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"loc, scale : float or array_like of floats, optional\n" \
	"    Centre and scale.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_gumbel \
	"gumbel($self, loc=0.0, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw from a Gumbel (extreme value) distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"loc, scale : float or array_like of floats, optional\n" \
	"    Mode and scale.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_exponential \
	"exponential($self, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw exponential numbers.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"scale : float or array_like of floats, optional\n" \
	"    Mean of the distribution.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_rayleigh \
	"rayleigh($self, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw from a Rayleigh distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"scale : float or array_like of floats, optional\n" \
	"    Mode of the distribution.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_standard_cauchy \
	"standard_cauchy($self, size=None)\n" \
	"--\n\n" \
	"Draw from a Cauchy distribution of centre 0 and scale 1.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_gamma \
	"gamma($self, shape, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw gamma numbers.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"shape, scale : float or array_like of floats\n" \
	"    Shape and scale, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_chisquare \
	"chisquare($self, df, size=None)\n" \
	"--\n\n" \
	"Draw chi-squared numbers.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"df : float or array_like of floats\n" \
	"    Degrees of freedom, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_standard_t \
	"standard_t($self, df, size=None)\n" \
	"--\n\n" \
	"Draw from Student's t distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"df : float or array_like of floats\n" \
	"    Degrees of freedom, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_weibull \
	"weibull($self, a, size=None)\n" \
	"--\n\n" \
	"Draw from a Weibull distribution of scale 1.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"a : float or array_like of floats\n" \
	"    Exponent, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_beta \
	"beta($self, a, b, size=None)\n" \
	"--\n\n" \
	"Draw from a beta distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"a, b : float or array_like of floats\n" \
	"    Parameters, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_lognormal \
	"lognormal($self, mean=0.0, sigma=1.0, size=None)\n" \
	"--\n\n" \
	"Draw numbers whose logarithm is normal.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"mean, sigma : float or array_like of floats, optional\n" \
	"    Mean and standard deviation of the logarithm.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_poisson \
	"poisson($self, lam=1.0, size=None)\n" \
	"--\n\n" \
	"Draw Poisson counts.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"lam : float or array_like of floats, optional\n" \
	"    Mean, 0 to 1e15.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).poisson(0.0, 3)\n" \
	"array([0, 0, 0])\n"

#define DOC_binomial \
	"binomial($self, n, p, size=None)\n" \
	"--\n\n" \
	"Draw counts of successes among trials.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"n : int or array_like of ints\n" \
	"    Trials, 0 to 2**52.\n" \
	"p : float or array_like of floats\n" \
	"    Probability of a success.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).binomial(5, 1.0)\n" \
	"5\n"

#define DOC_geometric \
	"geometric($self, p, size=None)\n" \
	"--\n\n" \
	"Draw counts of trials up to the first success.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"p : float or array_like of floats\n" \
	"    Probability of a success, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_logistic \
	"logistic($self, loc=0.0, scale=1.0, size=None)\n" \
	"--\n\n" \
	"Draw from a logistic distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"loc, scale : float or array_like of floats, optional\n" \
	"    Centre and scale.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_pareto \
	"pareto($self, a, size=None)\n" \
	"--\n\n" \
	"Draw from a Pareto II (Lomax) distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"a : float or array_like of floats\n" \
	"    Shape of the distribution, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_power \
	"power($self, a, size=None)\n" \
	"--\n\n" \
	"Draw from [0, 1] with a density of ``a x**(a - 1)``.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"a : float or array_like of floats\n" \
	"    Exponent, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> bool(trnsci.Generator(1).power(2.0, 3).max() <= 1)\n" \
	"True\n"

#define DOC_triangular \
	"triangular($self, left, mode, right, size=None)\n" \
	"--\n\n" \
	"Draw from a triangular distribution over [left, right].\n\n" \
	"Parameters\n" \
	"----------\n" \
	"left, mode, right : float or array_like of floats\n" \
	"    Least value, peak and greatest value.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_vonmises \
	"vonmises($self, mu, kappa, size=None)\n" \
	"--\n\n" \
	"Draw angles from a von Mises distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"mu, kappa : float or array_like of floats\n" \
	"    Mode and concentration, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_wald \
	"wald($self, mean, scale, size=None)\n" \
	"--\n\n" \
	"Draw from a Wald (inverse Gaussian) distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"mean, scale : float or array_like of floats\n" \
	"    Parameters of the distribution, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_f \
	"f($self, dfnum, dfden, size=None)\n" \
	"--\n\n" \
	"Draw from an F distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"dfnum, dfden : float or array_like of floats\n" \
	"    Degrees of freedom, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_noncentral_chisquare \
	"noncentral_chisquare($self, df, nonc, size=None)\n" \
	"--\n\n" \
	"Draw from a noncentral chi-squared distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"df, nonc : float or array_like of floats\n" \
	"    Degrees of freedom, above 0, and noncentrality, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_noncentral_f \
	"noncentral_f($self, dfnum, dfden, nonc, size=None)\n" \
	"--\n\n" \
	"Draw from a noncentral F distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"dfnum, dfden, nonc : float or array_like of floats\n" \
	"    Degrees of freedom, above 0, and noncentrality, 0 and up.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_zipf \
	"zipf($self, a, size=None)\n" \
	"--\n\n" \
	"Draw from a Zipf distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"a : float or array_like of floats\n" \
	"    Exponent, above 1.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_logseries \
	"logseries($self, p, size=None)\n" \
	"--\n\n" \
	"Draw from a logarithmic series distribution.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"p : float or array_like of floats\n" \
	"    Parameter of the distribution, in [0, 1).\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_negative_binomial \
	"negative_binomial($self, n, p, size=None)\n" \
	"--\n\n" \
	"Draw failures before `n` successes.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"n, p : float or array_like of floats\n" \
	"    Successes, above 0, and their probability, above 0 to 1.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n"

#define DOC_hypergeometric \
	"hypergeometric($self, ngood, nbad, nsample, size=None)\n" \
	"--\n\n" \
	"Draw good ones among items taken without replacement.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"ngood, nbad, nsample : int or array_like of ints\n" \
	"    Items of both kinds, and how many of them are taken.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).hypergeometric(5, 0, 3)\n" \
	"3\n"

#define DOC_integers \
	"integers($self, low, high=None, size=None, dtype='int64', endpoint=False)\n" \
	"--\n\n" \
	"Draw integers of [low, high), each as likely.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"low, high : int or array_like of ints\n" \
	"    Bounds; without `high`, of [0, low).\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result; default: one number, or that of the parameters.\n" \
	"dtype : dtype, optional\n" \
	"    An integer dtype or bool; default: int64.\n" \
	"endpoint : bool, optional\n" \
	"    Whether `high` belongs to the range.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).integers(1, 7, 5)\n" \
	"array([1, 6, 1, 6, 3])\n"

#define DOC_bytes \
	"bytes($self, length)\n" \
	"--\n\n" \
	"Return random bytes: words of the stream, little endian.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"length : int\n" \
	"    How many.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> len(trnsci.Generator(1).bytes(5))\n" \
	"5\n"

#define DOC_dirichlet \
	"dirichlet($self, alpha, size=None)\n" \
	"--\n\n" \
	"Draw shares of 1.\n\n" \
	"Parameters\n" \
	"----------\n" \
	"alpha : 1-D array_like of floats\n" \
	"    Parameter of each share, above 0.\n" \
	"size : int or tuple of ints, optional\n" \
	"    Shape of the result, without the axis of the shares.\n\n" \
	"Examples\n" \
	"--------\n" \
	">>> import trnsci\n" \
	">>> trnsci.Generator(1).dirichlet([1.0, 2.0, 3.0], 4).shape\n" \
	"(4, 3)\n"

#endif
