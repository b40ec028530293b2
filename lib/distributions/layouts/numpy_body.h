/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's numpy.random.Generator(Philox): Philox4x64-10.
 *
 * `numpy`: Philox(seed), whose key SeedSequence makes; `numpy_key`: Philox(key=...), the seed being the key's low word, the stream
 * its high one. The counter is incremented before the first block, so that word w is one of the four of block 1 + w / 4. A
 * position counts halves of words: draws of 32 bits take one half after the other, the low one first, those of 64 bits begin at
 * the next whole word. Sources: NumPy 1.26, numpy/random/bit_generator.pyx (SeedSequence), src/philox/philox.h and
 * src/distributions/distributions.c; D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019) 3. */
#include "distributions/layouts/ziggurat_data.h"
#include "math/elementary_exp.h"
#include "rng/philox.h"

/* The key of Philox(seed): two words of SeedSequence(seed).generate_state. */
struct numpy_hash {
	uint32_t constant, factor;
};

static uint32_t numpy_hash_mix(struct numpy_hash *hash, uint32_t value)
{
	value ^= hash->constant;
	hash->constant *= hash->factor;
	value *= hash->constant;
	return value ^ value >> 16;
}

static void numpy_seed(uint64_t seed, uint64_t ret_key[2])
{
	struct numpy_hash hash = {0x43b0d7e5, 0x931e8875}, state = {0x8b51f9dd, 0x58f38ded};
	uint32_t pool[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0}, words[4];

	for (unsigned i = 0; i < 4; i++)
		pool[i] = numpy_hash_mix(&hash, pool[i]);
	for (unsigned from = 0; from < 4; from++)
		for (unsigned to = 0; to < 4; to++)
			if (from != to) {
				const uint32_t mixed = 0xca01f9dd * pool[to] - 0x4973f715 * numpy_hash_mix(&hash, pool[from]);

				pool[to] = mixed ^ mixed >> 16;
			}
	for (unsigned i = 0; i < 4; i++)
		words[i] = numpy_hash_mix(&state, pool[i]);
	for (unsigned i = 0; i < 2; i++)
		ret_key[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}

static void numpy_key(const struct draw *draw, uint64_t ret_key[2])
{
	if (draw->layout->layout == LAYOUT_NUMPY) {
		numpy_seed(draw->stream.seed, ret_key);
		return;
	}
	ret_key[0] = draw->stream.seed;
	ret_key[1] = draw->stream.stream;
}

/* Writes n words from word `first` on. */
static void numpy_words(const uint64_t key[2], uint64_t first, size_t n, uint64_t *ret_words)
{
	for (size_t i = 0; i < n;) {
		const size_t skip = (first + i) % 4, count = 4 - skip < n - i ? 4 - skip : n - i;
		const uint64_t counter[4] = {1 + (first + i) / 4, 0, 0, 0};
		uint64_t block[4];

		philox4x64(counter, key, 10, block);
		memcpy(ret_words + i, block + skip, count * sizeof *block);
		i += count;
	}
}

static uint64_t numpy_first_word(const struct draw *draw)
{
	return draw->layout->position / 2 + draw->layout->position % 2;
}

/* ---- one word, or half of one, for each number ---- */

static void numpy_bits_u64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	uint64_t key[2];

	numpy_key(draw, key);
	numpy_words(key, numpy_first_word(draw) + begin, n, out);
}

static void numpy_bits_u32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const uint64_t first = draw->layout->position + begin;
	uint64_t key[2], words[PIECE];

	numpy_key(draw, key);
	for (size_t at = 0, piece; at < n; at += piece) {
		const size_t skip = (first + at) % 2;

		piece = n - at < PIECE ? n - at : PIECE;
		numpy_words(key, (first + at) / 2, (skip + piece + 1) / 2, words);
		for (size_t i = 0; i < piece; i++)
			((uint32_t *)out)[at + i] = (uint32_t)(words[(skip + i) / 2] >> (skip + i) % 2 * 32);
	}
}

