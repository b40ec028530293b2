/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank does wrong is an error on every rank, whose text names that one. */
#include <sys/resource.h>
#include <unistd.h>

#include "ranks.h"

static struct trnsci_error err;

static void expect_error(int got, int code, const char *text)
{
	EXPECT(got == -code, "expected %s, got %s: %s", trnsci_error_name(code), trnsci_error_name(got), err.text);
	EXPECT(strstr(err.text, text), "expected \"%s\" in: %s", text, err.text);
}

static void check_communicators(void)
{
	struct trnsci_mpi *mpi = NULL;
	MPI_Comm half, between;

	expect_error(trnsci_mpi_open(MPI_COMM_NULL, "embedded:", NULL, &mpi, &err), TRNSCI_OUT_OF_RANGE, "comm: MPI_COMM_NULL");
	MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world_rank % 2, 1, &between);
	expect_error(trnsci_mpi_open(between, "embedded:", NULL, &mpi, &err), TRNSCI_OUT_OF_RANGE, "comm: an intercommunicator");
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
	expect_error(trnsci_mpi_open(MPI_COMM_WORLD, "embedded:", &(struct trnsci_options){.threads = world_rank == 2 ? 1000 : 1},
				     &mpi, &err),
		     TRNSCI_OUT_OF_RANGE, "rank 2: ");
	EXPECT(mpi == NULL, "the group was set");
	report("errors: ", "communicators, and an option of one rank");
}

static void check_layouts(struct trnsci_mpi *mpi)
{
	const uint64_t shape[2] = {16, 16};
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(2, shape), other = layout;
	struct trnsci_source source = trnsci_seed(1);
	float data[256];

	layout.grid[0] = 3;
	layout.grid[1] = 1;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_F32, &layout, data, NULL, &err), TRNSCI_OUT_OF_RANGE,
		     "grid: its product is not the number of ranks, allowed is 4");
	other.shape[1] = world_rank == 3 ? 17 : 16;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_F32, &other, data, NULL, &err), TRNSCI_OUT_OF_RANGE,
		     "rank 3: draw: layout");
	other.shape[0] = other.shape[1] = (uint64_t)1 << 40;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_F32, &other, data, NULL, &err), TRNSCI_OUT_OF_RANGE,
		     "shape: more than 2^59 elements");
	other = trnsci_mpi_slabs(2, shape);
	source.seed = world_rank == 1;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_F32, &other, data, NULL, &err), TRNSCI_OUT_OF_RANGE,
		     "rank 1: draw: layout, distribution, dtype and source: not the same");
	source.seed = 0;
	source.size = 2;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_F32, &other, data, NULL, &err), TRNSCI_OUT_OF_RANGE,
		     "rank and size");
	source.size = 0;
	expect_error(trnsci_mpi_draw(mpi, "uniform", NULL, &source, TRNSCI_I8, &other, data, NULL, &err), TRNSCI_OUT_OF_RANGE, "rank 0: uniform: dtype");
	expect_error(trnsci_mpi_draw(mpi, "nothing", NULL, &source, TRNSCI_F32, &other, data, NULL, &err), TRNSCI_UNKNOWN_METHOD,
		     "rank 0: ");
	report("errors: ", "layouts, sources and distributions");
}

static void check_files(struct trnsci_mpi *mpi, const char *folder)
{
	const uint64_t shape[1] = {100};
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(1, shape), found;
	enum trnsci_dtype dtype;
	struct trnsci_mpi_mark mark;
	float data[100] = {0};
	char path[256];

	expect_error(trnsci_mpi_write(mpi, "/nowhere/x.npy", &layout, TRNSCI_F32, data, &err), TRNSCI_SYSTEM, "rank 0: MPI_File_open");
	expect_error(trnsci_mpi_look(mpi, "/nowhere/x.npy", &found, &dtype, &err), TRNSCI_SYSTEM, "No such file");
	snprintf(path, sizeof path, "%s/plain.npy", folder);
	EXPECT(trnsci_mpi_write(mpi, path, &layout, TRNSCI_F32, data, &err) == 0, "%s", err.text);
	EXPECT(trnsci_mpi_look(mpi, path, &found, &dtype, &err) == 0 && found.ndim == 1 && found.shape[0] == 100 && dtype == TRNSCI_F32,
	       "what was written was not found: %s", err.text);
	expect_error(trnsci_mpi_read(mpi, path, &layout, TRNSCI_F64, data, &err), TRNSCI_BAD_SHAPE, "its dtype is f32");
	expect_error(trnsci_mpi_restore(mpi, path, &layout, TRNSCI_F32, data, &mark, &err), TRNSCI_BAD_SHAPE, "mark of a checkpoint");
	layout.shape[0] = 99;
	expect_error(trnsci_mpi_read(mpi, path, &layout, TRNSCI_F32, data, &err), TRNSCI_BAD_SHAPE, "its shape is not");
	report("errors: ", "files");
}

int main(int argc, char **argv)
{
	begin_job(&argc, &argv);
	check_communicators();
	struct trnsci_mpi *mpi = group_of(4, "embedded:");

	check_layouts(mpi);
	check_files(mpi, argc > 1 ? argv[1] : ".");
	trnsci_mpi_close(mpi);
	return end_job();
}
