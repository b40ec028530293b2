/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts, by name.
 *
 * Readers wait on a futex of the page that they can only read. They get no eventfd: a reader could fill it and clear the
 * flag that keeps our write from blocking. A wake-up takes a microsecond for each reader that waits, so at most WAKE_MAX
 * are woken; the others look again by themselves within a tenth of a second. */
#include "broadcasts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/futex.h>

#include "client_held.h"
#include "engine/operations/params.h"
#include "engine/producers/broadcast.h"
#include "memory/arena.h"
#include "streams/stream_methods.h"

/* TICK_US: a broadcast with a rate publishes in steps of 5 ms, which costs 200 events a second. */
enum { NAME_MAX_BYTES = 64, WAKE_MAX = 64, TICK_US = 5000 };

/* A broadcast, from broadcast_create until its producer has ended. Lanes fill it; all else is the loop's thread's, but for
 * `posted` and `reason`. A publish is answered later: it waits here, one at a time. */
struct broadcast_entry {
	struct loop_event published; /* must be the first member */
	struct loop_event ended;
	struct broadcast_entry *next, *prev; /* of service->broadcasts */
	struct session *session;             /* of the owner */
	struct client_held *held;
	char stream_name[STORE_NAME_MOST + 1];
	struct ring_stream named; /* without a name: there is none */
	uint64_t target, started_ns; /* target: samples that were asked for so far */
	double rate;                 /* samples a second; 0: the owner publishes */
	uid_t uid;                   /* of the owner; with gid and mode, who may read it, as for a file */
	gid_t gid;
	unsigned mode;               /* of which the bits for reading count */
	char name[NAME_MAX_BYTES + 1];
	struct broadcast *broadcast;
	struct watch *tick;
	atomic_bool posted;         /* `published` is on its way to the loop */
	bool closing;               /* its name is free */
	bool detached;              /* closed by the client: counts in session->n_detached */
	bool publishing;            /* the publish of msgid has no reply yet */
	uint32_t msgid;
	struct error reason;        /* of its end */
};

/* ------- the end ------- */

static void unlink_broadcast(struct broadcast_entry *entry)
{
	struct session *session = entry->session;

	if (entry->prev)
		entry->prev->next = entry->next;
	else
		session->service->broadcasts = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
	session->n_broadcasts--;
	session->service->stats.broadcasts--;
}

/* Replies to the publish that waits, if one does. err: NULL when its samples can be seen. */
static void reply_publish(struct broadcast_entry *entry, const struct error *err)
{
	struct session *session = entry->session;
	struct value result = value_map();
	struct error no_memory;
	struct bump *bump;

	if (!entry->publishing)
		return;
	bump = bump_new();
	entry->publishing = false;
	session->n_deferred--;
	if (!err && (!bump || value_put(bump, &result, "produced", value_uint(broadcast_produced(entry->broadcast))))) {
		error_set(&no_memory, ERROR_NO_MEMORY, "broadcast_publish: the reply");
		err = &no_memory;
	}
	if (session->fd >= 0)
		session_reply(session, entry->msgid, err, err ? NULL : &result, NULL);
	bump_free(bump);
}

static void stop_broadcast(struct broadcast_entry *entry)
{
	loop_unwatch(entry->tick);
	entry->tick = NULL;
	entry->closing = true;
	broadcast_close(entry->broadcast, entry->session->service->stopping ? ERROR_NO_DAEMON : ERROR_CLOSED);
}

/* Its place is free once a lane has ended it: until then the session's frames wait, as with rings. */
static void detach_broadcast(struct broadcast_entry *entry)
{
	entry->detached = true;
	entry->session->n_detached++;
	stop_broadcast(entry);
}

static void on_broadcast_ended(struct loop_event *event)
{
	struct broadcast_entry *entry =
		(struct broadcast_entry *)((char *)event - offsetof(struct broadcast_entry, ended));
	struct session *session = entry->session;

	if (entry->reason.code == ERROR_CANCELLED)
		error_set(&entry->reason, ERROR_CLOSED, "broadcast_publish: the broadcast was closed before its samples were drawn");
	reply_publish(entry, &entry->reason);
	loop_unwatch(entry->tick);
	session->n_detached -= entry->detached;
	unlink_broadcast(entry);
	broadcast_free(entry->broadcast);
	client_held_release(session, CLIENT_HELD_BROADCAST, entry->held);
	free(entry);
	session_continue(session);
}

/* ------- events ------- */