/* Generator.random: the high 53 bits of a word, or 24 of a half. Other bounds: low + (high - low) u. */
static void numpy_uniform_f64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const double low = draw->parameters[0].real, range = draw->parameters[1].real - low;
	uint64_t *words = out, word;

	numpy_bits_u64(draw, begin, n, out);
	for (size_t i = 0; i < n; i++) {
		memcpy(&word, words + i, sizeof word);
		((double *)out)[i] = low + range * ((double)(int64_t)(word >> 11) * 0x1p-53);
	}
}

static void numpy_uniform_f32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const float low = (float)draw->parameters[0].real, range = (float)draw->parameters[1].real - low;
	uint32_t words[PIECE];

	for (size_t at = 0, piece; at < n; at += piece) {
		piece = n - at < PIECE ? n - at : PIECE;
		numpy_bits_u32(draw, begin + at, piece, words);
		for (size_t i = 0; i < piece; i++)
			((float *)out)[at + i] = low + range * ((float)(int32_t)(words[i] >> 8) * 0x1p-24f);
	}
}

/* ---- in order: a number may take more words than one ---- */

/* The words behind the position, one after the other. */
struct numpy_stream {
	uint64_t key[2], next, words[PIECE];
	size_t used;
	bool has_half;
	uint32_t half;
};

static uint64_t numpy_next64(struct numpy_stream *stream)
{
	if (stream->used == PIECE) {
		numpy_words(stream->key, stream->next, PIECE, stream->words);
		stream->next += PIECE;
		stream->used = 0;
	}
	return stream->words[stream->used++];
}

static uint32_t numpy_next32(struct numpy_stream *stream)
{
	uint64_t word;

	if (stream->has_half) {
		stream->has_half = false;
		return stream->half;
	}
	word = numpy_next64(stream);
	stream->has_half = true;
	stream->half = (uint32_t)(word >> 32);
	return (uint32_t)word;
}

/* Begins at the position: in the middle of a word its second half is left. */
static void numpy_begin(const struct draw *draw, struct numpy_stream *stream)
{
	numpy_key(draw, stream->key);
	stream->next = draw->layout->position / 2;
	stream->used = PIECE;
	stream->has_half = false;
	if (draw->layout->position % 2)
		numpy_next32(stream);
}

/* Lemire's method: the high half of a product, where its low half is not among the few that would come too often. */
static uint32_t numpy_bounded32(struct numpy_stream *stream, uint32_t range)
{
	const uint32_t threshold = (uint32_t)-range % range;
	uint64_t product;

	do
		product = (uint64_t)numpy_next32(stream) * range;
	while ((uint32_t)product < threshold);
	return (uint32_t)(product >> 32);
}

static uint64_t numpy_bounded64(struct numpy_stream *stream, uint64_t range)
{
	const uint64_t threshold = -range % range;
	unsigned __int128 product;

	do
		product = (unsigned __int128)numpy_next64(stream) * range;
	while ((uint64_t)product < threshold);
	return (uint64_t)(product >> 64);
}

/* last: the greatest less the least. Up to 2^32 numbers are made of halves, whatever their dtype. */
static uint64_t numpy_bounded(struct numpy_stream *stream, uint64_t last)
{
	if (last == 0)
		return 0;
	if (last == UINT32_MAX)
		return numpy_next32(stream);
	if (last < UINT32_MAX)
		return numpy_bounded32(stream, (uint32_t)last + 1);
	return last == UINT64_MAX ? numpy_next64(stream) : numpy_bounded64(stream, last + 1);
}

/* A call's words behind its first `element` numbers, so that a thread which makes one piece after the other begins where it was.
 */
struct numpy_place {
	struct layout_call call;
	struct stream source;
	enum distribution distribution;
	enum dtype dtype;
	uint64_t low, high; /* of integers */
	uint64_t element;
	uint64_t used; /* when, as this thread counts */
	struct numpy_stream stream;
};

enum { NUMPY_PLACES = 4 };

