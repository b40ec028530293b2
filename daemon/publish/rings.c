/* SPDX-License-Identifier: Apache-2.0 */
/* Rings, from their pages to their end.
 *
 * The eventfd is only watched, edge-triggered, and never read or written: a client has the same open file and could make
 * either block. A client that waits for samples sleeps on a futex of the page that it can only read. */
#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/futex.h>

#include "client_held.h"
#include "engine/operations/params.h"
#include "engine/producers/ring.h"
#include "log.h"
#include "memory/arena.h"
#include "streams/stream_methods.h"

/* A ring of a session, from ring_attach until its producer has ended. Lanes fill it; all else is the loop's thread's.
 *
 *     attached --ring_detach, end of the session--> closing: ring_close was called --+
 *         +---- the stream ended, the client broke a rule, ... ----------------------+--> a lane posts `ended` --> freed */
struct ring_entry {
	struct loop_event ended; /* must be the first member. Posted by the lane that ended the ring */
	struct ring_entry *next, *prev; /* of session->rings */
	struct session *session;        /* waits for the ring: session->n_rings */
	uint32_t handle;                /* counts up in the session */
	struct client_held *held;       /* owned; its page and samples are the producer's while it runs */
	char name[STORE_NAME_MOST + 1]; /* of the named stream */
	struct ring_stream named;       /* without a name: there is none */
	int wake_fd;              /* owned; the client has a duplicate */
	struct watch *wake_watch; /* NULL once the client has detached the ring */
	bool detached;            /* by the client: counts in session->n_detached */
	struct ring *ring;
	struct error reason; /* of its end; written by the lane before it posts `ended` */
};

/* ------- the end ------- */

static void stop_watching(struct ring_entry *entry)
{
	loop_unwatch(entry->wake_watch);
	entry->wake_watch = NULL;
}

static void free_ring_entry(struct ring_entry *entry)
{
	if (entry->wake_fd >= 0)
		close(entry->wake_fd);
	client_held_release(entry->session, CLIENT_HELD_RING, entry->held);
	free(entry);
}

/* Notifies the client that the daemon has ended its ring. The page's state says so, too. */
static void notify_detached(struct ring_entry *entry)
{
	struct session *session = entry->session;
	struct bump *bump = bump_new();
	struct value params = value_map();

	session->service->stats.rings_detached++;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "ring %" PRIu32 " is detached: %s",
		   entry->handle, entry->reason.text);
	if (bump && value_put(bump, &params, "ring", value_uint(entry->handle)) == 0 &&
	    value_put(bump, &params, "kind", value_uint((uint64_t)error_kind(entry->reason.code))) == 0 &&
	    value_put(bump, &params, "text", value_string(entry->reason.text)) == 0)
		outbox_notify(&session->outbox, "ring_detached", &params);
	bump_free(bump);
}

static void unlink_ring(struct ring_entry *entry)
{
	struct session *session = entry->session;

	if (entry->prev)
		entry->prev->next = entry->next;
	else
		session->rings = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
	session->n_rings--;
	session->service->stats.rings--;
}

static void on_ring_ended(struct loop_event *event)
{
	struct ring_entry *entry = (struct ring_entry *)event;
	struct session *session = entry->session;

	if (entry->wake_watch && session->fd >= 0)
		notify_detached(entry);
	stop_watching(entry);
	session->n_detached -= entry->detached;
	unlink_ring(entry);
	ring_free(entry->ring);
	free_ring_entry(entry);
	session_continue(session);
}

/* ------- events ------- */

