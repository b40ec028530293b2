/* SPDX-License-Identifier: Apache-2.0 */
/* JAX's numbers by Threefry2x32-20: jax.random.bits, uniform, normal, randint and bernoulli.
 *
 * The seed is the key, its first word the high one: that of jax.random.key(seed). `jax` is the mode "partitionable", default since
 * 0.5: element e is made of the block of counter e. `jax_original` is the one before, where the words of a call are those of a
 * counter array whose halves are the two words of a block. Sources: JAX 0.5, jax/_src/prng.py and jax/_src/random.py; XLA's
 * erf_inv is M. Giles, "Approximating the erfinv function", GPU Computing Gems (2011). */

/* Row 0 is the first word of the counters, then of the blocks, row 1 the second. */
typedef uint32_t rows2[2][PIECE];

/* Vectors of blocks that are made at a time: enough to hide the latency of a round. */
enum { JAX_VECTORS = 4, JAX_BLOCKS = JAX_VECTORS * U32_LANES };

/* Makes blocks of Threefry2x32-20 of counters (x, y). */
INLINE void threefry_vectors(uint64_t key, u32v x[JAX_VECTORS], u32v y[JAX_VECTORS])
{
	const uint32_t high = (uint32_t)(key >> 32), low = (uint32_t)key, keys[3] = {high, low, high ^ low ^ 0x1BD11BDA};

#define EACH(...)                                                                                                                 \
	for (unsigned v = 0; v < JAX_VECTORS; v++) {                                                                              \
		__VA_ARGS__;                                                                                                      \
	}
#define ROUND(by) EACH(x[v] = u32_add(x[v], y[v]); y[v] = u32_xor(U32_ROTL(y[v], by), x[v]))
#define FOUR_ROUNDS(r, s, t, u, inject)                                                                                           \
	ROUND(r)                                                                                                                  \
	ROUND(s) ROUND(t) ROUND(u) EACH(x[v] = u32_add(x[v], u32_set(keys[(inject) % 3]));                                        \
					y[v] = u32_add(y[v], u32_set(keys[((inject) + 1) % 3] + (inject))))
	EACH(x[v] = u32_add(x[v], u32_set(keys[0])); y[v] = u32_add(y[v], u32_set(keys[1])))
	FOUR_ROUNDS(13, 15, 26, 6, 1)
	FOUR_ROUNDS(17, 29, 16, 24, 2)
	FOUR_ROUNDS(13, 15, 26, 6, 3)
	FOUR_ROUNDS(17, 29, 16, 24, 4)
	FOUR_ROUNDS(13, 15, 26, 6, 5)
#undef FOUR_ROUNDS
#undef ROUND
#undef EACH
}

/* Replaces n counters by their blocks, and writes what is behind them, too. */
static void threefry_blocks(uint64_t key, size_t n, rows2 rows)
{
	for (size_t i = n; i % JAX_BLOCKS != 0; i++)
		rows[0][i] = rows[1][i] = 0;
	for (size_t i = 0; i < n; i += JAX_BLOCKS) {
		u32v x[JAX_VECTORS], y[JAX_VECTORS];

		for (unsigned v = 0; v < JAX_VECTORS; v++) {
			x[v] = u32_load(rows[0] + i + v * U32_LANES);
			y[v] = u32_load(rows[1] + i + v * U32_LANES);
		}
		threefry_vectors(key, x, y);
		for (unsigned v = 0; v < JAX_VECTORS; v++) {
			u32_store(rows[0] + i + v * U32_LANES, x[v]);
			u32_store(rows[1] + i + v * U32_LANES, y[v]);
		}
	}
}

/* Writes x ^ y of the blocks of counters (high, low + i), n of them, a multiple of JAX_BLOCKS. */
static void threefry_words(uint64_t key, uint32_t high, uint32_t low, size_t n, uint32_t *ret_words)
{
	uint32_t order[U32_LANES];
	u32v first;

	for (uint32_t i = 0; i < U32_LANES; i++)
		order[i] = low + i;
	first = u32_load(order);
	for (size_t i = 0; i < n; i += JAX_BLOCKS) {
		u32v x[JAX_VECTORS], y[JAX_VECTORS];

		for (unsigned v = 0; v < JAX_VECTORS; v++) {
			x[v] = u32_set(high);
			y[v] = u32_add(first, u32_set((uint32_t)i + v * U32_LANES));
		}
		threefry_vectors(key, x, y);
		for (unsigned v = 0; v < JAX_VECTORS; v++)
			u32_store(ret_words + i + v * U32_LANES, u32_xor(x[v], y[v]));
	}
}

