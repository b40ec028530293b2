/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of an operation, read by the type that the table of operations states. */
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

static bool set_f64(struct trnsci_args *args, const char *name, const char *text)
{
	double value;
	const bool is_number = parse_f64(text, &value);

	if (is_number)
		trnsci_set(args, trnsci_param_f64(name, value));
	return is_number;
}

static bool set_bool(struct trnsci_args *args, const char *name, const char *text)
{
	bool yes;
	const bool is_flag = parse_bool(text, &yes);

	if (is_flag)
		trnsci_set(args, trnsci_param_bool(name, yes));
	return is_flag;
}

static bool set_i64(struct trnsci_args *args, const char *name, const char *text)
{
	int64_t value;
	const bool is_integer = parse_i64(text, &value);

	if (is_integer)
		trnsci_set(args, trnsci_param_i64(name, value));
	return is_integer;
}

/* Sets a list of words with commas between, each by `set`. */
static bool set_words(struct trnsci_args *args, const char *name, const char *text,
		      bool (*set)(struct trnsci_args *args, const char *name, const char *text))
{
	struct trnsci_args *list = trnsci_set_list(args, name);
	char word[64];

	for (;; text++) {
		const size_t size = strcspn(text, ",");

		if (size == 0 || size >= sizeof word)
			return false;
		memcpy(word, text, size);
		word[size] = '\0';
		if (!set(list, NULL, word))
			return false;
		text += size;
		if (!*text)
			return true;
	}
}

/* "3,4" or "-2,-1". */
static bool set_list(struct trnsci_args *args, const char *name, const char *text)
{
	return set_words(args, name, text, set_i64);
}

/* "1,2.5,0": the values that are no numbers but lists of them. */
static bool set_numbers(struct trnsci_args *args, const char *name, const char *text)
{
	return set_words(args, name, text, set_f64);
}

static bool set_u64(struct trnsci_args *args, const char *name, const char *text)
{
	uint64_t value;

	if (!parse_u64(text, &value))
		return false;
	trnsci_set(args, trnsci_param_u64(name, value));
	return true;
}

/* As text: bounds of ranges may lie just beyond 64 bits. */
static bool set_int(struct trnsci_args *args, const char *name, const char *text)
{
	const char *digits = text + (text[0] == '-');

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	trnsci_set(args, trnsci_param_text(name, text));
	return true;
}

static bool set_text(struct trnsci_args *args, const char *name, const char *text)
{
	trnsci_set(args, trnsci_param_text(name, text));
	return true;
}

/* By the type that the table states; its range is the engine's to check. */
static int set_parameter(struct trnsci_args *args, const struct trnsci_parameter_info *parameter, const char *text)
{
	static const struct {
		const char *type;
		bool (*set)(struct trnsci_args *args, const char *name, const char *text);
		const char *allowed;
	} types[] = {
		{"u64", set_u64, U64_ALLOWED},
		{"int", set_int, "an integer"},
		{"f64", set_f64, "a number"},
		{"bool", set_bool, "true or false"},
		{"shape", set_list, "sizes such as 3,4"},
		{"axes", set_list, "axes such as -2,-1"},
		{"any", set_numbers, "numbers such as 1,2.5"},
		{"choice", set_text, ""},
		{"text", set_text, ""},
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].type, parameter->type) == 0 && types[i].set(args, parameter->name, text))
			return EXIT_OK;
		else if (strcmp(types[i].type, parameter->type) == 0)
			return complain(EXIT_USAGE, "--%s: '%s', allowed %s", parameter->name, text, types[i].allowed);
	return complain(EXIT_USAGE, "--%s: not an option", parameter->name);
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
	int code = EXIT_OK;

	for (size_t i = 0; i < options->n_given && code == EXIT_OK; i++) {
		struct trnsci_parameter_info parameter;

		if (find_parameter(options, i, &parameter) && !options_is_file(options, i))
			code = set_parameter(args, &parameter, options->given[i].text);
	}
	return code;
}
