/* SPDX-License-Identifier: Apache-2.0 */
/* The table of distributions, with the functions that its rows name, and what is looked up in it. */
#include "distributions/rows/dist_row.h"

#include <string.h>

#include "distributions/rows/check_body.h"

#include "distributions/rows/plan_body.h"

/* clang-format off */
#define ONE(...) +1
#define P(...) TAKE(__VA_ARGS__)
#define TAKE(name, type, unit, fallback, least, most, above, choices, help) \
	{#name, fallback, choices, DIST_TYPE_##type, least, most, above},
#define S(narrow, wide, acceptance_, ...) .bits = {narrow, wide}, .acceptance = acceptance_
#define KERNEL(name, ...) {.kernel = offsetof(struct dist_kernel, name), .reads = __VA_ARGS__}
#define ROW(id, name_, shape, dtypes_, fallback, help) \
	[DIST_##id] = {.name = #name_, .dtypes = dtypes_, .name_size = sizeof #name_ - 1, \
		       .n_parameters = 0 id##_PARAMETERS(ONE), .parameters = {id##_PARAMETERS(P)}, id##_SAMPLING(S), id##_DRAW},
const struct dist_row dist_rows[DIST_COUNT] = {DISTRIBUTION_ROWS(ROW)};
/* clang-format on */

const char *dist_name(enum distribution distribution)
{
	return dist_rows[distribution].name;
}

enum distribution dist_find(const char *name, size_t size)
{
	unsigned distribution = 0;

	while (distribution < DIST_COUNT &&
	       (dist_rows[distribution].name_size != size || memcmp(dist_rows[distribution].name, name, size) != 0))
		distribution++;
	return (enum distribution)distribution;
}

bool dist_takes_array(enum distribution distribution, unsigned parameter)
{
	const struct dist_row *row = dist_row(distribution);
	const enum dist_type type = row->parameters[parameter].type;

	return (row->samples.reads || row->second.reads) && parameter + row->n_fixed < row->n_parameters &&
	       type != DIST_TYPE_CHOICE && type != DIST_TYPE_ANY;
}

bool dist_has_dtype(enum distribution distribution, enum dtype dtype)
{
	const char *const name = dtype_name(dtype);
	const size_t size = strlen(name);

	for (const char *at = dist_rows[distribution].dtypes; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strncmp(at, name, size) == 0 && (at[size] == '|' || at[size] == '\0'))
			return true;
	return false;
}
