/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions by inversion or rejection whose parameters are read for each sample; included after per_sample_body.h.
 *
 * All arithmetic is float64, rounded once. Numbers that are parameters come as arrays of equal elements. */
#include "math/angle.h"
#include "math/elementary_atan.h"

/* Square roots of exponentials. */
PER_SAMPLE_KERNELS(rayleigh, f64_mul(f64_sqrt(minus_two_log_signed_f64(fraction_load(wide, inputs[0], i))),
			       parameter_load(inputs, 0, i)))

/* Returns ln(u / (1 - u)). */
INLINE f64v logit(bool wide, const void *const inputs[], size_t i)
{
	f64v u, v;

	split_fraction(fraction_load(wide, inputs[0], i), &u, &v);
	return log_f64(f64_div(u, v));
}

PER_SAMPLE_KERNELS(logistic, LOCATED(logit(wide, inputs, i)))

/* u^(-1 / a) - 1, the distribution of Lomax. */
PER_SAMPLE_KERNELS(pareto, expm1_f64(f64_div(exponential(wide, k, inputs, i), parameter_load(inputs, 0, i))))

/* u^(1 / a) */
PER_SAMPLE_KERNELS(power, exp_f64(f64_neg(f64_div(exponential(wide, k, inputs, i), parameter_load(inputs, 0, i)))))

/* Returns the distances of the sides of triangles that u picks, from their own ends: sqrt(u base rise) or sqrt(v base fall). */
INLINE f64v triangular_distance(f64v base, f64v rise, f64v fall, f64v u, f64v v, m64v *ret_falls)
{
	const m64v falls = f64_less(rise, f64_mul(u, base));

	*ret_falls = falls;
	return f64_sqrt(f64_mul(f64_mul(f64_pick(falls, u, v), base), f64_pick(falls, rise, fall)));
}

/* Does the same in units of the power of two at the base: products of its parts leave the range of doubles. */
RARE f64v triangular_distance_apart(f64v base, f64v rise, f64v fall, f64v u, f64v v, m64v *ret_falls)
{
	const struct split width = split_f64(base);
	const f64v down = f64_neg(width.e);

	return ldexp_f64(triangular_distance(width.m, ldexp_f64(rise, down), ldexp_f64(fall, down), u, v, ret_falls), width.e);
}

/* Inverts each side of the mode from its own end. */
INLINE f64v triangular(bool wide, const void *const inputs[], size_t i)
{
	const f64v left = parameter_load(inputs, 0, i), mode = parameter_load(inputs, 1, i);
	const f64v right = parameter_load(inputs, 2, i), base = f64_sub(right, left);
	const f64v rise = f64_sub(mode, left), fall = f64_sub(right, mode);
	f64v u, v, distance;
	m64v falls;

	split_fraction(fraction_load(wide, inputs[0], i), &u, &v);
	if (all_lie_f64(base, 0x1p-300, 0x1p300))
		distance = triangular_distance(base, rise, fall, u, v, &falls);
	else
		distance = triangular_distance_apart(base, rise, fall, u, v, &falls);
	return f64_min(f64_max(f64_pick(falls, f64_add(left, distance), f64_sub(right, distance)), left), right);
}

PER_SAMPLE_KERNELS(triangular, triangular(wide, inputs, i))

/* Returns the sample of w = mean z^2 / (2 scale): with t = 1 + w + sqrt(w (w + 2)) mean / t with probability t / (1 + t), else
 * mean t. Source: J. R. Michael, W. R. Schucany, R. W. Haas, The American Statistician 30 (1976) 88. */
INLINE f64v wald_root(f64v mean, f64v w, f64v u)
{
	const f64v one = f64_set(1);
	const f64v t = f64_add(f64_add(one, w), f64_sqrt(f64_mul(w, f64_add(w, f64_set(2)))));

	return f64_pick(f64_less(t, f64_mul(u, f64_add(one, t))), f64_div(mean, t), f64_mul(mean, t));
}

/* Does the same where a product or w itself leaves the range of doubles. A large w gives mean / t = scale / z^2 to the last bit
 * (Levy's distribution), and mean t with a probability below 2^-400. */
RARE f64v wald_apart(f64v mean, f64v scale, f64v zz, f64v u)
{
	const struct split over = split_f64(mean), under = split_f64(scale);
	const f64v m = f64_div(f64_mul(f64_mul(over.m, f64_set(0.5)), zz), under.m), most = f64_set(1e150);
	const f64v w = ldexp_f64(m, f64_sub(over.e, under.e));

	return f64_pick(f64_less(most, w), wald_root(mean, f64_min(w, most), u), f64_div(scale, zz));
}

INLINE f64v wald(bool wide, const void *const inputs[], size_t i)
{
	const f64v mean = parameter_load(inputs, 0, i), scale = parameter_load(inputs, 1, i);
	const f64v z = normal_load(wide, inputs[0], i), zz = f64_mul(z, z), u = uniform_load(wide, inputs[1], i);
	const f64v w = f64_div(f64_mul(f64_mul(mean, f64_set(0.5)), zz), scale);
	const m64v plain = m64_and(lie_f64(mean, 0x1p-900, 0x1p900), f64_less(w, f64_set(1e150)));

	return all_set(plain) ? wald_root(mean, w, u) : wald_apart(mean, scale, zz, u);
}

