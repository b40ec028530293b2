/* SPDX-License-Identifier: Apache-2.0 */
/* Cancel, stats, and the table of the session's methods. */
#include "methods.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "base/cpu.h"
#include "log.h"
#include "memory/arena.h"
#include "memory/prefault.h"
#include "publish/broadcasts.h"
#include "publish/rings.h"
#include "queue.h"
#include "requests.h"
#include "session_engine.h"
#include "streams/streams.h"

enum { FDS_RELEASE_EVERY_NS = 1000000 };

static int call_cancel(struct method_call *call)
{
	struct pending_request *pending = requests_find(call->session, (uint32_t)call->args->at[0].u64);

	if (value_put(call->bump, call->result, "cancelled", value_bool(pending)) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "cancel: the reply");
	if (pending) {
		call->session->service->stats.cancelled++;
		request_cancel(pending->request);
	}
	return 0;
}

/* ------- stats ------- */

/* A member for each class of methods. */
static int show_latency(const struct service *service, struct bump *bump, struct value *map)
{
	int failed = 0;

	for (unsigned i = 0; i < LATENCY_CLASSES; i++) {
		struct value class = value_map();

		failed |= latency_show(&service->latency[i], bump, &class);
		failed |= value_put(bump, map, i == LATENCY_PREPARED ? "prepared" : method_class_name((enum method_class)i), class);
	}
	return failed;
}

/* Root and the daemon's user see where the state of named streams lies. */
static int show_daemon(const struct session *session, struct bump *bump, struct value *map)
{
	const struct service *service = session->service;
	struct value cpu = value_map(), quota = value_map(), streams = value_map(), latency = value_map();
	uint64_t up_ns = stats_now_ns() - service->started_ns;
	int failed = value_put(bump, map, "version", value_string(TRNSCI_VERSION));

	failed |= value_put(bump, map, "pid", value_uint((uint64_t)getpid()));
	failed |= value_put(bump, map, "uptime_s", value_real((double)up_ns * 1e-9));
	failed |= value_put(bump, &cpu, "level", value_string(cpu_level_name(service->features)));
	failed |= value_put(bump, &cpu, "detected", value_string(cpu_level_name(cpu_detect())));
	failed |= value_put(bump, &cpu, "wanted", service->requested_cpu ? value_string(service->requested_cpu) : value_nil());
	failed |= value_put(bump, &cpu, "lowered", value_bool(service->wish_lowered));
	failed |= value_put(bump, map, "cpu", cpu);
	failed |= value_put(bump, map, "huge_pages", value_string(arena_huge_pages()));
	failed |= value_put(bump, map, "spare_arena", value_bool(prefault_is_ready(service->prefault)));
	failed |= stats_show(&service->stats, bump, map);
	failed |= streams_stats(service->streams, peer_is_master(&session->peer), bump, &streams);
	failed |= value_put(bump, map, "named_streams", streams);
	failed |= show_latency(service, bump, &latency);
	failed |= value_put(bump, map, "latency", latency);
	failed |= quota_show(service->quota, NULL, bump, &quota);
	return failed | value_put(bump, map, "quota", quota);
}

static int show_session(struct session *session, struct bump *bump, struct value *map)
{
	struct value quota = value_map();
	int failed = engine_session_stats(session->memory, bump, map);

	failed |= value_put(bump, map, "id", value_uint(session->id));
	failed |= value_put(bump, map, "pid", value_uint((uint64_t)session->pid));
	failed |= value_put(bump, map, "uid", value_uint(quota_user_uid(session->user)));
	failed |= value_put(bump, map, "requests", value_uint(session->requests));
	failed |= value_put(bump, map, "message_bytes", value_uint(quota_share_used(&session->bytes)));
	failed |= value_put(bump, map, "queue_entries", value_uint(queue_entries(session)));
	failed |= quota_show(session->service->quota, session->user, bump, &quota);
	return failed | value_put(bump, map, "quota", quota);
}

