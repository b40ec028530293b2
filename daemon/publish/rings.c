/* SPDX-License-Identifier: Apache-2.0 */
/* Rings, from their pages to their end.
 *
 * The eventfd is never read: its watch is edge-triggered, and a read could be made to block by a client that has the
 * same open file. Nothing is written to it here either. A client that waits for samples sleeps on a futex of the
 * page that it can only read, and is woken without any regard to what it does. */
#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/checked.h"
#include "client_held.h"
#include "engine/operations/params.h"
#include "engine/producers/ring.h"
#include "limits/quota.h"
#include "log.h"
#include "memory/arena.h"
#include "reservations.h"

struct ring_entry {
	struct loop_event event; /* from the lane that ended it */
	struct ring_entry *next, *prev;
	struct session *session;
	uint32_t handle;
	struct client_held *held;
	struct reservations ranges;
	int wake_fd;
	struct watch *woken; /* NULL: the client has let go of it */
	struct ring *ring;
	struct error why;
};

/* ------- the end ------- */

static void stop_listening(struct ring_entry *entry)
{
	loop_unwatch(entry->woken);
	entry->woken = NULL;
}

static void entry_free(struct ring_entry *entry)
{
	if (entry->wake_fd >= 0)
		close(entry->wake_fd);
	client_held_release(entry->session, CLIENT_HELD_RING, entry->held);
	free(entry);
}

/* The client did what it must not, or its stream cannot go on: it is told so on its connection, and by the page's state. */
static void tell_detached(struct ring_entry *entry)
{
	struct session *session = entry->session;
	struct bump *bump = bump_new();
	struct value params = value_map();

	session->service->stats.rings_detached++;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "ring %" PRIu32 " is detached: %s",
		   entry->handle, entry->why.text);
	if (bump && value_put(bump, &params, "ring", value_uint(entry->handle)) == 0 &&
	    value_put(bump, &params, "kind", value_uint((uint64_t)error_kind(entry->why.code))) == 0 &&
	    value_put(bump, &params, "text", value_string(entry->why.text)) == 0)
		outbox_notify(&session->outbox, "ring_detached", &params);
	bump_free(bump);
}

static void unlink_entry(struct ring_entry *entry)
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

static void on_event(struct loop_event *event)
{
	struct ring_entry *entry = (struct ring_entry *)event;
	struct session *session = entry->session;
	bool tell = entry->woken && session->fd >= 0;

	stop_listening(entry);
	if (tell)
		tell_detached(entry);
	unlink_entry(entry);
	ring_free(entry->ring);
	entry_free(entry);
	session_continue(session);
}

/* ------- events ------- */