/* On a lane's thread. At most one client waits. */
static void on_ring_published(void *arg)
{
	struct ring_entry *entry = arg;
	struct ring_page *page = entry->held->samples.base;

	syscall(SYS_futex, &page->news, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* On a lane's thread. */
static void on_ring_gone(void *arg, const struct error *reason)
{
	struct ring_entry *entry = arg;

	entry->reason = *reason;
	entry->ended.deliver = on_ring_ended;
	loop_post(entry->session->service->loop, &entry->ended);
}

static void on_client_wakes(void *arg)
{
	struct ring_entry *entry = arg;

	entry->session->service->stats.ring_wakes++;
	ring_wake(entry->ring);
}

/* ------- attaching ------- */

static int open_wake_fd(struct ring_entry *entry, struct error *err)
{
	entry->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (entry->wake_fd < 0)
		return error_set(err, ERROR_SYSTEM, "ring: eventfd: %s", strerror(errno));
	if (loop_watch(entry->session->service->loop, entry->wake_fd, on_client_wakes, entry, &entry->wake_watch) < 0)
		return error_set(err, ERROR_NO_MEMORY, "ring: its event");
	return 0;
}

/* In the order that PROTOCOL.md states: samples, index, eventfd. */
static int duplicate_fds(struct ring_entry *entry, struct fdpass *ret_fds, struct error *err)
{
	struct client_held *held = entry->held;
	struct fdpass fds = {.at = {client_held_dup(held, &held->samples), client_held_dup(held, &held->index),
				    fcntl(entry->wake_fd, F_DUPFD_CLOEXEC, 0)},
			     .count = 3};
	int saved = errno;

	for (unsigned i = 0; i < 3; i++)
		if (fds.at[i] < 0) {
			for (unsigned k = 0; k < 3; k++)
				if (fds.at[k] >= 0)
					close(fds.at[k]);
			return error_set(err, ERROR_SYSTEM, "ring: its descriptors: %s", strerror(saved));
		}
	*ret_fds = fds;
	return 0;
}

/* Copies the texts of a reply: they live in the noise, which the ring may free before the reply is encoded. */
static int copy_texts(struct bump *bump, struct value *map)
{
	for (size_t i = 0; i < map->map.count; i++) {
		struct value *value = &map->map.at[i].value;

		if (value->kind != VALUE_STRING)
			continue;
		char *copy = bump_copy(bump, value->bytes.at, value->bytes.size);
		if (!copy)
			return -ERROR_NO_MEMORY;
		value->bytes.at = copy;
	}
	return 0;
}

static int describe_ring(const struct ring_entry *entry, const struct sampler *sampler, struct bump *bump,
			 struct value *result)
{
	int failed = value_put(bump, result, "ring", value_uint(entry->handle));
	const bool named = entry->named.name;

	if (named)
		failed |= value_put(bump, result, "name", value_string(entry->name));
	failed |= client_held_describe(entry->held, sampler, named, bump, result);
	return failed | copy_texts(bump, result);
}

static int start_ring(struct ring_entry *entry, struct sampler *sampler, struct error *err)
{
	struct session *session = entry->session;
	const struct client_held *held = entry->held;
	const struct ring_memory memory = {
		.page = held->samples.base,
		.samples = (char *)held->samples.base + arena_page(),
		.index = held->index.base,
		.capacity = held->capacity,
	};
	const struct ring_events events = {.published = on_ring_published, .gone = on_ring_gone, .arg = entry};

	return ring_create(session->memory, sampler, &memory, entry->named.name ? &entry->named : NULL, &events, &entry->ring,
			   err);
}

static void link_ring(struct ring_entry *entry)
{
	struct session *session = entry->session;

	entry->next = session->rings;
	if (entry->next)
		entry->next->prev = entry;
	session->rings = entry;
	session->n_rings++;
	session->service->stats.rings++;
}

/* The producer is started last, when nothing else can fail. */
static int create_ring(struct ring_entry *entry, struct method_call *call)
{
	const struct args *args = call->args;
	struct session *session = entry->session;
	struct fdpass fds = {.count = 0};
	const struct stream *named = args->at[RING_NAME].given ? &entry->named.stream : NULL;
	struct sampler *sampler;
	struct value noise = value_nil();
	int r = named ? stream_find_named(session, args, RING_NAME, call->bump, entry->name, &entry->named.stream, &noise,
					  call->err)
		      : 0;

	if (r < 0)
		return r;
	entry->named.name = named ? entry->name : NULL;
	r = sampler_create(session->memory, args, RING_NOISE, RING_U64, named, noise.kind == VALUE_MAP ? &noise : NULL, &sampler,
			   call->err);
	if (r < 0)
		return r;
	r = client_held_create(session, CLIENT_HELD_RING, args, RING_SAMPLES, sampler, named, &entry->held, call->err);
	if (r == 0)
		r = open_wake_fd(entry, call->err);
	if (r == 0 && describe_ring(entry, sampler, call->bump, call->result))
		r = error_set(call->err, ERROR_NO_MEMORY, "ring: the reply");
	if (r == 0)
		r = duplicate_fds(entry, &fds, call->err);
	if (r < 0) {
		sampler_free(sampler);
		return r;
	}
	r = start_ring(entry, sampler, call->err);
	if (r < 0)
		fdpass_close(&fds);
	else
		*call->fds = fds;
	return r;
}

int rings_attach(struct method_call *call)
{
	struct session *session = call->session;
	const uint64_t most = session->service->settings->rings;
	struct ring_entry *entry;
	int r;

	if (session->n_rings >= most)
		return error_set(call->err, ERROR_LIMIT,
				 "ring_attach: this session has %u rings, allowed: the setting rings = %" PRIu64,
				 session->n_rings, most);
	if (outbox_has_fds(&session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "ring_attach: an earlier reply's descriptors are under way, allowed: one reply at a time");
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return error_set(call->err, ERROR_NO_MEMORY, "ring: its entry");
	entry->session = session;
	entry->handle = ++session->last_ring;
	entry->wake_fd = -1;
	r = create_ring(entry, call);
	if (r < 0) {
		stop_watching(entry);
		free_ring_entry(entry);
		return r;
	}
	link_ring(entry);
	return 0;
}

/* ------- detaching ------- */

/* A ring's place and its memory are free once a lane has ended it, within a chunk: until then the session's frames wait,
 * so that a ring_attach that follows finds both. */
static void detach_ring(struct ring_entry *entry)
{
	entry->detached = true;
	entry->session->n_detached++;
	stop_watching(entry);
	ring_close(entry->ring, ERROR_CLOSED);
}

int rings_detach(struct method_call *call)
{
	const uint64_t handle = call->args->at[RING_HANDLE].u64;
	struct ring_entry *entry = call->session->rings;

	while (entry && (entry->handle != handle || !entry->wake_watch))
		entry = entry->next;
	if (!entry)
		return bind_error(call->args, RING_HANDLE, call->err, ERROR_NOT_FOUND,
				  "%" PRIu64 " is not attached, allowed: a ring of this session", handle);
	if (value_put(call->bump, call->result, "detached", value_uint(handle)) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "ring_detach: the reply");
	detach_ring(entry);
	return 0;
}

void rings_end_session(struct session *session, enum error_code why)
{
	for (struct ring_entry *entry = session->rings; entry; entry = entry->next) {
		stop_watching(entry);
		ring_close(entry->ring, why);
	}
}
