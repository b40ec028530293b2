/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts, by name.
 *
 * Readers wait on a futex of the page that they can only read. An eventfd for each would not do: a reader could fill
 * it and clear the flag by which our write does not block. A wake-up takes a microsecond for each that waits, so it is
 * done for so many at most; others look again by themselves within a tenth of a second. */
#include "broadcasts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client_held.h"
#include "engine/operations/params.h"
#include "engine/producers/broadcast.h"
#include "limits/quota.h"
#include "memory/arena.h"
#include "requests/methods.h"
#include "requests/requests.h"
#include "reservations.h"

enum { NAME_MOST = 64, WAKE_MOST = 64, TICK_US = 5000 };

struct broadcast_entry {
	struct loop_event published; /* one at a time, from the lanes */
	struct loop_event gone;
	struct broadcast_entry *next, *prev; /* of all */
	struct session *session;             /* the owner's */
	struct client_held *held;
	struct reservations ranges;
	uint64_t target, started_ns;
	double rate;
	uid_t uid;
	gid_t gid;
	unsigned mode;
	char name[NAME_MOST + 1];
	struct broadcast *broadcast;
	struct watch *tick;
	atomic_bool posted;
	bool closing, waiting; /* waiting: the publish of that msgid is not answered */
	uint32_t msgid;
	struct error why; /* of its end */
};

/* ------- the end ------- */

static void unlink_entry(struct broadcast_entry *entry)
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

static void answer(struct broadcast_entry *entry, const struct error *err)
{
	struct session *session = entry->session;
	struct value result = value_map();
	struct error no_memory;
	struct bump *bump;

	if (!entry->waiting)
		return;
	bump = bump_new();
	entry->waiting = false;
	session->n_later--;
	if (!err && (!bump || value_put(bump, &result, "produced", value_uint(broadcast_produced(entry->broadcast))))) {
		error_set(&no_memory, ERROR_NO_MEMORY, "broadcast_publish: the reply");
		err = &no_memory;
	}
	if (session->fd >= 0)
		requests_reply(session, entry->msgid, err, err ? NULL : &result);
	bump_free(bump);
}

static void stop(struct broadcast_entry *entry)
{
	loop_unwatch(entry->tick);
	entry->tick = NULL;
	entry->closing = true;
	broadcast_close(entry->broadcast);
}

static void on_gone(struct loop_event *event)
{
	struct broadcast_entry *entry =
		(struct broadcast_entry *)((char *)event - offsetof(struct broadcast_entry, gone));
	struct session *session = entry->session;

	if (entry->why.code == ERROR_CANCELLED)
		error_set(&entry->why, ERROR_CLOSED, "broadcast_publish: the broadcast was closed before");
	answer(entry, &entry->why);
	loop_unwatch(entry->tick);
	entry->tick = NULL;
	unlink_entry(entry);
	broadcast_free(entry->broadcast);
	client_held_release(session, CLIENT_HELD_BROADCAST, entry->held);
	free(entry);
	session_continue(session);
}

/* ------- events, from lanes' threads ------- */

static void on_published(struct loop_event *event)
{
	struct broadcast_entry *entry = (struct broadcast_entry *)event;

	atomic_store(&entry->posted, false);
	if (!entry->waiting || broadcast_produced(entry->broadcast) < entry->target)
		return;
	answer(entry, NULL);
	session_continue(entry->session);
}

/* The letter is not posted twice; it lies before that of the end, if that comes. */
static void published(void *arg)
{
	struct broadcast_entry *entry = arg;
	struct ring_page *page = entry->held->samples.base;

	syscall(SYS_futex, &page->news, FUTEX_WAKE, WAKE_MOST, NULL, NULL, 0);
	if (!atomic_exchange(&entry->posted, true))
		loop_post(entry->session->service->loop, &entry->published);
}

static void gone(void *arg, const struct error *why)
{
	struct broadcast_entry *entry = arg;

	entry->why = *why;
	loop_post(entry->session->service->loop, &entry->gone);
}

