/* SPDX-License-Identifier: Apache-2.0 */
/* arena, cancel and stats. Their rows stand in the engine's table, their first parameter is the only one of weight. */
#include "methods.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "engine/operations/bind.h"
#include "memory/arena.h"
#include "memory/prefault.h"
#include "publish/broadcasts.h"
#include "publish/rings.h"
#include "requests.h"
#include "streams/streams.h"

/* By the reaper's thread, when the memory is back. */
static void arena_gone(void *arg, uint64_t size)
{
	struct quota_user *user = arg;

	quota_give(user, QUOTA_ARENA_BYTES, size);
	quota_user_close(user);
}

/* Takes size bytes of the user's account, which is given back by arena_gone. */
static int new_arena(struct session *session, uint64_t size, struct arena **ret_arena, struct error *err)
{
	struct service *service = session->service;
	struct quota_user *user = quota_user_open(service->quota, quota_user_uid(session->user));
	struct arena_prefaulted spare;
	bool ready;
	int r;

	if (!user)
		return error_set(err, ERROR_NO_MEMORY, "arena: an account");
	r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0 && prefault_drop(service->prefault))
		r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0) {
		quota_user_close(user);
		return r;
	}
	ready = prefault_take(service->prefault, &spare.fd, &spare.base, &spare.bytes);
	r = arena_create(size, ready ? &spare : NULL, arena_gone, user, ret_arena, err);
	prefault_refill(service->prefault);
	if (r < 0)
		arena_gone(user, size);
	return r;
}

