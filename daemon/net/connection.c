/* SPDX-License-Identifier: Apache-2.0 */
/* Every event ends in `advance`, which reads frames, replies, sends, and chooses the events to wait for next. */
#include "connection.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <event2/event.h>

#include "handover.h"
#include "weights.h"
#include "log.h"
#include "refusal.h"

enum {
	TURN_BYTES = 1 << 20, /* sent by one session while others wait */
	TRIM_BYTES = 4 << 20, /* the heap is trimmed after a session that held more */
	CROWD = 8,            /* or after half of a crowd of at least so many sessions has left */
};

/* ------- the end ------- */

static void free_events(struct session *session)
{
	struct event **events[] = {&session->readable, &session->hung_up, &session->writable, &session->next_turn,
				  &session->frame_late};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		if (*events[i])
			event_free(*events[i]);
		*events[i] = NULL;
	}
}

/* Returns true if the heap is worth trimming. What sessions held lies in the heap of each thread that worked for them. */
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

static void unlink_session(struct session *session)
{
	struct service *service = session->service;

	if (session->prev)
		session->prev->next = session->next;
	else
		service->sessions = session->next;
	if (session->next)
		session->next->prev = session->prev;
	service->stats.sessions--;
}

static void free_if_done(struct session *session)
{
	struct service *service = session->service;

	if (session->fd >= 0 || session->running || session->n_freeing || session->n_rings || session->n_broadcasts)
		return;
	quota_give(session->user, QUOTA_CONNECTIONS, 1);
	quota_user_close(session->user);
	unlink_session(session);
	if (leaves_holes(session))
		background_trim_heap();
	peer_free(&session->peer);
	service->handler->free(session);
	free(session);
	if (service->stopping && !service->sessions)
		loop_end(service->loop);
}

/* Closes the connection and cancels what still runs. May free the session. */
static void hang_up(struct session *session)
{
	const struct session_handler *handler = session->service->handler;

	if (session->fd < 0)
		return;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "ends after %" PRIu64 " requests",
		   session->requests);
	loop_forget_traffic(session->service->loop, session);
	free_events(session);
	while (!handover_take_back(session))
		sched_yield();
	handler->closing(session);
	close(session->fd);
	session->fd = -1;
	handler->closed(session);
	inbox_free(&session->inbox);
	outbox_free(&session->outbox);
	quota_share_give(&session->fds, session->fds.used);
	free_if_done(session);
}

/* ------- events ------- */

/* Sends what the socket takes now, about TURN_BYTES at most. Returns false if the connection has failed. */
static bool send_replies(struct session *session)
{
	size_t total = 0;
	ssize_t sent;

	do {
		sent = outbox_send(&session->outbox, session->fd);
		if (sent > 0)
			total += (size_t)sent;
		session->service->handler->reply(session);
	} while (sent > 0 && total < TURN_BYTES);
	session->service->stats.bytes_sent += total;
	return sent >= 0 || sent == -EAGAIN;
}

/* Adds or removes an event. Returns false if there is no memory for it. */
static bool set_event(struct event *event, bool wanted, const struct timeval *timeout)
{
	bool pending = event_pending(event, EV_READ | EV_WRITE | EV_TIMEOUT, NULL);

	if (wanted && !pending)
		return event_add(event, timeout) == 0;
	if (!wanted && pending)
		event_del(event);
	return true;
}

/* Limits the time of a frame that is being read: frame_timeout runs from its first byte. */
static bool wait_for_rest(struct session *session, bool reading)
{
	struct timeval timeout = {(time_t)session->service->settings->frame_timeout, 0};
	uint64_t frame = session->inbox.frames;

	if (frame != session->late_frame) {
		set_event(session->frame_late, false, NULL);
		session->frame_late_extended = false;
	}
	session->late_frame = frame;
	return set_event(session->frame_late, reading && !inbox_is_empty(&session->inbox), &timeout);
}

/* send_timeout runs from the last byte that the client took: the event is not added again before it fires. */
static bool choose_events(struct session *session)
{
	struct timeval now = {0, 0}, timeout = {(time_t)session->service->settings->send_timeout, 0};
	bool sending = outbox_pending(&session->outbox) > 0;
	bool reading = !session->eof && !session->backlog && !session_must_wait(session);
	bool next_turn = (session->backlog || session->queue_backlog) && !session_must_wait(session);

	bool good = set_event(session->hung_up, false, NULL);
	good &= set_event(session->readable, reading, NULL);
	good &= set_event(session->writable, sending, &timeout);
	/* epoll cannot mix this event, which is edge-triggered, with the others; while sending, they notice a hang-up too. */
	good &= set_event(session->hung_up, !reading && !sending && !next_turn, NULL);
	good &= wait_for_rest(session, reading);
	good &= set_event(session->next_turn, next_turn, &now);
	return good;
}

