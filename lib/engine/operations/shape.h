/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: up to eight sizes and an element type, row-major. */
#ifndef TRNSCI_ENGINE_SHAPE_H
#define TRNSCI_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/value.h"

enum { SHAPE_MAX_DIMS = 8 };

struct shape {
	enum dtype dtype;
	unsigned ndim;
	uint64_t dims[SHAPE_MAX_DIMS];
	uint64_t n, bytes; /* elements and bytes in all; set by shape_finish */
};

/* Sets n and bytes from dtype and dims; false when they pass 2^62. */
bool shape_finish(struct shape *shape);

bool shape_equal(const struct shape *a, const struct shape *b);

/* "f32 (3, 4)"; returns text. */
enum { SHAPE_TEXT = 96 };
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT]);

/* Puts dtype and shape into map. */
int shape_put(const struct shape *shape, struct bump *bump, struct value *map);

#endif
