/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions. Every event ends in `advance`, which reads frames, answers, sends, and says what to wait for next. */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <event2/event.h>

#include "memory/arena.h"
#include "publish/broadcasts.h"
#include "publish/client_held.h"
#include "log.h"
#include "refusal.h"
#include "requests/requests.h"
#include "publish/rings.h"
#include "streams/stream_methods.h"
#include "limits/weights.h"

enum {
	TURN_BYTES = 1 << 20, /* sent by one session, while others wait */
	TRIM_BYTES = 4 << 20, /* a session that held more leaves a heap that is worth trimming */
	CROWD = 8,            /* sessions whose holes are worth it */
};

/* ------- the end ------- */

static void free_events(struct session *session)
{
	struct event **events[] = {&session->readable, &session->watched, &session->writable, &session->again,
				  &session->late};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (*events[i])
			event_free(*events[i]);
		*events[i] = NULL;
	}
}

/* Whether what it and others held is worth looking for: one that held much, or half of a crowd that is gone. It lies in
 * the heap of each thread that served them. */
static bool leaves_holes(const struct session *session)
{
	struct service *service = session->service;

	if (session->bytes.peak + session->work.peak > TRIM_BYTES)
		return true;
	if (service->most_sessions < CROWD || service->stats.sessions > service->most_sessions / 2)
		return false;
	service->most_sessions = service->stats.sessions;
	return true;
}

/* Once the connection is over, nothing runs, and all is taken down. */
static void free_if_done(struct session *session)
{
	struct service *service = session->service;

	if (session->fd >= 0 || session->running || session->n_reaping || session->n_rings || session->n_broadcasts)
		return;
	quota_give(session->user, QUOTA_CONNECTIONS, 1);
	quota_user_close(session->user);
	if (session->prev)
		session->prev->next = session->next;
	else
		service->sessions = session->next;
	if (session->next)
		session->next->prev = session->prev;
	service->stats.sessions--;
	if (leaves_holes(session))
		background_trim_heap();
	peer_free(&session->peer);
	client_held_end(session);
	free(session);
	if (service->stopping && !service->sessions)
		loop_end(service->loop);
}

static void on_ended(struct loop_event *event)
{
	struct session *session = (struct session *)((char *)event - offsetof(struct session, ended));

	session->n_reaping--;
	free_if_done(session);
}

/* By the reaper. */
static void end_space(struct background_task *task)
{
	struct session *session = (struct session *)((char *)task - offsetof(struct session, ending));
	struct space *space = session->space;

	session->space = NULL;
	space_close(space);
	session->ended.deliver = on_ended;
	loop_post(session->service->loop, &session->ended);
}

/* The client learns by the mark, once its connection is closed, whether the content of its arena stays. */
static void end_arena(struct session *session)
{
	if (session->arena && session->service->stopping)
		arena_keep(session->arena);
	else if (session->arena)
		arena_mark(session->arena);
}

/* Nothing of it goes on; many tiles and prepared calls are let go of by the reaper. The socket has been closed before: a
 * client that finds its arena emptied knows by that why. */
static void close_space(struct session *session)
{
	if (!session->space || !space_is_large(session->space)) {
		space_close(session->space);
		session->space = NULL;
		return;
	}
	space_stop(session->space);
	session->n_reaping++;
	session->ending.run = end_space;
	background_post(&session->ending);
}

/* The connection is over for both sides; what still runs is cancelled. */
static void hang_up(struct session *session)
{
	if (session->fd < 0)
		return;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "ends after %llu requests",
		   (unsigned long long)session->requests);
	loop_forget_traffic(session->service->loop, session);
	free_events(session);
	rings_close(session);
	broadcasts_close(session);
	end_arena(session);
	close(session->fd);
	session->fd = -1;
	close_space(session);
	session->arena = NULL;
	requests_drop(session);
	inbox_free(&session->inbox);
	outbox_free(&session->outbox);
	quota_share_give(&session->fds, session->fds.used);
	free_if_done(session);
}

