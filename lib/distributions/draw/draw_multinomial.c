/* SPDX-License-Identifier: Apache-2.0 */
/* Some vectors at a time, so that a component's binomial numbers fill the kernel's vectors.
 *
 * Component c is a binomial number of the trials that the components before it have left, with the probability of c
 * among the outcomes from c on (multinomial_table.h; of a common outcome its complement is drawn); the last component gets
 * what is left. Component c of vector v
 * reads the stream as sample v n + c, n being the components of a vector. */
#include "distributions/draw/draw_multinomial.h"

#include <string.h>

#include "base/checked.h"
#include "distributions/tables/multinomial_table.h"
#include "distributions/draw/draw_rejection.h"

enum { ELEMENTS = DIST_MAX_COMPONENTS }; /* of all vectors that are made together */

/* Returns how many vectors of that size are made together. */
static size_t vectors_together(size_t components)
{
	const size_t fit = DIST_BLOCK_REJECTING / components;

	return fit > DRAW_SCATTERED ? DRAW_SCATTERED : fit > 0 ? fit : 1;
}

/* Makes n_vectors whole vectors, the first of which begins with element `base`. */
static void fill_vectors(const struct draw_kernels *kernels, const struct draw *draw, uint64_t base, size_t n_vectors,
			 int64_t *ret_counts)
{
	const struct multinomial_table *table = draw->table;
	const struct draw_plan plan = {.kernel = kernels->distributions->binomial_per_sample[DTYPE_I64],
				       .n_inputs = 2,
				       .reads = "ww",
				       .per_sample = true};
	struct draw_parameters parameters;
	uint16_t list[DRAW_SCATTERED];
	int64_t counts[DRAW_SCATTERED];
	double left[DRAW_SCATTERED];

	memset(&parameters, 0, sizeof parameters);
	for (size_t v = 0; v < n_vectors; v++) {
		list[v] = (uint16_t)(v * table->n);
		left[v] = (double)draw->parameters[0].natural;
	}
	for (size_t c = 0; c + 1 < table->n; c++) {
		const struct multinomial_outcome *const outcome = &table->outcomes[c];

		for (size_t v = 0; v < n_vectors; v++) {
			memcpy(&parameters.values[0][v], &left[v], sizeof *left);
			memcpy(&parameters.values[1][v], &outcome->p, sizeof outcome->p);
		}
		draw_rejection_scattered(kernels, draw, &plan, base + c, list, n_vectors, &parameters, counts);
		for (size_t v = 0; v < n_vectors; v++) {
			const double count = outcome->is_common ? left[v] - (double)counts[v] : (double)counts[v];

			ret_counts[v * table->n + c] = (int64_t)count;
			left[v] -= count;
		}
	}
	for (size_t v = 0; v < n_vectors; v++)
		ret_counts[v * table->n + table->n - 1] = (int64_t)left[v];
}

void draw_multinomial_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   void *out)
{
	const size_t components = draw_components(draw), most = vectors_together(components);
	int64_t counts[ELEMENTS];
	size_t done;

	for (; n > 0; out = (char *)out + done * sizeof *counts, begin += done, n -= done) {
		const size_t skip = (size_t)(begin % components);
		const size_t vectors = size_min((skip + n + components - 1) / components, most);

		done = size_min(n, vectors * components - skip);
		fill_vectors(kernels, draw, begin - skip, vectors, counts);
		memcpy(out, counts + skip, done * sizeof *counts);
	}
}
