/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of any distribution of the table, with numbers or with an array among them. */
#ifndef TESTS_HARNESS_DRAW_PARAMS_H
#define TESTS_HARNESS_DRAW_PARAMS_H

#include <stdlib.h>
#include <string.h>

#include <trnsci/trnsci.h>

enum { DRAW_PARAMS_MOST = 12, DRAW_PARAMS_ELEMENTS = 13 };

struct draw_params {
	struct trnsci_param list[DRAW_PARAMS_MOST];
	double numbers[DRAW_PARAMS_ELEMENTS];
	int64_t integers[DRAW_PARAMS_ELEMENTS];
	struct trnsci_array array; /* data NULL: there is none */
};

static inline bool draw_params_is_number(const struct trnsci_parameter_info *info)
{
	return strcmp(info->type, "f64") == 0 || strcmp(info->type, "u64") == 0 || strcmp(info->type, "int") == 0;
}

/* A value of a parameter that has no default, as trnsci_selftest sets it. */
static inline struct trnsci_param draw_params_required(const struct trnsci_parameter_info *info)
{
	static const double list[] = {0.3, 0.6, 0.9, 1.2, 1.5};

	if (strcmp(info->type, "any") == 0)
		return trnsci_param_f64s(info->name, list, 5);
	return strcmp(info->type, "f64") == 0 ? trnsci_param_f64(info->name, 2.5) : trnsci_param_u64(info->name, 100);
}

/* An array that begins with the parameter's default, or 2.5, or 100. */
static inline struct trnsci_param draw_params_array(struct draw_params *params, const struct trnsci_parameter_info *info)
{
	const bool real = strcmp(info->type, "f64") == 0;
	const double first = info->fallback ? strtod(info->fallback, NULL) : real ? 2.5 : 100;

	for (int i = 0; i < DRAW_PARAMS_ELEMENTS; i++) {
		params->numbers[i] = first + 0.03 * i;
		params->integers[i] = (int64_t)first + i;
	}
	params->array = real ? trnsci_array_vector(TRNSCI_F64, DRAW_PARAMS_ELEMENTS, params->numbers)
			     : trnsci_array_vector(TRNSCI_I64, DRAW_PARAMS_ELEMENTS, params->integers);
	return trnsci_param_array(info->name, &params->array);
}

/* Sets the distribution's own parameters, which stand behind timeout_ms; with_array: the first number is an array. method: which of
 * several, NULL: the default, and items are of the whole draw. Returns false if there is none that may be an array. */
static inline bool draw_params_set(struct draw_params *params, const char *distribution, const char *method, bool with_array)
{
	struct trnsci_parameter_info info;
	size_t n = 0;
	bool own = false, has_array = false;

	params->array.data = NULL;
	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &info) == 0; i++) {
		if (own && with_array && draw_params_is_number(&info) && !has_array) {
			params->list[n++] = draw_params_array(params, &info);
			has_array = true;
		} else if (own && method && strcmp(info.name, "method") == 0) {
			params->list[n++] = trnsci_param_text("method", method);
		} else if (own && (!info.fallback || (method && strcmp(info.name, "items") == 0))) {
			params->list[n++] = draw_params_required(&info);
		}
		own |= strcmp(info.name, "timeout_ms") == 0;
	}
	params->list[n] = trnsci_param_end();
	return has_array == with_array;
}

#endif
