/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of rings and broadcasts. One that lost its daemon attaches again: a daemon that stops may still answer for a moment, one
 * that starts may count the memory of the old session, and the owner of a broadcast has to make it again. So attempts are repeated
 * for as long as the session waits for a lost daemon. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/dtype.h"
#include "session/fork_flag.h"
#include "session/public_error.h"
#include "session/wait.h"

enum { PAUSE_MS = 10, LOOK_AGAIN = 1 };

/* ---- attaching ---- */

/* Keeps a copy of the call that attaches, for engines that can be lost. */
static int keep_recipe(struct trnsci_reader *reader, const struct trnsci_call *call, struct error *err)
{
	if (!reader->session->engine->restore)
		return 0;
	if (call_new(reader->session, call->method, &reader->recipe) < 0)
		return error_set(err, ERROR_NO_MEMORY, "%s: no call could be made", call->method);
	args_copy(&reader->recipe->args, &call->args);
	return 0;
}

/* Frees a reader without memory, and its reference to the session. */
static void discard(struct trnsci_reader *reader)
{
	if (reader->recipe)
		call_unref(reader->recipe);
	session_unref(reader->session);
	free(reader);
}

int reader_attach(const struct reader_kind *kind, struct trnsci_call *call, struct trnsci_reader **ret_reader, struct error *err)
{
	struct trnsci_reader *reader = calloc(1, sizeof *reader);
	int r;

	if (!reader || !(reader->alive = fork_flag_get())) {
		free(reader);
		trnsci_call_free(call);
		return error_set(err, ERROR_NO_MEMORY, "%s: no memory for it", kind->name);
	}
	reader->kind = kind;
	reader->session = call->session;
	session_ref(reader->session);
	r = keep_recipe(reader, call, err);
	if (r < 0)
		trnsci_call_free(call);
	else
		r = kind->attach(reader, call, &reader->link, err);
	if (r < 0)
		discard(reader);
	else
		*ret_reader = reader;
	return r;
}

/* A child after fork has none of the memory; it only frees its copy of the object. */
void trnsci_reader_detach(struct trnsci_reader *reader)
{
	if (!reader)
		return;
	if (!*reader->alive) {
		free(reader);
		return;
	}
	reader->session->engine->detach_ring(reader->session, &reader->link);
	discard(reader);
}

/* ---- attaching again ---- */

bool reader_is_same_stream(const struct ring_link *a, const struct ring_link *b)
{
	return a->dtype == b->dtype && a->components == b->components && a->seed == b->seed && a->stream == b->stream &&
	       strcmp(a->generator, b->generator) == 0;
}

static int attach_again(struct trnsci_reader *reader, struct error *err)
{
	struct ring_link link;
	struct trnsci_call *call;
	int r = call_make(reader->session, reader->recipe->method, &call, err);

	if (r < 0)
		return r;
	args_copy(&call->args, &reader->recipe->args);
	r = reader->kind->attach(reader, call, &link, err);
	if (r < 0)
		return r;
	r = reader->kind->resume(reader, &link, err);
	reader->session->engine->detach_ring(reader->session, r < 0 ? &link : &reader->link);
	if (r < 0)
		return r;
	reader->link = link;
	reader->produced = 0;
	return 0;
}

static bool may_pass(const struct trnsci_reader *reader, int r)
{
	return (error_kind(r) == ERROR_KIND_FAILED && r != -ERROR_BAD_REPLY) || (r == -ERROR_NOT_FOUND && reader->kind->awaits_owner);
}

static bool has_failed(struct trnsci_session *session)
{
	uint64_t connection;

	return session_get_connection(session, &connection, NULL) < 0;
}

/* Attaches a lost reader, again and again until that succeeds, the deadline has passed (-ERROR_TIMEOUT), or the loss has lasted longer
 * than the session waits for a daemon (-ERROR_CLOSED with the reason of the last attempt). Later calls make one attempt each. The
 * time that is left to a broadcast's owner begins when the session is back. */
static int outlast(struct trnsci_reader *reader, int64_t deadline, struct error *err)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	const char *name = reader->kind->name;
	struct error reason = {0};
	int64_t began = clock_ns();
	int r;

	for (; (r = attach_again(reader, &reason)) < 0 && may_pass(reader, r); began = clock_ns()) {
		const bool over = r == -ERROR_CLOSED && has_failed(reader->session);

		if (!over && reader->given_up_ns == 0)
			reader->given_up_ns = deadline_after(reader->session->reconnect_ms);
		if (over || began >= reader->given_up_ns)
			return error_set(err, ERROR_CLOSED, "%s: it ended with the daemon; again: %.180s", name, reason.text);
		if (began >= deadline)
			return error_set(err, ERROR_TIMEOUT, "%s: it ended with the daemon, and was not attached again in time", name);
		nanosleep(&pause, NULL);
	}
	reader->given_up_ns = 0;
	reader->times += r == 0;
	if (r < 0 && err)
		*err = reason;
	return r;
}