/* Returns true if all input was received and answered. */
static bool is_finished(const struct session *session)
{
	return session->eof && !session->backlog && !session->running && !session->finished && !session->n_deferred &&
	       outbox_pending(&session->outbox) == 0;
}

static void end_turn(struct session *session)
{
	/* Without memory for its events nothing would ever wake the session. */
	if (!send_replies(session) || is_finished(session) || !choose_events(session))
		hang_up(session);
}

/* Returns true if nothing but the next bytes that it receives can give the session more to send. */
static bool waits_for_input(const struct session *session)
{
	return !session->eof && !session->backlog && !session->running && !session->finished && !session->n_deferred &&
	       !session->n_rings && !session->n_broadcasts && !session->queue && inbox_is_empty(&session->inbox) &&
	       event_pending(session->readable, EV_READ, NULL) && !event_pending(session->writable, EV_WRITE, NULL);
}

/* Returns true if the peer has closed both directions: end of input alone is no hang-up. */
static bool peer_is_gone(const struct session *session)
{
	struct pollfd poll_fd = {session->fd, POLLOUT, 0};

	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLHUP | POLLERR));
}

/* got: what inbox_receive returned. Returns false if the session is gone. */
static bool note_received(struct session *session, ssize_t got)
{
	struct stats *stats = &session->service->stats;
	struct error err;

	if ((got == 0 && peer_is_gone(session)) || (got < 0 && got != -EPROTO && got != -ENOBUFS)) {
		hang_up(session);
		return false;
	}
	if (got > 0) {
		session->backlog = true;
		stats->bytes_received += (uint64_t)got;
	} else if (got == 0) {
		session->eof = true;
	} else if (got == -EPROTO) {
		error_set(&err, ERROR_BAD_FRAME, "message: file descriptors came with it, allowed: none");
		session_end_input(session, &stats->strange_fds, &err);
	} else {
		session_end_for_limit(session);
	}
	return true;
}

/* Handles what was read, and reads on until the turn ends: small requests are done before that, and a client whose next ones
 * had to wait for another turn would get less than its share. */
static void advance_until(struct session *session, uint64_t turn_end_ns)
{
	const struct session_handler *handler = session->service->handler;
	ssize_t got;

	do {
		const bool filled = inbox_was_filled(&session->inbox);
		const bool reads_on = handler->receive(session, turn_end_ns) && filled && !session->eof;

		got = reads_on ? inbox_receive(&session->inbox, session->fd) : -EAGAIN;
		if (got != -EAGAIN && !note_received(session, got))
			return;
	} while (got != -EAGAIN);
	handler->reply(session);
	if (!session->service->sender || !waits_for_input(session) || !handover_give(session))
		end_turn(session);
}

static void advance_session(struct session *session)
{
	if (!handover_take_back(session)) {
		session->advances = true;
		return;
	}
	session->advances = false;
	advance_until(session, session_turn_end_ns(session));
}

static void receive_bytes(void *arg)
{
	struct session *session = arg;
	ssize_t got;

	if (session->fd < 0 || !event_pending(session->readable, EV_READ, NULL) || !handover_take_back(session))
		return;
	got = inbox_receive(&session->inbox, session->fd);
	if (got == -EAGAIN)
		return;
	loop_note_traffic(session->service->loop, receive_bytes, session);
	if (note_received(session, got))
		advance_until(session, session_turn_end_ns(session));
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	receive_bytes(arg);
}

static void on_hung_up(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	if (peer_is_gone(arg))
		hang_up(arg);
}

/* A timeout may be our own stall: the socket is checked once more before the client is dropped. */
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
	advance_session(session);
}

static void on_next_turn(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	advance_session(arg);
}

/* The frame has not ended within frame_timeout. If bytes of it wait to be read, it gets as long once more. */
static void on_frame_late(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;
	struct error err;

	(void)fd;
	(void)what;
	if (!handover_take_back(session)) {
		session->advances = true;
		return;
	}
	if (!session->frame_late_extended && is_ready(session, POLLIN)) {
		session->frame_late_extended = true;
	} else {
		error_set(&err, ERROR_TIMEOUT,
			  "message: its end has not come, allowed: the setting frame_timeout = %" PRIu64 " s",
			  session->service->settings->frame_timeout);
		session_end_input(session, &session->service->stats.half_frames, &err);
	}
	advance_session(session);
}

/* ------- the beginning ------- */

