/* SPDX-License-Identifier: Apache-2.0 */
/* The draws that a session's client has sent lately: one that comes again, but for its msgid, offset, seed and stream, is
 * known by its bytes and answered without being read.
 *
 * From the first time on its bytes are kept, from the second time on what it was compiled to: of REPEATS_KEPT at most, some
 * 8 KiB each, never more than REPEAT_MOST_BYTES. */
#ifndef TRNSCI_DAEMON_REPEATS_H
#define TRNSCI_DAEMON_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/repeat.h"
#include "pattern.h"

struct inbox;

enum { REPEATS_KEPT = 3 };

struct repeats {
	struct repeat_entry *entries[REPEATS_KEPT];
	unsigned oldest;
};

/* Of the next frame, which is then taken from the inbox; NULL: it is to be read. The reply holds until the next call. */
const struct value *repeats_answer(struct repeats *repeats, struct inbox *inbox, uint32_t *ret_msgid);

/* A frame that had to be read, and asks for a draw. */
void repeats_note(struct repeats *repeats, struct space *space, const struct operation *operation,
		  const struct value *params, const void *frame, size_t size);

void repeats_free(struct repeats *repeats);

#endif
