/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of rings and broadcasts, which clients see.
 *
 * Nobody can take pages back from a client that maps them: a memfd that is sealed against future writes cannot be
 * punched, not even by its owner. So what a client has had stays charged until the session that had it made ends,
 * whatever becomes of the ring; and the session's next ring of the same size is given the same memory. Memory of a
 * broadcast, which other clients may have, is not used again. All on the loop's thread. */
#ifndef TRNSCI_DAEMON_LENT_H
#define TRNSCI_DAEMON_LENT_H

#include "engine/operations/bind.h"
#include "engine/producers/sampler.h"
#include "memory/background.h"
#include "memory/sealed_memfd.h"
#include "net/session.h"

struct client_held {
	struct background_task task; /* takes it down */
	struct client_held *next;  /* of those that the session keeps */
	struct quota_user *user;
	uint64_t charge, capacity;
	struct sealed_memfd samples, index; /* index: of a ring */
	bool had;		      /* a client has had its descriptors */
};

enum client_held_use { CLIENT_HELD_RING, CLIENT_HELD_BROADCAST };

/* Memory for as many samples as args' parameter asks for, charged, with the page of an empty ring. named: they come in
 * ranges, each of a capacity. -ERROR_LIMIT, -ERROR_NO_MEMORY, -ERROR_SYSTEM. */
int client_held_create(struct session *session, enum client_held_use use, const struct args *args,
		       unsigned samples_param, const struct sampler *sampler, bool named, struct client_held **ret_held,
		       struct error *err);

/* What a reply tells of it, and the copy of a descriptor that goes with it, -1 with errno. */
int client_held_describe(const struct client_held *held, const struct sampler *sampler, bool named, struct bump *bump,
			 struct value *result);
int client_held_dup(struct client_held *held, const struct sealed_memfd *which);

/* Nothing uses it any more. Accepts NULL. */
void client_held_release(struct session *session, enum client_held_use use, struct client_held *held);

/* The session ends: what was charged is given back, when the reaper has freed what can be freed. */
void client_held_end(struct session *session);

#endif
