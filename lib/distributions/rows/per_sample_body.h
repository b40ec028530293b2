/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose parameters are arrays, an element for each sample; included after integers_body.h.
 *
 * A parameter's range has been checked. Except for the counts and the gammas, equal elements give the samples that the
 * kernels of a single number give: the arithmetic is the same. */

/* Loads parameter j of samples i .. i + F64_LANES - 1. */
INLINE f64v parameter_load(const void *const inputs[], unsigned j, size_t i)
{
	return f64_load((const double *)inputs[DIST_PARAMETER_INPUT + j] + i);
}

/* Returns parameter j of sample i. */
INLINE double parameter_of(const void *const inputs[], unsigned j, size_t i)
{
	return ((const double *)inputs[DIST_PARAMETER_INPUT + j])[i];
}

/* Defines a kernel that stores `expression` for vector after vector of samples i; it can name wide, k and inputs. */
#define PER_SAMPLE_KERNEL(name, is_wide, expression)                                                                         \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const bool wide = is_wide;                                                                             \
                                                                                                                       \
		(void)k, (void)attempt, (void)ret_rejected;                                                            \
		for (size_t i = 0; i < n; i += F64_LANES)                                                              \
			sample_store(wide, ret_out, i, expression);                                                    \
		return 0;                                                                                              \
	}

#define PER_SAMPLE_KERNELS(name, expression)                                                                                 \
	PER_SAMPLE_KERNEL(name##_per_sample_f32, false, expression)                                                                \
	PER_SAMPLE_KERNEL(name##_per_sample_f64, true, expression)

/* Defines a kernel that makes standard samples by `standard`, a kernel of floats, and then stores x scale + shift. */
#define EACH_OF_FLOATS(name, standard, scale, shift)                                                                   \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		float x[DIST_BLOCK_REJECTING];                                                                         \
                                                                                                                       \
		standard(k, inputs, attempt, n, x, ret_rejected);                                                      \
		for (size_t i = 0; i < n; i += F64_LANES)                                                              \
			f64_store_f32((float *)ret_out + i, f64_fma(f64_load_f32(x + i), scale, shift));               \
		return 0;                                                                                              \
	}

/* What most have: loc and scale, or mean and std. */
#define LOCATED(standard) f64_fma(standard, parameter_load(inputs, 1, i), parameter_load(inputs, 0, i))

PER_SAMPLE_KERNELS(normal, LOCATED(normal_load(wide, inputs[0], i)))
PER_SAMPLE_KERNELS(gumbel, LOCATED(gumbel_of(exponential(wide, k, inputs, i))))
PER_SAMPLE_KERNELS(cauchy, LOCATED(cauchy(wide, k, inputs, i)))
PER_SAMPLE_KERNELS(truncated, LOCATED(truncated(wide, k, inputs, i)))
PER_SAMPLE_KERNELS(truncated_narrow, f64_fma(truncated_narrow(wide, k, inputs, i),
				       f64_mul(parameter_load(inputs, 1, i), f64_set(k->scale)), parameter_load(inputs, 0, i)))
PER_SAMPLE_KERNELS(truncated_far, LOCATED(truncated_far(wide, k, inputs, i)))
PER_SAMPLE_KERNEL(laplace_per_sample_f64, true, LOCATED(laplace(wide, k, inputs, i)))
EACH_OF_FLOATS(laplace_per_sample_f32, laplace_f32, parameter_load(inputs, 1, i), parameter_load(inputs, 0, i))
EACH_OF_FLOATS(normal64_per_sample_f32, radius64_f32, parameter_load(inputs, 1, i), parameter_load(inputs, 0, i))

static size_t normal64_per_sample_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
				void *ret_out, uint16_t *ret_rejected)
{
	double *const x = ret_out;

	radius64_f64(k, inputs, attempt, n, x, ret_rejected);
	for (size_t i = 0; i < n; i += F64_LANES)
		f64_store(x + i, LOCATED(f64_load(x + i)));
	return 0;
}

#define PER_RATE f64_div(f64_set(1), parameter_load(inputs, 0, i))
PER_SAMPLE_KERNEL(exponential_per_sample_f64, true, f64_mul(exponential(wide, k, inputs, i), PER_RATE))
EACH_OF_FLOATS(exponential_per_sample_f32, exponential_f32, PER_RATE, f64_set(0))

