/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers whose parameters are arrays; included after counts_body.h.
 *
 * Means below 10 are inverted from 0 upwards by one word, larger ones by the transformed rejection of counts_body.h, with
 * probabilities that are accurate for any k: Stirling's corrections below 16 come from k! itself, and a deviance far from
 * the mean from its logarithm. Means below 10 are right to 2^-50; the others' acceptance to 1e-9. */

enum { COUNTS_SMALL = 10, COUNTS_SEARCH = 72 };

/* Returns the correction to Stirling's formula for any k >= 0; that of 0 makes exp(-stirling - deviance) / sqrt(2 pi) the
 * probability of 0. */
INLINE f64v stirling_any(f64v k)
{
	const m64v few = f64_less(k, f64_set(16));
	f64v factorial = f64_set(1);

	if (!m64_bits(few))
		return stirling(k);
	for (int j = 2; j < 16; j++)
		factorial = f64_mul(factorial, f64_pick(f64_less(k, f64_set(j)), f64_set(j), f64_set(1)));
	const f64v held = f64_max(f64_pick(few, f64_set(1), k), f64_set(1));
	/* ln k! - (k + 1/2) ln k + k - ln(2 pi) / 2 */
	const f64v start = f64_sub(f64_pick(few, f64_set(0), k), f64_set(0.91893853320467274178));
	const f64v exact = f64_sub(f64_add(log_f64(factorial), start),
				   f64_mul(f64_add(held, f64_set(0.5)), log_f64(held)));

	return f64_pick(few, stirling(k), exact);
}

/* Returns the deviance of k = m + d from m > 0. */
INLINE f64v deviance_any(f64v k, f64v d, f64v m)
{
	const f64v t = f64_div(d, m);
	const m64v near = f64_less(f64_abs(t), f64_set(0.125));
	f64v sum = f64_set(1.0 / 30 / 31), terms;

	/* m ((1 + t) ln(1 + t) - t) = m t^2 (1/2 - t / 6 + t^2 / 12 - ...) */
	for (int j = 17; j >= 2; j--)
		sum = f64_fma(f64_neg(t), sum, f64_set(1.0 / (j * (j - 1))));
	terms = f64_mul(f64_mul(d, t), sum);
	if (m64_bits(near) == F64_ALL)
		return terms;
	const f64v ratio = f64_max(f64_div(k, m), f64_set(0x1p-1000));
	const f64v far = f64_sub(f64_mul(k, log_f64(ratio)), d);

	return f64_pick(near, far, terms);
}

/* A vector of distributions: of trials with probability p <= 1/2, or (binomial false) Poisson numbers of mean `mean`. */
struct counts_vector {
	f64v trials, p, mean, rest_mean;
	f64v a, b, centre, quick, spread;
};

INLINE struct counts_vector counts_poisson_of(f64v mean)
{
	/* The greatest double below 2^63. */
	struct counts_vector c = {.trials = f64_set(0x1.fffffffffffffp62), .mean = mean};

	c.spread = f64_sqrt(mean);
	c.b = f64_fma(f64_set(2.53), c.spread, f64_set(0.931));
	c.a = f64_fma(f64_set(0.02483), c.b, f64_set(-0.059));
	c.centre = f64_add(mean, f64_set(0.43));
	c.quick = f64_sub(f64_set(0.9277), f64_div(f64_set(3.6224), f64_sub(c.b, f64_set(2))));
	return c;
}

INLINE struct counts_vector counts_binomial_of(f64v trials, f64v p)
{
	const f64v q = f64_sub(f64_set(1), p);
	struct counts_vector c = {.trials = trials, .p = p, .mean = f64_mul(trials, p), .rest_mean = f64_mul(trials, q)};

	c.spread = f64_sqrt(f64_mul(c.mean, q));
	c.b = f64_fma(f64_set(2.53), c.spread, f64_set(1.15));
	c.a = f64_fma(f64_set(0.0248), c.b, f64_fma(f64_set(0.01), p, f64_set(-0.0873)));
	c.centre = f64_add(c.mean, f64_set(0.5));
	c.quick = f64_sub(f64_set(0.92), f64_div(f64_set(4.2), c.b));
	return c;
}

INLINE f64v counts_per_sample_candidate(const struct counts_vector *c, f64v u, f64v us)
{
	return f64_floor(f64_fma(f64_add(f64_div(f64_mul(f64_set(2), c->a), us), c->b), u, c->centre));
}

