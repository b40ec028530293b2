/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that come again and again with other msgids, seeds, streams and offsets alone.
 *
 * The third of them is prepared for the session itself. Those that follow are compared with its bytes, and run as a prepared call
 * without being decoded and compiled. Replies are those of the plain request. Whatever keeps such a run from succeeding makes it
 * a plain request again, which reports what is wrong. It belongs to the loop's thread. */
#ifndef TRNSCI_DAEMON_FAST_PATH_H
#define TRNSCI_DAEMON_FAST_PATH_H

#include "codec.h"
#include "engine/operations/operations.h"
#include "net/session.h"

/* Runs the session's next frame if it is such a request, and takes it from the inbox. Returns false if it is not. */
bool fast_path_run(struct session *session);

/* Counts a request that was decoded, and prepares it if it has come often enough. Before it is started. */
void fast_path_note(struct session *session, const struct operation *operation, const struct message *message,
		    const struct inbox_frame *frame);

/* Ends what was prepared. Before the session's memory is closed. */
void fast_path_close(struct session *session);

#endif
