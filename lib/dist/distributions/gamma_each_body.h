/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma and beta whose parameters are arrays; included after gamma_body.h, whose method it is.
 *
 * An attempt always reads the word that shapes below 1 need. */

/* Marsaglia and Tsang's constants of a vector of shapes, as gamma_constants_of has them. */
struct gamma_vector {
	f64v d, c, boost;
	m64v boosted;
};

INLINE struct gamma_vector gamma_vector_of(f64v shape)
{
	const m64v boosted = f64_less(shape, f64_set(1));
	const f64v raised = f64_pick(boosted, shape, f64_add(shape, f64_set(1)));
	const f64v d = f64_sub(raised, f64_set(1.0 / 3)), held = f64_max(shape, f64_set(1e-300));
	const f64v boost = f64_pick(boosted, f64_set(0), f64_div(f64_set(1), held));

	return (struct gamma_vector){d, f64_div(f64_set(1), f64_sqrt(f64_mul(f64_set(9), d))), boost, boosted};
}

/* Loads the values of an array that belong to the pending samples at `at`; behind the last sample any of them. */
INLINE f64v pending_load(const struct pending *pending, size_t at, const double *values)
{
	double some[F64_LANES];

	for (unsigned i = 0; i < F64_LANES; i++)
		some[i] = values[pending->samples[at + i] == NO_SAMPLE ? 0 : pending->samples[at + i]];
	return f64_load(some);
}

/* Stores samples i .. i + F64_LANES - 1 as float64 for a stage of a compound draw, else in the words' width. */
INLINE void stage_store(bool wide, bool stage, void *out, size_t i, f64v x)
{
	sample_store(wide || stage, out, i, x);
}

