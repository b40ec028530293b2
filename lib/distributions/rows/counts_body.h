/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers of wide distributions (narrow ones: discrete_table.h); included after gamma_body.h.
 *
 * Transformed rejection: k = floor((2 a / us + b) U + centre), us = 1/2 - |U|. It is accepted at once if us >= 0.07 and
 * V <= quick, else if V accept / (a / us^2 + b) is at most the probability of k (binomial: divided by that of the
 * mode). The probability is computed from Stirling's corrections and deviances (special.h), which are accurate for any
 * mean. Source: W. Hoermann, "The transformed rejection method for generating Poisson random variables", Insurance:
 * Mathematics and Economics 12 (1993) 39 (PTRS); "The generation of binomial random variates", J. Statist. Comput.
 * Simul. 46 (1993) 101 (BTRS). */

/* Returns the correction to Stirling's formula for k >= 16; in a wide distribution smaller k never occur. */
INLINE f64v stirling(f64v k)
{
	const f64v inverse = f64_div(f64_set(1), f64_max(k, f64_set(16))), square = f64_mul(inverse, inverse);
	f64v sum = f64_fma(square, f64_set(-1.0 / 1680), f64_set(1.0 / 1260));

	sum = f64_fma(sum, square, f64_set(-1.0 / 360));
	sum = f64_fma(sum, square, f64_set(1.0 / 12));
	return f64_mul(sum, inverse);
}

/* Returns the deviance of m + d from m: m t^2 sum (-t)^j / ((j + 1) (j + 2)), t = d / m. Beyond an eighth of m, where a
 * wide distribution's probability is below 2^-400, it only has to be large. */
INLINE f64v deviance(f64v d, double m)
{
#define TERM(j) 1.0 / ((j + 1) * (j + 2))
	static const double terms[] = {TERM(0), TERM(1), TERM(2),  TERM(3),  TERM(4),  TERM(5),  TERM(6),  TERM(7),
				       TERM(8), TERM(9), TERM(10), TERM(11), TERM(12), TERM(13), TERM(14), TERM(15)};
#undef TERM
	const f64v most = f64_set(0.125), t = f64_mul(d, f64_set(1 / m));
	const f64v held = f64_min(f64_max(t, f64_neg(most)), most), square = f64_mul(held, held);
	f64v even = f64_set(terms[14]), odd = f64_set(terms[15]);

#pragma GCC unroll 7
	for (int j = 12; j >= 0; j -= 2) {
		even = f64_fma(even, square, f64_set(terms[j]));
		odd = f64_fma(odd, square, f64_set(terms[j + 1]));
	}
	return f64_mul(f64_mul(square, f64_fma(odd, f64_neg(held), even)), f64_set(m));
}

/* Returns the candidate k = floor((2 a / us + b) U + centre). */
INLINE f64v counts_candidate(const struct dist_constants *k, f64v u, f64v us)
{
	const f64v slope = f64_add(f64_div(f64_set(2 * k->counts.a), us), f64_set(k->counts.b));

	return f64_floor(f64_fma(slope, u, f64_set(k->counts.centre)));
}

/* Returns us = 1/2 - |U|, at least 2^-60. */
INLINE f64v counts_us(f64v u)
{
	return f64_max(f64_sub(f64_set(0.5), f64_abs(u)), f64_set(0x1p-60));
}

/* Returns the lanes where V accept / (a / us^2 + b) exceeds the probability. */
INLINE m64v counts_fail(bool binomial, const struct dist_constants *k, f64v u, f64v v)
{
	const f64v us = counts_us(u), count = counts_candidate(k, u, us), last = f64_set(k->counts.trials);
	const m64v outside = m64_or(f64_less(count, f64_set(0)), f64_less(last, count));
	const m64v corner = m64_and(f64_less(us, f64_set(0.013)), f64_less(us, v));
	const f64v d = f64_sub(count, f64_set(k->counts.mean));
	const f64v hat = f64_add(f64_div(f64_set(k->counts.a), f64_mul(us, us)), f64_set(k->counts.b));
	f64v log_p = f64_neg(f64_add(stirling(count), deviance(d, k->counts.mean)));
	f64v square = f64_max(count, f64_set(1));

	if (binomial) {
		const f64v rest = f64_sub(last, count);

		log_p = f64_sub(log_p, f64_add(stirling(rest), deviance(f64_neg(d), k->counts.rest_mean)));
		log_p = f64_add(log_p, f64_set(k->counts.log_top));
		square = f64_mul(square, f64_max(rest, f64_set(1)));
	}
	const f64v left = f64_div(f64_mul(v, f64_set(k->counts.accept)), hat);
	/* ln(left sqrt(square)) > log_p. The logarithm's argument stays above 0 where V is tiny. */
	const f64v ratio = f64_max(f64_mul(f64_mul(left, left), square), f64_set(0x1p-1000));

	return m64_or(m64_or(outside, corner), f64_less(log_p, f64_mul(log_f64(ratio), f64_set(0.5))));
}

INLINE size_t counts_fill(bool binomial, const struct dist_constants *k, const void *const inputs[], size_t n,
			  int64_t *ret_out, uint16_t *ret_rejected)
{
	const f64v last = f64_set(k->counts.trials), mean = f64_floor(f64_set(k->counts.mean));
	struct pending pending;
	size_t n_rejected = 0;

	pending.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v u = fraction_load(true, inputs[0], i), v = uniform_load(true, inputs[1], i);
		const f64v us = counts_us(u), count = counts_candidate(k, u, us);
		const m64v outside = m64_or(f64_less(count, f64_set(0)), f64_less(last, count));
		const m64v outer = f64_less(us, f64_set(0.07)), slow = f64_less(f64_set(k->counts.quick), v);
		const m64v open = m64_or(outside, m64_or(outer, slow));
		/* Where the candidate is impossible, store a possible value. */
		const f64v possible = f64_pick(outside, count, mean);

		f64_store_i64(ret_out + i, f64_fma(possible, f64_set(k->scale), f64_set(k->shift)));
		gamma_pend(&pending, pending_add(&pending, open, i), open, 0, u, v);
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const f64v u = f64_load(&pending.values[0][i]), v = f64_load(&pending.values[1][i]);

		n_rejected = rejected_append(&pending, i, counts_fail(binomial, k, u, v), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

REJECTION_KERNEL(poisson_i64, counts_fill(false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(binomial_i64, counts_fill(true, k, inputs, n, ret_out, ret_rejected))
