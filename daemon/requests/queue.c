/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of a queue. A run is accepted when its completion is sure to have room, so that a ring of completions
 * never overflows: of a client that reads none, submissions just stay where they are. */
#include "queue.h"

#include <assert.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/prefetch.h"
#include "queue_core.h"
#include "runs.h"

enum {
	IDLE_POLLS = 64,    /* without work, after which the clock decides whether to sleep */
	UNREAD_NS = 10000000, /* how long a queue is polled whose client has not read its completions: some time slices */
	PUBLISH_EVERY = 8,  /* completions of one turn */
	AHEAD = 8,	    /* entries whose cache lines are on their way from the client's CPU */
};

/* The members of a reply that a completion has, in the order of both. */
static const struct {
	const char *name;
	uint32_t bit;
} numbers[] = {
	{"seed", QUEUE_SEED},	      {"stream", QUEUE_STREAM}, {"offset", QUEUE_OFFSET},
	{"position", QUEUE_POSITION}, {"next", QUEUE_NEXT},
};

static_assert(sizeof numbers / sizeof *numbers == QUEUE_NUMBERS, "a completion has no other");

/* ------- the rules ------- */

static void end_bad_queue(struct queue *queue, const char *what, uint32_t got, uint32_t most)
{
	struct session *session = queue->session;
	struct error err;

	error_set(&err, ERROR_BAD_FRAME, "queue: %s: %" PRIu32 " ahead, allowed: at most %" PRIu32, what, got, most);
	session_end_input(session, &session->service->stats.bad_queues, &err);
}

/* Returns how many entries may be taken. */
static uint32_t count_acceptable(struct queue *queue)
{
	const uint32_t submitted = atomic_load_explicit(&queue->page->submitted, memory_order_acquire);
	const uint32_t waiting = submitted - queue->taken;
	uint32_t consumed, room;

	if (waiting == 0 || queue->session->eof)
		return 0;
	if (waiting > queue->entries) {
		end_bad_queue(queue, "submitted", waiting, queue->entries);
		return 0;
	}
	consumed = atomic_load_explicit(&queue->page->consumed, memory_order_acquire);
	if (consumed - queue->consumed > queue->published - queue->consumed) {
		end_bad_queue(queue, "consumed", consumed - queue->consumed, queue->published - queue->consumed);
		return 0;
	}
	queue->consumed = consumed;
	room = queue->entries - (queue->completed - consumed) - queue->running;
	return waiting < room ? waiting : room;
}

/* ------- completions ------- */

static void find_layout(const struct value *result, struct reply_layout *ret)
{
	*ret = (struct reply_layout){.given = 0};
	for (size_t k = 0; k < QUEUE_NUMBERS; k++) {
		const struct value *value = value_get(result, numbers[k].name);
		const struct value_member *member;

		if (!value)
			continue;
		member = (const struct value_member *)((const char *)value - offsetof(struct value_member, value));
		ret->index[k] = (uint32_t)(member - result->map.at);
		ret->name[k] = member->name;
		ret->given |= numbers[k].bit;
	}
}

/* A call without numbers in its reply has no name to know its layout by. */
static bool has_layout(const struct value *result, const struct reply_layout *layout)
{
	for (size_t k = 0; k < QUEUE_NUMBERS; k++)
		if (layout->given & numbers[k].bit &&
		    (layout->index[k] >= result->map.count || result->map.at[layout->index[k]].name != layout->name[k]))
			return false;
	return layout->given == (QUEUE_SEED | QUEUE_STREAM | QUEUE_OFFSET | QUEUE_POSITION | QUEUE_NEXT);
}

static void describe_result(const struct value *result, struct reply_layout *layout, struct queue_completion *completion)
{
	uint64_t *const to = &completion->seed;

	if (!has_layout(result, layout))
		find_layout(result, layout);
	for (size_t k = 0; k < QUEUE_NUMBERS; k++)
		if (layout->given & numbers[k].bit && value_to_u64(&result->map.at[layout->index[k]].value, &to[k]))
			completion->given |= numbers[k].bit;
}

/* The text of a failure follows as a notification. Without room for it the session ends, as for any message. */
static void notify_error(struct session *session, uint64_t user, const struct error *error)
{
	struct bump *bump = bump_new();
	struct value params = value_map();
	int r = bump ? value_put(bump, &params, "user", value_uint(user)) : -ERROR_NO_MEMORY;

	if (r == 0)
		r = value_put(bump, &params, "kind", value_uint((uint64_t)error_kind(error->code)));
	if (r == 0)
		r = value_put(bump, &params, "text", value_string(error->text));
	if (r == 0)
		r = outbox_notify(&session->outbox, "queue_error", &params);
	bump_free(bump);
	if (r < 0)
		session_end_for_limit(session);
}

