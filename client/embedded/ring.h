/* SPDX-License-Identifier: Apache-2.0 */
/* Rings that the embedded engine fills. As struct session_engine takes them, but with the session's memory. */
#ifndef TRNSCI_CLIENT_EMBEDDED_RING_H
#define TRNSCI_CLIENT_EMBEDDED_RING_H

#include "session/ring_link.h"

struct engine_session;

int embedded_attach_ring(struct trnsci_call *call, struct engine_session *memory, struct ring_link *ret_link,
			 struct error *err);
void embedded_wake_ring(struct ring_link *link);
void embedded_detach_ring(struct trnsci_session *session, struct ring_link *link);

#endif
