/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that laws draw from: which law needs one, and building it in memory of our own. */
#include <math.h>
#include <stdlib.h>

#include "dist/law_plan.h"
#include "dist/law_table.h"
#include "dist/special.h"

/* P(k + 1) / P(k) of poisson (mean) and of binomial (trials, odds). */
static double poisson_ratio(double k, const double *parameters)
{
	return parameters[0] / (k + 1);
}

static double binomial_ratio(double k, const double *parameters)
{
	return (parameters[0] - k) / (k + 1) * parameters[1];
}

/* How far from its mean a Poisson or binomial number of that variance lies with probability below 2^-65 (Bernstein). */
static double reach_of(double variance)
{
	return 16 + sqrt(225 + 91 * variance);
}

/* A law with P(mode) = at_mode whose chances end below 2^-65 `reach` from there. Too wide: NULL in *ret_table. */
static int discrete_new(double (*ratio)(double k, const double *parameters), const double *parameters, double mode,
			double last, double at_mode, double reach, void **ret_table)
{
	const double low = mode > reach ? floor(mode - reach) : 0,
		     high = mode + reach < last ? floor(mode + reach) : last;
	struct discrete_table *table;

	*ret_table = NULL;
	if (high - low >= DISCRETE_VALUES)
		return 0;
	table = malloc(sizeof *table);
	if (!table)
		return -ERROR_NO_MEMORY;
	discrete_table_build(ratio, parameters, (int64_t)low, (int64_t)high, (int64_t)mode, at_mode, table);
	*ret_table = table;
	return 0;
}

static int poisson_table(const struct draw *draw, void **ret_table)
{
	const double mean = draw->parameters[0].real, mode = floor(mean);

	return discrete_new(poisson_ratio, &mean, mode, 0x1p62, special_poisson(mode, mean), reach_of(mean), ret_table);
}

static int binomial_table(const struct draw *draw, void **ret_table)
{
	const double n = (double)draw->parameters[0].natural, p = draw->parameters[1].real, q = 1 - p;
	const double parameters[] = {n, p / q}, top = floor((n + 1) * p), mode = top < n ? top : n;

	if (p >= 1 || p <= 0)
		return discrete_new(binomial_ratio, parameters, p > 0 ? n : 0, p > 0 ? n : 0, 1, 0, ret_table);
	return discrete_new(binomial_ratio, parameters, mode, n, special_binomial(mode, n, p), reach_of(n * p * q),
			    ret_table);
}

static int component_table(const double *list, size_t n_list, void **ret_table)
{
	struct component_table *table = malloc(sizeof *table + n_list * sizeof *table->components);

	if (!table)
		return -ERROR_NO_MEMORY;
	table->n = n_list;
	for (size_t i = 0; i < n_list; i++)
		table->components[i] = law_gamma_constants(list[i]);
	*ret_table = table;
	return 0;
}

int law_plan_table(const struct draw *draw, const double *list, size_t n_list, void **ret_table)
{
	switch (draw->law) {
	case LAW_POISSON:
		return poisson_table(draw, ret_table);
	case LAW_BINOMIAL:
		return binomial_table(draw, ret_table);
	case LAW_CATEGORICAL:
		*ret_table = alias_table_new(list, n_list);
		return *ret_table ? 0 : -ERROR_NO_MEMORY;
	case LAW_DIRICHLET:
		return component_table(list, n_list, ret_table);
	default:
		*ret_table = NULL;
		return 0;
	}
}
