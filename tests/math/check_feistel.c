/* SPDX-License-Identifier: Apache-2.0 */
/* The networks of every variant against their definition, one number at a time. */
#include "math/feistel.h"

#include "rng/support.h"

static uint64_t hash(uint64_t x, const uint64_t key[2])
{
	x += key[0];
	x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
	x = ((x ^ x >> 29) + key[1]) * 0xA0761D6478BD642Fu;
	return x ^ x >> 32;
}

static uint64_t modular_image(const struct feistel_modular *network, uint64_t x)
{
	do {
		uint64_t left = x / network->side, right = x % network->side;

		for (unsigned r = 0; r < 10; r++) {
			const unsigned __int128 wide = hash(right, network->keys + 2 * r);
			const uint64_t sum = (left + (uint64_t)(wide * network->side >> 64)) % network->side;

			left = right;
			right = sum;
		}
		x = left * network->side + right;
	} while (x >= network->items);
	return x;
}

static uint64_t binary_image(const struct feistel_binary *network, const uint64_t key[2], uint64_t x)
{
	const uint64_t mask = (UINT64_C(1) << network->half_bits) - 1;

	do {
		uint64_t left = x >> network->half_bits, right = x & mask;

		for (unsigned r = 0; r < 8; r++) {
			uint64_t state = (right ^ key[r % 2]) + (r - UINT64_C(1)) * 0x9E3779B97F4A7C15;
			const uint64_t next = left ^ (next_case(&state) & mask);

			left = right;
			right = next;
		}
		x = left << network->half_bits | right;
	} while (x >= network->items);
	return x;
}

typedef void check_fn(const struct feistel_kernel *kernel, uint64_t *seed);

static void for_each_kernel(check_fn *check)
{
	size_t count;
	const struct feistel_kernel *const *kernels = feistel_kernels(&count);

	for (size_t i = 0; i < count; i++) {
		uint64_t seed = case_seed();

		if (can_run("feistel", kernels[i]->name, kernels[i]->needs))
			for (unsigned t = 0; t < 400; t++)
				check(kernels[i], &seed);
	}
}

/* Sizes of all magnitudes; one is the whole square, the next only a little more than half of it. */
static void check_modular(const struct feistel_kernel *kernel, uint64_t *seed)
{
	struct feistel_modular network = {.side = 34 + below(seed, UINT64_C(1) << (6 + below(seed, 26)))};
	const size_t n = 1 + (size_t)below(seed, FEISTEL_BLOCK);
	uint64_t images[FEISTEL_BLOCK], index;

	network.side = network.side > UINT64_C(1) << 31 ? UINT64_C(1) << 31 : network.side;
	network.items = network.side * network.side;
	network.items -= below(seed, 2) * below(seed, network.items / 2 - FEISTEL_BLOCK);
	for (unsigned i = 0; i < 20; i++)
		network.keys[i] = next_case(seed);
	index = below(seed, network.items - n + 1);
	kernel->modular(&network, index, n, images);
	for (size_t i = 0; i < n; i++)
		if (images[i] != modular_image(&network, index + i))
			fail_msg("%s: %llu items, side %llu: image of %llu, the %zuth of %zu: expected %llu, got %llu",
				 kernel->name, (unsigned long long)network.items, (unsigned long long)network.side,
				 (unsigned long long)(index + i), i, n,
				 (unsigned long long)modular_image(&network, index + i), (unsigned long long)images[i]);
}

static void modular_network_matches_its_definition(void **state)
{
	(void)state;
	for_each_kernel(check_modular);
}

