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

/* Parameter number index that is an option; false past the end. */
bool parameter_next(const struct option_set *set, size_t *index, struct trnsci_parameter_info *ret)
{
	while (set->operation && trnsci_operation_parameter(set->operation, (*index)++, ret) == 0)
		if (!is_hidden(set, ret->name))
			return true;
	return false;
}

/* The row of the table for a parameter of the set's operation; false when there is none. */
bool parameter_find(const struct option_set *set, const char *name, struct trnsci_parameter_info *ret)
{
	for (size_t i = 0; set->operation && trnsci_operation_parameter(set->operation, i, ret) == 0; i++)
		if (same_name(ret->name, name))
			return true;
	return false;
}

bool option_is_own(const struct option_set *set, const char *name)
{
	for (size_t i = 0; i < set->n_rows; i++)
		if (strcmp(set->rows[i].name, name) == 0)
			return true;
	return false;
}
