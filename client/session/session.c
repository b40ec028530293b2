/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a session that both engines share: its life, and how threads wait for it. */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/scheduler/cpus.h"
#include "fork_flag.h"

/* A bit of session->inside: nobody enters any more. */
#define BARRED (UINT32_C(1) << 31)

enum {
	SPIN_US = 100,       /* default: a small call is answered within it */
	SPIN_LONGEST_US = 250, /* default: where calls take so long; a wake-up takes some 50 more */
	RECONNECT_MS = 2000, /* default: a restarted daemon is back within it */
};

int session_check_fully(const struct trnsci_session *session, struct error *err)
{
	if (!session)
		return error_set(err, ERROR_CLOSED, "session: there is none");
	if (session->fork_flag ? !*session->fork_flag : session->pid != getpid())
		return error_set(err, ERROR_CLOSED,
				 "session: it belongs to process %ld, a child after fork must open its own",
				 (long)session->pid);
	return 0;
}

/* It is held for well below a microsecond where many use it: whoever finds it held spins for a moment before it sleeps. */
static int init_lock(struct trnsci_session *session)
{
	pthread_mutexattr_t spins;

	if (pthread_cond_init(&session->ended, NULL) != 0)
		return -ERROR_NO_MEMORY;
	pthread_mutexattr_init(&spins);
	pthread_mutexattr_settype(&spins, PTHREAD_MUTEX_ADAPTIVE_NP);
	const int failed = pthread_mutex_init(&session->lock, &spins);

	pthread_mutexattr_destroy(&spins);
	if (!failed)
		return 0;
	pthread_cond_destroy(&session->ended);
	return -ERROR_NO_MEMORY;
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
void session_init_waits(struct wait_history *waits, const struct trnsci_options *options)
{
	const uint64_t option_ns = options->spin_us > 0 ? (uint64_t)options->spin_us * 1000 : 0;

	if (options->spin_us < 0 || !has_cpus())
		wait_init(waits, 0, 0);
	else if (option_ns)
		wait_init(waits, option_ns, option_ns);
	else
		wait_init(waits, SPIN_US * 1000, SPIN_LONGEST_US * 1000);
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
	session->queue_option = options->queue;
	session->interrupted = options->interrupted;
	session->interrupted_arg = options->interrupted_arg;
	session->reconnect_ms = options->reconnect_ms ? options->reconnect_ms : RECONNECT_MS;
	session->ready_fd = -1;
	session->address = strdup(address);
	if (!session->address || init_lock(session) < 0) {
		free(session->address);
		free(session);
		return NULL;
	}
	session->fork_flag = fork_flag_get();
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

int session_check_and_ref(struct trnsci_session *session, struct error *err)
{
	int r = session_check_and_enter(session, err);

	if (r < 0)
		return r;
	session_ref(session);
	session_leave(session);
	return 0;
}

int session_report_failure(const struct trnsci_session *session, struct error *err)
{
	if (err) {
		*err = session->failure;
		err->code = ERROR_CLOSED;
	}
	return -ERROR_CLOSED;
}

void session_close_entry(struct trnsci_session *session)
{
	session->closed = true;
	atomic_fetch_or(&session->inside, BARRED);
}

bool session_is_in_use(const struct trnsci_session *session)
{
	return atomic_load(&session->inside) != BARRED;
}