/* Which key, how words are made, and of how many elements: a call of random_bits. */
struct jax_bits {
	uint64_t key, n;
	bool is_original;
};

static struct jax_bits jax_bits_of(const struct draw *draw)
{
	return (struct jax_bits){draw->stream.seed, draw->layout->n, draw->layout->layout == LAYOUT_JAX_ORIGINAL};
}

/* Makes the blocks of counters (first + i, first + i + distance), n at most PIECE. */
static void jax_blocks(const struct jax_bits *bits, uint64_t first, uint64_t distance, size_t n, rows2 x)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t at = first + i;

		x[0][i] = bits->is_original ? (uint32_t)at : (uint32_t)(at >> 32);
		x[1][i] = bits->is_original ? (uint32_t)(at + distance) : (uint32_t)at;
	}
	threefry_blocks(bits->key, n, x);
}

/* Makes n words of 32 bits from word `first` of `all` on. In the original mode word j of the first half is paired with
 * word j of the second; where the count is odd, the last of the first half is paired with 0. */
static void jax_words(const struct jax_bits *bits, uint64_t all, uint64_t first, size_t n, uint32_t *ret_words)
{
	const uint64_t half = (all + 1) / 2;
	const size_t whole = n / JAX_BLOCKS * JAX_BLOCKS,
		     fast = !bits->is_original && (uint32_t)first <= UINT32_MAX - whole ? whole : 0;

	threefry_words(bits->key, (uint32_t)(first >> 32), (uint32_t)first, fast, ret_words);
	for (size_t at = fast, piece; at < n; at += piece) {
		const uint64_t j = first + at;
		const bool is_high = bits->is_original && j >= half;
		rows2 x;

		piece = n - at < PIECE ? n - at : PIECE;
		piece = bits->is_original && !is_high && half - j < piece ? (size_t)(half - j) : piece;
		for (size_t i = 0; i < piece; i++) {
			const uint64_t place = is_high ? j - half + i : j + i;

			x[0][i] = bits->is_original ? (uint32_t)place : (uint32_t)(place >> 32);
			x[1][i] = bits->is_original ? (place + half < all ? (uint32_t)(place + half) : 0) : (uint32_t)place;
		}
		threefry_blocks(bits->key, piece, x);
		for (size_t i = 0; i < piece; i++)
			ret_words[at + i] = bits->is_original ? x[is_high][i] : x[0][i] ^ x[1][i];
	}
}

static void jax_bits_32(const struct jax_bits *bits, uint64_t begin, size_t n, uint32_t *ret_words)
{
	jax_words(bits, bits->n, begin, n, ret_words);
}

/* In the original mode the high halves are the first half of the words, so that an element is a block in both modes. */
static void jax_bits_64(const struct jax_bits *bits, uint64_t begin, size_t n, uint64_t *ret_bits)
{
	rows2 x;

	jax_blocks(bits, begin, bits->n, n, x);
	for (size_t i = 0; i < n; i++)
		ret_bits[i] = (uint64_t)x[0][i] << 32 | x[1][i];
}

/* Makes elements of 8 or 16 bits: the low ones of a word, in the original mode parts of words, low ones first. */
static void jax_bits_part(const struct jax_bits *bits, unsigned width, uint64_t begin, size_t n, uint32_t *ret_bits)
{
	const unsigned parts = bits->is_original ? 32 / width : 1;
	const size_t skip = begin % parts;
	const uint32_t mask = (1u << width) - 1;
	uint32_t words[PIECE];

	jax_words(bits, (bits->n + parts - 1) / parts, begin / parts, (skip + n + parts - 1) / parts, words);
	for (size_t i = 0; i < n; i++)
		ret_bits[i] = words[(skip + i) / parts] >> (skip + i) % parts * width & mask;
}

/* Returns key `index` of the two that jax.random.split makes. */
static uint64_t jax_split(const struct jax_bits *bits, unsigned index)
{
	const struct jax_bits pair = {bits->key, 2, bits->is_original};
	uint32_t words[4];
	uint64_t key;

	if (!bits->is_original) {
		jax_bits_64(&pair, index, 1, &key);
		return key;
	}
	jax_words(&pair, 4, 0, 4, words);
	return (uint64_t)words[2 * index] << 32 | words[2 * index + 1];
}

