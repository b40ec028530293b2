/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of vectors that begin with a distribution and its parameters, and the draws that they describe.
 *
 *     DISTRIBUTION [DTYPE] NAME=VALUE ... : REST
 *
 * A value is a number (decimal, or hexadecimal with 0x and p), a choice, or a list "1,2e-15". Parameters with a default
 * may be missing. Without a dtype, a line is of each dtype that the distribution has. */
#ifndef TRNSCI_TESTS_DISTRIBUTIONS_PARAMETER_LINES_H
#define TRNSCI_TESTS_DISTRIBUTIONS_PARAMETER_LINES_H

#include "distributions/draw/draw_arrays.h"
#include "distributions/statistics.h"

/* A line, parsed. */
struct parameter_line {
	enum distribution distribution;
	enum dtype dtypes[8];
	size_t n_dtypes;
	union dist_value values[DIST_PARAMETERS];
	double list[DIST_MAX_COMPONENTS + 1];
	size_t n_list;
	const char *text, *rest; /* before and behind the colon */
	char words[32768];       /* a copy of text, cut at blanks */
};

/* A draw of a line, and what it points to. */
struct line_draw {
	struct draw draw;
	void *table;
	struct draw_arrays arrays;
	struct draw_array_fault fault;
	double elements[DIST_PARAMETERS];
};

/* Reads a list of numbers. Returns how many there are. */
static inline size_t list_parse(const char *text, double *ret_list)
{
	size_t n = 0;
	char *end;

	for (; *text && n <= DIST_MAX_COMPONENTS; text = *end == ',' ? end + 1 : end) {
		ret_list[n++] = strtod(text, &end);
		if (end == text)
			fail_msg("%s: not a number", text);
	}
	return n;
}

/* Returns the number of a choice in "a|b|c". */
static inline uint64_t choice_find(const char *choices, const char *text)
{
	const size_t size = strlen(text);
	uint64_t number = 0;

	for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, number++)
		if (strncmp(at, text, size) == 0 && (at[size] == '|' || at[size] == '\0'))
			return number;
	fail_msg("%s: not one of %s", text, choices);
	return 0;
}

static inline void value_parse(struct parameter_line *line, unsigned j, const char *text)
{
	const struct dist_parameter *const row = &dist_row(line->distribution)->parameters[j];

	switch (row->type) {
	case DIST_TYPE_F64:
		line->values[j].real = strtod(text, NULL);
		break;
	case DIST_TYPE_U64: /* also "1e15" */
		line->values[j].natural = strpbrk(text, ".eEp") && strncmp(text, "0x", 2) != 0
						  ? (uint64_t)strtod(text, NULL)
						  : strtoull(text, NULL, 0);
		break;
	case DIST_TYPE_INT: /* modulo 2^64 */
		line->values[j].natural = *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
		break;
	case DIST_TYPE_CHOICE:
		line->values[j].natural = choice_find(row->choices, text);
		break;
	default:
		line->n_list = list_parse(text, line->list);
	}
}

/* Appends the dtype, or (name empty) all dtypes of the distribution. */
static inline void add_dtypes(struct parameter_line *line, const char *name)
{
	for (int d = DTYPE_I8; d <= DTYPE_BF16; d++)
		if (dist_has_dtype(line->distribution, (enum dtype)d) &&
		    (!*name || strcmp(dtype_name((enum dtype)d), name) == 0))
			line->dtypes[line->n_dtypes++] = (enum dtype)d;
	if (line->n_dtypes == 0)
		fail_msg("%s: no dtype \"%s\"", dist_name(line->distribution), name);
}

/* Takes one word NAME=VALUE or DTYPE. */
static inline void word_parse(struct parameter_line *line, char *word)
{
	const struct dist_parameter *const rows = dist_row(line->distribution)->parameters;
	char *const value = strchr(word, '=');
	unsigned j = 0;

	if (!value) {
		add_dtypes(line, word);
		return;
	}
	*value = '\0';
	while (rows[j].name && strcmp(rows[j].name, word) != 0)
		j++;
	if (!rows[j].name)
		fail_msg("%s: no parameter %s", dist_name(line->distribution), word);
	value_parse(line, j, value + 1);
}

