/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts of what clients share.
 *
 * Each resource has a total for the host, and no user (a uid, as the kernel reports it by SO_PEERCRED) may hold more than
 * half of it. All uids are equal, root's and the daemon's own too: no service that root runs can take everything from the
 * others. Memory is charged before it is used. Any thread may take and give, but for resources of QUOTA_OF_LOOP: a request
 * takes and gives those several times, so they belong to the loop's thread and need no lock. */
#ifndef TRNSCI_DAEMON_QUOTA_H
#define TRNSCI_DAEMON_QUOTA_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/value.h"
#include "settings.h"

/* X(identifier, name in errors, setting of its total, threads that take and give it) */
#define QUOTA_TABLE(X)                                                                                                 \
	X(CONNECTIONS, "connections", "connections", QUOTA_OF_LOOP)                                                    \
	X(ARENA_BYTES, "arena bytes", "arena_total_bytes", QUOTA_OF_ALL)                                               \
	X(ARENAS, "arenas", "arenas_total", QUOTA_OF_ALL)                                                              \
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
/* Takes the totals from the settings. One that is below what is used refuses more until enough has been returned. Call it on
 * the loop's thread. */
void quota_set_totals(struct quota *quota, const struct settings *settings);
/* Every user must have been closed. Accepts NULL. */
void quota_free(struct quota *quota);

/* Returns the default of arena_total_bytes and work_total_bytes: the smaller of 25 % of memory and 50 % of the cgroup's
 * memory.max. */
uint64_t quota_default_total(void);

/* Returns the user's account with one more reference; NULL if there is no memory. */
struct quota_user *quota_user_open(struct quota *quota, uid_t uid);
void quota_user_close(struct quota_user *user);

/* Counts one more connection of the user at now_ns (CLOCK_MONOTONIC). Returns 0; or -ERROR_LIMIT when there are more than
 * connections_per_second, of which a user may have half. A refused connection does not count. */
int quota_arrive(struct quota_user *user, uint64_t now_ns, struct error *err);
uid_t quota_user_uid(const struct quota_user *user);

/* Returns 0; or -ERROR_LIMIT, which names the limit, its setting and what is used: nothing is taken then. */
int quota_take(struct quota_user *user, enum quota_resource resource, uint64_t amount, struct error *err);
void quota_give(struct quota_user *user, enum quota_resource resource, uint64_t amount);

/* What one session holds of a resource, under a limit of its own. */
struct quota_share {
	struct quota_user *user;
	enum quota_resource resource;
	const char *setting; /* of the limit; constant text, for errors */
	uint64_t limit, peak; /* peak: the most that was used at once */
	_Atomic uint64_t used; /* read without the lock */
};

/* Take and give as quota_take and quota_give do. The session's limit is checked first. */
int quota_share_take(struct quota_share *share, uint64_t amount, struct error *err);
void quota_share_give(struct quota_share *share, uint64_t amount);
uint64_t quota_share_used(const struct quota_share *share);

/* Adds the use and total of each resource to map, and those of the user unless it is NULL. Call it on the loop's thread.
 * Returns 0 or -ERROR_NO_MEMORY. */
int quota_show(struct quota *quota, const struct quota_user *user, struct bump *bump, struct value *map);

#endif
