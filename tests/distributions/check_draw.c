/* SPDX-License-Identifier: Apache-2.0 */
/* Bits, uniforms and normals against their definitions: the words of the stream, Box and Muller's transform, the vector file. */
#include "distributions/draw/draw_fill.h"

#include <math.h>

#include "math/box_muller.h"
#include "rng/support.h"

static struct draw_kernels kernels_of(uint32_t features)
{
	struct draw_kernels kernels;

	draw_select(features & cpu_detect(), &kernels);
	return kernels;
}

static struct stream any_stream(uint64_t *seed)
{
	const enum generator generator = (enum generator)below(seed, GENERATOR_COUNT);

	return (struct stream){generator, next_case(seed),
			       next_case(seed) >> (generator == GENERATOR_PHILOX4X32 ? 32 : 0)};
}

/* Returns a first sample anywhere, also near the end of the stream, with room for `most` samples. */
static uint64_t any_begin(uint64_t *seed, enum dtype dtype, uint64_t most)
{
	const uint64_t last = UINT64_MAX / draw_words_per_sample(dtype) - most + 1;

	switch (below(seed, 3)) {
	case 0:
		return below(seed, 3000);
	case 1:
		return last - below(seed, 50);
	default:
		return next_case(seed) % last;
	}
}

/* Computes bits and uniforms from the words of the stream once more. */
static void uniforms_are_made_of_words_as_documented(void **state)
{
	static uint32_t u32[1000];
	static uint64_t u64[500];
	static float f32[1000];
	static double f64[500];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	uint64_t seed = case_seed();

	(void)state;
	for (int round = 0; round < 20; round++) {
		const struct stream s = any_stream(&seed);
		const uint64_t k = any_begin(&seed, DTYPE_F64, 500);

		draw_fill(&kernels, &(struct draw){DIST_BITS, DTYPE_U32, s, {{0}, {0}}, NULL, NULL, NULL}, 2 * k, 1000, u32);
		draw_fill(&kernels, &(struct draw){DIST_BITS, DTYPE_U64, s, {{0}, {0}}, NULL, NULL, NULL}, k, 500, u64);
		draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F32, s, {{0}, {1}}, NULL, NULL, NULL}, 2 * k, 1000, f32);
		draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F64, s, {{0}, {1}}, NULL, NULL, NULL}, k, 500, f64);
		for (size_t i = 0; i < 1000; i++) {
			const uint32_t word = stream_word(&s, 2 * k + i, 0);

			assert_int_equal(u32[i], word);
			assert_true(f32[i] == ldexp(word & 0xFFFFFF, -24));
		}
		for (size_t i = 0; i < 500; i++) {
			const uint64_t x = u32[2 * i] + ((uint64_t)u32[2 * i + 1] << 32);

			assert_true(u64[i] == x);
			assert_true(f64[i] == ldexp((double)(x >> 11), -53));
		}
	}
}

static void normal_is_uniform_then_box_muller(void **state)
{
	static float u[1024], z[1024];
	static double wide_u[1024], wide_z[1024];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	const struct stream s = {GENERATOR_THREEFRY4X32, 42, 1};

	(void)state;
	draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F32, s, {{0}, {1}}, NULL, NULL, NULL}, 512, 1024, u);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F32, s, {{0}, {1}}, NULL, NULL, NULL}, 512, 1024, z);
	kernels.box_muller->f32(u, 512, u);
	assert_memory_equal(u, z, sizeof z);
	draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F64, s, {{0}, {1}}, NULL, NULL, NULL}, 512, 1024, wide_u);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F64, s, {{0}, {1}}, NULL, NULL, NULL}, 512, 1024, wide_z);
	kernels.box_muller->f64(wide_u, 512, wide_u);
	assert_memory_equal(wide_u, wide_z, sizeof wide_z);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F32, s, {{-2}, {3}}, NULL, NULL, NULL}, 512, 1024, u);
	for (int i = 0; i < 1024; i++)
		assert_true(u[i] == (float)fma(z[i], 3, -2));
}

static int lines;

static void normal_vector(char *line)
{
	unsigned long long seed, stream, position;
	double want[4];
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	if (sscanf(line, "%llx %llx %llu : %lf %lf %lf %lf", &seed, &stream, &position, &want[0], &want[1], &want[2],
		   &want[3]) != 7)
		return;
	for (size_t v = 0; v < n_levels; v++) {
		const struct draw_kernels kernels = kernels_of(cpu_level_usable(&levels[v]));
		const struct draw draw = {
			DIST_NORMAL, DTYPE_F32, {GENERATOR_THREEFRY4X32, seed, stream}, {{0}, {1}}, NULL, NULL, NULL};
		float got[4];

		draw_fill(&kernels, &draw, position, 4, got);
		for (int i = 0; i < 4; i++)
			/* 4 ulp, and the 9 digits of the file. */
			if (!(fabs(got[i] - want[i]) <= 4 * ldexp(1, ilogb(want[i]) - 23) + 1e-9 * fabs(want[i])))
				fail_msg("%s, position %llu + %d: expected %.9g, got %.9g", levels[v].name, position, i,
					 want[i], got[i]);
	}
	lines++;
}

static void normals_match_the_vector_file(void **state)
{
	(void)state;
	lines = 0;
	for_each_line("tests/vectors/stream_vectors.txt", normal_vector);
	assert_int_equal(lines, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uniforms_are_made_of_words_as_documented),
		cmocka_unit_test(normal_is_uniform_then_box_muller),
		cmocka_unit_test(normals_match_the_vector_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
