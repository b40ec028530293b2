/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma and beta by rejection, in float64 throughout; included after inversion_body.h.
 *
 * With d = shape - 1/3, c = 1 / sqrt(9 d) and v = (1 + c z)^3 of a normal z, d v is a gamma if ln u < z^2 / 2 + d (1 -
 * v + ln v). Most samples pass the squeeze u < 1 - 0.0331 z^4, which needs no logarithm. A shape below 1 is raised by
 * 1, and the gamma multiplied by a uniform to the power 1 / shape. Where a factor of a sample leaves the range of
 * doubles, its exponent is carried apart (elementary_split.h). An attempt is accepted with probability
 * Gamma(d + 1/3) e^d d^(1/6 - d) / sqrt(2 pi), which rises from 0.9517 at shape 1 to 1. Source: G. Marsaglia,
 * W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000) 363. */

#include <string.h>

#include "base/checked.h"
#include "math/elementary_split.h"

/* Samples that the squeeze has not accepted, packed so that their logarithms fill vectors. Packing does not branch,
 * since branches on random numbers are mispredicted. */
enum { NO_SAMPLE = UINT16_MAX, PENDING_VALUES = 7 };

struct pending {
	size_t n;
	uint16_t samples[DIST_BLOCK_REJECTING + F64_LANES];
	double values[PENDING_VALUES][DIST_BLOCK_REJECTING + F64_LANES];
};

/* Adds the samples of a vector, which begins with sample i, whose lanes are set in mask. Returns the index at which the
 * caller packs their values. */
INLINE size_t pending_add(struct pending *pending, m64v mask, size_t i)
{
	const size_t at = pending->n;

	lanes_pack(&pending->samples[at], mask, (uint16_t)i);
	pending->n += m64_count(mask);
	return at;
}

/* Appends the failed ones of the vector of pending samples at `at` to the list of rejected samples; returns its length.
 */
INLINE size_t rejected_append(const struct pending *pending, size_t at, m64v failed, size_t n_rejected,
			      uint16_t *ret_rejected)
{
	u16_pack(&ret_rejected[n_rejected], failed, &pending->samples[at]);
	return n_rejected + m64_count(failed);
}

/* Fills the vector behind the last pending sample with NO_SAMPLE, so that whole vectors can be processed. */
INLINE void pending_end_samples(struct pending *pending)
{
	for (unsigned i = 0; i < F64_LANES; i++)
		pending->samples[pending->n + i] = NO_SAMPLE;
}

/* Does so, and fills that of the values with zeros. */
INLINE void pending_end(struct pending *pending)
{
	pending_end_samples(pending);
	for (unsigned j = 0; j < PENDING_VALUES; j++)
		f64_store(&pending->values[j][pending->n], f64_set(0));
}

/* Returns the length of the list without NO_SAMPLE at its end. */
INLINE size_t rejected_end(size_t n_rejected, const uint16_t *rejected)
{
	while (n_rejected > 0 && rejected[n_rejected - 1] == NO_SAMPLE)
		n_rejected--;
	return n_rejected;
}

/* Returns v = (1 + c z)^3. */
INLINE f64v gamma_cube(f64v c, f64v z)
{
	const f64v root = f64_fma(z, c, f64_set(1));

	return f64_mul(root, f64_mul(root, root));
}

/* Returns the lanes that the squeeze accepts. */
INLINE m64v gamma_squeeze(f64v v, f64v z, f64v u)
{
	const f64v zz = f64_mul(z, z);

	return m64_and(f64_less(f64_set(0), v), f64_less(u, f64_fma(f64_mul(zz, zz), f64_set(-0.0331), f64_set(1))));
}

/* Returns the lanes that are rejected. */
INLINE m64v gamma_fails(f64v d, f64v c, f64v z, f64v u)
{
	const f64v v = gamma_cube(c, z), held = f64_max(v, f64_set(0x1p-1000)), zz = f64_mul(z, z);
	const f64v bound = f64_fma(d, f64_add(f64_sub(f64_set(1), v), log_f64(held)), f64_mul(zz, f64_set(0.5)));
	const m64v good = m64_and(f64_less(f64_set(0), v), f64_less(log_f64(u), bound));

	return m64_not(m64_or(good, gamma_squeeze(v, z, u)));
}

/* Loads words as uniforms in (0, 1]: twice the absolute value of their signed fractions. */
INLINE f64v uniform_load(bool wide, const void *words, size_t i)
{
	return f64_abs(f64_mul(f64_from_i64(word_load(wide, words, i)), f64_set(0x1p-63)));
}

