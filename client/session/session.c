/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a session that both engines share: its life, and how threads wait for it. */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/scheduler/cpus.h"
#include "fork_mark.h"

/* In session->inside: nobody enters any more. */
#define BARRED (UINT32_C(1) << 31)

enum {
	SPIN_US = 100,       /* default: a small call is answered within it */
	SHARED_WAITS = 64,   /* of one thread after another, until a session counts as one thread's again */
	RECONNECT_MS = 2000, /* default: a restarted daemon is back within it */
};

int session_check(const struct trnsci_session *session, struct error *err)
{
	if (!session)
		return error_set(err, ERROR_CLOSED, "session: there is none");
	if (session->mark ? !*session->mark : session->pid != getpid())
		return error_set(err, ERROR_CLOSED,
				 "session: it belongs to process %ld, a child after fork must open its own",
				 (long)session->pid);
	return 0;
}

static int init_lock(struct trnsci_session *session)
{
	if (pthread_cond_init(&session->ended, NULL) != 0)
		return -ERROR_NO_MEMORY;
	if (pthread_mutex_init(&session->lock, NULL) != 0) {
		pthread_cond_destroy(&session->ended);
		return -ERROR_NO_MEMORY;
	}
	return 0;
}

/* Whether this process may use more than one CPU, as it was when the process first asked: reading it takes longer than a
 * small call. */
static bool has_cpus(void)
{
	static atomic_uint cpus;
	unsigned known = atomic_load_explicit(&cpus, memory_order_relaxed);

	if (known == 0) {
		known = cpus_usable();
		atomic_store_explicit(&cpus, known, memory_order_relaxed);
	}
	return known > 1;
}

/* On a host with one CPU, spinning would keep the daemon from answering. */
uint64_t session_spin_ns(const struct trnsci_options *options)
{
	int most_us = options->spin_us ? options->spin_us : SPIN_US;

	return most_us > 0 && has_cpus() ? (uint64_t)most_us * 1000 : 0;
}

struct trnsci_session *session_new(const struct session_engine *engine, const char *address,
				   const struct trnsci_options *options)
{
	struct trnsci_session *session = calloc(1, sizeof *session);

	if (!session)
		return NULL;
	session->engine = engine;
	session->pid = getpid();
	session->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : -1;
	session->arena_bytes = options->arena_bytes;
	atomic_init(&session->refs, 1);
	session->queue_wish = options->queue;
	session->spin_ns = session_spin_ns(options);
	session->reconnect_ms = options->reconnect_ms ? options->reconnect_ms : RECONNECT_MS;
	session->ready_fd = -1;
	session->address = strdup(address);
	if (!session->address || init_lock(session) < 0) {
		free(session->address);
		free(session);
		return NULL;
	}
	session->mark = fork_mark_get();
	return session;
}

void session_ref(struct trnsci_session *session)
{
	atomic_fetch_add_explicit(&session->refs, 1, memory_order_relaxed);
}

/* The engine is destroyed last: until then a call may hold one of its replies. A thread that has dropped its reference with the
 * lock may hold the lock still. */
void session_unref(struct trnsci_session *session)
{
	if (atomic_fetch_sub_explicit(&session->refs, 1, memory_order_acq_rel) > 1)
		return;
	pthread_mutex_lock(&session->lock);
	pthread_mutex_unlock(&session->lock);
	session->engine->destroy(session);
	if (session->ready_fd >= 0)
		close(session->ready_fd);
	pthread_cond_destroy(&session->ended);
	pthread_mutex_destroy(&session->lock);
	bump_cache_free(&session->bump_cache);
	free(session->address);
	free(session);
}

void session_unref_locked(struct trnsci_session *session)
{
	atomic_fetch_sub_explicit(&session->refs, 1, memory_order_release);
}

/* ---- waiting ---- */

/* A thread inside session_wait: on its stack. */
struct session_waiter {
	struct session_waiter *next;
	bool (*ready)(void *arg);
	void *arg;
	bool asleep; /* at `woken` */
	pthread_cond_t woken;
};

/* Deadlines are on the monotonic clock. */
static void sleep_until_woken(struct trnsci_session *session, struct session_waiter *self, int64_t deadline)
{
	const struct timespec until = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};

	self->asleep = true;
	if (deadline == DEADLINE_NEVER)
		pthread_cond_wait(&self->woken, &session->lock);
	else
		pthread_cond_clockwait(&self->woken, &session->lock, CLOCK_MONOTONIC, &until);
	self->asleep = false;
}