static bool numpy_is_at(const struct numpy_place *place, const struct draw *draw, uint64_t begin)
{
	return place->call.layout == draw->layout->layout && place->call.position == draw->layout->position &&
	       place->source.seed == draw->stream.seed && place->source.stream == draw->stream.stream &&
	       place->distribution == draw->distribution && place->dtype == draw->dtype &&
	       (draw->distribution != DIST_RANDINT ||
		(place->low == draw->parameters[0].natural && place->high == draw->parameters[1].natural)) &&
	       place->element <= begin;
}

/* Makes the next number of a call, which the caller wants or skips. */
typedef void numpy_maker(const struct draw *draw, struct numpy_stream *stream, void *ret_number);

/* Finds the last place up to element `begin`. Pieces of one call that are made in turns have places of their own: one that is left
 * behind is kept, and the one that was not used for longest goes. */
static struct numpy_place *numpy_find_place(const struct draw *draw, uint64_t begin)
{
	static _Thread_local struct numpy_place places[NUMPY_PLACES];
	static _Thread_local uint64_t uses;
	struct numpy_place *best = NULL, *oldest = places;

	for (struct numpy_place *place = places; place < places + NUMPY_PLACES; place++) {
		if (numpy_is_at(place, draw, begin) && (!best || place->element > best->element))
			best = place;
		if (place->used < oldest->used)
			oldest = place;
	}
	if (!best) {
		*oldest = (struct numpy_place){*draw->layout,
					       draw->stream,
					       draw->distribution,
					       draw->dtype,
					       draw->parameters[0].natural,
					       draw->parameters[1].natural,
					       0,
					       0,
					       {.used = 0}};
		numpy_begin(draw, &oldest->stream);
		best = oldest;
	} else if (best->element < begin && best != oldest) {
		*oldest = *best;
		best = oldest;
	}
	best->used = ++uses;
	return best;
}

static void numpy_fill(const struct draw *draw, uint64_t begin, size_t n, numpy_maker *make, void *out)
{
	struct numpy_place *const place = numpy_find_place(draw, begin);
	const size_t size = dtype_size(draw->dtype);
	uint64_t skipped;

	for (; place->element < begin; place->element++)
		make(draw, &place->stream, &skipped);
	for (size_t i = 0; i < n; i++)
		make(draw, &place->stream, (char *)out + i * size);
	place->element += n;
}

static void numpy_integer(const struct draw *draw, struct numpy_stream *stream, void *ret_number)
{
	const bool is_wide = dtype_size(draw->dtype) == 8;
	const uint64_t low = draw->parameters[0].natural, difference = draw->parameters[1].natural - 1 - low;
	const uint64_t number = low + numpy_bounded(stream, is_wide ? difference : (uint32_t)difference);
	const uint32_t narrow = (uint32_t)number;

	if (is_wide)
		memcpy(ret_number, &number, sizeof number);
	else
		memcpy(ret_number, &narrow, sizeof narrow);
}

static void numpy_integers(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	numpy_fill(draw, begin, n, numpy_integer, out);
}

/* ---- standard_normal: a ziggurat of 256 layers ---- */

static double numpy_next_double(struct numpy_stream *stream)
{
	return (double)(int64_t)(numpy_next64(stream) >> 11) * 0x1p-53;
}

static float numpy_next_float(struct numpy_stream *stream)
{
	return (float)(int32_t)(numpy_next32(stream) >> 8) * 0x1p-24f;
}

/* One lane each of -ln(1 - u) and exp(-x^2 / 2). */
static double numpy_exponential(double u)
{
	double lanes[F64_LANES];

	f64_store(lanes, log1p_f64(f64_set(-u)));
	return -lanes[0];
}

static double numpy_density(double x)
{
	double lanes[F64_LANES];

	f64_store(lanes, exp_f64(f64_set(-0.5 * x * x)));
	return lanes[0];
}

