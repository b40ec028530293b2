/* SPDX-License-Identifier: Apache-2.0 */
/* The networks over base/simd/simd.h. Numbers that leave 0 .. items - 1 are packed, and walk on together.
 *
 * An array of n numbers is processed up to a multiple of the lanes. The numbers behind the n-th are set to 0
 * afterwards, so that they do not walk. */
#include <stdbool.h>

#include "base/simd/simd_u64.h"
#include "math/feistel.h"
#include "math/splitmix_lanes.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	/* Vectors processed together, since a multiplication's latency is several times its throughput. */
	FLIGHT = 4,
	LANES_PAD = 8,
};

/* Loads numbers given as 2^32 left + right, which sort as the numbers do. */
INLINE void halves_load(unsigned flight, const uint64_t *x, u64v left[], u64v right[])
{
	for (unsigned u = 0; u < flight; u++) {
		const u64v halves = u64_load(x + u * F64_LANES);

		left[u] = U64_SHR(halves, 32);
		right[u] = u64_and(halves, u64_set(0xFFFFFFFF));
	}
}

INLINE void halves_store(unsigned flight, const u64v left[], const u64v right[], uint64_t *ret_x)
{
	for (unsigned u = 0; u < flight; u++)
		u64_store(ret_x + u * F64_LANES, u64_or(U64_SHL(left[u], 32), right[u]));
}

/* The keys of the numbers. Key k of number i is same[k], or else rows[k][places[i]], or without places rows[k][i]. */
struct key_source {
	const uint64_t *same;
	const uint64_t *const *rows;
	const uint16_t *places;
};

/* Loads key k of a vector of numbers from i on. */
INLINE u64v load_keys(struct key_source source, unsigned k, size_t i)
{
	uint64_t keys[F64_LANES];

	if (source.same)
		return u64_set(source.same[k]);
	if (!source.places)
		return u64_load(source.rows[k] + i);
	for (unsigned lane = 0; lane < F64_LANES; lane++)
		keys[lane] = source.rows[k][source.places[i + lane]];
	return u64_load(keys);
}

/* Returns floor(h side / 2^64), h being a hash of x by two multiplications, each followed by a fold. */
INLINE u64v modular_hash(u64v x, u64v side, u64v key0, u64v key1)
{
	x = u64_add(x, key0);
	x = u64_mul(u64_xor(x, U64_SHR(x, 32)), u64_set(0xD6E8FEB86659FD93));
	x = u64_add(u64_xor(x, U64_SHR(x, 29)), key1);
	x = u64_mul(x, u64_set(0xA0761D6478BD642F));

	const u64v high = U64_SHR(x, 32), low = u64_xor(x, high);

	return U64_SHR(u64_add(u64_mul32(high, side), U64_SHR(u64_mul32(low, side), 32)), 32);
}

/* Sends `flight` vectors of numbers from `at` on through all rounds of a modular network. */
INLINE void modular_step(uint64_t side_length, struct key_source source, unsigned flight, size_t at, uint64_t *x)
{
	const u64v side = u64_set(side_length);
	u64v left[FLIGHT], right[FLIGHT];

	halves_load(flight, x + at, left, right);
	for (unsigned r = 0; r < FEISTEL_MODULAR_ROUNDS; r++)
		for (unsigned u = 0; u < flight; u++) {
			const size_t i = at + u * F64_LANES;
			const u64v key0 = load_keys(source, 2 * r, i), key1 = load_keys(source, 2 * r + 1, i);
			const u64v mask = modular_hash(right[u], side, key0, key1);
			const u64v sum = u64_wrap(u64_add(left[u], mask), side);

			left[u] = right[u];
			right[u] = sum;
		}
	halves_store(flight, left, right, x + at);
}

/* Sends n numbers through the network once. */
INLINE void modular_all(uint64_t side, struct key_source source, size_t n, uint64_t *x)
{
	size_t i = 0;

	for (; i + FLIGHT * F64_LANES <= n; i += FLIGHT * F64_LANES)
		modular_step(side, source, FLIGHT, i, x);
	for (; i < n; i += F64_LANES)
		modular_step(side, source, 1, i, x);
}

