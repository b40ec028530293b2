/* SPDX-License-Identifier: Apache-2.0 */
/* Draws, sums and files of arrays over ranks: every number of ranks and every layout gives what one process gives. */
#include <math.h>
#include <unistd.h>

#include "harness/draw_params.h"
#include "ranks.h"

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

/* ---- draws ---- */

enum { RANKS = 5 };
_Static_assert(COUNT % DRAW_PARAMS_ELEMENTS != 0, "else every turn of an array would be whole");

static struct trnsci_session *session; /* of this process, for what one process draws */

/* A distribution in one dtype, with numbers as parameters or with an array among them. */
struct variant {
	const char *distribution;
	enum trnsci_dtype dtype;
	struct draw_params params;
	struct trnsci_source source;
	int result; /* of one process */
	char *whole;
	struct trnsci_span span;
};

static void draw_whole(struct variant *v)
{
	struct trnsci_error err;

	v->whole = calloc(COUNT, trnsci_dtype_size(v->dtype));
	v->result = trnsci_draw_array(session, v->distribution, v->params.list, &v->source, v->dtype, COUNT, v->whole, &v->span, &err);
	/* Not every number may be an array. */
	EXPECT(v->result == 0 || v->params.array.data, "%s: %s", v->distribution, err.text);
}

static void draw_ranks(struct trnsci_mpi *mpi, int size, int number, const struct variant *v, const struct trnsci_source *source)
{
	const struct trnsci_mpi_layout layout = layout_of(number, 3, shape, size);
	char *const mine = calloc(COUNT, trnsci_dtype_size(v->dtype));
	struct trnsci_error err = {0, ""};
	struct trnsci_span span = {.next = 0};
	const int r = trnsci_mpi_draw(mpi, v->distribution, v->params.list, source, v->dtype, &layout, mine, &span, &err);

	EXPECT(r == v->result, "%s by %d ranks: expected %d, got %d: %s", v->distribution, size, v->result, r, err.text);
	if (r == 0 && v->result == 0) {
		EXPECT(span.next == v->span.next && span.offset == v->span.offset, "%s: the span differs", v->distribution);
		expect_part(mpi, &layout, trnsci_dtype_size(v->dtype), v->whole, mine, v->distribution);
	}
	free(mine);
}

/* Every distribution of the table, in each of its dtypes, with numbers and with an array. */
static struct variant *make_variants(size_t *ret_n)
{
	struct variant *variants = calloc(256, sizeof *variants);
	struct trnsci_operation_info operation;
	struct trnsci_parameter_info info;
	size_t n = 0;

