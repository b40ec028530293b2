/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting and completing through shared memory, and the sleep of either side. */
#include "queue.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/prefetch.h"
#include "base/wait.h"
#include "call/prepare.h"
#include "call/queue_slot.h"
#include "call/run.h"
#include "call/table.h"
#include "handshake.h"
#include "queue_attach.h"
#include "queue_core.h"
#include "session/tile.h"
#include "socket_io.h"

enum {
	LOOKS = 128, /* some 3 us */
	FEW_LOOKS = 8,
	BEFORE_YIELD = 96, /* looks: what another process of this CPU takes to get it and give it back */
	SLEEP_NS = 100000000, /* without a look at the socket, by which the end of a daemon is noticed; a crowd waits for milliseconds */
	SEVERAL = 4,	    /* runs under way, which are likely to end together */
	KEPT_MOST = 8,      /* submissions that wait for others */
};

/* Half of several runs are worth waiting for: the daemon works on the others while the program takes these, and both sides do
 * more with each look at the other's words. */
static uint32_t count_awaited(const struct queue *queue)
{
	const uint32_t runs = queue->published - queue->consumed;

	return runs >= SEVERAL ? runs / 2 : 1;
}

static bool is_in_crowd(const struct trnsci_session *session, const struct queue *queue)
{
	bool several;

	return atomic_load_explicit(&queue->page->yields, memory_order_relaxed) == 1 && queue_is_awaited(session, &several) && !several;
}

struct queue *queue_hold(struct trnsci_session *session, struct wait *wait, struct queue_look *ret_look)
{
	struct queue *queue = ((struct remote *)session->peer)->queue;

	if (!queue || !queue_is_busy(queue))
		return NULL;
	queue->refs++;
	queue->watched = true;
	*ret_look = (struct queue_look){queue->consumed, count_awaited(queue)};
	if (is_in_crowd(session, queue))
		wait_take_turns(wait, &session->waits);
	if (!wait->takes_turns)
		wait_look_first(wait, &session->waits, 0, LOOKS, FEW_LOOKS);
	if (ret_look->awaited > 1)
		wait_yield_first(wait, &session->waits, BEFORE_YIELD);
	return queue;
}

void queue_let_go(struct queue *queue)
{
	queue->watched = false;
	queue_end(queue);
}

/* ---- submitting, with the lock ---- */

bool queue_is_busy(const struct queue *queue)
{
	return queue->submitted != queue->consumed;
}

/* Wakes the daemon, once for each of its sleeps. Without the barrier before it the look may be too early: then it is repeated
 * before anybody sleeps. */
static void kick_daemon(struct trnsci_session *session, struct queue *queue)
{
	const uint32_t sleeps = atomic_load_explicit(&queue->page->daemon_sleeps, memory_order_relaxed);
	const struct value nothing = value_array();
	struct remote *remote = session->peer;

	if (sleeps % 2 == 0 || sleeps == queue->kicked)
		return;
	queue->kicked = sleeps;
	if (codec_notification(&remote->out.waiting, "kick", &nothing) == 0)
		socket_io_flush(session);
	if (output_is_stuck(&remote->out) && remote->polling)
		eventfd_write(remote->wake, 1);
}

static void write_entry(struct queue *queue, struct trnsci_call *call)
{
	struct run_prepared *entry = queue_submission(queue->page, queue->entries, queue->submitted);
	const struct prepared_changes *changes = changes_for_engine(&call->changes);

	static_assert((int)ARGS_SWAPS == (int)RUN_PREPARED_TILES, "as many tiles");
	entry->prepared = call->preparation.handle;
	entry->given = changes->given;
	entry->seed = changes->seed;
	entry->stream = changes->stream;
	entry->offset = changes->offset;
	if (changes->n_tiles)
		memcpy(entry->tiles, changes->tiles, sizeof entry->tiles);
	else
		memset(entry->tiles, 0, sizeof entry->tiles);
	entry->user = call->flight.msgid;
}

/* how: QUEUE_AWAKE, or how the daemon is to wake us. */
static void set_armed(struct queue *queue, uint32_t how)
{
	queue->armed = how != QUEUE_AWAKE;
	queue->sleeps += queue->armed ? QUEUE_SLEEP_STEP : 0;
	atomic_store_explicit(&queue->page->client_sleeps, queue->armed ? queue->sleeps | how : QUEUE_AWAKE, memory_order_relaxed);
}

static bool is_freed(void *arg, const struct args_tile *at)
{
	(void)arg;
	return tile_handle(at->tile) == 0;
}

/* A tile that was freed may still be there for a queue, which is ahead of the request `free`. Tiles are looked at again when any
 * was freed since. */
