/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts: samples that are drawn once for many readers.
 *
 * A broadcast has a name, belongs to the session that created it and ends with it. Its mode, as a file's, says who may
 * read it. */
#ifndef TRNSCI_DAEMON_BROADCASTS_H
#define TRNSCI_DAEMON_BROADCASTS_H

#include "net/method_call.h"
#include "net/session.h"

/* The methods broadcast_create, _publish, _attach, _list and _close. A publish is deferred until its samples can be seen. */
int broadcasts_create(struct method_call *call);
int broadcasts_publish(struct method_call *call);
int broadcasts_attach(struct method_call *call);
int broadcasts_list(struct method_call *call);
int broadcasts_close(struct method_call *call);

/* Closes all broadcasts of a session. session->n_broadcasts counts those that have not ended yet. */
void broadcasts_end_session(struct session *session);

#endif
