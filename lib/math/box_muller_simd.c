/* SPDX-License-Identifier: Apache-2.0 */
/* Box and Muller's method over base/simd/simd.h: one sequence of IEEE operations, so one result everywhere.
 *
 * u0 = m 2^e, m in [2/3, 4/3), x = 2 - 2 m exact: -2 ln u0 = x + x^2 P(x) - 2 e ln 2; no cancellation as u0 nears 1.
 * 4 u1 = k + y, k whole, |y| <= 1/2 exact: sin and cos of y pi / 2, exchanged and signed by the two low bits of k.
 * The polynomials are printed by tests/math/box_muller_minimax.py. Worst errors, float32 over all 2^24 inputs: radius
 * 0.98 ulp (u0 = 0x1.461aep-1), sine and cosine 0.86 ulp; float64 over 10^7 hard ones against long double: 0.98, 0.88.
 */
#include <string.h>

#include "base/simd/simd.h"
#include "math/box_muller.h"
#include "math/elementary_log.h"
#include "math/elementary_turn.h"

/* Returns sqrt(-2 ln u), u in [2^-126, 1). */
static inline f32v radius_f32(f32v u)
{
	return f32_sqrt(minus_two_log_f32(u));
}

static inline void vectors_f32(const float *uniforms, float *ret_normals)
{
	f32v a = f32_load(uniforms), b = f32_load(uniforms + F32_LANES), u0, u1, z0, z1;

	f32_unzip(a, b, &u0, &u1);
	turn_f32(u1, radius_f32(f32_max(u0, f32_set(0x1p-25f))), &z0, &z1);
	f32_zip(z0, z1, &a, &b);
	f32_store(ret_normals, a);
	f32_store(ret_normals + F32_LANES, b);
}

static void pairs_f32(const float *uniforms, size_t n_pairs, float *ret_normals)
{
	float tail[2 * F32_LANES] = {0};

	for (; n_pairs >= F32_LANES; n_pairs -= F32_LANES, uniforms += 2 * F32_LANES, ret_normals += 2 * F32_LANES)
		vectors_f32(uniforms, ret_normals);
	if (n_pairs > 0) {
		memcpy(tail, uniforms, 2 * n_pairs * sizeof *tail);
		vectors_f32(tail, tail);
		memcpy(ret_normals, tail, 2 * n_pairs * sizeof *tail);
	}
}

/* Returns the squares of the radii of a vector of pairs, and their angles. */
static inline f64v squares_f64(const double *uniforms, f64v *ret_angles)
{
	f64v u0;

	f64_unzip(f64_load(uniforms), f64_load(uniforms + F64_LANES), &u0, ret_angles);
	return minus_two_log_f64(f64_max(u0, f64_set(0x1p-54)));
}

static inline void turn_pairs_f64(f64v squares, f64v angles, double *ret_normals)
{
	f64v a, b, z0, z1;

	turn_f64(angles, f64_sqrt(squares), &z0, &z1);
	f64_zip(z0, z1, &a, &b);
	f64_store(ret_normals, a);
	f64_store(ret_normals + F64_LANES, b);
}

/* Makes n_pairs pairs, whole vectors and at least one. The next vector's logarithms are computed beside the square roots and
 * angles of this one, since a CPU sees hardly more than one vector ahead. */
static inline void vectors_f64(const double *uniforms, size_t n_pairs, double *ret_normals)
{
	f64v angles, squares = squares_f64(uniforms, &angles);

	for (; n_pairs > F64_LANES; n_pairs -= F64_LANES, ret_normals += 2 * F64_LANES) {
		f64v next_angles, next_squares = squares_f64(uniforms += 2 * F64_LANES, &next_angles);

		turn_pairs_f64(squares, angles, ret_normals);
		squares = next_squares;
		angles = next_angles;
	}
	turn_pairs_f64(squares, angles, ret_normals);
}

static void pairs_f64(const double *uniforms, size_t n_pairs, double *ret_normals)
{
	const size_t rest = n_pairs % F64_LANES, whole = n_pairs - rest;
	double tail[2 * F64_LANES] = {0};

	if (whole > 0)
		vectors_f64(uniforms, whole, ret_normals);
	if (rest > 0) {
		memcpy(tail, uniforms + 2 * whole, 2 * rest * sizeof *tail);
		vectors_f64(tail, F64_LANES, tail);
		memcpy(ret_normals + 2 * whole, tail, 2 * rest * sizeof *tail);
	}
}

const struct box_muller_kernel SIMD_SUFFIX(box_muller) = {SIMD_NAME, SIMD_NEEDS, pairs_f32, pairs_f64};
