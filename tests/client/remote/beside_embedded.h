/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon, and an embedded session that says what it should give. */
#ifndef TESTS_CLIENT_REMOTE_BESIDE_EMBEDDED_H
#define TESTS_CLIENT_REMOTE_BESIDE_EMBEDDED_H

#include "client/both.h"

static struct trnsci_session *embedded;

static inline int start_both(void **state)
{
	embedded = open_at("embedded:");
	return start(state);
}

static inline int stop_both(void **state)
{
	trnsci_close(embedded);
	return stop(state);
}

#endif
