/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of bf16 pairs. The includer defines `pairs` (a vector of pairs), pairs_set, pairs_load and dot(a, b, sum),
 * which adds the even and odd products of two vectors of pairs to floats. */

/* Adds the products of one part, inner indices [begin, end), to sums of `rows` rows by `vectors` vectors from vector
 * `first` of the panel on. rows and vectors are constants where it is inlined: so the sums stay in registers. */
static inline __attribute__((always_inline)) void dot_part(const struct gemm_tile *t, const struct gemm_part *part,
							   size_t begin, size_t end, unsigned first,
							   const unsigned rows, const unsigned vectors,
							   f32v sum[GEMM_MAX_ROWS][VECTORS])
{
	const uint32_t *a = part->a, *b = (const uint32_t *)part->b + (begin * VECTORS + first) * F32_LANES;

	for (size_t k = begin; k < end; k++, b += VECTORS * F32_LANES) {
		pairs right[VECTORS];

		UNROLL
		for (unsigned v = 0; v < vectors; v++)
			right[v] = pairs_load(b + v * F32_LANES);
		UNROLL
		for (unsigned r = 0; r < rows; r++) {
			const pairs one = pairs_set(a[r * t->a_stride + k]);

			UNROLL
			for (unsigned v = 0; v < vectors; v++)
				sum[r][v] = dot(one, right[v], sum[r][v]);
		}
	}
}

/* Begin with zeros, or with c where the chains continue; store the sums. */
static inline __attribute__((always_inline)) void dot_begin(const struct gemm_tile *t, unsigned first,
							    const unsigned rows, const unsigned vectors,
							    f32v sum[GEMM_MAX_ROWS][VECTORS])
{
	const float *c = (const float *)t->c + first * F32_LANES;

	UNROLL
	for (unsigned r = 0; r < rows; r++)
		UNROLL
		for (unsigned v = 0; v < vectors; v++)
			sum[r][v] = t->add ? f32_load(c + r * t->c_stride + v * F32_LANES) : f32_set(0);
}

static inline __attribute__((always_inline)) void dot_end(const struct gemm_tile *t, unsigned first,
							  const unsigned rows, const unsigned vectors,
							  f32v sum[GEMM_MAX_ROWS][VECTORS])
{
	float *c = (float *)t->c + first * F32_LANES;

	UNROLL
	for (unsigned r = 0; r < rows; r++)
		UNROLL
		for (unsigned v = 0; v < vectors; v++)
			f32_store(c + r * t->c_stride + v * F32_LANES, sum[r][v]);
}

/* Computes a tile of bf16: one chain over all parts. */
static inline __attribute__((always_inline)) void dot_tile(const struct gemm_tile *t, const unsigned rows)
{
	f32v sum[GEMM_MAX_ROWS][VECTORS];

	dot_begin(t, 0, rows, VECTORS, sum);
	for (unsigned p = 0; p < t->n_parts; p++)
		dot_part(t, &t->parts[p], 0, t->k, 0, rows, VECTORS, sum);
	dot_end(t, 0, rows, VECTORS, sum);
}

/* Computes a tile of bf16_short: a chain of its own for each GEMM_SHORT_PAIRS pairs, whose sum is then added. Half a
 * panel at a time: the sums of the chains need registers, too. */
static inline __attribute__((always_inline)) void short_tile(const struct gemm_tile *t, const unsigned rows)
{
	enum { HALF = VECTORS / 2 };

	for (unsigned first = 0; first < VECTORS; first += HALF) {
		f32v sum[GEMM_MAX_ROWS][VECTORS], chain[GEMM_MAX_ROWS][VECTORS];

		dot_begin(t, first, rows, HALF, sum);
		for (unsigned p = 0; p < t->n_parts; p++)
			for (size_t k = 0; k < t->k; k += GEMM_SHORT_PAIRS) {
				const size_t end = k + GEMM_SHORT_PAIRS < t->k ? k + GEMM_SHORT_PAIRS : t->k;

				UNROLL
				for (unsigned r = 0; r < rows; r++)
					UNROLL
					for (unsigned v = 0; v < HALF; v++)
						chain[r][v] = f32_set(0);
				dot_part(t, &t->parts[p], k, end, first, rows, HALF, chain);
				UNROLL
				for (unsigned r = 0; r < rows; r++)
					UNROLL
					for (unsigned v = 0; v < HALF; v++)
						sum[r][v] = f32_add(sum[r][v], chain[r][v]);
			}
		dot_end(t, first, rows, HALF, sum);
	}
}

/* Calls the tile function with a constant number of rows. */
#if ROWS > 2
#define DOT_ROWS(tile, t)                                                                                              \
	switch ((t)->rows) {                                                                                           \
	case 1:                                                                                                        \
		tile(t, 1);                                                                                            \
		break;                                                                                                 \
	case 2:                                                                                                        \
		tile(t, 2);                                                                                            \
		break;                                                                                                 \
	case 3:                                                                                                        \
		tile(t, 3);                                                                                            \
		break;                                                                                                 \
	case 4:                                                                                                        \
		tile(t, 4);                                                                                            \
		break;                                                                                                 \
	case 5:                                                                                                        \
		tile(t, 5);                                                                                            \
		break;                                                                                                 \
	default:                                                                                                       \
		tile(t, 6);                                                                                            \
	}
#else
#define DOT_ROWS(tile, t)                                                                                              \
	if ((t)->rows == 1)                                                                                            \
		tile(t, 1);                                                                                            \
	else                                                                                                           \
		tile(t, 2)
#endif

static __attribute__((noinline)) void dot_any(const struct gemm_tile *t)
{
	DOT_ROWS(dot_tile, t);
}

static __attribute__((noinline)) void short_any(const struct gemm_tile *t)
{
	DOT_ROWS(short_tile, t);
}
