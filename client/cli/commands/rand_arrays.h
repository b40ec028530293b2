/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a draw that are arrays in files, "--lam @image.npy": an element for each sample. */
#ifndef TRNSCI_CLI_COMMANDS_RAND_ARRAYS_H
#define TRNSCI_CLI_COMMANDS_RAND_ARRAYS_H

#include "cli.h"
#include "files/input.h"
#include "options/options.h"

enum { RAND_ARRAYS = 4 }; /* no distribution has more parameters that take arrays */

struct rand_arrays {
	size_t n;
	struct rand_array {
		const char *name;
		struct input input;
		uint64_t count;
		struct trnsci_tile *tile; /* NULL until rand_arrays_read */
	} at[RAND_ARRAYS];
};

/* Opens the files of all options whose value is "@FILE". An exit code. */
int rand_arrays_open(const struct options *options, struct rand_arrays *ret_arrays);

/* Returns the array with the most elements, of several the first; NULL: there are none. */
const struct rand_array *rand_arrays_longest(const struct rand_arrays *arrays);

/* Reads the files into tiles of the session. An exit code. */
int rand_arrays_read(struct trnsci_session *session, struct rand_arrays *arrays);

void rand_arrays_set(const struct rand_arrays *arrays, struct trnsci_args *args);

void rand_arrays_close(struct rand_arrays *arrays);

#endif