static void on_published(struct loop_event *event)
{
	struct broadcast_entry *entry = (struct broadcast_entry *)event;

	atomic_store(&entry->posted, false);
	if (!entry->publishing || broadcast_produced(entry->broadcast) < entry->target)
		return;
	reply_publish(entry, NULL);
	session_continue(entry->session);
}

/* On a lane's thread. The event is posted once at a time, and always before that of the end. */
static void on_broadcast_published(void *arg)
{
	struct broadcast_entry *entry = arg;
	struct ring_page *page = entry->held->samples.base;

	syscall(SYS_futex, &page->news, FUTEX_WAKE, WAKE_MAX, NULL, NULL, 0);
	if (!atomic_exchange(&entry->posted, true))
		loop_post(entry->session->service->loop, &entry->published);
}

/* On a lane's thread. */
static void on_broadcast_gone(void *arg, const struct error *reason)
{
	struct broadcast_entry *entry = arg;

	entry->reason = *reason;
	loop_post(entry->session->service->loop, &entry->ended);
}

/* Publishes what is due by the clock, counted from the start, so that late ticks lose no samples. The bound keeps the conversion
 * to an integer defined. */
static void on_tick(void *arg)
{
	struct broadcast_entry *entry = arg;
	const double due = entry->rate * ((double)(stats_now_ns() - entry->started_ns) * 1e-9);

	if (due < 0x1p63)
		broadcast_publish(entry->broadcast, (uint64_t)due);
}

/* ------- looking one up ------- */

static int read_broadcast_name(const struct args *args, char *name, struct error *err)
{
	const struct value *value = args->at[BROADCAST_NAME].value;
	const size_t size = value->bytes.size;

	if (size < 1 || size > NAME_MAX_BYTES)
		return bind_error(args, BROADCAST_NAME, err, ERROR_OUT_OF_RANGE, "%zu bytes, allowed are 1 to %d", size,
				  NAME_MAX_BYTES);
	for (size_t i = 0; i < size; i++)
		if (value->bytes.at[i] <= ' ' || value->bytes.at[i] > '~')
			return bind_error(args, BROADCAST_NAME, err, ERROR_OUT_OF_RANGE,
					  "byte %zu is not allowed, allowed is printable ASCII without blanks", i);
	memcpy(name, value->bytes.at, size);
	name[size] = '\0';
	return 0;
}

static struct broadcast_entry *find_broadcast(const struct service *service, const char *name)
{
	struct broadcast_entry *entry = service->broadcasts;

	while (entry && (entry->closing || strcmp(entry->name, name) != 0))
		entry = entry->next;
	return entry;
}

static bool may_read(struct session *session, const struct broadcast_entry *entry)
{
	peer_read_groups(&session->peer, session->fd);
	return peer_may(&session->peer, entry->uid, entry->gid, entry->mode, 4);
}

/* Finds the broadcast that the call names: one of this session, or (unless own) one that it may read. One that it may not
 * read is reported as missing. */
static int find_named(const struct method_call *call, bool own, struct broadcast_entry **ret_entry)
{
	struct session *session = call->session;
	char name[NAME_MAX_BYTES + 1];
	int r = read_broadcast_name(call->args, name, call->err);
	struct broadcast_entry *entry = r < 0 ? NULL : find_broadcast(session->service, name);

	if (r < 0)
		return r;
	if (!entry || (entry->session != session && !may_read(session, entry)))
		return bind_error(call->args, BROADCAST_NAME, call->err, ERROR_NOT_FOUND,
				  "there is no broadcast \"%s\" that this user may read, see broadcast_list", name);
	if (own && entry->session != session)
		return bind_error(call->args, BROADCAST_NAME, call->err, ERROR_NOT_PERMITTED,
				  "\"%s\" belongs to another session, allowed: the session that created it", name);
	*ret_entry = entry;
	return 0;
}

/* ------- creating ------- */

static int read_broadcast_mode(const struct args *args, unsigned *ret_mode, struct error *err)
{
	const struct arg *mode = &args->at[BROADCAST_MODE];

	*ret_mode = 0600;
	if (mode->given && !peer_parse_mode(mode->value->bytes.at, mode->value->bytes.size, ret_mode))
		return bind_error(args, BROADCAST_MODE, err, ERROR_OUT_OF_RANGE,
				  "not a mode, allowed: up to 4 octal digits, such as \"0644\"");
	return 0;
}