static void publish_completions(struct queue *queue)
{
	if (queue->published == queue->completed)
		return;
	queue->published = queue->completed;
	atomic_store_explicit(&queue->page->completed, queue->completed, memory_order_release);
}

static struct queue_completion *next_completion(const struct queue *queue)
{
	return queue_completion(queue->page, queue->entries, queue->completed);
}

static void end_entry(struct queue *queue)
{
	queue->completed++;
	queue->running--;
	queue->announces = true;
}

static void complete_entry(struct session *session, uint64_t user, const struct error *error, const struct value *result)
{
	struct queue *queue = session->queue;
	struct queue_completion completion = {.user = user, .error = error ? (uint32_t)error->code : 0};

	if (!queue) /* the client is gone */
		return;
	if (error) {
		session->service->stats.errors++;
		notify_error(session, user, error);
	} else {
		describe_result(result, &queue->layout, &completion);
	}
	*next_completion(queue) = completion;
	end_entry(queue);
}

/* Writes the completion where it is to be. */
static void complete_draw(struct queue *queue, uint64_t user, const struct draw_position *position)
{
	struct queue_completion *to = next_completion(queue);

	to->user = user;
	to->error = 0;
	to->given = QUEUE_SEED | QUEUE_STREAM | QUEUE_OFFSET | QUEUE_POSITION | (position->has_next ? QUEUE_NEXT : 0);
	to->seed = position->seed;
	to->stream = position->stream;
	to->offset = position->offset;
	to->position = position->position;
	to->next = position->has_next ? position->next : 0;
	to->reserved = 0;
	end_entry(queue);
}

/* ------- waking the client ------- */