/* The same for a binary network. */
INLINE void binary_step(const struct feistel_binary *network, unsigned flight, const uint64_t *key0,
			const uint64_t *key1, uint64_t *x)
{
	const uint64_t *const keys[] = {key0, key1};
	const u64v mask = u64_set((UINT64_C(1) << network->half_bits) - 1);
	u64v left[FLIGHT], right[FLIGHT];

	halves_load(flight, x, left, right);
	for (unsigned r = 0; r < FEISTEL_BINARY_ROUNDS; r++)
		for (unsigned u = 0; u < flight; u++) {
			const u64v keyed = u64_xor(right[u], u64_load(keys[r % 2] + u * F64_LANES));
			const u64v hash = splitmix_hash_lanes(u64_add(keyed, u64_set(r * SPLITMIX_STEP)));
			const u64v next = u64_xor(left[u], u64_and(hash, mask));

			left[u] = right[u];
			right[u] = next;
		}
	halves_store(flight, left, right, x);
}

static void binary_all(const struct feistel_binary *network, const uint64_t *const keys[2], size_t n, uint64_t *x)
{
	size_t i = 0;

	for (; i + FLIGHT * F64_LANES <= n; i += FLIGHT * F64_LANES)
		binary_step(network, FLIGHT, keys[0] + i, keys[1] + i, x + i);
	for (; i < n; i += F64_LANES)
		binary_step(network, 1, keys[0] + i, keys[1] + i, x + i);
}

/* The numbers that walk on, packed: their halves, their keys (binary networks) and their indices in x. */
struct walkers {
	uint64_t x[FEISTEL_BLOCK], keys[2][FEISTEL_BLOCK];
	uint16_t places[FEISTEL_BLOCK + LANES_PAD];
};

/* Packs the numbers of x above `last`, and returns how many there are. */
static size_t pack_walkers(const uint64_t *x, const uint64_t *const keys[2], size_t n, uint64_t last,
			   struct walkers *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i += F64_LANES) {
		const m64v mask = u64_less(u64_set(last), u64_load(x + i));

		if (!m64_bits(mask))
			continue;
		lanes_pack(ret->places + count, mask, (uint16_t)i);
		u64_pack(ret->x + count, mask, u64_load(x + i));
		for (unsigned half = 0; keys && half < 2; half++)
			u64_pack(ret->keys[half] + count, mask, u64_load(keys[half] + i));
		count += m64_count(mask);
	}
	return count;
}

/* Stores each walker in x, packs those that are still above `last`, and returns how many these are. */
static size_t store_walkers(struct walkers *walkers, bool keyed, size_t n, uint64_t last, uint64_t *x)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		x[walkers->places[i]] = walkers->x[i];
	/* These must not walk. */
	for (size_t i = n; i % LANES_PAD != 0; i++)
		walkers->x[i] = 0;
	for (size_t i = 0; i < n; i += F64_LANES) {
		const m64v mask = u64_less(u64_set(last), u64_load(walkers->x + i));

		u16_pack(walkers->places + left, mask, walkers->places + i);
		for (unsigned half = 0; keyed && half < 2; half++)
			u64_pack(walkers->keys[half] + left, mask, u64_load(walkers->keys[half] + i));
		u64_pack(walkers->x + left, mask, u64_load(walkers->x + i));
		left += m64_count(mask);
	}
	return left;
}

/* Writes the halves of index .. index + n - 1, and zeros up to a multiple of the lanes. */
static void fill_halves(uint64_t side, uint64_t index, size_t n, uint64_t *ret_x)
{
	uint64_t left = index / side, right = index % side;

	for (size_t i = 0; i < n; left++, right = 0) {
		const uint64_t first = (left << 32 | right) - i;
		const size_t stop = n - i < side - right ? n : i + (size_t)(side - right);

		for (; i < stop; i++)
			ret_x[i] = first + i;
	}
	for (size_t i = n; i % LANES_PAD != 0; i++)
		ret_x[i] = 0;
}