/* ---- waiting ---- */

/* The state comes from shared memory: any number may stand there. */
static const char *state_text(uint32_t state)
{
	const char *meaning = error_meaning((int)state);

	return meaning ? meaning : "an unknown error";
}

static uint32_t read_state(const struct trnsci_reader *reader)
{
	return atomic_load_explicit(&reader->link.page->state, memory_order_acquire);
}

/* Returns why no more samples will come: the error in the page's state, or that the daemon is gone; 0 if all is well. Memory of an
 * earlier connection is over even if its page looks open: the daemon that filled it is gone. */
static int check_state(const struct trnsci_reader *reader, uint32_t state, struct error *err)
{
	const char *name = reader->kind->name;
	uint64_t connection;

	if (state == ERROR_CLOSED || state == ERROR_CANCELLED)
		return error_set(err, ERROR_CLOSED, "%s: it was closed", name);
	if (state == ERROR_END_OF_STREAM)
		return error_set(err, ERROR_END_OF_STREAM, "%s: its stream has no more samples", name);
	if (state == ERROR_NOT_PERMITTED)
		return error_set(err, ERROR_CLOSED, "%s: its session was ended by disconnect", name);
	if (state != RING_OPEN)
		return error_set(err, ERROR_CLOSED, "%s: it was detached: %s", name, state_text(state));
	if (session_get_connection(reader->session, &connection, NULL) < 0)
		return error_set(err, ERROR_CLOSED, "%s: the connection is gone", name);
	if (connection != reader->link.connection)
		return error_set(err, ERROR_CLOSED, "%s: it ended with the daemon, allowed is to attach again", name);
	return 0;
}

/* Returns 0 if samples may still come, LOOK_AGAIN where the memory may be another, or why it ended. The daemon writes why it ends a
 * ring before it ends the connection. */
static int check_running(struct trnsci_reader *reader, uint32_t state, int64_t deadline, struct error *err)
{
	int r = check_state(reader, state, err);

	if (r != -ERROR_CLOSED)
		return r;
	if (state == RING_OPEN && read_state(reader) != RING_OPEN)
		return LOOK_AGAIN;
	if (!reader->recipe || !reader->kind->is_lost(state))
		return r;
	r = outlast(reader, deadline, err);
	return r < 0 ? r : LOOK_AGAIN;
}

/* The counter is read again after the state: a producer publishes its last samples before it closes; and after the clock: the process
 * may be stopped between two looks. */
int reader_wait(struct trnsci_reader *reader, uint64_t n, int64_t deadline, struct error *err)
{
	int r = reader->kind->look(reader, err);

	while (r >= 0 && reader_available(reader) < n) {
		const bool over = clock_ns() >= deadline;
		const struct ring_page *page = reader->link.page;
		const uint32_t news = atomic_load_explicit(&page->news, memory_order_acquire), state = read_state(reader);

		r = reader->kind->look(reader, err);
		if (r < 0 || reader_available(reader) >= n)
			break;
		r = check_running(reader, state, deadline, err);
		if (r != 0)
			continue;
		if (over)
			return READER_TIME_OVER;
		ring_link_sleep(page, news, deadline);
	}
	return r < 0 ? r : 0;
}

/* ---- the public functions ---- */

static int check_usable(const struct trnsci_reader *reader, struct error *err)
{
	if (!reader)
		return error_set(err, ERROR_CLOSED, "reader: there is none");
	if (!*reader->alive)
		return error_set(err, ERROR_CLOSED, "%s: it belongs to another process, a child after fork must attach its own",
				 reader->kind->name);
	return 0;
}

static int check_not_borrowed(const struct trnsci_reader *reader, struct error *err)
{
	const int r = check_usable(reader, err);

	if (r == 0 && reader->borrowed)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %llu samples are borrowed, allowed is to release them",
				 reader->kind->name, (unsigned long long)reader->borrowed);
	return r;
}

/* Samples that the reader can have where they lie: a ring's, which stay as they are until they are given back. */
static inline bool has_lasting(const struct trnsci_reader *reader, uint64_t n)
{
	return reader && *reader->alive && reader->link.index && !reader->borrowed && reader_available(reader) >= n;
}

/* Advances a ring's index. When another half has become free, the producer may be asleep: we write the index and
 * then read `asleep`, the producer writes `asleep` and then reads the index, so at least one of the two sees the other.
 */
void reader_give_back(struct trnsci_reader *reader, uint64_t n)
{
	const uint64_t before = reader->next, half = reader->link.capacity / 2;

	reader->next += n;
	if (((before ^ reader->next) & ~(half - 1)) == 0) {
		atomic_store_explicit(&reader->link.index->taken, reader->next, memory_order_release);
		return;
	}
	atomic_store_explicit(&reader->link.index->taken, reader->next, memory_order_seq_cst);
	if (atomic_load_explicit(&reader->link.page->asleep, memory_order_seq_cst))
		reader->session->engine->wake_ring(&reader->link);
}

