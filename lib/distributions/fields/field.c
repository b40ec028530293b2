/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing a field: the nodes of its mixture, its reference and its factor, and whether its numbers stay finite. */
#include "distributions/fields/field.h"

#include <float.h>
#include <math.h>

#include "math/special.h"

#define PI 3.14159265358979323846

/* A node narrower than that share of the spacing correlates no two points. exp(-9^2 / 2) = 2^-58. */
#define APART (1.0 / 9)

/* Below that share of the largest one a node's weight is left out: 2^-110, the square of the rounding of float64. */
#define NEGLIGIBLE 76.0

static double natural_log(double x)
{
	double ret;

	algebra_scalar.functions[ALGEBRA_log][1](NULL, (const void *const[]){&x, NULL, NULL}, 1, &ret);
	return ret;
}

double field_least_k(const struct field *field)
{
	double least = INFINITY;

	for (unsigned a = 0; a < field->ndim; a++) {
		const double k = 2 * PI / ((double)field->axes[a].n * field->axes[a].spacing);

		least = k < least ? k : least;
	}
	return least;
}

double field_most_k(const struct field *field)
{
	double sum = 0;

	for (unsigned a = 0; a < field->ndim; a++) {
		const struct field_axis *axis = &field->axes[a];
		const double k = 2 * PI * (double)(axis->n / 2) / ((double)axis->n * axis->spacing);

		sum += k * k;
	}
	return sqrt(sum);
}

size_t field_check_table(const double *table, size_t n)
{
	for (size_t i = 0; i < 2 * n; i++)
		if (!(table[i] >= 0) || table[i] > DBL_MAX || (i % 2 == 0 && i > 0 && !(table[i] > table[i - 2])))
			return i;
	return 2 * n;
}

static double cell_of(const struct field *field)
{
	double cell = 1;

	for (unsigned a = 0; a < field->ndim; a++)
		cell *= field->axes[a].spacing;
	return cell;
}

/* Returns the longest length in spacings. */
static double longest(const struct field *field)
{
	double most = 0;

	for (unsigned a = 0; a < field->ndim; a++) {
		const double length = field->axes[a].length / field->axes[a].spacing;

		most = length > most ? length : most;
	}
	return most;
}

/* Returns the logarithm of the weight at u = ln t, less that of the largest. */
static double log_weight(double nu, double u)
{
	return nu * (u - natural_log(nu)) - special_exp(u) + nu;
}

/* Returns whether a node at u or below it has a weight that counts. */
static bool counts(double nu, double u)
{
	return u > natural_log(nu) || log_weight(nu, u) + NEGLIGIBLE > 0;
}

/* Sums the weights below u, whose nodes correlate no two points. Where e^-t is 1 they are a geometric series. */
static double weights_below(double nu, double u, double step)
{
	double sum = 0;

	for (; u > -38; u -= step)
		sum += special_exp(log_weight(nu, u));
	return sum + special_exp(log_weight(nu, u)) / -special_expm1(-nu * step);
}

/* Sets the nodes of Matern's covariance, at equal steps of ln t. |Gamma(a + 2 pi i / step)| / Gamma(a), a up to nu + 4, is below
 * 1e-12: that bounds the rule's relative error at every k. */
static void set_nodes(struct field *field)
{
	const double nu = field->nu, step = 0.5 / sqrt(nu + 4), least = APART / longest(field);
	double u = natural_log(nu), sum = 0;
	unsigned n = 0;

	/* The widest node: at k = 0 weights are multiplied by t^(d / 2). */
	while (log_weight(nu, u) + field->ndim * (u - natural_log(nu)) / 2 > -NEGLIGIBLE)
		u += step;
	for (; n + 1 < FIELD_NODES && counts(nu, u); u -= step) {
		const double width = special_exp((u - natural_log(nu)) / 2);

		if (width < least)
			break;
		field->width[n] = width;
		field->share[n++] = special_exp(log_weight(nu, u));
	}
	field->width[n] = 0;
	field->share[n++] = counts(nu, u) ? weights_below(nu, u, step) : 0;
	for (unsigned i = 0; i < n; i++)
		sum += field->share[i];
	/* The narrowest first. */
	for (unsigned i = 0; i < n - i; i++) {
		const double width = field->width[i], share = field->share[i];

		field->width[i] = field->width[n - 1 - i];
		field->share[i] = field->share[n - 1 - i] / sum;
		field->width[n - 1 - i] = width;
		field->share[n - 1 - i] = share / sum;
	}
	field->n_nodes = n;
}

