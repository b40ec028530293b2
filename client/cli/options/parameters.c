/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of an operation, read by the type that the table of operations states. */
#include <errno.h>
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
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end)
		return false;
	trnsci_set(args, trnsci_param_f64(name, value));
	return true;
}

static bool set_bool(struct trnsci_args *args, const char *name, const char *text)
{
	bool yes = !*text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;

	if (!yes && strcmp(text, "false") != 0 && strcmp(text, "no") != 0 && strcmp(text, "0") != 0)
		return false;
	trnsci_set(args, trnsci_param_bool(name, yes));
	return true;
}

static bool read_i64(const char *text, int64_t *ret)
{
	char *end;
	uint64_t whole;

	if (parse_u64(text, &whole) && whole <= INT64_MAX) {
		*ret = (int64_t)whole;
		return true;
	}
	errno = 0;
	*ret = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

static bool set_i64(struct trnsci_args *args, const char *name, const char *text)
{
	int64_t value;

	if (!read_i64(text, &value))
		return false;
	trnsci_set(args, trnsci_param_i64(name, value));
	return true;
}

size_t options_axis(const struct options *options, size_t ndim)
{
	const char *text = options_get(options, "axis");
	const int64_t n = (int64_t)ndim;
	int64_t axis = -1;

	if ((text && !read_i64(text, &axis)) || axis < -n || axis >= n)
		return 0;
	return (size_t)(axis < 0 ? -axis : n - axis);
}

/* "3,4" or "-2,-1". */
static bool set_list(struct trnsci_args *args, const char *name, const char *text)
{
	struct trnsci_args *list = trnsci_set_list(args, name);
	char word[32];

	for (;; text++) {
		size_t size = strcspn(text, ",");

		if (size == 0 || size >= sizeof word)
			return false;
		memcpy(word, text, size);
		word[size] = '\0';
		if (!set_i64(list, NULL, word))
			return false;
		text += size;
		if (!*text)
			return true;
	}
}

/* "1,2.5,0": the values that are no numbers but lists of them. */
static bool set_numbers(struct trnsci_args *args, const char *name, const char *text)
{
	struct trnsci_args *list = trnsci_set_list(args, name);
	char *end;

	for (;; text = end + 1) {
		const double value = strtod(text, &end);

		if (end == text || (*end && *end != ','))
			return false;
		trnsci_set(list, trnsci_param_f64(NULL, value));
		if (!*end)
			return true;
	}
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

bool options_is_file(const struct options *options, size_t i)
{
	struct trnsci_parameter_info parameter;

	return options->takes_arrays && options->given[i].text[0] == '@' &&
	       !option_is_own(options->set, options->given[i].name) &&
	       parameter_find(options->set, options->given[i].name, &parameter) &&
	       (strcmp(parameter.type, "f64") == 0 || strcmp(parameter.type, "u64") == 0 ||
		strcmp(parameter.type, "int") == 0);
}

int options_set_parameters(const struct options *options, struct trnsci_args *args)
{
	for (size_t i = 0; i < options->n_given; i++) {
		struct trnsci_parameter_info parameter;

		if (option_is_own(options->set, options->given[i].name) || !parameter_find(options->set, options->given[i].name, &parameter))
			continue;
		if (options_is_file(options, i))
			continue;
		int code = set_parameter(args, &parameter, options->given[i].text);

		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}
