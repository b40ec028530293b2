/* SPDX-License-Identifier: Apache-2.0 */
/* Entries in a hash table, the unused ones also in a list by age.
 *
 * An entry's life: plans_take creates it and builds it for a short while: a short plan is ready then. Of a longer one the first
 * plans_wait submits its job, which builds the rest piece by piece while users wait (making) and wakes them (ready, or error). With the last use it goes to the list of
 * unused ones, from which plans_take fetches it again, or the bound drops it. One that failed or was given up is freed
 * with its last use. The plan's own tables are read without the lock: they are constant once `ready` has been seen
 * under it. */
#include "engine/steps/plan_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/chunk.h"
#include "base/clock.h"
#include "base/explore.h"
#include "base/fpenv.h"
#include "fft/plan/real.h"

enum { BUCKETS = 4096 };

/* For which time pieces of a plan are built one after the other: what is spent around them is little beside it, and the last of them
 * is still within a chunk. */
enum { PIECES_NS = CHUNK_AIM_NS };

/* Long transforms are shared with other threads, or left to one. */
enum way { WAY_SHARED, WAY_ALONE };
enum { FIRST_TIMES = 8 }; /* one way, before the other is tried */

/* The cache's lock guards all that changes. */
struct plan_entry {
	struct job job; /* builds the plan */
	struct plans *plans;
	struct fft_plan *plan; /* owned */
	struct plan_key key;
	unsigned refs; /* uses, and one while the plan is built */
	bool making, ready; /* its job is with the pool; its tables are complete */
	int error;          /* with which building it failed; 0: it did not */
	size_t bytes; /* counted in the cache's; 0 until it is ready */
	struct plan_waiter *waiters; /* in no order */
	struct explore ways; /* enum way, for its transforms */
	bool has_ways;        /* it was asked for */
	struct plan_entry *chain;           /* in the bucket */
	struct plan_entry *older, *younger; /* among the unused */
};

struct plans {
	struct engine *engine;
	pthread_mutex_t lock; /* held while jobs are submitted and woken, so taken before the pool's */
	struct fair_entry fair_entry; /* of all building: it has the share of one client */
	size_t bound, bytes;          /* bytes: of all ready plans, also those in use, which the bound cannot drop */
	size_t count, ready;          /* entries, and those whose plan is ready */
	uint64_t hits, misses;        /* of plans_take */
	struct plan_entry *oldest, *youngest; /* unused and ready */
	struct plan_entry *buckets[BUCKETS];
};

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4): the high 12 bits choose one of 4096
 * buckets. */
static struct plan_entry **bucket(struct plans *plans, struct plan_key key)
{
	const uint64_t mixed = ((key.n * PLAN_KINDS + key.kind) * PRECISIONS + key.precision) * UINT64_C(0x9E3779B97F4A7C15);

	return &plans->buckets[mixed >> 52];
}

/* Takes an entry out of its bucket. */
static void unlink_chain(struct plans *plans, struct plan_entry *entry)
{
	struct plan_entry **at = bucket(plans, entry->key);

	while (*at != entry)
		at = &(*at)->chain;
	*at = entry->chain;
}

/* The list of unused plans is an LRU: taken plans are not in it and cannot be dropped. */
static void unlink_unused(struct plans *plans, struct plan_entry *entry)
{
	*(entry->older ? &entry->older->younger : &plans->oldest) = entry->younger;
	*(entry->younger ? &entry->younger->older : &plans->youngest) = entry->older;
	entry->older = entry->younger = NULL;
}

/* Appends an entry, as the youngest, to the list of unused ones. */
static void link_unused(struct plans *plans, struct plan_entry *entry)
{
	entry->older = plans->youngest;
	*(plans->youngest ? &plans->youngest->younger : &plans->oldest) = entry;
	plans->youngest = entry;
}

static void free_entry(struct plan_entry *entry)
{
	fft_plan_free(entry->plan);
	free(entry);
}

