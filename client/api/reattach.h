/* SPDX-License-Identifier: Apache-2.0 */
/* How readers of rings and broadcasts outlast their daemon. */
#ifndef TRNSCI_CLIENT_API_REATTACH_H
#define TRNSCI_CLIENT_API_REATTACH_H

#include "call/call.h"
#include "session/ring_link.h"

/* What a reader keeps to attach again. */
struct reattach {
	struct trnsci_call *recipe; /* a call of the same parameters, never run; NULL: the reader ends with its engine */
	bool awaits_owner;          /* what it reads is made by another session, and may come later */
	int64_t given_up_ns;        /* until when a loss is waited for; 0: nothing is lost, or the session is not back */
	uint64_t times;
};

/* Keeps a copy of the call that attaches, for engines that can be lost. -ERROR_NO_MEMORY */
int reattach_keep(struct reattach *reattach, const struct trnsci_call *call, struct error *err);
void reattach_free(struct reattach *reattach);
/* Makes the call once more; the caller may change its parameters. */
int reattach_call(const struct reattach *reattach, struct trnsci_call **ret_call, struct error *err);

/* Attaches a lost reader by `attach`, again and again until that succeeds, the deadline has passed (-ERROR_TIMEOUT), or the loss has
 * lasted longer than the session waits for a daemon (-ERROR_CLOSED with the reason of the last attempt). Later calls make one attempt
 * each. An error of `attach` that a retry does not change is returned. `what` begins the texts. */
int reattach_wait(struct reattach *reattach, const char *what, int (*attach)(void *reader, struct error *err), void *reader,
		  int64_t deadline, struct error *err);

#endif