static void go_on(void *arg)
{
	struct broadcast_entry *entry = arg;

	broadcast_go_on(entry->broadcast);
}

/* What the clock says is due. */
static void on_tick(void *arg)
{
	struct broadcast_entry *entry = arg;
	const double due = entry->rate * ((double)(stats_now_ns() - entry->started_ns) * 1e-9);

	if (due < 0x1p63)
		broadcast_publish(entry->broadcast, (uint64_t)due);
}

/* ------- looking one up ------- */

static int read_name(const struct args *args, char *name, struct error *err)
{
	const struct value *value = args->at[BROADCAST_NAME].value;
	const size_t size = value->bytes.size;

	if (size < 1 || size > NAME_MOST)
		return bind_error(args, BROADCAST_NAME, err, ERROR_OUT_OF_RANGE, "%zu bytes, allowed are 1 to %d", size,
				  NAME_MOST);
	for (size_t i = 0; i < size; i++)
		if (value->bytes.at[i] <= ' ' || value->bytes.at[i] > '~')
			return bind_error(args, BROADCAST_NAME, err, ERROR_OUT_OF_RANGE,
					  "allowed is printable ASCII without blanks");
	memcpy(name, value->bytes.at, size);
	name[size] = '\0';
	return 0;
}

static struct broadcast_entry *find(const struct service *service, const char *name)
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

/* The one that the request names: of this session, or one that it may read. What may not be read is not there. */
static int named(struct session *session, const struct args *args, bool own, struct broadcast_entry **ret_entry,
		 struct error *err)
{
	char name[NAME_MOST + 1];
	int r = read_name(args, name, err);
	struct broadcast_entry *entry = r < 0 ? NULL : find(session->service, name);

	if (r < 0)
		return r;
	if (!entry || (entry->session != session && !may_read(session, entry)))
		return bind_error(args, BROADCAST_NAME, err, ERROR_NOT_FOUND,
				  "there is none of that name that may be read, see broadcast_list");
	if (own && entry->session != session)
		return bind_error(args, BROADCAST_NAME, err, ERROR_NOT_PERMITTED,
				  "it belongs to another session, allowed to the one that made it");
	*ret_entry = entry;
	return 0;
}

/* ------- creating ------- */

static int read_mode(const struct args *args, unsigned *ret_mode, struct error *err)
{
	const struct value *value = args->at[BROADCAST_MODE].value;
	unsigned mode = 0;

	*ret_mode = 0600;
	if (!args->at[BROADCAST_MODE].given)
		return 0;
	if (value->bytes.size < 1 || value->bytes.size > 4)
		goto wrong;
	for (size_t i = 0; i < value->bytes.size; i++) {
		if (value->bytes.at[i] < '0' || value->bytes.at[i] > '7')
			goto wrong;
		mode = mode * 8 + (unsigned)(value->bytes.at[i] - '0');
	}
	*ret_mode = mode;
	return 0;
wrong:
	return bind_error(args, BROADCAST_MODE, err, ERROR_OUT_OF_RANGE, "takes up to 4 octal digits, \"0644\"");
}

static int start(struct broadcast_entry *entry, struct noise *noise, struct error *err)
{
	struct session *session = entry->session;
	struct client_held *held = entry->held;
	const struct ring_memory memory = {held->samples.base, (char *)held->samples.base + arena_page(), NULL,
					   held->capacity};
	const struct ring_events events = {published, gone, entry};
	const bool named = reservations_stream(&entry->ranges);
	struct ranges_source source;
	int r;

	entry->published.deliver = on_published;
	entry->gone.deliver = on_gone;
	entry->started_ns = stats_now_ns();
	if (entry->rate > 0 && loop_repeat(session->service->loop, TICK_US, on_tick, entry, &entry->tick) < 0) {
		noise_free(noise);
		return error_set(err, ERROR_NO_MEMORY, "broadcast_create: its clock");
	}
	if (named)
		source = reservations_source(&entry->ranges, noise, held->capacity, go_on, entry);
	r = broadcast_create(session->space, noise, &memory, named ? &source : NULL, &events, &entry->broadcast, err);
	if (r < 0)
		loop_unwatch(entry->tick);
	return r;
}

