/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms over ranks: against the engine of one process within a bound, and byte for byte the same for every number of ranks
 * and every layout. */
#include <math.h>

#include "ranks.h"

struct array_case {
	size_t ndim;
	uint64_t shape[4]; /* of the real or complex array */
	size_t n_axes;
	size_t axes[4];
	bool wide;
};

static const struct array_case cases[] = {
	{2, {16, 16}, 0, {0}, false},
	{2, {30, 77}, 0, {0}, true},
	{2, {5, 3}, 0, {0}, true}, /* fewer rows than ranks */
	{3, {12, 10, 9}, 0, {0}, false},
	{3, {8, 16, 32}, 0, {0}, true},
	{3, {7, 11, 13}, 2, {0, 2}, true},
	{4, {6, 5, 4, 10}, 0, {0}, true},
	{4, {3, 4, 5, 6}, 1, {1}, false},
	{2, {300, 700}, 0, {0}, true}, /* several chunks and pieces */
	{3, {90, 64, 50}, 0, {0}, false},
};
enum { N_CASES = sizeof cases / sizeof *cases, FIRST_LARGE = 8 };

static bool full; /* TRNSCI_FULL: everything by every number of ranks */

static struct trnsci_mpi *alone; /* every rank's group of itself */
static struct trnsci_error err;

static size_t complex_size(bool wide)
{
	return wide ? 16 : 8;
}

static uint64_t count_of(size_t ndim, const uint64_t *shape)
{
	uint64_t count = 1;

	for (size_t i = 0; i < ndim; i++)
		count *= shape[i];
	return count;
}

/* Normal numbers, the same on every rank. */
static void *normal_numbers(uint64_t n, bool wide)
{
	struct trnsci_mpi_info info;
	struct trnsci_source source = trnsci_source_seed(n);
	void *data = malloc(n * (wide ? 8 : 4) + 1);

	trnsci_mpi_describe(alone, &info);
	if (trnsci_draw_array(info.session, "normal", NULL, &source, wide ? TRNSCI_F64 : TRNSCI_F32, n, data, NULL, &err) < 0)
		EXPECT(0, "%s", err.text);
	return data;
}

