/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the caller's (struct trnsci_array). */
#ifndef TRNSCI_CLIENT_CALL_ARRAY_H
#define TRNSCI_CLIENT_CALL_ARRAY_H

#include <trnsci/trnsci.h>

#include "base/error.h"

/* Checks that the array has a dtype, 1 to 8 dimensions, a size that memory can have, and data unless it is empty.
 * `what` and `name` begin the error's text. -ERROR_OUT_OF_RANGE, -ERROR_MISSING_PARAMETER */
int array_check(const struct trnsci_array *array, const char *what, const char *name, struct error *err);

/* Return bytes and elements by dtype and shape; 0 if they exceed what memory can have. */
size_t array_bytes(const struct trnsci_array *array);
uint64_t array_count(const struct trnsci_array *array);

/* Returns whether the data is aligned to the size of an element. */
bool array_is_aligned(const struct trnsci_array *array);
/* Returns whether the two share a byte. */
bool array_overlaps(const struct trnsci_array *a, const struct trnsci_array *b);
/* Returns whether the two have the same dtype and shape. */
bool array_is_like(const struct trnsci_array *a, const struct trnsci_array *b);
/* Returns whether the two are the same memory with the same dtype and shape. */
bool array_is_same(const struct trnsci_array *a, const struct trnsci_array *b);

/* Makes an array of the same dtype and shape in aligned memory, whose data the caller frees; copy: with the content.
 * -ERROR_NO_MEMORY */
int array_clone(const struct trnsci_array *array, bool copy, struct trnsci_array *ret_array, struct error *err);

#endif
