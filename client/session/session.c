/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a session that both engines share: its life, and how threads wait for it. */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/scheduler/cpus.h"
#include "fork_mark.h"

enum {
	SPIN_US = 100,       /* default: a small call is answered within it */
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

/* Waits are on the clock of deadlines. */
static int init_lock(struct trnsci_session *session)
{
	pthread_condattr_t attributes;

	if (pthread_condattr_init(&attributes) != 0)
		return -ERROR_NO_MEMORY;
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	int r = pthread_cond_init(&session->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (r != 0)
		return -ERROR_NO_MEMORY;
	if (pthread_mutex_init(&session->lock, NULL) != 0) {
		pthread_cond_destroy(&session->changed);
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
	session->refs = 1;
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
	pthread_mutex_lock(&session->lock);
	session->refs++;
	pthread_mutex_unlock(&session->lock);
}

/* The engine is destroyed last: until then a call may hold one of its replies. */
void session_unref(struct trnsci_session *session)
{
	pthread_mutex_lock(&session->lock);
	unsigned left = --session->refs;
	pthread_mutex_unlock(&session->lock);
	if (left > 0)
		return;
	session->engine->destroy(session);
	if (session->ready_fd >= 0)
		close(session->ready_fd);
	pthread_cond_destroy(&session->changed);
	pthread_mutex_destroy(&session->lock);
	bump_cache_free(&session->bump_cache);
	free(session->address);
	free(session);
}

void session_unref_locked(struct trnsci_session *session)
{
	session->refs--;
}

/* Looks at least once, so that a deadline of 0 still reads what has come. The last waiter of a closed session wakes the
 * thread that closes it. */
int session_wait(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline)
{
	int r = 0;
	bool looked = false;

	session->waiters++;
	while (!ready(arg)) {
		if (looked && clock_ns() >= deadline) {
			r = -ERROR_TIMEOUT;
			break;
		}
		session->engine->progress(session, deadline);
		looked = true;
	}
	session->waiters--;
	if (session->closed)
		pthread_cond_broadcast(&session->changed);
	return r;
}

bool session_enter(struct trnsci_session *session)
{
	atomic_fetch_add(&session->running_now, 1);
	if (!session->closed)
		return true;
	session_leave(session);
	return false;
}

/* The session's end waits for the last one, and sees either that it runs or is seen by it. */
void session_leave(struct trnsci_session *session)
{
	if (atomic_fetch_sub(&session->running_now, 1) > 1 || !session->closed)
		return;
	pthread_mutex_lock(&session->lock);
	pthread_cond_broadcast(&session->changed);
	pthread_mutex_unlock(&session->lock);
}

void session_sleep(struct trnsci_session *session, int64_t deadline)
{
	const struct timespec until = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};

	if (deadline == DEADLINE_NEVER)
		pthread_cond_wait(&session->changed, &session->lock);
	else
		pthread_cond_timedwait(&session->changed, &session->lock, &until);
}

int session_get_connection(struct trnsci_session *session, uint64_t *ret_connection, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	if (!session->closed && !session->failure.code)
		session->engine->progress(session, 0);
	if (session->closed || session->failure.code)
		r = error_set(err, ERROR_CLOSED, "session: its connection is gone");
	else
		*ret_connection = session->connection;
	pthread_mutex_unlock(&session->lock);
	return r;
}