PER_SAMPLE_KERNELS(wald, wald(wide, inputs, i))

/* Constants of von Mises' distribution, whose hat is a wrapped Cauchy distribution of parameter rho. */
struct vonmises_vector {
	f64v rho, kappa_per_rho, shrink; /* shrink = (1 - rho) / (1 + rho) */
};

INLINE struct vonmises_vector vonmises_of(f64v kappa)
{
	const f64v one = f64_set(1), twice = f64_mul(kappa, f64_set(2)), q = f64_sqrt(f64_fma(twice, twice, one));
	const f64v r = f64_add(one, q), root = f64_sqrt(f64_div(f64_set(2), r));
	const f64v per = f64_mul(f64_mul(r, f64_add(one, root)), f64_set(0.5)), rho = f64_div(kappa, per);
	/* 2 kappa - r without its cancellation. */
	const f64v less = f64_add(one, f64_div(one, f64_add(q, twice)));
	const f64v large = f64_div(f64_sub(f64_sqrt(f64_mul(f64_set(2), r)), less), f64_max(twice, one));
	const f64v rest = f64_pick(f64_less(kappa, f64_set(0.5)), large, f64_sub(one, rho));

	return (struct vonmises_vector){rho, per, f64_div(rest, f64_add(one, rho))};
}

/* Returns the lanes whose candidate, made of the tangent, is rejected. */
INLINE m64v vonmises_fails(const struct vonmises_vector *c, f64v tangent, f64v v)
{
	const f64v one = f64_set(1), tt = f64_mul(tangent, tangent), rr = f64_mul(c->rho, c->rho);
	const f64v cosine = f64_div(f64_sub(one, tt), f64_add(one, tt));
	const f64v below = f64_fma(f64_mul(f64_set(2), c->rho), cosine, f64_add(one, rr));
	const f64v gap = f64_mul(c->shrink, f64_mul(f64_add(one, c->rho), f64_add(one, c->rho)));
	const f64v y = f64_div(f64_mul(f64_mul(c->kappa_per_rho, f64_set(0.5)), f64_mul(gap, gap)), below);
	const f64v ratio = f64_max(f64_div(y, v), f64_set(0x1p-1000));

	return f64_less(f64_add(log_f64(ratio), one), y);
}

/* Returns modes that a sum with an angle keeps exact enough: the error of the multiple of 2 pi that is subtracted from the sum
 * grows with the mode, and 1024 leaves it below 2^-42, where kappa = 10^15 has a deviation of 2^-25. */
RARE f64v vonmises_reduced(f64v mu)
{
	double modes[F64_LANES];

	f64_store(modes, mu);
	for (unsigned i = 0; i < F64_LANES; i++)
		modes[i] = fabs(modes[i]) < 1025 ? modes[i] : angle_reduce(modes[i]);
	return f64_load(modes);
}

/* Makes angles in [-pi, pi]. Inputs: a word for the angle and its sign, and a word that accepts it. An attempt is accepted with a
 * probability that falls from 1 at kappa = 0 to sqrt(e / (2 pi)) = 0.6577 at infinity.
 * Source: D. J. Best, N. I. Fisher, Applied Statistics 28 (1979) 152. */
INLINE size_t vonmises_fill(bool wide, const struct dist_constants *k, const void *const inputs[], size_t n,
			    void *ret_out, uint16_t *ret_rejected)
{
	struct pending failed;

	failed.n = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const struct vonmises_vector c = vonmises_of(parameter_load(inputs, 1, i));
		const f64v tangent = cauchy(wide, k, inputs, i), v = uniform_load(wide, inputs[1], i);
		const f64v angle = f64_mul(f64_set(2), atan_f64(f64_mul(c.shrink, tangent)));
		const f64v mu = parameter_load(inputs, 0, i);
		const f64v x = f64_add(angle, all_lie_f64(mu, -1025, 1025) ? mu : vonmises_reduced(mu));
		const f64v turns = f64_floor(f64_fma(x, f64_set(0.15915494309189533577), f64_set(0.5)));
		const f64v held = f64_fma(turns, f64_set(-6.2831853071795864769), x), pi = f64_set(3.14159265358979323846);

		sample_store(wide, ret_out, i, f64_min(f64_max(held, f64_neg(pi)), pi));
		pending_add(&failed, vonmises_fails(&c, tangent, v), i);
	}
	memcpy(ret_rejected, failed.samples, failed.n * sizeof *ret_rejected);
	return failed.n;
}

REJECTION_KERNEL(vonmises_per_sample_f32, vonmises_fill(false, k, inputs, n, ret_out, ret_rejected))
REJECTION_KERNEL(vonmises_per_sample_f64, vonmises_fill(true, k, inputs, n, ret_out, ret_rejected))