/* Frees an entry that nobody uses; under the lock. */
static void drop(struct plans *plans, struct plan_entry *entry)
{
	unlink_chain(plans, entry);
	plans->bytes -= entry->bytes;
	plans->count--;
	plans->ready -= entry->ready;
	free_entry(entry);
}

/* One use less; under the lock, like all below. */
static void unref(struct plans *plans, struct plan_entry *entry)
{
	if (--entry->refs > 0)
		return;
	if (!entry->ready || entry->bytes > plans->bound) { /* one that alone is too large does not drive out the others */
		drop(plans, entry);
		return;
	}
	link_unused(plans, entry);
	while (plans->bytes > plans->bound && plans->oldest) {
		struct plan_entry *oldest = plans->oldest;

		unlink_unused(plans, oldest);
		drop(plans, oldest);
	}
}

static struct plan_entry *of_job(struct job *job)
{
	return (struct plan_entry *)((char *)job - offsetof(struct plan_entry, job));
}

/* Cancels the waiters whose time is up. Jobs that wait for a plan run no chunk, so their timeouts are looked at here,
 * once a piece. */
static void expire_waiters(struct plans *plans, const struct plan_entry *entry)
{
	for (struct plan_waiter *waiter = entry->waiters; waiter; waiter = waiter->next)
		pool_expire(plans->engine->pool, waiter->job);
}

/* Builds pieces of a plan. Returns 1 while some are left, else 0 or an error. */
static int build_pieces(struct fft_plan *plan)
{
	const uint64_t end = now_ns() + PIECES_NS;
	int more;

	do
		more = fft_plan_step(plan);
	while (more > 0 && now_ns() < end);
	return more;
}

/* Marks a plan that is built and counts its bytes; under the lock. */
static void set_ready(struct plans *plans, struct plan_entry *entry)
{
	entry->ready = true;
	entry->bytes = fft_plan_bytes(entry->plan) + sizeof *entry;
	plans->bytes += entry->bytes;
	plans->ready++;
}

/* Builds the next pieces of a plan, no longer than a chunk, unless nobody wants the plan any more. The lock is not held
 * meanwhile: nobody reads a plan that is not ready. */
static int make_piece(struct job *job)
{
	struct plan_entry *entry = of_job(job);
	struct plans *plans = entry->plans;
	bool wanted;
	int more;

	pthread_mutex_lock(&plans->lock);
	wanted = entry->refs > 1;
	expire_waiters(plans, entry);
	pthread_mutex_unlock(&plans->lock);
	if (!wanted)
		return JOB_END;
	more = build_pieces(entry->plan);
	if (more < 0)
		return more;
	if (more > 0)
		return JOB_AGAIN;
	pthread_mutex_lock(&plans->lock);
	set_ready(plans, entry);
	pthread_mutex_unlock(&plans->lock);
	return JOB_END;
}

/* Waiters look at the entry again themselves: ready, or failed. */
static void wake_all(struct plans *plans, struct plan_entry *entry)
{
	while (entry->waiters) {
		struct plan_waiter *waiter = entry->waiters;

		entry->waiters = waiter->next;
		if (waiter->next)
			waiter->next->prev = NULL;
		waiter->linked = false;
		pool_wake(plans->engine->pool, waiter->job);
	}
}

/* job_ops.finish: the plan is built, or building failed, or it was given up. A plan that was given up is built after
 * all when somebody has come to want it meanwhile. */
static void finish_plan(struct job *job, int error)
{
	struct plan_entry *entry = of_job(job);
	struct plans *plans = entry->plans;

	pthread_mutex_lock(&plans->lock);
	entry->error = error;
	if (!entry->ready && !error && entry->waiters) {
		pool_submit(plans->engine->pool, job);
	} else {
		entry->making = false;
		wake_all(plans, entry);
		unref(plans, entry);
	}
	pthread_mutex_unlock(&plans->lock);
}

static const struct job_ops maker = {make_piece, NULL, finish_plan};

/* Returns the entry of that key, or NULL. An entry that failed stays with its users; the next who asks gets a new one.
 */
static struct plan_entry *find_entry(struct plans *plans, struct plan_key key)
{
	struct plan_entry *entry = *bucket(plans, key);

