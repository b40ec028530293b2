/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon costs, and what others feel of it. */
#ifndef TRNSCI_TESTS_DAEMON_LOAD_H
#define TRNSCI_TESTS_DAEMON_LOAD_H

#include "harness.h"

uint64_t load_now_ns(void);

/* The processor time of all the daemon's threads so far. */
uint64_t load_cpu_ns(const struct daemon *daemon);

/* The processor time of the one daemon (served.h) from a ping to its answer, all that it does for others meanwhile included.
 * Of some rounds the least: what others use of the machine lengthens some of them, what hangs lengthens all. */
uint64_t load_ping_cpu_ns(struct client *client);

/* Fails when that has grown out of proportion. */
void load_expect_little(const char *name, uint64_t took_ns, uint64_t quiet_ns);

/* Runs attack again and again in a child (which it may end) for as long as the client's pings are measured. */
void load_feels_nothing(struct client *client, const char *name, void (*attack)(void));

/* A connection of nobody's; -1 when it is not let in. */
int load_connect(const struct daemon *daemon);

#endif
