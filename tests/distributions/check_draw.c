/* SPDX-License-Identifier: Apache-2.0 */
/* Draws: every distribution from any sample on any stream, cut anywhere, under every CPU level, in any caller's
 * floating-point environment. */
#include "distributions/draw/draw_fill.h"

#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/fpenv.h"
#include "math/box_muller.h"
#include "rng/support.h"

enum { MOST = 6000 };

/* Every distribution, dtype and kind of parameters. */
static const struct draw distributions[] = {
	{DIST_BITS, DTYPE_U32, {0}, {{0}, {0}}, NULL, NULL},     {DIST_BITS, DTYPE_U64, {0}, {{0}, {0}}, NULL, NULL},
	{DIST_UNIFORM, DTYPE_F32, {0}, {{0}, {1}}, NULL, NULL},  {DIST_UNIFORM, DTYPE_F64, {0}, {{0}, {1}}, NULL, NULL},
	{DIST_UNIFORM, DTYPE_F32, {0}, {{-3}, {5}}, NULL, NULL}, {DIST_UNIFORM, DTYPE_F64, {0}, {{-3}, {5}}, NULL, NULL},
	{DIST_NORMAL, DTYPE_F32, {0}, {{0}, {1}}, NULL, NULL},   {DIST_NORMAL, DTYPE_F64, {0}, {{0}, {1}}, NULL, NULL},
	{DIST_NORMAL, DTYPE_F32, {0}, {{7}, {0.3}}, NULL, NULL}, {DIST_NORMAL, DTYPE_F64, {0}, {{7}, {0.3}}, NULL, NULL},
};

enum { N_DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

static uint64_t whole[MOST];

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

/* The whole by scalar kernels; then cut anywhere, each part drawn under a level of its own to an address of any
 * alignment. */
static void check_parts(struct draw draw, uint64_t *seed)
{
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct draw_kernels scalar = kernels_of(0);
	const size_t size = dtype_size(draw.dtype), n = (size_t)below(seed, below(seed, 4) ? 600 : MOST);
	const uint64_t begin = any_begin(seed, draw.dtype, MOST);
	struct guarded out = guarded_new(n * size, (size_t)below(seed, 64));

	draw.stream = any_stream(seed);
	draw_fill(&scalar, &draw, begin, n, whole);
	for (size_t at = 0; at < n;) {
		const size_t level = (size_t)below(seed, n_levels);
		const size_t count = 1 + (size_t)below(seed, below(seed, 2) ? 9 : n);
		const struct draw_kernels kernels = kernels_of(cpu_level_usable(&levels[level]));
		const size_t part = count < n - at ? count : n - at;

		draw_fill(&kernels, &draw, begin + at, part, out.at + at * size);
		if (memcmp(out.at + at * size, (char *)whole + at * size, part * size) != 0)
			fail_msg("distribution %d, %s, %s, begin %llu + %zu, %zu samples: not the whole's; "
				 "TRNSCI_TEST_SEED=%llu",
				 draw.distribution, dtype_name(draw.dtype), levels[level].name,
				 (unsigned long long)begin, at, part, (unsigned long long)case_seed());
		at += part;
	}
	assert_true(guarded_free(out));
}

static void parts_join_under_every_level(void **state)
{
	uint64_t seed = case_seed();
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	for (size_t i = 0; i < n_levels; i++)
		can_run("draw at level", levels[i].name, levels[i].features);
	for (int i = 0; i < (full_check() ? 20000 : 1500); i++)
		check_parts(distributions[i % N_DISTRIBUTIONS], &seed);
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

		draw_fill(&kernels, &(struct draw){DIST_BITS, DTYPE_U32, s, {{0}, {0}}, NULL, NULL}, 2 * k, 1000, u32);
		draw_fill(&kernels, &(struct draw){DIST_BITS, DTYPE_U64, s, {{0}, {0}}, NULL, NULL}, k, 500, u64);
		draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F32, s, {{0}, {1}}, NULL, NULL}, 2 * k, 1000, f32);
		draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F64, s, {{0}, {1}}, NULL, NULL}, k, 500, f64);
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
	draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F32, s, {{0}, {1}}, NULL, NULL}, 512, 1024, u);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F32, s, {{0}, {1}}, NULL, NULL}, 512, 1024, z);
	kernels.box_muller->f32(u, 512, u);
	assert_memory_equal(u, z, sizeof z);
	draw_fill(&kernels, &(struct draw){DIST_UNIFORM, DTYPE_F64, s, {{0}, {1}}, NULL, NULL}, 512, 1024, wide_u);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F64, s, {{0}, {1}}, NULL, NULL}, 512, 1024, wide_z);
	kernels.box_muller->f64(wide_u, 512, wide_u);
	assert_memory_equal(wide_u, wide_z, sizeof wide_z);
	draw_fill(&kernels, &(struct draw){DIST_NORMAL, DTYPE_F32, s, {{-2}, {3}}, NULL, NULL}, 512, 1024, u);
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
			DIST_NORMAL, DTYPE_F32, {GENERATOR_THREEFRY4X32, seed, stream}, {{0}, {1}}, NULL, NULL};
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