	while (entry && (entry->key.n != key.n || entry->key.precision != key.precision ||
			 entry->key.kind != key.kind || entry->error))
		entry = entry->chain;
	return entry;
}

/* Creates the plan that a key describes; the number of a series' kind also says whether it is orthogonal. */
static int create_plan(struct plan_key key, uint32_t features, struct fft_plan **ret_plan)
{
	const enum fft_precision precision = key.precision == PRECISION_FAST ? FFT_F32 : FFT_F64;

	switch (key.kind) {
	case PLAN_COMPLEX:
		return precision_plan_create(key.precision, key.n, features, ret_plan);
	case PLAN_REAL:
		return fft_plan_create_real(key.n, precision, features, ret_plan);
	case PLAN_HERMITIAN:
		return fft_plan_create_hermitian(key.n, precision, features, ret_plan);
	default:
		return fft_plan_create_series((key.kind - PLAN_SERIES) / 2, (key.kind - PLAN_SERIES) % 2, key.n,
					      precision, features, ret_plan);
	}
}

/* Creates an entry, not in the lock, and builds its plan for PIECES_NS. *ret_more: as build_pieces says. */
static int create_entry(struct plans *plans, struct plan_key key, struct plan_entry **ret_entry, int *ret_more)
{
	struct plan_entry *entry = calloc(1, sizeof *entry);
	struct fpenv_saved saved;
	int error;

	if (!entry)
		return -ERROR_NO_MEMORY;
	error = create_plan(key, plans->engine->features, &entry->plan);
	if (!error) {
		saved = fpenv_enter();
		*ret_more = build_pieces(entry->plan);
		fpenv_leave(saved);
		error = *ret_more < 0 ? *ret_more : 0;
	}
	if (error) {
		free_entry(entry);
		return error;
	}
	entry->plans = plans;
	entry->key = key;
	entry->job.ops = &maker;
	entry->job.fair_entry = &plans->fair_entry;
	*ret_entry = entry;
	return 0;
}

/* Adds an entry without uses; under the lock. */
static void add_entry(struct plans *plans, struct plan_entry *entry, bool ready)
{
	struct plan_entry **head = bucket(plans, entry->key);

	entry->chain = *head;
	*head = entry;
	plans->count++;
	plans->misses++;
	if (ready)
		set_ready(plans, entry);
}

int plans_create(struct engine *engine, size_t bound_bytes, struct plans **ret_plans)
{
	struct plans *plans = calloc(1, sizeof *plans);

	if (!plans)
		return -ERROR_NO_MEMORY;
	plans->engine = engine;
	plans->bound = bound_bytes;
	pthread_mutex_init(&plans->lock, NULL);
	*ret_plans = plans;
	return 0;
}

void plans_destroy(struct plans *plans)
{
	if (!plans)
		return;
	while (plans->oldest) {
		struct plan_entry *oldest = plans->oldest;

		unlink_unused(plans, oldest);
		drop(plans, oldest);
	}
	assert(plans->count == 0);
	pthread_mutex_destroy(&plans->lock);
	free(plans);
}

int plans_take(struct plans *plans, struct plan_key key, struct plan_entry **ret_entry)
{
	struct plan_entry *entry, *made = NULL;
	int error = 0, more = 0;

	pthread_mutex_lock(&plans->lock);
	entry = find_entry(plans, key);
	if (!entry) {
		pthread_mutex_unlock(&plans->lock);
		error = create_entry(plans, key, &made, &more);
		pthread_mutex_lock(&plans->lock);
		entry = error ? NULL : find_entry(plans, key); /* another thread may have made one meanwhile */
	}
	if (entry) {
		plans->hits++;
		if (entry->refs == 0)
			unlink_unused(plans, entry);
	} else if (made) {
		add_entry(plans, made, more == 0);
		entry = made;
		made = NULL;
	}
	if (entry) {
		entry->refs++;
		*ret_entry = entry;
	}
	pthread_mutex_unlock(&plans->lock);
	if (made)
		free_entry(made);
	return error;
}

