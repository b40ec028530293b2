/* SPDX-License-Identifier: Apache-2.0 */
/* Draws by the engine with one thread and with all, into tiles whose pages exist, of 1 MiB (second-level cache) and of
 * 256 MiB: GB/s by the clock on the wall, medians over rounds in which both take turns. Beside each stands what the
 * CPUs gave at that moment in integer loops: on a shared machine, or on two threads of one core, less than their
 * number. */
#include "base/fpenv.h"
#include "bench/timing.h"
#include "engine/harness.h"
#include "engine/scheduler/cpus.h"

enum { ROUNDS = 9, DISTRIBUTIONS = 5 };

static const struct {
	const char *distribution, *dtype, *generator;
	size_t bytes; /* of a sample */
} rows[DISTRIBUTIONS] = {
	{"uniform", "f32", "threefry4x32", 4}, {"uniform", "f32", "philox4x32", 4},
	{"normal", "f32", "threefry4x32", 4},  {"normal", "f64", "threefry4x32", 8},
	{"gamma", "f64", "threefry4x32", 8},
};

static double draw_seconds(struct fixture *fixture, int row, uint64_t tile, int times)
{
	const double begin = seconds_of(CLOCK_MONOTONIC);

	for (int i = 0; i < times; i++) {
		struct call *call = call_new();

		put(call, "out", value_uint(tile));
		put(call, "generator", value_string(rows[row].generator));
		if (strcmp(rows[row].distribution, "gamma") == 0)
			put(call, "shape", value_real(2.5));
		call_run(call, fixture->memory, rows[row].distribution);
		call_free(call);
	}
	return (seconds_of(CLOCK_MONOTONIC) - begin) / times;
}

static void race(struct fixture fixtures[2], unsigned threads, int row, size_t bytes)
{
	const int times = bytes < 16 << 20 ? 16 : 1, rounds = bytes < 16 << 20 ? ROUNDS : 3;
	double seconds[2][ROUNDS], cpus[ROUNDS];
	uint64_t tiles[2];

	for (int b = 0; b < 2; b++) {
		tiles[b] = tile_of(&fixtures[b], rows[row].dtype, bytes / rows[row].bytes, NULL);
		draw_seconds(&fixtures[b], row, tiles[b], 1);
	}
	for (int round = 0; round < rounds; round++) {
		for (int b = 0; b < 2; b++)
			seconds[b][round] = draw_seconds(&fixtures[b], row, tiles[b], times);
		cpus[round] = cpus_now(threads);
	}
	const double one = median_of(seconds[0], (size_t)rounds), all = median_of(seconds[1], (size_t)rounds);

	printf("  %-8s %s %-14s %7.2f %7.2f  %5.2fx  %5.2fx\n", rows[row].distribution, rows[row].dtype,
	       rows[row].generator, 1e-9 * (double)bytes / one, 1e-9 * (double)bytes / all, one / all,
	       median_of(cpus, (size_t)rounds));
	for (int b = 0; b < 2; b++)
		tile_drop(&fixtures[b], tiles[b]);
}

int main(void)
{
	static const size_t sizes[] = {1 << 20, 256 << 20};
	const unsigned cpus = cpus_usable(), threads = cpus < PROBE_THREADS ? cpus : PROBE_THREADS;

	for (int s = 0; s < 2; s++) {
		const size_t memory = sizes[s] + (1 << 20);
		struct fixture fixtures[2] = {fixture_open_with(1, cpu_detect(), memory, NULL),
					      fixture_open_with(threads, cpu_detect(), memory, NULL)};

		printf("%zu MiB: GB/s with 1 thread and with %u, their ratio (goal 1.9 of 2), and what the CPUs give\n",
		       sizes[s] >> 20, threads);
		for (int row = 0; row < DISTRIBUTIONS; row++)
			race(fixtures, threads, row, sizes[s]);
		for (int b = 0; b < 2; b++)
			fixture_close(&fixtures[b]);
	}
	return 0;
}
