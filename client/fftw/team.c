/* SPDX-License-Identifier: Apache-2.0 */
/* One pool of the engine's scheduler for each number of threads that plans ask for: FFTW's plans keep the number that was set when
 * they were made. The child of a fork has none of its parent's threads, and makes pools of its own. */
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
	struct pool *pools[TEAM_MAX + 1];
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

static struct pool *find_pool(unsigned threads)
{
	struct pool *pool;

	pthread_mutex_lock(&team.lock);
	if (!team.lanes && (team.lanes = aligned_alloc(_Alignof(struct lane), ENGINE_LANES * sizeof *team.lanes)))
		memset(team.lanes, 0, ENGINE_LANES * sizeof *team.lanes);
	if (team.lanes && !team.pools[threads])
		pool_create(threads, TEAM_SCRATCH_BYTES, team.lanes, &team.pools[threads]);
	pool = team.pools[threads];
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

void team_end(void)
{
	pthread_mutex_lock(&team.lock);
	for (unsigned i = 0; i <= TEAM_MAX; i++) {
		pool_destroy(team.pools[i]);
		team.pools[i] = NULL;
	}
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
	for (unsigned i = 0; i <= TEAM_MAX; i++)
		team.pools[i] = NULL;
	after_fork();
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