/* Mean, variance, third and fourth moment of n samples within 5 standard errors of the standard normal's. */
static void check_moments(const struct draw *draw)
{
	enum { N = 1 << 20, STEP = 4096 };
	static double wide[STEP];
	static float narrow[STEP];
	static const double exact[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	double sums[4] = {0};

	for (uint64_t at = 0; at < N; at += STEP) {
		draw_fill(&kernels, draw, at, STEP, draw->dtype == DTYPE_F32 ? (void *)narrow : (void *)wide);
		for (int i = 0; i < STEP; i++) {
			const double z = draw->dtype == DTYPE_F32 ? narrow[i] : wide[i];

			for (int m = 0; m < 4; m++)
				sums[m] += pow(z, m + 1);
		}
	}
	for (int m = 0; m < 4; m++) {
		const double errors = (sums[m] / N - exact[m]) / sqrt(variance[m] / N);

		if (!(fabs(errors) < 5))
			fail_msg("%s, generator %d, moment %d: %.2f standard errors off", dtype_name(draw->dtype),
				 draw->stream.generator, m + 1, errors);
	}
}

static void normals_have_the_moments_of_normals(void **state)
{
	(void)state;
	for (enum generator g = 0; g < GENERATOR_COUNT; g++) {
		check_moments(&(struct draw){DIST_NORMAL, DTYPE_F32, {g, 2026, 1}, {{0}, {1}}, NULL, NULL});
		check_moments(&(struct draw){DIST_NORMAL, DTYPE_F64, {g, 2026, 2}, {{0}, {1}}, NULL, NULL});
	}
}

/* A caller that flushes denormals and rounds upwards gets the same bytes, and keeps its settings. */
static void callers_floating_point_settings_do_not_matter(void **state)
{
#if defined(__x86_64__)
	enum { FTZ_DAZ_UP = 0x1F80 | 0x8000 | 0x0040 | 0x4000 };
	static float want[1001], got[1001];
	struct draw draws[] = {
		{DIST_UNIFORM, DTYPE_F32, {0, 5, 6}, {{0}, {1e-40}}, NULL, NULL},
		{DIST_UNIFORM, DTYPE_F32, {0, 5, 6}, {{-0.1}, {0.3}}, NULL, NULL},
		{DIST_NORMAL, DTYPE_F32, {0, 5, 6}, {{0}, {1}}, NULL, NULL},
	};
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const unsigned mine = _mm_getcsr();

	(void)state;
	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
		const struct draw_kernels scalar = kernels_of(0);

		draw_fill(&scalar, &draws[i], 3, 1001, want);
		for (size_t v = 0; v < n_levels; v++) {
			const struct draw_kernels kernels = kernels_of(cpu_level_usable(&levels[v]));

			_mm_setcsr(FTZ_DAZ_UP);
			const struct fpenv_saved saved = fpenv_enter();
			draw_fill(&kernels, &draws[i], 3, 1001, got);
			fpenv_leave(saved);
			const unsigned after = _mm_getcsr();
			_mm_setcsr(mine);
			assert_int_equal(after & 0xFFC0, FTZ_DAZ_UP & 0xFFC0);
			assert_memory_equal(got, want, sizeof want);
		}
	}
#else
	(void)state;
	printf("# no such settings are tried on this CPU\n");
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_join_under_every_level),
		cmocka_unit_test(uniforms_are_made_of_words_as_documented),
		cmocka_unit_test(normal_is_uniform_then_box_muller),
		cmocka_unit_test(normals_match_the_vector_file),
		cmocka_unit_test(normals_have_the_moments_of_normals),
		cmocka_unit_test(callers_floating_point_settings_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
