/* SPDX-License-Identifier: Apache-2.0 */
/* The command bench: what this job gives. Times are the median of five runs, each that of the slowest rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { RUNS = 5 };

struct work {
	struct trnsci_mpi *mpi;
	struct trnsci_mpi_layout layout;
	struct trnsci_mpi_fft *fft;
	void *in, *out;
	struct trnsci_error err;
};

static int run_draw(struct work *work)
{
	return trnsci_mpi_draw(work->mpi, "normal", NULL, NULL, TRNSCI_F32, &work->layout, work->out, NULL, &work->err);
}

static int run_fft(struct work *work)
{
	return trnsci_mpi_fft_run(work->fft, work->in, work->out, &work->err);
}

/* Negative on error. */
static double median_of_runs(struct work *work, int (*run)(struct work *work))
{
	double times[RUNS];

	for (int i = -1; i < RUNS; i++) {
		double seconds, most;

		MPI_Barrier(MPI_COMM_WORLD);
		seconds = MPI_Wtime();
		if (run(work) < 0)
			return -1;
		seconds = MPI_Wtime() - seconds;
		MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		int k = i;

		if (i < 0)
			continue;
		for (; k > 0 && times[k - 1] > most; k--)
			times[k] = times[k - 1];
		times[k] = most;
	}
	return times[RUNS / 2];
}

static void print_row(const char *name, double seconds, double bytes, const struct trnsci_mpi_fft *fft)
{
	struct trnsci_mpi_fft_info info = {.exchanges = 0};

	if (fft)
		trnsci_mpi_fft_describe(fft, &info);
	if (!command_prints())
		return;
	printf("%-20s %10.3f ms  %8.2f GB/s", name, 1e3 * seconds, bytes / seconds / 1e9);
	if (info.exchanges)
		printf("  %d exchanges, %.1f MB from each rank, %.3f ms in MPI", info.exchanges, (double)info.exchanged_bytes / 1e6,
		       1e3 * info.exchange_s);
	printf("\n");
}

static int bench_fft(struct work *work, const char *name, bool transposed, double bytes)
{
	const struct trnsci_mpi_fft_options options = {.transposed_out = transposed};
	double seconds = -1;

	if (trnsci_mpi_fft_new(work->mpi, &work->layout, &options, &work->fft, &work->err) == 0)
		seconds = median_of_runs(work, run_fft);
	if (seconds >= 0)
		print_row(name, seconds, bytes, work->fft);
	trnsci_mpi_fft_free(work->fft);
	work->fft = NULL;
	return seconds < 0 ? command_error(&work->err) : 0;
}

int command_bench(struct trnsci_mpi *mpi, const struct options *options)
{
	static const uint64_t usual[] = {256, 256, 256};
	struct work work = {.mpi = mpi, .layout = trnsci_mpi_slabs(3, usual)};
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part part;
	double elements = 1, seconds;
	uint64_t most, count;
	int code = 0;

	trnsci_mpi_describe(mpi, &info);
	if (options->layout.ndim)
		work.layout = options->layout;
	if (trnsci_mpi_part_of(&work.layout, info.rank, info.size, &part, &work.err) < 0)
		return command_error(&work.err);
	for (size_t i = 0; i < work.layout.ndim; i++)
		elements *= (double)work.layout.shape[i];
	/* A transposed result may have more on a rank. */
	count = part.count + (uint64_t)(elements / info.size) + 1;
	for (size_t i = 0; i < work.layout.ndim; i++)
		count += part.count / (part.shape[i] ? part.shape[i] : 1);
	MPI_Allreduce(&count, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	work.in = calloc(most, 8);
	work.out = calloc(most, 8);
	if (!work.in || !work.out)
		code = command_fail(EXIT_TRY_AGAIN, "bench: no memory");
	if (command_prints() && code == 0)
		printf("%d ranks, %s\n", info.size, info.cpu);
	seconds = code ? 0 : median_of_runs(&work, run_draw);
	if (seconds < 0)
		code = command_error(&work.err);
	else if (code == 0)
		print_row("normal f32", seconds, 4 * elements, NULL);
	if (code == 0)
		code = bench_fft(&work, "c2c f32", false, 8 * elements);
	if (code == 0 && work.layout.ndim > 1)
		code = bench_fft(&work, "c2c f32 transposed", true, 8 * elements);
	free(work.in);
	free(work.out);
	return code;
}
