/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of vectors_body.h, with the split into bfloat16 slices by the instruction VCVTNE2PS2BF16. */

/* Splits 32 reals, of which the masks choose some, into slices. The instruction rounds to nearest even like
 * bf16_round_bits, but reads denormals as zero, which the products do in any case. */
static inline void split_block(const float *x, const __mmask16 masks[2], __m512 s0, __m512 s1, unsigned slices,
			       uint32_t *to, size_t stride, __mmask16 words)
{
	__m512 low = _mm512_mul_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(masks[0], x), s0), s1);
	__m512 high = _mm512_mul_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(masks[1], x + 16), s0), s1);

	for (unsigned slice = 0; slice < slices; slice++, to += stride) {
		const __m512i pairs = (__m512i)_mm512_cvtne2ps_pbh(high, low);
		const __m512i even = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(pairs));
		const __m512i odd = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(pairs, 1));

		_mm512_mask_storeu_epi32(to, words, pairs);
		low = _mm512_sub_ps(low, _mm512_castsi512_ps(_mm512_slli_epi32(even, 16)));
		high = _mm512_sub_ps(high, _mm512_castsi512_ps(_mm512_slli_epi32(odd, 16)));
	}
}

static void split_by_instruction(const float *x, size_t n, const float s[2], unsigned slices, uint32_t *to,
				 size_t stride)
{
	const __m512 s0 = _mm512_set1_ps(s[0]), s1 = _mm512_set1_ps(s[1]);
	const __mmask16 whole[2] = {0xFFFF, 0xFFFF};
	const size_t rest = n % 32;
	const uint32_t some = (UINT32_C(1) << rest) - 1;
	const __mmask16 part[2] = {(__mmask16)some, (__mmask16)(some >> 16)};
	size_t i = 0;

	for (; i + 32 <= n; i += 32)
		split_block(x + i, whole, s0, s1, slices, to + i / 2, stride, 0xFFFF);
	if (rest)
		split_block(x + i, part, s0, s1, slices, to + i / 2, stride, (__mmask16)((1u << rest / 2) - 1));
}

static const struct gemm_vectors split_loops = {
	max_abs_f32,   max_abs_f64,   scale_f32, scale_f64,  split_by_instruction, split_f64,    update_max_abs_f32,
	update_max_abs_f64, multiply_f32, multiply_f64, spread_f32, spread_f64,           spread_pairs, gather,
	narrow,    widen,
};
