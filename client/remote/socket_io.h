/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a remote session, in both directions. Every function is called with the session's lock held. */
#ifndef TRNSCI_CLIENT_REMOTE_SOCKET_IO_H
#define TRNSCI_CLIENT_REMOTE_SOCKET_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "session/session.h"

#include "base/spin.h"
#include "codec.h"
#include "frame.h"
#include "handshake.h"

/* A remote session's peer. */
struct remote {
	int socket;
	void (*lost)(struct trnsci_session *session, const char *why); /* the connection has ended */
	int wake;          /* eventfd: the polling thread shall look again */
	int epoll;         /* for trnsci_fd; -1 until then */
	bool polling;      /* a thread is in poll */
	struct spin spin;  /* of the polling thread */
	bool epoll_out;    /* epoll waits for room, too */
	bool fds_wanted;   /* a call in flight will bring descriptors */
	struct fdpass fds; /* that came and wait for their reply */
	struct codec_buffer out;
	size_t out_sent;
	uint64_t sent;                     /* bytes that the connection has taken */
	bool sending_ended;                /* it takes no more; what was sent may still be answered */
	char instance[HANDSHAKE_INSTANCE]; /* of the daemon */
	struct input in;
	int64_t heard_ns;       /* when the last part came of a message that is not complete */
	struct error closing;   /* why the daemon will close the connection; code 0: it has given no reason */
	struct frame_scan scan; /* of the frame at the start of in */
};

/* The handshake's socket, and what was read from it beyond its replies, are the connection's from now on. */
void socket_io_init(struct remote *remote, struct handshake *handshake, int wake,
		    void (*lost)(struct trnsci_session *session, const char *why));
/* Closes what is open, and says no word. */
void socket_io_close(struct remote *remote);
void socket_io_free(struct remote *remote);

/* The connection is at its end: every call in flight is answered with this error. */
void socket_io_fail(struct trnsci_session *session, enum error_code code, const char *what, const char *why);

/* Forgets what was on its way in both directions; the handshake's socket takes the place, and the number, of the one
 * before. */
void socket_io_replace(struct trnsci_session *session, struct handshake *handshake);

/* Writes the request of a call in flight behind what is to be sent, with the handles that tiles have on this
 * connection. -ERROR_LOST (an input), -ERROR_CLOSED (it is tied to an earlier connection), -ERROR_NO_MEMORY. */
int socket_io_append(struct trnsci_call *call, struct error *err);

/* Sends what the socket takes. */
void socket_io_flush(struct trnsci_session *session);

/* Reads what is there and answers the calls that it answers. Anything that the protocol does not allow ends the
 * connection with bad_reply. Whether there was anything. */
bool socket_io_receive(struct trnsci_session *session);

/* When a message whose rest has not come ends the connection; DEADLINE_NEVER while there is none, or no time limit. */
int64_t socket_io_rest_deadline(const struct trnsci_session *session);
void socket_io_fail_without_rest(struct trnsci_session *session);

/* Tells the session's epoll, if there is one, whether room to send is waited for. */
void socket_io_watch(struct remote *remote);

#endif
