/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a field's spectrum, a row of wave numbers at a time. */
#include <math.h>

#include "distributions/fields/spherical.h"
#include "math/elementary_turn.h"
#include "math/special.h"

#define TWO_PI      6.28318530717958647693
#define SQRT_TWO_PI 2.50662827463100050242

/* ---- mixtures of Gaussians ---- */

/* Returns a node's width in spacings of an axis. */
static double width_on(const struct field_axis *axis, double width)
{
	return width * axis->length / axis->spacing;
}

/* Returns how many images of a spectrum count on either side: those up to 2^-56 of the nearest one at the largest k.
 * 0: the node is so narrow that its spectrum is 1. */
static unsigned count_images(double width)
{
	const double turn = TWO_PI * width;

	return width < 1.0 / 9 ? 0 : (unsigned)(0.5 + sqrt(0.25 + 78 / (turn * turn)));
}

/* Adds, for n numbers x in turns and their widths, exp(-(2 pi width (x + image))^2 / 2). x or width is the same for all. */
static void add_image(const struct algebra_kernel *kernel, const double *x, size_t x_step, const double *width, size_t width_step,
		      double image, size_t n, double *terms, double *sums)
{
	for (size_t i = 0; i < n; i++) {
		const double angle = TWO_PI * width[i * width_step] * (x[i * x_step] + image);

		terms[i] = -0.5 * (angle * angle);
	}
	kernel->functions[ALGEBRA_exp][1](NULL, (const void *const[]){terms, NULL, NULL}, n, terms);
	for (size_t i = 0; i < n; i++)
		sums[i] += terms[i];
}

/* Returns whether an image adds less than 2^-56 of the image 0 at all places from x to last, or both are 0: exp(-750) is. */
static bool is_far(double width, double x, double last, int image)
{
	const double turn = TWO_PI * width, more = image * (image + 2 * (image < 0 ? last : x));

	return 0.5 * turn * turn * (image ? more : x * x) > (image ? 39 : 750);
}

enum { COSINES = 6 };

/* Computes the spectrum of a narrow node by its covariance on the axis, which has faded after some points: 1 + 2 sum over m of
 * exp(-m^2 / 2 width^2) cos(2 pi m x), by Clenshaw's recurrence. cosines: of the places. */
static void narrow_spectrum(double width, const double *cosines, size_t n, double *ret)
{
	double a[COSINES];

	for (int m = 0; m < COSINES; m++)
		a[m] = 2 * special_exp(-0.5 * (m / width) * (m / width));
	for (size_t i = 0; i < n; i++) {
		double now = 0, before = 0;

		for (int m = COSINES - 1; m > 0; m--) {
			const double next = a[m] + 2 * cosines[i] * now - before;

			before = now;
			now = next;
		}
		ret[i] = 1 + (cosines[i] * now - before);
	}
}

/* Computes the spectrum of one node along an axis for n places x in turns, at most half a turn and increasing. */
static void node_spectrum(const struct algebra_kernel *kernel, double width, const double *x, size_t n, double *terms, double *ret)
{
	const int images = (int)count_images(width);

	for (size_t i = 0; i < n; i++)
		ret[i] = images ? 0 : 1;
	for (int image = -images; image <= images && images; image++)
		if (!is_far(width, x[0], x[n - 1], image))
			add_image(kernel, x, 1, &width, 0, image, n, terms, ret);
	for (size_t i = 0; i < n && images; i++)
		ret[i] *= SQRT_TWO_PI * width;
}

/* Multiplies the share of every node by its spectrum at x on an axis. Narrow nodes come first, and have most images. */
static void multiply_shares(const struct field *field, const struct algebra_kernel *kernel, const struct field_axis *axis, double x,
			    double *scratch, double *shares)
{
	double *width = scratch, *terms = width + field->n_nodes, *sums = terms + field->n_nodes;
	unsigned first = 0, end;
	int images;

	for (unsigned q = 0; q < field->n_nodes; q++) {
		width[q] = width_on(axis, field->width[q]);
		first += width[q] < 1.0 / 9;
		sums[q] = 0;
	}
	images = first < field->n_nodes ? (int)count_images(width[first]) : -1;
	end = first;
	for (int image = -images; image <= images; image++) {
		while (end < field->n_nodes && !is_far(width[end], x, x, image))
			end++;
		while (end > first && is_far(width[end - 1], x, x, image))
			end--;
		add_image(kernel, &x, 0, width + first, 1, image, end - first, terms, sums + first);
	}
	for (unsigned q = first; q < field->n_nodes; q++)
		shares[q] *= SQRT_TWO_PI * width[q] * sums[q];
}