/* Returns a bound of the largest lambda. */
static double bound_lambda(const struct field *field)
{
	double most = 1;

	if (field->model == FIELD_SPECTRUM && !field->scales) {
		most = 0;
		for (size_t i = 0; i < field->n_table; i++)
			most = field->table[2 * i + 1] > most ? field->table[2 * i + 1] : most;
		return most / cell_of(field);
	}
	for (unsigned a = 0; a < field->ndim; a++) {
		const double length = field->axes[a].length / field->axes[a].spacing;

		most *= field->scales ? (double)field->axes[a].n : 20 * (1 + length);
	}
	return most * field->std * field->std;
}

/* The elements of the spectrum of white normals have the variance N, and those beyond 30 standard deviations do not occur. */
static bool overflows(const struct field *field)
{
	double n = 1;

	for (unsigned a = 0; a < field->ndim; a++)
		n *= (double)field->axes[a].n;
	return !(sqrt(bound_lambda(field)) * sqrt(n) * 30 < (field->wide ? DBL_MAX : FLT_MAX));
}

/* ---- grids that are not periodic ---- */

/* Returns a node's correlation at a distance in lengths. */
static double node_at(double width, double r)
{
	return width > 0 ? special_exp(-0.5 * (r / width) * (r / width)) : 0;
}

/* Returns a distance in lengths from which on the correlation is at most `error`. */
static double find_reach(const struct field *field, double error)
{
	double low = 0, high = field->width[field->n_nodes - 1] * 40;

	for (int i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;
		double sum = 0;

		for (unsigned q = 0; q < field->n_nodes; q++)
			sum += field->share[q] * node_at(field->width[q], middle);
		*(sum > error ? &low : &high) = middle;
	}
	return high;
}

uint64_t field_next_smooth(uint64_t n)
{
	for (;; n++) {
		uint64_t left = n;

		for (uint64_t factor = 2; factor <= 5; factor++)
			while (left % factor == 0)
				left /= factor;
		if (left == 1)
			return n;
	}
}

/* A point has two images next to it on each axis, which may be combined: 2^(2 d) covers them all. */
void field_embed(struct field *field, double error)
{
	const double reach = field->model == FIELD_SPHERICAL ? 1 : find_reach(field, error / (1 << (2 * field->ndim)));

	for (unsigned a = 0; a < field->ndim; a++) {
		struct field_axis *axis = &field->axes[a];
		const uint64_t last = axis->n - 1, most = 2 * FIELD_EMBEDDING * last;
		const double needed = (double)last + reach * axis->length / axis->spacing + 1;

		axis->n = field_next_smooth(needed > (double)most ? most : needed > (double)axis->n ? (uint64_t)needed : axis->n);
	}
}

/* Returns x^n. */
static double integer_power(double x, unsigned n)
{
	double ret = 1;

	for (; n > 0; n--)
		ret *= x;
	return ret;
}

/* Returns the least half extent in lengths, for points of which `points` lie in a length. A covariance that ends there has a kink, which adds
 * up to 2 |C'| / k^2 to its spectrum along an axis; C is summed over the other axes. Up to nu = 1/2 the spectrum falls no faster than
 * k^-2 but for these, so that the largest k is the worst. Twice the kink is allowed for; tests/python/test_fields.py has the sweep. */
