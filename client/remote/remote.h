/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that a daemon answers. */
#ifndef TRNSCI_CLIENT_REMOTE_REMOTE_H
#define TRNSCI_CLIENT_REMOTE_REMOTE_H

#include "session/session.h"

/* Connects to the daemon at that path and greets it. -ERROR_NO_DAEMON if none answers there. */
int remote_open(const char *path, const struct trnsci_options *options, struct trnsci_session **ret_session,
		struct error *err);

#endif
