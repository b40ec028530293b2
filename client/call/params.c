/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_set_params: a list of parameters becomes arguments of a call. */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

static void set_u64s(struct trnsci_args *args, const struct trnsci_param *param)
{
	struct trnsci_args *list = trnsci_set_list(args, param->name);
	const uint64_t *values = param->value.data;

	if (!values && param->count)
		args_set_missing(args, param->name);
	for (size_t i = 0; values && i < param->count; i++)
		args_set_u64(list, NULL, values[i]);
}

static void set_i64s(struct trnsci_args *args, const struct trnsci_param *param)
{
	struct trnsci_args *list = trnsci_set_list(args, param->name);
	const int64_t *values = param->value.data;

	if (!values && param->count)
		args_set_missing(args, param->name);
	for (size_t i = 0; values && i < param->count; i++)
		args_set_i64(list, NULL, values[i]);
}

/* f64 lists go as bytes: a list of values would take nine bytes and a tree node for each. */
static void set_param(struct trnsci_args *args, const struct trnsci_param *param)
{
	switch (param->kind) {
	case TRNSCI_PARAM_U64:
		args_set_u64(args, param->name, param->value.u64);
		break;
	case TRNSCI_PARAM_I64:
		args_set_i64(args, param->name, param->value.i64);
		break;
	case TRNSCI_PARAM_F64:
		args_set_f64(args, param->name, param->value.f64);
		break;
	case TRNSCI_PARAM_BOOL:
		args_set_bool(args, param->name, param->value.boolean);
		break;
	case TRNSCI_PARAM_TEXT:
		args_set_text(args, param->name, param->value.text);
		break;
	case TRNSCI_PARAM_BYTES:
		args_set_bytes(args, param->name, param->value.data, param->count);
		break;
	case TRNSCI_PARAM_U64S:
		set_u64s(args, param);
		break;
	case TRNSCI_PARAM_I64S:
		set_i64s(args, param);
		break;
	case TRNSCI_PARAM_F64S:
		args_set_bytes(args, param->name, param->value.data, param->count * sizeof(double));
		break;
	case TRNSCI_PARAM_TILE:
		args_set_tile(args, param->name, param->value.tile);
		break;
	case TRNSCI_PARAM_TILE_ELEMENTS:
		args_set_tile(trnsci_set_map(args, param->name), "tile", param->value.tile);
		break;
	case TRNSCI_PARAM_NEW_TILE:
		args_set_new_tile(args, param->name);
		break;
	case TRNSCI_PARAM_ARRAY:
		args_set_array(args, param->name, param->value.array);
		break;
	case TRNSCI_PARAM_MAP:
		trnsci_set_params(trnsci_set_map(args, param->name), param->value.params);
		break;
	default:
		args_fail(args);
	}
}

void trnsci_set_params(struct trnsci_args *args, const struct trnsci_param *params)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++)
		set_param(args, params);
}

const struct trnsci_param *params_find(const struct trnsci_param *params, const char *name)
{
	for (; params && params->kind != TRNSCI_PARAM_END; params++)
		if (params->name && strcmp(params->name, name) == 0)
			return params;
	return NULL;
}

uint64_t params_array_bytes(const struct trnsci_param *params)
{
	uint64_t bytes = 0;

	for (; params && params->kind != TRNSCI_PARAM_END; params++) {
		const struct trnsci_array *array = params->kind == TRNSCI_PARAM_ARRAY ? params->value.array : NULL;
		uint64_t size = array ? dtype_size((enum dtype)array->dtype) : 0;

		for (size_t i = 0; array && i < array->ndim && i < TRNSCI_MAX_DIMS; i++)
			size *= array->shape[i];
		bytes += size;
	}
	return bytes;
}

bool params_is_zero(const struct trnsci_param *param)
{
	char *end;

	switch (param->kind) {
	case TRNSCI_PARAM_U64:
	case TRNSCI_PARAM_I64:
		return param->value.u64 == 0;
	case TRNSCI_PARAM_F64:
		return param->value.f64 == 0;
	case TRNSCI_PARAM_TEXT:
		return param->value.text && strtoull(param->value.text, &end, 0) == 0 && end != param->value.text && *end == '\0';
	default:
		return false;
	}
}
