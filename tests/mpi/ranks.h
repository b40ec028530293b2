/* SPDX-License-Identifier: Apache-2.0 */
/* What the MPI checks share: TAP that rank 0 prints for all ranks, and groups of the first 1, 2, 3 ... ranks of one job, so
 * that one start of mpirun is enough. */
#ifndef TESTS_MPI_RANKS_H
#define TESTS_MPI_RANKS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci-mpi.h>

static int world_rank, world_size, checks, failures;
static char reason[512]; /* why this rank's part of a check failed; empty: it did not */

#define EXPECT(condition, ...)                                                                                         \
	do {                                                                                                           \
		if (!(condition) && !reason[0])                                                                        \
			snprintf(reason, sizeof reason, __VA_ARGS__);                                                  \
	} while (0)

/* Collective over the job: ends a check. */
static inline void report(const char *format, const char *subject)
{
	int bad = reason[0] != '\0', first, mine = bad ? world_rank : world_size;

	MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (first < world_size)
		MPI_Bcast(reason, sizeof reason, MPI_CHAR, first, MPI_COMM_WORLD);
	if (world_rank == 0) {
		printf("%sok %d - ", first < world_size ? "not " : "", ++checks);
		printf("%s%s\n", format, subject);
		if (first < world_size)
			printf("# rank %d: %s\n", first, reason);
		fflush(stdout);
	}
	failures += first < world_size;
	reason[0] = '\0';
}

static const int sizes[] = {1, 2, 3, 4, 5, 8};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* The group of the first ranks of the job; NULL on the others, and where the job is too small. */
static inline struct trnsci_mpi *group_of(int size, const char *address)
{
	struct trnsci_options options = {.threads = 1};
	struct trnsci_mpi *mpi = NULL;
	struct trnsci_error err;
	MPI_Comm comm;

	if (size > world_size)
		return NULL;
	MPI_Comm_split(MPI_COMM_WORLD, world_rank < size ? 0 : MPI_UNDEFINED, world_rank, &comm);
	if (comm == MPI_COMM_NULL)
		return NULL;
	if (trnsci_mpi_open(comm, address, &options, &mpi, &err) < 0)
		EXPECT(0, "%s", err.text);
	MPI_Comm_free(&comm);
	return mpi;
}

/* The layouts of an array that a number of ranks is tried with: slabs, a grid of two axes, and blocks dealt cyclically. */
enum { N_LAYOUTS = 4 };
static inline struct trnsci_mpi_layout layout_of(int number, size_t ndim, const uint64_t *shape, int size)
{
	struct trnsci_mpi_layout layout = trnsci_mpi_slabs(ndim, shape);
	const uint64_t ranks = (uint64_t)size, two = ranks % 2 == 0 ? 2 : 1;
	const size_t last = ndim - 1;

	for (size_t i = 0; i < ndim; i++)
		layout.grid[i] = 1;
	layout.grid[number == 1 ? last : 0] = number == 2 ? ranks / two : ranks;
	if (number == 2)
		layout.grid[last] *= two;
	if (number == 3) {
		layout.grid[0] = ranks / two;
		layout.grid[last] *= two;
		layout.block[0] = 1;
		layout.block[last] = 3;
	}
	return layout;
}

/* Where an element of a rank's array lies in the global one. */
static inline uint64_t global_of(const struct trnsci_mpi_layout *layout, int rank, int size, const struct trnsci_mpi_part *part,
				 uint64_t local)
{
	uint64_t index = 0, stride = 1;

	for (size_t i = layout->ndim; i-- > 0;) {
		index += trnsci_mpi_global_index(layout, rank, size, i, local % part->shape[i]) * stride;
		stride *= layout->shape[i];
		local /= part->shape[i];
	}
	return index;
}

static inline void begin_job(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

static inline int end_job(void)
{
	if (world_rank == 0)
		printf("1..%d\n", checks);
	MPI_Finalize();
	return 0; /* what failed stands in the report */
}

#endif
