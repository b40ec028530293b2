/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: up to eight sizes and an element type, row-major: the last dimension is contiguous. */
#ifndef TRNSCI_ENGINE_SHAPE_H
#define TRNSCI_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/value.h"

enum { SHAPE_MAX_DIMS = 8 };

struct shape {
	enum dtype dtype;
	unsigned ndim; /* 0 (a single element) to SHAPE_MAX_DIMS */
	uint64_t dims[SHAPE_MAX_DIMS]; /* the first ndim are set; 0 is allowed, and makes the shape empty */
	uint64_t n, bytes; /* elements and bytes in all, at most 2^62; set by shape_finish */
};

/* Sets n and bytes from dtype and dims. Returns false, and leaves both, where the sizes that are not 0 would make more than
 * 2^62 bytes. */
bool shape_finish(struct shape *shape);

/* Returns whether dtypes and all sizes agree. */
bool shape_equal(const struct shape *a, const struct shape *b);

/* Writes "f32 (3, 4)", cut where it is too long for text. Returns text. */
enum { SHAPE_TEXT = 96 };
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT]);

/* Puts the members dtype and shape into map, allocated in bump. Returns 0 or -ERROR_NO_MEMORY. */
int shape_put(const struct shape *shape, struct bump *bump, struct value *map);

#endif
