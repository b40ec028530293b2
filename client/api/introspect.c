/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, dtypes and operations by name, from the tables that the engine uses. */
#include <assert.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "base/dtype.h"
#include "base/error.h"
#include "engine/operations/operations.h"
#include "rng/generator.h"

/* The installed header repeats the numbers of the tables: they are part of the ABI. */
#define X(id, number, kind, name, meaning) static_assert((int)TRNSCI_##id == number, "trnsci.h lacks " name);
ERROR_TABLE(X)
#undef X
#define X(id, number, name, long_name, size, descr) static_assert((int)TRNSCI_##id == number, "trnsci.h lacks " name);
DTYPE_TABLE(X)
#undef X

const char *trnsci_error_name(int code)
{
	return error_name(code);
}

const char *trnsci_strerror(int code)
{
	return error_meaning(code);
}

bool trnsci_error_is_transient(int code)
{
	return code != 0 && error_kind(code) == ERROR_KIND_FAILED;
}

const char *trnsci_version(void)
{
	return TRNSCI_VERSION;
}

size_t trnsci_dtype_size(enum trnsci_dtype dtype)
{
	return dtype_size((enum dtype)dtype);
}

const char *trnsci_dtype_name(enum trnsci_dtype dtype)
{
	return dtype_name((enum dtype)dtype);
}

enum trnsci_dtype trnsci_dtype_parse(const char *name)
{
	return name ? (enum trnsci_dtype)dtype_parse(name, strlen(name)) : TRNSCI_DTYPE_NONE;
}

/* Texts are constant, of the tables: they live as long as the library is loaded. */
int trnsci_operation_at(size_t index, struct trnsci_operation_info *ret_operation)
{
	size_t count;
	const struct operation *rows = operations(&count);

	if (index >= count)
		return -ERROR_OUT_OF_RANGE;
	*ret_operation = (struct trnsci_operation_info){
		.name = rows[index].name,
		.category = method_class_name(rows[index].class),
		.help = rows[index].help,
		.details = rows[index].details,
		.n_parameters = rows[index].n_params,
		.is_distribution = rows[index].is_distribution,
	};
	return 0;
}

int trnsci_operation_parameter(const char *operation, size_t index, struct trnsci_parameter_info *ret_parameter)
{
	const struct operation *row = operation ? operation_find(operation, strlen(operation)) : NULL;

	if (!row)
		return -ERROR_UNKNOWN_METHOD;
	if (index >= row->n_params)
		return -ERROR_OUT_OF_RANGE;
	const struct param *param = &row->params[index];

	*ret_parameter = (struct trnsci_parameter_info){
		.name = param->name,
		.type = param_type_name(param->type),
		.unit = param->unit ? param->unit : "",
		.fallback = param->fallback,
		.choices = param->choices,
		.help = param->help,
		.min = param->min,
		.max = param->max,
		.above_min = param->above_min,
	};
	return 0;
}

int trnsci_generator_at(size_t index, struct trnsci_generator_info *ret_generator)
{
	if (index >= GENERATOR_COUNT)
		return -ERROR_OUT_OF_RANGE;
	const struct generator_row *row = generator_row((enum generator)index);

	*ret_generator = (struct trnsci_generator_info){.name = row->name, .most_stream = row->most_stream};
	return 0;
}
