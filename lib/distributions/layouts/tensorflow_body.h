/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's tf.random.stateless_uniform and stateless_normal, by Philox4x32-10: `tensorflow` as its own kernels make them,
 * `tensorflow_xla` as XLA does (jit_compile=True).
 *
 * A seed of two integers, here the seed and the stream, is scrambled to a key and the high half of the counters. Word w of a call
 * is one of the four of group w / 4. Kernels make mantissas of a word's low bits, XLA of its high ones. Sources: TensorFlow 2.16,
 * core/kernels/stateless_random_ops_v2_util.h (GetKeyCounter), core/lib/random/random_distributions.h; XLA,
 * hlo/builder/lib/prng.cc. */

struct tensorflow_key {
	uint64_t key, high;
};

static struct tensorflow_key tensorflow_scramble(const struct stream *seeds)
{
	rows4 x;

	x[0][0] = (uint32_t)seeds->seed;
	x[1][0] = (uint32_t)(seeds->seed >> 32);
	x[2][0] = (uint32_t)seeds->stream;
	x[3][0] = (uint32_t)(seeds->stream >> 32);
	philox_blocks(UINT64_C(0x02461e293ec8f720), 1, x);
	return (struct tensorflow_key){x[0][0] | (uint64_t)x[1][0] << 32, x[2][0] | (uint64_t)x[3][0] << 32};
}

/* Makes n numbers of their words, 1 or 2 for each, low word first. n is at most TENSORFLOW_PIECE. */
typedef void tensorflow_convert(const struct draw *draw, const uint32_t *words, size_t n, void *out);

enum { TENSORFLOW_PIECE = PIECE - 2 };

static void tensorflow_fill(const struct draw *draw, uint64_t begin, size_t n, unsigned words_each, tensorflow_convert *convert,
			    void *out)
{
	const struct tensorflow_key key = tensorflow_scramble(&draw->stream);
	const size_t size = dtype_size(draw->dtype);
	uint32_t words[2 * TENSORFLOW_PIECE];

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < TENSORFLOW_PIECE ? n - at : TENSORFLOW_PIECE;
		philox_words(key.key, key.high, words_each * (begin + at), words_each * piece, words);
		convert(draw, words, piece, (char *)out + at * size);
	}
}

INLINE uint64_t tensorflow_pair(const uint32_t *words, size_t i)
{
	return words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}

/* ---- words as they are, and integers: their remainder, which is not quite uniform ---- */

static void tensorflow_bits_32(const struct draw *draw, const uint32_t *words, size_t n, void *out)
{
	(void)draw;
	memcpy(out, words, n * sizeof *words);
}

static void tensorflow_bits_64(const struct draw *draw, const uint32_t *words, size_t n, void *out)
{
	(void)draw;
	for (size_t i = 0; i < n; i++)
		((uint64_t *)out)[i] = tensorflow_pair(words, i);
}

static void tensorflow_integers_32(const struct draw *draw, const uint32_t *words, size_t n, void *out)
{
	const uint32_t low = (uint32_t)draw->parameters[0].natural, range = (uint32_t)draw->parameters[1].natural - low;

	for (size_t i = 0; i < n; i++)
		((uint32_t *)out)[i] = low + (range ? words[i] % range : words[i]);
}

static void tensorflow_integers_64(const struct draw *draw, const uint32_t *words, size_t n, void *out)
{
	const uint64_t low = draw->parameters[0].natural, range = draw->parameters[1].natural - low;

	for (size_t i = 0; i < n; i++) {
		const uint64_t pair = tensorflow_pair(words, i);

		((uint64_t *)out)[i] = low + (range ? pair % range : pair);
	}
}

/* ---- uniforms, moved to [low, high) by a product and a sum ---- */

/* The mantissas of 23 and 52 bits: the low bits of a word, of a pair the low 20 of its first and all of its second word. */
INLINE float tensorflow_low_f32(const uint32_t *words, size_t i)
{
	return (float)(int32_t)(words[i] & 0x7FFFFF) * 0x1p-23f;
}

