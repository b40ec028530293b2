/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that an engine inside this process answers. */
#ifndef TRNSCI_CLIENT_EMBEDDED_EMBEDDED_H
#define TRNSCI_CLIENT_EMBEDDED_EMBEDDED_H

#include "session/session.h"

int embedded_open(const struct trnsci_options *options, struct trnsci_session **ret_session, struct error *err);

#endif