/* Loads normals i .. i + F64_LANES - 1. */
INLINE f64v normal_load(bool wide, const void *normals, size_t i)
{
	return wide ? f64_load((const double *)normals + i) : f64_load_f32((const float *)normals + i);
}

/* Returns the logarithm of uniforms, given as signed fractions, to the power 1 / shape; as boost, by GAMMA_BOOST_SCALE
 * less. */
INLINE f64v boost_of_fraction(f64v fraction, f64v boost)
{
	return f64_mul(f64_neg(minus_log_signed_f64(fraction)), boost);
}

/* Does the same with words. */
INLINE f64v boost_log(bool wide, const void *words, size_t i, f64v boost)
{
	return boost_of_fraction(fraction_load(wide, words, i), boost);
}

/* Lanes that need no exponent keep their bytes, whatever their neighbours: a denormal product is rounded once. */
RARE f64v boosted_apart(m64v plain, f64v x, f64v y, f64v e)
{
	const struct split boost = split_exp_f64(y);

	return f64_pick(plain, ldexp_f64(f64_mul(x, boost.m), f64_add(boost.e, e)), f64_mul(x, exp_f64(y)));
}

/* Returns x e^y 2^e, of which e^y alone may leave the range of doubles; y <= 0. */
INLINE f64v boosted_of(f64v x, f64v y, f64v e)
{
	const m64v plain = m64_and(f64_less(f64_set(-620), y), lie_f64(e, -1, 1));

	return all_set(plain) ? f64_mul(x, exp_f64(y)) : boosted_apart(plain, x, y, e);
}

/* Returns v of a vector of samples, at least 2^-1000, and in *ret_open the lanes that the squeeze does not accept. */
INLINE f64v gamma_try(f64v c, f64v z, f64v u, m64v *ret_open)
{
	const f64v v = gamma_cube(c, z);

	*ret_open = m64_not(gamma_squeeze(v, z, u));
	return f64_max(v, f64_set(0x1p-1000));
}

/* Packs z and u of the open lanes as the values `first` and `first` + 1 of the pending samples at `at`. */
INLINE void gamma_pend(struct pending *pending, size_t at, m64v open, unsigned first, f64v z, f64v u)
{
	f64_pack(&pending->values[first][at], open, z);
	f64_pack(&pending->values[first + 1][at], open, u);
}

/* Copies the pending samples' words or normals to value `value`, as they lie in the input. */
INLINE void pending_pick(bool wide, struct pending *pending, unsigned value, const void *input)
{
	const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
	char *at = (char *)pending->values[value];

	for (size_t i = 0; i < pending->n; i++, at += size)
		memcpy(at, (const char *)input + pending->samples[i] * size, size);
	memset(at, 0, F64_LANES * size);
}

/* Decides all pending samples of one gamma, of which no values are packed yet: writes those that fail, and returns how many they
 * are. To look up the few values here costs less than to pack them where most samples are accepted. */
