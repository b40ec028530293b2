/* SPDX-License-Identifier: Apache-2.0 */
/* Rings that a daemon fills, as struct session_engine takes them. */
#ifndef TRNSCI_CLIENT_REMOTE_RING_H
#define TRNSCI_CLIENT_REMOTE_RING_H

#include "session/ring_link.h"

int remote_attach_ring(struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
int remote_attach_broadcast(struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
void remote_wake_ring(struct ring_link *link);
void remote_detach_ring(struct trnsci_session *session, struct ring_link *link);

#endif
