/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of an operation, read by the type that the table of operations states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "rows.h"

bool options_list(const char *text, int64_t least, int64_t most, int64_t *ret, size_t *ret_count)
{
	int64_t list[TRNSCI_MAX_DIMS];
	size_t count = 0;

	do {
		char *end;
		long long number = strtoll(text, &end, 10);

		if (end == text || (*end && *end != ',') || number < least || number > most || count == TRNSCI_MAX_DIMS)
			return false;
		list[count++] = number;
		text = *end ? end + 1 : NULL;
	} while (text);
	memcpy(ret, list, count * sizeof *list);
	*ret_count = count;
	return true;
}

/* Looks at the text: bounds of ranges may lie just beyond 64 bits. */
static bool is_integer(const char *text)
{
	const char *digits = text + (text[0] == '-');

	return *digits && !digits[strspn(digits, "0123456789")];
}

enum type { TYPE_U64, TYPE_I64, TYPE_INT, TYPE_F64, TYPE_BOOL, TYPE_TEXT };

/* Reads a text as a parameter of one value. */
static bool read_value(enum type type, const char *name, const char *text, struct trnsci_param *ret)
{
	uint64_t u64 = 0;
	int64_t i64 = 0;
	double f64 = 0;
	bool yes = false, right = true;

	switch (type) {
	case TYPE_U64:
		right = parse_u64(text, &u64);
		*ret = trnsci_param_u64(name, u64);
		return right;
	case TYPE_I64:
		right = parse_i64(text, &i64);
		*ret = trnsci_param_i64(name, i64);
		return right;
	case TYPE_F64:
		right = parse_f64(text, &f64);
		*ret = trnsci_param_f64(name, f64);
		return right;
	case TYPE_BOOL:
		right = parse_bool(text, &yes);
		*ret = trnsci_param_bool(name, yes);
		return right;
	default:
		*ret = trnsci_param_text(name, text);
		return type == TYPE_TEXT || is_integer(text);
	}
}

/* Sets a value, or a list of values with commas between. */
static bool set_values(struct trnsci_args *args, enum type type, bool is_list, const char *name, const char *text)
{
	struct trnsci_param param;
	char word[64];

	if (!is_list) {
		const bool right = read_value(type, name, text, &param);

		if (right)
			trnsci_set(args, param);
		return right;
	}
	args = trnsci_set_list(args, name);
	for (;; text++) {
		const size_t size = strcspn(text, ",");

		if (size == 0 || size >= sizeof word)
			return false;
		memcpy(word, text, size);
		word[size] = '\0';
		if (!read_value(type, NULL, word, &param))
			return false;
		trnsci_set(args, param);
		text += size;
		if (!*text)
			return true;
	}
}

/* Types of the table; its ranges are the engine's to check. */
static const struct value_type {
	const char *name;
	enum type type;
	bool is_list;
	const char *allowed;
} types[] = {
	{"u64", TYPE_U64, false, U64_ALLOWED},
	{"int", TYPE_INT, false, "an integer"},
	{"f64", TYPE_F64, false, "a number"},
	{"bool", TYPE_BOOL, false, "true or false"},
	{"shape", TYPE_I64, true, "sizes such as 3,4"},
	{"axes", TYPE_I64, true, "axes such as -2,-1"},
	{"any", TYPE_F64, true, "numbers such as 1,2.5"}, /* the values that are no numbers but lists of them */
	{"choice", TYPE_TEXT, false, ""},
	{"text", TYPE_TEXT, false, ""},
};

static const struct value_type *find_type(const struct trnsci_parameter_info *parameter)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, parameter->type) == 0)
			return &types[i];
	return NULL;
}

static int complain_of(const struct trnsci_parameter_info *parameter, const struct value_type *type, const char *text)
{
	if (!type)
		return complain(EXIT_USAGE, "--%s: not an option", parameter->name);
	return complain(EXIT_USAGE, "--%s: '%s', allowed %s", parameter->name, text, type->allowed);
}

/* Finds the parameter that option i sets; false for the command's own rows. */
static bool find_parameter(const struct options *options, size_t i, struct trnsci_parameter_info *ret)
{
	const char *name = options->given[i].name;

	return !own_name(options->command, name) && parameter_find(options->command->operation, name, ret);
}

bool options_is_file(const struct options *options, size_t i)
{
	struct trnsci_parameter_info parameter;

	return options->command->takes_arrays && options->given[i].text[0] == '@' && find_parameter(options, i, &parameter) &&
	       (strcmp(parameter.type, "f64") == 0 || strcmp(parameter.type, "u64") == 0 || strcmp(parameter.type, "int") == 0);
}

int options_set_parameters(const struct options *options, struct trnsci_args *args)
{
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; i < options->n_given; i++) {
		if (!find_parameter(options, i, &parameter) || options_is_file(options, i))
			continue;
		const struct value_type *type = find_type(&parameter);

		if (!type || !set_values(args, type->type, type->is_list, parameter.name, options->given[i].text))
			return complain_of(&parameter, type, options->given[i].text);
	}
	return EXIT_OK;
}

/* Reads "1,2.5,0", at most `most` numbers. */
static bool read_numbers(const char *text, size_t most, double *ret, size_t *ret_n)
{
	char *end;

	for (*ret_n = 0; *ret_n < most; text = end + 1) {
		ret[(*ret_n)++] = strtod(text, &end);
		if (end == text || (*end && *end != ','))
			return false;
		if (!*end)
			return true;
	}
	return false;
}

/* Where an option is given twice, the last counts. */
int options_list_parameters(const struct options *options, const char *operation, const char *without, struct trnsci_param *ret,
			    double *numbers)
{
	struct trnsci_parameter_info parameter;
	size_t n, left = OPTIONS_NUMBERS;

	for (size_t i = 0; i < options->n_given; i++) {
		const char *text = options->given[i].text;
		char name[66];

		if (!(operation ? parameter_find(operation, options->given[i].name, &parameter)
				: find_parameter(options, i, &parameter)) ||
		    options_get(options, parameter.name) != text)
			continue;
		snprintf(name, sizeof name, " %s ", parameter.name);
		if (strstr(without, name))
			continue;
		const struct value_type *type = find_type(&parameter);
		const bool right = type && (type->is_list ? read_numbers(text, left, numbers, &n)
							  : read_value(type->type, parameter.name, text, ret));

		if (!right)
			return complain_of(&parameter, type, text);
		if (type->is_list) {
			*ret = trnsci_param_f64s(parameter.name, numbers, n);
			numbers += n;
			left -= n;
		}
		ret++;
	}
	*ret = trnsci_param_end();
	return EXIT_OK;
}
