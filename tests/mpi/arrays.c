/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, sums and files of arrays over ranks: every number of ranks and every layout gives what one process gives. */
#include <math.h>
#include <unistd.h>

#include "ranks.h"

static const struct {
	const char *name;
	enum trnsci_dtype dtype;
	struct trnsci_param param;
} draws[] = {
	{"bits", TRNSCI_U32, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"uniform", TRNSCI_F32, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"uniform", TRNSCI_F64, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"normal", TRNSCI_F32, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"normal", TRNSCI_F64, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"exponential", TRNSCI_F32, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"gamma", TRNSCI_F32, {"shape", TRNSCI_PARAM_F64, 0, {.f64 = 0.5}}},
	{"poisson", TRNSCI_I64, {"lam", TRNSCI_PARAM_F64, 0, {.f64 = 4}}},
	{"bernoulli", TRNSCI_I8, {"p", TRNSCI_PARAM_F64, 0, {.f64 = 0.25}}},
	{"rademacher", TRNSCI_I8, {NULL, TRNSCI_PARAM_END, 0, {0}}},
	{"permutation", TRNSCI_I64, {"items", TRNSCI_PARAM_U64, 0, {.u64 = 100000}}},
	{"sphere", TRNSCI_F32, {"dimensions", TRNSCI_PARAM_U64, 0, {.u64 = 3}}},
};
enum { N_DRAWS = sizeof draws / sizeof *draws };

static const uint64_t shape[3] = {7, 30, 22};
enum { COUNT = 7 * 30 * 22 };

/* Compares a rank's elements with the whole array's. */
static void expect_part(struct trnsci_mpi *mpi, const struct trnsci_mpi_layout *layout, size_t size, const char *whole,
			const char *mine, const char *what)
{
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part part;

	trnsci_mpi_describe(mpi, &info);
	EXPECT(trnsci_mpi_part_of(layout, info.rank, info.size, &part, NULL) == 0, "%s: part", what);
	for (uint64_t i = 0; i < part.count; i++) {
		const uint64_t at = global_of(layout, info.rank, info.size, &part, i);

		EXPECT(memcmp(mine + i * size, whole + at * size, size) == 0,
		       "%s: element %" PRIu64 " of %d ranks is not that of one", what, at, info.size);
	}
}

static void check_draw(struct trnsci_mpi *mpi, int size, size_t i, int number, const struct trnsci_source *source)
{
	const struct trnsci_mpi_layout layout = layout_of(number, 3, shape, size);
	const struct trnsci_param params[2] = {draws[i].param, trnsci_end()};
	const size_t bytes = trnsci_dtype_size(draws[i].dtype);
	char *const whole = calloc(COUNT, bytes), *const mine = calloc(COUNT, bytes);
	struct trnsci_span expected, span;
	struct trnsci_error err = {0, ""};
	struct trnsci_mpi_info info;

	trnsci_mpi_describe(mpi, &info);
	EXPECT(trnsci_fill(info.session, draws[i].name, params, source, draws[i].dtype, COUNT, whole, &expected, &err) == 0,
	       "%s", err.text);
	EXPECT(trnsci_mpi_draw(mpi, draws[i].name, params, source, draws[i].dtype, &layout, mine, &span, &err) == 0, "%s",
	       err.text);
	EXPECT(span.next == expected.next && span.offset == expected.offset, "the span differs from that of one process");
	expect_part(mpi, &layout, bytes, whole, mine, draws[i].name);
	free(whole);
	free(mine);
}

static void check_draws(void)
{
	char name[64];

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");

		for (size_t i = 0; i < N_DRAWS; i++)
			for (int number = 0; mpi && number < N_LAYOUTS; number++) {
				struct trnsci_source source = trnsci_seed(7);

				source.offset = 3; /* an odd place */
				source.position = 64;
				check_draw(mpi, sizes[s], i, number, &source);
			}
		trnsci_mpi_close(mpi);
		snprintf(name, sizeof name, "%d ranks", sizes[s]);
		report("draws: every distribution and layout by ", name);
	}
}