static double find_truncation(const struct field *field, double points)
{
	const double k = PI * points;
	double low = 0, high = field->width[field->n_nodes - 1] * 40, spectrum = 0;

	for (unsigned q = 0; q < field->n_nodes; q++)
		spectrum += 2.5066282746310005024 * field->share[q] * integer_power(field->width[q], field->ndim) * node_at(1, k * field->width[q]);
	for (int i = 0; i < 36; i++) {
		const double middle = (low + high) / 2;
		double slope = 0;

		for (unsigned q = 0; q < field->n_nodes; q++)
			if (field->width[q] > 0)
				slope += field->share[q] * integer_power(field->width[q], field->ndim - 1) * node_at(field->width[q], middle) *
					 middle / (field->width[q] * field->width[q]);
		*(4 * slope > k * k * spectrum ? &low : &high) = middle;
	}
	return high;
}

bool field_truncate(struct field *field)
{
	const bool is_rough = field->model == FIELD_MATERN && field->nu <= 0.5;
	double resolution = 0, half = 0; /* of the axis before: mostly those of all */
	bool is_known = is_rough;

	field->truncated = true;
	for (unsigned a = 0; a < field->ndim; a++) {
		struct field_axis *axis = &field->axes[a];
		const double points = axis->length / axis->spacing, least = 2 * (double)(axis->n - 1), most = FIELD_EMBEDDING * least;
		double needed = most;

		if (is_rough && points != resolution)
			half = find_truncation(field, points);
		resolution = points;
		if (is_rough)
			needed = 2 * half * points;
		is_known &= needed <= most;
		axis->n = field_next_smooth((uint64_t)-floor(-(needed < least ? least : needed > most ? most : needed)));
	}
	return is_known;
}

/* Returns a bound of what the images on both sides add to a node's correlation along an axis, of which n points are kept. The first
 * ones are summed, an integral bounds the others: there can be many. */
static double bound_images(const struct field_axis *axis, double width, uint64_t n)
{
	const double extent = (double)axis->n * axis->spacing / axis->length, kept = (double)(n - 1) * axis->spacing / axis->length;
	double images = 0, term = 1;

	for (int m = 1; m <= 32 && term > 0; m++) {
		term = 2 * node_at(width, m * extent - kept);
		images += term;
	}
	return term > 1e-20 * images ? images + 2.5066282746310005024 * width / extent : images;
}

double field_image_bound(const struct field *field, const uint64_t *n)
{
	double sum = 0;

	for (unsigned q = 0; q < field->n_nodes; q++) {
		double all = 0; /* the product over the axes of 1 + their images, less 1 */

		for (unsigned a = 0; a < field->ndim; a++) {
			const double images = bound_images(&field->axes[a], field->width[q], n[a]);

			all += images + all * images;
		}
		sum += field->share[q] * all;
	}
	return sum;
}

enum field_fault field_prepare(struct field *field)
{
	const double least = field_least_k(field), most = field_most_k(field);
	const double log_least = natural_log(least), log_most = natural_log(most);

	field->factor = field->std * field->std;
	if (field->model == FIELD_EXPONENT) {
		field->reference = 2 * (field->exponent > 0 ? log_least : log_most);
		if (fabs(field->exponent) * (log_most - log_least) > 554)
			return FIELD_SPANS;
	}
	if (field->model == FIELD_SPECTRUM) {
		field->factor = 1 / cell_of(field);
		if (field->table[2 * field->n_table - 2] < least || field->table[0] > most)
			return FIELD_MISSES;
	}
	if (field->model == FIELD_GAUSSIAN) {
		field->n_nodes = 1;
		field->width[0] = field->share[0] = 1;
	}
	if (field->model == FIELD_MATERN)
		set_nodes(field);
	return overflows(field) ? FIELD_OVERFLOWS : FIELD_RIGHT;
}