static int add_session_events(struct session *session)
{
	struct event_base *base = loop_base(session->service->loop);

	session->readable = event_new(base, session->fd, EV_READ | EV_PERSIST, on_readable, session);
	session->hung_up = event_new(base, session->fd, EV_READ | EV_ET | EV_PERSIST, on_hung_up, session);
	session->writable = event_new(base, session->fd, EV_WRITE, on_writable, session);
	session->next_turn = event_new(base, -1, 0, on_next_turn, session);
	session->frame_late = event_new(base, -1, 0, on_frame_late, session);
	if (!session->readable || !session->hung_up || !session->writable || !session->next_turn || !session->frame_late)
		return -ERROR_NO_MEMORY;
	return event_add(session->readable, NULL) < 0 ? -ERROR_NO_MEMORY : 0;
}

static void init_shares(struct session *session)
{
	const struct settings *settings = session->service->settings;
	struct quota_user *user = session->user;

	session->bytes = (struct quota_share){user, QUOTA_BUFFER_BYTES, "buffer_bytes", settings->buffer_bytes, 0, 0};
	session->fds = (struct quota_share){user, QUOTA_FDS, "fds", settings->fds, 0, 0};
	session->jobs = (struct quota_share){user, QUOTA_JOBS, "jobs", settings->jobs, 0, 0};
	session->work = (struct quota_share){user, QUOTA_WORK_BYTES, "work_bytes",
					     settings->work_bytes ? settings->work_bytes : UINT64_MAX, 0, 0};
	session->inline_bytes = settings->inline_bytes;
	session->reply_bytes = settings->reply_bytes;
	/* Unlimited here: session_must_wait enforces reply_bytes, and lets a larger result go alone. */
	session->replies = (struct quota_share){user, QUOTA_REPLY_BYTES, "reply_bytes", UINT64_MAX, 0, 0};
}

static void link_session(struct session *session)
{
	struct service *service = session->service;

	session->next = service->sessions;
	if (session->next)
		session->next->prev = session;
	service->sessions = session;
	service->stats.sessions++;
	if (service->stats.sessions > service->most_sessions)
		service->most_sessions = service->stats.sessions;
}

static void init_session(struct session *session, struct service *service, int fd, const struct ucred *peer)
{
	const struct settings *settings = service->settings;
	struct frame_limits limits = {.bytes = settings->frame_bytes, .elements = settings->frame_elements};

	session->service = service;
	session->id = ++service->last_session;
	session->fd = fd;
	session->pid = peer->pid;
	session->weight = weights_of(settings->weights, peer->uid, peer->gid);
	session->peer = (struct peer){.uid = peer->uid, .gid = peer->gid};
	session->advance = advance_session;
	session->free_if_done = free_if_done;
	session->finished_last = &session->finished;
	init_shares(session);
	inbox_init(&session->inbox, &limits, &session->bytes);
	session->inbox.refuses_fds = fdpass_refuse(fd); /* we would only discard them */
	outbox_init(&session->outbox, &session->bytes);
	link_session(session);
}

/* Returns the peer's account, charged with a connection; NULL with *err if that is beyond a limit. */
static struct quota_user *admit_peer(struct service *service, const struct ucred *peer, struct error *err)
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

static int create_session(struct service *service, int fd, struct error *err)
{
	socklen_t size = sizeof(struct ucred);
	struct session *session;
	struct quota_user *user;
	struct ucred peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return error_set(err, ERROR_SYSTEM, "connection: the kernel does not name its user");
	user = admit_peer(service, &peer, err);
	if (!user)
		return -err->code;
	session = calloc(1, sizeof *session);
	if (!session) {
		quota_give(user, QUOTA_CONNECTIONS, 1);
		quota_user_close(user);
		return error_set(err, ERROR_NO_MEMORY, "connection: its session");
	}
	session->user = user;
	init_session(session, service, fd, &peer);
	if (service->handler->open(session) < 0 || add_session_events(session) < 0)
		hang_up(session);
	return 0;
}

void connection_open(struct service *service, int fd)
{
	struct error err;

	if (create_session(service, fd, &err) == 0) {
		service->stats.connections_accepted++;
	} else {
		service->stats.connections_refused++;
		refusal_send(fd, &err);
	}
}

bool connection_collect_sent(void *arg)
{
	struct service *service = arg;
	struct session *session;

	while ((session = handover_take_first(service))) {
		if (session->advances)
			advance_session(session);
		else
			end_turn(session);
	}
	return service->sending;
}

void connection_drain(struct session *session)
{
	if (session->fd >= 0)
		shutdown(session->fd, SHUT_RD);
}

void connection_end_all(struct service *service)
{
	for (struct session *session = service->sessions, *next; session; session = next) {
		next = session->next;
		hang_up(session);
	}
}