/* Every number under keys of its own; the keys of numbers that are walked further, too. */
static void check_keyed(const struct feistel_kernel *kernel, uint64_t *seed)
{
	static uint64_t keys[FEISTEL_MODULAR_KEYS][FEISTEL_BLOCK + 8];
	struct feistel_modular network = {.side = 2 + below(seed, UINT64_C(1) << (1 + below(seed, 16)))};
	const size_t n = 1 + (size_t)below(seed, FEISTEL_BLOCK);
	const uint64_t *of[FEISTEL_MODULAR_KEYS];
	uint64_t x[FEISTEL_BLOCK], from[FEISTEL_BLOCK];

	network.items = network.side * network.side;
	network.items -= below(seed, 2) * below(seed, network.items / 2);
	for (unsigned k = 0; k < FEISTEL_MODULAR_KEYS; k++) {
		of[k] = keys[k] + below(seed, 8);
		for (size_t i = 0; i < FEISTEL_BLOCK + 8; i++)
			keys[k][i] = next_case(seed);
	}
	for (size_t i = 0; i < n; i++) {
		from[i] = below(seed, network.items);
		x[i] = from[i] / network.side << 32 | from[i] % network.side;
	}
	kernel->keyed(network.items, network.side, of, n, x);
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < FEISTEL_MODULAR_KEYS; k++)
			network.keys[k] = of[k][i];
		if (x[i] != modular_image(&network, from[i]))
			fail_msg("%s: %llu items, side %llu: image of %llu, the %zuth of %zu: expected %llu, got %llu",
				 kernel->name, (unsigned long long)network.items, (unsigned long long)network.side,
				 (unsigned long long)from[i], i, n,
				 (unsigned long long)modular_image(&network, from[i]), (unsigned long long)x[i]);
	}
}

static void keyed_network_matches_its_definition(void **state)
{
	(void)state;
	for_each_kernel(check_keyed);
}

static void check_binary(const struct feistel_kernel *kernel, uint64_t *seed)
{
	static uint64_t keys[2][FEISTEL_BLOCK + 8];
	const uint64_t *const of[] = {keys[0] + below(seed, 8), keys[1] + below(seed, 8)};
	const uint64_t most = UINT64_C(1) << below(seed, 33);
	struct feistel_binary network = {.items = most - below(seed, 2) * below(seed, most)};
	const size_t n = 1 + (size_t)below(seed, FEISTEL_BLOCK);
	uint64_t x[FEISTEL_BLOCK], from[FEISTEL_BLOCK];

	while (UINT64_C(1) << 2 * network.half_bits < network.items)
		network.half_bits++;
	for (size_t i = 0; i < 2 * (FEISTEL_BLOCK + 8); i++)
		keys[i % 2][i / 2] = next_case(seed);
	for (size_t i = 0; i < n; i++)
		from[i] = x[i] = below(seed, network.items);
	kernel->binary(&network, of, n, x);
	for (size_t i = 0; i < n; i++) {
		const uint64_t expected = binary_image(&network, (uint64_t[]){of[0][i], of[1][i]}, from[i]);

		if (x[i] != expected)
			fail_msg("%s: %llu items: image of %llu, the %zuth of %zu: expected %llu, got %llu",
				 kernel->name, (unsigned long long)network.items, (unsigned long long)from[i], i, n,
				 (unsigned long long)expected, (unsigned long long)x[i]);
	}
}

static void binary_network_matches_its_definition(void **state)
{
	(void)state;
	for_each_kernel(check_binary);
}

static void check_place(const struct feistel_kernel *kernel, uint64_t *seed)
{
	const size_t n = 1 + (size_t)below(seed, FEISTEL_BLOCK);
	const unsigned bits = 18 + (unsigned)below(seed, 33);
	const uint64_t items = 1 + below(seed, UINT64_C(1) << 32);
	uint64_t cells[FEISTEL_BLOCK] = {0}, parts[FEISTEL_BLOCK] = {0};
	double x[FEISTEL_BLOCK];

	for (size_t i = 0; i < n; i++) {
		cells[i] = below(seed, items);
		parts[i] = next_case(seed) >> (64 - bits);
	}
	kernel->place(cells, parts, 1 / (double)(UINT64_C(1) << bits), items, n, x);
	for (size_t i = 0; i < n; i++) {
		const double part = (double)parts[i] / (double)(UINT64_C(1) << bits);

		assert_true(x[i] == ((double)cells[i] + part) / (double)items);
	}
}

static void places_match_their_definition(void **state)
{
	(void)state;
	for_each_kernel(check_place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modular_network_matches_its_definition),
		cmocka_unit_test(keyed_network_matches_its_definition),
		cmocka_unit_test(binary_network_matches_its_definition),
		cmocka_unit_test(places_match_their_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