/* Beyond the base layer: exponentials, accepted by Marsaglia's method. */
static double numpy_tail(struct numpy_stream *stream)
{
	double x, y;

	do {
		x = ZIGGURAT_INVERSE_TAIL * numpy_exponential(numpy_next_double(stream));
		y = numpy_exponential(numpy_next_double(stream));
	} while (!(y + y > x * x));
	return ZIGGURAT_TAIL + x;
}

static float numpy_tail_f32(struct numpy_stream *stream)
{
	float x, y;

	do {
		x = (float)ZIGGURAT_INVERSE_TAIL * (float)numpy_exponential(numpy_next_float(stream));
		y = (float)numpy_exponential(numpy_next_float(stream));
	} while (!(y + y > x * x));
	return (float)ZIGGURAT_TAIL + x;
}

/* A word: 8 bits for the layer, one for the sign, 52 for the place in the layer. */
static double numpy_standard_normal(struct numpy_stream *stream)
{
	for (;;) {
		const uint64_t word = numpy_next64(stream), place = word >> 9 & 0xFFFFFFFFFFFFF;
		const unsigned layer = word & 0xFF;
		const double size = (double)(int64_t)place * ziggurat_width[layer], x = word & 0x100 ? -size : size;

		if (place < ziggurat_inside[layer])
			return x;
		if (layer == 0)
			return place & 0x100 ? -numpy_tail(stream) : numpy_tail(stream);
		if ((ziggurat_height[layer - 1] - ziggurat_height[layer]) * numpy_next_double(stream) + ziggurat_height[layer] <
		    numpy_density(x))
			return x;
	}
}

/* The same of half a word, with 23 bits for the place. */
static float numpy_standard_normal_f32(struct numpy_stream *stream)
{
	for (;;) {
		const uint32_t word = numpy_next32(stream), place = word >> 9;
		const unsigned layer = word & 0xFF;
		const float size = (float)(int32_t)place * ziggurat_width_f32[layer], x = word & 0x100 ? -size : size;

		if (place < ziggurat_inside_f32[layer])
			return x;
		if (layer == 0)
			return place & 0x100 ? -numpy_tail_f32(stream) : numpy_tail_f32(stream);
		if ((ziggurat_height_f32[layer - 1] - ziggurat_height_f32[layer]) * numpy_next_float(stream) +
			    ziggurat_height_f32[layer] <
		    numpy_density((double)x))
			return x;
	}
}

static void numpy_make_f64(const struct draw *draw, struct numpy_stream *stream, void *ret_number)
{
	const double x = draw->parameters[0].real + draw->parameters[1].real * numpy_standard_normal(stream);

	memcpy(ret_number, &x, sizeof x);
}

static void numpy_make_f32(const struct draw *draw, struct numpy_stream *stream, void *ret_number)
{
	const float x = (float)draw->parameters[0].real + (float)draw->parameters[1].real * numpy_standard_normal_f32(stream);

	memcpy(ret_number, &x, sizeof x);
}

static void numpy_normal_f64(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	numpy_fill(draw, begin, n, numpy_make_f64, out);
}

static void numpy_normal_f32(const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	numpy_fill(draw, begin, n, numpy_make_f32, out);
}

static const struct layout_way numpy_ways[] = {
	{DIST_BITS, DTYPE_U32, numpy_bits_u32, false},
	{DIST_BITS, DTYPE_U64, numpy_bits_u64, false},
	{DIST_UNIFORM, DTYPE_F32, numpy_uniform_f32, false},
	{DIST_UNIFORM, DTYPE_F64, numpy_uniform_f64, false},
	{DIST_NORMAL, DTYPE_F32, numpy_normal_f32, true},
	{DIST_NORMAL, DTYPE_F64, numpy_normal_f64, true},
	{DIST_RANDINT, DTYPE_I32, numpy_integers, true},
	{DIST_RANDINT, DTYPE_I64, numpy_integers, true},
	{DIST_RANDINT, DTYPE_U32, numpy_integers, true},
	{DIST_RANDINT, DTYPE_U64, numpy_integers, true},
	{DIST_COUNT, DTYPE_NONE, NULL, false},
};
