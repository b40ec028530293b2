/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS for SQLite, over the default one, whose disk forgets: what has been written and not synced may be lost, kept or
 * torn, sector by sector, when the power is cut; a file that was made and not synced may be gone, one that was removed
 * without a synced folder back. One folder at a time; any threads. */
#ifndef TRNSCI_TESTS_DAEMON_TORN_VFS_H
#define TRNSCI_TESTS_DAEMON_TORN_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* Becomes the default VFS, from here to the end of the program. */
void torn_install(void);

/* Forgets all files, which must be closed; what lies on the disk is taken to be durable. */
void torn_begin(uint64_t seed);

/* The power goes at the operation of that number from now (writes, syncs, truncations, removals; 0: never): from it on
 * each of them fails and changes nothing. */
void torn_cut_at(uint64_t operation);
bool torn_is_cut(void);

/* The operations from..until fail for lack of space (writes), or (syncs) with an I/O error. */
void torn_fail(uint64_t from, uint64_t until, bool writes, bool syncs);

/* An operation beside SQLite's: 0, or the errno with which it fails. */
int torn_operation(bool write, bool sync);

/* Operations so far, and of them syncs. */
uint64_t torn_operations(void);
uint64_t torn_syncs(void);

/* Makes of every file what the disk has after the cut. All files must be closed. */
void torn_settle(void);

#endif
