/* SPDX-License-Identifier: Apache-2.0 */
/* The setting `weights`: the shares of time of the sessions of a user or group while others wait. */
#ifndef TRNSCI_DAEMON_WEIGHTS_H
#define TRNSCI_DAEMON_WEIGHTS_H

#include <sys/types.h>

#include "base/error.h"

enum { WEIGHT_MOST = 1000 };

/* "uid:1000=4,gid:50=2", numbers only. -ERROR_OUT_OF_RANGE. */
int weights_check(const char *text, struct error *err);

/* Of text that was checked: the user's own, else that of its group, else 1. */
unsigned weights_of(const char *text, uid_t uid, gid_t gid);

#endif
