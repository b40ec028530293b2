/* SPDX-License-Identifier: Apache-2.0 */
/* One mutex is enough: it is held for a few additions, and only for resources of several threads. */
#include "quota.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/scheduler/cpus.h"
#include "rate.h"
#include "stats.h"

static const struct {
	const char *name, *setting;
	enum quota_threads threads;
} resources[QUOTA_RESOURCES] = {
#define X(id, what, setting, threads) {what, setting, threads},
	QUOTA_TABLE(X)
#undef X
};

/* Under quota->lock, but for `used` of the resources of QUOTA_OF_LOOP, which are the loop's thread's. */
struct quota_user {
	struct quota *quota;
	struct quota_user *next;
	uid_t uid;
	unsigned references;            /* sessions, arenas and memory of rings: whatever may still hold a charge */
	uint64_t used[QUOTA_RESOURCES]; /* in the unit of the resource */
	struct rate arrivals;           /* connections */
};

struct quota {
	pthread_mutex_t lock;
	struct quota_user *users; /* with a session or a charge, now or within the last second; few */
	uint64_t arrivals_per_second;
	struct rate arrivals;            /* of all users */
	uint64_t total[QUOTA_RESOURCES]; /* from the settings; written on the loop's thread under the lock */
	uint64_t used[QUOTA_RESOURCES];  /* the sum of all users' */
};

uint64_t quota_default_total(void)
{
	/* By sysinfo(2): /proc/meminfo is hidden from a hardened service. */
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
	uint64_t cgroup = cpus_memory_limit() / 2;

	return memory < cgroup ? memory : cgroup;
}

void quota_set_totals(struct quota *quota, const struct settings *settings)
{
	pthread_mutex_lock(&quota->lock);
	quota->total[QUOTA_CONNECTIONS] = settings->connections;
	quota->total[QUOTA_ARENA_BYTES] =
		settings->arena_total_bytes ? settings->arena_total_bytes : quota_default_total();
	quota->total[QUOTA_ARENAS] = settings->arenas_total;
	quota->total[QUOTA_JOBS] = settings->jobs_total;
	quota->total[QUOTA_WORK_BYTES] =
		settings->work_total_bytes ? settings->work_total_bytes : quota_default_total();
	quota->total[QUOTA_BUFFER_BYTES] = settings->buffer_total_bytes;
	quota->total[QUOTA_REPLY_BYTES] = settings->reply_total_bytes;
	quota->total[QUOTA_FDS] = settings->fds_total;
	quota->arrivals_per_second = settings->connections_per_second;
	pthread_mutex_unlock(&quota->lock);
}

int quota_create(const struct settings *settings, struct quota **ret_quota)
{
	struct quota *quota = calloc(1, sizeof *quota);

	if (!quota)
		return -ERROR_NO_MEMORY;
	pthread_mutex_init(&quota->lock, NULL);
	quota_set_totals(quota, settings);
	*ret_quota = quota;
	return 0;
}

/* Frees the accounts that hold nothing and whose arrivals no longer count, so that a user who connects again and again
 * keeps its account. Call it with the lock held. */
static void free_idle_users(struct quota *quota, uint64_t now_ns)
{
	for (struct quota_user **link = &quota->users, *user; (user = *link);) {
		if (user->references > 0 || !rate_is_rested(&user->arrivals, now_ns)) {
			link = &user->next;
			continue;
		}
		*link = user->next;
		free(user);
	}
}

void quota_free(struct quota *quota)
{
	if (!quota)
		return;
	free_idle_users(quota, UINT64_MAX);
	assert(!quota->users);
	pthread_mutex_destroy(&quota->lock);
	free(quota);
}

struct quota_user *quota_user_open(struct quota *quota, uid_t uid)
{
	struct quota_user *user;

	pthread_mutex_lock(&quota->lock);
	for (user = quota->users; user && user->uid != uid; user = user->next)
		;
	if (!user) {
		user = calloc(1, sizeof *user);
		if (user) {
			user->quota = quota;
			user->uid = uid;
			user->next = quota->users;
			quota->users = user;
		}
	}
	if (user)
		user->references++;
	pthread_mutex_unlock(&quota->lock);
	return user;
}

void quota_user_close(struct quota_user *user)
{
	struct quota *quota = user->quota;

	pthread_mutex_lock(&quota->lock);
	if (--user->references == 0) {
		for (int i = 0; i < QUOTA_RESOURCES; i++)
			assert(user->used[i] == 0);
		free_idle_users(quota, stats_now_ns());
	}
	pthread_mutex_unlock(&quota->lock);
}

/* Call it with the lock held. */
static int count_arrival(struct quota_user *user, uint64_t now_ns, struct error *err)
{
	struct quota *quota = user->quota;
	const uint64_t all = quota->arrivals_per_second;

	if (!rate_allows(&user->arrivals, all / 2, now_ns))
		return error_set(err, ERROR_LIMIT,
				 "connections_per_second: uid %u connects too often, allowed: %" PRIu64
				 " a second, half of the setting connections_per_second = %" PRIu64,
				 (unsigned)user->uid, all / 2, all);
	if (!rate_allows(&quota->arrivals, all, now_ns))
		return error_set(err, ERROR_LIMIT,
				 "connections_per_second: all users together connect too often, allowed: the setting "
				 "connections_per_second = %" PRIu64,
				 all);
	rate_count(&user->arrivals, all / 2, now_ns);
	rate_count(&quota->arrivals, all, now_ns);
	return 0;
}

