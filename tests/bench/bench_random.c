/* SPDX-License-Identifier: Apache-2.0 */
/* GB/s of random numbers, one thread, beside Random123 in the same run: medians over rounds in which all take turns. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fpenv.h"
#include "bench/peer_random123.h"
#include "bench/timing.h"
#include "dist/draw/draw_fill.h"

enum {
	ROUNDS = 9,
	MAX_CONTENDERS = 64,
	NAME_WIDTH = 12,
	SMALL_BYTES = 256 << 10, /* stays in second-level cache */
	BIG_BYTES = 256 << 20,
	SHORT = 512, /* samples of a short draw */
};

/* A cycle of AVX-512 makes at most that of Threefry's float32 uniforms: 155 operations for 64 of them, 2 a cycle. */
#define BOUND_BYTES (256 / 77.5)

struct contender {
	char name[64];
	struct draw draw;
	struct draw_kernels kernels;
	void (*peer)(float *out, size_t n); /* instead of a draw, unless NULL */
	double seconds[ROUNDS];
};

static void run(const struct contender *c, void *out, size_t bytes)
{
	if (c->peer)
		c->peer(out, bytes / sizeof(float));
	else
		draw_fill(&c->kernels, &c->draw, 0, bytes / dtype_size(c->draw.dtype), out);
}

/* GB/s of each contender into `bytes` of memory, medians over rounds of a few milliseconds each. */
static void race(struct contender *contenders, size_t count, void *out, size_t bytes, double *ret_speeds)
{
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++) {
			struct contender *c = &contenders[i];
			double begin, took = 0;
			int times = 0;

			run(c, out, bytes < SMALL_BYTES ? bytes : SMALL_BYTES); /* warm */
			begin = now();
			do {
				run(c, out, bytes);
				took = now() - begin;
				times++;
			} while (took < 3e-3);
			c->seconds[round] = took / times;
		}
	for (size_t i = 0; i < count; i++)
		ret_speeds[i] = 1e-9 * (double)bytes / median_of(contenders[i].seconds, ROUNDS);
}

static size_t add_draws(struct contender *list, size_t count, uint32_t features, const char *level, enum generator g)
{
	static const struct {
		const char *name;
		struct draw draw;
	} distributions[] = {
		{"bits u32", {DIST_BITS, DTYPE_U32, {0}, {{0}, {0}}, NULL}},
		{"uniform f32", {DIST_UNIFORM, DTYPE_F32, {0}, {{0}, {1}}, NULL}},
		{"uniform f64", {DIST_UNIFORM, DTYPE_F64, {0}, {{0}, {1}}, NULL}},
		{"normal f32", {DIST_NORMAL, DTYPE_F32, {0}, {{0}, {1}}, NULL}},
		{"normal f64", {DIST_NORMAL, DTYPE_F64, {0}, {{0}, {1}}, NULL}},
	};

	for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
		struct contender *c = &list[count++];

		c->draw = distributions[i].draw;
		c->draw.stream.generator = g;
		draw_select(features, &c->kernels);
		snprintf(c->name, sizeof c->name, "%-*s %s", NAME_WIDTH, distributions[i].name, level);
	}
	return count;
}

static size_t add_peer(struct contender *list, size_t count, const char *name, void (*peer)(float *out, size_t n))
{
	list[count].peer = peer;
	snprintf(list[count].name, sizeof list[count].name, "%s", name);
	return count + 1;
}

static size_t add_peers(struct contender *list, size_t count, const struct peer_random123 *peer, const char *compiler,
			enum generator g)
{
	const int philox = g == GENERATOR_PHILOX4X32;
	char name[64];

	if (!peer)
		return count;
	snprintf(name, sizeof name, "%-*s Random123, %s", NAME_WIDTH, "uniform f32", compiler);
	count = add_peer(list, count, name, philox ? peer->philox_uniform : peer->threefry_uniform);
	snprintf(name, sizeof name, "%-*s Random123 + libmvec, %s", NAME_WIDTH, "normal f32", compiler);
	return add_peer(list, count, name, philox ? peer->philox_normal : peer->threefry_normal);
}

/* The fastest peer of the same distribution (their names begin alike), of those called `like` where that is given. */
static double best_peer(const struct contender *list, const double *speeds, size_t count, const struct contender *c,
			const char *like)
{
	double best = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].peer && strncmp(list[i].name, c->name, NAME_WIDTH) == 0 && speeds[i] > best &&
		    (!strstr(list[i].name, "512") || strstr(list[i].name, like)))
			best = speeds[i];
	return best;
}

static void print_row(const struct contender *list, size_t count, size_t i, const double *small, const double *big)
{
	const double plain = best_peer(list, small, count, &list[i], "-");
	const double wide = best_peer(list, small, count, &list[i], "512");

	printf("  %-38s %7.2f", list[i].name, small[i]);
	printf(big[i] > 0 ? " %9.2f" : "         -", big[i]);
	printf(list[i].peer || plain == 0 ? "\n" : "   %.2fx  %.2fx\n", small[i] / plain, small[i] / wide);
}