/* Makes n elements from `begin` on, n at most JAX_PIECE. */
typedef void jax_maker(const struct draw *draw, uint64_t begin, size_t n, void *out);

enum { JAX_PIECE = PIECE };

static void jax_fill(const struct draw *draw, uint64_t begin, size_t n, jax_maker *make, void *out)
{
	const size_t size = dtype_size(draw->dtype);

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < JAX_PIECE ? n - at : JAX_PIECE;
		make(draw, begin + at, piece, (char *)out + at * size);
	}
}

static void jax_words_32_fill(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const struct jax_bits bits = jax_bits_of(draw);

	jax_bits_32(&bits, begin, n, out);
}

static void jax_words_64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const struct jax_bits bits = jax_bits_of(draw);

	jax_bits_64(&bits, begin, n, out);
}

/* ---- uniforms in [0, 1): mantissas of the high bits ---- */

static void jax_unit_f32(const struct draw *draw, uint64_t begin, size_t n, float *ret_units)
{
	const struct jax_bits bits = jax_bits_of(draw);
	uint32_t words[PIECE];

	jax_bits_32(&bits, begin, n, words);
	for (size_t i = 0; i < n; i++)
		ret_units[i] = (float)(int32_t)(words[i] >> 9) * 0x1p-23f;
}

static void jax_unit_f64(const struct draw *draw, uint64_t begin, size_t n, double *ret_units)
{
	const struct jax_bits bits = jax_bits_of(draw);
	uint64_t pairs[PIECE];

	jax_bits_64(&bits, begin, n, pairs);
	for (size_t i = 0; i < n; i++)
		ret_units[i] = (double)(int64_t)(pairs[i] >> 12) * 0x1p-52;
}

/* A mantissa of 10 bits is made of 16, one of 7 bits of 8. */
static void jax_unit_16(const struct draw *draw, uint64_t begin, size_t n, float *ret_units)
{
	const struct jax_bits bits = jax_bits_of(draw);
	const bool is_bf16 = draw->dtype == DTYPE_BF16;
	uint32_t parts[PIECE];

	jax_bits_part(&bits, is_bf16 ? 8 : 16, begin, n, parts);
	for (size_t i = 0; i < n; i++)
		ret_units[i] = is_bf16 ? (float)(int32_t)(parts[i] >> 1) * 0x1p-7f : (float)(int32_t)(parts[i] >> 6) * 0x1p-10f;
}

#define JAX_UNIFORM(name, type, fused, unit)                                                                                      \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		const type low = (type)draw->parameters[0].real, range = (type)draw->parameters[1].real - low;                    \
		type units[PIECE];                                                                                                \
                                                                                                                                  \
		unit(draw, begin, n, units);                                                                                      \
		for (size_t i = 0; i < n; i++) {                                                                                  \
			const type x = fused(units[i], range, low);                                                               \
                                                                                                                                  \
			((type *)out)[i] = x > low ? x : low;                                                                     \
		}                                                                                                                 \
	}

JAX_UNIFORM(jax_uniform_f32, float, fmaf, jax_unit_f32)
JAX_UNIFORM(jax_uniform_f64, double, fma, jax_unit_f64)

#define JAX_UNIFORM16(name, round, widen)                                                                                         \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		const float low = widen(round((float)draw->parameters[0].real));                                                  \
		const float range = widen(round(widen(round((float)draw->parameters[1].real)) - low));                            \
		float units[PIECE];                                                                                               \
                                                                                                                                  \
		jax_unit_16(draw, begin, n, units);                                                                               \
		for (size_t i = 0; i < n; i++) {                                                                                  \
			const float x = fmaf(units[i], range, low);                                                               \
                                                                                                                                  \
			((uint16_t *)out)[i] = round(x > low ? x : low);                                                          \
		}                                                                                                                 \
	}

JAX_UNIFORM16(jax_uniform_f16, f16_of, f16_widen)
JAX_UNIFORM16(jax_uniform_bf16, bf16_of, bf16_widen)

/* ---- normals: sqrt(2) erf_inv of uniforms in (-1, 1) ---- */

/* Computes -ln(1 - x^2) of n numbers of float64, in place of x^2. All PIECE are read and written. */
static void jax_minus_log1p(size_t n, double *squares)
{
	for (size_t i = 0; i < n; i += F64_LANES)
		f64_store(squares + i, f64_flip(log1p_f64(f64_flip(f64_load(squares + i), u64_set(UINT64_C(1) << 63))),
						u64_set(UINT64_C(1) << 63)));
}