/* Makes gammas of shapes[i] factor, times scales[i] (NULL: 1) times `scale`. Inputs: a normal and two words. */
INLINE size_t gamma_each_fill(bool wide, bool stage, const void *const inputs[], const double *shapes, double factor,
			      const double *scales, double scale, size_t n, void *ret_out, uint16_t *ret_rejected)
{
	struct pending pending;
	size_t n_rejected = 0;

	pending.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct gamma_vector g = gamma_vector_of(f64_mul(f64_load(shapes + i), f64_set(factor)));
		const f64v z = normal_load(wide, inputs[0], i), u = uniform_load(wide, inputs[1], i);
		const f64v by = scales ? f64_mul(f64_load(scales + i), f64_set(scale)) : f64_set(scale);
		m64v open;
		f64v x = f64_mul(gamma_try(g.c, z, u, &open), f64_mul(by, g.d));

		if (m64_bits(g.boosted))
			x = f64_mul(x, exp_f64(boost_log(wide, inputs[2], i, g.boost)));
		stage_store(wide, stage, ret_out, i, x);
		gamma_pend(&pending, pending_add(&pending, open, i), open, 0, z, u);
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const f64v shape = f64_mul(pending_load(&pending, i, shapes), f64_set(factor));
		const struct gamma_vector g = gamma_vector_of(shape);
		const f64v z = f64_load(&pending.values[0][i]), u = f64_load(&pending.values[1][i]);

		n_rejected = rejected_append(&pending, i, gamma_fails(g.d, g.c, z, u), n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

/* Makes x / (x + y) of two gammas x and y of the same attempt, or (scales not NULL) x / y scales[i]. Inputs: a normal and two
 * words of x, then of y. */
INLINE size_t beta_each_fill(bool wide, const void *const inputs[], const double *a, const double *b,
			     const double *scales, size_t n, void *ret_out, uint16_t *ret_rejected)
{
	struct pending pending;
	size_t n_rejected = 0;

	pending.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct gamma_vector gx = gamma_vector_of(f64_load(a + i)), gy = gamma_vector_of(f64_load(b + i));
		const f64v zx = normal_load(wide, inputs[0], i), ux = uniform_load(wide, inputs[1], i);
		const f64v zy = normal_load(wide, inputs[3], i), uy = uniform_load(wide, inputs[4], i);
		m64v open_x, open_y;
		const f64v x = f64_mul(gamma_try(gx.c, zx, ux, &open_x), gx.d);
		const f64v y = f64_mul(gamma_try(gy.c, zy, uy, &open_y), gy.d);
		const m64v open = m64_or(open_x, open_y);
		f64v ratio = f64_div(y, x);

		if (m64_bits(m64_or(gx.boosted, gy.boosted))) {
			const f64v log_x = boost_log(wide, inputs[2], i, gx.boost);
			const f64v log_y = boost_log(wide, inputs[5], i, gy.boost);

			ratio = f64_mul(ratio, exp_f64(f64_sub(log_y, log_x)));
		}
		const f64v share = f64_div(f64_set(1), scales ? ratio : f64_add(f64_set(1), ratio));

		sample_store(wide, ret_out, i, scales ? f64_mul(share, f64_load(scales + i)) : share);
		const size_t at = pending_add(&pending, open, i);

		gamma_pend(&pending, at, open, 0, zx, ux);
		gamma_pend(&pending, at, open, 2, zy, uy);
	}
	pending_end(&pending);
	for (size_t i = 0; i < pending.n; i += F64_LANES) {
		const struct gamma_vector gx = gamma_vector_of(pending_load(&pending, i, a));
		const struct gamma_vector gy = gamma_vector_of(pending_load(&pending, i, b));
		const f64v zx = f64_load(&pending.values[0][i]), ux = f64_load(&pending.values[1][i]);
		const f64v zy = f64_load(&pending.values[2][i]), uy = f64_load(&pending.values[3][i]);
		const m64v failed = m64_or(gamma_fails(gx.d, gx.c, zx, ux), gamma_fails(gy.d, gy.c, zy, uy));

		n_rejected = rejected_append(&pending, i, failed, n_rejected, ret_rejected);
	}
	return rejected_end(n_rejected, ret_rejected);
}

#define GAMMA_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], 1, inputs[DIST_PARAMETER_INPUT + 1], 1
#define CHI_SQUARED_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], 0.5, NULL, 2
#define BETA_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], inputs[DIST_PARAMETER_INPUT + 1], NULL
#define RATIO_PARAMETERS_EACH inputs[DIST_PARAMETER_INPUT], inputs[DIST_PARAMETER_INPUT + 1], inputs[DIST_PARAMETER_INPUT + 2]

REJECTION_KERNEL(gamma_each_f32, gamma_each_fill(false, false, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_each_f64, gamma_each_fill(true, false, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(chi_squared_each_f32,
		 gamma_each_fill(false, false, inputs, CHI_SQUARED_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(chi_squared_each_f64,
		 gamma_each_fill(true, false, inputs, CHI_SQUARED_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_each_f32, beta_each_fill(false, inputs, BETA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(beta_each_f64, beta_each_fill(true, inputs, BETA_PARAMETERS_EACH, n, ret_out, ret_rejected))

/* Makes twice a gamma of the first parameter as shape, plus the square of a normal plus the second, where that is not
 * negative. Inputs: those of the gamma, and another normal. */
INLINE size_t noncentral_fill(bool wide, const void *const inputs[], size_t n, void *ret_out, uint16_t *ret_rejected)
{
	const double *shapes = inputs[DIST_PARAMETER_INPUT], *centres = inputs[DIST_PARAMETER_INPUT + 1];
	double x[DIST_BLOCK_REJECTING];
	const size_t n_rejected = gamma_each_fill(wide, true, inputs, shapes, 1, NULL, 2, n, x, ret_rejected);

	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v centre = f64_load(centres + i), z = f64_add(normal_load(wide, inputs[3], i), centre);
		const f64v square = f64_pick(f64_less(centre, f64_set(0)), f64_mul(z, z), f64_set(0));

		sample_store(wide, ret_out, i, f64_add(f64_load(x + i), square));
	}
	return n_rejected;
}

REJECTION_KERNEL(noncentral_each_f32, noncentral_fill(false, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(noncentral_each_f64, noncentral_fill(true, inputs, n, ret_out, ret_rejected))

/* The first stage of a compound draw, in float64; and the ratio of two gammas times the third parameter. */
REJECTION_KERNEL(gamma_stage_f32, gamma_each_fill(false, true, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(gamma_stage_f64, gamma_each_fill(true, true, inputs, GAMMA_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(ratio_each_f32, beta_each_fill(false, inputs, RATIO_PARAMETERS_EACH, n, ret_out, ret_rejected))
REJECTION_KERNEL(ratio_each_f64, beta_each_fill(true, inputs, RATIO_PARAMETERS_EACH, n, ret_out, ret_rejected))