void plans_give(struct plans *plans, struct plan_entry *entry)
{
	pthread_mutex_lock(&plans->lock);
	unref(plans, entry);
	pthread_mutex_unlock(&plans->lock);
}

const struct fft_plan *plans_plan(const struct plan_entry *entry)
{
	return entry->plan;
}

bool plans_ready(struct plans *plans, const struct plan_entry *entry)
{
	bool ready;

	pthread_mutex_lock(&plans->lock);
	ready = entry->ready;
	pthread_mutex_unlock(&plans->lock);
	return ready;
}

static void link_waiter(struct plan_entry *entry, struct plan_waiter *waiter)
{
	waiter->prev = NULL;
	waiter->next = entry->waiters;
	if (waiter->next)
		waiter->next->prev = waiter;
	entry->waiters = waiter;
	waiter->linked = true;
}

static void unlink_waiter(struct plan_entry *entry, struct plan_waiter *waiter)
{
	if (!waiter->linked)
		return;
	*(waiter->prev ? &waiter->prev->next : &entry->waiters) = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	waiter->linked = false;
}

/* The first who waits submits the job that builds the plan. That job holds a use of its own, so the entry lives while
 * it runs. */
int plans_wait(struct plans *plans, struct plan_entry *entry, struct plan_waiter *waiter)
{
	int result;

	pthread_mutex_lock(&plans->lock);
	result = entry->ready ? 0 : entry->error ? entry->error : 1;
	if (result != 1)
		unlink_waiter(entry, waiter); /* it may be here before the one who built the plan wakes it */
	else if (!waiter->linked)
		link_waiter(entry, waiter);
	if (result == 1 && !entry->making) {
		entry->making = true;
		entry->refs++;
		pool_submit(plans->engine->pool, &entry->job);
	}
	pthread_mutex_unlock(&plans->lock);
	return result;
}

void plans_unwait(struct plans *plans, struct plan_entry *entry, struct plan_waiter *waiter)
{
	pthread_mutex_lock(&plans->lock);
	unlink_waiter(entry, waiter);
	pthread_mutex_unlock(&plans->lock);
}

bool plans_run_single_thread(struct plans *plans, struct plan_entry *entry, bool guess)
{
	unsigned way;

	pthread_mutex_lock(&plans->lock);
	if (!entry->has_ways)
		explore_init(&entry->ways, guess ? WAY_ALONE : WAY_SHARED, FIRST_TIMES);
	entry->has_ways = true;
	way = explore_next(&entry->ways);
	pthread_mutex_unlock(&plans->lock);
	return way == WAY_ALONE;
}

void plans_learn(struct plans *plans, struct plan_entry *entry, bool single_thread, uint64_t took_ns)
{
	struct explore *ways = &entry->ways;

	pthread_mutex_lock(&plans->lock);
	if (ways->learned > 1 && took_ns > 2 * ways->mean_ns) /* it has lost its CPU meanwhile */
		took_ns = 2 * ways->mean_ns;
	explore_learn(ways, single_thread ? WAY_ALONE : WAY_SHARED, took_ns);
	pthread_mutex_unlock(&plans->lock);
}

int plans_stats(struct plans *plans, struct bump *bump, struct value *map)
{
	struct value figures = value_map();
	uint64_t count, making, bytes, hits, misses;

	pthread_mutex_lock(&plans->lock);
	count = plans->count;
	making = plans->count - plans->ready;
	bytes = plans->bytes;
	hits = plans->hits;
	misses = plans->misses;
	pthread_mutex_unlock(&plans->lock);
	if (value_put(bump, &figures, "count", value_uint(count)) ||
	    value_put(bump, &figures, "making", value_uint(making)) ||
	    value_put(bump, &figures, "bytes", value_uint(bytes)) ||
	    value_put(bump, &figures, "bound", value_uint(plans->bound)) ||
	    value_put(bump, &figures, "hits", value_uint(hits)) ||
	    value_put(bump, &figures, "misses", value_uint(misses)))
		return -ERROR_NO_MEMORY;
	return value_put(bump, map, "plans", figures);
}