static double at(const void *data, bool wide, uint64_t i)
{
	return wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Relative error in the two-norm. */
static double distance(const void *a, const void *b, bool wide, uint64_t n)
{
	double error = 0, norm = 0;

	for (uint64_t i = 0; i < n; i++) {
		error += (at(a, wide, i) - at(b, wide, i)) * (at(a, wide, i) - at(b, wide, i));
		norm += at(b, wide, i) * at(b, wide, i);
	}
	return norm > 0 ? sqrt(error / norm) : 0;
}

/* The rank's own elements of a whole array. */
static void *part_from(const struct trnsci_mpi_layout *layout, int size, const char *whole, size_t bytes, uint64_t *ret_count)
{
	struct trnsci_mpi_part part;

	*ret_count = 0;
	if (trnsci_mpi_part_of(layout, world_rank, size, &part, &err) < 0) {
		EXPECT(0, "%s", err.text);
		return NULL;
	}
	char *mine = malloc(part.count * bytes + 1);

	for (uint64_t i = 0; i < part.count; i++)
		memcpy(mine + i * bytes, whole + global_of(layout, world_rank, size, &part, i) * bytes, bytes);
	*ret_count = part.count;
	return mine;
}

/* Swaps the first two axes. */
static char *swap_axes(size_t ndim, const uint64_t *shape, const char *data, size_t bytes)
{
	const uint64_t a = shape[0], b = shape[1], inner = count_of(ndim, shape) / (a * b) * bytes;
	char *swapped = malloc(count_of(ndim, shape) * bytes);

	for (uint64_t i = 0; i < a; i++)
		for (uint64_t k = 0; k < b; k++)
			memcpy(swapped + (k * a + i) * inner, data + (i * b + k) * inner, inner);
	return swapped;
}

struct job {
	struct trnsci_mpi_fft_options options;
	size_t ndim;
	uint64_t in_shape[4], out_shape[4]; /* in the transform's axes */
	const void *in;
	void *expected;
	size_t in_bytes, out_bytes; /* of an element */
};

/* One whole transform of the group of one, which is compared with the engine's own. */
static void run_alone(struct job *job)
{
	const struct trnsci_mpi_layout from = trnsci_mpi_slabs(job->ndim, job->in_shape), to = trnsci_mpi_slabs(job->ndim, job->out_shape);
	struct trnsci_mpi_fft_options options = job->options;
	struct trnsci_mpi_fft *fft = NULL;

	options.to = &to;
	job->expected = calloc(count_of(job->ndim, job->out_shape), job->out_bytes);
	if (trnsci_mpi_fft_new(alone, &from, &options, &fft, &err) < 0 || trnsci_mpi_fft_run(fft, job->in, job->expected, &err) < 0)
		EXPECT(0, "alone: %s", err.text);
	trnsci_mpi_fft_free(fft);
}

/* Whether client/docs/mpi.md promises the bytes of one host's engine. An inverse transform takes the axes in the other order here, and
 * a single axis is cut. */
static bool has_engine_bytes(const struct job *job, size_t n_axes)
{
	if (job->ndim == 1)
		return false;
	if (n_axes == 1 || job->options.kind == TRNSCI_MPI_R2C)
		return true;
	return job->options.kind == TRNSCI_MPI_C2R ? n_axes == 2 : !job->options.inverse;
}

static void compare_engine(const struct job *job)
{
	const bool wide = job->options.wide, real_in = job->options.kind == TRNSCI_MPI_R2C, real_out = job->options.kind == TRNSCI_MPI_C2R;
	const uint64_t count = count_of(job->ndim, job->out_shape);
	void *serial = malloc(count * job->out_bytes);
	int64_t axes[4], length[4];
	const size_t n = job->options.n_axes ? job->options.n_axes : job->ndim;
	struct trnsci_mpi_info info;

	for (size_t i = 0; i < n; i++) {
		axes[i] = job->options.n_axes ? (int64_t)job->options.axes[i] : (int64_t)i;
		length[i] = real_out && i == n - 1 ? (int64_t)job->out_shape[axes[i]] : -1;
	}
	const struct trnsci_param params[] = {trnsci_param_i64s("axes", axes, n),
					      trnsci_param_i64s("length", length, n),
					      trnsci_param_bool("inverse", job->options.inverse || real_out),
					      trnsci_param_bool("real", real_in || real_out),
					      trnsci_param_text("norm", job->options.norm ? job->options.norm : "backward"),
					      trnsci_param_end()};
	const enum trnsci_dtype complex_type = wide ? TRNSCI_C128 : TRNSCI_C64, real_type = wide ? TRNSCI_F64 : TRNSCI_F32;

	trnsci_mpi_describe(alone, &info);
	if (trnsci_apply_array(info.session, "fft", params,
			       trnsci_array_of(real_in ? real_type : complex_type, job->ndim, job->in_shape, job->in),
			       trnsci_array_of(real_out ? real_type : complex_type, job->ndim, job->out_shape, serial), &err) < 0)
		EXPECT(0, "engine: %s", err.text);
	const double error = distance(job->expected, serial, wide, count * (real_out ? 1 : 2)), bound = wide ? 2e-15 : 6e-7;

	EXPECT(!has_engine_bytes(job, n) || memcmp(job->expected, serial, count * job->out_bytes) == 0,
	       "kind %d, %zu axes, %" PRIu64 " x %" PRIu64 "...: other bytes than the engine's", job->options.kind, n, job->in_shape[0],
	       job->in_shape[1]);
	EXPECT(error < bound, "kind %d, %" PRIu64 " x %" PRIu64 "...: error against the engine %g, expected below %g",
	       job->options.kind, job->in_shape[0], job->ndim > 1 ? job->in_shape[1] : 1, error, bound);
	free(serial);
}

/* Runs a job over a group, and compares the rank's part with the whole result. */
static void run_ranks(struct trnsci_mpi *mpi, int size, const struct job *job, const struct trnsci_mpi_layout *from,
		      const struct trnsci_mpi_layout *to, const char *in, const char *expected, bool in_place, const char *what)
{
	struct trnsci_mpi_fft_options options = job->options;
	struct trnsci_mpi_fft *fft = NULL;
	uint64_t in_count, out_count;
	void *mine = part_from(from, size, in, job->in_bytes, &in_count);
	void *wanted = part_from(to, size, expected, job->out_bytes, &out_count);
	char *out = calloc(out_count > in_count ? out_count + 1 : in_count + 1, job->out_bytes);

	options.to = to;
	if (in_place)
		memcpy(out, mine, in_count * job->in_bytes);
	if (trnsci_mpi_fft_new(mpi, from, &options, &fft, &err) < 0 || trnsci_mpi_fft_run(fft, in_place ? out : mine, out, &err) < 0 ||
	    trnsci_mpi_fft_run(fft, in_place ? memcpy(out, mine, in_count * job->in_bytes) : mine, out, &err) < 0)
		EXPECT(0, "%s", err.text);
	EXPECT(memcmp(out, wanted, out_count * job->out_bytes) == 0, "kind %d, %zu axes of %" PRIu64 " x %" PRIu64 "..., %s: %d ranks differ from one",
	       job->options.kind, job->ndim, job->in_shape[0], job->ndim > 1 ? job->in_shape[1] : 1, what, size);
	trnsci_mpi_fft_free(fft);
	free(mine);
	free(wanted);
	free(out);
}

static void run_transposed(struct trnsci_mpi *mpi, int size, struct job job)
{
	struct trnsci_mpi_layout from = trnsci_mpi_slabs(job.ndim, job.in_shape), to = trnsci_mpi_slabs(job.ndim, job.out_shape);
	char *in = swap_axes(job.ndim, job.in_shape, job.in, job.in_bytes);
	char *expected = swap_axes(job.ndim, job.out_shape, job.expected, job.out_bytes);

	to.shape[0] = job.out_shape[1];
	to.shape[1] = job.out_shape[0];
	job.options.transposed_out = true;
	run_ranks(mpi, size, &job, &from, &to, job.in, expected, false, "transposed out");
	if (job.options.kind == TRNSCI_MPI_C2C)
		run_ranks(mpi, size, &job, &from, &to, job.in, expected, true, "transposed out, in place");
	job.options.transposed_out = false;
	job.options.transposed_in = true;
	from.shape[0] = job.in_shape[1];
	from.shape[1] = job.in_shape[0];
	to = trnsci_mpi_slabs(job.ndim, job.out_shape);
	run_ranks(mpi, size, &job, &from, &to, in, job.expected, false, "transposed in");
	free(in);
	free(expected);
}

static void run_layouts(struct trnsci_mpi *mpi, int size, const struct job *job)
{
	for (int number = 0; number < N_LAYOUTS; number++) {
		const struct trnsci_mpi_layout from = layout_of(number, job->ndim, job->in_shape, size);
		const struct trnsci_mpi_layout to = layout_of(number, job->ndim, job->out_shape, size);
		const struct trnsci_mpi_layout other = layout_of((number + 1) % N_LAYOUTS, job->ndim, job->out_shape, size);

		run_ranks(mpi, size, job, &from, &to, job->in, job->expected, false, "same layout");
		run_ranks(mpi, size, job, &from, &other, job->in, job->expected, false, "another layout");
	}
	if (job->ndim > 2) { /* pencils */
		struct trnsci_mpi_layout from = trnsci_mpi_slabs(job->ndim, job->in_shape), to = trnsci_mpi_slabs(job->ndim, job->out_shape);

		for (size_t i = 0; i < job->ndim; i++)
			from.grid[i] = i == 0 ? (uint64_t)size / (size % 2 ? 1 : 2) : i == 1 && size % 2 == 0 ? 2 : 1;
		memcpy(to.grid, from.grid, sizeof to.grid);
		run_ranks(mpi, size, job, &from, &to, job->in, job->expected, false, "pencils");
	}
	if (job->options.kind == TRNSCI_MPI_C2C) {
		const struct trnsci_mpi_layout slabs = trnsci_mpi_slabs(job->ndim, job->in_shape);

		run_ranks(mpi, size, job, &slabs, &slabs, job->in, job->expected, true, "in place");
	}
	run_transposed(mpi, size, *job);
}

/* The four kinds of an array: forward, inverse, r2c, c2r. */
static struct job job_of(const struct array_case *c, int kind)
{
	struct job job = {.ndim = c->ndim, .options = {.wide = c->wide, .n_axes = c->n_axes, .message_bytes = 30000}};
	const size_t real_axis = c->n_axes ? c->axes[c->n_axes - 1] : c->ndim - 1, real = c->wide ? 8 : 4;

	memcpy(job.in_shape, c->shape, sizeof c->shape);
	memcpy(job.out_shape, c->shape, sizeof c->shape);
	for (size_t i = 0; i < c->n_axes; i++)
		job.options.axes[i] = c->axes[i];
	job.in_bytes = job.out_bytes = complex_size(c->wide);
	job.options.inverse = kind == 1;
	job.options.kind = kind < 2 ? TRNSCI_MPI_C2C : kind == 2 ? TRNSCI_MPI_R2C : TRNSCI_MPI_C2R;
	job.options.norm = kind == 0 ? "ortho" : NULL;
	if (kind == 2) {
		job.out_shape[real_axis] = c->shape[real_axis] / 2 + 1;
		job.in_bytes = real;
	} else if (kind == 3) {
		job.in_shape[real_axis] = c->shape[real_axis] / 2 + 1;
		job.out_bytes = real;
	}
	return job;
}

static void check_arrays(void)
{
	static struct job jobs[N_CASES][4];
	char name[64];

	for (size_t i = 0; i < N_CASES; i++)
		for (int kind = 0; kind < 4; kind++) {
			struct job *job = &jobs[i][kind];

			*job = job_of(&cases[i], kind);
			job->in = normal_numbers(2 * count_of(job->ndim, job->in_shape), cases[i].wide);
			run_alone(job);
			compare_engine(job);
		}
	report("arrays: ", "one rank, against the engine");
	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");

		for (size_t i = 0; mpi && i < N_CASES; i++)
			for (int kind = 0; kind < 4; kind++)
				if (full || (i < FIRST_LARGE && ((i + (size_t)kind) % 2 == 0 || sizes[s] == 3)) || (i >= FIRST_LARGE && sizes[s] == 2 && kind == 2))
					run_layouts(mpi, sizes[s], &jobs[i][kind]);
		trnsci_mpi_close(mpi);
		snprintf(name, sizeof name, "%d ranks, every layout, as one rank", sizes[s]);
		report("arrays: ", name);
	}
}

