/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a file as elements of ours. */
#ifndef TRNSCI_CLI_FILES_CONVERT_H
#define TRNSCI_CLI_FILES_CONVERT_H

#include <stddef.h>

#include "npy/npy.h"

/* How elements of one of our dtypes stand. */
struct npy_storage convert_storage(enum trnsci_dtype dtype);

/* Whether stored elements are already those of dtype, byte for byte. */
bool convert_is_copy(const struct npy_storage *storage, enum trnsci_dtype dtype);

/* Converts count stored elements to dtype, which holds all values of the stored kind or is floating. Integers beyond 2^53
 * are rounded to float64. */
void convert_elements(const struct npy_storage *storage, const void *from, enum trnsci_dtype dtype, void *to, size_t count);

/* Stores part i of elements of dtype, of which a complex one has two: `integer` where the dtype is an integer, else `real`. */
void convert_number(double real, uint64_t integer, enum trnsci_dtype dtype, void *to, size_t i);

/* Puts an array that stands in Fortran order into C order; element: bytes of one. */
void convert_order(const struct npy *array, size_t element, const void *from, void *to);

/* The floating dtype that an array of dtype is computed in, as scipy does: integers float64, 16-bit floats float32. */
enum trnsci_dtype convert_floating(enum trnsci_dtype dtype);

#endif