static int start_broadcast(struct broadcast_entry *entry, struct sampler *sampler, struct error *err)
{
	struct session *session = entry->session;
	struct client_held *held = entry->held;
	const struct ring_memory memory = {held->samples.base, (char *)held->samples.base + arena_page(), NULL,
					   held->capacity};
	const struct ring_events events = {on_broadcast_published, on_broadcast_gone, entry};
	int r;

	entry->published.deliver = on_published;
	entry->ended.deliver = on_broadcast_ended;
	entry->started_ns = stats_now_ns();
	if (entry->rate > 0 && loop_repeat(session->service->loop, TICK_US, on_tick, entry, &entry->tick) < 0) {
		sampler_free(sampler);
		return error_set(err, ERROR_NO_MEMORY, "broadcast_create: its clock");
	}
	r = broadcast_create(session->memory, sampler, &memory, entry->named.name ? &entry->named : NULL, &events,
			     &entry->broadcast, err);
	if (r < 0)
		loop_unwatch(entry->tick);
	return r;
}

static int create_broadcast(struct broadcast_entry *entry, const struct args *args, struct bump *bump, struct error *err)
{
	struct session *session = entry->session;
	const struct stream *named = args->at[BROADCAST_STREAM].given ? &entry->named.stream : NULL;
	struct sampler *sampler;
	struct value noise = value_nil();
	int r = named ? stream_find_named(session, args, BROADCAST_STREAM, bump, entry->stream_name, &entry->named.stream, &noise,
					  err)
		      : 0;

	if (r < 0)
		return r;
	entry->named.name = named ? entry->stream_name : NULL;
	r = sampler_create(session->memory, args, BROADCAST_NOISE, BROADCAST_U64, named, noise.kind == VALUE_MAP ? &noise : NULL,
			   &sampler, err);
	if (r < 0)
		return r;
	r = client_held_create(session, CLIENT_HELD_BROADCAST, args, BROADCAST_SAMPLES, sampler, named, &entry->held,
			       err);
	if (r < 0) {
		sampler_free(sampler);
		return r;
	}
	return start_broadcast(entry, sampler, err);
}

static void link_broadcast(struct broadcast_entry *entry)
{
	struct service *service = entry->session->service;

	entry->next = service->broadcasts;
	if (entry->next)
		entry->next->prev = entry;
	service->broadcasts = entry;
	entry->session->n_broadcasts++;
	service->stats.broadcasts++;
}

/* Reads the name and mode of a new broadcast, and checks that there may be one more. */
static int read_new_broadcast(const struct method_call *call, struct broadcast_entry *entry)
{
	const struct session *session = call->session;
	const uint64_t most = session->service->settings->broadcasts;
	int r = read_broadcast_name(call->args, entry->name, call->err);

	if (r == 0)
		r = read_broadcast_mode(call->args, &entry->mode, call->err);
	if (r < 0)
		return r;
	if (find_broadcast(session->service, entry->name))
		return bind_error(call->args, BROADCAST_NAME, call->err, ERROR_EXISTS,
				  "there is a broadcast \"%s\", allowed: another name", entry->name);
	if (session->n_broadcasts >= most)
		return error_set(call->err, ERROR_LIMIT,
				 "broadcast_create: this session has %u broadcasts, allowed: the setting broadcasts = %" PRIu64,
				 session->n_broadcasts, most);
	return 0;
}

int broadcasts_create(struct method_call *call)
{
	struct session *session = call->session;
	struct broadcast_entry *entry = calloc(1, sizeof *entry);
	int r = entry ? read_new_broadcast(call, entry) : error_set(call->err, ERROR_NO_MEMORY, "broadcast: its entry");

	if (r < 0) {
		free(entry);
		return r;
	}
	entry->session = session;
	entry->uid = quota_user_uid(session->user);
	entry->gid = session->peer.gid;
	entry->rate = call->args->at[BROADCAST_RATE].f64;
	r = create_broadcast(entry, call->args, call->bump, call->err);
	if (r < 0) {
		client_held_release(session, CLIENT_HELD_BROADCAST, entry->held);
		free(entry);
		return r;
	}
	link_broadcast(entry);
	if (value_put(call->bump, call->result, "capacity", value_uint(entry->held->capacity)) == 0)
		return 0;
	detach_broadcast(entry);
	return error_set(call->err, ERROR_NO_MEMORY, "broadcast_create: the reply");
}

/* ------- the other methods ------- */