/* ------- events ------- */

/* What the socket takes now, at most TURN_BYTES and a little. false: the connection is over. */
static bool send_replies(struct session *session)
{
	size_t total = 0;
	ssize_t sent;

	do {
		sent = outbox_send(&session->outbox, session->fd);
		if (sent > 0)
			total += (size_t)sent;
		requests_answer(session);
	} while (sent > 0 && total < TURN_BYTES);
	session->service->stats.bytes_sent += total;
	return sent >= 0 || sent == -EAGAIN;
}

/* false: there was no memory for it. */
static bool want(struct event *event, bool wanted, const struct timeval *timeout)
{
	bool pending = event_pending(event, EV_READ | EV_WRITE | EV_TIMEOUT, NULL);

	if (wanted && !pending)
		return event_add(event, timeout) == 0;
	if (!wanted && pending)
		event_del(event);
	return true;
}

/* Of a frame that has begun, while it is being read: its patience runs from its first byte, not from its last. */
static bool wait_for_rest(struct session *session, bool reading)
{
	struct timeval patience = {(time_t)session->service->settings->frame_timeout, 0};
	uint64_t which = session->inbox.frames;

	if (which != session->late_frame) {
		want(session->late, false, NULL);
		session->late_twice = false;
	}
	session->late_frame = which;
	return want(session->late, reading && !inbox_is_empty(&session->inbox), &patience);
}

/* The timeout of a reply runs from the last byte that the client took: the event is not added again before it fires. */
static bool wait_for_events(struct session *session)
{
	struct timeval now = {0, 0}, patience = {(time_t)session->service->settings->send_timeout, 0};
	bool sending = outbox_pending(&session->outbox) > 0;
	bool reading = !session->eof && !session->backlog && !requests_must_wait(session);
	bool again = session->backlog && !requests_must_wait(session);

	bool good = want(session->watched, false, NULL);
	good &= want(session->readable, reading, NULL);
	good &= want(session->writable, sending, &patience);
	/* epoll cannot mix the watch, which is edge-triggered, with the others; while sending, they notice too. */
	good &= want(session->watched, !reading && !sending && !again, NULL);
	good &= wait_for_rest(session, reading);
	good &= want(session->again, again, &now);
	return good;
}

static void advance_until(struct session *session, uint64_t turn_end_ns)
{
	requests_take(session, turn_end_ns);
	requests_answer(session);
	if (!send_replies(session)) {
		hang_up(session);
		return;
	}
	/* Sending may have made room for frames that waited. */
	if (session->eof && !session->backlog && !session->running && !session->finished && !session->n_later &&
	    outbox_pending(&session->outbox) == 0)
		hang_up(session);
	else if (!wait_for_events(session))
		hang_up(session); /* nothing would ever wake it */
}

static void advance(struct session *session)
{
	advance_until(session, requests_turn_end_ns(session));
}

void session_continue(struct session *session)
{
	if (session->fd >= 0) {
		advance(session);
		return;
	}
	requests_drop(session);
	free_if_done(session);
}

static void on_event(struct loop_event *event)
{
	struct job *job = (struct job *)event;
	struct session *session = job->session;

	requests_finish(job);
	session_continue(session);
}

static void on_reaped(struct loop_event *event)
{
	struct job *job = (struct job *)event;
	struct session *session = job->session;

	requests_reaped(job);
	session_continue(session); /* a request may have waited for the bytes of its results */
}

/* End of input is a hang-up when the peer is gone in the other direction as well. */
static bool peer_is_gone(const struct session *session)
{
	struct pollfd poll_fd = {session->fd, POLLOUT, 0};

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR));
}

/* Of what the socket said: bytes, or why there will be no more. */
static void note_received(struct session *session, ssize_t got)
{
	struct stats *stats = &session->service->stats;

	if (got > 0) {
		session->backlog = true;
		stats->bytes_received += (uint64_t)got;
	} else if (got == 0) {
		session->eof = true;
	} else if (got == -EPROTO) {
		requests_end(session, &stats->strange_fds, ERROR_BAD_FRAME,
			     "message: file descriptors came with it, allowed: none");
	} else {
		requests_end_for_limit(session);
	}
}

