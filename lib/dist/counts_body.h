/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers of wide laws (special cases and narrow ones: law_table.h); after gamma_body.h.
 *
 * Transformed rejection: k = floor((2 a / us + b) U + centre), us = 1/2 - |U|, at once where us >= 0.07 and V <= quick,
 * else where V accept / (a / us^2 + b) <= the probability (binomial: over that of the mode), which is computed as
 * Stirling's corrections and deviances (special.h), so it loses nothing however large the mean.
 * Source: W. Hoermann, "The transformed rejection method for generating Poisson random variables", Insurance:
 * Mathematics and Economics 12 (1993) 39 (PTRS); "The generation of binomial random variates", J. Statist. Comput.
 * Simul. 46 (1993) 101 (BTRS). */

/* What Stirling's formula leaves, k >= 16 (smaller ones have no chance in a wide law). */
INLINE f64v stirling(f64v k)
{
	const f64v inverse = f64_div(f64_set(1), f64_max(k, f64_set(16))), square = f64_mul(inverse, inverse);
	f64v sum = f64_fma(square, f64_set(-1.0 / 1680), f64_set(1.0 / 1260));

	sum = f64_fma(sum, square, f64_set(-1.0 / 360));
	sum = f64_fma(sum, square, f64_set(1.0 / 12));
	return f64_mul(sum, inverse);
}

/* Deviance of k = m + d from m. Beyond a quarter of m, where a wide law's probability is below 2^-100, it only has to
 * be large. */
INLINE f64v deviance(f64v d, double m)
{
	const f64v quarter = f64_set(0.25), t = f64_mul(d, f64_set(1 / m));
	const f64v held = f64_min(f64_max(t, f64_neg(quarter)), quarter);
	f64v sum = f64_set(1.0 / 600);

	for (int j = 24; j >= 2; j--)
		sum = f64_fma(sum, f64_neg(held), f64_set(1.0 / (j * (j - 1))));
	return f64_mul(f64_mul(f64_mul(held, held), sum), f64_set(m));
}

/* Lanes where V accept / (a / us^2 + b) <= probability. */
INLINE m64v counts_accept(bool binomial, const struct law_constants *k, f64v count, f64v us, f64v v)
{
	const f64v d = f64_sub(count, f64_set(k->counts.mean));
	const f64v hat = f64_add(f64_div(f64_set(k->counts.a), f64_mul(us, us)), f64_set(k->counts.b));
	f64v log_p = f64_neg(f64_add(stirling(count), deviance(d, k->counts.mean)));
	f64v square = f64_max(count, f64_set(1));

	if (binomial) {
		const f64v rest = f64_sub(f64_set(k->counts.trials), count);

		log_p = f64_sub(log_p, f64_add(stirling(rest), deviance(f64_neg(d), k->counts.rest_mean)));
		log_p = f64_add(log_p, f64_set(k->counts.log_top));
		square = f64_mul(square, f64_max(rest, f64_set(1)));
	}
	const f64v left = f64_div(f64_mul(v, f64_set(k->counts.accept)), hat);
	const f64v ratio = f64_mul(f64_mul(left, left), square);

	/* ln(left sqrt(square)) <= log_p; held above 0 where V is tiny. */
	return m64_not(f64_less(log_p, f64_mul(log_f64(f64_max(ratio, f64_set(0x1p-1000))), f64_set(0.5))));
}

INLINE size_t counts_fill(bool binomial, const struct law_constants *k, const void *const inputs[], size_t n,
			  int64_t *ret_out, uint16_t *ret_rejected)
{
	const f64v last = f64_set(k->counts.trials);
	size_t n_rejected = 0;

	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v u = fraction_load(true, inputs[0], i), v = uniform_load(true, inputs[1], i);
		const f64v us = f64_max(f64_sub(f64_set(0.5), f64_abs(u)), f64_set(0x1p-60));
		const f64v slope = f64_add(f64_div(f64_set(2 * k->counts.a), us), f64_set(k->counts.b));
		const f64v count = f64_floor(f64_fma(slope, u, f64_set(k->counts.centre)));
		const m64v inside = m64_not(m64_or(f64_less(count, f64_set(0)), f64_less(last, count)));
		const m64v outer = f64_less(us, f64_set(0.07)), slow = f64_less(f64_set(k->counts.quick), v);
		m64v good = m64_and(inside, m64_not(m64_or(outer, slow)));

		if (m64_bits(good) != F64_ALL) {
			const m64v corner = m64_and(f64_less(us, f64_set(0.013)), f64_less(us, v));
			const m64v open = m64_andnot(corner, inside);

			good = m64_or(good, m64_and(open, counts_accept(binomial, k, count, us, v)));
		}
		/* A possible value for those that failed. */
		const f64v possible = f64_pick(good, f64_floor(f64_set(k->counts.mean)), count);

		f64_store_i64(ret_out + i, f64_fma(possible, f64_set(k->scale), f64_set(k->shift)));
		n_rejected = rejected_append(m64_not(good), i, n_rejected, ret_rejected);
	}
	return n_rejected;
}

REJECTION_KERNEL(poisson_i64, counts_fill(false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(binomial_i64, counts_fill(true, k, inputs, n, ret_out, ret_rejected))