/* ---- one axis ---- */

static const uint64_t lengths[] = {1, 12, 4096, 5040, 15015, 65536, 10007, 2 * 5003};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static void run_matrix(struct trnsci_mpi *mpi, int size, const struct job *job, bool inverse)
{
	struct trnsci_mpi_fft_options options = {.wide = job->options.wide, .transposed_out = true, .norm = job->options.norm};
	const struct trnsci_mpi_layout from = trnsci_mpi_slabs(1, job->in_shape);
	struct trnsci_mpi_fft *fft = NULL, *back = NULL;
	struct trnsci_mpi_fft_info info;
	struct trnsci_mpi_part part;
	uint64_t count;
	const size_t bytes = job->in_bytes;
	char *mine = part_from(&from, size, job->in, bytes, &count);

	if (trnsci_mpi_fft_new(mpi, &from, &options, &fft, &err) < 0) {
		EXPECT(strstr(err.text, "has no factor near its root"), "%s", err.text);
		free(mine);
		return;
	}
	trnsci_mpi_fft_describe(fft, &info);
	trnsci_mpi_part_of(&info.to, world_rank, size, &part, &err);
	char *out = calloc(part.count + 1, bytes);

	if (trnsci_mpi_fft_run(fft, mine, out, &err) < 0)
		EXPECT(0, "%s", err.text);
	for (uint64_t i = 0; !inverse && i < part.count; i++) {
		const uint64_t row = part.first[0] + i / info.to.shape[1], bin = row + info.to.shape[0] * (i % info.to.shape[1]);

		EXPECT(memcmp(out + i * bytes, (char *)job->expected + bin * bytes, bytes) == 0, "bin %" PRIu64 " differs", bin);
	}
	/* And back: the input again. */
	options = (struct trnsci_mpi_fft_options){.wide = job->options.wide, .transposed_in = true, .inverse = true, .norm = job->options.norm};
	char *again = calloc(count + 1, bytes);

	if (trnsci_mpi_fft_new(mpi, &from, &options, &back, &err) < 0 || trnsci_mpi_fft_run(back, out, again, &err) < 0)
		EXPECT(0, "back: %s", err.text);
	EXPECT(distance(again, mine, job->options.wide, 2 * count) < (job->options.wide ? 1e-14 : 1e-6), "the way back: %g",
	       distance(again, mine, job->options.wide, 2 * count));
	trnsci_mpi_fft_free(fft);
	trnsci_mpi_fft_free(back);
	free(mine);
	free(out);
	free(again);
}