/* Giles' polynomials of float32, in w - 2.5 below 5, in sqrt(w) - 3 from there on. */
static float jax_erf_inv_f32(float x, float w)
{
	static const float near[] = {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
				     -0.00125372503f, -0.00417768164f, 0.246640727f,    1.50140941f};
	static const float far[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
				    -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};
	const bool is_near = w < 5;
	const float t = is_near ? w - 2.5f : sqrtf(w) - 3;
	float p = is_near ? near[0] : far[0];

	for (unsigned k = 1; k < 9; k++)
		p = fmaf(p, t, is_near ? near[k] : far[k]);
	return p * x;
}

static double jax_polynomial(const double *c, unsigned n, double t)
{
	double p = c[0];

	for (unsigned k = 1; k < n; k++)
		p = fma(p, t, c[k]);
	return p;
}

static double jax_erf_inv_f64(double x, double w)
{
	static const double near[] = {
		-3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
		-1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
		-8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
		1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
		-1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
		-0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
	static const double middle[] = {
		2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
		1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
		-4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
		0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
		0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
	static const double far[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
				     -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
				     2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
				     -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
				     7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
				     1.0103004648645343977,      4.8499064014085844221};

	if (w < 6.25)
		return jax_polynomial(near, 23, w - 3.125) * x;
	if (w < 16)
		return jax_polynomial(middle, 19, sqrt(w) - 3.25) * x;
	return jax_polynomial(far, 17, sqrt(w) - 5) * x;
}

/* Replaces uniforms in (-1, 1) by normals. The logarithm is that of float64, rounded. */
static void jax_normals_f32(size_t n, float *x)
{
	double squares[PIECE] = {0};

	for (size_t i = 0; i < n; i++)
		squares[i] = x[i] * x[i];
	jax_minus_log1p(n, squares);
	for (size_t i = 0; i < n; i++)
		x[i] = jax_erf_inv_f32(x[i], (float)squares[i]);
}

static void jax_normal_f32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const float mean = (float)draw->parameters[0].real, std = (float)draw->parameters[1].real;
	float x[PIECE];

	jax_unit_f32(draw, begin, n, x);
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] * 2 - 0x1.fffffep-1f;
	jax_normals_f32(n, x);
	for (size_t i = 0; i < n; i++)
		((float *)out)[i] = x[i] * 0x1.6a09e6p0f * std + mean;
}

static void jax_normal_f64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const double mean = draw->parameters[0].real, std = draw->parameters[1].real;
	double x[PIECE], squares[PIECE] = {0};

	jax_unit_f64(draw, begin, n, x);
	for (size_t i = 0; i < n; i++) {
		x[i] = x[i] * 2 - 0x1.fffffffffffffp-1;
		squares[i] = x[i] * x[i];
	}
	jax_minus_log1p(n, squares);
	for (size_t i = 0; i < n; i++)
		((double *)out)[i] = jax_erf_inv_f64(x[i], squares[i]) * 0x1.6a09e667f3bcdp0 * std + mean;
}

/* The least uniform is the greatest number above -1; erf_inv is that of float32, rounded. */
#define JAX_NORMAL16(name, round, widen, least)                                                                                   \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		const float mean = widen(round((float)draw->parameters[0].real));                                                 \
		const float std = widen(round((float)draw->parameters[1].real)), root = widen(round(0x1.6a09e6p0f));              \
		float x[PIECE];                                                                                                   \
                                                                                                                                  \
		jax_unit_16(draw, begin, n, x);                                                                                   \
		for (size_t i = 0; i < n; i++)                                                                                    \
			x[i] = widen(round(x[i] * 2 - (least)));                                                                  \
		jax_normals_f32(n, x);                                                                                            \
		for (size_t i = 0; i < n; i++)                                                                                    \
			((uint16_t *)out)[i] = round(widen(round(widen(round(widen(round(x[i])) * root)) * std)) + mean);         \
	}

JAX_NORMAL16(jax_normal_f16, f16_of, f16_widen, 0x1.ffcp-1f)
JAX_NORMAL16(jax_normal_bf16, bf16_of, bf16_widen, 0x1.fep-1f)

/* ---- integers: the remainder of two words, of two keys, so that it is nearly uniform ---- */

