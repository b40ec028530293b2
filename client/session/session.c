/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a session that both engines share: its life, and waiting for what comes. */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "call.h"

#include "engine/scheduler/cpus.h"

enum { SPIN_US = 100, RECONNECT_MS = 2000 };

/* A page that a child finds empty tells without a system call: a small call asks several times. */
static unsigned char *make_mark(void)
{
	unsigned char *mark = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return NULL;
	if (madvise(mark, 1, MADV_WIPEONFORK) < 0) {
		munmap(mark, 1);
		return NULL;
	}
	*mark = 1;
	return mark;
}

static bool is_ours(const struct trnsci_session *session)
{
	return session->mark ? *session->mark != 0 : session->pid == getpid();
}

int session_check(const struct trnsci_session *session, struct error *err)
{
	if (!session)
		return error_set(err, ERROR_CLOSED, "session: there is none");
	if (!is_ours(session))
		return error_set(err, ERROR_CLOSED,
				 "session: it belongs to process %ld, a child after fork must open its own",
				 (long)session->pid);
	return 0;
}

/* Deadlines are on the monotonic clock: a clock that is set does not make a wait longer. */
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

/* Spinning on the only CPU would keep the daemon from answering. */
static uint64_t spin_bound(const struct trnsci_options *options)
{
	int most_us = options->spin_us ? options->spin_us : SPIN_US;

	return most_us > 0 && cpus_usable() > 1 ? (uint64_t)most_us * 1000 : 0;
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
	session->spin_ns = spin_bound(options);
	session->reconnect_ms = options->reconnect_ms ? options->reconnect_ms : RECONNECT_MS;
	session->ready_fd = -1;
	session->address = strdup(address);
	if (!session->address || init_lock(session) < 0) {
		free(session->address);
		free(session);
		return NULL;
	}
	session->mark = make_mark();
	return session;
}

void session_ref(struct trnsci_session *session)
{
	pthread_mutex_lock(&session->lock);
	session->refs++;
	pthread_mutex_unlock(&session->lock);
}

/* The engine goes when nothing can hold a reply of its any more. */
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
	if (session->mark)
		munmap(session->mark, 1);
	free(session->address);
	free(session);
}

void session_unref_locked(struct trnsci_session *session)
{
	session->refs--;
}

/* Looks at least once, so that a deadline of 0 still reads what has come. The last waiter of a closed session tells
 * the thread that closes it. */
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

int session_look(struct trnsci_session *session, uint64_t *ret_connection, struct error *err)
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

/* The first failure is the cause, later ones are its consequences. */
void session_fail(struct trnsci_session *session, const struct error *error)
{
	if (session->failure.code)
		return;
	session->failure = *error;
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		while (session->calls[i]) {
			struct trnsci_call *call = session->calls[i];

			if (call_finish(call, error, NULL, NULL, NULL)) {
				call_discard(call);
				session_unref_locked(session);
			}
		}
	pthread_cond_broadcast(&session->changed);
}

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t deadline_after(int timeout_ms)
{
	if (timeout_ms < 0)
		return DEADLINE_NEVER;
	return timeout_ms ? clock_ns() + (int64_t)timeout_ms * 1000000 : 0;
}

/* Rounded up: poll must not come back before the deadline only to be called again. */
int deadline_left_ms(int64_t deadline)
{
	if (deadline == DEADLINE_NEVER)
		return -1;
	int64_t left = deadline ? deadline - clock_ns() : 0;

	if (left <= 0)
		return 0;
	return left / 1000000 >= INT32_MAX - 1 ? INT32_MAX : (int)(left / 1000000) + 1;
}

int error_give(struct trnsci_error *ret, const struct error *error)
{
	if (ret) {
		ret->code = error->code;
		memcpy(ret->text, error->text, sizeof ret->text);
	}
	return -error->code;
}

int error_take(struct error *ret, const struct trnsci_error *error)
{
	if (ret) {
		ret->code = error->code;
		memcpy(ret->text, error->text, sizeof ret->text);
	}
	return -error->code;
}
