/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of reals: ROWS x VECTORS accumulators in registers. The includer defines real, vec and v_*. */

/* Computes a tile. rows is a constant where this is inlined: so the sums, 6 x 4 of 32 registers with AVX-512 and 6 x 2
 * of 16 with AVX2, stay in registers, beside a vector of the panel and the element that it is multiplied by. */
static inline __attribute__((always_inline)) void LOCAL(tile)(const struct gemm_tile *t, const unsigned rows)
{
	vec sum[GEMM_MAX_ROWS][VECTORS];
	real *c = t->c;

	UNROLL
	for (unsigned r = 0; r < rows; r++)
		UNROLL
		for (unsigned v = 0; v < VECTORS; v++)
			sum[r][v] = t->add ? v_load(c + r * t->c_stride + v * LANES) : v_set(0);
	for (unsigned p = 0; p < t->n_parts; p++) {
		const real *a = t->parts[p].a, *b = t->parts[p].b;

		for (size_t k = 0; k < t->k; k++, b += VECTORS * LANES)
			UNROLL
			for (unsigned r = 0; r < rows; r++) {
				const vec one = v_set(a[r * t->a_stride + k]);

				UNROLL
				for (unsigned v = 0; v < VECTORS; v++)
					sum[r][v] = v_muladd(one, v_load(b + v * LANES), sum[r][v]);
			}
	}
	UNROLL
	for (unsigned r = 0; r < rows; r++)
		UNROLL
		for (unsigned v = 0; v < VECTORS; v++)
			v_store(c + r * t->c_stride + v * LANES, sum[r][v]);
}

/* Calls it with a constant number of rows, 1 to ROWS. */
static void LOCAL(tile_any)(const struct gemm_tile *t)
{
	switch (t->rows) {
	case 1:
		LOCAL(tile)(t, 1);
		break;
	case 2:
		LOCAL(tile)(t, 2);
		break;
#if ROWS > 2
	case 3:
		LOCAL(tile)(t, 3);
		break;
	case 4:
		LOCAL(tile)(t, 4);
		break;
	case 5:
		LOCAL(tile)(t, 5);
		break;
	default:
		LOCAL(tile)(t, 6);
#endif
	}
}
