/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that distributions draw from: which distribution needs one, and building it in memory of our own. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "dist/dist_plan.h"
#include "dist/dist_table.h"
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

/* A distribution with P(mode) = at_mode whose chances end below 2^-65 `reach` from there. */
static struct discrete discrete_of(double (*ratio)(double k, const double *parameters), double first, double second,
				   double mode, double last, double at_mode, double reach)
{
	return (struct discrete){.ratio = ratio,
				 .parameters = {first, second},
				 .mode = mode,
				 .at_mode = at_mode,
				 .low = mode > reach ? floor(mode - reach) : 0,
				 .high = mode + reach < last ? floor(mode + reach) : last};
}

static struct discrete poisson(const struct draw *draw)
{
	const double mean = draw->parameters[0].real, mode = floor(mean);

	return discrete_of(poisson_ratio, mean, 0, mode, 0x1p62, special_poisson(mode, mean), reach_of(mean));
}

static struct discrete binomial(const struct draw *draw)
{
	const double n = (double)draw->parameters[0].natural, p = draw->parameters[1].real, q = 1 - p;
	const double top = floor((n + 1) * p), mode = top < n ? top : n;

	if (p >= 1 || p <= 0)
		return discrete_of(binomial_ratio, n, p / q, p > 0 ? n : 0, p > 0 ? n : 0, 1, 0);
	return discrete_of(binomial_ratio, n, p / q, mode, n, special_binomial(mode, n, p), reach_of(n * p * q));
}

static struct discrete discrete_distribution(const struct draw *draw)
{
	return draw->distribution == DIST_POISSON ? poisson(draw) : binomial(draw);
}

/* ---- tables ---- */

enum { DISCRETE_NS = 8000, VALUE_NS = 12, COMPONENT_NS = 30, WEIGHT_NS = 40 };

/* Of a distribution that is too wide for one: NULL, and no error. */
static int alloc_table(const struct draw *draw, size_t n_list, void **ret_table, uint64_t *ret_cost_ns,
		       struct discrete *ret_discrete)
{
	struct component_table *components;

	*ret_table = NULL;
	*ret_cost_ns = 0;
	switch (draw->distribution) {
	case DIST_POISSON:
	case DIST_BINOMIAL:
		*ret_discrete = discrete_distribution(draw);
		if (ret_discrete->high - ret_discrete->low >= DISCRETE_VALUES)
			return 0;
		*ret_cost_ns = DISCRETE_NS + VALUE_NS * (uint64_t)(ret_discrete->high - ret_discrete->low);
		*ret_table = malloc(sizeof(struct discrete_table));
		break;
	case DIST_CATEGORICAL:
		*ret_cost_ns = WEIGHT_NS * n_list;
		*ret_table = alias_table_alloc(n_list);
		break;
	case DIST_DIRICHLET:
		*ret_cost_ns = COMPONENT_NS * n_list;
		components = malloc(sizeof *components + n_list * sizeof *components->components);
		if (components)
			components->n = n_list;
		*ret_table = components;
		break;
	default:
		return 0;
	}
	return *ret_table ? 0 : -ERROR_NO_MEMORY;
}

static void fill_components(const double *list, struct component_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		table->components[i] = dist_gamma_constants(list[i]);
}

/* What is quick to check; of categorical its number of weights. */
static int check(const struct draw *draw, const void *list, size_t n_list, struct dist_fault *ret_fault)
{
	if (draw->distribution == DIST_CATEGORICAL)
		return dist_check_weight_count(n_list, ret_fault);
	return dist_check(draw->distribution, draw->dtype, draw->parameters, list, n_list, ret_fault);
}

static int no_memory(struct dist_fault *ret_fault)
{
	*ret_fault = (struct dist_fault){.code = ERROR_NO_MEMORY, .text = "no memory for the distribution's table"};
	return -ERROR_NO_MEMORY;
}

/* ---- makers ---- */

int draw_maker_begin(struct draw *draw, const void *list, size_t n_list, struct draw_maker *ret_maker,
		     struct dist_fault *ret_fault)
{
	uint64_t cost_ns;
	void *table;
	int error;

	assert(dist_has_dtype(draw->distribution, draw->dtype));
	error = check(draw, list, n_list, ret_fault);
	if (error)
		return error;
	if (alloc_table(draw, n_list, &table, &cost_ns, &ret_maker->discrete))
		return no_memory(ret_fault);
	draw->table = table;
	ret_maker->table = table;
	ret_maker->is_checked = draw->distribution != DIST_CATEGORICAL;
	ret_maker->draw.distribution = draw->distribution;
	if (!table)
		return 0;
	ret_maker->draw = *draw;
	ret_maker->list = list;
	ret_maker->n_list = n_list;
	ret_maker->cost_ns = cost_ns;
	ret_maker->work_bytes = draw->distribution == DIST_CATEGORICAL ? n_list * ALIAS_WORK_BYTES : 0;
	ret_maker->checked = 0;
	ret_maker->most = 0;
	return 0;
}

/* The rest of the check, by a piece. */
static int check_piece(struct draw_maker *maker, struct dist_fault *ret_fault)
{
	const size_t n = maker->n_list, left = n - maker->checked,
		     end = left < ALIAS_PIECE ? n : maker->checked + ALIAS_PIECE;
	int error = dist_check_weights(maker->list, maker->checked, end, &maker->most, ret_fault);

	maker->checked = end;
	if (!error && end == n)
		error = dist_check_most_weight(maker->most, ret_fault);
	if (error || end < n)
		return error ? error : 1;
	maker->is_checked = true;
	alias_maker_init(&maker->alias, maker->list, maker->most, maker->table);
	return 1;
}

int draw_maker_check(struct draw_maker *maker, struct dist_fault *ret_fault)
{
	int error = 0;

	while (!maker->is_checked && error >= 0)
		error = check_piece(maker, ret_fault);
	return error < 0 ? error : 0;
}

int draw_maker_piece(struct draw_maker *maker, struct dist_fault *ret_fault)
{
	const struct discrete *discrete = &maker->discrete;
	int more;

	if (!maker->is_checked)
		return check_piece(maker, ret_fault);
	if (!maker->table)
		return 0;
	switch (maker->draw.distribution) {
	case DIST_CATEGORICAL:
		more = alias_maker_piece(&maker->alias);
		return more < 0 ? no_memory(ret_fault) : more;
	case DIST_DIRICHLET:
		fill_components(maker->list, maker->table);
		return 0;
	default:
		discrete_table_build(discrete->ratio, discrete->parameters, (int64_t)discrete->low,
				     (int64_t)discrete->high, (int64_t)discrete->mode, discrete->at_mode, maker->table);
		return 0;
	}
}

void draw_maker_end(struct draw_maker *maker)
{
	if (maker->draw.distribution == DIST_CATEGORICAL && maker->is_checked)
		alias_maker_end(&maker->alias);
}

int draw_prepare(struct draw *draw, const double *list, size_t n_list, void **ret_table, struct dist_fault *ret_fault)
{
	struct draw_maker maker;
	int more = draw_maker_begin(draw, list, n_list, &maker, ret_fault);

	if (more)
		return more;
	do
		more = draw_maker_piece(&maker, ret_fault);
	while (more > 0);
	draw_maker_end(&maker);
	if (more < 0) {
		free(maker.table);
		draw->table = NULL;
		return more;
	}
	*ret_table = maker.table;
	return 0;
}
