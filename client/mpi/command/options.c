/* SPDX-License-Identifier: Apache-2.0 */
/* The options of trnsci-mpi's commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static int read_u64(const char *name, const char *text, uint64_t *ret)
{
	char *end;
	const double number = strtod(text, &end);

	/* Whole numbers are read exactly; 1e6 and the like as what they are. */
	*ret = strtoull(text, &end, 0);
	if (*end == '\0' && *text != '-' && *text)
		return 0;
	strtod(text, &end);
	*ret = (uint64_t)number;
	if (*end || !*text || number < 0 || number > 0x1p53 || (double)*ret != number)
		return command_fail(EXIT_USAGE, "%s: got \"%s\", allowed is a whole number", name, text);
	return 0;
}

/* Numbers separated by commas or x. */
static int read_list(const char *name, const char *text, uint64_t list[TRNSCI_MAX_DIMS], size_t *ret_n)
{
	char word[64];

	for (*ret_n = 0; *text;) {
		const size_t length = strcspn(text, ",x");

		if (length == 0 || length >= sizeof word || *ret_n == TRNSCI_MAX_DIMS)
			return command_fail(EXIT_USAGE, "%s: got \"%s\", allowed are 1 to %d numbers as in 1000,500", name, text, TRNSCI_MAX_DIMS);
		memcpy(word, text, length);
		word[length] = '\0';
		if (read_u64(name, word, &list[(*ret_n)++]) != 0)
			return EXIT_USAGE;
		text += length + (text[length] != '\0');
	}
	return 0;
}

/* Names of parameters have no hyphens in the table of operations. */
static int read_parameter(struct options *options, const char *method, const char *name, const char *value)
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "%s", name);
	for (char *c = wanted; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return parameters_read(options, method, wanted, value);
}

/* The array's shape is --shape, or --dims of a distribution whose own parameter is called shape, as in the table. */
static bool is_shape(const char *method, const char *name)
{
	struct trnsci_parameter_info info;

	for (size_t i = 0; method && trnsci_operation_parameter(method, i, &info) == 0; i++)
		if (strcmp(info.type, "shape") == 0)
			return strcmp(name, info.name) == 0 || strcmp(name, "n") == 0;
	return strcmp(name, "shape") == 0 || strcmp(name, "n") == 0;
}

static int read_axes(struct options *options, const char *value)
{
	uint64_t axes[TRNSCI_MAX_DIMS];
	const int r = read_list("--axes", value, axes, &options->n_axes);

	for (size_t i = 0; r == 0 && i < options->n_axes; i++)
		options->axes[i] = axes[i];
	return r;
}

static int read_dtype(struct options *options, const char *value)
{
	options->dtype = trnsci_dtype_parse(value);
	return options->dtype ? 0 : command_fail(EXIT_USAGE, "--dtype: got \"%s\", allowed are u32, u64, i8, i32, i64, f16, f32, f64", value);
}

static int read_threads(struct options *options, const char *value)
{
	uint64_t threads;

	if (read_u64("--threads", value, &threads) != 0)
		return EXIT_USAGE;
	options->threads = (unsigned)threads;
	return threads >= 1 && threads <= 128 ? 0 : command_fail(EXIT_USAGE, "--threads: got \"%s\", allowed are 1 to 128", value);
}

static bool read_flag(struct options *options, const char *name)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {{"embedded", &options->embedded}, {"quiet", &options->quiet}, {"inverse", &options->inverse},
		     {"real", &options->real}, {"sums", &options->sums}};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(name, flags[i].name) == 0) {
			*flags[i].flag = true;
			return true;
		}
	return false;
}

static int read_value(struct options *options, const char *method, const char *name, const char *value)
{
	struct trnsci_source *source = &options->source;
	uint64_t list[TRNSCI_MAX_DIMS];

	if (strcmp(name, "output") == 0)
		return options->output = value, 0;
	if (strcmp(name, "socket") == 0)
		return options->socket = value, 0;
	if (strcmp(name, "norm") == 0)
		return options->norm = value, 0;
	if (strcmp(name, "generator") == 0)
		return source->generator = value, 0;
	if (strcmp(name, "name") == 0)
		return source->name = value, 0;
	if (strcmp(name, "seed") == 0)
		return read_u64("--seed", value, &source->seed);
	if (strcmp(name, "stream") == 0)
		return read_u64("--stream", value, &source->stream);
	if (strcmp(name, "offset") == 0)
		return read_u64("--offset", value, &source->offset);
	if (strcmp(name, "length") == 0 && !method)
		return read_u64("--length", value, &options->length);
	if (strcmp(name, "threads") == 0)
		return read_threads(options, value);
	if (strcmp(name, "dtype") == 0)
		return read_dtype(options, value);
	if (strcmp(name, "axes") == 0)
		return read_axes(options, value);
	if (strcmp(name, "n") == 0 && strchr(value, ','))
		return command_fail(EXIT_USAGE, "-n: one number; --shape takes several");
	if (is_shape(method, name))
		return read_list(strcmp(name, "dims") == 0 ? "--dims" : "--shape", value, options->layout.shape, &options->layout.ndim);
	if (strcmp(name, "grid") == 0)
		return read_list("--grid", value, options->layout.grid, &options->n_grid);
	if (strcmp(name, "block") == 0) {
		const int r = read_list("--block", value, list, &options->n_block);

		memcpy(options->layout.block, list, sizeof options->layout.block[0] * options->n_block);
		return r;
	}
	return read_parameter(options, method, name, value);
}

/* A parameter that is true or false may be given without a value. */
static bool is_bool(const char *method, const char *name)
{
	struct trnsci_parameter_info info;

	for (size_t i = 0; method && trnsci_operation_parameter(method, i, &info) == 0; i++)
		if (strcmp(info.name, name) == 0)
			return strcmp(info.type, "bool") == 0;
	return false;
}

/* -o and its like. */
static const char *long_name(const char *word)
{
	static const char *const names[][2] = {{"-o", "output"}, {"-q", "quiet"}, {"-n", "n"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i][0]) == 0)
			return names[i][1];
	return strncmp(word, "--", 2) == 0 ? word + 2 : NULL;
}

int options_read(int argc, char **argv, const char *method, struct options *ret_options)
{
	struct options *options = ret_options;

	*options = (struct options){0};
	for (int i = 0; i < argc; i++) {
		char name[64];
		const char *given = long_name(argv[i]), *value;

		if (!given) {
			if (argv[i][0] == '-' || options->input || method)
				return command_fail(EXIT_USAGE, "unexpected argument \"%s\"", argv[i]);
			options->input = argv[i];
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
		if (read_flag(options, name))
			continue;
		value = given[strlen(name)] == '=' ? given + strlen(name) + 1 : is_bool(method, name) ? "true" : i + 1 < argc ? argv[++i] : NULL;
		if (!value)
			return command_fail(EXIT_USAGE, "--%s: missing value", name);
		if (read_value(options, method, name, value) != 0)
			return EXIT_USAGE;
	}
	options->params[options->n_params] = trnsci_param_end();
	return 0;
}
