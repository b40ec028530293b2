/* SPDX-License-Identifier: Apache-2.0 */
/* A connection that no session uses yet: the greeting, and the requests that restore tiles after a reconnect. One
 * request at a time, each waited for. */
#ifndef TRNSCI_CLIENT_REMOTE_HANDSHAKE_H
#define TRNSCI_CLIENT_REMOTE_HANDSHAKE_H

#include "base/wait.h"
#include "codec.h"
#include "frame.h"
#include "input.h"
#include "fdpass.h"
#include "session/session.h"

enum { REMOTE_PROTOCOL = 1, HANDSHAKE_INSTANCE = 17 /* of a daemon's instance: 16 characters and a final 0 */ };

/* Limits of one frame from a daemon: more than the daemon's own limits allow. */
extern const struct frame_limits handshake_reply_limits;

struct handshake {
	int socket;       /* connected, non-blocking */
	int64_t deadline; /* of the whole handshake */
	uint32_t last_msgid;
	struct wait_history waits; /* all 0: they sleep at once */
	struct codec_buffer out;
	struct input in;
	struct error closing; /* why the daemon will close the connection; code 0: it has given no reason */
};

/* Returns a connected, non-blocking socket. The timeout is for a daemon whose queue of connections is full.
 * -ERROR_NO_DAEMON, -ERROR_OUT_OF_RANGE (the path), -ERROR_SYSTEM. */
int handshake_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err);

void handshake_init(struct handshake *handshake, int socket, int64_t deadline);
/* Frees the handshake's memory. The socket stays open: it is the caller's. */
void handshake_end(struct handshake *handshake);

/* Calls a method and waits for its result, a map in bump. The descriptors in ret_fds (NULL: none may come) are the
 * caller's on success. Errors: the daemon's, -ERROR_CLOSED, -ERROR_TIMEOUT, -ERROR_BAD_REPLY, -ERROR_NO_MEMORY. */
int handshake_call(struct handshake *handshake, const char *method, const struct value *params, struct bump *bump,
		   struct fdpass *ret_fds, struct value *ret_result, struct error *err);

/* Asks for the daemon's protocol and instance; ret_instance is empty if it has none. -ERROR_NOT_SUPPORTED (another
 * protocol), the reason of a daemon that refuses the connection, or as handshake_call. */
int handshake_greet(struct handshake *handshake, char ret_instance[HANDSHAKE_INSTANCE], struct error *err);

/* Reads the kind and text of an error from a notification's parameters. Returns false if there is no text. */
bool handshake_read_error(const struct value *params, struct error *ret_error);

/* Returns whether the message is the notification in which a daemon gives the reason for closing the connection, and
 * sets *ret_error to it. */
bool handshake_read_closing(const struct message *message, struct error *ret_error);

#endif
