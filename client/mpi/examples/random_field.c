/* SPDX-License-Identifier: Apache-2.0 */
/* A turbulent density and its gravity on a grid of N x N x N that the ranks of an MPI job share.
 *
 *   mpirun -n 4 random_field [N [FIELD.npy [POTENTIAL.npy]]]
 *
 * White noise is drawn for the whole grid, transformed, given the spectrum k^(-11/3) of turbulence, and transformed back. Then
 * Poisson's equation, laplace(potential) = field, is solved by dividing the spectrum by -k^2. Both spectra stay in the
 * transposed order, so each way takes one exchange. The files have the same bytes for any number of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <trnsci/trnsci-mpi.h>

static struct trnsci_mpi *mpi;
static struct trnsci_error err;
static int rank, size;

static void must(int r)
{
	if (r == 0)
		return;
	if (rank == 0)
		fprintf(stderr, "random_field: %s\n", err.text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static double *allocate(uint64_t n)
{
	double *data = malloc((n + 1) * sizeof *data);

	if (!data)
		must(snprintf(err.text, sizeof err.text, "no memory for %llu numbers", (unsigned long long)n));
	return data;
}

/* Angular wave number of bin i of n, on a box of length 1. */
static double wave_number(uint64_t i, uint64_t n)
{
	return 6.283185307179586 * (2 * i > n ? (double)i - (double)n : (double)i);
}

/* Multiplies the rank's part of a spectrum, of axes y, x, z, by a function of k^2. */
static void multiply(double *spectrum, const struct trnsci_mpi_layout *layout, uint64_t n, double (*factor)(double k2))
{
	struct trnsci_mpi_part part;

	must(trnsci_mpi_part_of(layout, rank, size, &part, &err));
	for (uint64_t i = 0; i < part.count; i++) {
		const uint64_t z = i % part.shape[2], x = i / part.shape[2] % part.shape[1], y = i / part.shape[2] / part.shape[1];
		const double kx = wave_number(part.first[1] + x, n), ky = wave_number(part.first[0] + y, n), kz = wave_number(z, n);
		const double f = factor(kx * kx + ky * ky + kz * kz);

		spectrum[2 * i] *= f;
		spectrum[2 * i + 1] *= f;
	}
}

/* The root of the power k^(-11/3); the mean is 0. */
static double turbulent(double k2)
{
	return k2 > 0 ? pow(k2, -11.0 / 12) : 0;
}

static double inverse_laplace(double k2)
{
	return k2 > 0 ? -1 / k2 : 0;
}

static double laplace(double k2)
{
	return -k2;
}

static void print_moments(const char *name, const double *data, uint64_t count)
{
	struct trnsci_mpi_sum sum;

	must(trnsci_mpi_sum(mpi, TRNSCI_F64, count, data, &sum, &err));
	if (rank == 0)
		printf("%-10s mean %11.4e  rms %.17g  from %.6g to %.6g\n", name, sum.mean, sqrt(sum.variance), sum.min, sum.max);
}

static void write_floats(const char *path, const struct trnsci_mpi_layout *layout, const double *data, uint64_t count)
{
	float *floats = (float *)allocate(count / 2 + 1);

	for (uint64_t i = 0; i < count; i++)
		floats[i] = (float)data[i];
	must(trnsci_mpi_write(mpi, path, layout, TRNSCI_F32, floats, &err));
	free(floats);
}

int main(int argc, char **argv)
{
	const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 128;
	const uint64_t shape[3] = {n, n, n};
	const struct trnsci_mpi_layout grid = trnsci_mpi_slabs(3, shape);
	struct trnsci_mpi_fft_options there = {.kind = TRNSCI_MPI_R2C, .wide = true, .transposed_out = true};
	struct trnsci_mpi_fft_options back = {.kind = TRNSCI_MPI_C2R, .wide = true, .transposed_in = true, .to = &grid};
	const struct trnsci_source source = trnsci_source_seed(2026);
	struct trnsci_mpi_fft *forward, *inverse;
	struct trnsci_mpi_fft_info plan;
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part own, bins;

	MPI_Init(&argc, &argv);
	must(trnsci_mpi_open(MPI_COMM_WORLD, NULL, NULL, &mpi, &err));
	trnsci_mpi_describe(mpi, &info);
	rank = info.rank;
	size = info.size;
	must(trnsci_mpi_fft_new(mpi, &grid, &there, &forward, &err));
	trnsci_mpi_fft_describe(forward, &plan);
	must(trnsci_mpi_fft_new(mpi, &plan.to, &back, &inverse, &err));
	must(trnsci_mpi_part_of(&grid, rank, size, &own, &err));
	must(trnsci_mpi_part_of(&plan.to, rank, size, &bins, &err));

	double *const field = allocate(own.count), *const potential = allocate(own.count), *const spectrum = allocate(2 * bins.count);

	must(trnsci_mpi_draw(mpi, "normal", NULL, &source, TRNSCI_F64, &grid, field, NULL, &err));
	must(trnsci_mpi_fft_run(forward, field, spectrum, &err));
	multiply(spectrum, &plan.to, n, turbulent);
	must(trnsci_mpi_fft_run(inverse, spectrum, field, &err));
	print_moments("field", field, own.count);

	must(trnsci_mpi_fft_run(forward, field, spectrum, &err));
	multiply(spectrum, &plan.to, n, inverse_laplace);
	must(trnsci_mpi_fft_run(inverse, spectrum, potential, &err));
	print_moments("potential", potential, own.count);
	if (argc > 2)
		write_floats(argv[2], &grid, field, own.count);
	if (argc > 3)
		write_floats(argv[3], &grid, potential, own.count);

	/* How well the equation is met: the potential's Laplacian is the field. */
	must(trnsci_mpi_fft_run(forward, potential, spectrum, &err));
	multiply(spectrum, &plan.to, n, laplace);
	must(trnsci_mpi_fft_run(inverse, spectrum, potential, &err));
	for (uint64_t i = 0; i < own.count; i++)
		potential[i] -= field[i];
	print_moments("residual", potential, own.count);
	free(field);
	free(potential);
	free(spectrum);
	trnsci_mpi_fft_free(forward);
	trnsci_mpi_fft_free(inverse);
	trnsci_mpi_close(mpi);
	MPI_Finalize();
	return 0;
}
