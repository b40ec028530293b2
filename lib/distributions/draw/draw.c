/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that draws use, and the sizes of samples and tables. */
#include "distributions/draw/draw.h"

#include "math/box_muller.h"
#include "distributions/layouts/layout_kernel.h"
#include "distributions/rows/dist_row.h"
#include "distributions/tables/alias_table.h"
#include "distributions/tables/discrete_table.h"
#include "distributions/tables/gamma_table.h"
#include "distributions/tables/hypergeometric_table.h"
#include "distributions/tables/multinomial_table.h"
#include "math/algebra.h"
#include "math/feistel.h"
#include "math/uniform.h"

void draw_select(uint32_t features, struct draw_kernels *ret_kernels)
{
	for (unsigned i = 0; i < GENERATOR_COUNT; i++)
		ret_kernels->generators[i] = generator_select((enum generator)i, features);
	ret_kernels->uniform = uniform_select(features);
	ret_kernels->box_muller = box_muller_select(features);
	ret_kernels->distributions = dist_select(features);
	ret_kernels->algebra = algebra_select(features);
	ret_kernels->feistel = feistel_select(features);
	ret_kernels->layouts = layout_kernel_select(features);
}

unsigned draw_words_per_sample(enum dtype dtype)
{
	return dtype_size(dtype) <= sizeof(uint32_t) ? 1 : 2;
}

/* The tables of narrow Poisson and binomial distributions have one size. */
size_t draw_table_bytes(const struct draw *draw)
{
	if (!draw->table)
		return 0;
	switch (dist_row(draw->distribution)->table) {
	case TABLE_ALIAS:
		return alias_table_bytes(((const struct alias_table *)draw->table)->n);
	case TABLE_MULTINOMIAL:
		return multinomial_table_bytes(((const struct multinomial_table *)draw->table)->n);
	case TABLE_GAMMA:
		return gamma_table_bytes(((const struct gamma_table *)draw->table)->n);
	case TABLE_HYPERGEOMETRIC:
		return hypergeometric_table_bytes(((const struct hypergeometric_table *)draw->table)->n);
	default:
		return sizeof(struct discrete_table);
	}
}

size_t draw_components(const struct draw *draw)
{
	switch (dist_row(draw->distribution)->way) {
	case WAY_OUTCOMES:
		return ((const struct multinomial_table *)draw->table)->n;
	case WAY_SHARES:
		return ((const struct gamma_table *)draw->table)->n;
	case WAY_SPHERE:
		return (size_t)draw->parameters[0].natural;
	default:
		return 1;
	}
}
