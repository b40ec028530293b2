/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows of the table of operations, and parameters of a row, by name. */
#include "engine/operations/operations.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "distributions/rows/dist_row.h"
#include "engine/operations/params.h"

enum { MOST_ROWS = UCHAR_MAX - 1 }; /* a row's number is a byte, and 0 ends a list */

/* Compares letter by letter rather than by strlen and memcmp: most names differ in their first letter. A name that came
 * from a client may have a NUL in it, which must not match the end of the row's name. */
static inline bool is_name(const char *row, const char *name, size_t size)
{
	if (size == 0 || row[0] != name[0])
		return false;
	for (size_t i = 1; i < size; i++)
		if (row[i] != name[i] || row[i] == '\0')
			return false;
	return row[size] == '\0';
}

/* A hash table of the rows, built on the first search and constant from then on. An entry is a row's index plus 1; 0
 * ends a chain. */
static struct {
	pthread_once_t once;
	unsigned char first[128];      /* of each bucket */
	unsigned char next[MOST_ROWS]; /* by row: the next row in the same bucket */
} by_name = {.once = PTHREAD_ONCE_INIT};

/* Hashes the size and the first letter only: enough to leave about one row in a bucket. size > 0. */
static unsigned char *name_bucket(const char *name, size_t size)
{
	return &by_name.first[((unsigned char)name[0] + 7 * size) % sizeof by_name.first];
}

/* Chains the rows of each bucket, from the last to the first, so that each chain is in the order of the table. */
static void make_index(void)
{
	size_t count;
	const struct operation *rows = operations(&count);

	assert(count <= MOST_ROWS);
	for (size_t i = count; i-- > 0;) {
		unsigned char *first = name_bucket(rows[i].name, rows[i].name_size);

		by_name.next[i] = *first;
		*first = (unsigned char)(i + 1);
	}
}

const struct operation *operation_find(const char *name, size_t size)
{
	size_t count;
	const struct operation *rows = operations(&count);

	pthread_once(&by_name.once, make_index);
	for (size_t at = size ? *name_bucket(name, size) : 0; at > 0; at = by_name.next[at - 1])
		if (rows[at - 1].name_size == size && memcmp(rows[at - 1].name, name, size) == 0)
			return &rows[at - 1];
	return NULL;
}

bool operation_takes_array(const struct operation *operation, size_t param)
{
	const enum distribution distribution = dist_find(operation->name, operation->name_size);

	return operation->class == METHOD_DRAW && param >= DRAW_COMMON && distribution != DIST_COUNT &&
	       dist_takes_array(distribution, (unsigned)param - DRAW_COMMON);
}

const struct param *operation_param(const struct operation *operation, const char *name, size_t size)
{
	for (size_t i = 0; i < operation->n_params; i++)
		if (is_name(operation->params[i].name, name, size))
			return &operation->params[i];
	return NULL;
}
