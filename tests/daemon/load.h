/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon costs, and what others feel of it. */
#ifndef TRNSCI_TESTS_DAEMON_LOAD_H
#define TRNSCI_TESTS_DAEMON_LOAD_H

#include "harness.h"

uint64_t load_now_ns(void);

/* The processor time of all the daemon's threads so far. */
uint64_t load_cpu_ns(const struct daemon *daemon);

/* The median of some hundred pings, one after the other. */
uint64_t load_median_ping_ns(struct client *client);

/* Runs attack again and again in a child (which it may end) for as long as the client's pings are measured. A machine
 * whose CPUs others use shows in both medians; the bound is for what hangs. */
void load_feels_nothing(struct client *client, const char *name, void (*attack)(void));

/* A connection of nobody's; -1 when it is not let in. */
int load_connect(const struct daemon *daemon);

#endif
