/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a remote session in both directions. All functions are called with the session's lock. */
#ifndef TRNSCI_CLIENT_REMOTE_SOCKET_IO_H
#define TRNSCI_CLIENT_REMOTE_SOCKET_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "session/session.h"

#include "input.h"
#include "codec.h"
#include "frame.h"
#include "handshake.h"
#include "output.h"

/* What is reported to those above, with the lock. */
struct remote_events {
	void (*lost)(struct trnsci_session *session, const char *why); /* the connection is lost */
	/* A call was answered with the error. Returns true if it is to stay in flight, to be sent again. */
	bool (*failed)(struct trnsci_call *call, const struct error *error);
	/* A notification has come. */
	void (*notified)(struct trnsci_session *session, const struct message *message);
};

/* The peer of a remote session. Guarded by the session's lock. */
struct remote {
	int socket;
	struct queue *queue; /* NULL: none on this connection */
	bool asks_for_queue; /* a thread does */
	const struct remote_events *events;
	int wake;          /* eventfd: wakes the thread in poll, which then looks at the socket again; -1: none yet */
	int epoll;         /* the descriptor of trnsci_session_fd; -1 until it is asked for */
	bool polling;      /* a thread is in poll, without the lock */
	bool sleeping;     /* that thread does not spin */
	atomic_bool interrupted; /* that thread looks again at what it waits for: another one has received something */
	bool epoll_out;    /* epoll also waits for room to send */
	bool fds_wanted;   /* the reply to a call in flight brings descriptors */
	struct fdpass fds; /* received, and waiting for their reply */
	struct output out; /* it may end before the input: requests that were sent may still be answered */
	char instance[HANDSHAKE_INSTANCE]; /* of the daemon: another one after a restart */
	struct input in;
	unsigned rounds;        /* over the calls in flight, so far (reconnect.c) */
	/* A session that has failed and may come back (reconnect.c). */
	bool lost;
	int64_t next_attempt_ns; /* not before that time */
	char why_lost[160];
	int64_t heard_ns;       /* when the last bytes of an incomplete message came */
	struct error closing;   /* the reason that the daemon gave for closing the connection; code 0: none */
	struct frame_scan scan; /* of the frame at the start of the input */
};

/* Takes over the handshake's socket and what was read beyond its replies. */
void socket_io_init(struct remote *remote, struct handshake *handshake, const struct remote_events *events);
/* Closes the descriptors, without a shutdown: a parent process may share the socket. */
void socket_io_close(struct remote *remote);
void socket_io_free(struct remote *remote);

/* Returns whether the daemon may have begun the call. One that waits for room was refused. */
bool socket_io_was_sent(const struct trnsci_call *call);
/* Fails the session with the error "WHAT: WHY": every call in flight is answered with it, and the tiles that a call which was
 * sent was to write are lost. A new call may bring the session back, unless the daemon has broken the protocol. */
void socket_io_fail(struct trnsci_session *session, enum error_code code, const char *what, const char *why);

/* Replaces the connection by the handshake's, under the same descriptor. What was on its way in either direction is
 * forgotten, and session->connection counts up. */
void socket_io_replace(struct trnsci_session *session, struct handshake *handshake);

/* Appends the request of a call in flight to the output, with the handles that its tiles have on this connection.
 * -ERROR_LOST (an input), -ERROR_CLOSED (the call is tied to an earlier connection), -ERROR_NO_MEMORY. */
int socket_io_append(struct trnsci_call *call, struct error *err);

/* Sends what the socket takes without blocking. Another thread may do so already: then it also sends what was appended since. */
void socket_io_flush(struct trnsci_session *session);
/* The same, and releases the lock meanwhile. */
void socket_io_send(struct trnsci_session *session);

/* Reads what has come and answers calls. Anything that the protocol does not allow ends the session with bad_reply.
 * Returns whether anything had come. */
bool socket_io_receive(struct trnsci_session *session);

/* Lets this thread read ahead (input.h), if replies bring neither descriptors nor arrays that go elsewhere. */
bool socket_io_read_ahead(struct trnsci_session *session);

/* Returns until when the rest of an incomplete message must come; DEADLINE_NEVER if there is none, or no time limit. */
int64_t socket_io_rest_deadline(const struct trnsci_session *session);
void socket_io_fail_without_rest(struct trnsci_session *session);

/* Makes the descriptor of trnsci_session_fd readable also when there is room to send, as long as output waits. */
void socket_io_watch(struct remote *remote);

#endif