/* Of the draw with that name: distribution, padded, and level. */
static double speed_of(const struct contender *list, const double *speeds, size_t count, const char *distribution,
		       const char *level)
{
	char name[64];

	snprintf(name, sizeof name, "%-*s %s", NAME_WIDTH, distribution, level);
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return speeds[i];
	return 0;
}

static void print_goals(enum generator g, const struct contender *list, size_t count, const double *speeds,
			const char *best)
{
	const bool threefry = g == GENERATOR_THREEFRY4X32;
	const double uniform = speed_of(list, speeds, count, "uniform f32", best);
	const double normal = speed_of(list, speeds, count, "normal f32", best);
	const struct contender uniforms = {.name = "uniform f32 "}, normals = {.name = "normal f32  "};

	printf("  goals: uniforms %.2fx (%s), normals %.2fx (1.6)",
	       uniform / best_peer(list, speeds, count, &uniforms, "-"), threefry ? "1.4" : "1.5",
	       normal / best_peer(list, speeds, count, &normals, "-"));
	if (threefry)
		printf(", of the bound %.2f (0.85), AVX2 of the best %.2f (0.6)", uniform / (clock_ghz() * BOUND_BYTES),
		       speed_of(list, speeds, count, "uniform f32", "avx2") / uniform);
	printf("\n");
}

static void bench_generator(enum generator g, const char *name, void *out)
{
	static struct contender list[MAX_CONTENDERS];
	double small[MAX_CONTENDERS], big[MAX_CONTENDERS] = {0};
	size_t n_levels, count, n_big;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const char *best = cpu_level_name(cpu_detect() & ~(uint32_t)CPU_AVX512_BF16);

	memset(list, 0, sizeof list);
	count = add_draws(list, 0, cpu_detect(), best, g);
	count = add_peers(list, count, &peer_random123_gcc, "gcc", g);
	count = add_peers(list, count, &peer_random123_clang, "clang", g);
	count = add_peers(list, count, &peer_random123_gcc512, "gcc 512", g);
	n_big = count = add_peers(list, count, &peer_random123_clang512, "clang 512", g);
	for (size_t i = n_levels; i-- > 0;)
		if ((levels[i].features & ~cpu_detect()) == 0 && levels[i].features < cpu_detect() &&
		    strcmp(levels[i].name, best) != 0)
			count = add_draws(list, count, levels[i].features, levels[i].name, g);
	race(list, count, out, SMALL_BYTES, small);
	race(list, n_big, out, BIG_BYTES, big);
	printf("\n%s: GB/s, one thread, into %d KiB and %d MiB; beside the best peer at -march=native, and at 512 "
	       "bits\n",
	       name, SMALL_BYTES >> 10, BIG_BYTES >> 20);
	for (size_t i = 0; i < count; i++)
		print_row(list, count, i, small, big);
	print_goals(g, list, count, small, best);
}

static void bench_short_draws(void *out)
{
	const enum distribution distributions[] = {DIST_UNIFORM, DIST_NORMAL};
	struct draw_kernels kernels;

	draw_select(cpu_detect(), &kernels);
	for (int distribution = 0; distribution < 2; distribution++)
		for (uint64_t odd = 0; odd < 2; odd++) {
			const struct draw draw = {distributions[distribution],
						  DTYPE_F32,
						  {GENERATOR_THREEFRY4X32, 1, 0},
						  {{0}, {1}},
						  NULL};
			double seconds[ROUNDS];

			for (int round = 0; round < ROUNDS; round++) {
				const double begin = now();

				for (uint64_t i = 0; i < 4096; i++)
					draw_fill(&kernels, &draw, i * SHORT + odd, SHORT, out);
				seconds[round] = (now() - begin) / 4096;
			}
			printf("  %d %s f32 from %s sample: %.0f ns\n", SHORT, distribution ? "normals " : "uniforms",
			       odd ? "an odd " : "a whole", 1e9 * median_of(seconds, ROUNDS));
		}
}

int main(void)
{
	char *out = aligned_alloc(4096, BIG_BYTES);

	if (!out)
		return 1;
	memset(out, 1, BIG_BYTES);
	fpenv_enter();
	printf("clock about %.2f GHz; 155 operations of 512 bits make 64 uniforms of Threefry: at 2 a cycle %.1f "
	       "GB/s\n",
	       clock_ghz(), clock_ghz() * BOUND_BYTES);
	bench_generator(GENERATOR_THREEFRY4X32, "Threefry4x32-20", out);
	bench_generator(GENERATOR_PHILOX4X32, "Philox4x32-10", out);
	printf("\nShort draws\n");
	bench_short_draws(out);
	free(out);
	return 0;
}