INLINE double tensorflow_low_f64(const uint32_t *words, size_t i)
{
	return (double)((uint64_t)(words[2 * i] & 0xFFFFF) << 32 | words[2 * i + 1]) * 0x1p-52;
}

INLINE float tensorflow_high_f32(const uint32_t *words, size_t i)
{
	return (float)(int32_t)(words[i] >> 9) * 0x1p-23f;
}

INLINE double tensorflow_high_f64(const uint32_t *words, size_t i)
{
	return (double)(tensorflow_pair(words, i) >> 12) * 0x1p-52;
}

#define TENSORFLOW_UNIFORM(name, type, mantissa)                                                                                  \
	static void name(const struct draw *draw, const uint32_t *words, size_t n, void *out)                                     \
	{                                                                                                                         \
		const type low = (type)draw->parameters[0].real, range = (type)draw->parameters[1].real - low;                    \
                                                                                                                                  \
		for (size_t i = 0; i < n; i++)                                                                                    \
			((type *)out)[i] = mantissa(words, i) * range + low;                                                      \
	}

TENSORFLOW_UNIFORM(tensorflow_uniform_f32, float, tensorflow_low_f32)
TENSORFLOW_UNIFORM(tensorflow_uniform_f64, double, tensorflow_low_f64)
TENSORFLOW_UNIFORM(xla_uniform_f32, float, tensorflow_high_f32)
TENSORFLOW_UNIFORM(xla_uniform_f64, double, tensorflow_high_f64)

/* Each operation rounds to the dtype. */
#define TENSORFLOW_UNIFORM16(name, mask, step, round, widen)                                                                      \
	static void name(const struct draw *draw, const uint32_t *words, size_t n, void *out)                                     \
	{                                                                                                                         \
		const float low = widen(round((float)draw->parameters[0].real));                                                  \
		const float range = widen(round(widen(round((float)draw->parameters[1].real)) - low));                            \
                                                                                                                                  \
		for (size_t i = 0; i < n; i++) {                                                                                  \
			const float u = (float)(int32_t)(words[i] & (mask)) * (step);                                             \
                                                                                                                                  \
			((uint16_t *)out)[i] = round(widen(round(u * range)) + low);                                              \
		}                                                                                                                 \
	}

TENSORFLOW_UNIFORM16(tensorflow_uniform_f16, 0x3FF, 0x1p-10f, f16_of, f16_widen)
TENSORFLOW_UNIFORM16(tensorflow_uniform_bf16, 0x7F, 0x1p-7f, bf16_of, bf16_widen)

/* ---- normals: pairs of uniforms, the first one's sine, the second one's cosine ---- */

#define TWO_PI 0x1.921fb54442d18p2

/* Computes the sines and cosines of n pairs, whose angles float32 holds. The kernels round 2 pi u once, XLA 2 pi before. */
static void tensorflow_pairs_f32(const float *radii, const float *angles, bool is_xla, size_t n, double *ret_sines,
				 double *ret_cosines)
{
	double u[PIECE] = {0}, t[PIECE] = {0};

	for (size_t i = 0; i < n; i++) {
		u[i] = radii[i] < 1e-7f ? 1e-7f : radii[i];
		t[i] = (is_xla ? (float)TWO_PI * angles[i] : (float)(TWO_PI * angles[i])) * IN_TURNS;
	}
	box_muller(n, u, t, ret_sines, ret_cosines);
}

/* The angle 2 pi u is rounded to float64, which moves sine and cosine by the derivative times what it is off. */
static void tensorflow_pairs_f64(const double *radii, const double *angles, double least, size_t n, double *ret_sines,
				 double *ret_cosines)
{
	double u[PIECE] = {0}, t[PIECE] = {0};

	for (size_t i = 0; i < n; i++) {
		u[i] = radii[i] < least ? least : radii[i];
		t[i] = angles[i];
	}
	box_muller(n, u, t, ret_sines, ret_cosines);
	for (size_t i = 0; i < n; i++) {
		const double rounded = TWO_PI * angles[i];
		const double off = fma(-0x1.1a62633145c07p-52, angles[i], -fma(TWO_PI, angles[i], -rounded));
		const double sine = ret_sines[i];

		ret_sines[i] = fma(off, ret_cosines[i], sine);
		ret_cosines[i] = fma(-off, sine, ret_cosines[i]);
	}
}

