/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of `stats`. One that an older daemon does not have is 0: a command shows what there is. */
#include "figures.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t figure_u64(const struct trnsci_value *map, const char *name)
{
	uint64_t value = 0;

	trnsci_value_to_u64(trnsci_value_get(map, name), &value);
	return value;
}

double figure_f64(const struct trnsci_value *map, const char *name)
{
	double value = 0;

	trnsci_value_to_f64(trnsci_value_get(map, name), &value);
	return value;
}

const char *figure_text(const struct trnsci_value *map, const char *name, char room[static PRINTABLE_ROOM])
{
	size_t size = 0;
	const char *text = trnsci_value_to_bytes(trnsci_value_get(map, name), &size);

	return text ? printable(text, size, room) : NULL;
}

const char *local_time(double seconds, char text[static 32])
{
	const time_t at = (time_t)seconds;
	struct tm broken;

	localtime_r(&at, &broken);
	strftime(text, 32, "%F %T", &broken);
	return text;
}

const char *time_text(double us, char text[static 16])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double time = us * 1000;
	size_t unit = 0;

	for (; time >= 1000 && unit < 3; unit++)
		time /= 1000;
	snprintf(text, 16, time >= 100 ? "%.0f %s" : "%.3g %s", time, units[unit]);
	return text;
}

bool latency_row(const struct trnsci_value *latency, size_t i, struct latency_row *ret)
{
	const struct trnsci_value *times = trnsci_value_at(latency, i);
	size_t size = 0;
	const char *name = trnsci_value_name_at(latency, i, &size);

	*ret = (struct latency_row){
		.name = name,
		.name_size = (int)size,
		.n_requests = figure_u64(times, "count"),
		.p50_us = figure_f64(times, "p50_us"),
		.p99_us = figure_f64(times, "p99_us"),
		.p999_us = figure_f64(times, "p999_us"),
		.max_us = figure_f64(times, "max_us"),
		.total_us = figure_f64(times, "total_us"),
	};
	return ret->n_requests > 0;
}

void print_range(const char *name, const char *generator, uint64_t seed, uint64_t stream, const char *unit, uint64_t at,
		 uint64_t n)
{
	fprintf(stderr, "%s generator=%s seed=%" PRIu64 " stream=%" PRIu64 " %s=%" PRIu64 " n=%" PRIu64 "\n", name, generator,
		seed, stream, unit, at, n);
}

double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int compare_f64(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

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