int quota_arrive(struct quota_user *user, uint64_t now_ns, struct error *err)
{
	pthread_mutex_lock(&user->quota->lock);
	int r = count_arrival(user, now_ns, err);
	pthread_mutex_unlock(&user->quota->lock);
	return r;
}

uid_t quota_user_uid(const struct quota_user *user)
{
	return user->uid;
}

/* Returns whether amount more does not fit. A total that was lowered may be below what is used. */
static bool is_beyond(uint64_t total, uint64_t used, uint64_t amount)
{
	return used > total || amount > total - used;
}

static int refuse_amount(const struct quota_user *user, enum quota_resource resource, uint64_t amount, struct error *err)
{
	const struct quota *quota = user->quota;
	uint64_t total = quota->total[resource];

	if (is_beyond(total / 2, user->used[resource], amount))
		return error_set(err, ERROR_LIMIT,
				 "%s: %" PRIu64 " %s more for uid %u, which has %" PRIu64 ", allowed: %" PRIu64
				 ", half of the setting %s = %" PRIu64,
				 resources[resource].setting, amount, resources[resource].name, (unsigned)user->uid,
				 user->used[resource], total / 2, resources[resource].setting, total);
	return error_set(err, ERROR_LIMIT,
			 "%s: %" PRIu64 " %s more while all users have %" PRIu64 ", allowed: the setting %s = %" PRIu64,
			 resources[resource].setting, amount, resources[resource].name, quota->used[resource],
			 resources[resource].setting, total);
}

static void lock_resource(const struct quota_user *user, enum quota_resource resource)
{
	if (resources[resource].threads == QUOTA_OF_ALL)
		pthread_mutex_lock(&user->quota->lock);
}

static void unlock_resource(const struct quota_user *user, enum quota_resource resource)
{
	if (resources[resource].threads == QUOTA_OF_ALL)
		pthread_mutex_unlock(&user->quota->lock);
}

/* Call it with the resource locked. */
static int take_locked(struct quota_user *user, enum quota_resource resource, uint64_t amount, struct error *err)
{
	struct quota *quota = user->quota;

	if (is_beyond(quota->total[resource] / 2, user->used[resource], amount) ||
	    is_beyond(quota->total[resource], quota->used[resource], amount))
		return refuse_amount(user, resource, amount, err);
	user->used[resource] += amount;
	quota->used[resource] += amount;
	return 0;
}

/* Call it with the resource locked. */
static void give_locked(struct quota_user *user, enum quota_resource resource, uint64_t amount)
{
	struct quota *quota = user->quota;

	assert(amount <= user->used[resource] && amount <= quota->used[resource]);
	user->used[resource] -= amount;
	quota->used[resource] -= amount;
}

int quota_take(struct quota_user *user, enum quota_resource resource, uint64_t amount, struct error *err)
{
	lock_resource(user, resource);
	int r = take_locked(user, resource, amount, err);
	unlock_resource(user, resource);
	return r;
}

void quota_give(struct quota_user *user, enum quota_resource resource, uint64_t amount)
{
	lock_resource(user, resource);
	give_locked(user, resource, amount);
	unlock_resource(user, resource);
}

static int refuse_share(const struct quota_share *share, uint64_t amount, uint64_t used, struct error *err)
{
	return error_set(
		err, ERROR_LIMIT,
		"%s: %" PRIu64 " %s more for a session that has %" PRIu64 ", allowed: the setting %s = %" PRIu64,
		share->setting, amount, resources[share->resource].name, used, share->setting, share->limit);
}

int quota_share_take(struct quota_share *share, uint64_t amount, struct error *err)
{
	uint64_t used;
	int r;

	lock_resource(share->user, share->resource);
	used = quota_share_used(share);
	if (amount > share->limit - used)
		r = refuse_share(share, amount, used, err);
	else
		r = take_locked(share->user, share->resource, amount, err);
	used += r == 0 ? amount : 0;
	atomic_store_explicit(&share->used, used, memory_order_relaxed);
	share->peak = used > share->peak ? used : share->peak;
	unlock_resource(share->user, share->resource);
	return r;
}

void quota_share_give(struct quota_share *share, uint64_t amount)
{
	uint64_t used;

	lock_resource(share->user, share->resource);
	used = quota_share_used(share);
	assert(amount <= used);
	atomic_store_explicit(&share->used, used - amount, memory_order_relaxed);
	give_locked(share->user, share->resource, amount);
	unlock_resource(share->user, share->resource);
}

/* Relaxed: the number stands alone, and nothing else is published through it. Only one thread at a time writes it, under the
 * lock or on the loop's thread. */
uint64_t quota_share_used(const struct quota_share *share)
{
	return atomic_load_explicit(&share->used, memory_order_relaxed);
}

int quota_show(struct quota *quota, const struct quota_user *user, struct bump *bump, struct value *map)
{
	int failed = 0;

	pthread_mutex_lock(&quota->lock);
	for (int i = 0; i < QUOTA_RESOURCES; i++) {
		struct value one = value_map();

		failed |= value_put(bump, &one, "used", value_uint(quota->used[i]));
		failed |= value_put(bump, &one, "total", value_uint(quota->total[i]));
		if (user) {
			failed |= value_put(bump, &one, "user_used", value_uint(user->used[i]));
			failed |= value_put(bump, &one, "user_total", value_uint(quota->total[i] / 2));
		}
		failed |= value_put(bump, map, resources[i].setting, one);
	}
	pthread_mutex_unlock(&quota->lock);
	return failed ? -ERROR_NO_MEMORY : 0;
}
