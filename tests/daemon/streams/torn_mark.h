/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a state on a disk that forgets: a program that links this has no extended attributes but these, and each
 * write and sync of the mark is an operation of torn_vfs.h. */
#ifndef TRNSCI_TESTS_DAEMON_TORN_MARK_H
#define TRNSCI_TESTS_DAEMON_TORN_MARK_H

#include <stdbool.h>

/* After a cut: what was written and not synced is kept, or it is not. */
void torn_mark_settle(bool kept);
/* A folder that never had a mark; and whether the file system keeps none at all (false from here on). */
void torn_mark_forget(void);
void torn_mark_unsupported(bool is);

#endif
