/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon whose system calls and allocations can be made to fail, and what must hold after each failure. */
#ifndef TRNSCI_TESTS_DAEMON_FAULT_FIXTURE_H
#define TRNSCI_TESTS_DAEMON_FAULT_FIXTURE_H

#include "daemon/faulty.h"

extern struct daemon fault_daemon;
extern struct fault_page *fault_page; /* shared with the daemon: which call fails, and how */
extern struct faulty fault_library;   /* what is loaded into the daemon and its clients */
extern unsigned fault_quiet_fds;      /* descriptors of a daemon without sessions; 0: not counted yet */
extern uint64_t fault_kept_next;      /* the word behind the first draw from the stream `kept` */

int fault_setup(void **state);
int fault_teardown(void **state);

/* Gives a daemon a folder and a page of its own; fault_page is that page from then on. */
void fault_prepare(struct daemon *daemon);
/* Starts it without its messages: those of each failure would be long. */
void fault_spawn(struct daemon *daemon);

/* Makes the nth call from now on fail with that error; -1: none, calls are only counted. */
void fault_arm(int error, long nth);

/* Expects that the daemon lives, that a fresh client gets the right bytes, and that nothing is left of earlier ones. */
void fault_expect_well(const char *when);

/* Draws from the stream `kept`. Returns the word behind the draw, or 0 and the error. */
uint64_t fault_draw_kept(struct client *client, struct error *ret_error);

/* Returns the parameters of a request that prepares a program. */
struct value fault_prepare_params(struct client *client, struct value run);

#endif
