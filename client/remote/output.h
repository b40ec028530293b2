/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way to a daemon.
 *
 * One thread at a time is the sender. It sends without the session's lock, and other threads leave their bytes to it
 * meanwhile. Whatever ends or replaces the connection first counts what the sender has sent (output_settle). */
#ifndef TRNSCI_CLIENT_REMOTE_OUTPUT_H
#define TRNSCI_CLIENT_REMOTE_OUTPUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "codec.h"

/* All members but `inside` and `result` are guarded by the session's lock. */
struct output {
	struct codec_buffer waiting; /* requests are appended here */
	struct codec_buffer leaving; /* the sender's; goes first */
	size_t left;                 /* bytes of `leaving` that were sent */
	uint64_t sent;               /* bytes sent on this connection */
	bool sending;                /* there is a sender */
	bool unsettled;              /* it has begun a system call whose result is not counted yet */
	atomic_bool inside;          /* it is in that system call */
	ssize_t result;              /* of that call */
	bool blocked;                /* the socket has taken no more since output_send began */
	int error;                   /* why nothing more can be sent, -errno; 0: it can */
};

/* All with the lock. */

/* Returns the bytes that are not known to be sent. */
static inline size_t output_pending(const struct output *output)
{
	return output->leaving.size - output->left + output->waiting.size;
}

/* Sends what the socket takes without blocking, unless another thread is the sender. `lock` is released meanwhile; NULL: it is
 * kept. A failure is in output->error. */
void output_send(struct output *output, int socket, pthread_mutex_t *lock);
/* Returns whether there are bytes that wait for room in the socket. */
static inline bool output_is_stuck(const struct output *output)
{
	return !output->sending && output_pending(output) > 0;
}

/* Waits for the end of the sender's system call, which does not block, and counts its bytes. */
void output_settle(struct output *output);
/* Forgets what was not sent. After output_settle. */
void output_drop(struct output *output);
/* The next bytes are the first ones of a new connection. After output_settle. */
void output_restart(struct output *output);
/* Ends sending: the socket is about to be closed. */
void output_stop(struct output *output);
void output_free(struct output *output);

#endif
