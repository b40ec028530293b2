/* SPDX-License-Identifier: Apache-2.0 */
/* The remote engine: a daemon behind a Unix socket. Nothing that it says is trusted before it is checked.
 *
 * Threads that wait take turns: one polls the socket without the lock, the others sleep until it has handled what came.
 * Sending never blocks: what the socket does not take is kept and goes out with the next turn. */
#include "remote.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arena_request.h"
#include "queue.h"
#include "queue_attach.h"
#include "reconnect.h"
#include "ring.h"
#include "session/arena.h"
#include "call/send.h"
#include "session/wait.h"
#include "socket_io.h"

enum {
	OPEN_TIMEOUT_MS = 10000, /* if the options set none */
	KEPT_BACK_BYTES = 512,   /* of requests, some ten runs of prepared calls: with more a daemon waits that has nothing else to do */
	KEPT_BACK_MOST_BYTES = 4096, /* beside others that use the CPUs */
	SEVERAL = 4,             /* answers that are awaited: likely to come together */
	UNWOKEN_NS = 10000000,   /* between two looks at what a thread would be woken for */
	POLL_EVERY = 16,         /* looks */
};

/* A system call for several requests: few are kept back, unless a wait for the daemon finds it busy with others anyway. */
static bool may_keep_back(const struct trnsci_session *session)
{
	const struct remote *remote = session->peer;
	const size_t most = wait_sleeps_for_batch(&session->waits) ? KEPT_BACK_MOST_BYTES : KEPT_BACK_BYTES;

	return session_will_return(session) && output_pending(&remote->out) < most;
}

static void remote_flush(struct trnsci_session *session)
{
	queue_publish(session);
	if (output_pending(&((struct remote *)session->peer)->out) > 0)
		socket_io_flush(session);
}

/* The polling thread is to look again. */
static void interrupt_poller(struct remote *remote)
{
	atomic_store_explicit(&remote->interrupted, true, memory_order_relaxed);
	if (remote->sleeping)
		eventfd_write(remote->wake, 1);
}

/* There are bytes that the socket has not taken: the thread that polls it is to wait for room as well. */
static void wake_poller(struct trnsci_session *session)
{
	struct remote *remote = session->peer;

	if (output_is_stuck(&remote->out) && remote->polling)
		interrupt_poller(remote);
}

