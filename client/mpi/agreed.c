/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and names are compared as they are, parameters by a hash. */
#include "agreed.h"

#include <string.h>

struct agreed {
	struct trnsci_mpi_layout layout;
	char names[3][72]; /* distribution, stream, generator */
	uint64_t numbers[5];
	uint64_t params; /* a hash */
};

static uint64_t hash_array(const struct trnsci_array *array, uint64_t hash)
{
	uint64_t bytes = array->data ? trnsci_dtype_size(array->dtype) : 0;

	hash = group_hash(&array->dtype, sizeof array->dtype, hash);
	hash = group_hash(array->shape, array->ndim * sizeof *array->shape, hash);
	for (size_t i = 0; i < array->ndim; i++)
		bytes *= array->shape[i];
	return group_hash(array->data, bytes, hash);
}

/* What a parameter is, but for addresses and tiles. */
static uint64_t hash_param(const struct trnsci_param *param, uint64_t hash)
{
	hash = group_hash(param->name, param->name ? strlen(param->name) : 0, hash);
	hash = group_hash(&param->kind, sizeof param->kind, hash);
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
	case TRNSCI_PARAM_I64:
	case TRNSCI_PARAM_F64:
		return group_hash(&param->value, sizeof param->value.u64, hash);
	case TRNSCI_PARAM_BOOL:
		return group_hash(&param->value.boolean, sizeof param->value.boolean, hash);
	case TRNSCI_PARAM_TEXT:
		return group_hash(param->value.text, param->value.text ? strlen(param->value.text) : 0, hash);
	case TRNSCI_PARAM_BYTES:
		return group_hash(param->value.data, param->value.data ? param->count : 0, hash);
	case TRNSCI_PARAM_U64S:
	case TRNSCI_PARAM_I64S:
	case TRNSCI_PARAM_F64S:
		return group_hash(param->value.data, param->value.data ? param->count * sizeof(uint64_t) : 0, hash);
	case TRNSCI_PARAM_ARRAY:
		return param->value.array ? hash_array(param->value.array, hash) : hash;
	default:
		return hash;
	}
}

int agree_draw(struct trnsci_mpi *mpi, int result, const char *distribution, const struct trnsci_param *params,
	       const struct trnsci_source *source, enum trnsci_dtype dtype, const struct trnsci_mpi_layout *layout, const char *what,
	       struct trnsci_error *err)
{
	const char *const names[3] = {distribution, source->name, source->generator};
	struct agreed agreed;

	memset(&agreed, 0, sizeof agreed);
	agreed.layout = *layout;
	for (size_t i = 0; i < 3; i++)
		if (names[i])
			strncpy(agreed.names[i], names[i], sizeof agreed.names[i] - 1);
	agreed.numbers[0] = source->seed;
	agreed.numbers[1] = source->stream;
	agreed.numbers[2] = source->position;
	agreed.numbers[3] = source->offset;
	agreed.numbers[4] = dtype;
	agreed.params = GROUP_HASH;
	for (const struct trnsci_param *param = params; param && param->kind != TRNSCI_PARAM_END; param++)
		agreed.params = hash_param(param, agreed.params);
	return group_agree_same(mpi, result, &agreed, sizeof agreed, what, err);
}
