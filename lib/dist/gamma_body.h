/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma and beta by rejection, in float64 throughout; included after inversion_body.h.
 *
 * d = shape - 1/3, c = 1 / sqrt(9 d), v = (1 + c z)^3 of a normal z: accept where ln u < z^2 / 2 + d (1 - v + ln v),
 * and d v is gamma. The squeeze u < 1 - 0.0331 z^4 spares most logarithms. A shape below 1 is raised by 1, and the
 * result multiplied by a uniform to the power 1 / shape, in logarithms where that might underflow. Source: G.
 * Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000) 363. */

/* v (> 0 where accepted) of one attempt; the lanes that failed in *ret_failed. */
INLINE f64v gamma_attempt(const f64v d, const f64v c, f64v z, f64v u, m64v *ret_failed)
{
	const f64v root = f64_fma(z, c, f64_set(1)), zz = f64_mul(z, z);
	const f64v v = f64_mul(root, f64_mul(root, root));
	const m64v positive = f64_less(f64_set(0), root);
	const f64v squeeze = f64_fma(f64_mul(zz, zz), f64_set(-0.0331), f64_set(1));
	m64v good = m64_and(positive, f64_less(u, squeeze));

	if (m64_bits(good) != F64_ALL) {
		const f64v held = f64_max(v, f64_set(0x1p-1000));
		const f64v bound =
			f64_fma(d, f64_add(f64_sub(f64_set(1), v), log_f64(held)), f64_mul(zz, f64_set(0.5)));

		good = m64_and(positive, m64_or(good, f64_less(log_f64(u), bound)));
	}
	*ret_failed = m64_not(good);
	/* A possible value for those that failed. */
	return f64_pick(good, f64_set(1), v);
}

/* Words as uniforms in (0, 1]. */
INLINE f64v uniform_load(bool wide, const void *words, size_t i)
{
	f64v u, v;

	sides_of(fraction_load(wide, words, i), &u, &v);
	return u;
}

INLINE f64v normal_load(bool wide, const void *normals, size_t i)
{
	return wide ? f64_load((const double *)normals + i) : f64_load_f32((const float *)normals + i);
}

/* Appends the numbers of the lanes that failed. */
INLINE size_t rejected_append(m64v failed, size_t i, size_t n_rejected, uint16_t *ret_rejected)
{
	for (unsigned bits = m64_bits(failed) & F64_ALL; bits != 0; bits &= bits - 1)
		ret_rejected[n_rejected++] = (uint16_t)(i + (unsigned)__builtin_ctz(bits));
	return n_rejected;
}

/* Inputs: normal, word, and where boosted a word of its own. */
INLINE size_t gamma_fill(bool wide, bool boosted, const struct law_constants *k, const void *const inputs[], size_t n,
			 void *ret_out, uint16_t *ret_rejected)
{
	const f64v d = f64_set(k->gamma[0].d), c = f64_set(k->gamma[0].c), scale = f64_set(k->scale * k->gamma[0].d);
	size_t n_rejected = 0;

	for (size_t i = 0; i < n; i += F64_LANES) {
		m64v failed;
		const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
		f64v x = f64_mul(gamma_attempt(d, c, z, u, &failed), scale);

		if (boosted) {
			const f64v e = minus_two_log_signed_f64(fraction_load(wide, inputs[2], i));

			x = f64_mul(x, exp_f64(f64_mul(e, f64_set(-0.5 * k->gamma[0].boost))));
		}
		sample_store(wide, ret_out, i, x);
		n_rejected = rejected_append(failed, i, n_rejected, ret_rejected);
	}
	return n_rejected;
}

/* ln of a gamma of scale 1. Inputs as of gamma_fill. */
INLINE f64v gamma_log(bool wide, bool boosted, f64v d, f64v c, f64v boost, const void *const inputs[], size_t i,
		      m64v *ret_failed)
{
	const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
	const f64v x = log_f64(f64_mul(gamma_attempt(d, c, z, u, ret_failed), d));

	if (!boosted)
		return x;
	const f64v e = minus_two_log_signed_f64(fraction_load(wide, inputs[2], i));

	return f64_fma(f64_mul(e, f64_set(-0.5)), boost, x);
}

/* x / (x + y) of two gammas, both of one attempt. Inputs: those of x, then those of y. */
INLINE size_t beta_fill(bool wide, bool boosted, const struct law_constants *k, const void *const inputs[], size_t n,
			void *ret_out, uint16_t *ret_rejected)
{
	const struct gamma_constants *const a = &k->gamma[0], *const b = &k->gamma[1];
	size_t n_rejected = 0;

	for (size_t i = 0; i < n; i += F64_LANES) {
		m64v failed_x, failed_y;
		f64v ratio;

		if (boosted) {
			const f64v x = gamma_log(wide, true, f64_set(a->d), f64_set(a->c), f64_set(a->boost), inputs, i,
						 &failed_x);
			const f64v y = gamma_log(wide, true, f64_set(b->d), f64_set(b->c), f64_set(b->boost),
						 inputs + 3, i, &failed_y);

			ratio = exp_f64(f64_sub(y, x));
		} else {
			const f64v x = gamma_attempt(f64_set(a->d), f64_set(a->c), normal_load(wide, inputs[0], i),
						     uniform_load(wide, inputs[1], i), &failed_x);
			const f64v y = gamma_attempt(f64_set(b->d), f64_set(b->c), normal_load(wide, inputs[2], i),
						     uniform_load(wide, inputs[3], i), &failed_y);

			ratio = f64_div(f64_mul(y, f64_set(b->d)), f64_mul(x, f64_set(a->d)));
		}
		sample_store(wide, ret_out, i, f64_div(f64_set(1), f64_add(f64_set(1), ratio)));
		n_rejected = rejected_append(m64_or(failed_x, failed_y), i, n_rejected, ret_rejected);
	}
	return n_rejected;
}

/* ln of gammas of scale 1 and of shapes that differ: inputs 3 to 5 are arrays of d, c and boost. Out is float64. */
INLINE size_t gamma_log_fill(bool wide, const void *const inputs[], size_t n, double *ret_out, uint16_t *ret_rejected)
{
	const double *const d = inputs[3], *const c = inputs[4], *const boost = inputs[5];
	size_t n_rejected = 0;

	for (size_t i = 0; i < n; i += F64_LANES) {
		m64v failed;

		f64_store(ret_out + i, gamma_log(wide, true, f64_load(d + i), f64_load(c + i), f64_load(boost + i),
						 inputs, i, &failed));
		n_rejected = rejected_append(failed, i, n_rejected, ret_rejected);
	}
	return n_rejected;
}

#define REJECTION_KERNEL(name, ...)                                                                                    \
	static size_t name(const struct law_constants *k, const void *const inputs[], unsigned attempt, size_t n,      \
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