static bool names_tiles(const struct trnsci_call *call)
{
	struct queue_slot *slot = call->queue_slot;

	if (slot->frees == call->session->n_frees)
		return true;
	if (args_visit_tiles(&call->args, NULL, is_freed, NULL))
		return false;
	slot->frees = call->session->n_frees;
	return true;
}

static bool daemon_is_awake(const struct queue *queue)
{
	return atomic_load_explicit(&queue->page->daemon_sleeps, memory_order_relaxed) % 2 == 0;
}

/* With the lock. A daemon that sleeps needs a message anyway: the first run is that message, and those that follow it go to the
 * queue, where the daemon looks next. */
static bool may_submit(const struct trnsci_call *call, const struct queue *queue)
{
	const struct trnsci_session *session = call->session;

	return queue && !session->closed && !session->failure.code && session->n_lost == 0 && call->state != CALL_IN_FLIGHT &&
	       prepare_is_used(call) && queue->connection == session->connection &&
	       queue->submitted - queue->consumed < queue->entries && session->ready_fd < 0 && names_tiles(call) &&
	       (queue_is_busy(queue) || daemon_is_awake(queue) || session->n_in_flight > 0);
}

void queue_publish(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	struct queue *queue = remote->queue;

	if (!queue || queue->published == queue->submitted || session->failure.code)
		return;
	if (input_is_read_ahead(&remote->in)) /* that thread does not look at the queue */
		atomic_store_explicit(&remote->interrupted, true, memory_order_relaxed);
	if (remote->sleeping && !queue->armed) /* it fell asleep while nothing was submitted */
		set_armed(queue, QUEUE_WAKE_NOTIFY);
	queue->published = queue->submitted;
	atomic_store_explicit(&queue->page->submitted, queue->submitted, memory_order_release);
	if (session->waiting)
		atomic_thread_fence(memory_order_seq_cst);
	kick_daemon(session, queue);
}

bool queue_submit(struct trnsci_call *call, bool answers_to_next)
{
	struct trnsci_session *session = call->session;
	struct remote *remote = session->peer;
	struct queue *queue;
	bool may;

	if (call->ladder.version != call->args.version || call->state == CALL_IN_FLIGHT ||
	    !changes_fit_prepared(&call->changes))
		return false;
	pthread_mutex_lock(&session->lock);
	queue = remote->queue;
	may = may_submit(call, queue);
	if (may) {
		call_unqueue(call);
		call_drop_reply(call);
		atomic_store_explicit(&call->answers_to_next, answers_to_next, memory_order_release);
		call_table_add(call);
		call->flight.ends = 0; /* sent, and not by the socket */
		call->flight.sent_by_queue = true;
		write_entry(queue, call);
		queue->submitted++;
		prefetch_to_write(queue_submission(queue->page, queue->entries, queue->submitted));
		if (!session_will_return(session) || queue->submitted - queue->published >= KEPT_MOST)
			queue_publish(session);
	}
	pthread_mutex_unlock(&session->lock);
	return may;
}

/* ---- completing ---- */

/* A daemon empties the memory when it has closed the connection, which the socket will report. */
static bool is_emptied(const struct queue *queue)
{
	return *(const volatile uint64_t *)&queue->page->magic == 0;
}

static uint32_t count_completed(const struct queue *queue, const struct queue_look *look)
{
	return is_emptied(queue) ? 0 : atomic_load_explicit(&queue->page->completed, memory_order_acquire) - look->consumed;
}

bool queue_has_ended(const struct queue *queue, const struct queue_look *look, uint32_t n)
{
	return count_completed(queue, look) >= n;
}

/* Returns false if the daemon has broken the rules. */
static bool answer_entry(struct trnsci_session *session, const struct queue_completion *completion)
{
	struct trnsci_call *call = completion->user <= UINT32_MAX ? call_table_find(session, (uint32_t)completion->user) : NULL;
	struct error freed;

	if (completion->error) /* the notification has ended the call, or will */
		return true;
	if (!call || !call->flight.sent_by_queue)
		return false;
	call->flight.sent_by_queue = false;
	if (call->queue_slot) {
		queue_slot_complete(call, completion);
		call_finish(call, NULL, NULL, NULL, &call->queue_slot->reply);
	} else { /* its owner has freed it */
		error_set(&freed, ERROR_CANCELLED, "%s: it was freed", call->method);
		call_finish(call, &freed, NULL, NULL, NULL);
	}
	return true;
}

