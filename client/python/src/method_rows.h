/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of numpy's Generator that are one distribution of the engine, shifted or scaled at most: ROW(method, distribution,
 * what it does, ...) and TYPED(...), the same of those with dtype and out. The rest are members of struct method. Arguments and
 * documents are made of the rows, and the types in _core.pyi of the documents. */
TYPED(random, "uniform", "Draw from [0, 1): multiples of 2**-53, of float32 2**-24.",
	.plan = plan_plain, .example = "trnsci.Generator(1).random(2).round(3)\narray([0.067, 0.967])")
TYPED(standard_normal, "normal", "Draw standard normal numbers, by Box and Muller's method.",
	.plan = plan_plain,
	.notes = "float32 numbers end at 5.88 standard deviations: of 10**10 samples 41\n"
	     "should lie beyond. Those of ``session.draw('normal', n, 'f4',\n"
	     "method='boxmuller64')`` end at 9.4 and take 1.7 times as long.",
	.example = "trnsci.Generator(1).standard_normal(2).shape\n(2,)")
TYPED(standard_exponential, "exponential", "Draw exponential numbers of mean 1.",
	.takes_method = true, .plan = plan_plain,
	.example = "bool(trnsci.Generator(1).standard_exponential(3).min() > 0)\nTrue")
TYPED(standard_gamma, "gamma", "Draw gamma numbers of scale 1.",
	PARAMS({"shape", REQUIRED, NON_NEGATIVE, "Shape of the distribution, 0 and up."}),
	EDGES({0, 0, 0, 0}, {0, 0, INFINITY, INFINITY}),
	.plan = plan_plain, .example = "trnsci.Generator(1).standard_gamma([1.0, 2.0]).shape\n(2,)")
ROW(uniform, "uniform", "Draw from [low, high).",
	PARAMS({"low", 0, ANY_NUMBER, "Bounds; the upper one is never reached."}, {"high", 1, ANY_NUMBER}),
	.one_recipe = true, .plan = plan_uniform, .check = check_uniform,
	.example = "bool(trnsci.Generator(1).uniform(-1, 1, 100).min() >= -1)\nTrue")
ROW(normal, "normal", "Draw normal numbers of float64.",
	PARAMS({"loc", 0, ANY_NUMBER, "Mean and standard deviation.", "mean"}, {"scale", 1, NON_NEGATIVE, NULL, "std"}),
	.one_recipe = true, .plan = plan_affine,
	.notes = "Those of float32 (`standard_normal`) end at 5.88 standard deviations.",
	.example = "trnsci.Generator(1).normal([0.0, 5.0], 1.0, (3, 2)).shape\n(3, 2)")
ROW(laplace, "laplace", "Draw from a Laplace (double exponential) distribution.",
	PARAMS({"loc", 0, ANY_NUMBER, "Centre and scale."}, {"scale", 1, NON_NEGATIVE}),
	.one_recipe = true, .plan = plan_affine)
ROW(gumbel, "gumbel", "Draw from a Gumbel (extreme value) distribution.",
	PARAMS({"loc", 0, ANY_NUMBER, "Mode and scale."}, {"scale", 1, NON_NEGATIVE}),
	.one_recipe = true, .plan = plan_affine)
ROW(exponential, "exponential", "Draw exponential numbers.",
	PARAMS({"scale", 1, NON_NEGATIVE, "Mean of the distribution.", "rate"}),
	.one_recipe = true, .plan = plan_affine)
ROW(rayleigh, "rayleigh", "Draw from a Rayleigh distribution.",
	PARAMS({"scale", 1, NON_NEGATIVE, "Mode of the distribution."}),
	.one_recipe = true, .plan = plan_affine)
ROW(standard_cauchy, "cauchy", "Draw from a Cauchy distribution of centre 0 and scale 1.",
	.one_recipe = true, .plan = plan_plain)
ROW(gamma, "gamma", "Draw gamma numbers.",
	PARAMS({"shape", REQUIRED, NON_NEGATIVE, "Shape and scale, 0 and up."}, {"scale", 1, NON_NEGATIVE}),
	EDGES({0, 0, 0, 0}, {0, 0, INFINITY, INFINITY}),
	.plan = plan_gamma)
ROW(chisquare, "chi_squared", "Draw chi-squared numbers.",
	PARAMS({"df", REQUIRED, POSITIVE, "Degrees of freedom, above 0."}),
	EDGES({0, 0, INFINITY, INFINITY}),
	.plan = plan_plain)
ROW(standard_t, "student_t", "Draw from Student's t distribution.",
	PARAMS({"df", REQUIRED, POSITIVE, "Degrees of freedom, above 0."}),
	.plan = plan_standard_t)
ROW(weibull, "weibull", "Draw from a Weibull distribution of scale 1.",
	PARAMS({"a", REQUIRED, NON_NEGATIVE, "Exponent, 0 and up.", "shape"}),
	EDGES({0, 0, 0, 0}, {0, 0, INFINITY, 1}),
	.plan = plan_plain)
ROW(beta, "beta", "Draw from a beta distribution.",
	PARAMS({"a", REQUIRED, POSITIVE, "Parameters, above 0.", "alpha"}, {"b", REQUIRED, POSITIVE, NULL, "beta"}),
	EDGES({1, P(0), INFINITY, 0}),
	.plan = plan_plain)
ROW(lognormal, "lognormal", "Draw numbers whose logarithm is normal.",
	PARAMS({"mean", 0, ANY_NUMBER, "Mean and standard deviation of the logarithm."},
	       {"sigma", 1, NON_NEGATIVE, NULL, "std"}),
	.plan = plan_lognormal)
