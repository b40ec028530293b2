/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon for all tests of a program, and a client that watches it from the first test to the last. */
#ifndef TRNSCI_TESTS_DAEMON_SERVED_H
#define TRNSCI_TESTS_DAEMON_SERVED_H

#include "harness.h"

extern struct daemon served;
extern struct client witness;

/* Starts the daemon with these arguments (NULL at the end), and the witness. */
void served_start(const char *const *arguments);
/* A group's tear-down: both end, the daemon with 0. */
int served_stop(void **state);

/* The bytes that arenas, rings and broadcasts are charged with. */
uint64_t served_charged(void);
/* Nothing is left but the witness: no byte, no descriptor beyond those after served_start, no ring, broadcast or job. */
void served_expect_rest(void);

#endif