	for (size_t o = 0; trnsci_operation_at(o, &operation) == 0; o++) {
		const char *choices = NULL;

		if (strcmp(operation.category, "draw") != 0)
			continue;
		for (size_t i = 0; trnsci_operation_parameter(operation.name, i, &info) == 0; i++)
			if (strcmp(info.name, "dtype") == 0)
				choices = info.choices;
		while (choices && *choices) {
			char name[8] = "";

			memcpy(name, choices, strcspn(choices, "|"));
			choices += strcspn(choices, "|") + (choices[strlen(name)] == '|');
			for (int with_array = 0; with_array < 2; with_array++) {
				struct variant *v = &variants[n];

				*v = (struct variant){.distribution = operation.name,
						      .dtype = trnsci_dtype_parse(name),
						      .source = trnsci_source_seed(7)};
				v->source.offset = 3; /* an odd place */
				v->source.position = 64;
				n += draw_params_set(&v->params, v->distribution, NULL, with_array);
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		draw_whole(&variants[i]);
	*ret_n = n;
	return variants;
}

/* A permutation that is stated to have fewer items, or 0 in several types. */
static size_t add_permutations(struct variant *variants, size_t n)
{
	const struct trnsci_param items[] = {trnsci_param_u64("items", 1000), trnsci_param_u64("items", 0),
					     trnsci_param_i64("items", 0), trnsci_param_text("items", "0")};

	for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
		struct variant *v = &variants[n++];

		*v = (struct variant){.distribution = "permutation",
				      .dtype = TRNSCI_I64,
				      .source = trnsci_source_seed(7),
				      .params.list = {items[i], trnsci_param_end()}};
		draw_whole(v);
	}
	return n;
}

static void check_draws(const char *address, const char *what)
{
	size_t n_variants, arrays = 0;
	struct variant *variants = make_variants(&n_variants);
	char name[64];

	n_variants = add_permutations(variants, n_variants);
	for (size_t i = 0; i < n_variants; i++)
		arrays += variants[i].params.array.data && variants[i].result == 0;
	EXPECT(n_variants > 39 && arrays > 30, "%zu draws, %zu with arrays", n_variants, arrays);
	for (int size = 1; size <= RANKS; size++) {
		struct trnsci_mpi *mpi = group_of(size, address);

		for (size_t i = 0; mpi && i < n_variants; i++)
			for (int number = 0; number < N_LAYOUTS; number++)
				draw_ranks(mpi, size, number, &variants[i], &variants[i].source);
		trnsci_mpi_close(mpi);
		snprintf(name, sizeof name, "%d ranks, %s", size, what);
		report("draws: every distribution and layout by ", name);
	}
	for (size_t i = 0; i < n_variants; i++)
		free(variants[i].whole);
	free(variants);
}

/* A named stream is moved on once for a draw. Elements of arrays count from where the draw begins. */
static void check_named(const char *address)
{
	const struct trnsci_source source = trnsci_source_named("ranks");

	for (int size = 1; size <= RANKS; size++) {
		struct trnsci_mpi *mpi = group_of(size, address);
		struct trnsci_error err = {0, ""};

		for (int number = 0; mpi && number < N_LAYOUTS; number++) {
			struct variant v = {.distribution = "normal", .dtype = TRNSCI_F64};
			const struct trnsci_mpi_layout layout = layout_of(number, 3, shape, size);
			double *const mine = calloc(COUNT, sizeof *mine);
			struct trnsci_span span = {.next = 0};

			draw_params_set(&v.params, v.distribution, NULL, true);
			EXPECT(trnsci_mpi_draw(mpi, v.distribution, v.params.list, &source, v.dtype, &layout, mine, &span, &err) == 0, "%s", err.text);
			v.source = (struct trnsci_source){.seed = span.seed, .stream = span.stream, .position = span.position};
			draw_whole(&v);
			expect_part(mpi, &layout, sizeof *mine, v.whole, (char *)mine, "a named stream");
			free(v.whole);
			free(mine);
		}
		trnsci_mpi_close(mpi);
	}
	report("draws: ", "a named stream, with an array");
}

/* A long array, whose runs are drawn in place, and a sequence of draws that each begin where the last one ended. */
static void check_sequence(void)
{
	enum { ROWS = 300, COLUMNS = 5000, STEPS = 3 };
	static float whole[ROWS * COLUMNS], mine[ROWS * COLUMNS];
	const uint64_t long_shape[2] = {ROWS, COLUMNS};

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");
		struct trnsci_source source = trnsci_source_seed(11), alone = source;

		for (int step = 0; mpi && step < STEPS; step++) {
			const struct trnsci_mpi_layout layout = layout_of(step + 1, 2, long_shape, sizes[s]);
			struct trnsci_error err = {0, ""};
			struct trnsci_mpi_info info;
			struct trnsci_span span;

			trnsci_mpi_describe(mpi, &info);
			trnsci_draw_array(info.session, "normal", NULL, &alone, TRNSCI_F32, ROWS * COLUMNS, whole, &span, NULL);
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
		trnsci_rank_part(N, (uint64_t)(sizes[s] - 1 - world_rank), (uint64_t)sizes[s], &begin, &end);
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
	struct trnsci_mpi_checkpoint checkpoint;

	memset(mine, 0, sizeof mine);
	EXPECT(trnsci_mpi_restore(mpi, path, &layout, TRNSCI_F64, mine, &checkpoint, &err) == 0, "%s", err.text);
	expect_part(mpi, &layout, sizeof *mine, (const char *)whole, (const char *)mine, "restore");
	EXPECT(checkpoint.step == 41 && checkpoint.source.seed == UINT64_MAX && checkpoint.source.position == 123456 &&
		       strcmp(checkpoint.source.generator, "philox4x32") == 0, "the checkpoint differs");
}

static void check_files(const char *folder)
{
	static double whole[COUNT], mine[COUNT];
	const struct trnsci_mpi_checkpoint checkpoint = {.source = {.generator = "philox4x32", .seed = UINT64_MAX, .position = 123456}, .step = 41};
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
				EXPECT(trnsci_mpi_save(writers, path, &layout, TRNSCI_F64, mine, &checkpoint, &err) == 0, "%s", err.text);
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
	const char *const socket = getenv("DAEMON_SOCKET");

	EXPECT(trnsci_open("embedded:", &(struct trnsci_options){.threads = 1}, &session, NULL) == 0, "no engine");
	check_draws("embedded:", "each with its engine");
	check_draws(socket, "with a daemon");
	check_named(socket);
	check_sequence();
	check_sums();
	check_exact();
	check_files(argc > 1 ? argv[1] : ".");
	trnsci_close(session);
	return end_job();
}
