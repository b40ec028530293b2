/* SPDX-License-Identifier: Apache-2.0 */
/* The setting `weights`: the share of time that each session of a user or group gets while others wait. */
#ifndef TRNSCI_DAEMON_WEIGHTS_H
#define TRNSCI_DAEMON_WEIGHTS_H

#include <sys/types.h>

#include "base/error.h"

enum { WEIGHT_MOST = 1000 };

/* Checks a text such as "uid:1000=4,gid:50=2". Returns 0 or -ERROR_OUT_OF_RANGE. */
int weights_check(const char *text, struct error *err);

/* Returns the weight of a user by a text that was checked: its own, else its group's, else 1. */
unsigned weights_of(const char *text, uid_t uid, gid_t gid);

#endif
