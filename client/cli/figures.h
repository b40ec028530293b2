/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a reply's map, of the clock, and their order. */
#ifndef TRNSCI_CLI_FIGURES_H
#define TRNSCI_CLI_FIGURES_H

#include <trnsci/trnsci.h>

#include "printable.h"

/* The number under a name of a map; 0 where there is none, since an older daemon may not have it. */
uint64_t figure_u64(const struct trnsci_value *map, const char *name);
double figure_f64(const struct trnsci_value *map, const char *name);

/* The text under a name, made printable in room; NULL where there is none. */
const char *figure_text(const struct trnsci_value *map, const char *name, char room[static PRINTABLE_ROOM]);

/* How long the requests of one class of methods took, in microseconds. */
struct latency_row {
	const char *name; /* of the class, not terminated */
	int name_size;
	uint64_t n_requests;
	double p50_us, p99_us, p999_us, max_us, total_us;
};

/* Row i of `latency` in the daemon's part of `stats`. False when no request of this class was made. */
bool latency_row(const struct trnsci_value *latency, size_t i, struct latency_row *ret);

/* Prints on stderr where numbers of a named stream lie, as options that give them again. unit: "position", in words, or "offset",
 * in samples of a signal. */
void print_range(const char *name, const char *generator, uint64_t seed, uint64_t stream, const char *unit, uint64_t at,
		 uint64_t n);

/* Writes a time of day, "2026-11-27 08:00:00". Returns text. */
const char *local_time(double seconds, char text[static 32]);

/* Writes a time with its unit, "12.3 us". Returns text. */
const char *time_text(double us, char text[static 16]);

/* Seconds from a fixed instant (CLOCK_MONOTONIC). */
double seconds_now(void);

/* Reads the name of a process's command into name; "(ended)" if there is none any more, "(hidden)" if this user may
 * not see it. Returns name. */
const char *command_name(uint64_t pid, char name[static 17]);

/* Orders doubles for qsort, the least first. */
int compare_f64(const void *a, const void *b);

#endif
