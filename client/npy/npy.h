/* SPDX-License-Identifier: Apache-2.0 */
/* The header of numpy's .npy files: written as version 1.0, C order, little endian; read as 1.0 to 3.0, either order.
 *
 * Source: numpy.lib.format, "NPY format". */
#ifndef TRNSCI_NPY_H
#define TRNSCI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

enum { NPY_PREFIX_BYTES = 12, NPY_HEADER_MAX = 65536 };

#define NPY_MAGIC "\x93NUMPY"

/* An array. */
struct npy {
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS];
};

/* How its elements stand in a file. dtype of the array is the narrowest of ours that holds all of their values. */
struct npy_storage {
	char kind;    /* numpy's: b bool, i, u, f, c; V bfloat16; 0: as the array's dtype, little endian */
	uint8_t size; /* bytes of an element */
	bool swapped; /* big endian */
	bool fortran; /* the first axis varies fastest */
};

/* The bytes of the whole header, from its first NPY_PREFIX_BYTES; 0 when they are not the start of one that can be
 * read (*ret_wrong says why). */
size_t npy_header_bytes(const unsigned char *prefix, const char **ret_wrong);

/* Reads a whole header of size bytes. 0, or -1 with *ret_wrong: what was wrong, what is allowed. */
int npy_parse(const unsigned char *header, size_t size, struct npy *ret_npy, struct npy_storage *ret_storage,
	      const char **ret_wrong);

/* Writes a header into room bytes (512 always suffice), padded so that the data is aligned to 64. Its bytes; 0 when
 * numpy has no name for the dtype. */
size_t npy_write(const struct npy *npy, char *ret_header, size_t room);

#endif
