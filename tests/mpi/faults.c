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
	int first, second;

	EXPECT(sscanf(err.text, "%*[a-z_]: rank %d: rank %d:", &first, &second) != 2, "the rank is named twice: %s", err.text);
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
	struct trnsci_source source = trnsci_source_seed(1);
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
		     "rank 1: draw: layout, distribution, parameters, dtype and source: not the same");
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

/* Embedded engines agree on the lowest instruction set; daemons cannot be changed. */
static void check_cpus(void)
{
	const struct trnsci_options scalar = {.threads = 1, .cpu = world_rank == 1 ? "scalar" : NULL};
	const uint64_t shape[2] = {64, 64};
	const struct trnsci_mpi_layout slabs = trnsci_mpi_slabs(2, shape);
	const char *socket = world_rank == 1 ? getenv("SCALAR_SOCKET") : getenv("OTHER_SOCKET");
	struct trnsci_mpi *mpi = NULL;
	struct trnsci_mpi_info info;
	struct trnsci_mpi_fft *fft = NULL;

	EXPECT(trnsci_mpi_open(MPI_COMM_WORLD, "embedded:", &scalar, &mpi, &err) == 0, "%s", err.text);
	trnsci_mpi_describe(mpi, &info);
	EXPECT(strcmp(info.cpu, "scalar") == 0 && !info.cpu_differs, "one embedded rank is scalar: expected all, got %s", info.cpu);
	trnsci_mpi_close(mpi);
	report("instruction sets: ", "embedded engines take the lowest");
	EXPECT(trnsci_mpi_open(MPI_COMM_WORLD, socket, NULL, &mpi, &err) == 0, "%s", err.text);
	trnsci_mpi_describe(mpi, &info);
	if (strcmp(info.cpu, "scalar") == 0 && world_rank != 1) {
		trnsci_mpi_close(mpi);
		report("instruction sets: # SKIP this CPU has no vectors", "");
		return;
	}
	EXPECT(info.cpu_differs && info.ranks_embedded == 0, "the daemons' instruction sets differ, but were not found to");
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, NULL, &fft, &err), TRNSCI_NOT_SUPPORTED, "rank 0: fft: cpu: ");
	trnsci_mpi_close(mpi);
	report("instruction sets: ", "daemons of different ones are refused");
}

/* One rank's memory does not suffice. */
static void check_memory(struct trnsci_mpi *mpi)
{
	const uint64_t shape[2] = {4096, 8192};
	const struct trnsci_mpi_layout slabs = trnsci_mpi_slabs(2, shape);
	struct rlimit before, less;
	struct trnsci_mpi_fft *fft = NULL;
	char pages[64];
	FILE *statm = fopen("/proc/self/statm", "r");

	getrlimit(RLIMIT_AS, &before);
	less = before;
	less.rlim_cur = (rlim_t)strtoull(fgets(pages, sizeof pages, statm), NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
	fclose(statm);
	if (world_rank == 3)
		setrlimit(RLIMIT_AS, &less);
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, NULL, &fft, &err), TRNSCI_NO_MEMORY, "rank 3: fft: ");
	setrlimit(RLIMIT_AS, &before);
	EXPECT(fft == NULL, "the plan was set");
	EXPECT(trnsci_mpi_fft_new(mpi, &slabs, NULL, &fft, &err) == 0, "with memory again: %s", err.text);
	trnsci_mpi_fft_free(fft);
	report("errors: ", "memory that one rank does not have");
}

