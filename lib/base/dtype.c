/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: the table, expanded, and lookups in it. */
#include "base/dtype.h"

#include <string.h>

/* Indexed by number. Numbers without a dtype have an empty row. */
static const struct row {
	const char *name, *long_name;
	unsigned char name_size, long_size, size;
} rows[] = {
#define X(id, number, name, long_name, size, descr) \
	[number] = {name, long_name, sizeof name - 1, sizeof long_name - 1, size},
	DTYPE_TABLE(X)
#undef X
};

enum { N_ROWS = sizeof rows / sizeof *rows };

size_t dtype_size(enum dtype dtype)
{
	return (size_t)dtype < N_ROWS ? rows[dtype].size : 0;
}

const char *dtype_name(enum dtype dtype)
{
	return (size_t)dtype < N_ROWS && rows[dtype].name ? rows[dtype].name : "?";
}

static bool names_equal(const char *name, size_t size, const char *known, size_t known_size)
{
	return size == known_size && size > 0 && memcmp(name, known, size) == 0;
}

enum dtype dtype_parse(const char *name, size_t size)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (names_equal(name, size, rows[i].name, rows[i].name_size) ||
		    names_equal(name, size, rows[i].long_name, rows[i].long_size))
			return (enum dtype)i;
	return DTYPE_NONE;
}

bool dtype_is_complex(enum dtype dtype)
{
	return dtype == DTYPE_C64 || dtype == DTYPE_C128;
}

bool dtype_is_wide(enum dtype dtype)
{
	return dtype == DTYPE_F64 || dtype == DTYPE_C128;
}