/* Parses a line, which must outlive ret_line. Cuts it at the colon. */
static inline void line_parse(char *text, struct parameter_line *ret_line)
{
	char *const colon = strchr(text, ':'), *save = NULL, *word;

	if (!colon)
		fail_msg("no colon in \"%s\"", text);
	*colon = '\0';
	*ret_line = (struct parameter_line){.text = text, .rest = colon + 1};
	assert_true(strlen(text) < sizeof ret_line->words);
	memcpy(ret_line->words, text, strlen(text) + 1);
	word = strtok_r(ret_line->words, " \t", &save);
	ret_line->distribution = dist_find(word, strlen(word));
	if (ret_line->distribution == DIST_COUNT)
		fail_msg("no distribution %s", word);

	const struct dist_parameter *const rows = dist_row(ret_line->distribution)->parameters;

	for (unsigned j = 0; rows[j].name; j++)
		if (rows[j].fallback)
			value_parse(ret_line, j, rows[j].fallback);
	while ((word = strtok_r(NULL, " \t", &save)))
		word_parse(ret_line, word);
	if (ret_line->n_dtypes == 0)
		add_dtypes(ret_line, "");
}

/* Returns whether a line may be drawn with its parameters as arrays, in that dtype. */
static inline bool line_takes_arrays(const struct parameter_line *line, enum dtype dtype)
{
	const struct dist_parameter *const rows = dist_row(line->distribution)->parameters;
	const bool half = dtype == DTYPE_F16 || dtype == DTYPE_BF16;

	/* The bounds of randint that stand for 2^63 and 2^64 are none of an array. */
	if (line->distribution == DIST_RANDINT &&
	    line->values[1].natural == (dtype == DTYPE_U64 ? 0 : (uint64_t)INT64_MIN))
		return false;
	if (half && (line->distribution == DIST_UNIFORM || line->values[2].natural == NORMAL_BOXMULLER64))
		return false;
	return rows[0].name && dist_takes_array(line->distribution, 0);
}

/* Makes the parameters arrays of one element. */
static inline void use_arrays(const struct parameter_line *line, struct line_draw *draw)
{
	const struct dist_parameter *const rows = dist_row(line->distribution)->parameters;

	draw->arrays.fault = &draw->fault;
	draw_array_fault_init(&draw->fault);
	for (unsigned j = 0; rows[j].name; j++) {
		if (!dist_takes_array(line->distribution, j))
			continue;
		memcpy(&draw->elements[j], &line->values[j], sizeof(double));
		if (rows[j].type == DIST_TYPE_U64)
			draw->elements[j] = (double)line->values[j].natural;
		draw->arrays.of[j].at = &draw->elements[j];
		draw->arrays.of[j].n = 1;
		draw->arrays.of[j].dtype = rows[j].type != DIST_TYPE_INT           ? DTYPE_F64
					   : draw->draw.dtype == DTYPE_U64 ? DTYPE_U64
									   : DTYPE_I64;
	}
	draw->draw.arrays = &draw->arrays;
}

/* Prepares a draw of the line; the caller frees ret_draw->table. Returns 0, or the error and its fault. */
static inline int line_draw_begin(const struct parameter_line *line, enum dtype dtype, bool arrays,
				  struct line_draw *ret_draw, struct dist_fault *ret_fault)
{
	*ret_draw = (struct line_draw){.draw = {.distribution = line->distribution,
						.dtype = dtype,
						.stream = {GENERATOR_THREEFRY4X32, 20261127, 3}}};
	memcpy(ret_draw->draw.parameters, line->values, sizeof line->values);
	if (arrays) {
		use_arrays(line, ret_draw);
		return 0;
	}
	return draw_prepare(&ret_draw->draw, line->n_list ? line->list : NULL, line->n_list, &ret_draw->table, ret_fault);
}

/* Calls handle for each line of the file that has a colon and is no comment. */
static inline void for_each_parameter_line(const char *path, void (*handle)(const struct parameter_line *line))
{
	static struct parameter_line line;
	static char text[65536];
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s: cannot be opened (tests run from the top folder)", path);
	while (fgets(text, sizeof text, file)) {
		if (text[0] == '#' || !strchr(text, ':'))
			continue;
		text[strcspn(text, "\n")] = '\0';
		line_parse(text, &line);
		handle(&line);
	}
	fclose(file);
}

#endif
