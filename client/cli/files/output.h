/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go: a file or stdout, as raw bytes, npy, text or csv. */
#ifndef TRNSCI_CLI_OUTPUT_H
#define TRNSCI_CLI_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "cli.h"
#include "files/npy.h"

enum format { FORMAT_RAW, FORMAT_NPY, FORMAT_TEXT, FORMAT_CSV };

struct output {
	int fd;
	const char *name;
	enum format format;
	enum trnsci_dtype dtype;
	char *buffer; /* of text */
	size_t used;
};

/* name: NULL or "-" for stdout. format: NULL for npy when the name ends in .npy, text on a terminal, raw otherwise.
 * An exit code; nothing is created when the format is wrong. */
int output_open(const char *name, const char *format, struct output *ret_output);

/* What the array will be. An exit code. */
int output_begin(struct output *output, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape);

/* The next count elements, of any alignment. An exit code. */
int output_write(struct output *output, const void *elements, size_t count);

/* All elements of a tile, read in place: an error when a daemon's end may have emptied it meanwhile. An exit code. */
int output_write_tile(struct output *output, struct trnsci_session *session, const struct trnsci_tile *tile);

/* Ends the array and closes the file; code is what happened so far, and is returned unless closing fails. */
int output_close(struct output *output, int code);

#endif
