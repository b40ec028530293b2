/* SPDX-License-Identifier: Apache-2.0 */
/* Programs sent with each run, and prepared: microseconds of this thread's CPU time a run, of one that is computed
 * where it arrives, medians over rounds in which both take turns. A prepared one saves binding and layout, and for a
 * distribution of many weights and for a window also their tables. */
#include "bench/timing.h"
#include "engine/steps.h"

enum { ROUNDS = 9, RUNS = 400, WEIGHTS = 10000 };

static uint64_t out_tile(struct fixture *fixture, const char *dtype)
{
	return tile_of(fixture, dtype, 512, NULL);
}

static void put_chain(struct call *call, uint64_t f32, uint64_t i64)
{
	struct bump *z = call->bump;

	(void)i64;
	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "n", value_uint(512), "as", value_string("a")),
		  STEP(z, "scale", "in", value_string("a"), "by", value_real(0.5), "as", value_string("b")),
		  STEP(z, "normal", "n", value_uint(512), "as", value_string("c")),
		  STEP(z, "add", "a", value_string("b"), "b", value_string("c"), "out", value_uint(f32))));
}

static void put_weights(struct call *call, uint64_t f32, uint64_t i64)
{
	static double weights[WEIGHTS];
	struct bump *z = call->bump;

	(void)f32;
	for (int i = 0; i < WEIGHTS; i++)
		weights[i] = 1 + i % 97;
	put(call, "steps", STEPS(z, STEP(z, "categorical", "weights", value_bytes(weights, sizeof weights), "out",
					 value_uint(i64))));
}

static void put_poisson(struct call *call, uint64_t f32, uint64_t i64)
{
	struct bump *z = call->bump;

	(void)f32;
	put(call, "steps", STEPS(z, STEP(z, "poisson", "lam", value_real(100), "out", value_uint(i64))));
}

static void put_stft(struct call *call, uint64_t f32, uint64_t i64)
{
	struct bump *z = call->bump;

	(void)f32;
	(void)i64;
	put(call, "steps",
	    STEPS(z, STEP(z, "uniform", "n", value_uint(1024), "as", value_string("x")),
		  STEP(z, "stft", "in", value_string("x"), "n_fft", value_uint(1024), "center", value_bool(false), "window",
		       value_string("hann"), "as", value_string("y"))));
	put(call, "results", STEPS(z, value_string("y")));
}

static const struct {
	const char *name;
	void (*put)(struct call *call, uint64_t f32, uint64_t i64);
} rows[] = {
	{"512 + 512 normals, scaled, added", put_chain},
	{"512 of 10,000 weights", put_weights},
	{"512 of poisson 100", put_poisson},
	{"1,024-point stft, Hann window", put_stft},
};

static double run_us(struct fixture *fixture, size_t row, const uint64_t tiles[2], uint64_t handle)
{
	const double begin = now();

	for (unsigned i = 0; i < RUNS; i++) {
		struct call *call = call_new();

		if (handle)
			put(call, "prepared", value_uint(handle));
		else
			rows[row].put(call, tiles[0], tiles[1]);
		put(call, "offset", value_uint(4096 * i));
		call_run(call, fixture->memory, handle ? "run_prepared" : "run");
		call_free(call);
	}
	return 1e6 * (now() - begin) / RUNS;
}

int main(void)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tiles[2] = {out_tile(&fixture, "f32"), out_tile(&fixture, "i64")};

	printf("programs, us of CPU a run          sent  prepared     times as fast\n");
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct call *call = call_new();
		double sent[ROUNDS], prepared[ROUNDS];
		uint64_t handle;

		rows[row].put(call, tiles[0], tiles[1]);
		handle = prepare_program(&fixture, call);
		for (int round = 0; round < ROUNDS; round++) {
			sent[round] = run_us(&fixture, row, tiles, 0);
			prepared[round] = run_us(&fixture, row, tiles, handle);
		}
		const double a = median_of(sent, ROUNDS), b = median_of(prepared, ROUNDS);

		printf("  %-32s %8.2f %8.2f %8.1f\n", rows[row].name, a, b, a / b);
	}
	fixture_close(&fixture);
	return 0;
}
