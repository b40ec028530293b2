/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of rings and broadcasts, which clients may hold.
 *
 * Pages cannot be taken back from a client that maps them: a memfd that is sealed against future writes cannot be punched,
 * not even by its owner. So memory that a client has received stays charged until the session that caused it ends, even if
 * the ring ends before; the session's next ring of the same size gets the same memory. Memory of a broadcast, which other
 * clients may hold, is not used again. All of it belongs to the loop's thread. */
#ifndef TRNSCI_DAEMON_CLIENT_HELD_H
#define TRNSCI_DAEMON_CLIENT_HELD_H

#include "engine/operations/bind.h"
#include "engine/producers/sampler.h"
#include "memory/background.h"
#include "memory/sealed_memfd.h"
#include "net/session.h"

struct client_held {
	struct background_task free_task;
	struct client_held *next; /* of session->held, once its ring or broadcast has ended */
	struct quota_user *user;  /* a reference of its own: the memory may outlive the session's */
	uint64_t charge;   /* bytes */
	uint64_t capacity; /* samples */
	struct sealed_memfd samples, index; /* index: of a ring only */
	bool received;                      /* a client has its descriptors, or had them */
};

enum client_held_use { CLIENT_HELD_RING, CLIENT_HELD_BROADCAST };

/* Makes memory for as many samples as a parameter of args asks for, charges it, and writes the page of an empty ring.
 * named: the samples are of a named stream, one capacity from each reservation. Returns 0, -ERROR_LIMIT, -ERROR_NO_MEMORY
 * or -ERROR_SYSTEM. */
int client_held_create(struct session *session, enum client_held_use use, const struct args *args,
		       unsigned samples_param, const struct sampler *sampler, bool named, struct client_held **ret_held,
		       struct error *err);

/* Adds what a reply says of the memory to result. */
int client_held_describe(const struct client_held *held, const struct sampler *sampler, bool named, struct bump *bump,
			 struct value *result);
/* Duplicates a descriptor for the client. Returns it, or -1 with errno. */
int client_held_dup(struct client_held *held, const struct sealed_memfd *which);

/* Frees memory that no client has received; leaves other memory to the session. Accepts NULL. */
void client_held_release(struct session *session, enum client_held_use use, struct client_held *held);

/* Frees the memory that is left to a session, and gives its charge back. */
void client_held_end(struct session *session);

#endif
