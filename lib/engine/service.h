/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that are answered at once: version, ping, describe, derive, tile, free. */
#ifndef TRNSCI_ENGINE_SERVICE_H
#define TRNSCI_ENGINE_SERVICE_H

#include "engine/bind.h"
#include "engine/tile.h"

/* Answers a bound METHOD_SERVICE request; the reply is made in zone. */
int service_answer(struct space *space, const struct args *args, struct zone *zone, struct value *reply,
		   struct error *err);

#endif