int broadcasts_publish(struct method_call *call)
{
	const uint64_t n = call->args->at[BROADCAST_N].u64;
	struct broadcast_entry *entry;
	uint64_t left;
	int r = find_named(call, true, &entry);

	if (r < 0)
		return r;
	if (entry->rate > 0)
		return error_set(call->err, ERROR_NOT_SUPPORTED,
				 "broadcast_publish: the broadcast has a rate and publishes by itself");
	if (entry->publishing)
		return error_set(call->err, ERROR_LIMIT,
				 "broadcast_publish: an earlier publish has no reply yet, allowed: one at a time");
	if (n > entry->held->capacity)
		return bind_error(call->args, BROADCAST_N, call->err, ERROR_OUT_OF_RANGE,
				  "%" PRIu64 ", allowed: up to the capacity, %" PRIu64, n, entry->held->capacity);
	left = sampler_samples(broadcast_sampler(entry->broadcast)) - entry->target;
	if (n > left)
		return bind_error(call->args, BROADCAST_N, call->err, ERROR_END_OF_STREAM,
				  "%" PRIu64 ", allowed: up to the end of the stream, %" PRIu64, n, left);
	entry->target += n;
	entry->publishing = true;
	entry->msgid = call->msgid;
	call->session->n_deferred++;
	broadcast_publish(entry->broadcast, entry->target);
	return METHOD_DEFERRED;
}

int broadcasts_attach(struct method_call *call)
{
	struct broadcast_entry *entry;
	int fd, failed, r = find_named(call, false, &entry);

	if (r < 0)
		return r;
	if (outbox_has_fds(&call->session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "broadcast_attach: an earlier reply's descriptors are under way, "
				 "allowed: one reply at a time");
	const struct sampler *sampler = broadcast_sampler(entry->broadcast);
	const bool named = entry->named.name;

	failed = named ? value_put(call->bump, call->result, "stream_name", value_string(entry->named.name)) : 0;
	failed |= client_held_describe(entry->held, sampler, named, call->bump, call->result);
	if (failed)
		return error_set(call->err, ERROR_NO_MEMORY, "broadcast_attach: the reply");
	fd = client_held_dup(entry->held, &entry->held->samples);
	if (fd < 0)
		return error_set(call->err, ERROR_SYSTEM, "broadcast_attach: its descriptor: %s", strerror(errno));
	*call->fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

static int show_broadcast(const struct broadcast_entry *entry, struct bump *bump, struct value *list)
{
	struct value one = value_map();
	int failed = value_put(bump, &one, "name", value_string(entry->name));

	failed |= value_put(bump, &one, "uid", value_uint(entry->uid));
	failed |= value_put(bump, &one, "gid", value_uint(entry->gid));
	failed |= value_put(bump, &one, "mode", value_uint(entry->mode));
	failed |= value_put(bump, &one, "rate", value_real(entry->rate));
	failed |= value_put(bump, &one, "capacity", value_uint(entry->held->capacity));
	if (entry->named.name)
		failed |= value_put(bump, &one, "stream_name", value_string(entry->named.name));
	failed |= value_put(bump, &one, "produced", value_uint(broadcast_produced(entry->broadcast)));
	failed |= sampler_describe(broadcast_sampler(entry->broadcast), bump, &one);
	return failed | value_push(bump, list, one);
}

int broadcasts_list(struct method_call *call)
{
	struct session *session = call->session;
	struct value all = value_array();
	int failed = 0;

	for (struct broadcast_entry *at = session->service->broadcasts; at; at = at->next)
		if (!at->closing && (at->session == session || may_read(session, at)))
			failed |= show_broadcast(at, call->bump, &all);
	if (failed || value_put(call->bump, call->result, "broadcasts", all))
		return error_set(call->err, ERROR_NO_MEMORY, "broadcast_list: the reply");
	return 0;
}

int broadcasts_close(struct method_call *call)
{
	struct broadcast_entry *entry;
	int r = find_named(call, true, &entry);

	if (r < 0)
		return r;
	if (value_put(call->bump, call->result, "produced", value_uint(broadcast_produced(entry->broadcast))))
		return error_set(call->err, ERROR_NO_MEMORY, "broadcast_close: the reply");
	detach_broadcast(entry);
	return 0;
}

void broadcasts_end_session(struct session *session)
{
	for (struct broadcast_entry *at = session->service->broadcasts; at; at = at->next)
		if (at->session == session && !at->closing)
			stop_broadcast(at);
}
