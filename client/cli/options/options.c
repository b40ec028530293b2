/* SPDX-License-Identifier: Apache-2.0 */
/* Options: one list for getopt_long, made of three. */
#include "options/options.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row common[] = {
	{"socket", 0, "PATH", "use the daemon at this socket"},
	{"embedded", 0, NULL, "compute in this process"},
	{"threads", 0, "N", "threads of the embedded engine, 1 to 128 [as many as CPUs]"},
	{"timeout", 0, "SECONDS", "how long to wait for an answer that takes no computing, 1 to 3600 [30]"},
	{"quiet", 'q', NULL, "no remarks and no progress on stderr"},
	{"verbose", 'v', NULL, "say on stderr what is done"},
	{"help", 'h', NULL, "print this"},
};

enum { N_COMMON = sizeof common / sizeof *common };

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

bool parse_u64(const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	char *end;

	if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return false;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hex ? 16 : 10);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

/* ---- the list ---- */

/* A name between blanks in the set's list. */
static bool is_hidden(const struct option_set *set, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = set->hidden; at && (at = strstr(at, name)); at += size)
		if (at > set->hidden && at[-1] == ' ' && at[size] == ' ')
			return true;
	return false;
}

/* Parameters are written with a dash where the table has an underscore. */
static const char *spelled(const char *name, char buffer[static 64])
{
	size_t i;

	for (i = 0; name[i] && i < 63; i++)
		buffer[i] = name[i] == '_' ? '-' : name[i];
	buffer[i] = '\0';
	return buffer;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
			return false;
	return *a == *b;
}

/* Parameter number index that is an option; false past the end. */
static bool nth_parameter(const struct option_set *set, size_t *index, struct trnsci_parameter_info *ret)
{
	while (set->operation && trnsci_parameter(set->operation, (*index)++, ret) == 0)
		if (!is_hidden(set, ret->name))
			return true;
	return false;
}

/* The row of the table for a parameter of the set's operation; false when there is none. */
static bool find_parameter(const struct option_set *set, const char *name, struct trnsci_parameter_info *ret)
{
	for (size_t i = 0; set->operation && trnsci_parameter(set->operation, i, ret) == 0; i++)
		if (same_name(ret->name, name))
			return true;
	return false;
}

struct list {
	struct option rows[OPTIONS_MAX + 1];
	char names[OPTIONS_MAX][64];
	char letters[2 * OPTIONS_MAX + 2];
	size_t count;
};

/* Returned values from 256 up are places in the list, below are letters. */
static void add(struct list *list, const char *name, char letter, int has_value)
{
	size_t used = strlen(list->letters);

	if (list->count == OPTIONS_MAX)
		return;
	list->rows[list->count] =
		(struct option){spelled(name, list->names[list->count]), has_value, NULL, 256 + (int)list->count};
	list->count++;
	if (letter) {
		list->letters[used] = letter;
		if (has_value)
			list->letters[used + 1] = ':';
	}
}

static void make_list(const struct option_set *set, struct list *list)
{
	struct trnsci_parameter_info parameter;
	size_t index = 0;

	list->letters[0] = ':'; /* a missing value is told apart */
	for (size_t i = 0; i < set->n_rows; i++)
		add(list, set->rows[i].name, set->rows[i].letter, set->rows[i].value ? required_argument : no_argument);
	for (size_t i = 0; i < N_COMMON; i++)
		add(list, common[i].name, common[i].letter, common[i].value ? required_argument : no_argument);
	while (nth_parameter(set, &index, &parameter))
		add(list, parameter.name, 0,
		    strcmp(parameter.type, "bool") == 0 ? optional_argument : required_argument);
}

/* ---- help ---- */

static void print_row(char letter, const char *name, const char *value, const char *help, const char *more)
{
	enum { HELP_COLUMN = 36 };
	char buffer[64];
	const int used = printf("  %c%c%c --%s%s%s ", letter ? '-' : ' ', letter ? letter : ' ', letter ? ',' : ' ',
				spelled(name, buffer), value ? " " : "", value ? value : "");

	printf("%*s%s%s\n", used < HELP_COLUMN ? HELP_COLUMN - used + 1 : 0, "", help, more);
}

