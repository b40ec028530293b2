/* SPDX-License-Identifier: Apache-2.0 */
/* Reading values of a reply beyond what the installed header offers. */
#ifndef TRNSCI_CLIENT_CALL_REPLY_H
#define TRNSCI_CLIENT_CALL_REPLY_H

#include <trnsci/trnsci.h>

/* Copies the map's text `name` into `room` bytes, with a final 0. Returns false if it is missing, too long or holds a
 * 0. */
bool reply_copy_text(const struct trnsci_value *map, const char *name, char *to, size_t room);

#endif
