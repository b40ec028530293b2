/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of floats times a matrix of bfloat16 pairs, for kernels with VDPBF16PS (gemm_kernel.bf16_rows).
 *
 * The products leave the units for loads, shuffles and stores half idle. So a block of rows is packed while the one
 * before it is multiplied: every few products stands a small step of packing. A step takes 32 floats of two blocks. It
 * searches those two blocks ahead for the largest magnitude, and scales and rounds those one block ahead. Neither
 * waits for the other, and each step prefetches what later ones read and store. */

enum { BLOCK_ROWS = 6, STEP_FLOATS = 32 };

/* The factors of a block's rows. */
struct row_scales {
	float in[BLOCK_ROWS], out[BLOCK_ROWS];
	bool in_range; /* each is one normal float */
};

/* Packing, step by step. The near block is rounded, the far one searched. */
struct packing {
	const struct gemm_rows *job;
	size_t period, countdown; /* terms of the sums between two steps, and up to the next */
	size_t row, column;       /* where the next step is, in both blocks */
	const float *near, *far;
	float *out;     /* where the near block will be stored */
	uint32_t *left; /* of the near block */
	struct row_scales *near_scales, *far_scales;
	__m512i top; /* the bits of the largest magnitude in the far row so far */
};

static inline f32v swap_parts(f32v x, bool swaps)
{
	return swaps ? _mm512_permute_ps(x, 0xB1) : x;
}

/* Returns the largest lane in every lane. It stays in vectors: the way to other registers and back takes longer. */
static inline __m512i spread_largest(__m512i x)
{
	x = _mm512_max_epu32(x, _mm512_shuffle_i64x2(x, x, 0x4E));
	x = _mm512_max_epu32(x, _mm512_shuffle_i64x2(x, x, 0xB1));
	x = _mm512_max_epu32(x, _mm512_shuffle_epi32(x, 0x4E));
	return _mm512_max_epu32(x, _mm512_shuffle_epi32(x, 0xB1));
}

static inline f32v power_of(__m512i exponent)
{
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(exponent, _mm512_set1_epi32(127)), 23));
}

/* Computes the factors of a row from the bits of its largest magnitude: 2^-e brings it to [0.5, 1), and e is 0 for a
 * row of zeros. They are out of range if it is denormal or not finite, or if the factor of the result is not normal. */
static inline void set_scales(const struct gemm_rows *job, __m512i top, size_t row, struct row_scales *scales)
{
	const __m512i bits = spread_largest(top), bias = _mm512_set1_epi32(126);
	const __mmask16 is_zero = _mm512_testn_epi32_mask(bits, bits);
	const __m512i biased = _mm512_mask_mov_epi32(_mm512_srli_epi32(bits, 23), is_zero, bias);
	const __m512i exponent = _mm512_sub_epi32(biased, bias);
	const __m512i of_out = _mm512_add_epi32(exponent, _mm512_set1_epi32(job->exponent));
	const __m512i least = _mm512_min_epi32(exponent, of_out), most = _mm512_max_epi32(exponent, of_out);
	const __mmask16 outside = _mm512_cmplt_epi32_mask(least, _mm512_set1_epi32(GEMM_LEAST_EXPONENT)) |
				  _mm512_cmpgt_epi32_mask(most, _mm512_set1_epi32(GEMM_MOST_EXPONENT));
	const f32v in = power_of(_mm512_sub_epi32(_mm512_setzero_si512(), exponent));

	_mm_store_ss(&scales->in[row], _mm512_castps512_ps128(in));
	_mm_store_ss(&scales->out[row], _mm512_castps512_ps128(f32_mul(power_of(of_out), f32_set(job->fraction))));
	scales->in_range = scales->in_range && !outside;
}

/* Moves on to the next row of both blocks; the countdown never ends after the last. */
static inline void finish_packed_row(struct packing *p)
{
	set_scales(p->job, p->top, p->row, p->far_scales);
	p->top = _mm512_setzero_si512();
	p->column = 0;
	p->near += p->job->in_row;
	p->far += p->job->in_row;
	p->out += p->job->out_row;
	p->left += p->job->k;
	if (++p->row == BLOCK_ROWS)
		p->countdown = SIZE_MAX;
}

