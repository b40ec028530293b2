/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are answered at once: version, ping, describe, derive, tile, free. */
#ifndef TRNSCI_ENGINE_SERVICE_H
#define TRNSCI_ENGINE_SERVICE_H

#include "engine/memory/tile.h"
#include "engine/operations/bind.h"

struct prepared;

/* Answers a bound METHOD_SERVICE request; the reply is made in bump. But a `prepare` with something
 * large to build first sets *ret_prepared instead. */
int service_answer(struct session_memory *memory, const struct args *args, struct bump *bump, struct value *reply,
		   struct prepared **ret_prepared, struct error *err);

/* The answer to that, when it is made; takes it. */
int service_keep(struct session_memory *memory, struct prepared *prepared, struct bump *bump, struct value *reply,
		 struct error *err);

#endif
