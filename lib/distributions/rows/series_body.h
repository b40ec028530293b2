/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of zipf, logseries and hypergeometric, whose parameters are read for each sample, and of one hypergeometric
 * distribution by its table; included after shapes_body.h. */
#include <assert.h>

#include "distributions/tables/hypergeometric_table.h"

/* Exponents of zipf below which x is made below 2^63. From here on x passes 2^63 with probability at most 2^(-63 / 16). */
#define ZIPF_NEAR 1.0625

/* ln 2^63: counts from 2^63 on cannot be stored. Those beyond 2^53 are whole multiples of powers of 2. */
#define LOG_END 43.668272375276554493

/* Returns ln x of a number x >= 1 of density proportional to x^-(s + 1), from an exponential and 0 < s <= 69: of all x, or
 * (near) below 2^63, by inversion over that part. */
INLINE f64v zipf_log(f64v s, f64v exponential, m64v near)
{
	const f64v log_x = f64_div(exponential, s);

	if (!m64_bits(near))
		return log_x;
	/* P(x < 2^63) = 1 - 2^(-63 s), with full relative precision where s is tiny. */
	const f64v most = f64_neg(expm1_f64(f64_mul(s, f64_set(-LOG_END))));
	const f64v below = f64_neg(expm1_f64(f64_neg(exponential)));

	return f64_pick(near, log_x, f64_div(f64_neg(log1p_f64(f64_neg(f64_mul(below, most)))), s));
}

/* Makes x = floor(u^(-1 / (a - 1))), and rejects it if v x (t - 1) / (b - 1) > t / b, t = (1 + 1 / x)^(a - 1), b = 2^(a -
 * 1), or if x is 2^63 or more: samples are conditional on what int64 holds. Below a = ZIPF_NEAR, where that is likely, x is
 * made below 2^63. Beyond a = 70 a number above 1 is less likely than 2^-69.
 * Source: L. Devroye, "Non-Uniform Random Variate Generation" (1986), X.6.1. */
static size_t zipf_per_sample_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			    void *ret_out, uint16_t *ret_rejected)
{
	const f64v one = f64_set(1);
	struct pending failed;

	(void)attempt;
	failed.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v a = f64_sub(f64_min(parameter_load(inputs, 0, i), f64_set(70)), one);
		const m64v near = f64_less(a, f64_set(ZIPF_NEAR - 1));
		const f64v log_x = zipf_log(a, exponential(true, k, inputs, i), near), v = uniform_load(true, inputs[1], i);
		const f64v held = f64_max(f64_floor(exp_f64(f64_min(log_x, f64_set(LOG_END + 1)))), one);
		const m64v inside = f64_less(held, f64_set(0x1p63));
		const f64v x = f64_pick(inside, one, held);
		const f64v t_less_1 = expm1_f64(f64_mul(a, log1p_f64(f64_div(one, x))));
		const f64v b_less_1 = expm1_f64(f64_mul(a, f64_set(0.69314718055994530942)));
		const f64v left = f64_mul(f64_mul(f64_mul(v, x), t_less_1), f64_add(b_less_1, one));
		const m64v fails = f64_less(f64_mul(f64_add(t_less_1, one), b_less_1), left);

		f64_store_i64((int64_t *)ret_out + i, x);
		pending_add(&failed, m64_or(m64_not(inside), fails), i);
	}
	memcpy(ret_rejected, failed.samples, failed.n * sizeof *ret_rejected);
	return failed.n;
}

/* With q = 1 - (1 - p)^u: 1 if v >= p or q^2 < q <= v, 2 if q^2 < v < q, else floor(1 + ln v / ln q), which is at most 1 + 44.4 / -ln p,
 * 4 10^17.
 * Source: A. W. Kemp, Applied Statistics 30 (1981) 249, LK. */
static size_t logseries_per_sample_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
				 void *ret_out, uint16_t *ret_rejected)
{
	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v p = parameter_load(inputs, 0, i), v = uniform_load(true, inputs[0], i);
		const f64v power = f64_mul(log1p_f64(f64_neg(p)), uniform_load(true, inputs[1], i));
		const f64v q = f64_neg(expm1_f64(power)), log_q = log1p_f64(f64_neg(exp_f64(power)));
		const f64v held = f64_min(log_q, f64_set(-0x1p-1000));
		const f64v x = f64_floor(f64_add(f64_set(1), f64_div(log_f64(v), held)));
		const f64v few = f64_pick(f64_less(v, q), f64_set(1), f64_set(2));
		const m64v many = m64_and(m64_not(f64_less(f64_mul(q, q), v)), f64_less(v, p));

		f64_store_i64((int64_t *)ret_out + i, f64_pick(many, few, x));
	}
	return 0;
}