static inline __attribute__((always_inline)) void pack_step(struct packing *p)
{
	const float *near = p->near + p->column, *far = p->far + p->column;
	const size_t far_ahead = 2 * BLOCK_ROWS * p->job->in_row;
	const f32v factor = f32_set(p->near_scales->in[p->row]);
	const f32v low = f32_mul(swap_parts(f32_load(near), p->job->swaps), factor);
	const f32v high = f32_mul(swap_parts(f32_load(near + F32_LANES), p->job->swaps), factor);

	_mm512_storeu_si512(p->left + p->column / 2, (__m512i)_mm512_cvtne2ps_pbh(high, low));
	for (unsigned i = 0; i < STEP_FLOATS; i += F32_LANES) {
		p->top = _mm512_max_epu32(p->top,
					  _mm512_and_si512(_mm512_loadu_si512(far + i), _mm512_set1_epi32(INT32_MAX)));
		__builtin_prefetch(far + far_ahead + i);
		__builtin_prefetch(p->out + p->column + i, 1);
	}
	p->countdown = p->period;
	p->column += STEP_FLOATS;
	if (p->column == 2 * p->job->k)
		finish_packed_row(p);
}

/* Multiplies a packed block by one panel, as dot_body.h does. */
static inline __attribute__((always_inline)) void multiply_block(const struct gemm_rows *job, const uint32_t *left,
								 const uint32_t *panel, const struct row_scales *scales,
								 float *out, struct packing *packing)
{
	f32v sum[BLOCK_ROWS][VECTORS];

	UNROLL
	for (unsigned r = 0; r < BLOCK_ROWS; r++)
		UNROLL
	for (unsigned v = 0; v < VECTORS; v++)
		sum[r][v] = f32_set(0);
	for (size_t k = 0; k < job->k; k++, panel += VECTORS * F32_LANES) {
		pairs right[VECTORS];

		UNROLL
		for (unsigned v = 0; v < VECTORS; v++)
			right[v] = pairs_load(panel + v * F32_LANES);
		UNROLL
		for (unsigned r = 0; r < BLOCK_ROWS; r++) {
			const pairs one = pairs_set(left[r * job->k + k]);

			UNROLL
			for (unsigned v = 0; v < VECTORS; v++)
				sum[r][v] = dot(one, right[v], sum[r][v]);
		}
		if (--packing->countdown == 0)
			pack_step(packing);
	}
	UNROLL
	for (unsigned r = 0; r < BLOCK_ROWS; r++)
		UNROLL
	for (unsigned v = 0; v < VECTORS; v++)
		f32_store(out + r * job->out_row + v * F32_LANES,
			  swap_parts(f32_mul(sum[r][v], f32_set(scales->out[r])), job->swaps));
}

/* Begins to round block turn - 1 and to search block turn. Where there is none, another one takes its place for
 * nothing: its scales are not used. */
static void begin_packing(struct packing *p, size_t turn, struct row_scales scales[3])
{
	const struct gemm_rows *job = p->job;
	const size_t steps = BLOCK_ROWS * 2 * job->k / STEP_FLOATS, last = job->rows / BLOCK_ROWS - 1;
	const size_t near = turn ? turn - 1 : 0, far = turn < last ? turn : last;

	p->period = p->countdown = job->k * job->n_panels / steps;
	p->row = p->column = 0;
	p->near = job->in + near * BLOCK_ROWS * job->in_row;
	p->far = job->in + far * BLOCK_ROWS * job->in_row;
	p->out = job->out + near * BLOCK_ROWS * job->out_row;
	p->left = job->left + near % 2 * BLOCK_ROWS * job->k;
	p->near_scales = &scales[near % 3];
	p->far_scales = &scales[turn % 3];
	p->far_scales->in_range = true;
}

/* Turn t multiplies block t - 2, rounds block t - 1 and searches block t. */
static size_t multiply_rows(const struct gemm_rows *job)
{
	const size_t blocks = job->rows / BLOCK_ROWS, lanes = VECTORS * F32_LANES;
	struct row_scales scales[3] = {0};
	struct packing packing = {.job = job, .top = _mm512_setzero_si512()};

	for (size_t turn = 0; blocks > 0 && turn < blocks + 2; turn++) {
		const size_t block = turn - 2;

		if (turn < blocks + 1)
			begin_packing(&packing, turn, scales);
		else
			packing.countdown = SIZE_MAX;
		while (turn < 2 && packing.row < BLOCK_ROWS)
			pack_step(&packing);
		if (turn < 2)
			continue;
		if (!scales[block % 3].in_range)
			return block * BLOCK_ROWS;
		for (size_t panel = 0; panel < job->n_panels; panel++)
			multiply_block(job, job->left + block % 2 * BLOCK_ROWS * job->k,
				       job->panels + panel * job->k * lanes, &scales[block % 3],
				       job->out + block * BLOCK_ROWS * job->out_row + panel * lanes, &packing);
	}
	return blocks * BLOCK_ROWS;
}
