/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the caller's: sizes, checks and copies. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/dtype.h"

enum { ALIGNMENT = 64 }; /* bytes: a cache line, and the widest vector */

/* At most SIZE_MAX / 2 bytes, so that differences of addresses inside an array fit ptrdiff_t. */
static bool count_overflows(const struct trnsci_array *array, uint64_t *ret_count, uint64_t *ret_bytes)
{
	uint64_t count = 1;

	for (size_t i = 0; i < array->ndim; i++)
		if (mul_overflows(count, array->shape[i], &count))
			return true;
	*ret_count = count;
	return mul_overflows(count, dtype_size((enum dtype)array->dtype), ret_bytes) || *ret_bytes > SIZE_MAX / 2;
}

int array_check(const struct trnsci_array *array, const char *what, const char *name, struct error *err)
{
	uint64_t count, bytes;

	if (dtype_size((enum dtype)array->dtype) == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: dtype: %d is none", what, name, (int)array->dtype);
	if (array->ndim < 1 || array->ndim > TRNSCI_MAX_DIMS)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: shape: %zu dimensions, allowed 1 to %d", what, name,
				 array->ndim, TRNSCI_MAX_DIMS);
	if (count_overflows(array, &count, &bytes))
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: shape: more bytes than memory can have", what, name);
	if (!array->data && bytes > 0)
		return error_set(err, ERROR_MISSING_PARAMETER, "%s: %s: data: missing", what, name);
	return 0;
}

size_t array_bytes(const struct trnsci_array *array)
{
	uint64_t count, bytes;

	return count_overflows(array, &count, &bytes) ? 0 : (size_t)bytes;
}

uint64_t array_count(const struct trnsci_array *array)
{
	uint64_t count, bytes;

	return count_overflows(array, &count, &bytes) ? 0 : count;
}

bool array_is_aligned(const struct trnsci_array *array)
{
	return (uintptr_t)array->data % dtype_size((enum dtype)array->dtype) == 0;
}

bool array_overlaps(const struct trnsci_array *a, const struct trnsci_array *b)
{
	const uintptr_t from_a = (uintptr_t)a->data, from_b = (uintptr_t)b->data;

	return from_a < from_b + array_bytes(b) && from_b < from_a + array_bytes(a);
}

bool array_is_like(const struct trnsci_array *a, const struct trnsci_array *b)
{
	return a->dtype == b->dtype && a->ndim == b->ndim && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0;
}

bool array_is_same(const struct trnsci_array *a, const struct trnsci_array *b)
{
	return a->data == b->data && array_is_like(a, b);
}

int array_clone(const struct trnsci_array *array, bool copy, struct trnsci_array *ret_array, struct error *err)
{
	const size_t bytes = array_bytes(array);
	uint64_t size;
	void *data = round_up_overflows(bytes ? bytes : 1, ALIGNMENT, &size) ? NULL : aligned_alloc(ALIGNMENT, size);

	if (!data)
		return error_set(err, ERROR_NO_MEMORY, "no memory for an aligned copy of %zu bytes", bytes);
	if (copy && bytes)
		memcpy(data, array->data, bytes);
	*ret_array = *array;
	ret_array->data = data;
	return 0;
}