/* A vector of hypergeometric distributions, reduced by symmetry: `few` successes among `all`, of which `drawn` <= all / 2
 * are drawn. */
struct hypergeometric_vector {
	f64v few, many, all, drawn;
	m64v flip_class, flip_drawn; /* failures are counted; the rest is drawn */
	f64v good, sample;           /* as given */
};

INLINE struct hypergeometric_vector hypergeometric_of(f64v good, f64v bad, f64v sample)
{
	const f64v all = f64_add(good, bad), rest = f64_sub(all, sample);
	const m64v flip_class = f64_less(bad, good), flip_drawn = f64_less(rest, sample);

	return (struct hypergeometric_vector){
		.few = f64_min(good, bad),
		.many = f64_max(good, bad),
		.all = all,
		.drawn = f64_min(rest, sample),
		.flip_class = flip_class,
		.flip_drawn = flip_drawn,
		.good = good,
		.sample = sample,
	};
}

/* Returns the number of good ones from that of the reduced distribution. */
INLINE f64v hypergeometric_result(const struct hypergeometric_vector *h, f64v x)
{
	const f64v good = f64_pick(h->flip_class, x, f64_sub(h->drawn, x));

	return f64_pick(h->flip_drawn, good, f64_sub(h->good, good));
}

/* Returns ln of the probability of x but for a constant: that of x among the few times that of the rest among the many,
 * both binomial of probability drawn / all. */
INLINE f64v hypergeometric_log(const struct hypergeometric_vector *h, f64v x)
{
	const f64v one = f64_set(1), p = f64_div(h->drawn, h->all), y = f64_sub(h->drawn, x);
	const struct counts_vector few = counts_binomial_of(h->few, p), many = counts_binomial_of(h->many, p);
	const f64v a = f64_mul(f64_max(x, one), f64_max(f64_sub(h->few, x), one));
	const f64v b = f64_mul(f64_max(y, one), f64_max(f64_sub(h->many, y), one));
	const f64v logs = f64_add(log_f64(a), log_f64(b));

	return f64_fma(logs, f64_set(-0.5), f64_add(counts_log(true, &few, x), counts_log(true, &many, y)));
}

/* Returns the probability of 0 of lanes that draw fewer than COUNTS_SMALL, `drawn`, from all of which `many` are failures. */
INLINE f64v hypergeometric_none_of_few(f64v drawn, f64v many, f64v all)
{
	f64v p = f64_set(1);

	for (int j = 0; j < COUNTS_SMALL; j++) {
		const m64v here = f64_less(f64_set(j), drawn);
		const f64v share = f64_div(f64_sub(many, f64_set(j)), f64_sub(all, f64_set(j)));

		p = f64_pick(here, p, f64_mul(p, share));
	}
	return p;
}

/* Returns the probability of 0 of other lanes, by Stirling's formula. */
INLINE f64v hypergeometric_none(const struct hypergeometric_vector *h)
{
	const f64v one = f64_set(1), rest = f64_sub(h->all, h->drawn);
	const f64v counts = f64_mul(f64_mul(h->few, h->many), f64_mul(h->drawn, rest));
	const f64v logs = log_f64(f64_max(f64_div(counts, f64_mul(h->all, f64_set(6.2831853071795864769))), f64_set(0x1p-1000)));
	const f64v some = f64_add(stirling_any(h->few), f64_add(stirling_any(h->many), stirling_any(h->drawn)));
	const f64v corrections = f64_sub(f64_add(some, stirling_any(rest)), stirling_any(f64_max(h->all, one)));

	return exp_f64(f64_add(hypergeometric_log(h, f64_set(0)), f64_fma(logs, f64_set(0.5), corrections)));
}

/* Inverts lanes whose probability of 0 is p: subtracts the probabilities of 0, 1, ... up to `most` from u. */
INLINE f64v hypergeometric_search(const struct hypergeometric_vector *h, m64v small, f64v u, f64v p, int most)
{
	f64v x = f64_set(0);
	m64v more = small;

	for (int j = 0; j < most; j++) {
		const f64v at = f64_set(j), next = f64_set(j + 1);

		more = m64_and(m64_and(more, f64_less(p, u)), f64_less(at, f64_min(h->drawn, h->few)));
		if (!m64_bits(more))
			break;
		u = f64_pick(more, u, f64_sub(u, p));
		x = f64_pick(more, x, next);
		p = f64_mul(p, f64_div(f64_mul(f64_sub(h->few, at), f64_sub(h->drawn, at)),
				       f64_mul(next, f64_add(f64_sub(h->many, h->drawn), next))));
	}
	return x;
}

