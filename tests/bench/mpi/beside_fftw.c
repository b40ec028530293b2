/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms over ranks beside FFTW's MPI transforms, in one process for each rank: both planned before (FFTW_MEASURE), out
 * of place, one thread, the same order of the output. They take turns; a time is the median of the slowest ranks' times.
 * Also the exchange by itself, beside a bare MPI_Alltoall of the same bytes.
 *
 *   beside_fftw [ROUNDS [ROW]]     prints a line for each row; ROW is a part of a row's name */
#include <fftw3-mpi.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci-mpi.h>

enum { MOST_ROUNDS = 101 };

static const struct row {
	const char *name;
	int ndim;
	uint64_t shape[3];
	bool wide, real, transposed;
} rows[] = {
	{"2d c2c f32 1024", 2, {1024, 1024}, false, false, false},
	{"2d c2c f64 1024", 2, {1024, 1024}, true, false, false},
	{"2d c2c f32 4096", 2, {4096, 4096}, false, false, false},
	{"2d c2c f64 2048", 2, {2048, 2048}, true, false, false},
	{"2d c2c f32 4096 transposed", 2, {4096, 4096}, false, false, true},
	{"2d c2c f64 2048 transposed", 2, {2048, 2048}, true, false, true},
	{"2d c2c f64 1800x1500", 2, {1800, 1500}, true, false, false},
	{"2d r2c f32 4096", 2, {4096, 4096}, false, true, false},
	{"3d c2c f32 128", 3, {128, 128, 128}, false, false, false},
	{"3d c2c f64 128", 3, {128, 128, 128}, true, false, false},
	{"3d c2c f32 256", 3, {256, 256, 256}, false, false, false},
	{"3d c2c f64 256", 3, {256, 256, 256}, true, false, false},
	{"3d c2c f64 256 transposed", 3, {256, 256, 256}, true, false, true},
	{"3d r2c f32 256", 3, {256, 256, 256}, false, true, false},
	{"3d r2c f64 256", 3, {256, 256, 256}, true, true, false},
	{"1d c2c f32 2^20", 1, {1 << 20}, false, false, false},
	{"1d c2c f64 2^20", 1, {1 << 20}, true, false, false},
	{"1d c2c f32 2^22", 1, {1 << 22}, false, false, false},
	{"1d c2c f64 2^22", 1, {1 << 22}, true, false, false},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static int rank, size;
static struct trnsci_mpi *mpi;
static struct trnsci_error err;

static void fail(const char *what)
{
	fprintf(stderr, "beside_fftw: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof *times, ascending);
	return times[n / 2];
}

/* The slowest rank's time. */
static double slowest(double seconds)
{
	double most;

	MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

struct peer {
	void *plan, *in, *out;
	ptrdiff_t bytes;
};

/* FFTW's allocation: elements of complex type. */
static ptrdiff_t local_size(const struct row *row)
{
	ptrdiff_t n[3], a, b, c, d;

	for (int i = 0; i < row->ndim; i++)
		n[i] = (ptrdiff_t)row->shape[i];
	if (row->ndim == 1)
		return fftw_mpi_local_size_1d(n[0], MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE, &a, &b, &c, &d);
	if (row->real)
		n[row->ndim - 1] = n[row->ndim - 1] / 2 + 1;
	return fftw_mpi_local_size_many_transposed(row->ndim, n, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &a, &b,
						   &c, &d);
}

#define PLAN(prefix)                                                                                                   \
	(row->ndim == 1 ? (void *)prefix##_mpi_plan_dft_1d(n[0], peer->in, peer->out, MPI_COMM_WORLD, FFTW_FORWARD, flags) \
	 : row->real	? (void *)prefix##_mpi_plan_dft_r2c(row->ndim, n, peer->in, peer->out, MPI_COMM_WORLD, flags)         \
			: (void *)prefix##_mpi_plan_dft(row->ndim, n, peer->in, peer->out, MPI_COMM_WORLD, FFTW_FORWARD, flags))

static struct peer open_peer(const struct row *row)
{
	const unsigned flags = FFTW_MEASURE | (row->transposed ? FFTW_MPI_TRANSPOSED_OUT : 0);
	struct peer made = {.bytes = local_size(row) * (row->wide ? 16 : 8)}, *const peer = &made;
	ptrdiff_t n[3];

	for (int i = 0; i < row->ndim; i++)
		n[i] = (ptrdiff_t)row->shape[i];
	peer->in = fftw_malloc((size_t)peer->bytes);
	peer->out = fftw_malloc((size_t)peer->bytes);
	peer->plan = row->wide ? PLAN(fftw) : PLAN(fftwf);
	if (!peer->plan)
		fail("FFTW has no plan");
	memset(peer->in, 0, (size_t)peer->bytes);
	return made;
}

static void run_peer(const struct row *row, const struct peer *peer)
{
	if (row->wide)
		fftw_execute(peer->plan);
	else
		fftwf_execute(peer->plan);
}

static void close_peer(const struct row *row, struct peer *peer)
{
	if (row->wide)
		fftw_destroy_plan(peer->plan);
	else
		fftwf_destroy_plan(peer->plan);
	fftw_free(peer->in);
	fftw_free(peer->out);
}

static struct trnsci_mpi_fft *plan_ours(const struct row *row, const struct trnsci_mpi_layout *from)
{
	const struct trnsci_mpi_fft_options options = {.kind = row->real ? TRNSCI_MPI_R2C : TRNSCI_MPI_C2C, .wide = row->wide,
						       .transposed_out = row->transposed};
	struct trnsci_mpi_fft *fft;

	if (trnsci_mpi_fft_new(mpi, from, &options, &fft, &err) < 0)
		fail(err.text);
	return fft;
}

/* A bare MPI_Alltoall of the bytes that a rank sends, as often as there are exchanges. */
static double time_bare(const struct trnsci_mpi_fft_info *info, char *from, char *to)
{
	const int each = info->exchanges ? (int)(info->exchanged_bytes / (uint64_t)info->exchanges / (uint64_t)(size > 1 ? size - 1 : 1)) : 0;
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	for (int i = 0; i < info->exchanges; i++)
		MPI_Alltoall(from, each, MPI_BYTE, to, each, MPI_BYTE, MPI_COMM_WORLD);
	return slowest(MPI_Wtime() - start);
}

static void fill(void *data, size_t bytes, bool wide)
{
	for (size_t i = 0; i < bytes / (wide ? 8 : 4); i++)
		if (wide)
			((double *)data)[i] = (double)(i * 7919 % 1009) / 1009 - 0.5;
		else
			((float *)data)[i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
}

static void measure(const struct row *row, int rounds)
{
	static double ours[MOST_ROUNDS], theirs[MOST_ROUNDS], ratios[MOST_ROUNDS], waits[MOST_ROUNDS], bare[MOST_ROUNDS];
	struct trnsci_mpi_layout from = trnsci_mpi_slabs((size_t)row->ndim, row->shape);
	struct trnsci_mpi_fft *fft = plan_ours(row, &from);
	struct peer peer = open_peer(row);
	struct trnsci_mpi_fft_info info;
	/* FFTW pads the rows of reals. */
	const size_t bytes = (size_t)peer.bytes + 4096;
	char *in = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), *out = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	fill(in, bytes, row->wide);
	fill(peer.in, (size_t)peer.bytes, row->wide);
	for (int i = -1; i < rounds; i++) {
		double start, mine, other;

		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		if (trnsci_mpi_fft_run(fft, in, out, &err) < 0)
			fail(err.text);
		mine = slowest(MPI_Wtime() - start);
		trnsci_mpi_fft_describe(fft, &info);
		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		run_peer(row, &peer);
		other = slowest(MPI_Wtime() - start);
		if (i < 0)
			continue;
		ours[i] = mine;
		theirs[i] = other;
		ratios[i] = other / mine;
		waits[i] = slowest(info.exchange_s);
		bare[i] = time_bare(&info, in, out);
	}
	if (rank == 0) {
		printf("%-28s %d  %9.3f ms  FFTW %9.3f ms  %5.2fx", row->name, size, 1e3 * median(ours, rounds), 1e3 * median(theirs, rounds),
		       median(ratios, rounds));
		if (size > 1)
			printf("  exchange %8.3f ms  bare %8.3f ms  %4.2f", 1e3 * median(waits, rounds), 1e3 * median(bare, rounds),
			       median(waits, rounds) / median(bare, rounds));
		printf("\n");
		fflush(stdout);
	}
	close_peer(row, &peer);
	trnsci_mpi_fft_free(fft);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	const struct trnsci_options options = {.threads = 1};
	const int rounds = argc > 1 ? atoi(argv[1]) : 9;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fftw_mpi_init();
	fftwf_mpi_init();
	if (trnsci_mpi_open(MPI_COMM_WORLD, "embedded:", &options, &mpi, &err) < 0)
		fail(err.text);
	for (int i = 0; i < N_ROWS; i++)
		if (argc < 3 || strstr(rows[i].name, argv[2]))
			measure(&rows[i], rounds > 0 && rounds < MOST_ROUNDS ? rounds : 9);
	trnsci_mpi_close(mpi);
	fftw_mpi_cleanup();
	fftwf_mpi_cleanup();
	MPI_Finalize();
	return 0;
}