/* A long array, whose runs are drawn in place, and a sequence of draws that each begin where the last one ended. */
static void check_sequence(void)
{
	enum { ROWS = 300, COLUMNS = 5000, STEPS = 3 };
	static float whole[ROWS * COLUMNS], mine[ROWS * COLUMNS];
	const uint64_t long_shape[2] = {ROWS, COLUMNS};

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");
		struct trnsci_source source = trnsci_seed(11), alone = source;

		for (int step = 0; mpi && step < STEPS; step++) {
			const struct trnsci_mpi_layout layout = layout_of(step + 1, 2, long_shape, sizes[s]);
			struct trnsci_error err = {0, ""};
			struct trnsci_mpi_info info;
			struct trnsci_span span;

			trnsci_mpi_describe(mpi, &info);
			trnsci_fill(info.session, "normal", NULL, &alone, TRNSCI_F32, ROWS * COLUMNS, whole, &span, NULL);
			alone.position = span.next;
			EXPECT(trnsci_mpi_draw(mpi, "normal", NULL, &source, TRNSCI_F32, &layout, mine, &span, &err) == 0, "%s",
			       err.text);
			source.position = span.next;
			expect_part(mpi, &layout, sizeof *mine, (char *)whole, (char *)mine, "normal");
		}
		trnsci_mpi_close(mpi);
	}
	report("draws: ", "a sequence continues at the position of the last span");
}

/* ---- sums ---- */

/* Values whose naive sum depends on their order. */
static void fill_hard(double *values, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = first + i;

		values[i] = (k % 3 == 0 ? 1e300 : k % 3 == 1 ? -1e300 : 1.0 / (double)(k + 1)) * (k % 7 == 0 ? 0x1p-60 : 1);
	}
}

static void check_sums(void)
{
	enum { N = 30000 };
	static double values[N];
	struct trnsci_mpi_sum first = {0};

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");
		struct trnsci_mpi_sum sum = {0};
		uint64_t begin, end;

		if (!mpi)
			continue;
		/* The last ranks hold the first values. */
		trnsci_partition(N, (uint64_t)(sizes[s] - 1 - world_rank), (uint64_t)sizes[s], &begin, &end);
		fill_hard(values, end - begin, begin);
		EXPECT(trnsci_mpi_sum(mpi, TRNSCI_F64, end - begin, values, &sum, NULL) == 0, "sum failed");
		if (s == 0)
			first = sum;
		MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_SELF);
		trnsci_mpi_close(mpi);
		if (world_rank == 0)
			EXPECT(memcmp(&sum, &first, sizeof sum) == 0, "%d ranks: sum %a, one rank: %a", sizes[s], sum.sum, first.sum);
	}
	report("sums: ", "the same bits for every number of ranks");
}

static void expect_sum(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, uint64_t n, const void *values, double sum, double squares)
{
	struct trnsci_mpi_sum got = {0};

	if (trnsci_mpi_sum(mpi, dtype, n, values, &got, NULL) < 0)
		EXPECT(0, "sum failed");
	EXPECT(memcmp(&got.sum, &sum, 8) == 0 || (isnan(got.sum) && isnan(sum)), "sum: expected %a, got %a", sum, got.sum);
	EXPECT(memcmp(&got.sum_squares, &squares, 8) == 0 || isnan(squares), "squares: expected %a, got %a", squares, got.sum_squares);
}