static void wake_client(struct queue *queue, uint32_t how)
{
	struct session *session = queue->session;
	const struct value nothing = value_map();

	session->service->stats.queue_wakes++;
	if (how == QUEUE_WAKE_FUTEX)
		syscall(SYS_futex, &queue->page->completed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	else if (outbox_notify(&session->outbox, "queue_wake", &nothing) < 0)
		session_end_for_limit(session);
}

/* Makes completions visible, and wakes a client that sleeps: once for each time that it went to sleep. The barrier orders the
 * store of `completed` before the load of `client_sleeps`, as the client's orders its store before its last look. */
static void finish_turn(struct queue *queue)
{
	uint32_t sleeps;

	queue->announces = false;
	publish_completions(queue);
	atomic_thread_fence(memory_order_seq_cst);
	sleeps = atomic_load_explicit(&queue->page->client_sleeps, memory_order_relaxed);
	if (sleeps == queue->woken)
		return;
	queue->woken = sleeps;
	if (sleeps & QUEUE_WAKE_MASK)
		wake_client(queue, sleeps & QUEUE_WAKE_MASK);
}

/* ------- running entries ------- */

static void refuse_given(struct session *session, const struct run_prepared *run)
{
	struct error err;

	error_set(&err, ERROR_OUT_OF_RANGE, "run_prepared: given: %" PRIu32 ", allowed: bits 1 (seed), 2 (stream) and 4 (offset)",
		  run->given);
	complete_entry(session, run->user, &err, NULL);
}

/* Ends the batch of draws. It must end before anything else of the session's memory is used. */
static void close_draws(struct queue *queue)
{
	if (queue->draws.is_open)
		runs_close_batch(queue->session, &queue->draws, stats_now_ns() - queue->session->service->clock_ns);
}

static void run_entry(struct queue *queue)
{
	struct service *service = queue->session->service;
	const uint32_t known = RUN_PREPARED_SEED | RUN_PREPARED_STREAM | RUN_PREPARED_OFFSET;
	struct draw_position position;
	struct run_prepared run;

	queue_copy_entry(&run, queue_submission(queue->page, queue->entries, queue->taken));
	queue->taken++;
	queue->running++;
	service->stats.queue_runs++;
	if (!(run.given & ~known) && runs_draw(queue->session, &queue->draws, &run, &position)) {
		complete_draw(queue, run.user, &position);
		queue->in_place++;
		return;
	}
	close_draws(queue);
	service->frame_class = LATENCY_NONE;
	if (run.given & ~known)
		refuse_given(queue->session, &run);
	else
		runs_start(queue->session, &run, complete_entry);
	queue->in_place += service->frame_class == LATENCY_PREPARED;
}

/* Counts the time of those that were completed at once, which one look at the clock ends, and makes them visible. */
static void end_batch(struct queue *queue)
{
	runs_end_batch(queue->session, &queue->draws, queue->in_place);
	queue->in_place = 0;
	publish_completions(queue);
}

/* The lines of both rings were last written or read on the client's CPU, from where each takes as long as a short draw. */
static void prefetch_entry(const struct queue *queue, uint32_t ahead)
{
	prefetch_to_read(queue_submission(queue->page, queue->entries, queue->taken + ahead));
	prefetch_to_write(queue_completion(queue->page, queue->entries, queue->completed + ahead));
}

static void prefetch_first(const struct queue *queue, uint32_t n)
{
	for (uint32_t ahead = 0; ahead < n && ahead < AHEAD; ahead++)
		prefetch_entry(queue, ahead);
}

/* Returns whether it took any. What it leaves is the session's backlog, as frames that were read and not handled are. */
static bool run_entries(struct queue *queue, uint64_t turn_end_ns)
{
	struct session *session = queue->session;
	struct service *service = session->service;
	const uint32_t n = count_acceptable(queue);
	uint32_t i, counted = 0;

	prefetch_first(queue, n);
	for (i = 0; i < n && !session_must_wait(session) && service->clock_ns < turn_end_ns; i++) {
		if (i + AHEAD < n)
			prefetch_entry(queue, AHEAD);
		run_entry(queue);
		if (queue->completed - queue->published < PUBLISH_EVERY)
			continue;
		end_batch(queue);
		counted = i + 1;
	}
	if (i == 0 || counted < i)
		end_batch(queue);
	runs_end(session);
	session->queue_backlog = i < n;
	if (i == 0)
		return false;
	atomic_store_explicit(&queue->page->yields, loop_count_client(service->loop, &queue->poller, i == 1, service->clock_ns),
			      memory_order_relaxed);
	atomic_store_explicit(&queue->page->taken, queue->taken, memory_order_release);
	queue->worked_ns = service->clock_ns;
	queue->idle_polls = 0;
	finish_turn(queue);
	return true;
}

static void set_sleeps(struct queue *queue, bool asleep)
{
	if ((queue->sleeps & 1) == asleep)
		return;
	queue->sleeps++;
	atomic_store_explicit(&queue->page->daemon_sleeps, queue->sleeps, memory_order_relaxed);
}

static void poll_again(struct queue *queue)
{
	struct session *session = queue->session;

	if (session->eof || session->service->settings->spin_us == 0)
		return;
	set_sleeps(queue, false);
	queue->worked_ns = session->service->clock_ns;
	loop_poll(session->service->loop, &queue->poller);
}

void queue_run(struct session *session, uint64_t turn_end_ns)
{
	struct queue *queue = session->queue;

	if (!queue)
		return;
	if (session->backlog)
		poll_again(queue);
	if (queue->announces)
		finish_turn(queue);
	run_entries(queue, turn_end_ns);
}

/* ------- polling and sleeping ------- */

/* Sends what a turn has left, and continues what it made room for. May free the session. */
static bool take_turn(struct queue *queue)
{
	struct session *session = queue->session;

	if (!run_entries(queue, session_turn_end_ns(session)) && !session->eof)
		return false;
	if (session->eof)
		loop_stop_polling(session->service->loop, &queue->poller);
	if (outbox_pending(&session->outbox) > 0 || session->queue_backlog || session->eof)
		session_continue(session);
	return true;
}

/* The client stores `submitted` and then looks at our word; we store the word and then look at `submitted`. At
 * least one of the two sees the other's store. */
bool queue_sleep(struct loop_poller *poller)
{
	struct queue *queue = (struct queue *)poller;

	set_sleeps(queue, true);
	atomic_thread_fence(memory_order_seq_cst);
	if ((count_acceptable(queue) == 0 || session_must_wait(queue->session)) && !queue->session->eof)
		return true;
	set_sleeps(queue, false);
	take_turn(queue);
	return false;
}

/* Returns how long the queue is polled after its last entry. A client that has not read its completions has not had a CPU since, and
 * will have more runs when it gets one. A kick would cost both sides as much as hundreds of polls. */
static uint64_t polled_ns(const struct queue *queue)
{
	const uint64_t spin_ns = queue->session->service->settings->spin_us * 1000;
	const bool is_read = atomic_load_explicit(&queue->page->consumed, memory_order_relaxed) == queue->completed;

	return is_read || spin_ns == 0 || spin_ns > UNREAD_NS ? spin_ns : UNREAD_NS;
}

bool queue_poll(struct loop_poller *poller)
{
	struct queue *queue = (struct queue *)poller;
	struct service *service = queue->session->service;

	if (atomic_load_explicit(&queue->page->submitted, memory_order_relaxed) != queue->taken && take_turn(queue))
		return true;
	if (++queue->idle_polls % IDLE_POLLS == 0 &&
	    stats_now_ns() - queue->worked_ns > polled_ns(queue) && queue_sleep(poller))
		loop_stop_polling(service->loop, poller);
	return false;
}

void queue_kick(struct session *session)
{
	struct queue *queue = session->queue;

	if (!queue || session->eof)
		return;
	session->service->stats.queue_kicks++;
	set_sleeps(queue, false);
	queue->worked_ns = session->service->clock_ns;
	loop_poll(session->service->loop, &queue->poller);
}
