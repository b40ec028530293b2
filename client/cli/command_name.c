/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a process's command. */
#include "command_name.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* A name that cannot be read belongs to a process that has ended, or that is hidden from this user. */
static const char *why_no_name(uint64_t pid)
{
	return pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH ? "(ended)" : "(hidden)";
}

/* A name may hold any bytes: what is no printable ASCII letter becomes a question mark. */
const char *command_name(uint64_t pid, char name[static 17])
{
	char path[40];

	name[0] = '\0';
	snprintf(path, sizeof path, "/proc/%" PRIu64 "/comm", pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return strcpy(name, why_no_name(pid));
	if (!fgets(name, 17, file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return name;
}
