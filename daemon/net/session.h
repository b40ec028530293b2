/* SPDX-License-Identifier: Apache-2.0 */
/* A session: what the daemon holds for one connection, until its last request is done.
 *
 * net/connection.c moves its bytes, requests/ runs its requests, publish/ its rings and broadcasts; here is what they
 * share, and the replies. Requests are started and answered in any order. All of it belongs to the loop's thread, but for
 * the shares of quotas that other threads take and give (limits/quota.h), and the outbox's bytes while the sender has them.
 *
 *     open    connection_open; each event ends in `advance`, which reads, runs, replies and sends
 *     eof     the client has closed its direction, or broke a rule: nothing more is read; accepted requests are answered
 *     closed  fd is -1, after a hang-up, a timeout, or when all was answered: requests are cancelled, memory is freed
 *     freed   when `running` is empty and the counters at the end of the struct are 0
 *
 * Whatever ends something of a session calls session_continue last: it may free the session. */
#ifndef TRNSCI_DAEMON_SESSION_H
#define TRNSCI_DAEMON_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/memory/engine_session.h"
#include "inbox.h"
#include "memory/background.h"
#include "outbox.h"
#include "peer.h"
#include "service.h"

struct arena;
struct client_held;
struct pending_request;
struct queue;
struct ring_entry;
struct sender_parcel;
struct event; /* libevent's */

struct session {
	struct service *service;
	struct session *next, *prev; /* of service->sessions */
	uint64_t id; /* counts up from the daemon's start, never used again */
	int fd; /* -1: closed, but what it runs is still waited for */
	pid_t pid; /* as the kernel reported it at the connection: for people, never to decide by */
	unsigned weight; /* 1 to WEIGHT_MOST: its share of time while others wait */
	struct peer peer;
	struct quota_user *user; /* a reference of the session's own */
	/* Its shares of the user's quotas, and their limits as the settings were when the session began. */
	struct quota_share bytes;   /* messages: requests until answered, replies until sent */
	struct quota_share jobs;    /* unanswered requests */
	bool holds_job;             /* of them: one, for the next run of the turn (runs_end) */
	struct quota_share work;    /* results and temporaries of requests, and prepared calls */
	uint64_t inline_bytes, reply_bytes; /* the settings when the session began */
	struct quota_share replies; /* inline results, from before their request starts until they are sent */
	struct quota_share fds;     /* descriptors that were sent and may be unread */
	uint64_t marked_fds;        /* of these: sent before the outbox's sent_cost was fds_mark */
	uint64_t fds_mark;
	/* Bytes in and out: net/connection.c. */
	struct inbox inbox;
	struct outbox outbox;
	struct sender_parcel *parcel; /* what the sender's thread has of the outbox, which stays as it is meanwhile; NULL: nothing */
	bool advances;                /* once that is back */
	struct session *next_sending; /* of service->sending */
	struct event *readable, *hung_up, *writable, *next_turn, *frame_late; /* NULL once the connection is closed */
	uint64_t late_frame;       /* number of the frame that frame_late waits for */
	bool frame_late_extended;  /* frame_late runs for the second time */
	bool eof;                  /* nothing more is read */
	bool backlog;              /* the inbox may hold whole frames */
	bool queue_backlog;        /* the queue holds entries that may run */
	void (*advance)(struct session *session); /* of an open connection */
	void (*free_if_done)(struct session *session);
	/* Requests: requests/. */
	struct engine_session *memory; /* NULL once the session has given it to be freed */
	struct arena *arenas; /* belong to the session's memory, which releases them */
	unsigned n_arenas;
	uint64_t arena_bytes; /* of all of them */
	struct pending_request *running, *finished, **finished_last; /* finished: in the order in which they ended */
	struct queue *queue; /* NULL: none */
	struct background_task free_task; /* frees a large session */
	struct loop_event freed;          /* posted when that is done */
	uint64_t requests;                /* received so far */
	/* Rings and broadcasts: publish/. */
	struct ring_entry *rings;
	uint32_t last_ring;       /* handle */
	struct client_held *held; /* memory that ended rings and broadcasts have left with the client */
	/* What keeps a closed session alive, besides `running`. */
	unsigned n_rings, n_broadcasts; /* not ended */
	unsigned n_detached;            /* of both: detached by the client, still running */
	unsigned n_freeing;             /* requests, frames and sessions that the background worker frees */
	unsigned n_deferred;            /* method calls whose reply comes later; of an open session only */
};

/* What a connection reports to those above it. The service has one table for all sessions. */
struct session_handler {
	/* Before the first byte. Returns 0 or -ERROR_NO_MEMORY. */
	int (*open)(struct session *session);
	/* Starts the requests in the inbox until turn_end_ns, and clears `backlog` when no whole frame is left. Returns true
	 * if there is time left and nothing keeps the connection from reading on. */
	bool (*receive)(struct session *session, uint64_t turn_end_ns);
	/* Moves finished requests into the outbox while that has room. */
	void (*reply)(struct session *session);
	/* Just before the socket is closed, and just after. Also when `open` failed. */
	void (*closing)(struct session *session);
	void (*closed)(struct session *session);
	/* Just before the session is freed: nothing refers to it any more. */
	void (*free)(struct session *session);
};

/* Goes on after something of the session has ended or waits to be sent. May free the session. */
void session_continue(struct session *session);

/* The end of a turn that begins now: frames of one session are handled until then while others wait. */
uint64_t session_turn_end_ns(const struct session *session);

/* Returns true while frames must wait: replies are unread, running requests leave no room for more results, or the place
 * and the memory of a ring or broadcast that the client has ended are not free yet. */
bool session_must_wait(const struct session *session);

/* Sends a reply. Takes fds (NULL: none) in any case. When buffer_bytes leaves no room, the client gets an error instead. */
void session_reply(struct session *session, uint32_t msgid, const struct error *error, const struct value *result,
		   struct fdpass *fds);

/* Sends a result that stays where it is until release(owner) is called, which may be at once; always. */
void session_reply_owned(struct session *session, uint32_t msgid, const struct value *result, void (*release)(void *owner),
			 void *owner);

/* Returns whether a request of that time belongs into the slow log. */
static inline bool session_is_slow(const struct session *session, uint64_t total_ns)
{
	const uint64_t slow_us = session->service->settings->slow_us;

	return slow_us && total_ns > slow_us * 1000;
}

/* Counts such a request and puts it into the slow log, with the session's id, process and user. */
void session_note_slow(struct session *session, struct slow_request *request);

/* Stops reading. Adds 1 to *counter (of the service's stats) and sends the reason as a closing notification, since there
 * is no request to answer. What was accepted before is still answered. */
void session_end_input(struct session *session, uint64_t *counter, const struct error *reason);
/* The same, because the client sends more bytes than it may. */
void session_end_for_limit(struct session *session);

#endif