static void check_lines(void)
{
	char name[64];

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");

		for (size_t i = 0; mpi && i < 2 * N_LENGTHS; i++)
			for (int kind = 0; kind < 4; kind++) {
				if (!full && (i + (size_t)s) % 4 != 0)
					continue;
				const struct array_case c = {1, {lengths[i / 2], 1, 1, 1}, 0, {0}, i % 2};
				struct job job = job_of(&c, kind);

				job.in = normal_numbers(2 * job.in_shape[0], c.wide);
				run_alone(&job);
				compare_engine(&job);
				const struct trnsci_mpi_layout from = trnsci_mpi_slabs(1, job.in_shape), to = trnsci_mpi_slabs(1, job.out_shape);

				run_ranks(mpi, sizes[s], &job, &from, &to, job.in, job.expected, false, "one axis");
				if (kind == 0) {
					run_ranks(mpi, sizes[s], &job, &from, &to, job.in, job.expected, true, "one axis in place");
					run_matrix(mpi, sizes[s], &job, false);
				}
				free((void *)(uintptr_t)job.in);
				free(job.expected);
			}
		trnsci_mpi_close(mpi);
		snprintf(name, sizeof name, "%d ranks, as one rank and the engine", sizes[s]);
		report("one axis: ", name);
	}
}