static int build(struct broadcast_entry *entry, const struct args *args, struct error *err)
{
	struct session *session = entry->session;
	const struct stream *named;
	struct noise *noise;
	int r = reservations_open(&entry->ranges, session, args, BROADCAST_STREAM, err);

	if (r < 0)
		return r;
	named = reservations_stream(&entry->ranges);
	r = noise_create(session->space, args, BROADCAST_NOISE, BROADCAST_U64, named, &noise, err);
	if (r < 0)
		return r;
	r = client_held_create(session, CLIENT_HELD_BROADCAST, args, BROADCAST_SAMPLES, noise, named, &entry->held, err);
	if (r < 0) {
		noise_free(noise);
		return r;
	}
	return start(entry, noise, err);
}

static void enlist(struct broadcast_entry *entry)
{
	struct service *service = entry->session->service;

	entry->next = service->broadcasts;
	if (entry->next)
		entry->next->prev = entry;
	service->broadcasts = entry;
	entry->session->n_broadcasts++;
	service->stats.broadcasts++;
}

static int check_new(const struct session *session, const struct args *args, const char *name, struct error *err)
{
	const uint64_t most = session->service->settings->broadcasts;

	if (find(session->service, name))
		return bind_error(args, BROADCAST_NAME, err, ERROR_EXISTS, "there is one of that name");
	if (session->n_broadcasts >= most)
		return error_set(err, ERROR_LIMIT,
				 "broadcast_create: this session has %u broadcasts, allowed: the setting broadcasts = %" PRIu64,
				 session->n_broadcasts, most);
	return 0;
}

static int create(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		  struct error *err)
{
	struct broadcast_entry *entry = calloc(1, sizeof *entry);
	int r = entry ? read_name(args, entry->name, err) : error_set(err, ERROR_NO_MEMORY, "broadcast: its entry");

	if (r == 0)
		r = read_mode(args, &entry->mode, err);
	if (r == 0)
		r = check_new(session, args, entry->name, err);
	if (r < 0) {
		free(entry);
		return r;
	}
	entry->session = session;
	entry->uid = quota_user_uid(session->user);
	entry->gid = session->peer.gid;
	entry->rate = args->at[BROADCAST_RATE].f64;
	r = build(entry, args, err);
	if (r < 0) {
		client_held_release(session, CLIENT_HELD_BROADCAST, entry->held);
		free(entry);
		return r;
	}
	enlist(entry);
	return value_put(bump, result, "capacity", value_uint(entry->held->capacity)) ? -ERROR_NO_MEMORY : 0;
}

/* ------- the other methods ------- */

static int publish(struct session *session, const struct args *args, uint32_t msgid, struct error *err)
{
	const uint64_t n = args->at[BROADCAST_N].u64;
	struct broadcast_entry *entry;
	int r = named(session, args, true, &entry, err);

	if (r < 0)
		return r;
	if (entry->rate > 0)
		return error_set(err, ERROR_NOT_SUPPORTED, "broadcast_publish: it has a rate, and publishes by itself");
	if (entry->waiting)
		return error_set(err, ERROR_LIMIT, "broadcast_publish: an earlier one is unanswered, allowed: one at a time");
	if (n > entry->held->capacity)
		return bind_error(args, BROADCAST_N, err, ERROR_OUT_OF_RANGE,
				  "%" PRIu64 ", allowed is the capacity, %" PRIu64, n,
				  entry->held->capacity);
	if (n > noise_samples(broadcast_noise(entry->broadcast)) - entry->target)
		return bind_error(args, BROADCAST_N, err, ERROR_END_OF_STREAM, "more than the stream has left");
	entry->target += n;
	entry->waiting = true;
	entry->msgid = msgid;
	session->n_later++;
	broadcast_publish(entry->broadcast, entry->target);
	return METHOD_LATER;
}