#define JAX_INTEGERS(name, type, bits_of)                                                                                         \
	static type name##_rest(type a, type b)                                                                                   \
	{                                                                                                                         \
		return b ? a % b : a;                                                                                             \
	}                                                                                                                         \
                                                                                                                                  \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		const struct jax_bits bits = jax_bits_of(draw);                                                                   \
		const struct jax_bits high = {jax_split(&bits, 0), bits.n, bits.is_original};                                     \
		const struct jax_bits low = {jax_split(&bits, 1), bits.n, bits.is_original};                                      \
		const type least = (type)draw->parameters[0].natural, span = (type)draw->parameters[1].natural - least;           \
		const type root = name##_rest((type)1 << sizeof(type) * 4, span), factor = name##_rest(root * root, span);        \
		type a[PIECE], b[PIECE];                                                                                          \
                                                                                                                                  \
		bits_of(&high, begin, n, a);                                                                                      \
		bits_of(&low, begin, n, b);                                                                                       \
		for (size_t i = 0; i < n; i++)                                                                                    \
			((type *)out)[i] = least + name##_rest(name##_rest(a[i], span) * factor + name##_rest(b[i], span), span); \
	}

JAX_INTEGERS(jax_integers_32, uint32_t, jax_bits_32)
JAX_INTEGERS(jax_integers_64, uint64_t, jax_bits_64)

#define JAX_FLAGS(name, type)                                                                                                     \
	static void name(const struct draw *draw, uint64_t begin, size_t n, void *out)                                            \
	{                                                                                                                         \
		const float p = (float)draw->parameters[0].real;                                                                  \
		float units[PIECE];                                                                                               \
                                                                                                                                  \
		jax_unit_f32(draw, begin, n, units);                                                                              \
		for (size_t i = 0; i < n; i++)                                                                                    \
			((type *)out)[i] = units[i] < p;                                                                          \
	}

JAX_FLAGS(jax_flags_i8, int8_t)
JAX_FLAGS(jax_flags_i32, int32_t)

#define JAX_WAY(name)                                                                                                             \
	static void name##_fill(const struct draw *draw, uint64_t begin, size_t n, void *out)                                     \
	{                                                                                                                         \
		jax_fill(draw, begin, n, name, out);                                                                              \
	}

JAX_WAY(jax_words_64)
JAX_WAY(jax_uniform_f32)
JAX_WAY(jax_uniform_f64)
JAX_WAY(jax_uniform_f16)
JAX_WAY(jax_uniform_bf16)
JAX_WAY(jax_normal_f32)
JAX_WAY(jax_normal_f64)
JAX_WAY(jax_normal_f16)
JAX_WAY(jax_normal_bf16)
JAX_WAY(jax_integers_32)
JAX_WAY(jax_integers_64)
JAX_WAY(jax_flags_i8)
JAX_WAY(jax_flags_i32)

static const struct layout_way jax_ways[] = {
	{DIST_BITS, DTYPE_U32, jax_words_32_fill, false},
	{DIST_BITS, DTYPE_U64, jax_words_64_fill, false},
	{DIST_UNIFORM, DTYPE_F32, jax_uniform_f32_fill, false},
	{DIST_UNIFORM, DTYPE_F64, jax_uniform_f64_fill, false},
	{DIST_UNIFORM, DTYPE_BF16, jax_uniform_bf16_fill, false},
	{DIST_UNIFORM, DTYPE_F16, jax_uniform_f16_fill, false},
	{DIST_NORMAL, DTYPE_F32, jax_normal_f32_fill, false},
	{DIST_NORMAL, DTYPE_F64, jax_normal_f64_fill, false},
	{DIST_NORMAL, DTYPE_BF16, jax_normal_bf16_fill, false},
	{DIST_NORMAL, DTYPE_F16, jax_normal_f16_fill, false},
	{DIST_BERNOULLI, DTYPE_I8, jax_flags_i8_fill, false},
	{DIST_BERNOULLI, DTYPE_I32, jax_flags_i32_fill, false},
	{DIST_RANDINT, DTYPE_I32, jax_integers_32_fill, false},
	{DIST_RANDINT, DTYPE_I64, jax_integers_64_fill, false},
	{DIST_RANDINT, DTYPE_U32, jax_integers_32_fill, false},
	{DIST_RANDINT, DTYPE_U64, jax_integers_64_fill, false},
	{DIST_COUNT, DTYPE_NONE, NULL, false},
};
