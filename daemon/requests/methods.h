/* SPDX-License-Identifier: Apache-2.0 */
/* The methods that the session answers itself: arenas, cancel, stats, those of rings and broadcasts. All others are the
 * engine's. */
#ifndef TRNSCI_DAEMON_METHODS_H
#define TRNSCI_DAEMON_METHODS_H

#include "engine/operations/operations.h"
#include "net/method_call.h"

/* Binds params and calls the method of an operation of METHOD_SESSION. call->args is set here, all else by the caller.
 * Returns as a method_function. */
int methods_call(struct method_call *call, const struct operation *operation, const struct value *params);

#endif
