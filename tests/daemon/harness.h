/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon's checks use: a daemon, clients on its wire, and the way to wait for either. */
#ifndef TRNSCI_TESTS_DAEMON_HARNESS_H
#define TRNSCI_TESTS_DAEMON_HARNESS_H

#include "harness/daemon.h"
#include "harness/sanitized.h"
#include "harness/wait.h"
#include "harness/wire_client.h"

#endif