static int call_stats(struct method_call *call)
{
	struct value daemon = value_map(), engine = value_map(), own = value_map(), settings = value_map();
	const struct service *service = call->session->service;
	struct bump *bump = call->bump;
	int failed = show_daemon(call->session, bump, &daemon);

	failed |= engine_stats(service->engine, bump, &engine);
	failed |= show_session(call->session, bump, &own);
	failed |= settings_show(service->settings, peer_is_master(&call->session->peer), bump, &settings);
	failed |= value_put(bump, call->result, "daemon", daemon);
	failed |= value_put(bump, call->result, "engine", engine);
	failed |= value_put(bump, call->result, "session", own);
	failed |= value_put(bump, call->result, "settings", settings);
	return failed ? error_set(call->err, ERROR_NO_MEMORY, "stats: the reply") : 0;
}

/* ------- clients ------- */

/* Users see and end their own sessions; root and the daemon's user see all. */
static bool may_see(const struct session *session, const struct session *other)
{
	return peer_is_master(&session->peer) || quota_user_uid(session->user) == quota_user_uid(other->user);
}

static int show_client(const struct session *session, struct bump *bump, struct value *clients)
{
	struct value map = value_map();
	int failed = engine_session_stats(session->memory, bump, &map);

	failed |= value_put(bump, &map, "id", value_uint(session->id));
	failed |= value_put(bump, &map, "pid", value_uint((uint64_t)session->pid));
	failed |= value_put(bump, &map, "uid", value_uint(quota_user_uid(session->user)));
	failed |= value_put(bump, &map, "weight", value_uint(session->weight));
	failed |= value_put(bump, &map, "requests", value_uint(session->requests));
	failed |= value_put(bump, &map, "message_bytes", value_uint(quota_share_used(&session->bytes)));
	failed |= value_put(bump, &map, "rings", value_uint(session->n_rings));
	failed |= value_put(bump, &map, "broadcasts", value_uint(session->n_broadcasts));
	return failed | value_push(bump, clients, map);
}

static int call_clients(struct method_call *call)
{
	struct value clients = value_array();
	int failed = 0;

	for (const struct session *at = call->session->service->sessions; at; at = at->next)
		if (at->fd >= 0 && may_see(call->session, at))
			failed |= show_client(at, call->bump, &clients);
	if (failed || value_put(call->bump, call->result, "clients", clients))
		return error_set(call->err, ERROR_NO_MEMORY, "clients: the reply");
	return 0;
}

static int call_slow(struct method_call *call)
{
	const struct session *session = call->session;
	const struct service *service = session->service;
	struct value list = value_array();
	int failed = slow_log_show(&service->slow_log, quota_user_uid(session->user), peer_is_master(&session->peer), call->bump,
				   &list);

	failed |= value_put(call->bump, call->result, "slow", list);
	failed |= value_put(call->bump, call->result, "slow_us", value_uint(service->settings->slow_us));
	return failed ? error_set(call->err, ERROR_NO_MEMORY, "slow: the reply") : 0;
}

/* The connection is shut down, and ends as if its client had hung up. Readers of its rings do not attach them again. */
static int call_disconnect(struct method_call *call)
{
	const uint64_t id = call->args->at[0].u64;
	struct session *at = call->session->service->sessions;

	while (at && !(at->id == id && at->fd >= 0 && may_see(call->session, at)))
		at = at->next;
	if (!at)
		return error_set(call->err, ERROR_NOT_FOUND,
				 "disconnect: id: %" PRIu64 ", allowed: that of a session which this user may end", id);
	if (value_put(call->bump, call->result, "disconnected", value_uint(id)))
		return error_set(call->err, ERROR_NO_MEMORY, "disconnect: the reply");
	log_client(LEVEL_INFO, at->id, quota_user_uid(at->user), "is disconnected by session %" PRIu64 " of uid %u",
		   call->session->id, (unsigned)quota_user_uid(call->session->user));
	rings_end_session(at, ERROR_NOT_PERMITTED);
	shutdown(at->fd, SHUT_RDWR);
	return 0;
}