static int remote_send(struct trnsci_call *call, struct error *err)
{
	struct trnsci_session *session = call->session;
	int r = 0;

	pthread_mutex_lock(&session->lock);
	queue_publish(session); /* a run must not come behind a request that frees its tile */
	if (call->state == CALL_IN_FLIGHT) { /* otherwise the session has failed since, and the call with it */
		r = socket_io_append(call, err);
		if (r == 0 && !may_keep_back(session))
			socket_io_send(session);
		wake_poller(session);
		queue_wake_sleeper(session);
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

/* Nobody waits for the answer to `cancel`: the cancelled call has its own. One that was answered meanwhile, and may have been run
 * again, is left alone. */
static void remote_cancel(struct trnsci_call *call)
{
	struct trnsci_call *cancel;

	pthread_mutex_lock(&call->session->lock);
	const bool cancels = call->state == CALL_IN_FLIGHT && call->flight.cancelling;
	const uint32_t msgid = call->flight.msgid;

	pthread_mutex_unlock(&call->session->lock);
	if (!cancels || call_new(call->session, "cancel", &cancel) < 0)
		return;
	args_set_u64(trnsci_call_args(cancel), "msgid", msgid);
	call_send_unawaited(cancel);
}

/* ---- waiting ---- */

/* Reads without the lock until something comes or the wait is to sleep. Returns false in that case. With the lock, which is
 * released meanwhile. */
static bool look_ahead(struct trnsci_session *session, struct wait *wait, int64_t deadline)
{
	struct remote *remote = session->peer;
	bool again;

	pthread_mutex_unlock(&session->lock);
	for (unsigned times = 1; (again = wait_again(wait)); times++)
		if (!input_read_ahead(&remote->in, remote->socket) || remote->interrupted ||
		    (times % POLL_EVERY == 0 && clock_ns() >= deadline))
			break;
	pthread_mutex_lock(&session->lock);
	if (input_settle(&remote->in))
		socket_io_receive(session);
	return again;
}

static short poll_events(const struct remote *remote)
{
	return output_is_stuck(&remote->out) ? POLLIN | POLLOUT : POLLIN;
}

/* Returns whether poll() has something to report, such as room for bytes that the socket has not taken, or the time is over. Without
 * the lock. */
static bool is_reported(struct pollfd polls[2], int64_t deadline)
{
	return poll(polls, 2, 0) != 0 || clock_ns() >= deadline;
}

/* Looks at the socket. With the lock. */
static bool look_at_socket(struct trnsci_session *session, struct pollfd polls[2])
{
	struct remote *remote = session->peer;
	const bool news = session->failure.code || socket_io_receive(session) || remote->interrupted;

	polls[0].events = poll_events(remote); /* a reconnect may have added output */
	return news;
}

/* As look_for_news, where replies bring what a thread without the lock cannot take. */
static bool look_with_lock(struct trnsci_session *session, struct wait *wait, struct pollfd polls[2], int64_t deadline)
{
	bool again = true, news = false;

	for (unsigned times = 1; again && !news; times++) {
		pthread_mutex_unlock(&session->lock);
		again = wait_again(wait);
		news = again && times % POLL_EVERY == 0 && is_reported(polls, deadline);
		pthread_mutex_lock(&session->lock);
		news = again && (queue_receive(session) || look_at_socket(session, polls) || news);
	}
	return news;
}

/* As look_for_news, while runs are in the queue. Ends of runs come sooner than anything else: only its memory is looked at before the
 * wait's window, and there, too, but for every few looks, if all is awaited from it. */
static bool look_at_queue(struct trnsci_session *session, struct wait *wait, struct queue *queue, const struct queue_look *look,
			  struct pollfd polls[2], int64_t deadline)
{
	struct remote *remote = session->peer;
	bool several, alone = queue_is_awaited(session, &several), news = false;

	pthread_mutex_unlock(&session->lock);
	for (unsigned times = 1; !news; times++) {
		const bool brief = wait_is_brief(wait);

		if (!wait_again(wait))
			break;
		news = queue_has_ended(queue, look, brief ? look->awaited : 1) || remote->interrupted;
		if (news || brief || (alone && times % POLL_EVERY != 0))
			continue;
		news = times % POLL_EVERY == 0 && is_reported(polls, deadline);
		pthread_mutex_lock(&session->lock);
		news |= look_at_socket(session, polls);
		alone = queue_is_awaited(session, &several);
		pthread_mutex_unlock(&session->lock);
	}
	pthread_mutex_lock(&session->lock);
	queue_let_go(queue);
	return queue_receive(session) || news; /* some may have ended since */
}

/* Looks until there is news, or the wait is to sleep: then returns false. With the lock, which is released meanwhile. */
static bool look_for_news(struct trnsci_session *session, struct wait *wait, struct pollfd polls[2], int64_t deadline)
{
	struct remote *remote = session->peer;
	struct queue_look look;
	struct queue *queue = session->waits.most_ns ? queue_hold(session, wait, &look) : NULL;

	if (queue)
		return look_at_queue(session, wait, queue, &look, polls, deadline);
	if (!output_is_stuck(&remote->out) && socket_io_read_ahead(session))
		return look_ahead(session, wait, deadline);
	return look_with_lock(session, wait, polls, deadline);
}

/* Returns the eventfd, which is made when a thread first sleeps: a short session never needs it. Without one, the thread
 * looks by itself from time to time. */
static int ensure_wake(struct remote *remote, int64_t *until)
{
	const int64_t soon = clock_ns() + UNWOKEN_NS;

	if (remote->wake < 0)
		remote->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (remote->wake < 0 && *until > soon)
		*until = soon;
	return remote->wake;
}

/* Sleeps without the lock. Threads that send meanwhile wake this one, so that it also waits for room. */
static void sleep_at_socket(struct trnsci_session *session, struct pollfd polls[2], int64_t deadline)
{
	struct remote *remote = session->peer;

	if (session->failure.code || remote->interrupted)
		return;
	remote->sleeping = true;
	if (!queue_arm(session)) {
		queue_receive(session); /* all of it: fewer than are awaited may be the last that come */
	} else {
		polls[0].events = poll_events(remote); /* a reconnect may have added output */
		const int64_t rest = socket_io_rest_deadline(session);
		int64_t until = rest < deadline ? rest : deadline;

		polls[1].fd = ensure_wake(remote, &until);
		pthread_mutex_unlock(&session->lock);
		poll(polls, 2, deadline_left_ms(until));
		pthread_mutex_lock(&session->lock);
		remote->sleeping = false;
		queue_disarm(session);
		queue_receive(session);
		/* The deadline may have passed because this process was stopped: look once more before failing. */
		if (!session->failure.code && !socket_io_receive(session) &&
		    clock_ns() >= socket_io_rest_deadline(session))
			socket_io_fail_without_rest(session);
	}
	remote->sleeping = false;
}

static enum wait_for find_awaited(const struct trnsci_session *session)
{
	bool several;

	if (queue_is_awaited(session, &several))
		return several ? WAIT_FOR_SEVERAL : WAIT_FOR_ONE;
	return session->n_in_flight >= SEVERAL ? WAIT_FOR_BATCH : WAIT_FOR_ONE;
}

static void poll_socket(struct trnsci_session *session, int64_t deadline)
{
	struct remote *remote = session->peer;
	struct pollfd polls[] = {
		{.fd = remote->socket, .events = poll_events(remote)},
		{.fd = remote->wake, .events = POLLIN},
	};
	struct wait wait;
	eventfd_t ignored;
	bool news;

	remote->polling = true;
	remote->interrupted = false;
	wait_begin(&wait, &session->waits, find_awaited(session));
	news = look_for_news(session, &wait, polls, deadline) || queue_sleep(session, deadline);
	if (!news)
		sleep_at_socket(session, polls, deadline);
	wait_end(&wait, &session->waits, news);
	remote->polling = false;
	if (polls[1].revents)
		eventfd_read(remote->wake, &ignored);
}

/* The program waits by itself, at the descriptor of trnsci_session_fd. */
static void arm_for_program(struct trnsci_session *session)
{
	while (!session->failure.code && !queue_arm(session))
		queue_receive(session);
}

/* What a look without a wait receives may be what the polling thread waits for. */
static void look_beside_poller(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	bool news = socket_io_receive(session);

	news |= queue_receive(session);
	if (!news || !remote->polling)
		return;
	interrupt_poller(remote);
	queue_wake_sleeper(session);
}

static void remote_progress(struct trnsci_session *session, int64_t deadline)
{
	remote_flush(session);
	if (session->failure.code)
		return;
	if (deadline <= 0)
		look_beside_poller(session);
	else if (!queue_receive_several(session))
		poll_socket(session, deadline);
	if (session->ready_fd >= 0)
		arm_for_program(session);
	remote_flush(session);
	wake_poller(session);
	if ((session->arena_request.wanted && !session->arena_request.asked && !session->fds_pending) || session->arena_request.unmapped) {
		pthread_mutex_unlock(&session->lock);
		arena_request_tend(session);
		pthread_mutex_lock(&session->lock);
	}
}

/* One descriptor for two events, bytes to read and answers that another thread has read: an epoll of both. */
static int remote_poll_fd(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	struct epoll_event event = {.events = EPOLLIN};

	arm_for_program(session);
	if (remote->epoll >= 0)
		return remote->epoll;
	remote->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (remote->epoll < 0)
		return -ERROR_SYSTEM;
	if (epoll_ctl(remote->epoll, EPOLL_CTL_ADD, remote->socket, &event) < 0 ||
	    epoll_ctl(remote->epoll, EPOLL_CTL_ADD, session->ready_fd, &event) < 0) {
		close(remote->epoll);
		remote->epoll = -1;
		return -ERROR_SYSTEM;
	}
	remote->epoll_out = false;
	socket_io_watch(remote);
	return remote->epoll;
}

/* ---- opening and closing ---- */

/* What this process's last session had learned. */
static _Atomic uint64_t last_window_ns;

static void recall_window(struct wait_history *waits)
{
	const uint64_t last = atomic_load_explicit(&last_window_ns, memory_order_relaxed);

	waits->window_ns[WAIT_FOR_ONE] = last < waits->longest_ns ? last : waits->longest_ns;
}

/* Waiters find their calls failed. The descriptors are closed only when no thread polls them any more, and the
 * arenas unmapped when no thread copies from or to them. */
static void remote_stop(struct trnsci_session *session)
{
	struct remote *remote = session->peer;

	pthread_mutex_lock(&session->lock);
	socket_io_fail(session, ERROR_CLOSED, "session", "it was closed"); /* wakes the thread in poll */
	queue_wake_sleeper(session);
	session_wake(session);
	while (session->waiting || session_is_in_use(session))
		pthread_cond_wait(&session->ended, &session->lock);
	atomic_store_explicit(&last_window_ns, session->waits.window_ns[WAIT_FOR_ONE], memory_order_relaxed);
	output_stop(&remote->out);
	socket_io_close(remote);
	queue_end(remote->queue);
	remote->queue = NULL;
	for (struct arena *arena = session->arenas; arena; arena = arena->next)
		arena_unmap(arena);
	pthread_mutex_unlock(&session->lock);
}

static void remote_destroy(struct trnsci_session *session)
{
	arena_remove_all(session);
	socket_io_free(session->peer);
}

/* No shutdown: the parent uses the same socket. */
static void remote_abandon(struct trnsci_session *session)
{
	socket_io_close(session->peer);
	((struct remote *)session->peer)->queue = NULL; /* its memory is not in the child */
	for (struct arena *arena = session->arenas; arena; arena = arena->next)
		arena_unmap(arena);
}

/* The request goes out before those that need the arena, which the daemon handles in this order. */
static int remote_begin_arenas(struct trnsci_session *session, size_t bytes, struct error *err)
{
	(void)err; /* a refusal is the answer of the calls that need the arena */
	arena_request_begin(session, bytes);
	return 0;
}

static const struct session_engine remote_engine = {
	.send = remote_send,
	.flush = remote_flush,
	.restore = reconnect_once,
	.begin_queue = queue_begin,
	.enqueue = queue_submit,
	.cancel = remote_cancel,
	.progress = remote_progress,
	.begin_arenas = remote_begin_arenas,
	.tend_arenas = arena_request_tend,
	.attach_ring = remote_attach_ring,
	.attach_broadcast = remote_attach_broadcast,
	.wake_ring = remote_wake_ring,
	.detach_ring = remote_detach_ring,
	.poll_fd = remote_poll_fd,
	.stop = remote_stop,
	.destroy = remote_destroy,
	.abandon = remote_abandon,
};

static const struct remote_events events = {.lost = reconnect, .failed = arena_request_keep, .notified = queue_read_notification};

static int new_remote_session(const char *path, const struct trnsci_options *options, struct handshake *handshake,
			      struct trnsci_session **ret_session, struct error *err)
{
	struct remote *remote = calloc(1, sizeof *remote);
	struct trnsci_session *session = remote ? session_new(&remote_engine, path, options) : NULL;

	if (!session) {
		free(remote);
		return error_set(err, ERROR_NO_MEMORY, "session: no memory for it");
	}
	socket_io_init(remote, handshake, &events);
	session->waits = handshake->waits;
	session->peer = remote;
	*ret_session = session;
	return 0;
}

int remote_open(const char *path, const struct trnsci_options *options, struct trnsci_session **ret_session,
		struct error *err)
{
	const int timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : OPEN_TIMEOUT_MS;
	char instance[HANDSHAKE_INSTANCE];
	struct handshake handshake;
	int fd = -1;
	int r = handshake_connect(path, timeout_ms, &fd, err);

	if (r < 0)
		return r;
	handshake_init(&handshake, fd, deadline_after(timeout_ms));
	session_init_waits(&handshake.waits, options);
	recall_window(&handshake.waits);
	r = handshake_greet(&handshake, instance, err);
	if (r == 0)
		r = new_remote_session(path, options, &handshake, ret_session, err);
	if (r < 0) {
		handshake_end(&handshake);
		close(fd);
		return r;
	}
	memcpy(((struct remote *)(*ret_session)->peer)->instance, instance, sizeof instance);
	return 0;
}