/* ---- moves ---- */

/* Every layout of a shape to every other. Arrays without elements move nothing. */
static void check_moves_of(const uint64_t shape[3])
{
	char *whole = normal_numbers(13 * 6 * 21, true);

	for (int s = 0; s < N_SIZES; s++) {
		struct trnsci_mpi *mpi = group_of(sizes[s], "embedded:");

		for (int i = 0; mpi && i < N_LAYOUTS * N_LAYOUTS; i++) {
			const struct trnsci_mpi_layout from = layout_of(i / N_LAYOUTS, 3, shape, sizes[s]);
			const struct trnsci_mpi_layout to = layout_of(i % N_LAYOUTS, 3, shape, sizes[s]);
			uint64_t count, wanted_count;
			char *mine = part_from(&from, sizes[s], whole, 8, &count);
			char *wanted = part_from(&to, sizes[s], whole, 8, &wanted_count), *moved = malloc(13 * 6 * 21 * 8);

			memcpy(moved, mine, count * 8);
			if (trnsci_mpi_redistribute(mpi, TRNSCI_F64, &from, moved, &to, moved, &err) < 0)
				EXPECT(0, "%s", err.text);
			EXPECT(memcmp(moved, wanted, wanted_count * 8) == 0, "%d ranks, layout %d to %d", sizes[s], i / N_LAYOUTS, i % N_LAYOUTS);
			free(mine);
			free(wanted);
			free(moved);
		}
		trnsci_mpi_close(mpi);
	}
	free(whole);
}

static void check_moves(void)
{
	static const uint64_t shapes[][3] = {{13, 6, 21}, {0, 6, 21}, {13, 0, 21}, {13, 6, 0}};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_moves_of(shapes[i]);
	report("moves: ", "every layout to every other, in place");
}

int main(int argc, char **argv)
{
	const struct trnsci_options options = {.threads = 1};

	begin_job(&argc, &argv);
	full = getenv("TRNSCI_FULL") != NULL;
	if (trnsci_mpi_open(MPI_COMM_SELF, "embedded:", &options, &alone, &err) < 0)
		EXPECT(0, "%s", err.text);
	check_moves();
	check_arrays();
	check_lines();
	trnsci_mpi_close(alone);
	return end_job();
}