ROW(poisson, "poisson", "Draw Poisson counts.",
	PARAMS({"lam", 1, MEAN_OF_COUNTS, "Mean, 0 to 1e15."}),
	.counts = true, .plan = plan_plain,
	.example = "trnsci.Generator(1).poisson(0.0, 3)\narray([0, 0, 0])")
ROW(binomial, "binomial", "Draw counts of successes among trials.",
	PARAMS({"n", REQUIRED, COUNT, "Trials, 0 to 2**52.", "trials"},
	       {"p", REQUIRED, PROBABILITY, "Probability of a success."}),
	.counts = true, .plan = plan_plain,
	.example = "trnsci.Generator(1).binomial(5, 1.0)\n5")
ROW(geometric, "geometric", "Draw counts of trials up to the first success.",
	PARAMS({"p", REQUIRED, PROBABILITY_NOT_0, "Probability of a success, above 0."}),
	.counts = true, .plan = plan_plain)
ROW(logistic, "logistic", "Draw from a logistic distribution.",
	PARAMS({"loc", 0, ANY_NUMBER, "Centre and scale."}, {"scale", 1, NON_NEGATIVE}),
	.one_recipe = true, .plan = plan_affine)
ROW(pareto, "pareto", "Draw from a Pareto II (Lomax) distribution.",
	PARAMS({"a", REQUIRED, POSITIVE, "Shape of the distribution, above 0."}),
	EDGES({0, 0, INFINITY, 0}),
	.plan = plan_plain)
ROW(power, "power", "Draw from [0, 1] with a density of ``a x**(a - 1)``.",
	PARAMS({"a", REQUIRED, POSITIVE, "Exponent, above 0."}),
	EDGES({0, 0, INFINITY, 1}),
	.plan = plan_plain,
	.example = "bool(trnsci.Generator(1).power(2.0, 3).max() <= 1)\nTrue")
ROW(triangular, "triangular", "Draw from a triangular distribution over [left, right].",
	PARAMS({"left", REQUIRED, ANY_NUMBER, "Least value, peak and greatest value."},
	       {"mode", REQUIRED, ANY_NUMBER}, {"right", REQUIRED, ANY_NUMBER}),
	EDGES({0, P(2), -INFINITY, -INFINITY}),
	.plan = plan_plain, .check = check_triangular)
ROW(vonmises, "vonmises", "Draw angles from a von Mises distribution.",
	PARAMS({"mu", REQUIRED, ANY_NUMBER, "Mode and concentration, 0 and up."}, {"kappa", REQUIRED, NON_NEGATIVE}),
	.plan = plan_vonmises)
ROW(wald, "wald", "Draw from a Wald (inverse Gaussian) distribution.",
	PARAMS({"mean", REQUIRED, POSITIVE, "Parameters of the distribution, above 0."}, {"scale", REQUIRED, POSITIVE}),
	.plan = plan_plain)
ROW(f, "f", "Draw from an F distribution.",
	PARAMS({"dfnum", REQUIRED, POSITIVE, "Degrees of freedom, above 0."}, {"dfden", REQUIRED, POSITIVE}),
	.plan = plan_plain)
ROW(noncentral_chisquare, "noncentral_chisquare", "Draw from a noncentral chi-squared distribution.",
	PARAMS({"df", REQUIRED, POSITIVE, "Degrees of freedom, above 0, and noncentrality, 0 and up."},
	       {"nonc", REQUIRED, NON_NEGATIVE}),
	EDGES({0, 0, INFINITY, INFINITY}, {1, 0, INFINITY, INFINITY}),
	.plan = plan_plain)
ROW(noncentral_f, "noncentral_f", "Draw from a noncentral F distribution.",
	PARAMS({"dfnum", REQUIRED, POSITIVE, "Degrees of freedom, above 0, and noncentrality, 0 and up."},
	       {"dfden", REQUIRED, POSITIVE}, {"nonc", REQUIRED, NON_NEGATIVE}),
	EDGES({2, P(0) | P(1), INFINITY, INFINITY}),
	.plan = plan_plain)
ROW(zipf, "zipf", "Draw from a Zipf distribution.",
	PARAMS({"a", REQUIRED, ABOVE_1, "Exponent, above 1."}),
	.counts = true, .plan = plan_zipf)
ROW(logseries, "logseries", "Draw from a logarithmic series distribution.",
	PARAMS({"p", REQUIRED, PROBABILITY_NOT_1, "Parameter of the distribution, in [0, 1)."}),
	.counts = true, .plan = plan_plain)
ROW(negative_binomial, "negative_binomial", "Draw failures before `n` successes.",
	PARAMS({"n", REQUIRED, POSITIVE_NOT_NAN, "Successes, above 0, and their probability, above 0 to 1.", "successes"},
	       {"p", REQUIRED, PROBABILITY_NOT_0}),
	EDGES({1, 0, 1, 0}),
	.counts = true, .plan = plan_plain)
ROW(hypergeometric, "hypergeometric", "Draw good ones among items taken without replacement.",
	PARAMS({"ngood", REQUIRED, COUNT, "Items of both kinds, and how many of them are taken."},
	       {"nbad", REQUIRED, COUNT}, {"nsample", REQUIRED, COUNT}),
	.counts = true, .plan = plan_plain, .check = check_hypergeometric,
	.example = "trnsci.Generator(1).hypergeometric(5, 0, 3)\n3")
