/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that options are made of. */
#include "rows.h"

#include <string.h>

const struct option_row common_options[] = {
	{"socket", 0, "PATH", "use the daemon at this socket"},
	{"embedded", 0, NULL, "compute in this process"},
	{"threads", 0, "N", "threads of the embedded engine, 1 to 128 [as many as CPUs]"},
	{"timeout", 0, "SECONDS", "how long to wait for an answer that takes no computing, 1 to 3600 [30]"},
	{"json", 0, NULL, "what is reported, as JSON"},
	{"quiet", 'q', NULL, "no remarks and no progress on stderr"},
	{"verbose", 'v', NULL, "say on stderr what is done"},
	{"help", 'h', NULL, "print this"},
};

const size_t n_common_options = sizeof common_options / sizeof *common_options;

/* Whether a name stands between blanks in a list. */
static bool is_in(const char *list, const char *name)
{
	const size_t size = strlen(name);

	for (const char *at = list; at && (at = strstr(at, name)); at += size)
		if (at > list && at[-1] == ' ' && at[size] == ' ')
			return true;
	return false;
}

/* Tiles are files on the command line; how a reply is written and when it is late is the command's. */
static bool is_hidden(const struct command *command, const struct trnsci_parameter_info *parameter)
{
	return strcmp(parameter->type, "tile") == 0 || is_in(" u64 timeout_ms ", parameter->name) ||
	       is_in(command->hidden, parameter->name);
}

bool common_option_counts(const struct command *command, const struct option_row *row)
{
	return command->reports || strcmp(row->name, "json") != 0;
}

const char *parameter_spell(const char *name, char buffer[static 64])
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

bool find_operation(const char *name, struct trnsci_operation_info *ret)
{
	for (size_t i = 0; trnsci_operation_at(i, ret) == 0; i++)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}

bool parameter_next(const struct command *command, size_t *index, struct trnsci_parameter_info *ret)
{
	while (command->operation && trnsci_operation_parameter(command->operation, (*index)++, ret) == 0)
		if (!is_hidden(command, ret))
			return true;
	return false;
}

bool parameter_find(const char *operation, const char *name, struct trnsci_parameter_info *ret)
{
	for (size_t i = 0; operation && trnsci_operation_parameter(operation, i, ret) == 0; i++)
		if (same_name(ret->name, name))
			return true;
	return false;
}

bool parameter_negates(const struct trnsci_parameter_info *parameter)
{
	return strcmp(parameter->type, "bool") == 0 && !(parameter->fallback && strcmp(parameter->fallback, "false") == 0);
}

const char *own_name(const struct command *command, const char *name)
{
	for (size_t i = 0; i < command->n_rows; i++)
		if (strcmp(command->rows[i].name, name) == 0)
			return command->rows[i].name;
	return NULL;
}
