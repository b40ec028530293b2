/* SPDX-License-Identifier: Apache-2.0 */
/* The table of generators. */
#include "rng/generator.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "rng/ars.h"
#include "rng/philox.h"
#include "rng/philox2x32.h"
#include "rng/philox4x64.h"
#include "rng/threefry.h"
#include "rng/threefry2x32.h"
#include "rng/threefry4x64.h"

static const struct generator_row rows[GENERATOR_COUNT] = {
#define X(id, number, name, stem, most_stream, most_draw)                                                              \
	[number] = {name, stem##_kernels, stem##_select, most_stream, most_draw},
	GENERATOR_TABLE(X)
#undef X
};

const struct generator_row *generator_row(enum generator generator)
{
	assert((unsigned)generator < GENERATOR_COUNT);
	return &rows[generator];
}

int generator_parse(const char *name, size_t size, enum generator *ret)
{
	for (unsigned i = 0; i < GENERATOR_COUNT; i++)
		if (strlen(rows[i].name) == size && memcmp(rows[i].name, name, size) == 0) {
			*ret = (enum generator)i;
			return 0;
		}
	return -ERROR_OUT_OF_RANGE;
}

const struct rng_kernel *generator_select(enum generator generator, uint32_t features)
{
	return generator_row(generator)->select(features);
}