/* Scratch: each node's spectrum on the last axis, the nodes' shares, and three rows of nodes. */
static void mixture_values(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, size_t n, double *scratch,
			   double *ret)
{
	double *shares = scratch + field->n_nodes * n, *rest = shares + field->n_nodes;

	for (unsigned q = 0; q < field->n_nodes; q++)
		shares[q] = field->share[q];
	for (unsigned a = 0; a + 1 < field->ndim; a++)
		multiply_shares(field, kernel, &field->axes[a], (double)row[a] / (double)field->axes[a].n, rest, shares);
	for (size_t i = 0; i < n; i++)
		ret[i] = 0;
	for (unsigned q = 0; q < field->n_nodes; q++) {
		const struct algebra_numbers numbers = {.by = shares[q]};

		kernel->functions[ALGEBRA_noise_add][1](&numbers, (const void *const[]){ret, scratch + q * n, NULL}, n, ret);
	}
}

/* ---- densities ---- */

/* Returns the square of an axis' wave number. */
static double square_of(const struct field_axis *axis, uint64_t j)
{
	const double k = TWO_PI * (double)j / ((double)axis->n * axis->spacing);

	return k * k;
}

/* exp(-exponent (ln k - ln reference)) */
static void power_values(const struct field *field, const struct algebra_kernel *kernel, size_t n, double *ret)
{
	const struct algebra_numbers numbers = {.by = -field->exponent / 2, .plus = field->exponent / 2 * field->reference};
	const void *const in[] = {ret, NULL, NULL};

	kernel->functions[ALGEBRA_log][1](NULL, in, n, ret);
	kernel->functions[ALGEBRA_scale][1](&numbers, in, n, ret);
	kernel->functions[ALGEBRA_exp][1](NULL, in, n, ret);
}

/* Two entries of a table, and what lies between. */
struct segment {
	double from, to; /* k */
	double at_from, slope; /* of P, or of ln P over ln k */
	bool logarithmic;
};

static double natural_log(const struct algebra_kernel *kernel, double x)
{
	double ret;

	kernel->functions[ALGEBRA_log][1](NULL, (const void *const[]){&x, NULL, NULL}, 1, &ret);
	return ret;
}

static struct segment find_segment(const struct field *field, const struct algebra_kernel *kernel, double k)
{
	const double *table = field->table;
	size_t low = 0, high = field->n_table - 1;
	struct segment s;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		*(k < table[2 * middle] ? &high : &low) = middle;
	}
	s = (struct segment){.from = table[2 * low], .to = table[2 * high], .at_from = table[2 * low + 1]};
	s.logarithmic = s.from > 0 && s.at_from > 0 && table[2 * high + 1] > 0;
	if (s.logarithmic) {
		s.at_from = natural_log(kernel, s.at_from);
		s.slope = (natural_log(kernel, table[2 * high + 1]) - s.at_from) / (natural_log(kernel, s.to) - natural_log(kernel, s.from));
	} else {
		s.slope = (table[2 * high + 1] - s.at_from) / (s.to - s.from);
	}
	return s;
}

/* Consecutive wave numbers mostly share a segment. */
static void table_values(const struct field *field, const struct algebra_kernel *kernel, size_t n, double *ret)
{
	const double first = field->table[0], last = field->table[2 * field->n_table - 2];
	struct segment s = {.from = INFINITY};

	for (size_t i = 0; i < n; i++) {
		const double k = sqrt(ret[i]);

		ret[i] = 0;
		if (k < first || k > last)
			continue;
		if (k < s.from || k > s.to)
			s = find_segment(field, kernel, k);
		ret[i] = s.logarithmic ? special_exp(s.at_from + s.slope * (natural_log(kernel, k) - natural_log(kernel, s.from)))
				       : s.at_from + s.slope * (k - s.from);
	}
}

/* squares: of the last axis' wave numbers. */
static void density_values(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, size_t n, const double *squares,
			   double *ret)
{
	double square = 0;

	for (unsigned a = 0; a + 1 < field->ndim; a++)
		square += square_of(&field->axes[a], row[a]);
	for (size_t i = 0; i < n; i++)
		ret[i] = square + squares[i];
	const bool is_zero = ret[0] == 0;

	if (field->model == FIELD_SPECTRUM) {
		table_values(field, kernel, n, ret);
		return;
	}
	if (is_zero)
		ret[0] = 1;
	power_values(field, kernel, n, ret);
	if (is_zero)
		ret[0] = 0;
}

