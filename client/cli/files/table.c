/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in lines of text. */
#include "table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct table {
	const char *name; /* for messages */
	double *numbers;
	size_t count, room;
	size_t columns, rows;
	size_t line; /* number of the current one */
	bool complex;
};

bool table_is(const unsigned char *start, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (start[i] >= 0x7F || (start[i] < 0x20 && !strchr("\t\n\r", start[i])))
			return false;
	return size > 0;
}

static bool is_separator(char c)
{
	return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
}

static bool add_number(struct table *table, double number)
{
	if (table->count == table->room) {
		const size_t room = table->room ? 2 * table->room : 1024;
		double *bigger = realloc(table->numbers, room * sizeof *bigger);

		if (!bigger)
			return false;
		table->numbers = bigger;
		table->room = room;
	}
	table->numbers[table->count++] = number;
	return true;
}

/* Steps over blanks and at most one comma or semicolon. */
static const char *skip_separator(const char *at)
{
	at += strspn(at, " \t\r");
	if (*at == ',' || *at == ';')
		at++;
	return at + strspn(at, " \t\r");
}

/* Names are anything that does not begin with a number; nan and inf are numbers. Only the first line may be names. */
static bool is_header(const struct table *table, const char *line)
{
	char *end;

	line += strspn(line, " \t");
	strtod(line, &end);
	return table->rows == 0 && table->columns == 0 && (end == line || (*end && *end != '\n' && !is_separator(*end)));
}

static size_t count_names(const char *line, size_t size)
{
	size_t names = 1;

	for (size_t i = 0; i < size; i++)
		names += line[i] == ',' || line[i] == ';';
	return names;
}

static void read_header(struct table *table, const char *line, size_t size)
{
	table->columns = count_names(line, size);
	table->complex = table->columns % 2 == 0 && (strncmp(line, "re,im", 5) == 0 || strncmp(line, "re0,im0", 7) == 0);
}

/* One line; its end is that of the number which stops at it. */
static int read_line(struct table *table, const char *line)
{
	const char *at = line + strspn(line, " \t\r");
	size_t columns = 0;

	while (*at && *at != '\n' && *at != '#') {
		char *end;
		const double number = strtod(at, &end);

		if (end == at || (*end && *end != '\n' && *end != '#' && !is_separator(*end)))
			return complain(EXIT_DATA, "%s: line %zu: '%.*s' is not a number", table->name, table->line,
					(int)strcspn(at, ",; \t\r\n"), at);
		if (!add_number(table, number))
			return complain(EXIT_TRY_AGAIN, "%s: no memory for %zu numbers", table->name, table->count);
		columns++;
		at = skip_separator(end);
	}
	if (columns == 0)
		return EXIT_OK;
	if (table->columns == 0)
		table->columns = columns;
	if (columns != table->columns)
		return complain(EXIT_DATA, "%s: line %zu: %zu columns, allowed %zu as before", table->name, table->line, columns,
				table->columns);
	table->rows++;
	return EXIT_OK;
}

static void describe(const struct table *table, struct npy *ret)
{
	const size_t elements = table->complex ? table->columns / 2 : table->columns;

	*ret = (struct npy){.dtype = table->complex ? TRNSCI_C128 : TRNSCI_F64, .ndim = elements > 1 ? 2 : 1};
	ret->shape[0] = table->rows;
	ret->shape[1] = elements;
}

int table_read(const char *name, const char *text, struct npy *ret_array, void **ret_data)
{
	struct table table = {.name = name};
	int code = EXIT_OK;

	for (const char *line = text; *line && code == EXIT_OK; line += strcspn(line, "\n"), line += *line == '\n') {
		table.line++;
		if (*line != '#' && *line != '\n' && is_header(&table, line))
			read_header(&table, line, strcspn(line, "\n"));
		else
			code = read_line(&table, line);
	}
	if (code == EXIT_OK && table.rows == 0)
		code = complain(EXIT_DATA, "%s: it holds no numbers", name);
	if (code != EXIT_OK) {
		free(table.numbers);
		return code;
	}
	describe(&table, ret_array);
	*ret_data = table.numbers;
	return EXIT_OK;
}
