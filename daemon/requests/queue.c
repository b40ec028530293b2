/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of a queue. A run is accepted when its completion is sure to have room, so that a ring of completions
 * never overflows: of a client that reads none, submissions just stay where they are. */
#include "queue.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/arena.h"
#include "queue_layout.h"
#include "requests.h"

enum {
	IDLE_POLLS = 64,    /* without work, after which the clock decides whether to sleep */
	PUBLISH_EVERY = 8,  /* completions of one turn */
};

/* The members of a reply that a completion has, in the order of both. */
static const struct {
	const char *name;
	uint32_t bit;
} numbers[] = {
	{"seed", QUEUE_SEED},	      {"stream", QUEUE_STREAM}, {"offset", QUEUE_OFFSET},
	{"position", QUEUE_POSITION}, {"next", QUEUE_NEXT},
};

enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

/* Where a reply has these members. Runs of one call have replies of one layout, whose names are the same texts in memory. */
struct reply_layout {
	uint32_t index[N_NUMBERS]; /* 0 and `given` without its bit: there is none */
	const char *name[N_NUMBERS];
	uint32_t given;
};

struct queue {
	struct loop_poller poller; /* must be the first member */
	struct session *session;
	struct arena *memory;
	struct queue_page *page;
	uint32_t entries;
	/* Our own numbers. The page has copies of them, which are never read back. */
	uint32_t taken, completed, published;
	uint32_t consumed; /* the client's, as last checked */
	uint32_t running;  /* taken and not completed */
	uint32_t sleeps;   /* odd: asleep */
	uint32_t woken;    /* the client's sleep from which we woke it last */
	unsigned in_place; /* of those that are completed and not published: ended by their start */
	unsigned idle_polls;
	struct reply_layout layout; /* of the last reply */
	bool announces; /* entries are completed of which the client may not know */
	uint64_t worked_ns; /* when an entry was taken last */
};

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
	for (size_t k = 0; k < N_NUMBERS; k++) {
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
	for (size_t k = 0; k < N_NUMBERS; k++)
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
	for (size_t k = 0; k < N_NUMBERS; k++)
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
	queue->published = queue->completed;
	atomic_store_explicit(&queue->page->completed, queue->completed, memory_order_release);
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
	memcpy(queue_completion(queue->page, queue->entries, queue->completed), &completion, sizeof completion);
	queue->completed++;
	queue->running--;
	queue->announces = true;
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

static void run_entry(struct queue *queue)
{
	struct service *service = queue->session->service;
	const uint32_t known = RUN_PREPARED_SEED | RUN_PREPARED_STREAM | RUN_PREPARED_OFFSET;
	struct run_prepared run;

	queue_copy_entry(&run, queue_submission(queue->page, queue->entries, queue->taken));
	queue->taken++;
	queue->running++;
	service->stats.queue_runs++;
	service->frame_class = LATENCY_NONE;
	if (run.given & ~known)
		refuse_given(queue->session, &run);
	else
		requests_run_prepared(queue->session, &run, complete_entry);
	queue->in_place += service->frame_class == LATENCY_PREPARED;
}

/* Counts the time of those that were completed at once, which one look at the clock ends, and makes them visible. */
static void end_batch(struct queue *queue)
{
	struct service *service = queue->session->service;
	const uint64_t now = stats_now_ns(), took_ns = now - service->frame_ns;

	latency_add_many(&service->latency[LATENCY_PREPARED], took_ns, queue->in_place);
	if (queue->in_place && session_is_slow(queue->session, took_ns))
		session_note_slow(queue->session, &(struct slow_request){.method = "run_prepared", .total_ns = took_ns});
	queue->in_place = 0;
	service->frame_ns = now;
	publish_completions(queue);
}

/* Returns whether it took any. What it leaves is the session's backlog, as frames that were read and not handled are. */
static bool run_entries(struct queue *queue, uint64_t turn_end_ns)
{
	struct session *session = queue->session;
	struct service *service = session->service;
	const uint32_t n = count_acceptable(queue);
	uint32_t i, counted = 0;

	for (i = 0; i < n && !session_must_wait(session) && service->frame_ns < turn_end_ns; i++) {
		run_entry(queue);
		if (queue->completed - queue->published < PUBLISH_EVERY)
			continue;
		end_batch(queue);
		counted = i + 1;
	}
	requests_end_runs(session);
	if (i == 0 || counted < i)
		end_batch(queue);
	session->queue_backlog = i < n;
	if (i == 0)
		return false;
	atomic_store_explicit(&queue->page->taken, queue->taken, memory_order_release);
	queue->worked_ns = service->frame_ns;
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
	queue->worked_ns = session->service->frame_ns;
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

/* The client stores `submitted` and then looks at our word; we store the word and then look at `submitted`. Of the two
 * at least one sees the other's store. */
static bool sleep_queue(struct loop_poller *poller)
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

static bool poll_queue(struct loop_poller *poller)
{
	struct queue *queue = (struct queue *)poller;
	struct service *service = queue->session->service;

	if (atomic_load_explicit(&queue->page->submitted, memory_order_relaxed) != queue->taken && take_turn(queue))
		return true;
	if (++queue->idle_polls % IDLE_POLLS == 0 &&
	    stats_now_ns() - queue->worked_ns > service->settings->spin_us * 1000 && sleep_queue(poller))
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
	queue->worked_ns = session->service->frame_ns;
	loop_poll(session->service->loop, &queue->poller);
}

/* ------- beginning and end ------- */

/* On the background worker's thread, when the memory has been returned to the system. */
static void give_memory_back(void *arg, uint64_t size)
{
	struct quota_user *user = arg;

	quota_give(user, QUOTA_ARENA_BYTES, size);
	quota_user_close(user);
}

/* The memory counts as arena bytes until it is gone. */
static int create_memory(struct session *session, uint64_t size, struct arena **ret_memory, int *ret_fd, struct error *err)
{
	struct quota_user *user = quota_user_open(session->service->quota, quota_user_uid(session->user));
	int r;

	if (!user)
		return error_set(err, ERROR_NO_MEMORY, "queue: an account");
	r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0) {
		quota_user_close(user);
		return r;
	}
	r = arena_create(size, NULL, give_memory_back, user, ret_memory, ret_fd, err);
	if (r < 0)
		give_memory_back(user, size);
	return r;
}

static void begin_page(struct queue *queue)
{
	queue->page->version = QUEUE_VERSION;
	queue->page->entries = queue->entries;
	queue->sleeps = 1; /* until the first kick */
	atomic_store_explicit(&queue->page->daemon_sleeps, queue->sleeps, memory_order_relaxed);
	queue->page->magic = QUEUE_MAGIC;
}

static int create_queue(struct session *session, uint32_t entries, struct queue **ret_queue, int *ret_fd, struct error *err)
{
	struct queue *queue = calloc(1, sizeof *queue);
	const uint64_t page = arena_page();
	int r = queue ? create_memory(session, (queue_bytes(entries) + page - 1) / page * page, &queue->memory, ret_fd, err)
		      : error_set(err, ERROR_NO_MEMORY, "queue: its entry");

	if (r < 0) {
		free(queue);
		return r;
	}
	queue->poller = (struct loop_poller){.poll = poll_queue, .sleep = sleep_queue};
	queue->session = session;
	queue->page = arena_base(queue->memory);
	queue->entries = entries;
	begin_page(queue);
	*ret_queue = queue;
	return 0;
}

static void free_queue(struct queue *queue)
{
	arena_release(queue->memory);
	free(queue);
}

static int check_attach(const struct method_call *call)
{
	const struct session *session = call->session;
	const uint64_t wanted = call->args->at[0].u64, most = session->service->settings->queue_entries;

	if (session->queue)
		return error_set(call->err, ERROR_LIMIT, "queue: this session has one, allowed: one a session");
	if (outbox_has_fds(&session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "queue: an earlier reply's descriptors are under way, allowed: one reply at a time");
	if (wanted > most)
		return error_set(call->err, ERROR_LIMIT,
				 "queue: entries: %" PRIu64 ", allowed: the setting queue_entries = %" PRIu64, wanted, most);
	return 0;
}

static int describe_queue(struct method_call *call, const struct queue *queue)
{
	const uint64_t bytes = arena_size(queue->memory);

	if (value_put(call->bump, call->result, "entries", value_uint(queue->entries)) < 0 ||
	    value_put(call->bump, call->result, "bytes", value_uint(bytes)) < 0 ||
	    value_put(call->bump, call->result, "submissions_offset", value_uint(QUEUE_PAGE_BYTES)) < 0 ||
	    value_put(call->bump, call->result, "completions_offset",
		      value_uint(QUEUE_PAGE_BYTES + (uint64_t)queue->entries * QUEUE_ENTRY_BYTES)) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "queue: the reply");
	return 0;
}

int queue_attach(struct method_call *call)
{
	struct session *session = call->session;
	uint32_t entries = QUEUE_ENTRIES_LEAST;
	struct queue *queue;
	int fd = -1, r = check_attach(call);

	if (r < 0)
		return r;
	while (entries < call->args->at[0].u64)
		entries *= 2;
	r = create_queue(session, entries, &queue, &fd, call->err);
	if (r < 0)
		return r;
	r = describe_queue(call, queue);
	if (r < 0) {
		close(fd);
		free_queue(queue);
		return r;
	}
	session->queue = queue;
	session->service->stats.queues++;
	*call->fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

uint32_t queue_entries(const struct session *session)
{
	return session->queue ? session->queue->entries : 0;
}

void queue_close(struct session *session)
{
	struct queue *queue = session->queue;

	if (!queue)
		return;
	session->queue = NULL;
	session->service->stats.queues--;
	loop_stop_polling(session->service->loop, &queue->poller);
	free_queue(queue);
}