static int take_slowly(struct trnsci_reader *reader, char *out, uint64_t n, int timeout_ms, struct trnsci_reader_span *ret_span,
		       struct trnsci_error *err)
{
	struct trnsci_reader_span unwanted, *span = ret_span ? ret_span : &unwanted;
	struct error error; /* not cleared, which would take a fifth of the time of a small take */
	int r = check_not_borrowed(reader, &error);

	*span = (struct trnsci_reader_span){0};
	if (r == 0)
		r = reader->kind->take(reader, out, n, deadline_after(timeout_ms), span, &error);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_reader_take(struct trnsci_reader *reader, void *out, uint64_t n, int timeout_ms, struct trnsci_reader_span *ret_span,
		       struct trnsci_error *err)
{
	if (!has_lasting(reader, n))
		return take_slowly(reader, out, n, timeout_ms, ret_span, err);
	memcpy(out, reader_samples(reader), n * reader->link.sample_bytes);
	if (ret_span)
		*ret_span = reader_span(reader, n);
	reader_give_back(reader, n);
	return 0;
}

static int await_lasting(struct trnsci_reader *reader, uint64_t n, int timeout_ms, struct trnsci_error *err)
{
	struct error error = {0};
	int r = check_not_borrowed(reader, &error);

	if (r == 0 && !reader->kind->await)
		r = error_set(&error, ERROR_NOT_SUPPORTED,
			      "%s: borrow: its samples may be overwritten at any time, allowed is to take copies", reader->kind->name);
	if (r == 0)
		r = reader->kind->await(reader, n, deadline_after(timeout_ms), &error);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_reader_borrow(struct trnsci_reader *reader, uint64_t n, int timeout_ms, const void **ret_samples,
			 struct trnsci_reader_span *ret_span, struct trnsci_error *err)
{
	if (!has_lasting(reader, n) || n > reader->link.capacity / 2) {
		const int r = await_lasting(reader, n, timeout_ms, err);

		if (r < 0)
			return r;
	}
	reader->borrowed = n;
	*ret_samples = reader_samples(reader);
	if (ret_span)
		*ret_span = reader_span(reader, n);
	return 0;
}

static int refuse_release(const struct trnsci_reader *reader, uint64_t n, struct trnsci_error *err)
{
	struct error error = {0};
	int r = check_usable(reader, &error);

	if (r == 0 && !reader->kind->await)
		error_set(&error, ERROR_NOT_SUPPORTED, "%s: release: its samples cannot be borrowed, allowed is to take copies",
			  reader->kind->name);
	else if (r == 0)
		error_set(&error, ERROR_OUT_OF_RANGE, "%s: release: %llu samples, allowed are the %llu that are borrowed",
			  reader->kind->name, (unsigned long long)n, (unsigned long long)reader->borrowed);
	return error_export(err, &error);
}

int trnsci_reader_release(struct trnsci_reader *reader, uint64_t n, struct trnsci_error *err)
{
	if (!reader || !*reader->alive || !reader->link.index || n > reader->borrowed)
		return refuse_release(reader, n, err);
	reader->borrowed = 0;
	reader_give_back(reader, n);
	return 0;
}

int trnsci_reader_seek(struct trnsci_reader *reader, uint64_t sample, struct trnsci_error *err)
{
	struct error error = {0};
	int r = check_usable(reader, &error);

	if (r == 0 && !reader->kind->seek)
		r = error_set(&error, ERROR_NOT_SUPPORTED,
			      "%s: seek: its samples come in their order, allowed is to attach one at another offset",
			      reader->kind->name);
	else if (r == 0)
		reader->kind->seek(reader, sample);
	return r < 0 ? error_export(err, &error) : 0;
}

int trnsci_reader_describe(const struct trnsci_reader *reader, struct trnsci_reader_info *ret_info)
{
	if (check_usable(reader, NULL) < 0)
		return -ERROR_CLOSED;
	const struct ring_link *link = &reader->link;
	const bool named = link->range > 0;
	const uint64_t words = link->components * (dtype_size((enum dtype)link->dtype) == 8 ? 2 : 1);

	*ret_info = (struct trnsci_reader_info){
		.dtype = link->dtype,
		.components = link->components,
		.sample_bytes = link->sample_bytes,
		.capacity = link->capacity,
		.offset = named ? 0 : link->offset - reader->before,
		.position = named ? 0 : link->position - reader->before * words,
		.taken = reader_number(reader),
		.produced = reader->before + atomic_load_explicit(&link->page->produced, memory_order_acquire),
		.range = link->range,
		.seed = link->seed,
		.stream = link->stream,
		.restarts = reader->times,
		.skipped = reader->skipped,
	};
	memcpy(ret_info->generator, link->generator, sizeof ret_info->generator);
	return 0;
}