/* ------- all of them ------- */

/* Rows stand in the engine's table of operations, too, which describes their parameters. */
static const struct method {
	const char *name;
	bool sends_fds;
	method_function *call;
} methods[] = {
	{"arena", true, session_engine_add_arena},
	{"arena_free", false, session_engine_free_arena},
	{"queue", true, queue_attach},
	{"cancel", false, call_cancel},
	{"stats", false, call_stats},
	{"clients", false, call_clients},
	{"disconnect", false, call_disconnect},
	{"slow", false, call_slow},
	{"ring_attach", true, rings_attach},
	{"ring_detach", false, rings_detach},
	{"broadcast_create", false, broadcasts_create},
	{"broadcast_publish", false, broadcasts_publish},
	{"broadcast_attach", true, broadcasts_attach},
	{"broadcast_list", false, broadcasts_list},
	{"broadcast_close", false, broadcasts_close},
};

static const struct method *find_method(const char *name)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

/* Charges the descriptors of a reply. What a client does not read stays in flight, and the kernel charges it to the daemon
 * (RLIMIT_NOFILE, for all of its sockets together): without a limit, one client that reads nothing would keep all others
 * from theirs.
 *
 * The socket reports how much is unread, which is what was sent last. So descriptors are read as soon as more was sent after
 * them than is unread, also from a socket that is never empty. */
static void release_read_fds(struct session *session)
{
	const uint64_t sent_cost = session->outbox.sent_cost;
	int unread = 0;

	if (!session->fds.used || session->fd < 0 || outbox_has_fds(&session->outbox) || ioctl(session->fd, SIOCOUTQ, &unread) < 0)
		return;
	if (unread == 0)
		session->marked_fds = session->fds.used;
	if (unread == 0 || sent_cost - session->fds_mark >= (uint64_t)unread) {
		quota_share_give(&session->fds, session->marked_fds);
		session->marked_fds = 0;
	}
	if (session->marked_fds == 0) {
		session->marked_fds = session->fds.used;
		session->fds_mark = sent_cost;
	}
}

/* Before a limit refuses, the sockets of all sessions are looked at: most clients have long read what still counts. Not more
 * often than once in a millisecond, so that who is refused cannot keep the loop busy with it. */
static bool release_all_read_fds(struct service *service)
{
	const uint64_t now = stats_now_ns();

	if (now - service->fds_released_ns < FDS_RELEASE_EVERY_NS)
		return false;
	service->fds_released_ns = now;
	for (struct session *at = service->sessions; at; at = at->next)
		release_read_fds(at);
	return true;
}

static int reserve_fds(struct session *session, struct error *err)
{
	int r;

	release_read_fds(session);
	r = quota_share_take(&session->fds, FDPASS_MOST, err);
	if (r == -ERROR_LIMIT && release_all_read_fds(session->service)) {
		err->code = 0;
		r = quota_share_take(&session->fds, FDPASS_MOST, err);
	}
	return r;
}

/* A method that sends descriptors takes the most that a reply can have from the session's share first, and gives back
 * what it did not need. So a client that leaves descriptors unread runs into its limit before one is made. */
int methods_call(struct method_call *call, const struct operation *operation, const struct value *params)
{
	const struct method *method = find_method(operation->name);
	struct args args = {.operation = operation, .context = operation->name};
	int r = method && method->sends_fds ? reserve_fds(call->session, call->err) : 0;

	if (r < 0)
		return r;
	r = bind_args(&args, params, call->err);
	call->args = &args;
	if (r == 0)
		r = method ? method->call(call)
			   : error_set(call->err, ERROR_NOT_SUPPORTED, "%s: this daemon's sessions do not have it",
				       operation->name);
	if (method && method->sends_fds)
		quota_share_give(&call->session->fds, FDPASS_MOST - (r == 0 ? call->fds->count : 0));
	call->args = NULL;
	return r;
}
