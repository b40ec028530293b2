/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of named streams, from bound parameters to what daemon/streams.h offers. */
#ifndef TRNSCI_DAEMON_STREAM_METHODS_H
#define TRNSCI_DAEMON_STREAM_METHODS_H

#include "engine/served.h"

/* Their argument is the session. */
extern const struct served_ops stream_methods;

#endif