/* Small requests may be done before the turn is: what has come behind them is had in the same one, or their client would
 * have less than its share. */
static void receive(void *arg)
{
	struct session *session = arg;
	uint64_t end_ns = 0;
	ssize_t got;

	if (session->fd < 0 || !event_pending(session->readable, EV_READ, NULL))
		return;
	do {
		got = inbox_receive(&session->inbox, session->fd);
		if (got == -EAGAIN)
			break;
		if (end_ns == 0)
			loop_note_traffic(session->service->loop, receive, session);
		if ((got == 0 && peer_is_gone(session)) || (got < 0 && got != -EPROTO && got != -ENOBUFS)) {
			hang_up(session);
			return;
		}
		note_received(session, got);
		end_ns = end_ns ? end_ns : requests_turn_end_ns(session);
	} while (got > 0 && inbox_was_filled(&session->inbox) && requests_take(session, end_ns) && !session->eof);
	if (end_ns)
		advance_until(session, end_ns);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	receive(arg);
}

static void on_watched(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	if (peer_is_gone(arg))
		hang_up(arg);
}

/* Of a patience that is over: a daemon that stood still, or was kept from its processor, finds that over as well which
 * its client has not let it wait for. */
static bool is_ready(const struct session *session, short events)
{
	struct pollfd poll_fd = {session->fd, events, 0};

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & events);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;

	(void)fd;
	if ((what & EV_TIMEOUT) && !is_ready(session, POLLOUT)) {
		session->service->stats.unread++;
		hang_up(session);
		return;
	}
	advance(session);
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	advance(arg);
}

/* The same frame as frame_timeout ago. Once, bytes of it that wait to be read are worth as long again. */
static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;

	(void)fd;
	(void)what;
	if (!session->late_twice && is_ready(session, POLLIN))
		session->late_twice = true;
	else
		requests_end_late(session);
	advance(session);
}

/* ------- the beginning ------- */

static int add_events(struct session *session)
{
	struct event_base *base = loop_base(session->service->loop);

	session->readable = event_new(base, session->fd, EV_READ | EV_PERSIST, on_readable, session);
	session->watched = event_new(base, session->fd, EV_READ | EV_ET | EV_PERSIST, on_watched, session);
	session->writable = event_new(base, session->fd, EV_WRITE, on_writable, session);
	session->again = event_new(base, -1, 0, on_again, session);
	session->late = event_new(base, -1, 0, on_late, session);
	if (!session->readable || !session->watched || !session->writable || !session->again || !session->late)
		return -ERROR_NO_MEMORY;
	return event_add(session->readable, NULL) < 0 ? -ERROR_NO_MEMORY : 0;
}

/* Both by the engine: the first from request_start, on the loop's thread; the second from where a request or a program
 * that is kept ends, any thread's. */
static int reserve_work(void *share, uint64_t bytes, struct error *err)
{
	return quota_share_take(share, bytes, err);
}

static void give_work_back(void *share, uint64_t bytes)
{
	quota_share_give(share, bytes);
}

/* By the engine, while it starts the request. The session has no limit here: requests_must_wait has seen to it, and lets
 * one that is larger go alone. */
static int reserve_reply(void *arg, uint64_t bytes, struct error *err)
{
	struct session *session = arg;
	int r = quota_share_take(&session->replies, bytes, err);

	if (r == 0)
		session->service->starting->reply_bytes = bytes;
	return r;
}

