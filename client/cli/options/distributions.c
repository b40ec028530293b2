/* SPDX-License-Identifier: Apache-2.0 */
/* The names of distributions, from the table of operations. */
#include "options/distributions.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Distributions are the operations of the category "draw". */
bool distribution_find(const char *name, struct trnsci_operation_info *ret)
{
	for (size_t i = 0; trnsci_operation(i, ret) == 0; i++)
		if (strcmp(ret->category, "draw") == 0 && strcmp(ret->name, name) == 0)
			return true;
	return false;
}

void distributions_list(char *to, size_t room, const char *separator)
{
	struct trnsci_operation_info operation;
	size_t used = 0;

	to[0] = '\0';
	for (size_t i = 0; trnsci_operation(i, &operation) == 0; i++)
		if (strcmp(operation.category, "draw") == 0 && used < room)
			used += (size_t)snprintf(to + used, room - used, "%s%s", used ? separator : "", operation.name);
}

int distributions_print(const char *command)
{
	struct trnsci_operation_info operation;

	printf("usage: trnsci-cli %s DIST -n COUNT [option ...]\n\nDraw random numbers. DIST is one of\n", command);
	for (size_t i = 0; trnsci_operation(i, &operation) == 0; i++)
		if (strcmp(operation.category, "draw") == 0)
			printf("  %-16s %s\n", operation.name, operation.help);
	printf("\ntrnsci-cli %s DIST --help lists its parameters.\n", command);
	return EXIT_OK;
}
