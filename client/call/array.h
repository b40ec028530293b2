/* SPDX-License-Identifier: Apache-2.0 */
/* Public arrays. */
#ifndef TRNSCI_CLIENT_CALL_ARRAY_H
#define TRNSCI_CLIENT_CALL_ARRAY_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* There is a dtype, 1 to 8 dimensions, and memory that can be. what and name begin the error's text.
 * -ERROR_OUT_OF_RANGE */
int array_check(const struct trnsci_array *array, const char *what, const char *name, struct error *err);

/* Bytes and elements by dtype and shape; 0 when there are more than memory can have. */
size_t array_bytes(const struct trnsci_array *array);
uint64_t array_count(const struct trnsci_array *array);

/* An element lies where its type asks for. */
bool array_is_aligned(const struct trnsci_array *array);
/* They share a byte. */
bool array_overlaps(const struct trnsci_array *a, const struct trnsci_array *b);
/* They are the same memory, of the same dtype and shape. */
bool array_is_same(const struct trnsci_array *a, const struct trnsci_array *b);

/* Another of its kind in aligned memory of its own, data being to be freed; copy: with the content. -ERROR_NO_MEMORY */
int array_clone(const struct trnsci_array *array, bool copy, struct trnsci_array *ret_array, struct error *err);

#endif