/* Makes elements [begin, begin + n) of normals in float64: `pairs` makes some, in the order of the kernels: elements 2 k and 2 k +
 * 1 are a pair. */
static void tensorflow_normals(const struct draw *draw, uint64_t begin, size_t n, double *ret_normals)
{
	const struct tensorflow_key key = tensorflow_scramble(&draw->stream);
	const bool is_wide = draw->dtype == DTYPE_F64, is_xla = draw->layout->layout == LAYOUT_TENSORFLOW_XLA;
	const size_t odd = begin % 2, pairs = (odd + n + 1) / 2, each = is_wide ? 4 : 2;
	double u[2][PIECE], halves[2][PIECE];
	float f[2][PIECE];
	uint32_t words[2 * PIECE];

	philox_words(key.key, key.high, begin / 2 * each, each * pairs, words);
	for (size_t i = 0; i < 2 * pairs; i++)
		if (is_wide)
			u[i % 2][i / 2] = is_xla ? tensorflow_high_f64(words, i) : tensorflow_low_f64(words, i);
		else
			f[i % 2][i / 2] = is_xla ? tensorflow_high_f32(words, i) : tensorflow_low_f32(words, i);
	if (is_wide)
		tensorflow_pairs_f64(u[0], u[1], is_xla ? 1e-7f : 1e-7, pairs, halves[0], halves[1]);
	else
		tensorflow_pairs_f32(f[0], f[1], is_xla, pairs, halves[0], halves[1]);
	for (size_t i = 0; i < n; i++)
		ret_normals[i] = halves[(odd + i) % 2][(odd + i) / 2];
}

/* Rounds a normal to the dtype, then its product with std, then the sum with mean, as separate operations do. */
static void tensorflow_scale(const struct draw *draw, const double *normals, size_t n, void *out)
{
	const double mean = draw->parameters[0].real, std = draw->parameters[1].real;

	for (size_t i = 0; i < n; i++)
		switch (draw->dtype) {
		case DTYPE_F64:
			((double *)out)[i] = normals[i] * std + mean;
			break;
		case DTYPE_F32:
			((float *)out)[i] = (float)normals[i] * (float)std + (float)mean;
			break;
		case DTYPE_F16:
			((uint16_t *)out)[i] =
				f16_of(f16_widen(f16_of(f16_widen(f16_of((float)normals[i])) * f16_widen(f16_of((float)std)))) +
				       f16_widen(f16_of((float)mean)));
			break;
		default:
			((uint16_t *)out)[i] = bf16_of(
				bf16_widen(bf16_of(bf16_widen(bf16_of((float)normals[i])) * bf16_widen(bf16_of((float)std)))) +
				bf16_widen(bf16_of((float)mean)));
		}
}

static void tensorflow_normal(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype);
	double normals[TENSORFLOW_PIECE];

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < TENSORFLOW_PIECE ? n - at : TENSORFLOW_PIECE;
		tensorflow_normals(draw, begin + at, piece, normals);
		tensorflow_scale(draw, normals, piece, (char *)out + at * size);
	}
}

/* Makes the normal of one element of an array whose pairs lie `inner` elements apart along an axis (struct layout_call). */
static double xla_pair_normal(const struct draw *draw, uint64_t element)
{
	const struct tensorflow_key key = tensorflow_scramble(&draw->stream);
	const uint64_t inner = draw->layout->inner, axis = draw->layout->axis, place = element / inner % axis;
	const uint64_t first = (element / inner / axis * (axis + axis % 2) + place / 2 * 2) * inner + element % inner;
	const unsigned each = draw->dtype == DTYPE_F64 ? 2 : 1;
	uint32_t words[2][4];
	double halves[2][PIECE];

	for (unsigned k = 0; k < 2; k++)
		philox_words(key.key, key.high, each * (first + k * inner), each, words[k]);
	if (draw->dtype == DTYPE_F64) {
		const double u[2] = {tensorflow_high_f64(words[0], 0), tensorflow_high_f64(words[1], 0)};

		tensorflow_pairs_f64(&u[0], &u[1], 1e-7f, 1, halves[0], halves[1]);
	} else {
		const float u[2] = {tensorflow_high_f32(words[0], 0), tensorflow_high_f32(words[1], 0)};

		tensorflow_pairs_f32(&u[0], &u[1], true, 1, halves[0], halves[1]);
	}
	return halves[place % 2][0];
}

