/* SPDX-License-Identifier: Apache-2.0 */
/* A connection before a session has it: one request at a time, with its answer. */
#ifndef TRNSCI_CLIENT_LINE_H
#define TRNSCI_CLIENT_LINE_H

#include "codec.h"
#include "session.h"

enum { REMOTE_PROTOCOL = 1 };

struct line {
	int socket;       /* connected, non-blocking */
	int64_t deadline; /* of all that is said on it */
	uint32_t last_msgid;
	struct codec_buffer out;
	char *in;
	size_t in_size, in_room;
	struct error closing; /* why the daemon will close it; code 0: it has given no reason */
};

/* A connected, non-blocking socket. -ERROR_NO_DAEMON, -ERROR_OUT_OF_RANGE (the path), -ERROR_SYSTEM. */
int line_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err);

void line_init(struct line *line, int socket, int64_t deadline);
/* Frees its memory; the socket stays open. */
void line_end(struct line *line);

/* Its result, a map in the zone; ret_fds (NULL: none are taken) are the caller's on success. Errors: the daemon's;
 * -ERROR_CLOSED (it is gone, or the time is over; err tells which), -ERROR_BAD_REPLY, -ERROR_NO_MEMORY. */
int line_call(struct line *line, const char *method, const struct value *params, struct zone *zone,
	      struct fdpass *ret_fds, struct value *ret_result, struct error *err);

/* Whether a daemon of our protocol is at the other end: -ERROR_BAD_REPLY, or as line_call; or the reason that the daemon
 * gives when it refuses the connection. */
int line_greet(struct line *line, struct error *err);

#endif