INLINE size_t gamma_settle(bool wide, struct pending *pending, f64v d, f64v c, const void *const inputs[], uint16_t *ret_rejected)
{
	size_t n_rejected = 0;

	pending_end_samples(pending);
	pending_pick(wide, pending, 0, inputs[0]);
	pending_pick(wide, pending, 1, inputs[1]);
	for (size_t i = 0; i < pending->n; i += F64_LANES) {
		const f64v z = normal_load(wide, pending->values[0], i), u = uniform_load(wide, pending->values[1], i);

		n_rejected = rejected_append(pending, i, gamma_fails(d, c, z, u), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

/* Joins two ascending lists, behind both of which is room for one number more. Returns the length without numbers that are in
 * both. It does not branch, either. */
INLINE size_t rejected_join(uint16_t *a, size_t n_a, uint16_t *b, size_t n_b, uint16_t *ret_rejected)
{
	size_t n = 0;

	a[n_a] = b[n_b] = NO_SAMPLE;
	do {
		const uint16_t x = *a, y = *b;

		ret_rejected[n] = x < y ? x : y;
		a += x <= y;
		b += y <= x;
	} while (ret_rejected[n++] != NO_SAMPLE);
	return n - 1;
}

/* Makes gammas. Inputs: a normal, a word, and if boosted another word. The boosts are passes of their own: one vector's
 * logarithm, exponential and acceptance in a row leave the CPU waiting, since it sees but two vectors ahead. */
INLINE size_t gamma_fill(bool wide, bool boosted, const struct dist_constants *k, const void *const inputs[], size_t n,
			 void *ret_out, uint16_t *ret_rejected)
{
	const f64v d = f64_set(k->gamma[0].d), c = f64_set(k->gamma[0].c), boost = f64_set(k->gamma[0].boost);
	const struct split d_parts = split_f64(d), scale_parts = split_f64(f64_set(k->scale));
	const bool plain = all_lie_f64(f64_mul(d, f64_set(k->scale)), 0x1p-900, 0x1p900);
	const f64v scale = plain ? f64_mul(d, f64_set(k->scale)) : f64_mul(d_parts.m, scale_parts.m);
	const f64v exponent = plain ? f64_set(0) : f64_add(d_parts.e, scale_parts.e);
	double logs[DIST_BLOCK_REJECTING], gammas[DIST_BLOCK_REJECTING];
	struct pending pending;

	for (size_t i = 0; boosted && i < n; i += F64_LANES)
		f64_store(logs + i, f64_mul(boost_log(wide, inputs[2], i, boost), f64_set(GAMMA_BOOST_SCALE)));
	pending.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
		m64v open;
		const f64v x = f64_mul(gamma_try(c, z, u, &open), scale);

		if (boosted)
			f64_store(gammas + i, x);
		else
			sample_store(wide, ret_out, i, plain ? x : ldexp_f64(x, exponent));
		pending_add(&pending, open, i);
	}
	for (size_t i = 0; boosted && i < n; i += F64_LANES)
		sample_store(wide, ret_out, i, boosted_of(f64_load(gammas + i), f64_load(logs + i), exponent));
	return gamma_settle(wide, &pending, d, c, inputs, ret_rejected);
}

/* Two gammas' ratio y / x e^log 2^e. */
struct gammas_ratio {
	f64v ratio, log, e;
};

/* Returns a ratio of two gammas that a double cannot hold, as a fraction and an exponent. */
RARE struct gammas_ratio ratio_apart(f64v y, f64v x)
{
	const struct split over = split_f64(y), under = split_f64(x);

	return (struct gammas_ratio){f64_div(over.m, under.m), f64_set(0), f64_sub(over.e, under.e)};
}

/* Returns y / x; *ret_plain: all ratios are near 1, as fractions with exponents of 0. */
INLINE struct gammas_ratio ratio_of(f64v y, f64v x, bool *ret_plain)
{
	const struct gammas_ratio plain = {f64_div(y, x), f64_set(0), f64_set(0)};

	*ret_plain = all_lie_f64(plain.ratio, 0x1p-500, 0x1p500);
	return *ret_plain ? plain : ratio_apart(y, x);
}

/* Returns 1 / (1 + r): below 2^-1000 that is the reciprocal of r, to its last bit. */
RARE f64v share_apart(struct gammas_ratio r)
{
	const struct split by = split_exp_f64(r.log);
	const f64v one = f64_set(1), m = f64_mul(r.ratio, by.m), up = f64_add(by.e, r.e), all = ldexp_f64(m, up);

	return f64_pick(f64_less(all, f64_set(0x1p1000)), ldexp_f64(f64_div(one, m), f64_neg(up)),
			f64_div(one, f64_add(one, all)));
}

INLINE f64v share_of(bool plain, struct gammas_ratio r)
{
	return plain ? f64_div(f64_set(1), f64_add(f64_set(1), r.ratio)) : share_apart(r);
}

/* Does the same with the logarithm, which share_of takes to be 0 where the ratio is plain. */
INLINE f64v share_of_boosted(struct gammas_ratio r)
{
	const struct gammas_ratio all = {f64_mul(r.ratio, exp_f64(r.log)), r.log, r.e};

	return all_set(m64_and(f64_less(all.ratio, f64_set(0x1p1000)), lie_f64(r.e, -1, 1))) ? share_of(true, all) : share_apart(r);
}

/* Makes x / (x + y) of two gammas x and y of the same attempt. Inputs: those of x, then those of y. */
INLINE size_t beta_fill(bool wide, bool boosted, const struct dist_constants *k, const void *const inputs[], size_t n,
			void *ret_out, uint16_t *ret_rejected)
{
	const f64v dx = f64_set(k->gamma[0].d), cx = f64_set(k->gamma[0].c), boost_x = f64_set(k->gamma[0].boost);
	const f64v dy = f64_set(k->gamma[1].d), cy = f64_set(k->gamma[1].c), boost_y = f64_set(k->gamma[1].boost);
	const void *const *inputs_y = inputs + (boosted ? 3 : 2);
	double logs[DIST_BLOCK_REJECTING], ratios[DIST_BLOCK_REJECTING], exponents[DIST_BLOCK_REJECTING];
	uint16_t rejected_x[DIST_BLOCK_REJECTING + DIST_REJECTED_PAD], rejected_y[DIST_BLOCK_REJECTING + DIST_REJECTED_PAD];
	struct pending pending_x, pending_y;

	for (size_t i = 0; boosted && i < n; i += F64_LANES) {
		const f64v log_x = boost_log(wide, inputs[2], i, boost_x);
		const f64v log = f64_sub(boost_log(wide, inputs_y[2], i, boost_y), log_x);

		f64_store(logs + i, f64_mul(log, f64_set(GAMMA_BOOST_SCALE)));
	}
	pending_x.n = pending_y.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v zx = normal_load(wide, inputs[0], i), ux = uniform_load(wide, inputs[1], i);
		const f64v zy = normal_load(wide, inputs_y[0], i), uy = uniform_load(wide, inputs_y[1], i);
		m64v open_x, open_y;
		const f64v x = f64_mul(gamma_try(cx, zx, ux, &open_x), dx);
		const f64v y = f64_mul(gamma_try(cy, zy, uy, &open_y), dy);
		bool plain;
		const struct gammas_ratio r = ratio_of(y, x, &plain);

		if (boosted) {
			f64_store(ratios + i, r.ratio);
			f64_store(exponents + i, r.e);
		} else {
			sample_store(wide, ret_out, i, share_of(plain, r));
		}
		pending_add(&pending_x, open_x, i);
		pending_add(&pending_y, open_y, i);
	}
	for (size_t i = 0; boosted && i < n; i += F64_LANES) {
		const struct gammas_ratio r = {f64_load(ratios + i), f64_load(logs + i), f64_load(exponents + i)};

		sample_store(wide, ret_out, i, share_of_boosted(r));
	}
	const size_t n_x = gamma_settle(wide, &pending_x, dx, cx, inputs, rejected_x);
	const size_t n_y = gamma_settle(wide, &pending_y, dy, cy, inputs_y, rejected_y);

	return rejected_join(rejected_x, n_x, rejected_y, n_y, ret_rejected);
}

/* Makes float64 logarithms of gammas of scale 1, divided by GAMMA_BOOST_SCALE, each of its own shape: inputs 3 to 5 are arrays
 * of d, c and boost. */
INLINE size_t gamma_log_fill(bool wide, const void *const inputs[], size_t n, double *ret_out, uint16_t *ret_rejected)
{
	struct pending pending;
	size_t n_rejected = 0;

	pending.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v d = f64_load((const double *)inputs[3] + i), c = f64_load((const double *)inputs[4] + i);
		const f64v boost = boost_log(wide, inputs[2], i, f64_load((const double *)inputs[5] + i));
		const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
		m64v open;

		const f64v log = log_f64(f64_mul(gamma_try(c, z, u, &open), d));

		f64_store(ret_out + i, f64_fma(log, f64_set(1 / GAMMA_BOOST_SCALE), boost));
		const size_t at = pending_add(&pending, open, i);

		gamma_pend(&pending, at, open, 0, z, u);
		gamma_pend(&pending, at, open, 2, d, c);
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const f64v z = f64_load(&pending.values[0][i]), u = f64_load(&pending.values[1][i]);
		const f64v d = f64_load(&pending.values[2][i]), c = f64_load(&pending.values[3][i]);

		n_rejected = rejected_append(&pending, i, gamma_fails(d, c, z, u), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

#define REJECTION_KERNEL(name, ...)                                                                                    \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		(void)k, (void)attempt;                                                                                \
		return __VA_ARGS__;                                                                                    \
	}

REJECTION_KERNEL(gamma_f32, gamma_fill(false, false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_f64, gamma_fill(true, false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_boosted_f32, gamma_fill(false, true, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_boosted_f64, gamma_fill(true, true, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_f32, beta_fill(false, false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_f64, beta_fill(true, false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_boosted_f32, beta_fill(false, true, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_boosted_f64, beta_fill(true, true, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_log_f32, gamma_log_fill(false, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_log_f64, gamma_log_fill(true, inputs, n, ret_out, ret_rejected))
