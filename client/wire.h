/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a remote session, in both directions. Every function is called with the session's lock held. */
#ifndef TRNSCI_CLIENT_WIRE_H
#define TRNSCI_CLIENT_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "session.h"

#include "base/spin.h"
#include "codec.h"
#include "frame.h"

/* A remote session's peer. */
struct remote {
	int socket;
	int wake;       /* eventfd: the polling thread shall look again */
	int epoll;      /* for trnsci_fd; -1 until then */
	bool polling;   /* a thread is in poll */
	struct spin spin; /* of the polling thread */
	bool epoll_out; /* epoll waits for room, too */
	bool fds_wanted;   /* a call in flight will bring descriptors */
	struct fdpass fds; /* that came and wait for their reply */
	struct codec_buffer out;
	size_t out_sent;
	char *in;
	size_t in_size, in_room;
	struct error closing; /* why the daemon will close the connection; code 0: it has given no reason */
	bool greeted;         /* a daemon of our protocol has answered */
	bool bound;           /* the daemon has something of the session's, which would go with it */
	struct frame_scan scan; /* of the frame at the start of in */
};

/* What a daemon may send in one frame: more than its own limits let it. */
extern const struct frame_limits wire_reply_limits;

void wire_init(struct remote *remote, int socket, int wake);
/* Closes what is open, and says no word. */
void wire_close(struct remote *remote);
void wire_free(struct remote *remote);

/* The connection is at its end: every call in flight is answered with this error. */
void wire_fail(struct trnsci_session *session, enum error_code code, const char *what, const char *why);

/* Forgets what was on its way in both directions; socket takes the place, and the number, of the one before. */
void wire_replace(struct trnsci_session *session, int socket);

/* Sends what the socket takes. */
void wire_flush(struct trnsci_session *session);

/* Reads what is there and answers the calls that it answers. Anything that the protocol does not allow ends the
 * connection with bad_reply. Whether there was anything. */
bool wire_receive(struct trnsci_session *session);

/* Whether the message is the notification by which a daemon says why it ends the connection; *ret_error is then set. */
bool wire_read_closing(const struct message *message, struct error *ret_error);

/* Tells the session's epoll, if there is one, whether room to send is waited for. */
void wire_watch(struct remote *remote);

#endif