/* "above 0", "0 to 1", "1 and up"; "" where the type says it all. */
static void range_text(const struct trnsci_parameter_info *parameter, char *to, size_t room)
{
	const bool open = parameter->max == 0 || parameter->max == DBL_MAX || parameter->max == 0x1p64;
	const bool above = parameter->above_min;

	to[0] = '\0';
	if (parameter->choices || (parameter->min == 0 && parameter->max == 0))
		return;
	if (isinf(parameter->max))
		snprintf(to, room, ", also inf and -inf");
	else if (open)
		snprintf(to, room, above ? ", above %.15g" : ", %.15g and up", parameter->min);
	else
		snprintf(to, room, above ? ", above %.15g to %.15g" : ", %.15g to %.15g", parameter->min, parameter->max);
}

/* Whether its default says something: a flag is off where it is not given. */
static bool shows_default(const struct trnsci_parameter_info *parameter)
{
	return parameter->fallback && *parameter->fallback &&
	       !(strcmp(parameter->type, "bool") == 0 && strcmp(parameter->fallback, "false") == 0);
}

/* What stands behind the option: choices in lower case, which completion offers, or the type in capitals; NULL for a flag. */
static const char *value_text(const struct trnsci_parameter_info *parameter, char text[16])
{
	size_t i = 0;

	if (strcmp(parameter->type, "bool") == 0)
		return NULL;
	if (parameter->choices)
		return parameter->choices;
	if (strcmp(parameter->type, "any") == 0)
		return "LIST";
	for (; parameter->type[i] && i < 15; i++)
		text[i] = (char)toupper((unsigned char)parameter->type[i]);
	text[i] = '\0';
	return text;
}

/* The unit, where the help does not name it, the range and the default follow the help. */
static void print_parameter(const struct trnsci_parameter_info *parameter)
{
	const bool shows = shows_default(parameter), is_said = strstr(parameter->help, parameter->unit);
	char range[80], more[256], type[16];

	range_text(parameter, range, sizeof range);
	snprintf(more, sizeof more, "%s%s%s%s%s%s", is_said ? "" : ", in ", is_said ? "" : parameter->unit, range,
		 shows ? " [" : "", shows ? parameter->fallback : parameter->fallback ? "" : " [required]",
		 shows ? "]" : "");
	print_row(0, parameter->name, value_text(parameter, type), parameter->help, more);
}

static void print_help(const struct option_set *set)
{
	struct trnsci_parameter_info parameter;
	size_t index = 0;
	bool first = true;

	printf("usage: trnsci-cli %s\n\n%s\n", set->usage, set->help);
	if (set->n_rows)
		printf("\noptions:\n");
	for (size_t i = 0; i < set->n_rows; i++)
		print_row(set->rows[i].letter, set->rows[i].name, set->rows[i].value, set->rows[i].help, "");
	while (nth_parameter(set, &index, &parameter)) {
		if (first)
			printf("\nparameters of %s:\n", set->operation);
		first = false;
		print_parameter(&parameter);
	}
	printf("\ncommon options:\n");
	for (size_t i = 0; i < N_COMMON; i++)
		print_row(common[i].letter, common[i].name, common[i].value, common[i].help, "");
}

/* ---- parsing ---- */

/* Options that every command has; true when it was one. */
static bool take_common(struct cli *cli, struct options *options, const char *name, const char *text, int *ret_code)
{
	uint64_t number;

	if (strcmp(name, "socket") == 0)
		cli->socket = text;
	else if (strcmp(name, "embedded") == 0)
		cli->embedded = true;
	else if (strcmp(name, "quiet") == 0)
		cli->quiet = true;
	else if (strcmp(name, "verbose") == 0)
		cli->verbose = true;
	else if (strcmp(name, "help") == 0)
		options->helped = true;
	else if (strcmp(name, "timeout") == 0) {
		if (!parse_u64(text, &number) || number < 1 || number > 3600)
			*ret_code = complain(EXIT_USAGE, "--timeout: '%s', allowed 1 to 3600 seconds", text);
		else
			cli->timeout_ms = (int)number * 1000;
	} else if (strcmp(name, "threads") != 0)
		return false;
	else if (!parse_u64(text, &number) || number < 1 || number > 128)
		*ret_code = complain(EXIT_USAGE, "--threads: '%s', allowed 1 to 128", text);
	else
		cli->threads = (unsigned)number;
	return true;
}

/* The row of the list that getopt's answer stands for. */
static const char *name_of(const struct list *list, const struct option_set *set, int answer)
{
	if (answer >= 256)
		return list->rows[answer - 256].name;
	for (size_t i = 0; i < set->n_rows; i++)
		if (set->rows[i].letter == answer)
			return set->rows[i].name;
	for (size_t i = 0; i < N_COMMON; i++)
		if (common[i].letter == answer)
			return common[i].name;
	return "";
}