static int attach(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		  struct fdpass *ret_fds, struct error *err)
{
	struct broadcast_entry *entry;
	int fd, failed, r = named(session, args, false, &entry, err);

	if (r < 0)
		return r;
	if (outbox_has_fds(&session->outbox))
		return error_set(err, ERROR_LIMIT, "broadcast_attach: an earlier reply's descriptors are under way, "
						   "allowed: one reply at a time");
	const struct noise *noise = broadcast_noise(entry->broadcast);
	const bool named = reservations_stream(&entry->ranges);

	failed = named ? value_put(bump, result, "stream_name", value_string(entry->ranges.name)) : 0;
	failed |= client_held_describe(entry->held, noise, named, bump, result);
	if (failed)
		return error_set(err, ERROR_NO_MEMORY, "broadcast_attach: the reply");
	fd = client_held_dup(entry->held, &entry->held->samples);
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "broadcast_attach: its descriptor: %s", strerror(errno));
	*ret_fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

static int show(const struct broadcast_entry *entry, struct bump *bump, struct value *list)
{
	struct value one = value_map();
	int failed = value_put(bump, &one, "name", value_string(entry->name));

	failed |= value_put(bump, &one, "uid", value_uint(entry->uid));
	failed |= value_put(bump, &one, "gid", value_uint(entry->gid));
	failed |= value_put(bump, &one, "mode", value_uint(entry->mode));
	failed |= value_put(bump, &one, "rate", value_real(entry->rate));
	failed |= value_put(bump, &one, "capacity", value_uint(entry->held->capacity));
	if (reservations_stream(&entry->ranges))
		failed |= value_put(bump, &one, "stream_name", value_string(entry->ranges.name));
	failed |= value_put(bump, &one, "produced", value_uint(broadcast_produced(entry->broadcast)));
	failed |= noise_describe(broadcast_noise(entry->broadcast), bump, &one);
	return failed | value_push(bump, list, one);
}

static int list(struct session *session, struct bump *bump, struct value *result, struct error *err)
{
	struct value all = value_array();
	int failed = 0;

	for (struct broadcast_entry *at = session->service->broadcasts; at; at = at->next)
		if (!at->closing && (at->session == session || may_read(session, at)))
			failed |= show(at, bump, &all);
	if (failed || value_put(bump, result, "broadcasts", all))
		return error_set(err, ERROR_NO_MEMORY, "broadcast_list: the reply");
	return 0;
}

static int close_one(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		     struct error *err)
{
	struct broadcast_entry *entry;
	int r = named(session, args, true, &entry, err);

	if (r < 0)
		return r;
	if (value_put(bump, result, "produced", value_uint(broadcast_produced(entry->broadcast))))
		return error_set(err, ERROR_NO_MEMORY, "broadcast_close: the reply");
	stop(entry);
	return 0;
}

int broadcasts_call(struct session *session, const struct args *args, uint32_t msgid, struct bump *bump,
		    struct value *result, struct fdpass *ret_fds, struct error *err)
{
	const char *verb = args->operation->name + strlen("broadcast_");

	if (strcmp(verb, "create") == 0)
		return create(session, args, bump, result, err);
	if (strcmp(verb, "publish") == 0)
		return publish(session, args, msgid, err);
	if (strcmp(verb, "attach") == 0)
		return attach(session, args, bump, result, ret_fds, err);
	if (strcmp(verb, "list") == 0)
		return list(session, bump, result, err);
	return close_one(session, args, bump, result, err);
}

void broadcasts_close(struct session *session)
{
	for (struct broadcast_entry *at = session->service->broadcasts; at; at = at->next)
		if (at->session == session && !at->closing)
			stop(at);
}
