/* SPDX-License-Identifier: Apache-2.0 */
/* cuRAND's device functions for the state curandStatePhilox4_32_10_t: curand, curand_uniform, curand_normal and those of doubles.
 *
 * curand_init(seed, subsequence, offset) is the word `offset` of the counters whose high half is the subsequence. Sources: cuRAND
 * 12, curand_philox4x32_x.h, curand_uniform.h and curand_normal.h. */

/* A word as a uniform in (0, 1], and two words, the first in the low bits. */
INLINE float curand_uniform(uint32_t word)
{
	return fmaf((float)word, 0x1p-32f, 0x1p-33f);
}

INLINE double curand_uniform_double(uint32_t low, uint32_t high)
{
	return fma((double)((uint64_t)low ^ (uint64_t)high << 21), 0x1p-53, 0x1p-54);
}

/* Computes sines (cosines: of the same pairs) of Box and Muller's method. As on a card u and the angle are float32; the rest is
 * exact to float32, where the card's own sine has an absolute error. */
static void curand_normals(const uint32_t *radii, const uint32_t *angles, bool cosine, size_t n, float *ret_normals)
{
	const float two_pi = 0x1.921fb6p-30f; /* 2 pi / 2^32 */
	double u[PIECE] = {0}, t[PIECE] = {0}, sines[PIECE], cosines[PIECE];
	const double *normals = cosine ? cosines : sines;

	for (size_t i = 0; i < n; i++) {
		u[i] = curand_uniform(radii[i]);
		t[i] = fmaf((float)angles[i], two_pi, two_pi / 2) * IN_TURNS;
	}
	box_muller(n, u, t, sines, cosines);
	for (size_t i = 0; i < n; i++)
		ret_normals[i] = (float)normals[i];
}

/* Two words make the radius' uniform, two the angle's. */
static void curand_normals_double(rows4 x, bool cosine, size_t n, double *ret_normals)
{
	double u[PIECE] = {0}, t[PIECE] = {0}, others[PIECE];

	for (size_t i = 0; i < n; i++) {
		u[i] = curand_uniform_double(x[0][i], x[1][i]);
		t[i] = curand_uniform_double(x[2][i], x[3][i]);
	}
	box_muller(n, u, t, cosine ? others : ret_normals, cosine ? ret_normals : others);
}

/* ---- one thread's sequence ---- */

static void curand_words(const struct draw *draw, uint64_t first, size_t n, uint32_t *ret_words)
{
	philox_words(draw->stream.seed, draw->stream.stream, draw->layout->position + first, n, ret_words);
}

static void curand_bits_u32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < PIECE ? n - at : PIECE;
		curand_words(draw, begin + at, piece, (uint32_t *)out + at);
	}
}

static void curand_uniform_f32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	uint32_t words[PIECE];

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < PIECE ? n - at : PIECE;
		curand_words(draw, begin + at, piece, words);
		for (size_t i = 0; i < piece; i++)
			((float *)out)[at + i] = curand_uniform(words[i]);
	}
}

/* One word, as curand_uniform_double: multiples of 2^-32. */
static void curand_uniform_f64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	uint32_t words[PIECE];

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < PIECE ? n - at : PIECE;
		curand_words(draw, begin + at, piece, words);
		for (size_t i = 0; i < piece; i++)
			((double *)out)[at + i] = ((double)words[i] + 1) * 0x1p-32;
	}
}

/* Makes the pairs that hold elements [begin, begin + n), at most PIECE of them, and copies the elements of one half. */
static void curand_normal_f32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	uint32_t words[PIECE], radii[PIECE / 2], angles[PIECE / 2];
	float halves[2][PIECE / 2];

	for (size_t at = 0, piece; at < n; at += piece) {
		const size_t odd = (begin + at) % 2, most = PIECE - 2 * odd;
		size_t pairs;

		piece = n - at < most ? n - at : most;
		pairs = (odd + piece + 1) / 2;
		curand_words(draw, (begin + at) / 2 * 2, 2 * pairs, words);
		for (size_t i = 0; i < pairs; i++) {
			radii[i] = words[2 * i];
			angles[i] = words[2 * i + 1];
		}
		curand_normals(radii, angles, false, pairs, halves[0]);
		curand_normals(radii, angles, true, pairs, halves[1]);
		for (size_t i = 0; i < piece; i++)
			((float *)out)[at + i] = halves[(odd + i) % 2][(odd + i) / 2];
	}
}

static void curand_normal_f64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	uint32_t words[2 * PIECE];
	double halves[2][PIECE];
	rows4 x;

	for (size_t at = 0, piece; at < n; at += piece) {
		const size_t odd = (begin + at) % 2, most = PIECE - 2 * odd;
		size_t pairs;

		piece = n - at < most ? n - at : most;
		pairs = (odd + piece + 1) / 2;
		curand_words(draw, (begin + at) / 2 * 4, 4 * pairs, words);
		for (size_t i = 0; i < 4 * pairs; i++)
			x[i % 4][i / 4] = words[i];
		curand_normals_double(x, false, pairs, halves[0]);
		curand_normals_double(x, true, pairs, halves[1]);
		for (size_t i = 0; i < piece; i++)
			((double *)out)[at + i] = halves[(odd + i) % 2][(odd + i) / 2];
	}
}

static const struct layout_way curand_ways[] = {
	{DIST_BITS, DTYPE_U32, curand_bits_u32, false},       {DIST_UNIFORM, DTYPE_F32, curand_uniform_f32, false},
	{DIST_UNIFORM, DTYPE_F64, curand_uniform_f64, false}, {DIST_NORMAL, DTYPE_F32, curand_normal_f32, false},
	{DIST_NORMAL, DTYPE_F64, curand_normal_f64, false},   {DIST_COUNT, DTYPE_NONE, NULL, false},
};