/* ---- all models ---- */

static bool is_mixture(const struct field *field)
{
	return field->model == FIELD_GAUSSIAN || field->model == FIELD_MATERN;
}

bool field_is_transformed(const struct field *field)
{
	return field->truncated || field->model == FIELD_SPHERICAL;
}

size_t field_scratch(const struct field *field, size_t n)
{
	if (field_is_transformed(field))
		return 2 * n;
	return is_mixture(field) ? field->n_nodes * n + (4 * (size_t)field->n_nodes > 3 * n ? 4 * (size_t)field->n_nodes : 3 * n) : n;
}

void field_begin_block(const struct field *field, const struct algebra_kernel *kernel, uint64_t begin, size_t n, double *scratch)
{
	const struct field_axis *last = &field->axes[field->ndim - 1];
	double *x = scratch + field->n_nodes * n, *terms = x + n, *cosines = terms + n;

	if (field_is_transformed(field))
		return;
	for (size_t i = 0; i < n && !is_mixture(field); i++)
		scratch[i] = square_of(last, begin + i);
	if (!is_mixture(field))
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(begin + i) / (double)last->n;
	for (size_t i = 0; i < n; i++)
		turn_f64(x[i], 1, &cosines[i], &terms[i]);
	for (unsigned q = 0; q < field->n_nodes; q++) {
		const double width = width_on(last, field->width[q]);

		if (width >= 1.0 / 9 && width < 0.5)
			narrow_spectrum(width, cosines, n, scratch + q * n);
		else
			node_spectrum(kernel, width, x, n, terms, scratch + q * n);
	}
}

void field_values(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, size_t n, double *scratch, double *ret)
{
	if (is_mixture(field))
		mixture_values(field, kernel, row, n, scratch, ret);
	else
		density_values(field, kernel, row, n, scratch, ret);
}

/* ---- covariances ---- */

/* A node that correlates no two points counts at point 0 alone. squares: of the distances, in lengths. */
static void mixture_covariances(const struct field *field, const struct algebra_kernel *kernel, size_t n, const double *squares, double *terms,
				double *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = 0;
	for (unsigned q = 0; q < field->n_nodes; q++) {
		const double width = field->width[q], by = width > 0 ? -0.5 / (width * width) : 0;

		for (size_t i = 0; i < n; i++)
			terms[i] = width > 0 ? by * squares[i] : squares[i] > 0 ? -INFINITY : 0;
		kernel->functions[ALGEBRA_exp][1](NULL, (const void *const[]){terms, NULL, NULL}, n, terms);
		for (size_t i = 0; i < n; i++)
			ret[i] += field->share[q] * terms[i];
	}
}

/* exp(-r) */
static void exponential_covariances(const struct algebra_kernel *kernel, size_t n, const double *squares, double *ret)
{
	static const struct algebra_numbers minus = {.by = -1};
	const void *const in[] = {ret, NULL, NULL};

	kernel->functions[ALGEBRA_sqrt][1](NULL, (const void *const[]){squares, NULL, NULL}, n, ret);
	kernel->functions[ALGEBRA_scale][1](&minus, in, n, ret);
	kernel->functions[ALGEBRA_exp][1](NULL, in, n, ret);
}

void field_covariances(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, uint64_t begin, size_t n,
		       double *scratch, double *ret)
{
	const struct field_axis *last = &field->axes[field->ndim - 1];
	double distance[FIELD_DIMS], square = 0;

	for (unsigned a = 0; a + 1 < field->ndim; a++) {
		distance[a] = (double)row[a] * field->axes[a].spacing;
		square += distance[a] / field->axes[a].length * (distance[a] / field->axes[a].length);
	}
	for (size_t i = 0; i < n; i++) {
		const double x = (double)(begin + i) * last->spacing;

		distance[field->ndim - 1] = x;
		if (field->model == FIELD_SPHERICAL)
			ret[i] = spherical_at(field, distance);
		scratch[i] = square + x / last->length * (x / last->length);
	}
	if (field->model == FIELD_MATERN && field->nu == 0.5)
		exponential_covariances(kernel, n, scratch, ret);
	else if (is_mixture(field))
		mixture_covariances(field, kernel, n, scratch, scratch + n, ret);
}