static void check_options(struct trnsci_mpi *mpi)
{
	const uint64_t shape[2] = {16, 9}, prime = 10007;
	struct trnsci_mpi_layout slabs = trnsci_mpi_slabs(2, shape), line = trnsci_mpi_slabs(1, &prime), to = slabs;
	struct trnsci_mpi_fft_options options = {.n_axes = 2, .axes = {1, 1}};
	struct trnsci_mpi_fft *fft = NULL;

	expect_error(trnsci_mpi_fft_new(mpi, &slabs, &options, &fft, &err), TRNSCI_OUT_OF_RANGE, "fft: axes: 1, allowed is each axis below 2 once");
	options = (struct trnsci_mpi_fft_options){.norm = "none"};
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, &options, &fft, &err), TRNSCI_OUT_OF_RANGE, "fft: norm");
	options = (struct trnsci_mpi_fft_options){.wide = world_rank == 2};
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, &options, &fft, &err), TRNSCI_OUT_OF_RANGE, "rank 2: fft: layout and options: not the same");
	to.shape[0] = 17;
	options = (struct trnsci_mpi_fft_options){.to = &to};
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, &options, &fft, &err), TRNSCI_BAD_SHAPE, "fft: to: its shape");
	options = (struct trnsci_mpi_fft_options){.kind = TRNSCI_MPI_C2R, .to = &to};
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, &options, &fft, &err), TRNSCI_BAD_SHAPE, "fft: to: ");
	options = (struct trnsci_mpi_fft_options){.transposed_out = true};
	expect_error(trnsci_mpi_fft_new(mpi, &line, &options, &fft, &err), TRNSCI_NOT_SUPPORTED, "10007 has no factor near its root");
	line.block[0] = 16;
	expect_error(trnsci_mpi_fft_new(mpi, &line, NULL, &fft, &err), TRNSCI_NOT_SUPPORTED, "fft: layout: block");
	slabs.shape[1] = 0;
	expect_error(trnsci_mpi_fft_new(mpi, &slabs, NULL, &fft, &err), TRNSCI_OUT_OF_RANGE, "axis 1 has 0 elements");
	report("errors: ", "options of transforms");
}

static void check_files(struct trnsci_mpi *mpi, const char *folder)
{
	const uint64_t shape[1] = {100};
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(1, shape), found;
	enum trnsci_dtype dtype;
	struct trnsci_mpi_checkpoint checkpoint;
	float data[100] = {0};
	char path[256];

	expect_error(trnsci_mpi_write(mpi, "/nowhere/x.npy", &layout, TRNSCI_F32, data, &err), TRNSCI_SYSTEM, "rank 0: MPI_File_open");
	expect_error(trnsci_mpi_look(mpi, "/nowhere/x.npy", &found, &dtype, &err), TRNSCI_SYSTEM, "No such file");
	snprintf(path, sizeof path, "%s/plain.npy", folder);
	EXPECT(trnsci_mpi_write(mpi, path, &layout, TRNSCI_F32, data, &err) == 0, "%s", err.text);
	EXPECT(trnsci_mpi_look(mpi, path, &found, &dtype, &err) == 0 && found.ndim == 1 && found.shape[0] == 100 && dtype == TRNSCI_F32,
	       "what was written was not found: %s", err.text);
	expect_error(trnsci_mpi_read(mpi, path, &layout, TRNSCI_F64, data, &err), TRNSCI_BAD_SHAPE, "its dtype is f32");
	expect_error(trnsci_mpi_restore(mpi, path, &layout, TRNSCI_F32, data, &checkpoint, &err), TRNSCI_BAD_SHAPE, "no checkpoint");
	layout.shape[0] = 99;
	expect_error(trnsci_mpi_read(mpi, path, &layout, TRNSCI_F32, data, &err), TRNSCI_BAD_SHAPE, "its shape is not");
	report("errors: ", "files");
}

int main(int argc, char **argv)
{
	begin_job(&argc, &argv);
	check_communicators();
	check_cpus();
	struct trnsci_mpi *mpi = group_of(4, "embedded:");

	check_layouts(mpi);
	check_options(mpi);
	check_memory(mpi);
	check_files(mpi, argc > 1 ? argv[1] : ".");
	trnsci_mpi_close(mpi);
	return end_job();
}