static void wake(struct session_waiter *waiter)
{
	waiter->asleep = false;
	pthread_cond_signal(&waiter->woken);
}

void session_wake(struct trnsci_session *session)
{
	for (struct session_waiter *waiter = session->waiting; waiter; waiter = waiter->next)
		if (waiter->asleep && waiter->ready(waiter->arg))
			wake(waiter);
}

/* One thread receives at a time. The others sleep, each until its own answer is there or the turn has come to it. Nothing is
 * received any more once the session has failed. */
static void take_turn(struct trnsci_session *session, struct session_waiter *self, int64_t deadline)
{
	const struct session_engine *engine = session->engine;

	if (engine->progress && (deadline <= 0 || (!session->receiving && !session->failure.code))) {
		session->receiving |= deadline > 0;
		engine->progress(session, deadline);
		session->receiving &= deadline <= 0;
	} else if (deadline > 0) {
		if (engine->flush)
			engine->flush(session);
		if (!self->ready(self->arg))
			sleep_until_woken(session, self, deadline);
	}
}

/* Whoever goes leaves the turn to one that sleeps. */
static void pass_turn(struct trnsci_session *session)
{
	struct session_waiter *waiter = session->waiting;

	while (waiter && !waiter->asleep)
		waiter = waiter->next;
	if (waiter && !session->receiving && session->engine->progress)
		wake(waiter);
}

static void leave_waiting(struct trnsci_session *session, struct session_waiter *self)
{
	struct session_waiter **at = &session->waiting;

	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	pass_turn(session);
	if (session->closed)
		pthread_cond_broadcast(&session->ended);
}

/* Whoever spins leaves the lock to the others, where there were others lately. */
static void count_threads(struct trnsci_session *session)
{
	const pthread_t here = pthread_self();

	if (!pthread_equal(session->waited_last, here))
		session->shared = SHARED_WAITS;
	else if (session->shared > 0)
		session->shared--;
	session->waited_last = here;
}

/* Looks at least once, so that a deadline of 0 still reads what has come. */
int session_wait(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline)
{
	struct session_waiter self = {session->waiting, ready, arg, false, PTHREAD_COND_INITIALIZER};
	bool looked = false;
	int r = 0;

	session->waiting = &self;
	count_threads(session);
	while (r == 0 && !ready(arg)) {
		if (looked && clock_ns() >= deadline)
			r = -ERROR_TIMEOUT;
		else
			take_turn(session, &self, deadline);
		looked = true;
	}
	leave_waiting(session, &self);
	return r;
}

bool session_enter(struct trnsci_session *session)
{
	if (atomic_load_explicit(&session->inside, memory_order_relaxed) & BARRED)
		return false;
	if (!(atomic_fetch_add(&session->inside, 1) & BARRED))
		return true;
	session_leave(session);
	return false;
}

/* Whoever closes the session may free it as soon as the last thread has left: then the count falls with the lock, and the unlock is
 * the last that this thread does. */
void session_leave(struct trnsci_session *session)
{
	unsigned inside = atomic_load_explicit(&session->inside, memory_order_relaxed);

	while (!(inside & BARRED))
		if (atomic_compare_exchange_weak(&session->inside, &inside, inside - 1))
			return;
	pthread_mutex_lock(&session->lock);
	atomic_fetch_sub(&session->inside, 1);
	pthread_cond_broadcast(&session->ended);
	pthread_mutex_unlock(&session->lock);
}

int session_check_and_enter(struct trnsci_session *session, struct error *err)
{
	const int r = session_check(session, err);

	return r < 0 || session_enter(session) ? r : error_set(err, ERROR_CLOSED, "session: it was closed");
}

void session_leave_with_ref(struct trnsci_session *session)
{
	session_ref(session);
	session_leave(session);
}

void session_bar(struct trnsci_session *session)
{
	session->closed = true;
	atomic_fetch_or(&session->inside, BARRED);
}

bool session_has_inside(const struct trnsci_session *session)
{
	return atomic_load(&session->inside) != BARRED;
}

static bool is_never(void *arg)
{
	(void)arg;
	return false;
}

int session_get_connection(struct trnsci_session *session, uint64_t *ret_connection, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	if (!session->closed && !session->failure.code)
		session_wait(session, is_never, NULL, 0);
	if (session->closed || session->failure.code)
		r = error_set(err, ERROR_CLOSED, "session: its connection is gone");
	else
		*ret_connection = session->connection;
	pthread_mutex_unlock(&session->lock);
	return r;
}