/* Returns ln of the probability of k times sqrt(2 pi k), binomial: times sqrt(k rest) and a constant. */
INLINE f64v counts_log(bool binomial, const struct counts_vector *c, f64v k)
{
	const f64v d = f64_sub(k, c->mean);
	f64v log_p = f64_neg(f64_add(stirling_any(k), deviance_any(k, d, c->mean)));

	if (binomial) {
		const f64v rest = f64_sub(c->trials, k);
		const f64v more = f64_add(stirling_any(rest), deviance_any(rest, f64_neg(d), c->rest_mean));

		log_p = f64_sub(log_p, more);
	}
	return log_p;
}

/* Returns the lanes where V accept / (a / us^2 + b) exceeds the probability. */
INLINE m64v counts_per_sample_fail(bool binomial, const struct counts_vector *c, f64v u, f64v v)
{
	const f64v us = counts_us(u), count = counts_per_sample_candidate(c, u, us), one = f64_set(1);
	const m64v outside = m64_or(f64_less(count, f64_set(0)), f64_less(c->trials, count));
	const m64v corner = m64_and(f64_less(us, f64_set(0.013)), f64_less(us, v));
	const f64v k = f64_pick(outside, count, f64_floor(c->mean));
	const f64v hat = f64_add(f64_div(c->a, f64_mul(us, us)), c->b);
	f64v square = f64_max(k, one), log_p = counts_log(binomial, c, k), accept;

	if (binomial) {
		const f64v mode = f64_floor(f64_mul(f64_add(c->trials, one), c->p)), rest = f64_sub(c->trials, mode);

		square = f64_div(f64_mul(square, f64_max(f64_sub(c->trials, k), one)), f64_mul(mode, rest));
		log_p = f64_sub(log_p, counts_log(true, c, mode));
		accept = f64_mul(f64_add(f64_set(2.83), f64_div(f64_set(5.1), c->b)), c->spread);
	} else {
		accept = f64_fma(f64_set(1.1328 * 2.5066282746310005024),
				 f64_div(one, f64_sub(c->b, f64_set(3.4))), f64_set(1.1239 * 2.5066282746310005024));
	}
	const f64v left = f64_div(f64_mul(v, accept), hat);
	/* ln(left sqrt(square)) > log_p. The logarithm's argument stays above 0 where V is tiny. */
	const f64v ratio = f64_max(f64_mul(f64_mul(left, left), square), f64_set(0x1p-1000));

	return m64_or(m64_or(outside, corner), f64_less(log_p, f64_mul(log_f64(ratio), f64_set(0.5))));
}

/* Inverts lanes of mean below COUNTS_SMALL: subtracts the probabilities of 0, 1, ... from u until one exceeds what is
 * left. Other lanes give any number. */
INLINE f64v counts_search(bool binomial, const struct counts_vector *c, m64v small, f64v u)
{
	const f64v mean = f64_min(c->mean, f64_set(COUNTS_SMALL)), zero = f64_set(0);
	f64v p = exp_f64(f64_neg(mean)), k = zero, odds = zero;
	m64v more = small;

	if (binomial) {
		p = exp_f64(f64_max(f64_mul(c->trials, log1p_f64(f64_neg(c->p))), f64_set(-40)));
		odds = f64_div(c->p, f64_sub(f64_set(1), c->p));
	}
	for (int step = 1; step < COUNTS_SEARCH; step++) {
		more = m64_and(more, f64_less(p, u));
		if (!m64_bits(more))
			break;
		const f64v j = f64_set(step);

		u = f64_pick(more, u, f64_sub(u, p));
		k = f64_pick(more, k, j);
		if (binomial)
			p = f64_mul(p, f64_div(f64_mul(f64_sub(c->trials, f64_set(step - 1)), odds), j));
		else
			p = f64_mul(p, f64_div(mean, j));
		p = f64_max(p, zero);
	}
	return f64_min(k, c->trials);
}

/* Loads the distributions of samples: at[0] holds means, or (binomial) trials, and at[1] probabilities. ret_flip: lanes
 * whose p was above 1/2, and is 1 - p. */
INLINE struct counts_vector counts_vector_of(bool binomial, f64v first, f64v second, m64v *ret_flip)
{
	if (!binomial) {
		*ret_flip = f64_less(f64_set(1), f64_set(0));
		return counts_poisson_of(first);
	}
	*ret_flip = f64_less(f64_set(0.5), second);
	return counts_binomial_of(first, f64_pick(*ret_flip, second, f64_sub(f64_set(1), second)));
}

/* Packs the open lanes' parameters as the values 2 and (binomial) 3 of the pending samples at `at`. */
INLINE void counts_pend(bool binomial, struct pending *pending, size_t at, m64v open, f64v first, f64v second)
{
	f64_pack(&pending->values[2][at], open, first);
	if (binomial)
		f64_pack(&pending->values[3][at], open, second);
}