PER_SAMPLE_KERNELS(weibull, weibull_of_power(wide, inputs, i, f64_min(PER_RATE, f64_set(1e300)), parameter_load(inputs, 1, i)))
PER_SAMPLE_KERNELS(student_t, student_t_of_degrees(wide, inputs, i, parameter_load(inputs, 0, i)))

/* Returns the lanes whose parameters lognormal_is_narrow names. */
INLINE m64v lognormal_narrow_lanes(const void *const inputs[], size_t i)
{
	return f64_less(f64_mul(parameter_load(inputs, 1, i), f64_set(256)), f64_abs(parameter_load(inputs, 0, i)));
}

INLINE f64v lognormal_narrow_per_sample(bool wide, const void *const inputs[], size_t i)
{
	return lognormal_narrow(normal_load(wide, inputs[0], i), parameter_load(inputs, 1, i), parameter_load(inputs, 0, i));
}

INLINE f64v lognormal_per_sample(const void *const inputs[], size_t i)
{
	const m64v narrow = lognormal_narrow_lanes(inputs, i);
	const f64v x = exp_f64(LOCATED(normal_load(true, inputs[0], i)));

	return m64_bits(narrow) ? f64_pick(narrow, x, lognormal_narrow_per_sample(true, inputs, i)) : x;
}

PER_SAMPLE_KERNEL(lognormal_per_sample_f64, true, lognormal_per_sample(inputs, i))

static size_t lognormal_per_sample_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
				 void *ret_out, uint16_t *ret_rejected)
{
	float scale[DIST_BLOCK_REJECTING], shift[DIST_BLOCK_REJECTING];
	const float *normals = inputs[0];
	float *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += F64_LANES) {
		f64_store_f32(shift + i, parameter_load(inputs, 0, i));
		f64_store_f32(scale + i, parameter_load(inputs, 1, i));
	}
	for (size_t i = 0; i < n; i += F32_LANES)
		f32_store(out + i, exp_f32(f32_fma(f32_load(normals + i), f32_load(scale + i), f32_load(shift + i))));
	for (size_t i = 0; i < n; i += F64_LANES) {
		const m64v narrow = lognormal_narrow_lanes(inputs, i);

		if (m64_bits(narrow))
			f64_store_f32(out + i, f64_pick(narrow, f64_load_f32(out + i), lognormal_narrow_per_sample(false, inputs, i)));
	}
	return 0;
}

/* Makes 1 + floor(e mean_trials) of exponentials e, mean_trials being -1 / ln(1 - p). */
static size_t geometric_per_sample_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
				 void *ret_out, uint16_t *ret_rejected)
{
	int64_t *out = ret_out;

	(void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v p = parameter_load(inputs, 0, i);
		const m64v some = f64_less(p, f64_set(1));
		const f64v log_rest = log1p_f64(f64_neg(f64_pick(some, f64_set(0.5), p)));
		const f64v mean = f64_pick(some, f64_set(0), f64_div(f64_set(-1), log_rest));
		const f64v x = f64_floor(f64_mul(exponential(true, k, inputs, i), mean));

		f64_store_i64(out + i, f64_add(x, f64_set(1)));
	}
	return 0;
}

/* Returns the greatest double below a finite high. */
INLINE double below_of(double high)
{
	const bool zero = high == 0;
	int64_t bits;

	memcpy(&bits, &high, sizeof bits);
	bits += high > 0 ? -1 : 1;
	memcpy(&high, &bits, sizeof bits);
	return zero ? -0x1p-1074 : high;
}

/* Returns the greatest float below a finite high. */
INLINE float below_float_of(double high)
{
	float nearest = (float)high;
	const bool zero = nearest == 0;
	int32_t bits;

	if (nearest < high)
		return nearest;
	memcpy(&bits, &nearest, sizeof bits);
	bits += nearest > 0 ? -1 : 1;
	memcpy(&nearest, &bits, sizeof bits);
	return zero ? -0x1p-149f : nearest;
}

