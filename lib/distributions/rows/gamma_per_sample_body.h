/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma and beta whose parameters are arrays; included after gamma_body.h, whose method it is.
 *
 * An attempt always reads the word that shapes below 1 need. */

/* Marsaglia and Tsang's constants of a vector of shapes, as gamma_constants_of has them. */
struct gamma_vector {
	f64v d, c;
	m64v boosted; /* shapes below 1 */
};

INLINE struct gamma_vector gamma_vector_of(f64v shape)
{
	const m64v boosted = f64_less(shape, f64_set(1));
	const f64v raised = f64_pick(boosted, shape, f64_add(shape, f64_set(1)));
	const f64v d = f64_sub(raised, f64_set(1.0 / 3));

	return (struct gamma_vector){d, f64_div(f64_set(1), f64_sqrt(f64_mul(f64_set(9), d))), boosted};
}

/* Returns the logarithm of uniforms, given as signed fractions, to the power 1 / (shape factor), by GAMMA_BOOST_SCALE less; 0
 * where the product is not below 1. */
INLINE f64v boost_of_shape(f64v shape, double factor, f64v fraction)
{
	const f64v power = f64_div(f64_set(1), f64_mul(shape, f64_set(GAMMA_BOOST_SCALE * factor)));
	const m64v boosted = f64_less(f64_mul(shape, f64_set(factor)), f64_set(1));

	return boost_of_fraction(fraction, f64_pick(boosted, f64_set(0), power));
}

/* Stores x as the pending samples at `at`, rounded to float32 unless wide. */
INLINE void pending_store(const struct pending *pending, size_t at, bool wide, void *out, f64v x)
{
	double some[F64_LANES];

	f64_store(some, x);
	for (size_t i = 0; i < size_min(F64_LANES, pending->n - at); i++) {
		const uint16_t sample = pending->samples[at + i];

		if (wide)
			((double *)out)[sample] = some[i];
		else
			((float *)out)[sample] = (float)some[i];
	}
}

/* Stores samples i .. i + F64_LANES - 1 as float64 for a stage of a compound draw, else in the words' width. */
INLINE void stage_store(bool wide, bool stage, void *out, size_t i, f64v x)
{
	sample_store(wide || stage, out, i, x);
}

/* Returns the product 2^e of two numbers, a fraction and an exponent. */
INLINE f64v product_of(f64v a, f64v b, f64v *ret_e)
{
	const f64v product = f64_mul(a, b), zero = f64_set(0);
	const m64v plain = lie_f64(product, 0x1p-900, 0x1p900);

	*ret_e = zero;
	if (all_set(plain))
		return product;
	const struct split one = split_f64(a), other = split_f64(b);

	*ret_e = f64_pick(plain, f64_add(one.e, other.e), zero);
	return f64_pick(plain, f64_mul(one.m, other.m), product);
}

