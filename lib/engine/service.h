/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are answered at once: version, ping, describe, derive, tile, free, prepare, release. */
#ifndef TRNSCI_ENGINE_SERVICE_H
#define TRNSCI_ENGINE_SERVICE_H

#include "engine/memory/tile.h"
#include "engine/operations/bind.h"

struct prepared;

/* Replies to a bound START_SERVICE request; the reply is made in bump. A `prepare` that has tables to build first sets
 * *ret_prepared instead, which is then the caller's. */
int service_answer(struct engine_session *session, const struct args *args, struct bump *bump, struct value *reply,
		   struct prepared **ret_prepared, struct error *err);

/* Replies to that `prepare` once its tables are built. Takes ownership of prepared, also when it fails. */
int service_keep(struct engine_session *session, struct prepared *prepared, struct bump *bump, struct value *reply,
		 struct error *err);

#endif
