/* SPDX-License-Identifier: Apache-2.0 */
/* How the threads of a session wait: one of them receives, each of the others looks or sleeps at a word of its own.
 *
 * Whoever makes true what a thread waits for sets the thread's word. A thread that waits for its own call was taken out of the
 * list before that, and goes without the session's lock; any other takes the lock first. */
#include "wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/spin.h"

/* WORKING: the thread has the lock, or will take it. TURN: it will, and is to receive. READY: it is out of the list. All are set
 * with the lock, but ASLEEP, which the thread itself sets after LOOKING. */
enum { WORKING, LOOKING, ASLEEP, TURN, READY };

enum { ASK_NS = 50 * 1000 * 1000 }; /* between two questions to the program whether to go on */

/* A thread inside session_wait: on its stack. */
struct session_waiter {
	struct session_waiter *next;
	bool (*ready)(void *arg);
	void *arg;
	bool goes; /* without the lock, once it is READY */
	_Atomic uint32_t word;
};

static uint32_t word_of(const struct session_waiter *waiter)
{
	return atomic_load_explicit(&waiter->word, memory_order_acquire);
}

/* The waiter may be gone as soon as its word is set. At worst the system call then wakes nobody. */
static void set_word(struct session_waiter *waiter, uint32_t word)
{
	if (atomic_exchange_explicit(&waiter->word, word, memory_order_acq_rel) == ASLEEP)
		syscall(SYS_futex, &waiter->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool is_idle(const struct session_waiter *waiter)
{
	const uint32_t word = word_of(waiter);

	return word == LOOKING || word == ASLEEP;
}

void session_wake(struct trnsci_session *session)
{
	struct session_waiter **at = &session->waiting, *waiter;

	while ((waiter = *at)) {
		const bool wakes = is_idle(waiter) && waiter->ready(waiter->arg);
		const bool goes = wakes && waiter->goes;

		if (goes)
			*at = waiter->next;
		else
			at = &waiter->next;
		if (wakes)
			set_word(waiter, goes ? READY : WORKING);
	}
	if (session->closed && !session->waiting)
		pthread_cond_broadcast(&session->ended);
}

/* Deadlines are on the monotonic clock. Returns at once if the word is another already. */
static void sleep_at_word(struct session_waiter *self, int64_t deadline)
{
	const struct timespec until = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};
	uint32_t looking = LOOKING;

	if (!atomic_compare_exchange_strong(&self->word, &looking, ASLEEP))
		return;
	while (word_of(self) == ASLEEP && clock_ns() < deadline)
		syscall(SYS_futex, &self->word, FUTEX_WAIT_BITSET_PRIVATE, ASLEEP, deadline == DEADLINE_NEVER ? NULL : &until,
			NULL, FUTEX_BITSET_MATCH_ANY);
}

/* Waits without the lock, until the thread is woken or the deadline has passed. It looks as long as that pays for the thread that
 * receives. Returns true without the lock if the thread was taken out of the list, and otherwise false with the lock. */
static bool wait_for_others(struct trnsci_session *session, struct session_waiter *self, int64_t deadline)
{
	struct wait wait;

	wait_begin(&wait, &session->waits, WAIT_FOR_ONE);
	atomic_store_explicit(&self->word, LOOKING, memory_order_release);
	pthread_mutex_unlock(&session->lock);
	while (word_of(self) == LOOKING && wait_again(&wait))
		spin_pause();
	sleep_at_word(self, deadline);
	if (word_of(self) == READY)
		return true;
	pthread_mutex_lock(&session->lock);
	if (atomic_exchange_explicit(&self->word, WORKING, memory_order_acq_rel) != READY)
		return false;
	pthread_mutex_unlock(&session->lock);
	return true;
}

/* Returns whether the thread is to receive, or just to look at what has come. Nothing is received any more once the session has
 * failed. */
static bool has_turn(const struct trnsci_session *session, int64_t deadline)
{
	return session->engine->progress && (deadline <= 0 || (!session->receiving && !session->failure.code));
}

static void receive(struct trnsci_session *session, int64_t deadline)
{
	session->receiving |= deadline > 0;
	session->engine->progress(session, deadline);
	session->receiving &= deadline <= 0;
}

/* Whoever goes leaves the turn to another, rather to one that is awake. */
static void pass_turn(struct trnsci_session *session)
{
	struct session_waiter *next = NULL;

	if (session->receiving || !session->engine->progress)
		return;
	for (struct session_waiter *waiter = session->waiting; waiter; waiter = waiter->next) {
		if (word_of(waiter) == TURN)
			return;
		if (is_idle(waiter) && (!next || word_of(waiter) == LOOKING))
			next = waiter;
	}
	if (next)
		set_word(next, TURN);
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

/* Looks once more when the time is over, as with a deadline of 0: the process may have been stopped since it looked last. Returns 1
 * if the thread was taken out of the list, without the lock. */
static int wait_in_list(struct trnsci_session *session, struct session_waiter *self, int64_t deadline)
{
	int r = 0;

	self->next = session->waiting;
	session->waiting = self;
	for (bool looked = false; r == 0 && !self->ready(self->arg); looked = true) {
		const bool over = deadline <= 0 || (looked && clock_ns() >= deadline);

		if (has_turn(session, over ? 0 : deadline)) {
			receive(session, over ? 0 : deadline);
		} else if (!over) {
			if (session->engine->flush)
				session->engine->flush(session);
			if (!self->ready(self->arg) && wait_for_others(session, self, deadline))
				return 1;
		}
		if (over && !self->ready(self->arg))
			r = -ERROR_TIMEOUT;
	}
	leave_waiting(session, self);
	return r;
}

int session_wait(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline)
{
	struct session_waiter self = {.ready = ready, .arg = arg, .word = WORKING};

	return wait_in_list(session, &self, deadline);
}

bool session_is_interrupted(const struct trnsci_session *session, int64_t *ask_ns)
{
	const int64_t now = session->interrupted ? clock_ns() : 0;
	const bool asks = session->interrupted && *ask_ns && now >= *ask_ns;

	if (asks || !*ask_ns)
		*ask_ns = now + ASK_NS;
	return asks && session->interrupted(session->interrupted_arg);
}

int session_wait_and_unlock(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline)
{
	int64_t ask_ns = session->interrupted ? clock_ns() + ASK_NS : INT64_MAX;

	while (true) {
		struct session_waiter self = {.ready = ready, .arg = arg, .goes = true, .word = WORKING};
		const int r = wait_in_list(session, &self, ask_ns < deadline ? ask_ns : deadline);

		if (r == 1)
			return 0;
		pthread_mutex_unlock(&session->lock);
		if (r == 0 || ask_ns >= deadline)
			return r;
		if (session_is_interrupted(session, &ask_ns))
			return -ERROR_CANCELLED;
		pthread_mutex_lock(&session->lock);
	}
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
	if (!session->closed && session->failure.code && session->engine->restore)
		session->engine->restore(session);
	else if (!session->closed && !session->failure.code)
		session_wait(session, is_never, NULL, 0);
	if (session->closed)
		r = error_set(err, ERROR_CLOSED, "session: it was closed");
	else if (session->failure.code)
		r = session_report_failure(session, err);
	else
		*ret_connection = session->connection;
	pthread_mutex_unlock(&session->lock);
	return r;
}
