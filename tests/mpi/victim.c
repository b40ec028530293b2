/* SPDX-License-Identifier: Apache-2.0 */
/* A job for a test that kills one of its ranks: draws from a named stream once, states the ranks' process ids in a file each,
 * and transforms until it ends. */
#include <unistd.h>

#include "ranks.h"

int main(int argc, char **argv)
{
	const uint64_t shape[2] = {512, 512};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(2, shape);
	struct trnsci_source source = trnsci_source_named(argc > 2 ? argv[2] : "");
	struct trnsci_mpi *mpi = NULL;
	struct trnsci_mpi_fft *fft = NULL;
	struct trnsci_error err = {0, ""};
	float *data = calloc(512 * 513, 2 * sizeof *data);
	char path[256];

	begin_job(&argc, &argv);
	if (trnsci_mpi_open(MPI_COMM_WORLD, NULL, NULL, &mpi, &err) < 0 ||
	    trnsci_mpi_draw(mpi, "normal", NULL, &source, TRNSCI_F32, &layout, data, NULL, &err) < 0 ||
	    trnsci_mpi_fft_new(mpi, &layout, NULL, &fft, &err) < 0 || trnsci_mpi_fft_run(fft, data, data, &err) < 0) {
		fprintf(stderr, "victim: %s\n", err.text);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	snprintf(path, sizeof path, "%s/pid.%d", argv[1], world_rank);
	FILE *file = fopen(path, "w");

	fprintf(file, "%ld\n", (long)getpid());
	fclose(file);
	while (trnsci_mpi_fft_run(fft, data, data, &err) == 0)
		;
	MPI_Abort(MPI_COMM_WORLD, 2);
	return 2;
}
