/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's log. systemd names the device and inode of the journal's stream in JOURNAL_STREAM. */
#include "log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

enum { LINE_ROOM = 512 };

static _Atomic enum log_level most = LEVEL_INFO; /* read by all threads */
static bool to_journal;

static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat st;
	char own[64];

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(own, stream) == 0;
}

void log_set_level(const char *name)
{
	most = strcmp(name, "error") == 0     ? LEVEL_ERROR
	       : strcmp(name, "warning") == 0 ? LEVEL_WARNING
	       : strcmp(name, "debug") == 0   ? LEVEL_DEBUG
					      : LEVEL_INFO;
}

void log_open(const char *name)
{
	log_set_level(name);
	to_journal = stderr_is_journal();
}

static void print_line(enum log_level level, const char *line)
{
	static const char *const words[] = {[LEVEL_ERROR] = "error: ", [LEVEL_WARNING] = "warning: "};

	fprintf(stderr, "trnscid: %s%s\n", level <= LEVEL_WARNING ? words[level] : "", line);
}

void log_line(enum log_level level, const char *format, ...)
{
	char line[LINE_ROOM];
	va_list args;

	if (level > most)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (!to_journal || sd_journal_send("MESSAGE=%s", line, "PRIORITY=%d", (int)level, NULL) < 0)
		print_line(level, line);
}

void log_client(enum log_level level, uint64_t session, uid_t uid, const char *format, ...)
{
	char line[LINE_ROOM];
	va_list args;
	int used;

	if (level > most)
		return;
	used = snprintf(line, sizeof line, "session %" PRIu64 " of uid %u: ", session, (unsigned)uid);
	va_start(args, format);
	vsnprintf(line + used, sizeof line - (size_t)used, format, args);
	va_end(args);
	if (!to_journal || sd_journal_send("MESSAGE=%s", line, "PRIORITY=%d", (int)level, "TRNSCI_SESSION=%" PRIu64,
					   session, "TRNSCI_UID=%u", (unsigned)uid, NULL) < 0)
		print_line(level, line);
}
