/* SPDX-License-Identifier: Apache-2.0 */
/* The reply to `stats` in an embedded session. */
#ifndef TRNSCI_CLIENT_EMBEDDED_STATS_H
#define TRNSCI_CLIENT_EMBEDDED_STATS_H

#include "base/value.h"
#include "engine/engine.h"
#include "engine/memory/engine_session.h"

/* Puts `process`, `engine` and `session` into map. requested_cpu: the instruction set that was asked for; NULL: none. Returns non-zero if there
 * is no memory. */
int embedded_show_stats(struct engine *engine, struct engine_session *engine_session, const char *requested_cpu, struct bump *bump,
			struct value *map);

#endif