/* getopt names a letter in optopt; a long option is the word it has just passed. */
static int complain_option(const struct option_set *set, int answer, char **argv, int index)
{
	char letter[3] = {'-', (char)optopt, 0};
	bool is_letter = optopt > 0 && optopt < 256;
	size_t word = strcspn(set->usage, " ");

	return complain(EXIT_USAGE, "%s: %s; see trnsci-cli %.*s --help", is_letter ? letter : argv[index],
			answer == ':' ? "a value must follow" : "unknown or ambiguous option", (int)word, set->usage);
}

int options_parse(const struct option_set *set, struct cli *cli, int argc, char **argv, struct options *ret)
{
	struct list list = {0};
	int answer, code = EXIT_OK;

	make_list(set, &list);
	*ret = (struct options){.set = set};
	opterr = 0;
	optind = 0;
	while (code == EXIT_OK && (answer = getopt_long(argc, argv, list.letters, list.rows, NULL)) != -1) {
		if (answer == '?' || answer == ':')
			return complain_option(set, answer, argv, optind - 1);
		const char *name = name_of(&list, set, answer);

		if (take_common(cli, ret, name, optarg, &code))
			continue;
		if (ret->n_given == OPTIONS_MAX)
			return complain(EXIT_USAGE, "--%s: more options than %d", name, OPTIONS_MAX);
		/* The list is gone when this returns: the name is that of the table or of the row. */
		struct trnsci_parameter_info parameter;
		const char *kept = find_parameter(set, name, &parameter) ? parameter.name : NULL;

		for (size_t i = 0; i < set->n_rows; i++)
			if (strcmp(set->rows[i].name, name) == 0)
				kept = set->rows[i].name;
		ret->given[ret->n_given].name = kept;
		ret->given[ret->n_given++].text = optarg ? optarg : "";
	}
	if (code == EXIT_OK && ret->helped)
		print_help(set);
	ret->operands = argv + optind;
	ret->n_operands = argc - optind;
	return code;
}

/* ---- reading ---- */

const char *options_get(const struct options *options, const char *name)
{
	for (size_t i = options->n_given; i-- > 0;)
		if (strcmp(options->given[i].name, name) == 0)
			return options->given[i].text;
	return NULL;
}

int options_u64(const struct options *options, const char *name, uint64_t *ret)
{
	const char *text = options_get(options, name);

	if (text && !parse_u64(text, ret))
		return complain(EXIT_USAGE, "--%s: '%s', allowed 0 to 2^64-1, decimal or 0x", name, text);
	return EXIT_OK;
}

static bool set_f64(struct trnsci_args *args, const char *name, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end)
		return false;
	trnsci_set_f64(args, name, value);
	return true;
}

static bool set_bool(struct trnsci_args *args, const char *name, const char *text)
{
	bool yes = !*text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;

	if (!yes && strcmp(text, "false") != 0 && strcmp(text, "no") != 0 && strcmp(text, "0") != 0)
		return false;
	trnsci_set_bool(args, name, yes);
	return true;
}

static bool set_i64(struct trnsci_args *args, const char *name, const char *text)
{
	char *end;

	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end == text || *end || errno)
		return false;
	trnsci_set(args, trnsci_i64(name, value));
	return true;
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
		trnsci_set_f64(list, NULL, value);
		if (!*end)
			return true;
	}
}

static bool set_u64(struct trnsci_args *args, const char *name, const char *text)
{
	uint64_t value;

	if (!parse_u64(text, &value))
		return false;
	trnsci_set_u64(args, name, value);
	return true;
}

/* As text: bounds of ranges may lie just beyond 64 bits. */
static bool set_int(struct trnsci_args *args, const char *name, const char *text)
{
	const char *digits = text + (text[0] == '-');

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	trnsci_set_text(args, name, text);
	return true;
}

static bool set_text(struct trnsci_args *args, const char *name, const char *text)
{
	trnsci_set_text(args, name, text);
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
		{"u64", set_u64, "0 to 2^64-1, decimal or 0x"},
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

int options_set_parameters(const struct options *options, struct trnsci_args *args)
{
	for (size_t i = 0; i < options->n_given; i++) {
		struct trnsci_parameter_info parameter;
		bool own = false;

		for (size_t j = 0; j < options->set->n_rows; j++)
			own |= strcmp(options->set->rows[j].name, options->given[i].name) == 0;
		if (own || !find_parameter(options->set, options->given[i].name, &parameter))
			continue;
		int code = set_parameter(args, &parameter, options->given[i].text);

		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}
