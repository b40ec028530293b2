/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of trnsci-mpi share. Every rank reads the same command line; rank 0 prints. */
#ifndef TRNSCI_MPI_COMMAND_H
#define TRNSCI_MPI_COMMAND_H

#include <trnsci/trnsci-mpi.h>

/* The exit codes are those of trnsci-cli. */
enum exit_code { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_DATA = 65, EXIT_NO_DAEMON = 69, EXIT_CANNOT_CREATE = 73, EXIT_IO = 74, EXIT_TRY_AGAIN = 75 };

enum { MOST_PARAMS = 16, MOST_FILES = 4 };

/* An array that is a parameter: "--lam @FILE.npy". */
struct parameter_file {
	const char *path;
	struct trnsci_array array; /* its memory is owned, once it is loaded */
};

struct options {
	const char *input, *output, *socket, *norm;
	bool embedded, quiet, inverse, real, sums;
	unsigned threads;
	struct trnsci_source source;
	enum trnsci_dtype dtype;
	struct trnsci_mpi_layout layout; /* shape, grid and block as far as they were given */
	size_t n_grid, n_block;
	size_t n_axes, axes[TRNSCI_MAX_DIMS];
	uint64_t length; /* 0: not given */
	struct trnsci_param params[MOST_PARAMS + 1];
	size_t n_params;
	double *lists[MOST_PARAMS]; /* the numbers of params[i] that are a list; owned */
	struct parameter_file files[MOST_FILES];
	size_t n_files;
};

/* Reads the words behind the command; `method` is the distribution of draw, or field, else NULL. 0, or an exit code: the reason was
 * printed by rank 0. */
int options_read(int argc, char **argv, const char *method, struct options *ret_options);

/* Reads a parameter of `method`. 0, or an exit code. */
int parameters_read(struct options *options, const char *method, const char *name, const char *value);
/* Collective. Reads the files that parameters name. 0, or an exit code. */
int parameters_load(struct trnsci_mpi *mpi, struct options *options);
void parameters_free(struct options *options);

/* Prints "trnsci-mpi: text" on rank 0 and returns the code. */
int command_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints an error of the library as command_fail does, and returns its code. */
int command_error(const struct trnsci_error *err);
/* Whether this is rank 0, which prints. */
bool command_prints(void);
/* Collective. Returns 0 where every rank has its memory, otherwise an exit code on all of them. */
int command_all_have(const void *data);

/* The commands draw and field. */
int command_draw(struct trnsci_mpi *mpi, const char *command, const char *method, struct options *options);
int command_fft(struct trnsci_mpi *mpi, const struct options *options);
int command_bench(struct trnsci_mpi *mpi, const struct options *options);

#endif
