/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds how much of what the clients share.
 *
 * Of each resource there is a total for the host, and no user (uid, as the kernel tells it by SO_PEERCRED) may hold
 * more than half of it. All uids are equal: root's and the daemon's own too, so that no service run by root can take
 * everything from the others. What is taken is accounted before it is touched. Any thread; of the resources whose row says
 * so, the loop's alone: a request takes and gives them several times, which then needs no lock. */
#ifndef TRNSCI_DAEMON_QUOTA_H
#define TRNSCI_DAEMON_QUOTA_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/value.h"
#include "settings.h"

/* X(identifier, what it is called, the setting that holds its total, the threads that take and give it) */
#define QUOTA_TABLE(X)                                                                                                 \
	X(CONNECTIONS, "connections", "connections", QUOTA_OF_LOOP)                                                    \
	X(ARENA_BYTES, "arena bytes", "arena_total_bytes", QUOTA_OF_ALL)                                               \
	X(JOBS, "requests", "jobs_total", QUOTA_OF_LOOP)                                                               \
	X(WORK_BYTES, "work bytes", "work_total_bytes", QUOTA_OF_ALL)                                                  \
	X(BUFFER_BYTES, "message bytes", "buffer_total_bytes", QUOTA_OF_LOOP)                                          \
	X(REPLY_BYTES, "reply bytes", "reply_total_bytes", QUOTA_OF_LOOP)                                              \
	X(FDS, "unread file descriptors", "fds_total", QUOTA_OF_LOOP)

enum quota_threads { QUOTA_OF_LOOP, QUOTA_OF_ALL };

enum quota_resource {
#define X(id, what, setting, threads) QUOTA_##id,
	QUOTA_TABLE(X)
#undef X
		QUOTA_RESOURCES
};

struct quota;

/* One user's account, shared by its sessions. */
struct quota_user;

/* -ERROR_NO_MEMORY */
int quota_create(const struct settings *settings, struct quota **ret_quota);
/* Every user must have been closed. Accepts NULL. */
void quota_free(struct quota *quota);

/* The default of arena_total_bytes, and of work_total_bytes: the smaller of 25 % of memory and 50 % of the cgroup's memory.max. */
uint64_t quota_default_total(void);

/* The user's account, with one reference more; NULL when memory cannot be had. */
struct quota_user *quota_user_open(struct quota *quota, uid_t uid);
void quota_user_close(struct quota_user *user);

/* One more connection of the user at now_ns (monotonic). -ERROR_LIMIT names the setting connections_per_second, half of
 * which is a user's; what is refused does not count. */
int quota_arrive(struct quota_user *user, uint64_t now_ns, struct error *err);
uid_t quota_user_uid(const struct quota_user *user);

/* -ERROR_LIMIT names the limit, its setting and what is used; nothing is then taken. */
int quota_take(struct quota_user *user, enum quota_resource resource, uint64_t amount, struct error *err);
void quota_give(struct quota_user *user, enum quota_resource resource, uint64_t amount);

/* A session's part: what it holds of a resource, under a limit of its own. */
struct quota_share {
	struct quota_user *user;
	enum quota_resource resource;
	const char *setting; /* that holds the limit */
	uint64_t limit, peak;
	_Atomic uint64_t used; /* read without the lock */
};

/* As quota_take and quota_give, the session's limit first. */
int quota_share_take(struct quota_share *share, uint64_t amount, struct error *err);
void quota_share_give(struct quota_share *share, uint64_t amount);
uint64_t quota_share_used(const struct quota_share *share);

/* Into map: for each resource its use and its total, and those of the user (NULL: left out). The loop's thread.
 * -ERROR_NO_MEMORY */
int quota_show(struct quota *quota, const struct quota_user *user, struct bump *bump, struct value *map);

#endif
