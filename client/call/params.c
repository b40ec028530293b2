/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of parameters, as a program gives them: searched and measured. */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"

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
