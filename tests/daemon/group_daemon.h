/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon for all tests of a program, and a client that watches it from the first test to the last. */
#ifndef TRNSCI_TESTS_DAEMON_GROUP_DAEMON_H
#define TRNSCI_TESTS_DAEMON_GROUP_DAEMON_H

#include "harness.h"

extern struct daemon group_daemon;
extern struct client witness;

/* Starts the daemon with these arguments (NULL at the end), and the witness. */
void group_daemon_start(const char *const *arguments);
/* A group's tear-down: both end, the daemon with 0. */
int group_daemon_stop(void **state);

/* The bytes that arenas, rings and broadcasts are charged with. */
uint64_t group_daemon_charged(void);
/* Nothing is left but the witness: no byte, no descriptor beyond those after group_daemon_start, no ring, broadcast or
 * job. */
void group_daemon_expect_rest(void);
/* The same as a test's tear-down. */
int group_daemon_rests(void **state);

#endif