/* Makes gammas of shapes[i] factor, times scales[i] (NULL: 1) times `scale`. Inputs: a normal and two words. */
INLINE size_t gamma_per_sample_fill(bool wide, bool stage, const void *const inputs[], const double *shapes, double factor,
			      const double *scales, double scale, size_t n, void *ret_out, uint16_t *ret_rejected)
{
	struct pending pending, boosted;
	size_t n_rejected = 0;

	pending.n = boosted.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v given = f64_load(shapes + i), shape = f64_mul(given, f64_set(factor));
		const struct gamma_vector g = gamma_vector_of(shape);
		const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
		const f64v by = scales ? f64_mul(f64_load(scales + i), f64_set(scale)) : f64_set(scale);
		m64v open;
		f64v e;
		const f64v x = f64_mul(gamma_try(g.c, z, u, &open), product_of(by, g.d, &e));

		stage_store(wide, stage, ret_out, i, all_lie_f64(e, -1, 1) ? x : ldexp_f64(x, e));
		const size_t at = pending_add(&pending, open, i), at_boosted = pending_add(&boosted, g.boosted, i);

		gamma_pend(&pending, at, open, 0, z, u);
		f64_pack(&pending.values[2][at], open, shape);
		gamma_pend(&boosted, at_boosted, g.boosted, 0, x, fraction_load(wide, inputs[2], i));
		gamma_pend(&boosted, at_boosted, g.boosted, 2, given, e);
	}
	pending_end(&boosted);
	for (size_t i = 0; i < boosted.n; i += F64_LANES) {
		const f64v x = f64_load(&boosted.values[0][i]), fraction = f64_load(&boosted.values[1][i]);
		const f64v log = boost_of_shape(f64_load(&boosted.values[2][i]), factor, fraction);

		pending_store(&boosted, i, wide || stage, ret_out,
			      boosted_of(x, f64_mul(log, f64_set(GAMMA_BOOST_SCALE)), f64_load(&boosted.values[3][i])));
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const struct gamma_vector g = gamma_vector_of(f64_load(&pending.values[2][i]));
		const f64v z = f64_load(&pending.values[0][i]), u = f64_load(&pending.values[1][i]);

		n_rejected = rejected_append(&pending, i, gamma_fails(g.d, g.c, z, u), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

/* What the reciprocal of a ratio of two gammas is multiplied by: m 2^e, or (e NULL) m between 2^-400 and 2^400. */
struct ratio_scales {
	const double *m, *e;
};

RARE f64v scaled_reciprocal_apart(struct gammas_ratio r, f64v scale)
{
	const struct split by = split_exp_f64(r.log);
	const f64v reciprocal = f64_div(f64_set(1), f64_mul(r.ratio, by.m));

	return ldexp_f64(f64_mul(reciprocal, scale), f64_neg(f64_add(by.e, r.e)));
}

/* Returns scale / r, whose logarithm is 0 where it is plain. */
INLINE f64v scaled_reciprocal(bool plain, struct gammas_ratio r, f64v scale)
{
	return plain ? f64_mul(f64_div(f64_set(1), r.ratio), scale) : scaled_reciprocal_apart(r, scale);
}

INLINE f64v scaled_reciprocal_of_boosted(struct gammas_ratio r, f64v scale)
{
	const struct gammas_ratio all = {f64_mul(r.ratio, exp_f64(r.log)), r.log, r.e};
	/* A denormal exponential has lost digits. */
	const m64v plain = m64_and(m64_and(lie_f64(all.ratio, 0x1p-550, 0x1p550), f64_less(f64_set(-700), r.log)), lie_f64(r.e, -1, 1));

	return all_set(plain) ? scaled_reciprocal(true, all, scale) : scaled_reciprocal_apart(r, scale);
}

/* Makes x / (x + y) of two gammas x and y of the same attempt, of shapes a[i] factor and b[i] factor, or (scales not NULL)
 * x / y times a scale. Inputs: a normal and two words of x, then of y. */
INLINE size_t beta_per_sample_fill(bool wide, const void *const inputs[], const double *a, const double *b, double factor,
			     const struct ratio_scales *scales, size_t n, void *ret_out, uint16_t *ret_rejected)
{
	struct pending pending, boosted;
	size_t n_rejected = 0;

	pending.n = boosted.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v given_x = f64_load(a + i), given_y = f64_load(b + i);
		const f64v shape_x = f64_mul(given_x, f64_set(factor)), shape_y = f64_mul(given_y, f64_set(factor));
		const struct gamma_vector gx = gamma_vector_of(shape_x), gy = gamma_vector_of(shape_y);
		const f64v zx = normal_load(wide, inputs[0], i), ux = uniform_load(wide, inputs[1], i);
		const f64v zy = normal_load(wide, inputs[3], i), uy = uniform_load(wide, inputs[4], i);
		m64v open_x, open_y;
		const f64v x = f64_mul(gamma_try(gx.c, zx, ux, &open_x), gx.d);
		const f64v y = f64_mul(gamma_try(gy.c, zy, uy, &open_y), gy.d);
		const m64v open = m64_or(open_x, open_y);
		bool plain;
		struct gammas_ratio r = ratio_of(y, x, &plain);
		const m64v any_boosted = m64_or(gx.boosted, gy.boosted);
		const size_t at = pending_add(&pending, open, i);
		const f64v scale = scales ? f64_load(scales->m + i) : r.log;

		if (scales && scales->e) {
			r.e = f64_sub(r.e, f64_load(scales->e + i));
			plain = plain && all_lie_f64(r.e, -1, 1);
		}
		sample_store(wide, ret_out, i, scales ? scaled_reciprocal(plain, r, scale) : share_of(plain, r));
		if (m64_bits(any_boosted)) {
			const size_t at_boosted = pending_add(&boosted, any_boosted, i);

			gamma_pend(&boosted, at_boosted, any_boosted, 0, fraction_load(wide, inputs[2], i),
				   fraction_load(wide, inputs[5], i));
			gamma_pend(&boosted, at_boosted, any_boosted, 2, given_x, given_y);
			gamma_pend(&boosted, at_boosted, any_boosted, 4, r.ratio, scale);
			f64_pack(&boosted.values[6][at_boosted], any_boosted, r.e);
		}
		gamma_pend(&pending, at, open, 0, zx, ux);
		gamma_pend(&pending, at, open, 2, zy, uy);
		gamma_pend(&pending, at, open, 4, shape_x, shape_y);
	}
	pending_end(&boosted);
	for (size_t i = 0; i < boosted.n; i += F64_LANES) {
		const f64v log_x =
			boost_of_shape(f64_load(&boosted.values[2][i]), factor, f64_load(&boosted.values[0][i]));
		const f64v log_y =
			boost_of_shape(f64_load(&boosted.values[3][i]), factor, f64_load(&boosted.values[1][i]));
		const struct gammas_ratio r = {f64_load(&boosted.values[4][i]),
					       f64_mul(f64_sub(log_y, log_x), f64_set(GAMMA_BOOST_SCALE)),
					       f64_load(&boosted.values[6][i])};

		pending_store(&boosted, i, wide, ret_out,
			      scales ? scaled_reciprocal_of_boosted(r, f64_load(&boosted.values[5][i]))
				     : share_of_boosted(r));
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const struct gamma_vector gx = gamma_vector_of(f64_load(&pending.values[4][i]));
		const struct gamma_vector gy = gamma_vector_of(f64_load(&pending.values[5][i]));
		const f64v zx = f64_load(&pending.values[0][i]), ux = f64_load(&pending.values[1][i]);
		const f64v zy = f64_load(&pending.values[2][i]), uy = f64_load(&pending.values[3][i]);
		const m64v failed = m64_or(gamma_fails(gx.d, gx.c, zx, ux), gamma_fails(gy.d, gy.c, zy, uy));

		n_rejected = rejected_append(&pending, i, failed, n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

/* Makes the ratio of two gammas, of half the first and half the second parameter, times the third (ratio_apart: times 2 to the
 * power of the fourth). */
INLINE size_t ratio_per_sample_fill(bool wide, const struct dist_constants *k, const void *const inputs[], size_t n, void *ret_out, uint16_t *ret_rejected)
{
	const void *const *parameters = inputs + DIST_PARAMETER_INPUT;
	const struct ratio_scales scales = {parameters[2], k->ratio_apart ? parameters[3] : NULL};

	return beta_per_sample_fill(wide, inputs, parameters[0], parameters[1], 0.5, &scales, n, ret_out, ret_rejected);
}

#define GAMMA_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], 1, inputs[DIST_PARAMETER_INPUT + 1], 1
#define CHI_SQUARED_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], 0.5, NULL, 2
#define BETA_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], inputs[DIST_PARAMETER_INPUT + 1], 1, NULL

REJECTION_KERNEL(gamma_per_sample_f32, gamma_per_sample_fill(false, false, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_per_sample_f64, gamma_per_sample_fill(true, false, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(chi_squared_per_sample_f32,
		 gamma_per_sample_fill(false, false, inputs, CHI_SQUARED_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(chi_squared_per_sample_f64,
		 gamma_per_sample_fill(true, false, inputs, CHI_SQUARED_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_per_sample_f32, beta_per_sample_fill(false, inputs, BETA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_per_sample_f64, beta_per_sample_fill(true, inputs, BETA_PARAMETERS_EACH, n, ret_out, ret_rejected))

/* Makes twice a gamma of the first parameter as shape, plus the square of a normal plus the second, where that is not
 * negative. Inputs: those of the gamma, and another normal. */
INLINE size_t noncentral_fill(bool wide, const void *const inputs[], size_t n, void *ret_out, uint16_t *ret_rejected)
{
	const double *shapes = inputs[DIST_PARAMETER_INPUT], *centres = inputs[DIST_PARAMETER_INPUT + 1];
	double x[DIST_BLOCK_REJECTING];
	const size_t n_rejected = gamma_per_sample_fill(wide, true, inputs, shapes, 1, NULL, 2, n, x, ret_rejected);

	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v centre = f64_load(centres + i), z = f64_add(normal_load(wide, inputs[3], i), centre);
		const f64v square = f64_pick(f64_less(centre, f64_set(0)), f64_mul(z, z), f64_set(0));

		sample_store(wide, ret_out, i, f64_add(f64_load(x + i), square));
	}
	return n_rejected;
}

REJECTION_KERNEL(noncentral_per_sample_f32, noncentral_fill(false, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(noncentral_per_sample_f64, noncentral_fill(true, inputs, n, ret_out, ret_rejected))

/* The first stage of a compound draw, in float64; and a second one. */
REJECTION_KERNEL(gamma_stage_f32, gamma_per_sample_fill(false, true, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_stage_f64, gamma_per_sample_fill(true, true, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(ratio_per_sample_f32, ratio_per_sample_fill(false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(ratio_per_sample_f64, ratio_per_sample_fill(true, k, inputs, n, ret_out, ret_rejected))
