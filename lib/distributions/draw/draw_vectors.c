/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors are made whole on the stack: independent components, then joined by a sum in a fixed order.
 *
 * dirichlet: logarithms of gammas, less the greatest of them, so that tiny parameters give 0 beside a 1 and never 0/0.
 * sphere: normals divided by their length. */
#include "distributions/draw/draw_vectors.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/checked.h"
#include "distributions/draw/draw_direct.h"
#include "distributions/draw/draw_plan.h"
#include "distributions/draw/draw_rejection.h"
#include "distributions/tables/gamma_table.h"

/* Turns logarithms of gammas, by GAMMA_BOOST_SCALE less, into shares of 1, in place, for n_vectors vectors of n components. x has room for a multiple
 * of DIST_PAD elements. */
static void join_dirichlet(const struct draw_kernels *kernels, size_t n_vectors, size_t n, double *x)
{
	const struct dist_constants unscaled = {.scale = GAMMA_BOOST_SCALE, .shift = 0};
	const void *const inputs[] = {x};
	const size_t all = n_vectors * n, padded = (all + DIST_PAD - 1) / DIST_PAD * DIST_PAD;

	for (size_t v = 0; v < all; v += n) {
		double most = x[v];

		for (size_t i = 1; i < n; i++)
			most = x[v + i] > most ? x[v + i] : most;
		for (size_t i = 0; i < n; i++)
			x[v + i] -= most;
	}
	memset(x + all, 0, (padded - all) * sizeof *x);
	kernels->distributions->lognormal[DTYPE_F64](&unscaled, inputs, 0, padded, x, NULL);
	for (size_t v = 0; v < all; v += n) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += x[v + i];
		for (size_t i = 0; i < n; i++)
			x[v + i] /= sum;
	}
}

/* Turns normals into unit vectors, in place. Only a single component can have length 0: a pair is never (0, 0). */
static void join_sphere(size_t n_vectors, size_t n, double *x)
{
	for (double *v = x; v < x + n_vectors * n; v += n) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum = fma(v[i], v[i], sum);
		if (n == 1 || sum == 0) {
			v[0] = v[0] < 0 ? -1 : 1;
			continue;
		}
		const double length = sqrt(sum);

		for (size_t i = 0; i < n; i++)
			v[i] /= length;
	}
}

/* Writes standard normals of the draw's dtype, converted to float64. */
static void fill_normals(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			 double *ret_x)
{
	struct draw normal = {.distribution = DIST_NORMAL, .dtype = draw->dtype, .stream = draw->stream};
	float narrow[DIST_MAX_COMPONENTS];

	normal.parameters[1].real = 1;
	if (draw->dtype == DTYPE_F64) {
		draw_direct_fill(kernels, &normal, begin, n, ret_x);
		return;
	}
	draw_direct_fill(kernels, &normal, begin, n, narrow);
	for (size_t i = 0; i < n; i++)
		ret_x[i] = narrow[i];
}

/* Rounds n numbers to the dtype and stores them at any alignment. */
static void store_rounded(enum dtype dtype, const double *x, size_t n, char *out)
{
	if (dtype == DTYPE_F64) {
		memcpy(out, x, n * sizeof *x);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const float rounded = (float)x[i];

		memcpy(out + i * sizeof rounded, &rounded, sizeof rounded);
	}
}

void draw_vectors_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const size_t components = draw_components(draw), size = dtype_size(draw->dtype);
	const size_t most = DIST_MAX_COMPONENTS / components;
	const enum dist_way way = dist_row(draw->distribution)->way;
	alignas(64) double x[DIST_MAX_COMPONENTS]; /* whole cache lines */
	struct draw_plan plan;
	size_t done;

	if (way == WAY_SHARES)
		draw_plan_make(kernels->distributions, draw, &plan);
	for (char *at = out; n > 0; at += done * size, begin += done, n -= done) {
		const size_t skip = (size_t)(begin % components);
		const size_t vectors = size_min((skip + n + components - 1) / components, most);

		done = size_min(n, vectors * components - skip);
		if (way == WAY_SHARES) {
			draw_rejection_fill(kernels, draw, &plan, begin - skip, vectors * components, x);
			join_dirichlet(kernels, vectors, components, x);
		} else {
			fill_normals(kernels, draw, begin - skip, vectors * components, x);
			join_sphere(vectors, components, x);
		}
		store_rounded(draw->dtype, x + skip, done, at);
	}
}
