/* SPDX-License-Identifier: Apache-2.0 */
/* A session: one connection, from its first byte until its last reply is sent and its last request is done.
 *
 * Frames are read, started and answered in any order. Reading pauses while replies wait to be read. End of input lets
 * what was accepted finish; a hang-up cancels it. All of it runs on the loop's thread. */
#ifndef TRNSCI_DAEMON_SESSION_H
#define TRNSCI_DAEMON_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/memory/session_memory.h"
#include "engine/request.h"
#include "inbox.h"
#include "memory/background.h"
#include "outbox.h"
#include "peer.h"
#include "service.h"

struct arena;
struct ring_entry;
struct client_held;
struct event; /* libevent's */

/* A request between its start and its reply. */
struct job {
	struct loop_event event; /* brings it back from a lane's thread, and from the reaper's */
	struct background_task task;   /* takes its results down, when they are large */
	struct session *session;
	struct job *next, *prev; /* running; then next alone: finished */
	struct request *request;
	struct bump *frame; /* of one that has become no request, and is to be taken down; else NULL */
	uint64_t charge; /* of its frame, in the session's share of message bytes */
	uint64_t reply_bytes; /* of its inline results, in the session's share */
	uint32_t msgid;
	bool done;
};

struct session {
	struct service *service;
	struct session *next, *prev;
	uint64_t id;
	int fd; /* -1: gone; what runs is still awaited */
	pid_t pid;
	unsigned weight; /* of its turns */
	struct peer peer;
	struct quota_user *user;
	struct quota_share bytes, jobs, work;
	struct quota_share replies; /* inline results, from before their job starts until they are sent */
	struct quota_share fds; /* sent, and perhaps not read */
	struct space *space;
	struct arena *arena; /* belongs to the space */
	struct ring_entry *rings;
	unsigned n_rings; /* whose end has not come */
	uint32_t last_ring;
	struct client_held *held; /* memory that rings and broadcasts have left with the client */
	unsigned n_broadcasts; /* of its own, whose end has not come */
	unsigned n_later;      /* requests that are answered later, but are no jobs */
	struct inbox inbox;
	struct outbox outbox;
	struct job *running, *finished, **finished_last;
	void (*returned)(struct loop_event *event); /* delivers a job that a lane's thread has finished */
	void (*reaped)(struct loop_event *event);   /* delivers one whose results are down */
	unsigned n_reaping;                      /* of these, of frames, and of the space, what is being taken down */
	struct background_task ending;                     /* takes the space down, when it is large */
	struct loop_event ended;
	struct event *readable, *watched, *writable, *again, *late;
	uint64_t late_frame; /* the frame that `late` is about */
	bool late_twice;     /* its patience runs for the second time */
	bool eof;     /* nothing more is read */
	bool backlog; /* whole frames may lie in the inbox */
	uint64_t requests;
};

/* Takes a connected, non-blocking socket, whatever happens: one beyond a limit gets the reason and is closed. */
void session_open(struct service *service, int fd);

/* Something of it has ended, or something is to be sent: goes on, to its own end if there is nothing more. */
void session_continue(struct session *session);

/* Lets it finish what it has sent so far. */
void session_drain(struct session *session);

#endif