bool queue_receive(struct trnsci_session *session)
{
	struct queue *queue = ((struct remote *)session->peer)->queue;
	uint32_t completed, n;
	bool good = true;

	if (!queue)
		return false;
	completed = atomic_load_explicit(&queue->page->completed, memory_order_acquire);
	n = completed - queue->consumed;
	if (n == 0)
		return false;
	good = n <= queue->published - queue->consumed;
	for (uint32_t i = 0; good && i < n; i++)
		prefetch_to_read(queue_completion(queue->page, queue->entries, queue->consumed + i));
	for (; good && queue->consumed != completed; queue->consumed++) {
		struct queue_completion completion = {0};

		queue_copy_entry(&completion, queue_completion(queue->page, queue->entries, queue->consumed));
		good = answer_entry(session, &completion);
	}
	if (good)
		atomic_store_explicit(&queue->page->consumed, queue->consumed, memory_order_release);
	else if (!is_emptied(queue))
		socket_io_fail(session, ERROR_BAD_REPLY, "queue", "a completion of an entry that was not submitted");
	return good;
}

bool queue_receive_several(struct trnsci_session *session)
{
	const struct queue *queue = ((struct remote *)session->peer)->queue;
	const struct queue_look look = {.consumed = queue ? queue->consumed : 0};

	return queue && count_completed(queue, &look) >= count_awaited(queue) && queue_receive(session);
}

void queue_read_notification(struct trnsci_session *session, const struct message *message)
{
	static const char method[] = "queue_error";
	const struct value *user;
	struct trnsci_call *call;
	struct error error;
	uint64_t number;

	if (message->type != MESSAGE_NOTIFICATION || message->method_size != sizeof method - 1 ||
	    memcmp(message->method, method, sizeof method - 1) != 0)
		return;
	user = value_get(&message->params, "user");
	if (!user || !value_to_u64(user, &number) || number > UINT32_MAX || !handshake_read_error(&message->params, &error))
		return;
	call = call_table_find(session, (uint32_t)number);
	if (!call || !call->flight.sent_by_queue)
		return;
	call->flight.sent_by_queue = false;
	call_finish(call, &error, NULL, NULL, NULL);
}

/* ---- sleeping ---- */

bool queue_arm(struct trnsci_session *session)
{
	struct queue *queue = ((struct remote *)session->peer)->queue;

	if (!queue || !queue_is_busy(queue))
		return true;
	set_armed(queue, QUEUE_WAKE_NOTIFY);
	atomic_thread_fence(memory_order_seq_cst);
	kick_daemon(session, queue);
	if (((struct remote *)session->peer)->queue != queue) /* the connection was found lost, and is another */
		return false;
	if (atomic_load_explicit(&queue->page->completed, memory_order_acquire) == queue->consumed || is_emptied(queue))
		return true;
	set_armed(queue, QUEUE_AWAKE);
	return false;
}

bool queue_is_awaited(const struct trnsci_session *session, bool *ret_several)
{
	const struct remote *remote = session->peer;
	const uint32_t runs = remote->queue ? remote->queue->submitted - remote->queue->consumed : 0;

	*ret_several = runs >= SEVERAL;
	return runs > 0 && session->n_in_flight == runs && output_pending(&remote->out) == 0 && session->ready_fd < 0 && !session->closed &&
	       !session->failure.code;
}

/* Without the lock. seen: how many are completed, as far as is known. */
static void sleep_at_page(struct queue *queue, uint32_t seen, int64_t deadline)
{
	const int64_t left = deadline == DEADLINE_NEVER ? SLEEP_NS : deadline - clock_ns();
	const struct timespec most = {0, left < 0 ? 0 : left < SLEEP_NS ? (long)left : SLEEP_NS};

	syscall(SYS_futex, &queue->page->completed, FUTEX_WAIT, seen, &most, NULL, 0);
}

bool queue_sleep(struct trnsci_session *session, int64_t deadline)
{
	struct remote *remote = session->peer;
	struct queue *queue = remote->queue;
	bool several;

	if (!queue_is_awaited(session, &several) || is_emptied(queue))
		return false;
	queue->refs++;
	set_armed(queue, QUEUE_WAKE_FUTEX);
	atomic_thread_fence(memory_order_seq_cst);
	kick_daemon(session, queue);
	if (remote->queue == queue && queue_is_awaited(session, &several)) {
		const uint32_t seen = queue->consumed;

		queue->asleep = true;
		pthread_mutex_unlock(&session->lock);
		sleep_at_page(queue, seen, deadline);
		pthread_mutex_lock(&session->lock);
		queue->asleep = false;
	}
	set_armed(queue, QUEUE_AWAKE);
	queue_end(queue);
	return queue_receive(session);
}

void queue_wake_sleeper(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	struct queue *queue = remote->queue;

	if (queue && queue->watched)
		atomic_store_explicit(&remote->interrupted, true, memory_order_relaxed);
	if (queue && queue->asleep)
		syscall(SYS_futex, &queue->page->completed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void queue_disarm(struct trnsci_session *session)
{
	struct queue *queue = ((struct remote *)session->peer)->queue;

	if (queue && queue->armed)
		set_armed(queue, QUEUE_AWAKE);
}