static size_t uniform_per_sample_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			       void *ret_out, uint16_t *ret_rejected)
{
	const double *const low = inputs[DIST_PARAMETER_INPUT], *const high = inputs[DIST_PARAMETER_INPUT + 1];
	const uint64_t *words = inputs[0];
	double *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i++) {
		const double u = (double)(int64_t)(words[i] >> 11) * 0x1p-53, x = fma(u, high[i] - low[i], low[i]);

		out[i] = x < high[i] ? x : below_of(high[i]);
	}
	return 0;
}

static size_t uniform_per_sample_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			       void *ret_out, uint16_t *ret_rejected)
{
	const double *const low = inputs[DIST_PARAMETER_INPUT], *const high = inputs[DIST_PARAMETER_INPUT + 1];
	const uint32_t *words = inputs[0];
	float *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i++) {
		const double u = (double)(int32_t)(words[i] & 0xFFFFFF) * 0x1p-24;
		const float x = (float)fma(u, high[i] - low[i], low[i]);

		out[i] = x < high[i] ? x : below_float_of(high[i]);
	}
	return 0;
}

/* Returns the next 16-bit number below one that is no NaN: their bits are a sign and a magnitude. */
INLINE uint16_t below_half_of(uint16_t half)
{
	return (half & 0x7FFF) == 0 ? 0x8001 : half & 0x8000 ? (uint16_t)(half + 1) : (uint16_t)(half - 1);
}

/* As uniform_bf16 and uniform_f16. What is rounded to high or past it becomes the greatest number below high: no other lies
 * between. */
#define UNIFORM16_EACH(name, mask, step, round, widen)                                                                 \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const double *const low = inputs[DIST_PARAMETER_INPUT], *const high = inputs[DIST_PARAMETER_INPUT + 1]; \
		const uint32_t *words = inputs[0];                                                                     \
		uint16_t *out = ret_out;                                                                               \
                                                                                                                       \
		(void)k, (void)attempt, (void)ret_rejected;                                                            \
		for (size_t i = 0; i < n; i++) {                                                                       \
			const double u = (double)(int32_t)(words[i] & (mask)) * (step);                                \
			const uint16_t x = round((float)fma(u, high[i] - low[i], low[i]));                             \
                                                                                                                       \
			out[i] = widen(x) < high[i] ? x : below_half_of(x);                                            \
		}                                                                                                      \
		return 0;                                                                                              \
	}

UNIFORM16_EACH(uniform_per_sample_bf16, 0xFFu, 0x1p-8, bf16_of, bf16_widen)
UNIFORM16_EACH(uniform_per_sample_f16, 0x7FFu, 0x1p-11, f16_of, f16_widen)

/* Rounds standard normals times std plus mean to float32 and then to 16 bits. */
#define NORMAL16_EACH(name, round)                                                                                     \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const double *const mean = inputs[DIST_PARAMETER_INPUT], *const std = inputs[DIST_PARAMETER_INPUT + 1]; \
		const float *normals = inputs[0];                                                                      \
		uint16_t *out = ret_out;                                                                               \
                                                                                                                       \
		(void)k, (void)attempt, (void)ret_rejected;                                                            \
		for (size_t i = 0; i < n; i++)                                                                         \
			out[i] = round((float)fma(normals[i], std[i], mean[i]));                                       \
		return 0;                                                                                              \
	}

NORMAL16_EACH(normal_per_sample_bf16, bf16_of)
NORMAL16_EACH(normal_per_sample_f16, f16_of)

/* Does the same with normals whose radius has 64 bits. */
#define NORMAL64_16_EACH(name, rounded)                                                                                \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		float normals[DIST_BLOCK_REJECTING];                                                                   \
		const void *const of_normals[] = {                                                                     \
			[0] = normals,                                                                                 \
			[DIST_PARAMETER_INPUT] = inputs[DIST_PARAMETER_INPUT],                                         \
			[DIST_PARAMETER_INPUT + 1] = inputs[DIST_PARAMETER_INPUT + 1],                                 \
		};                                                                                                     \
                                                                                                                       \
		radius64_f32(k, inputs, attempt, n, normals, ret_rejected);                                            \
		return rounded(k, of_normals, attempt, n, ret_out, ret_rejected);                                      \
	}

NORMAL64_16_EACH(normal64_per_sample_bf16, normal_per_sample_bf16)
NORMAL64_16_EACH(normal64_per_sample_f16, normal_per_sample_f16)

