/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for the pages of libtrnsci-mpi, as client/man/examples/names.c has it. Rank 0 prints. mpirun -n 4 group FOLDER */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <trnsci/trnsci-mpi.h>

/* example: trnsci_mpi_open */
static struct trnsci_mpi *mpi;
/* end */
static int rank, size;

static void open_group(void)
{
	/* example: trnsci_mpi_open trnsci_mpi_describe trnsci_mpi_info */
	struct trnsci_mpi_info info;
	struct trnsci_error error;

	MPI_Init(NULL, NULL);
	if (trnsci_mpi_open(MPI_COMM_WORLD, NULL, NULL, &mpi, &error))
		errx(1, "%s", error.text);
	trnsci_mpi_describe(mpi, &info);
	if (info.rank == 0)
		printf("%d ranks\n", info.size); /* prints 4 ranks */
	/* end */
	rank = info.rank;
	size = info.size;
}

static void place(void)
{
	/* example: trnsci_mpi_layout trnsci_mpi_part trnsci_mpi_part_of trnsci_mpi_global_index */
	struct trnsci_mpi_layout layout = {
		.ndim = 2, .shape = {100, 60}, .grid = {2, 2}};
	struct trnsci_mpi_part part;
	struct trnsci_error error;

	if (trnsci_mpi_part_of(&layout, 3, 4, &part, &error))
		errx(1, "%s", error.text);
	if (rank == 0)
		printf("rank 3: %" PRIu64 " x %" PRIu64
		       " elements from row %" PRIu64 "\n",
		       part.shape[0], part.shape[1],
		       trnsci_mpi_global_index(
			       &layout, 3, 4, 0,
			       0)); /* prints rank 3: 50 x 30 elements from row 50 */
	/* end */
}

static void draw(void)
{
	/* example: trnsci_mpi_draw trnsci_mpi_sum trnsci_mpi_slabs */
	const uint64_t shape[2] = {1000, 1000};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(2, shape);
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_mpi_part part;
	struct trnsci_mpi_sum sum;
	struct trnsci_error error;
	double *x;

	if (trnsci_mpi_part_of(&layout, rank, size, &part, &error))
		errx(1, "%s", error.text);
	x = malloc(part.count * sizeof *x);
	if (trnsci_mpi_draw(mpi, "normal", NULL, &source, TRNSCI_F64, &layout,
			    x, NULL, &error) ||
	    trnsci_mpi_sum(mpi, TRNSCI_F64, part.count, x, &sum, &error))
		errx(1, "%s", error.text);
	if (rank == 0) /* the same digits for any number of ranks */
		printf("%" PRIu64 " samples, variance %.3f\n", sum.count,
		       sum.variance); /* prints 1000000 samples, variance ... */
	free(x);
	/* end */
	if (fabs(sum.variance - 1) > 0.01)
		errx(1, "the variance is %g", sum.variance);
}

static void draw_field(void)
{
	/* example: trnsci_mpi_field */
	const uint64_t shape[3] = {32, 32, 32};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(3, shape);
	const struct trnsci_param params[] = {
		trnsci_param_f64("exponent", 3), trnsci_param_end()};
	const struct trnsci_source source = trnsci_source_seed(1);
	static float x[32 * 32 * 32]; /* more than a rank's part */
	struct trnsci_error error;

	if (trnsci_mpi_field(mpi, params, &source, TRNSCI_F32, &layout, x,
			     NULL, &error))
		errx(1, "%s", error.text);
	/* end */
	if (x[0] == 0)
		errx(1, "no field");
}