static int call_arena(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		      struct fdpass *ret_fds, struct error *err)
{
	uint64_t size = args->at[0].u64, most = session->service->settings->arena_bytes;
	struct arena *arena;
	int fd, r;

	if (session->arena)
		return error_set(err, ERROR_LIMIT, "arena: this session has one, allowed: one a session");
	if (outbox_has_fds(&session->outbox))
		return error_set(err, ERROR_LIMIT,
				 "arena: an earlier reply's descriptors are under way, allowed: one reply at a time");
	if (round_up_overflows(size, arena_page(), &size) || size > most)
		return error_set(err, ERROR_LIMIT,
				 "arena: bytes: %" PRIu64 ", allowed: the setting arena_bytes = %" PRIu64,
				 args->at[0].u64, most);
	if (value_put(bump, result, "bytes", value_uint(size)) < 0 ||
	    value_put(bump, result, "page", value_uint(arena_page())) < 0)
		return error_set(err, ERROR_NO_MEMORY, "arena: the reply");
	r = new_arena(session, size, &arena, err);
	if (r < 0)
		return r;
	fd = fcntl(arena_fd(arena), F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		arena_release(arena);
		return error_set(err, ERROR_SYSTEM, "arena: its descriptor: %s", strerror(errno));
	}
	r = space_attach(session->space, arena_base(arena), size, arena_release, arena);
	if (r < 0) {
		close(fd);
		arena_release(arena);
		return error_set(err, (enum error_code) - r, "arena: %s", error_meaning(r));
	}
	session->arena = arena;
	*ret_fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

static int call_cancel(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		       struct error *err)
{
	struct job *job = requests_find(session, (uint32_t)args->at[0].u64);

	if (value_put(bump, result, "cancelled", value_bool(job)) < 0)
		return error_set(err, ERROR_NO_MEMORY, "cancel: the reply");
	if (job) {
		session->service->stats.cancelled++;
		request_cancel(job->request);
	}
	return 0;
}

static int show_daemon(const struct service *service, struct bump *bump, struct value *map)
{
	struct value cpu = value_map(), quota = value_map(), streams = value_map();
	uint64_t up_ns = stats_now_ns() - service->started_ns;
	int failed = value_put(bump, map, "version", value_string(TRNSCI_VERSION));

	failed |= value_put(bump, map, "pid", value_uint((uint64_t)getpid()));
	failed |= value_put(bump, map, "uptime_s", value_real((double)up_ns * 1e-9));
	failed |= value_put(bump, &cpu, "level", value_string(cpu_level_name(service->features)));
	failed |= value_put(bump, &cpu, "detected", value_string(cpu_level_name(cpu_detect())));
	failed |= value_put(bump, &cpu, "wanted", service->wish ? value_string(service->wish) : value_nil());
	failed |= value_put(bump, &cpu, "lowered", value_bool(service->wish_lowered));
	failed |= value_put(bump, map, "cpu", cpu);
	failed |= value_put(bump, map, "huge_pages", value_string(arena_huge_pages()));
	failed |= value_put(bump, map, "spare_arena", value_bool(prefault_is_ready(service->prefault)));
	failed |= stats_show(&service->stats, bump, map);
	failed |= streams_stats(service->streams, bump, &streams);
	failed |= value_put(bump, map, "named_streams", streams);
	failed |= quota_show(service->quota, NULL, bump, &quota);
	return failed | value_put(bump, map, "quota", quota);
}

static int show_session(struct session *session, struct bump *bump, struct value *map)
{
	struct value quota = value_map();
	int failed = space_stats(session->space, bump, map);

	failed |= value_put(bump, map, "id", value_uint(session->id));
	failed |= value_put(bump, map, "pid", value_uint((uint64_t)session->pid));
	failed |= value_put(bump, map, "uid", value_uint(quota_user_uid(session->user)));
	failed |= value_put(bump, map, "requests", value_uint(session->requests));
	failed |= value_put(bump, map, "message_bytes", value_uint(quota_share_used(&session->bytes)));
	failed |= quota_show(session->service->quota, session->user, bump, &quota);
	return failed | value_put(bump, map, "quota", quota);
}

static int call_stats(struct session *session, struct bump *bump, struct value *result, struct error *err)
{
	struct value daemon = value_map(), engine = value_map(), own = value_map(), settings = value_map();
	int failed = show_daemon(session->service, bump, &daemon);

	failed |= engine_stats(session->service->engine, bump, &engine);
	failed |= show_session(session, bump, &own);
	failed |= settings_show(session->service->settings, bump, &settings);
	failed |= value_put(bump, result, "daemon", daemon);
	failed |= value_put(bump, result, "engine", engine);
	failed |= value_put(bump, result, "session", own);
	failed |= value_put(bump, result, "settings", settings);
	return failed ? error_set(err, ERROR_NO_MEMORY, "stats: the reply") : 0;
}

/* ------- file descriptors ------- */

/* What a client does not read stays in flight, for which the kernel holds their sender to account (RLIMIT_NOFILE for all
 * of its sockets together): so one client that reads nothing would keep all others from theirs. The socket tells when
 * nothing sent is left unread; before, all count. */
static int reserve_fds(struct session *session, struct error *err)
{
	int unread = 0;

	if (session->fds.used && !outbox_has_fds(&session->outbox) && ioctl(session->fd, SIOCOUTQ, &unread) == 0 &&
	    unread == 0)
		quota_share_give(&session->fds, session->fds.used);
	return quota_share_take(&session->fds, FDPASS_MOST, err);
}

static bool brings_fds(const struct operation *operation)
{
	static const char *const names[] = {"arena", "ring_attach", "broadcast_attach"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(operation->name, names[i]) == 0)
			return true;
	return false;
}

static int call(struct session *session, const struct operation *operation, const struct value *params, uint32_t msgid,
		struct bump *bump, struct value *ret_result, struct fdpass *ret_fds, struct error *err)
{
	struct args args = {.operation = operation, .context = operation->name};
	int r = bind_args(&args, params, err);

	*ret_result = value_map();
	ret_fds->count = 0;
	if (r < 0)
		return r;
	if (strcmp(operation->name, "arena") == 0)
		return call_arena(session, &args, bump, ret_result, ret_fds, err);
	if (strcmp(operation->name, "ring_attach") == 0)
		return rings_attach(session, &args, bump, ret_result, ret_fds, err);
	if (strcmp(operation->name, "ring_detach") == 0)
		return rings_detach(session, &args, bump, ret_result, err);
	if (strncmp(operation->name, "broadcast_", strlen("broadcast_")) == 0)
		return broadcasts_call(session, &args, msgid, bump, ret_result, ret_fds, err);
	if (strcmp(operation->name, "cancel") == 0)
		return call_cancel(session, &args, bump, ret_result, err);
	if (strcmp(operation->name, "stats") == 0)
		return call_stats(session, bump, ret_result, err);
	return error_set(err, ERROR_NOT_SUPPORTED, "%s: this daemon's sessions do not have it", operation->name);
}

int method_call(struct session *session, const struct operation *operation, const struct value *params, uint32_t msgid,
		struct bump *bump, struct value *ret_result, struct fdpass *ret_fds, struct error *err)
{
	bool brings = brings_fds(operation);
	int r = brings ? reserve_fds(session, err) : 0;

	if (r < 0)
		return r;
	r = call(session, operation, params, msgid, bump, ret_result, ret_fds, err);
	if (brings)
		quota_share_give(&session->fds, FDPASS_MOST - (r == 0 ? ret_fds->count : 0));
	return r;
}