static int make_space(struct session *session)
{
	const struct settings *settings = session->service->settings;
	struct space_limits limits = {
		.inline_bytes = settings->inline_bytes,
		.tiles = settings->tiles,
		.prepared = settings->prepared,
		.jobs = settings->jobs,
		.weight = session->weight,
		.reserve = reserve_work,
		.unreserve = give_work_back,
		.reserve_arg = &session->work,
		.reserve_reply = reserve_reply,
		.reply_arg = session,
		.served = &stream_methods,
		.served_arg = session,
	};

	return space_create(session->service->engine, &limits, &session->space);
}

static void init(struct session *session, struct service *service, int fd, const struct ucred *peer)
{
	const struct settings *settings = service->settings;
	struct frame_limits limits = {.bytes = settings->frame_bytes, .elements = settings->frame_elements};

	session->service = service;
	session->id = ++service->last_session;
	session->fd = fd;
	session->pid = peer->pid;
	session->weight = weights_of(settings->weights, peer->uid, peer->gid);
	session->peer = (struct peer){.uid = peer->uid, .gid = peer->gid};
	session->returned = on_event;
	session->reaped = on_reaped;
	session->finished_last = &session->finished;
	session->bytes =
		(struct quota_share){session->user, QUOTA_BUFFER_BYTES, "buffer_bytes", settings->buffer_bytes, 0, 0};
	session->fds = (struct quota_share){session->user, QUOTA_FDS, "fds", settings->fds, 0, 0};
	session->jobs = (struct quota_share){session->user, QUOTA_JOBS, "jobs", settings->jobs, 0, 0};
	session->work = (struct quota_share){session->user, QUOTA_WORK_BYTES, "work_bytes",
					    settings->work_bytes ? settings->work_bytes : UINT64_MAX, 0, 0};
	session->replies = (struct quota_share){session->user, QUOTA_REPLY_BYTES, "reply_bytes", UINT64_MAX, 0, 0};
	inbox_init(&session->inbox, &limits, &session->bytes);
	outbox_init(&session->outbox, &session->bytes);
	session->next = service->sessions;
	if (session->next)
		session->next->prev = session;
	service->sessions = session;
	service->stats.sessions++;
	if (service->stats.sessions > service->most_sessions)
		service->most_sessions = service->stats.sessions;
}

/* The peer's account, with a connection taken from it; NULL: it is beyond a limit, which err names. */
static struct quota_user *admit(struct service *service, const struct ucred *peer, struct error *err)
{
	struct quota_user *user = quota_user_open(service->quota, peer->uid);

	if (!user) {
		error_set(err, ERROR_NO_MEMORY, "connection: the account of uid %u", (unsigned)peer->uid);
		return NULL;
	}
	if (quota_arrive(user, stats_now_ns(), err) == 0 && quota_take(user, QUOTA_CONNECTIONS, 1, err) == 0)
		return user;
	quota_user_close(user);
	return NULL;
}

/* Linux 6.16: descriptors that we would only discard are refused to the sender. */
static void refuse_descriptors(int fd)
{
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
	int off = 0;

	setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
}

static int create(struct service *service, int fd, struct error *err)
{
	socklen_t size = sizeof(struct ucred);
	struct session *session;
	struct quota_user *user;
	struct ucred peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return error_set(err, ERROR_SYSTEM, "connection: the kernel does not name its user");
	user = admit(service, &peer, err);
	if (!user)
		return -err->code;
	refuse_descriptors(fd);
	session = calloc(1, sizeof *session);
	if (!session) {
		quota_give(user, QUOTA_CONNECTIONS, 1);
		quota_user_close(user);
		return error_set(err, ERROR_NO_MEMORY, "connection: its session");
	}
	session->user = user;
	init(session, service, fd, &peer);
	if (make_space(session) < 0 || add_events(session) < 0)
		hang_up(session);
	return 0;
}

void session_open(struct service *service, int fd)
{
	struct error err;

	if (create(service, fd, &err) == 0) {
		service->stats.connections_accepted++;
	} else {
		service->stats.connections_refused++;
		refusal_send(fd, &err);
	}
}

void session_drain(struct session *session)
{
	if (session->fd >= 0)
		shutdown(session->fd, SHUT_RD);
}