/* Replaces n numbers, given as halves, by the halves of their images. */
INLINE void modular_walk(uint64_t items, uint64_t side, struct key_source source, size_t n, uint64_t *x)
{
	const uint64_t last = (items - 1) / side << 32 | (items - 1) % side;
	struct walkers walkers;
	struct key_source on = source;

	if (!source.same)
		on.places = walkers.places;
	modular_all(side, source, n, x);
	for (size_t i = n; i % LANES_PAD != 0; i++)
		x[i] = 0;
	for (size_t count = pack_walkers(x, NULL, n, last, &walkers); count > 0;) {
		for (size_t i = count; i % LANES_PAD != 0; i++)
			walkers.places[i] = 0;
		modular_all(side, on, count, walkers.x);
		count = store_walkers(&walkers, false, count, last, x);
	}
}

/* Turns halves back into numbers: left side + right. */
static void join_halves(uint64_t side, size_t n, const uint64_t *halves, uint64_t *ret_x)
{
	for (size_t i = 0; i < n; i++)
		ret_x[i] = (halves[i] >> 32) * (uint32_t)side + (uint32_t)halves[i];
}

static void modular_fill(const struct feistel_modular *network, uint64_t index, size_t n, uint64_t *ret_images)
{
	uint64_t x[FEISTEL_BLOCK] = {0};

	fill_halves(network->side, index, n, x);
	modular_walk(network->items, network->side, (struct key_source){.same = network->keys}, n, x);
	join_halves(network->side, n, x, ret_images);
}

static void keyed_fill(uint64_t items, uint64_t side, const uint64_t *const keys[FEISTEL_MODULAR_KEYS], size_t n,
		       uint64_t *x)
{
	for (size_t i = n; i % LANES_PAD != 0; i++)
		x[i] = 0;
	modular_walk(items, side, (struct key_source){.rows = keys}, n, x);
	join_halves(side, n, x, x);
}

/* Split numbers below 2^32 into halves, and join them again. */
static void binary_split(unsigned half_bits, size_t n, uint64_t *x)
{
	const uint64_t mask = (UINT64_C(1) << half_bits) - 1;

	for (size_t i = 0; i < n; i++)
		x[i] = x[i] >> half_bits << 32 | (x[i] & mask);
}

static void binary_join(unsigned half_bits, size_t n, uint64_t *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] >> 32 << half_bits | (x[i] & 0xFFFFFFFF);
}

static void binary_fill(const struct feistel_binary *network, const uint64_t *const keys[2], size_t n, uint64_t *x)
{
	uint64_t last = network->items - 1;
	struct walkers walkers;
	const uint64_t *const walkers_keys[] = {walkers.keys[0], walkers.keys[1]};

	for (size_t i = n; i % LANES_PAD != 0; i++)
		x[i] = 0;
	binary_split(network->half_bits, n, x);
	binary_split(network->half_bits, 1, &last);
	binary_all(network, keys, n, x);
	for (size_t i = n; i % LANES_PAD != 0; i++)
		x[i] = 0;
	for (size_t count = pack_walkers(x, keys, n, last, &walkers); count > 0;) {
		binary_all(network, walkers_keys, count, walkers.x);
		count = store_walkers(&walkers, true, count, last, x);
	}
	binary_join(network->half_bits, n, x);
}

/* struct feistel_kernel.place: a point of a Latin hypercube in its cell. */
static void place(const uint64_t *cells, const uint64_t *parts, double step, uint64_t items, size_t n, double *ret_x)
{
	for (size_t i = 0; i < n; i += F64_LANES) {
		const f64v part = f64_mul(f64_from_u52(u64_load(parts + i)), f64_set(step));
		const f64v at = f64_add(f64_from_u52(u64_load(cells + i)), part);

		f64_store(ret_x + i, f64_div(at, f64_set((double)items)));
	}
}

const struct feistel_kernel SIMD_SUFFIX(feistel) = {SIMD_NAME,  SIMD_NEEDS,  modular_fill,
						    keyed_fill, binary_fill, place};
