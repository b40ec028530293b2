/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: expands the one table. */
#include "base/dtype.h"

#include <string.h>

static const struct {
	enum dtype dtype;
	const char *name, *long_name;
	size_t size;
} rows[] = {
#define X(id, number, name, long_name, size, descr) {DTYPE_##id, name, long_name, size},
	DTYPE_TABLE(X)
#undef X
};

enum { N_ROWS = sizeof rows / sizeof *rows };

size_t dtype_size(enum dtype dtype)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].dtype == dtype)
			return rows[i].size;
	return 0;
}

const char *dtype_name(enum dtype dtype)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].dtype == dtype)
			return rows[i].name;
	return "?";
}

static bool same(const char *name, size_t size, const char *known)
{
	return strlen(known) == size && memcmp(name, known, size) == 0;
}

enum dtype dtype_parse(const char *name, size_t size)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (same(name, size, rows[i].name) || same(name, size, rows[i].long_name))
			return rows[i].dtype;
	return DTYPE_NONE;
}

bool dtype_is_complex(enum dtype dtype)
{
	return dtype == DTYPE_C64 || dtype == DTYPE_C128;
}