/* Makes 1 where the words, read as binary digits, are below those of p; attempt a compares the 32 digits from 32 a on. */
#define BERNOULLI_EACH(name, type)                                                                                     \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const double *const p = inputs[DIST_PARAMETER_INPUT];                                                  \
		const uint32_t *words = inputs[0];                                                                     \
		size_t n_rejected = 0;                                                                                 \
		uint32_t any = 0;                                                                                      \
		double digits[DIST_BLOCK_REJECTING];                                                                   \
		type *out = ret_out;                                                                                   \
                                                                                                                       \
		(void)k;                                                                                               \
		for (size_t i = 0; i < n; i++) {                                                                       \
			double rest = p[i];                                                                            \
                                                                                                                       \
			for (unsigned a = 0; a < attempt; a++)                                                         \
				rest = rest * 0x1p32 - floor(rest * 0x1p32);                                           \
			digits[i] = floor(rest * 0x1p32);                                                              \
		}                                                                                                      \
		for (size_t i = 0; i < n; i++) {                                                                       \
			out[i] = words[i] < digits[i];                                                                 \
			any |= words[i] == digits[i];                                                                  \
		}                                                                                                      \
		for (size_t i = 0; any && attempt + 1 < DIST_DIGITS && i < n; i++)                                     \
			if (words[i] == digits[i])                                                                     \
				ret_rejected[n_rejected++] = (uint16_t)i;                                              \
		return n_rejected;                                                                                     \
	}

BERNOULLI_EACH(bernoulli_per_sample_i8, int8_t)
BERNOULLI_EACH(bernoulli_per_sample_i32, int32_t)

static size_t randint_per_sample_i32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			       void *ret_out, uint16_t *ret_rejected)
{
	const uint64_t *const low = inputs[DIST_PARAMETER_INPUT], *const high = inputs[DIST_PARAMETER_INPUT + 1];
	const uint32_t *words = inputs[0];
	uint32_t *out = ret_out;
	size_t n_rejected = 0;

	(void)k, (void)attempt;
	for (size_t i = 0; i < n; i++) {
		const uint64_t range = high[i] - low[i], product = words[i] * range;

		out[i] = (uint32_t)low[i] + (uint32_t)(product >> 32);
		if ((uint32_t)product < range && (uint32_t)product < (1ull << 32) % range)
			ret_rejected[n_rejected++] = (uint16_t)i;
	}
	return n_rejected;
}

/* range = 0 means 2^64. */
static size_t randint_per_sample_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			       void *ret_out, uint16_t *ret_rejected)
{
	const uint64_t *const low = inputs[DIST_PARAMETER_INPUT], *const high = inputs[DIST_PARAMETER_INPUT + 1];
	const uint64_t *words = inputs[0];
	uint64_t *out = ret_out;
	size_t n_rejected = 0;

	(void)k, (void)attempt;
	for (size_t i = 0; i < n; i++) {
		const uint64_t range = high[i] - low[i];
		const unsigned __int128 product = (unsigned __int128)words[i] * range;

		out[i] = low[i] + (range == 0 ? words[i] : (uint64_t)(product >> 64));
		if ((uint64_t)product < range && (uint64_t)product < -range % range)
			ret_rejected[n_rejected++] = (uint16_t)i;
	}
	return n_rejected;
}

static bool all_between(const double *x, size_t n, double above, double below)
{
	const f64v least = f64_set(above), most = f64_set(below);
	m64v inside = f64_less(f64_set(0), f64_set(1));

	for (size_t i = 0; i < n; i += F64_LANES)
		inside = m64_and(inside, m64_and(f64_less(least, f64_load(x + i)), f64_less(f64_load(x + i), most)));
	return m64_bits(inside) == F64_ALL;
}

static bool all_ordered(const double *low, const double *high, size_t n)
{
	const f64v infinite = f64_set((double)INFINITY);
	m64v ordered = f64_less(f64_set(0), f64_set(1));

	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v a = f64_load(low + i), b = f64_load(high + i);

		ordered = m64_and(ordered, m64_and(f64_less(a, b), f64_less(f64_sub(b, a), infinite)));
	}
	return m64_bits(ordered) == F64_ALL;
}