static void check_exact(void)
{
	struct trnsci_mpi *mpi = group_of(1, "embedded:");
	const double cancel[] = {1e308, 1, -1e308, 0x1p-1074, 1e308, -1e308};
	const double tie[] = {1, 0x1p-53}, above_tie[] = {1, 0x1p-53, 0x1p-1074}, odd_tie[] = {1 + 0x1p-52, 0x1p-53};
	const double minus[] = {-1, -0x1p-53, -0x1p-1074}, denormals[] = {0x1p-1074, 0x1p-1073}, infinite[] = {1, INFINITY};
	const double over[] = {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023};
	const double both[] = {INFINITY, -INFINITY};
	const int64_t wide[] = {INT64_MAX, INT64_MIN, 5};
	const uint64_t high[] = {UINT64_MAX, 1};

	if (mpi) {
		expect_sum(mpi, TRNSCI_F64, 6, cancel, 1, INFINITY);
		expect_sum(mpi, TRNSCI_F64, 2, tie, 1, 1);
		expect_sum(mpi, TRNSCI_F64, 3, above_tie, 1 + 0x1p-52, 1);
		expect_sum(mpi, TRNSCI_F64, 2, odd_tie, 1 + 0x1p-51, (1 + 0x1p-52) * (1 + 0x1p-52));
		expect_sum(mpi, TRNSCI_F64, 3, minus, -1 - 0x1p-52, 1);
		expect_sum(mpi, TRNSCI_F64, 2, denormals, 0x1.8p-1073, 0);
		expect_sum(mpi, TRNSCI_F64, 2, infinite, INFINITY, INFINITY);
		expect_sum(mpi, TRNSCI_F64, 3, over, 0x1.fffffffffffffp1023, INFINITY);
		expect_sum(mpi, TRNSCI_F64, 2, both, NAN, INFINITY);
		expect_sum(mpi, TRNSCI_I64, 3, wide, 4, 0x1p127);
		expect_sum(mpi, TRNSCI_U64, 2, high, 0x1p64, 0x1p128);
		expect_sum(mpi, TRNSCI_F64, 0, NULL, 0, 0);
	}
	trnsci_mpi_close(mpi);
	report("sums: ", "exact, rounded once, ties to even");
}

/* ---- files ---- */

static void read_again(struct trnsci_mpi *mpi, int size, const char *path, const double *whole, int number)
{
	static double mine[COUNT];
	const struct trnsci_mpi_layout layout = layout_of(number, 3, shape, size);
	struct trnsci_error err = {0, ""};
	struct trnsci_mpi_mark mark;

	memset(mine, 0, sizeof mine);
	EXPECT(trnsci_mpi_restore(mpi, path, &layout, TRNSCI_F64, mine, &mark, &err) == 0, "%s", err.text);
	expect_part(mpi, &layout, sizeof *mine, (const char *)whole, (const char *)mine, "restore");
	EXPECT(mark.step == 41 && mark.source.seed == UINT64_MAX && mark.source.position == 123456 &&
		       strcmp(mark.source.generator, "philox4x32") == 0, "the mark differs");
}

static void check_files(const char *folder)
{
	static double whole[COUNT], mine[COUNT];
	const struct trnsci_mpi_mark mark = {.source = {.generator = "philox4x32", .seed = UINT64_MAX, .position = 123456}, .step = 41};
	char path[256], name[64];

	snprintf(path, sizeof path, "%s/checkpoint.npy", folder);
	for (int i = 0; i < COUNT; i++)
		whole[i] = i + 0.5;
	for (int s = 0; s < N_SIZES; s++) {
		/* In TRNSCI_FULL by every layout, else by two. */
		for (int number = getenv("TRNSCI_FULL") ? 0 : s % 2; number < N_LAYOUTS; number += getenv("TRNSCI_FULL") ? 1 : 2) {
			struct trnsci_mpi *writers = group_of(sizes[s], "embedded:"), *readers;
			const struct trnsci_mpi_layout layout = layout_of(number, 3, shape, sizes[s]);
			struct trnsci_error err = {0, ""};
			struct trnsci_mpi_part part;

			if (writers && trnsci_mpi_part_of(&layout, world_rank, sizes[s], &part, NULL) == 0)
				for (uint64_t i = 0; i < part.count; i++)
					mine[i] = whole[global_of(&layout, world_rank, sizes[s], &part, i)];
			if (writers)
				EXPECT(trnsci_mpi_save(writers, path, &layout, TRNSCI_F64, mine, &mark, &err) == 0, "%s", err.text);
			trnsci_mpi_close(writers);
			MPI_Barrier(MPI_COMM_WORLD);
			readers = group_of(sizes[N_SIZES - 1 - s], "embedded:");
			if (readers)
				read_again(readers, sizes[N_SIZES - 1 - s], path, whole, (number + 1) % N_LAYOUTS);
			trnsci_mpi_close(readers);
		}
		snprintf(name, sizeof name, "%d ranks write, %d restore", sizes[s], sizes[N_SIZES - 1 - s]);
		report("checkpoints: ", name);
	}
}

int main(int argc, char **argv)
{
	begin_job(&argc, &argv);
	check_draws();
	check_sequence();
	check_sums();
	check_exact();
	check_files(argc > 1 ? argv[1] : ".");
	return end_job();
}
