/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and their texts. */
#include "engine/operations/shape.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/error.h"

/* At most 2^62 bytes: the sum of two sizes then still fits 64 bits, also signed. Sizes of 0 count as 1 in that, as in
 * numpy: then no product of sizes overflows, whatever else the shape is made into. */
bool shape_finish(struct shape *shape)
{
	uint64_t n = 1, bytes;
	bool empty = false;

	for (unsigned i = 0; i < shape->ndim; i++) {
		empty |= shape->dims[i] == 0;
		if (mul_overflows(n, shape->dims[i] ? shape->dims[i] : 1, &n))
			return false;
	}
	if (mul_overflows(n, dtype_size(shape->dtype), &bytes) || bytes > UINT64_C(1) << 62)
		return false;
	shape->n = empty ? 0 : n;
	shape->bytes = empty ? 0 : bytes;
	return true;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->dtype != b->dtype || a->ndim != b->ndim)
		return false;
	for (unsigned i = 0; i < a->ndim; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return true;
}

const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT])
{
	int at = snprintf(text, SHAPE_TEXT, "%s (", dtype_name(shape->dtype));

	for (unsigned i = 0; i < shape->ndim && at < SHAPE_TEXT; i++)
		at += snprintf(text + at, (size_t)(SHAPE_TEXT - at), "%s%" PRIu64, i ? ", " : "", shape->dims[i]);
	if (at < SHAPE_TEXT)
		snprintf(text + at, (size_t)(SHAPE_TEXT - at), ")");
	return text;
}

int shape_put(const struct shape *shape, struct bump *bump, struct value *map)
{
	struct value *at = bump_alloc(bump, (shape->ndim + 1) * sizeof *at);

	for (unsigned i = 0; at && i < shape->ndim; i++)
		at[i] = value_uint(shape->dims[i]);
	if (!at || value_add(bump, map, "dtype", value_string(dtype_name(shape->dtype))))
		return -ERROR_NO_MEMORY;
	return value_add(bump, map, "shape",
			 (struct value){.kind = VALUE_ARRAY, .array = {at, shape->ndim, shape->ndim + 1}});
}