static void files(void)
{
	/* example: trnsci_mpi_write trnsci_mpi_look trnsci_mpi_read */
	const uint64_t shape[1] = {1000};
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(1, shape);
	struct trnsci_error error;
	enum trnsci_dtype dtype;
	double x[1000] = {0};

	if (trnsci_mpi_write(mpi, "x.npy", &layout, TRNSCI_F64, x, &error) ||
	    trnsci_mpi_look(mpi, "x.npy", &layout, &dtype, &error) ||
	    trnsci_mpi_read(mpi, "x.npy", &layout, dtype, x, &error))
		errx(1, "%s", error.text);
	if (rank == 0)
		printf("%" PRIu64 " of %s\n", layout.shape[0],
		       trnsci_dtype_name(dtype)); /* prints 1000 of f64 */
	/* end */
}

static void checkpoints(void)
{
	/* example: trnsci_mpi_save trnsci_mpi_restore trnsci_mpi_checkpoint */
	const uint64_t shape[1] = {1000};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(1, shape);
	double x[1000] = {0};
	struct trnsci_mpi_checkpoint checkpoint = {.source = trnsci_source_seed(1),
				       .step = 42};
	struct trnsci_error error;

	checkpoint.source.position = 2000; /* 'next' of the last draw's span */
	if (trnsci_mpi_save(mpi, "step42.npy", &layout, TRNSCI_F64, x, &checkpoint,
			    &error))
		errx(1, "%s", error.text);
	/* later, also with another number of ranks */
	if (trnsci_mpi_restore(mpi, "step42.npy", &layout, TRNSCI_F64, x, &checkpoint,
			       &error))
		errx(1, "%s", error.text);
	if (rank == 0)
		printf("step %" PRIu64 ", word %" PRIu64 "\n", checkpoint.step,
		       checkpoint.source.position); /* prints step 42, word 2000 */
	/* end */
}

static void move(void)
{
	/* example: trnsci_mpi_redistribute */
	const uint64_t shape[2] = {8, 8};
	struct trnsci_mpi_layout rows = trnsci_mpi_slabs(2, shape),
				 columns = rows;
	struct trnsci_error error;
	double in[64], out[64]; /* more than any rank's part */

	for (int i = 0; i < 64; i++)
		in[i] = rank;
	columns.grid[0] = 1;
	columns.grid[1] = (uint64_t)size;
	if (trnsci_mpi_redistribute(mpi, TRNSCI_F64, &rows, in, &columns, out,
				    &error))
		errx(1, "%s", error.text);
	if (rank == 0)
		printf("from rank 0 to %g\n",
		       out[15]); /* prints from rank 0 to 3 */
	/* end */
}

static void transform(void)
{
	/* example: trnsci_mpi_fft_new trnsci_mpi_fft_run trnsci_mpi_fft_free trnsci_mpi_fft_describe
	 *          trnsci_mpi_fft_info trnsci_mpi_fft_options trnsci_mpi_fft_kind */
	const uint64_t shape[3] = {32, 32, 32};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(3, shape);
	const struct trnsci_mpi_fft_options options = {
		.kind = TRNSCI_MPI_C2C, .wide = true, .transposed_out = true};
	static double x[2 * 32 * 32 *
			32]; /* real, imaginary; more than a rank's part */
	struct trnsci_mpi_fft_info info;
	struct trnsci_mpi_fft *fft;
	struct trnsci_error error;

	if (rank == 0)
		x[0] = 1; /* an impulse, whose spectrum is 1 everywhere */
	if (trnsci_mpi_fft_new(mpi, &layout, &options, &fft, &error) ||
	    trnsci_mpi_fft_run(fft, x, x, &error))
		errx(1, "%s", error.text);
	trnsci_mpi_fft_describe(fft, &info);
	if (rank == 0)
		printf("%g, after %d exchange\n", x[2 * 100],
		       info.exchanges); /* prints 1, after 1 exchange */
	trnsci_mpi_fft_free(fft);
	/* end */
}

static void close_group(void)
{
	/* example: trnsci_mpi_close */
	trnsci_mpi_close(mpi);
	MPI_Finalize();
	/* end */
}

int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1]))
		errx(64, "usage: group FOLDER");
	open_group();
	place();
	draw();
	draw_field();
	files();
	checkpoints();
	move();
	transform();
	close_group();
	return 0;
}
