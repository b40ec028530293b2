/* SPDX-License-Identifier: Apache-2.0 */
/* A connection before its session has it: the greeting, and what is asked for one by one while tiles are restored. */
#ifndef TRNSCI_CLIENT_REMOTE_HANDSHAKE_H
#define TRNSCI_CLIENT_REMOTE_HANDSHAKE_H

#include "codec.h"
#include "frame.h"
#include "input.h"
#include "fdpass.h"
#include "session/session.h"

enum { REMOTE_PROTOCOL = 1, HANDSHAKE_INSTANCE = 17 /* bytes of a daemon's instance, as text */ };

/* What a daemon may send in one frame: more than its own limits let it. */
extern const struct frame_limits handshake_reply_limits;

struct handshake {
	int socket;       /* connected, non-blocking */
	int64_t deadline; /* of the whole handshake */
	uint32_t last_msgid;
	struct codec_buffer out;
	struct input in;
	struct error closing; /* why the daemon will close it; code 0: it has given no reason */
};

/* A connected, non-blocking socket. -ERROR_NO_DAEMON, -ERROR_OUT_OF_RANGE (the path), -ERROR_SYSTEM. */
int handshake_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err);

void handshake_init(struct handshake *handshake, int socket, int64_t deadline);
/* Frees its memory; the socket stays open. */
void handshake_end(struct handshake *handshake);

/* Calls a method and waits for its result, a map in bump; ret_fds (NULL: none are taken) are the caller's on success.
 * Errors: the daemon's, -ERROR_CLOSED, -ERROR_TIMEOUT, -ERROR_BAD_REPLY, -ERROR_NO_MEMORY. */
int handshake_call(struct handshake *handshake, const char *method, const struct value *params, struct bump *bump,
		   struct fdpass *ret_fds, struct value *ret_result, struct error *err);

/* Asks who is at the other end; ret_instance is empty for a daemon that has none. -ERROR_NOT_SUPPORTED (another
 * protocol), or as handshake_call; or the reason that the daemon gives when it refuses the connection. */
int handshake_greet(struct handshake *handshake, char ret_instance[HANDSHAKE_INSTANCE], struct error *err);

/* Whether the message is the notification by which a daemon says why it ends the connection; *ret_error is then set. */
bool handshake_read_closing(const struct message *message, struct error *ret_error);

#endif