/* One waits, if any. From a lane's thread. */
static void published(void *arg)
{
	struct ring_entry *entry = arg;
	struct ring_page *page = entry->held->samples.base;

	syscall(SYS_futex, &page->news, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void gone(void *arg, const struct error *why)
{
	struct ring_entry *entry = arg;

	entry->why = *why;
	entry->event.deliver = on_event;
	loop_post(entry->session->service->loop, &entry->event);
}

static void on_woken(void *arg)
{
	struct ring_entry *entry = arg;

	entry->session->service->stats.ring_wakes++;
	ring_wake(entry->ring);
}

static void go_on(void *arg)
{
	struct ring_entry *entry = arg;

	ring_go_on(entry->ring);
}

/* ------- the beginning ------- */

static int make_wake(struct ring_entry *entry, struct error *err)
{
	entry->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (entry->wake_fd < 0)
		return error_set(err, ERROR_SYSTEM, "ring: eventfd: %s", strerror(errno));
	if (loop_watch(entry->session->service->loop, entry->wake_fd, on_woken, entry, &entry->woken) < 0)
		return error_set(err, ERROR_NO_MEMORY, "ring: its event");
	return 0;
}

static int give_fds(struct ring_entry *entry, struct fdpass *ret_fds, struct error *err)
{
	struct client_held *held = entry->held;
	const struct fdpass fds = {.at = {client_held_dup(held, &held->samples), client_held_dup(held, &held->index),
					  fcntl(entry->wake_fd, F_DUPFD_CLOEXEC, 0)},
				   .count = 3};

	for (unsigned i = 0; i < 3; i++)
		if (fds.at[i] < 0) {
			error_set(err, ERROR_SYSTEM, "ring: its descriptors: %s", strerror(errno));
			for (i = 0; i < 3; i++)
				if (fds.at[i] >= 0)
					close(fds.at[i]);
			return -ERROR_SYSTEM;
		}
	*ret_fds = fds;
	return 0;
}

static int describe(const struct ring_entry *entry, const struct noise *noise, struct bump *bump, struct value *result)
{
	int failed = value_put(bump, result, "ring", value_uint(entry->handle));
	const bool named = reservations_stream(&entry->ranges);

	if (named)
		failed |= value_put(bump, result, "name", value_string(entry->ranges.name));
	return failed | client_held_describe(entry->held, noise, named, bump, result);
}

/* Names in the description live in the noise, which a ring frees; texts are copied. */
static int keep_texts(struct bump *bump, struct value *map)
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

static int start(struct ring_entry *entry, struct noise *noise, struct error *err)
{
	struct session *session = entry->session;
	const struct client_held *held = entry->held;
	const struct ring_memory memory = {
		.page = held->samples.base,
		.samples = (char *)held->samples.base + arena_page(),
		.index = held->index.base,
		.capacity = held->capacity,
	};
	const struct ring_events events = {.published = published, .gone = gone, .arg = entry};
	struct ranges_source source;

	if (!reservations_stream(&entry->ranges))
		return ring_create(session->space, noise, &memory, NULL, &events, &entry->ring, err);
	source = reservations_source(&entry->ranges, noise, held->capacity, go_on, entry);
	return ring_create(session->space, noise, &memory, &source, &events, &entry->ring, err);
}

static void enlist(struct ring_entry *entry)
{
	struct session *session = entry->session;

	entry->next = session->rings;
	if (entry->next)
		entry->next->prev = entry;
	session->rings = entry;
	session->n_rings++;
	session->service->stats.rings++;
}

/* The filler is started last, when nothing else can fail. */
static int build(struct ring_entry *entry, const struct args *args, struct bump *bump, struct value *result,
		 struct fdpass *ret_fds, struct error *err)
{
	struct fdpass fds = {.count = 0};
	const struct stream *named;
	struct noise *noise;
	int r = reservations_open(&entry->ranges, entry->session, args, RING_NAME, err);

	if (r < 0)
		return r;
	named = reservations_stream(&entry->ranges);
	r = noise_create(entry->session->space, args, RING_NOISE, RING_U64, named, &noise, err);
	if (r < 0)
		return r;
	r = client_held_create(entry->session, CLIENT_HELD_RING, args, RING_SAMPLES, noise, named, &entry->held, err);
	if (r == 0)
		r = make_wake(entry, err);
	if (r == 0 && (describe(entry, noise, bump, result) || keep_texts(bump, result)))
		r = error_set(err, ERROR_NO_MEMORY, "ring: the reply");
	if (r == 0)
		r = give_fds(entry, &fds, err);
	if (r < 0) {
		noise_free(noise);
		return r;
	}
	r = start(entry, noise, err);
	if (r < 0)
		fdpass_close(&fds);
	else
		*ret_fds = fds;
	return r;
}

static int check_room(const struct session *session, struct error *err)
{
	if (session->n_rings >= session->service->settings->rings)
		return error_set(err, ERROR_LIMIT,
				 "ring_attach: this session has %u rings, allowed: the setting rings = %" PRIu64,
				 session->n_rings, session->service->settings->rings);
	if (outbox_has_fds(&session->outbox))
		return error_set(err, ERROR_LIMIT,
				 "ring_attach: an earlier reply's descriptors are under way, allowed: one reply at a time");
	return 0;
}

int rings_attach(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		 struct fdpass *ret_fds, struct error *err)
{
	int r = check_room(session, err);
	struct ring_entry *entry = r < 0 ? NULL : calloc(1, sizeof *entry);

	if (r < 0)
		return r;
	if (!entry)
		return error_set(err, ERROR_NO_MEMORY, "ring: its entry");
	entry->session = session;
	entry->handle = ++session->last_ring;
	entry->wake_fd = -1;
	r = build(entry, args, bump, result, ret_fds, err);
	if (r < 0) {
		stop_listening(entry);
		entry_free(entry);
		return r;
	}
	enlist(entry);
	return 0;
}

/* ------- detaching ------- */

int rings_detach(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		 struct error *err)
{
	const uint64_t handle = args->at[RING_HANDLE].u64;
	struct ring_entry *entry = session->rings;

	while (entry && (entry->handle != handle || !entry->woken))
		entry = entry->next;
	if (!entry)
		return bind_error(args, RING_HANDLE, err, ERROR_NOT_FOUND,
				  "%" PRIu64 " is no ring of this session, allowed is what ring_attach gave", handle);
	if (value_put(bump, result, "detached", value_uint(handle)) < 0)
		return error_set(err, ERROR_NO_MEMORY, "ring_detach: the reply");
	stop_listening(entry);
	ring_close(entry->ring);
	return 0;
}

void rings_close(struct session *session)
{
	for (struct ring_entry *entry = session->rings; entry; entry = entry->next) {
		stop_listening(entry);
		ring_close(entry->ring);
	}
}
