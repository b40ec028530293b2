/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in the rows of distributions, and the few properties that follow from their numbers. */
#include "distributions/rows/distribution.h"

#include <string.h>

static const struct {
	const char *name, *dtypes; /* dtypes: names joined by | */
	size_t name_size;
} rows[DIST_COUNT] = {
#define ROW(id, name, shape, dtypes, fallback, help) {#name, dtypes, sizeof #name - 1},
	DISTRIBUTION_ROWS(ROW)
#undef ROW
};

const char *dist_name(enum distribution distribution)
{
	return rows[distribution].name;
}

enum distribution dist_find(const char *name, size_t size)
{
	unsigned distribution = 0;

	while (distribution < DIST_COUNT &&
	       (rows[distribution].name_size != size || memcmp(rows[distribution].name, name, size) != 0))
		distribution++;
	return (enum distribution)distribution;
}

/* A choice of method is no parameter of a sample, truncated_normal's bounds decide the kernel, and the others'
 * parameters decide a table or the length of what is drawn. */
bool dist_takes_array(enum distribution distribution, unsigned parameter)
{
	switch (distribution) {
	case DIST_NORMAL:
	case DIST_TRUNCATED_NORMAL:
		return parameter < 2;
	case DIST_PERMUTATION:
	case DIST_CATEGORICAL:
	case DIST_DIRICHLET:
	case DIST_SPHERE:
	case DIST_MULTINOMIAL:
		return false;
	default:
		return true;
	}
}

/* The distributions from rayleigh up to multinomial have only kernels that read the parameters of each sample:
 * dist_rows.h lists them last, and new ones of this kind go there. */
bool dist_is_per_sample(enum distribution distribution)
{
	return distribution >= DIST_RAYLEIGH && distribution < DIST_MULTINOMIAL;
}

/* Expands each row to the types of its parameters, COUNT_U64 being the last so that the 0 behind them is none. */
bool dist_is_count(enum distribution distribution, unsigned parameter)
{
	enum { COUNT_F64, COUNT_INT, COUNT_CHOICE, COUNT_ANY, COUNT_U64 };
	static const struct {
		unsigned char types[DIST_PARAMETERS + 1];
	} all[DIST_COUNT] = {
#define P(name, type, ...) COUNT_##type,
#define ROW(id, name, shape, dtypes, fallback, help) {{id##_PARAMETERS(P) 0}},
		DISTRIBUTION_ROWS(ROW)
#undef ROW
#undef P
	};

	return all[distribution].types[parameter] == COUNT_U64;
}

bool dist_is_vector(enum distribution distribution)
{
	return distribution == DIST_DIRICHLET || distribution == DIST_SPHERE || distribution == DIST_MULTINOMIAL;
}

bool dist_has_dtype(enum distribution distribution, enum dtype dtype)
{
	const char *const name = dtype_name(dtype);
	const size_t size = strlen(name);

	for (const char *at = rows[distribution].dtypes; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strncmp(at, name, size) == 0 && (at[size] == '|' || at[size] == '\0'))
			return true;
	return false;
}
