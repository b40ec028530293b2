/* SPDX-License-Identifier: Apache-2.0 */
/* Short draws of one session, several in a batch.
 *
 * A draw of some hundred samples takes less time than what a run pays beside it: locks, references, the floating-point
 * environment, the account of its lane, a reply as a map. A batch pays that once. It holds the session's lock while it
 * draws, so neither the prepared calls nor their tiles can go meanwhile. */
#ifndef TRNSCI_ENGINE_PREPARED_BATCH_H
#define TRNSCI_ENGINE_PREPARED_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fpenv.h"
#include "engine/memory/engine_session.h"
#include "engine/call/prepared_changes.h"
#include "engine/steps/stream_placement.h"

/* Set memory, and the rest to zero. For one thread. */
struct prepared_batch {
	struct engine_session *session;
	bool is_open;  /* holds the session's lock */
	unsigned runs; /* since it was opened */
	uint64_t words; /* of 32 bits, that they made */
	struct fpenv_saved saved;
};

/* Runs a short draw into a tile, in one piece, and opens the batch where necessary. Returns false if the run is none, or
 * cannot be done as it is stated: end the batch, and run it by prepared_rerun_listed. */
bool prepared_batch_run(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
			struct draw_position *ret_position);

/* The same for a draw whose samples are in its reply, which stays as it is until the next run. NULL: it is none. */
const struct value *prepared_batch_reply(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes);

/* Ends an open batch. Open it again by the next run, so that other threads get the lock: 8 runs are a good batch. took_ns:
 * of all its runs. */
void prepared_batch_end(struct prepared_batch *batch, uint64_t took_ns);

#endif