/* Inverts lanes of small counts, some of which draw COUNTS_SMALL or more: there, draws and successes may change places. */
INLINE f64v hypergeometric_invert(const struct hypergeometric_vector *h, m64v small, f64v u)
{
	const m64v draws_few = f64_less(h->drawn, f64_set(COUNTS_SMALL));
	const f64v drawn = f64_pick(draws_few, h->few, h->drawn), many = f64_pick(draws_few, f64_sub(h->all, h->drawn), h->many);
	const m64v few = f64_less(drawn, f64_set(COUNTS_SMALL));
	const f64v p = hypergeometric_none_of_few(drawn, many, h->all);

	if (!m64_bits(m64_and(small, m64_not(few))))
		return hypergeometric_search(h, small, u, p, COUNTS_SMALL);
	return hypergeometric_search(h, small, u, f64_pick(few, hypergeometric_none(h), p), COUNTS_SEARCH);
}

/* Returns the standard deviation of lanes, of a variance 1/2 greater. */
INLINE f64v hypergeometric_spread(const struct hypergeometric_vector *h)
{
	const f64v one = f64_set(1), half = f64_set(0.5), p = f64_div(h->few, h->all), q = f64_div(h->many, h->all);

	return f64_sqrt(f64_fma(
		f64_mul(f64_mul(f64_sub(h->all, h->drawn), h->drawn), f64_div(p, f64_sub(h->all, one))), q, half));
}

/* Returns the lanes where the ratio of uniforms accepts less than 0.503 of its candidates: of a variance below 5/2. Their
 * mean is below 10, since no class and no draw is more than half of all. */
INLINE m64v hypergeometric_narrow(f64v spread)
{
	return m64_not(f64_less(f64_set(1.7320508075688772935), spread));
}

/* What candidates are made by: centre + width v / u, below `most`. */
struct hypergeometric_hat {
	f64v centre, width, most, mode;
};

INLINE struct hypergeometric_hat hypergeometric_hat_of(const struct hypergeometric_vector *h, f64v spread)
{
	const f64v one = f64_set(1), p = f64_div(h->few, h->all);
	const f64v centre = f64_fma(h->drawn, p, f64_set(0.5));

	return (struct hypergeometric_hat){
		.centre = centre,
		.width = f64_fma(f64_set(1.7155277699214135), spread, f64_set(0.8989161620588988)),
		.most = f64_min(f64_add(f64_min(h->drawn, h->few), one), f64_floor(f64_fma(f64_set(16), spread, centre))),
		.mode = f64_floor(f64_div(f64_mul(f64_add(h->drawn, one), f64_add(h->few, one)), f64_add(h->all, f64_set(2)))),
	};
}

/* The candidate of a ratio of uniforms, the mode where it is outside. */
struct hypergeometric_try {
	f64v x, u, mode;
	m64v outside;
};

INLINE struct hypergeometric_try hypergeometric_try_of(const struct hypergeometric_hat *hat, const void *const inputs[], size_t i)
{
	const f64v u = uniform_load(true, inputs[0], i), v = fraction_load(true, inputs[1], i);
	const f64v at = f64_add(hat->centre, f64_div(f64_mul(hat->width, v), u));
	const m64v outside = m64_or(f64_less(at, f64_set(0)), m64_not(f64_less(at, hat->most)));

	return (struct hypergeometric_try){f64_floor(f64_pick(outside, at, hat->mode)), u, hat->mode, outside};
}

/* Returns the lanes whose candidate is less likely than the ratio of uniforms accepts. */
INLINE m64v hypergeometric_fails(const struct hypergeometric_vector *h, const struct hypergeometric_try *try, f64v log_mode)
{
	return f64_less(f64_sub(hypergeometric_log(h, try->x), log_mode), f64_mul(f64_set(2), log_f64(try->u)));
}

RARE m64v hypergeometric_fails_exactly(const struct hypergeometric_vector *h, const struct hypergeometric_try *try)
{
	return hypergeometric_fails(h, try, hypergeometric_log(h, try->mode));
}

/* Makes counts of one distribution by its table (hypergeometric_table.h): candidates, what u must be below for them, and
 * the counts of those that fail. Loops of their own, since few instruction sets look up a vector. */
