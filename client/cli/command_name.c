/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a process's command. */
#include "command_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A name may hold any bytes: what is no printable ASCII letter becomes a question mark. */
const char *command_name(uint64_t pid, char name[static 17])
{
	char path[40];

	name[0] = '\0';
	snprintf(path, sizeof path, "/proc/%" PRIu64 "/comm", pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return name;
	if (!fgets(name, 17, file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return name;
}