static void xla_normal(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const struct layout_call *call = draw->layout;

	if (call->inner == 1 && (call->axis % 2 == 0 || call->axis == call->n)) {
		tensorflow_normal(draw, begin, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const double normal = xla_pair_normal(draw, begin + i);

		tensorflow_scale(draw, &normal, 1, (char *)out + i * dtype_size(draw->dtype));
	}
}

#define TENSORFLOW_WAY(name, words_each)                                                                                          \
	static void name##_fill(const struct draw *draw, uint64_t begin, size_t n, void *out)                                     \
	{                                                                                                                         \
		tensorflow_fill(draw, begin, n, words_each, name, out);                                                           \
	}

TENSORFLOW_WAY(tensorflow_bits_32, 1)
TENSORFLOW_WAY(tensorflow_bits_64, 2)
TENSORFLOW_WAY(tensorflow_integers_32, 1)
TENSORFLOW_WAY(tensorflow_integers_64, 2)
TENSORFLOW_WAY(tensorflow_uniform_f32, 1)
TENSORFLOW_WAY(tensorflow_uniform_f64, 2)
TENSORFLOW_WAY(tensorflow_uniform_f16, 1)
TENSORFLOW_WAY(tensorflow_uniform_bf16, 1)
TENSORFLOW_WAY(xla_uniform_f32, 1)
TENSORFLOW_WAY(xla_uniform_f64, 2)

/* Integers are the same in both. */
#define TENSORFLOW_INTEGERS                                                                                                       \
	{DIST_BITS, DTYPE_U32, tensorflow_bits_32_fill, false}, {DIST_BITS, DTYPE_U64, tensorflow_bits_64_fill, false},           \
		{DIST_RANDINT, DTYPE_I32, tensorflow_integers_32_fill, false},                                                    \
		{DIST_RANDINT, DTYPE_I64, tensorflow_integers_64_fill, false},                                                    \
		{DIST_RANDINT, DTYPE_U32, tensorflow_integers_32_fill, false},                                                    \
	{                                                                                                                         \
		DIST_RANDINT, DTYPE_U64, tensorflow_integers_64_fill, false                                                       \
	}

static const struct layout_way tensorflow_ways[] = {
	TENSORFLOW_INTEGERS,
	{DIST_UNIFORM, DTYPE_F32, tensorflow_uniform_f32_fill, false},
	{DIST_UNIFORM, DTYPE_F64, tensorflow_uniform_f64_fill, false},
	{DIST_UNIFORM, DTYPE_BF16, tensorflow_uniform_bf16_fill, false},
	{DIST_UNIFORM, DTYPE_F16, tensorflow_uniform_f16_fill, false},
	{DIST_NORMAL, DTYPE_F32, tensorflow_normal, false},
	{DIST_NORMAL, DTYPE_F64, tensorflow_normal, false},
	{DIST_NORMAL, DTYPE_BF16, tensorflow_normal, false},
	{DIST_NORMAL, DTYPE_F16, tensorflow_normal, false},
	{DIST_COUNT, DTYPE_NONE, NULL, false},
};

static const struct layout_way tensorflow_xla_ways[] = {
	TENSORFLOW_INTEGERS,
	{DIST_UNIFORM, DTYPE_F32, xla_uniform_f32_fill, false},
	{DIST_UNIFORM, DTYPE_F64, xla_uniform_f64_fill, false},
	{DIST_NORMAL, DTYPE_F32, xla_normal, false},
	{DIST_NORMAL, DTYPE_F64, xla_normal, false},
	{DIST_COUNT, DTYPE_NONE, NULL, false},
};