static size_t hypergeometric_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
				 void *ret_out, uint16_t *ret_rejected)
{
	const struct hypergeometric_table *table = k->table;
	const struct hypergeometric_vector h = hypergeometric_of(
		f64_set(k->hypergeometric.good), f64_set(k->hypergeometric.bad), f64_set(k->hypergeometric.sample));
	const struct hypergeometric_hat hat = hypergeometric_hat_of(&h, hypergeometric_spread(&h));

	static_assert((int)HYPERGEOMETRIC_SMALL == (int)COUNTS_SMALL, "a table's distribution is not inverted");
	double accept[DIST_BLOCK_REJECTING], x[DIST_BLOCK_REJECTING], u[DIST_BLOCK_REJECTING];
	int64_t *out = ret_out;
	size_t n_rejected = 0;

	(void)attempt;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct hypergeometric_try try = hypergeometric_try_of(&hat, inputs, i);

		f64_store(x + i, try.x);
		f64_store(u + i, f64_pick(try.outside, try.u, f64_set(2))); /* nothing accepts 2 */
		f64_store_i64(out + i, try.x);
	}
	for (size_t i = 0; i < n; i++)
		accept[i] = table->accept[out[i]];
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct hypergeometric_try try = {.x = f64_load(x + i), .u = f64_load(u + i), .mode = hat.mode};
		const f64v limit = f64_load(accept + i);
		m64v fails = m64_not(f64_less(try.u, limit));

		if (m64_bits(m64_and(fails, m64_not(f64_less(f64_mul(limit, f64_set(HYPERGEOMETRIC_REJECT)), try.u)))))
			fails = hypergeometric_fails_exactly(&h, &try);
		f64_store_i64(out + i, hypergeometric_result(&h, try.x));
		lanes_pack(ret_rejected + n_rejected, fails, (uint16_t)i);
		n_rejected += m64_count(fails);
	}
	return n_rejected;
}

/* Whether two vectors are equal, which numbers as parameters are. */
INLINE bool all_equal(f64v a, f64v b)
{
	return m64_bits(m64_or(f64_less(a, b), f64_less(b, a))) == 0;
}

/* Source of the ratio of uniforms: E. Stadlober, J. Comput. Appl. Math. 31 (1990) 181, HRUA. */
static size_t hypergeometric_per_sample_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt,
				      size_t n, void *ret_out, uint16_t *ret_rejected)
{
	f64v good = f64_set(-1), bad = good, sample = good, log_mode = good;
	struct pending failed;

	(void)k, (void)attempt;
	failed.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct hypergeometric_vector h = hypergeometric_of(
			parameter_load(inputs, 0, i), parameter_load(inputs, 1, i), parameter_load(inputs, 2, i));
		const m64v draws_few = f64_less(h.drawn, f64_set(COUNTS_SMALL));
		f64v x, spread, below, above;

		split_fraction(fraction_load(true, inputs[0], i), &below, &above);
		if (m64_bits(draws_few) == F64_ALL) {
			const f64v none = hypergeometric_none_of_few(h.drawn, h.many, h.all);

			x = hypergeometric_search(&h, draws_few, below, none, COUNTS_SMALL);
			f64_store_i64((int64_t *)ret_out + i, hypergeometric_result(&h, x));
			continue;
		}
		spread = hypergeometric_spread(&h);
		const m64v small = m64_or(draws_few, hypergeometric_narrow(spread));

		x = f64_set(0);
		if (m64_bits(small) != F64_ALL) {
			const struct hypergeometric_hat hat = hypergeometric_hat_of(&h, spread);
			const struct hypergeometric_try try = hypergeometric_try_of(&hat, inputs, i);

			/* The mode's probability is that of the vector before, as long as the parameters are. */
			if (!all_equal(good, parameter_load(inputs, 0, i)) || !all_equal(bad, parameter_load(inputs, 1, i)) ||
			    !all_equal(sample, parameter_load(inputs, 2, i))) {
				good = parameter_load(inputs, 0, i);
				bad = parameter_load(inputs, 1, i);
				sample = parameter_load(inputs, 2, i);
				log_mode = hypergeometric_log(&h, try.mode);
			}
			const m64v fails = hypergeometric_fails(&h, &try, log_mode);

			x = try.x;
			pending_add(&failed, m64_and(m64_or(try.outside, fails), m64_not(small)), i);
		}
		if (m64_bits(small))
			x = f64_pick(small, x, hypergeometric_invert(&h, small, below));
		f64_store_i64((int64_t *)ret_out + i, hypergeometric_result(&h, x));
	}
	memcpy(ret_rejected, failed.samples, failed.n * sizeof *ret_rejected);
	return failed.n;
}
