/* SPDX-License-Identifier: Apache-2.0 */
/* One pool of the engine's scheduler for each number of threads that plans have: FFTW's plans keep the number that was set when they
 * were made. A pool starts with the first work of its plans. It ends after the last of them, and not before the next pool is left by
 * its plans, so that a program that makes a plan for each transform has threads ready. The child of a fork has none of its
 * parent's threads, and makes pools of its own. */
#include "fftw/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fpenv.h"
#include "engine/scheduler/pool.h"
#include "engine/scheduler/pool_caller.h"
#include "fftw/plan_cache.h"

static struct {
	pthread_mutex_t lock;
	struct {
		unsigned plans;
		struct pool *pool; /* NULL: there was no work, or the pool could not start */
		bool has_failed;
	} slots[TEAM_MAX + 1]; /* by the number of threads */
	struct lane *lanes; /* which pools count in; nobody reads them */
	team_loop *loop;
	void *loop_data;
} team = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the pool ---- */

struct staged_job {
	struct job job; /* first */
	const struct staged_work *work;
	const struct staged_io *io;
	size_t stage; /* that comes next */
};

static int advance(struct job *job)
{
	struct staged_job *staged = (struct staged_job *)job;
	struct staged_stage stage = {0};

	if (staged->stage == staged->work->stages)
		return JOB_END;
	staged->work->ops->find_stage(staged->work, staged->io, staged->stage++, &stage);
	job->n_chunks = stage.chunks;
	job->chunk_ns = (uint64_t)stage.chunk_ns;
	return JOB_STAGE;
}

static uint64_t run_chunk(struct job *job, size_t chunk, void *scratch)
{
	struct staged_job *staged = (struct staged_job *)job;

	staged->work->ops->run_chunk(staged->work, staged->io, staged->stage - 1, chunk, scratch);
	return 0;
}

/* Starts the pool of a slot; one that could not start is not tried again for the same plans. */
static struct pool *find_pool(unsigned threads)
{
	struct pool *pool;

	pthread_mutex_lock(&team.lock);
	if (!team.lanes && (team.lanes = aligned_alloc(_Alignof(struct lane), ENGINE_LANES * sizeof *team.lanes)))
		memset(team.lanes, 0, ENGINE_LANES * sizeof *team.lanes);
	if (!team.slots[threads].pool && !team.slots[threads].has_failed)
		team.slots[threads].has_failed =
			!team.lanes || pool_create(threads, TEAM_SCRATCH_BYTES, team.lanes, &team.slots[threads].pool) < 0;
	pool = team.slots[threads].pool;
	pthread_mutex_unlock(&team.lock);
	return pool;
}

static bool run_by_pool(unsigned threads, const struct staged_work *work, const struct staged_io *io)
{
	static const struct job_ops ops = {advance, run_chunk, NULL};
	struct pool *pool = find_pool(threads);
	struct fair_entry entry = {0};
	struct staged_job staged = {.job = {.ops = &ops,
					    .fair_entry = &entry,
					    .runs_in_caller = true,
					    .scratch_bytes = JOB_SCRATCH_ALL,
					    .account = pool ? pool_open_account(pool) : NULL},
				    .work = work,
				    .io = io};
	bool has_run;

	if (!staged.job.account)
		return false;
	has_run = pool_run_now(pool, &staged.job) == JOB_END;
	pool_close_account(pool, staged.job.account);
	return has_run;
}

/* ---- the program's loop ---- */

/* Chunks [begin, end) of a stage. */
struct share {
	const struct staged_work *work;
	const struct staged_io *io;
	size_t stage, begin, end;
	char *scratch;
};

static void *run_share(char *job)
{
	struct share *share = (struct share *)job;
	const struct fpenv_saved saved = fpenv_enter();

	for (size_t chunk = share->begin; chunk < share->end; chunk++)
		share->work->ops->run_chunk(share->work, share->io, share->stage, chunk, share->scratch);
	fpenv_leave(saved);
	return NULL;
}

static void loop_stage(struct share *shares, size_t count, size_t chunks)
{
	for (size_t i = 0; i < count; i++) {
		shares[i].begin = chunks * i / count;
		shares[i].end = chunks * (i + 1) / count;
	}
	team.loop(run_share, (char *)shares, sizeof *shares, (int)count, team.loop_data);
}

static bool run_by_loop(unsigned threads, const struct staged_work *work, const struct staged_io *io)
{
	const size_t bytes = (work->scratch_bytes + 63) / 64 * 64;
	char *scratch = aligned_alloc(64, size_max(threads * bytes, 64));
	struct share shares[TEAM_MAX];
	struct staged_stage stage;

	if (!scratch)
		return false;
	for (size_t i = 0; i < threads; i++)
		shares[i] = (struct share){.work = work, .io = io, .scratch = scratch + i * bytes};
	for (size_t at = 0; at < work->stages; at++) {
		work->ops->find_stage(work, io, at, &stage);
		for (size_t i = 0; i < threads; i++)
			shares[i].stage = at;
		loop_stage(shares, size_min(threads, stage.chunks), stage.chunks);
	}
	free(scratch);
	return true;
}

/* ---- the public functions ---- */

/* Ends the pools that no plan has, but that of `kept` threads; or all. */
static void end_pools(bool all, unsigned kept)
{
	for (unsigned i = 0; i <= TEAM_MAX; i++) {
		if (!all && (i == kept || team.slots[i].plans > 0))
			continue;
		pool_destroy(team.slots[i].pool);
		team.slots[i].pool = NULL;
		team.slots[i].has_failed = false;
	}
}

void team_set_loop(team_loop *loop, void *data)
{
	team.loop = loop;
	team.loop_data = data;
}

bool team_run(unsigned threads, const struct staged_work *work, const struct staged_io *io)
{
	if (team.loop)
		return run_by_loop(threads, work, io);
	return work->scratch_bytes <= TEAM_SCRATCH_BYTES && run_by_pool(threads, work, io);
}

void team_join(unsigned threads)
{
	pthread_mutex_lock(&team.lock);
	team.slots[threads].plans++;
	pthread_mutex_unlock(&team.lock);
}

void team_leave(unsigned threads)
{
	pthread_mutex_lock(&team.lock);
	if (--team.slots[threads].plans == 0 && team.slots[threads].pool)
		end_pools(false, threads);
	team.slots[threads].has_failed &= team.slots[threads].plans > 0;
	pthread_mutex_unlock(&team.lock);
}

void team_end(void)
{
	pthread_mutex_lock(&team.lock);
	end_pools(true, 0);
	free(team.lanes);
	team.lanes = NULL;
	pthread_mutex_unlock(&team.lock);
}

/* ---- fork ---- */

static void before_fork(void)
{
	plan_cache_lock();
	pthread_mutex_lock(&team.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&team.lock);
	plan_cache_unlock();
}

/* What the parent's threads have is left as it is: nobody can end them here. */
static void after_fork_in_child(void)
{
	for (unsigned i = 0; i <= TEAM_MAX; i++) {
		team.slots[i].pool = NULL;
		team.slots[i].has_failed = false;
	}
	after_fork();
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
