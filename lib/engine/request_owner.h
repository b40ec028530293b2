/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of a request to the owner of its session: a reply to the whole request (START_OWNER), or reservations of
 * named streams. The owner replies at once or later, from any thread; the last reply wakes the request's job. */
#ifndef TRNSCI_ENGINE_REQUEST_OWNER_H
#define TRNSCI_ENGINE_REQUEST_OWNER_H

#include "engine/operations/bind.h"
#include "engine/request_core.h"

/* Refuses a request of a session without an owner, as one embedded in a program: -ERROR_NOT_SUPPORTED, or 0. */
int request_check_owner(struct request *request, const char *context);

/* Asks for the reply to a bound START_OWNER request. Returns 0 if it is there, 1 if the job has to wait, or an error.
 */
int request_ask_reply(struct request *request, const struct args *args);

/* Asks for the reservations of all draws of named streams. Returns 0 or 1 as above, or an error. */
int request_ask_reservations(struct request *request);

/* Takes over the owner's replies and positions the draws; call it when awaiting is 0. Returns 0 or an error. */
int request_settle(struct request *request);

/* Ends what was asked, also after its reply: the owner may still be inside deferred_reply_send. */
void request_forget_replies(struct request *request);

#endif