/* Stores k as the samples at `at` of narrow, as float64 for a stage. */
INLINE void counts_store_narrow(const struct pending *narrow, size_t at, bool stage, f64v k, void *out)
{
	int64_t some[F64_LANES];

	f64_store_i64(some, k);
	for (size_t i = 0; i < size_min(F64_LANES, narrow->n - at); i++) {
		const uint16_t sample = narrow->samples[at + i];

		if (stage)
			((double *)out)[sample] = (double)some[i];
		else
			((int64_t *)out)[sample] = some[i];
	}
}

/* stage: the counts are stored as float64. */
INLINE size_t counts_per_sample_fill(bool wide, bool stage, bool binomial, const void *const inputs[], const double *first,
			       const double *second, size_t n, void *ret_out, uint16_t *ret_rejected)
{
	struct pending pending, narrow; /* narrow: means below COUNTS_SMALL, packed since a search takes many steps */
	size_t n_rejected = 0;
	m64v flip;

	pending.n = narrow.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v one = f64_load(first + i), other = binomial ? f64_load(second + i) : f64_set(0);
		const struct counts_vector c = counts_vector_of(binomial, one, other, &flip);
		const m64v small = f64_less(c.mean, f64_set(COUNTS_SMALL));
		const f64v u = fraction_load(wide, inputs[0], i);

		const size_t at_narrow = pending_add(&narrow, small, i);

		counts_pend(binomial, &narrow, at_narrow, small, one, other);
		f64_pack(&narrow.values[0][at_narrow], small, u);
		if (m64_bits(small) == F64_ALL)
			continue;
		const f64v v = uniform_load(wide, inputs[1], i), us = counts_us(u), made = counts_per_sample_candidate(&c, u, us);
		const m64v outside = m64_or(f64_less(made, f64_set(0)), f64_less(c.trials, made));
		const m64v outer = f64_less(us, f64_set(0.07)), slow = f64_less(c.quick, v);
		const m64v open = m64_and(m64_or(outside, m64_or(outer, slow)), m64_not(small));
		/* Where the candidate is impossible, store a possible value. */
		const f64v count = f64_pick(outside, made, f64_floor(c.mean));

		const size_t at = pending_add(&pending, open, i);

		gamma_pend(&pending, at, open, 0, u, v);
		counts_pend(binomial, &pending, at, open, one, other);
		if (stage)
			f64_store((double *)ret_out + i, count);
		else
			f64_store_i64((int64_t *)ret_out + i,
				      binomial ? f64_pick(flip, count, f64_sub(c.trials, count)) : count);
	}
	pending_end(&narrow);
	for (size_t i = 0; i < narrow.n; i += F64_LANES) {
		const struct counts_vector c =
			counts_vector_of(binomial, f64_load(&narrow.values[2][i]), f64_load(&narrow.values[3][i]), &flip);
		f64v below, above;

		split_fraction(f64_load(&narrow.values[0][i]), &below, &above);
		const f64v k = counts_search(binomial, &c, f64_less(c.mean, f64_set(COUNTS_SMALL)), below);

		counts_store_narrow(&narrow, i, stage, binomial ? f64_pick(flip, k, f64_sub(c.trials, k)) : k, ret_out);
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const f64v u = f64_load(&pending.values[0][i]), v = f64_load(&pending.values[1][i]);
		const struct counts_vector c =
			counts_vector_of(binomial, f64_load(&pending.values[2][i]), f64_load(&pending.values[3][i]), &flip);

		n_rejected = rejected_append(&pending, i, counts_per_sample_fail(binomial, &c, u, v), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

REJECTION_KERNEL(poisson_per_sample_i64,
		 counts_per_sample_fill(true, false, false, inputs, inputs[DIST_PARAMETER_INPUT], NULL, n, ret_out, ret_rejected))
REJECTION_KERNEL(binomial_per_sample_i64, counts_per_sample_fill(true, false, true, inputs, inputs[DIST_PARAMETER_INPUT],
						     inputs[DIST_PARAMETER_INPUT + 1], n, ret_out, ret_rejected))
REJECTION_KERNEL(poisson_stage_f32, counts_per_sample_fill(false, true, false, inputs, inputs[DIST_PARAMETER_INPUT], NULL, n,
						      ret_out, ret_rejected))
REJECTION_KERNEL(poisson_stage_f64, counts_per_sample_fill(true, true, false, inputs, inputs[DIST_PARAMETER_INPUT], NULL, n,
						      ret_out, ret_rejected))
