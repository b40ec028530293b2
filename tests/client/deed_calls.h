/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests whose replies are functions of their parameters, so that a daemon and an engine inside the process must
 * answer alike. The same random state makes the same request. */
#ifndef TESTS_CLIENT_DEED_CALLS_H
#define TESTS_CLIENT_DEED_CALLS_H

#include <stdint.h>

#include <trnsci/trnsci.h>

extern uint32_t deed_random_state;

/* Returns a random number from 0 to n - 1. */
uint32_t deed_below(uint32_t n);

/* Returns a call without parameters; NULL if it cannot be made: then running it fails. */
struct trnsci_call *deed_call(struct trnsci_session *session, const char *method);

struct trnsci_call *deed_draw_call(struct trnsci_session *session);
struct trnsci_call *deed_points_call(struct trnsci_session *session);
/* A program for `run` or another method that takes programs. */
struct trnsci_call *deed_program_call(struct trnsci_session *session, const char *method);
struct trnsci_call *deed_run_call(struct trnsci_session *session);
/* Any of a draw, a point set and a program. */
struct trnsci_call *deed_any_call(struct trnsci_session *session);

#endif
