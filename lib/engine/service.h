/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are answered at once: version, ping, describe, derive, tile, free. */
#ifndef TRNSCI_ENGINE_SERVICE_H
#define TRNSCI_ENGINE_SERVICE_H

#include "engine/bind.h"
#include "engine/tile.h"

struct kept;

/* Answers a bound METHOD_SERVICE request; the reply is made in zone. But for a program_new in which there is something
 * large to make first, and that *ret_kept then is. */
int service_answer(struct space *space, const struct args *args, struct zone *zone, struct value *reply,
		   struct kept **ret_kept, struct error *err);

/* The answer to that, when it is made; takes it. */
int service_keep(struct space *space, struct kept *kept, struct zone *zone, struct value *reply, struct error *err);

#endif
