/* SPDX-License-Identifier: Apache-2.0 */
/* Kept blocks in a list, the most recently used first; there are few. Smaller ones are malloc's. */
#include "engine/memory/temp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/huge_map.h"

enum {
	LEAST = 32 << 10,  /* below, malloc keeps memory itself */
	PIECE = 256 << 10, /* unmapped at once: 64 pages, some 45 us */
	ALIGN = 64,
	PAGE = 4096,
	KEPT_MOST = 128, /* blocks; a search looks at all of them */
};

#define UNUSED_NS UINT64_C(10000000000) /* 10 s */

/* A mapping that is kept for reuse. */
struct block {
	char *base;
	uint64_t bytes;    /* as block_bytes rounds */
	uint64_t freed_ns; /* CLOCK_MONOTONIC */
};

struct temps {
	struct engine *engine; /* NULL: it is gone */
	atomic_uint refs;      /* the engine's, and one of each result */
	pthread_mutex_t lock;          /* guards everything below but bound */
	uint64_t bound, bytes;         /* bytes: of the kept blocks; at most bound */
	uint64_t hits, misses;         /* allocations of at least LEAST bytes that found a kept block, or did not */
	size_t n;                      /* kept blocks */
	bool watched; /* temps_drop_unused will be called */
	struct block kept[KEPT_MOST]; /* the last is the most recently used */
};

/* A job that unmaps a block from the end to the beginning, one piece at each of its turns. It frees itself. */
struct unmapping {
	struct job job; /* first */
	struct fair_entry fair_entry;
	char *base;
	size_t left;
};

static int unmap_piece(struct job *job)
{
	struct unmapping *unmapping = (struct unmapping *)job;
	const size_t rest = unmapping->left % PIECE, piece = rest ? rest : PIECE;

	unmapping->left -= piece;
	munmap(unmapping->base + unmapping->left, piece);
	return unmapping->left ? JOB_AGAIN : JOB_END;
}

static void finish_unmapping(struct job *job, int error)
{
	(void)error;
	free(job);
}

static const struct job_ops unmapping_ops = {unmap_piece, NULL, finish_unmapping};

/* Unmaps a block: a small one here, a large one by a job. Without memory for the job it is unmapped here after all. */
static void unmap_block(struct engine *engine, const struct block *block)
{
	struct unmapping *unmapping = block->bytes > PIECE ? calloc(1, sizeof *unmapping) : NULL;

	if (!unmapping) {
		munmap(block->base, block->bytes);
		return;
	}
	unmapping->job.ops = &unmapping_ops;
	unmapping->job.fair_entry = &unmapping->fair_entry;
	unmapping->base = block->base;
	unmapping->left = block->bytes;
	pool_submit(engine->pool, &unmapping->job);
}

/* Rounds up to whole pages, and to an eighth of an octave: at most 12.5 % are wasted, and blocks fit again. Returns
 * false if no such mapping could be. bytes >= LEAST. */
static bool block_bytes(uint64_t bytes, uint64_t *ret)
{
	const unsigned log = 63 - (unsigned)__builtin_clzll(bytes);
	const uint64_t step = UINT64_C(1) << (log - 3);

	return bytes <= SIZE_MAX / 4 && !round_up_overflows(bytes, step > PAGE ? step : PAGE, ret);
}

/* Not MAP_NORESERVE: the kernel refuses at once what exceeds all its memory. */
static void *map_block(uint64_t bytes)
{
	void *at = huge_map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (at == MAP_FAILED)
		return NULL;
	if (bytes >= HUGE_PAGE_BYTES)
		madvise(at, bytes, MADV_HUGEPAGE); /* a kernel without them refuses, which does not matter */
	return at;
}

/* Takes a block out of the list. Hold the lock. */
static struct block take_out(struct temps *temps, size_t i)
{
	const struct block block = temps->kept[i];

	temps->n--;
	temps->bytes -= block.bytes;
	for (; i < temps->n; i++)
		temps->kept[i] = temps->kept[i + 1];
	return block;
}

/* Returns NULL if none of that size is kept. */
static void *take_kept(struct temps *temps, uint64_t bytes)
{
	void *base = NULL;
	size_t i;

	pthread_mutex_lock(&temps->lock);
	for (i = temps->n; i > 0 && temps->kept[i - 1].bytes != bytes;)
		i--;
	if (i > 0)
		base = take_out(temps, i - 1).base;
	temps->hits += base != NULL;
	temps->misses += base == NULL;
	pthread_mutex_unlock(&temps->lock);
	return base;
}

void *temp_alloc(struct engine *engine, uint64_t bytes)
{
	uint64_t rounded;
	void *base;

	if (bytes < LEAST) {
		round_up_overflows(bytes ? bytes : 1, ALIGN, &rounded);
		return aligned_alloc(ALIGN, rounded);
	}
	if (!block_bytes(bytes, &rounded))
		return NULL;
	base = take_kept(engine->temps, rounded);
	return base ? base : map_block(rounded);
}

/* Keeps a block, of at most `bound` bytes. Returns how many others are to be given back for it, which the caller unmaps
 * without the lock. *ret_first: nobody watches yet for blocks that stay unused. */
static size_t keep(struct temps *temps, const struct block *block, struct block surplus[KEPT_MOST], bool *ret_first)
{
	size_t n = 0;

	pthread_mutex_lock(&temps->lock);
	*ret_first = !temps->watched;
	temps->watched = true;
	while (temps->n && (temps->bytes + block->bytes > temps->bound || temps->n == KEPT_MOST))
		surplus[n++] = take_out(temps, 0);
	temps->kept[temps->n++] = *block;
	temps->bytes += block->bytes;
	pthread_mutex_unlock(&temps->lock);
	return n;
}

/* Keeps or unmaps memory that temp_alloc returned. Once the engine is gone nothing is kept. */
static void give(struct temps *temps, void *temp, uint64_t bytes)
{
	struct block surplus[KEPT_MOST], block = {.base = temp};
	bool first;

	if (!temp)
		return;
	if (bytes < LEAST) {
		free(temp);
		return;
	}
	block_bytes(bytes, &block.bytes);
	if (!temps->engine) {
		munmap(block.base, block.bytes);
		return;
	}
	if (block.bytes > temps->bound) {
		unmap_block(temps->engine, &block);
		return;
	}
	block.freed_ns = now_ns();
	for (size_t n = keep(temps, &block, surplus, &first); n > 0; n--)
		unmap_block(temps->engine, &surplus[n - 1]);
	if (first)
		pool_watch_idle(temps->engine->pool);
}

void temp_free(struct engine *engine, void *temp, uint64_t bytes)
{
	give(engine->temps, temp, bytes);
}

/* ---- results ---- */

/* What is freed with a bump allocator, which may outlive the engine. */
struct result {
	struct temps *temps;
	void *base;
	uint64_t bytes;
};

static void temps_unref(struct temps *temps)
{
	if (atomic_fetch_sub(&temps->refs, 1) > 1)
		return;
	pthread_mutex_destroy(&temps->lock);
	free(temps);
}

static void free_result(void *arg)
{
	struct result *result = arg;

	give(result->temps, result->base, result->bytes);
	temps_unref(result->temps);
}

void *temp_alloc_result(struct engine *engine, struct bump *bump, uint64_t bytes)
{
	struct result *result = bump_alloc(bump, sizeof *result);
	void *base = result ? temp_alloc(engine, bytes) : NULL;

	if (!base)
		return NULL;
	*result = (struct result){engine->temps, base, bytes};
	atomic_fetch_add(&engine->temps->refs, 1);
	if (bump_defer(bump, free_result, result) == 0)
		return base;
	free_result(result);
	return NULL;
}

/* ---- the engine's ---- */

/* Takes the least recently used block if it is due. *ret_wait_ns: else how long until it is; 0: none is kept. */
static bool take_unused(struct temps *temps, uint64_t at_ns, struct block *ret, uint64_t *ret_wait_ns)
{
	bool due = false;

	*ret_wait_ns = 0;
	pthread_mutex_lock(&temps->lock);
	if (temps->n) {
		const uint64_t due_ns = temps->kept[0].freed_ns + UNUSED_NS;

		due = due_ns <= at_ns;
		if (due)
			*ret = take_out(temps, 0);
		else
			*ret_wait_ns = due_ns - at_ns;
	} else {
		temps->watched = false;
	}
	pthread_mutex_unlock(&temps->lock);
	return due;
}

uint64_t temps_drop_unused(void *arg, uint64_t at_ns)
{
	struct temps *temps = arg;
	struct block block;
	uint64_t wait_ns;

	while (take_unused(temps, at_ns, &block, &wait_ns))
		unmap_block(temps->engine, &block);
	return wait_ns;
}

int temps_create(struct engine *engine, uint64_t bound_bytes, struct temps **ret_temps)
{
	struct temps *temps = calloc(1, sizeof *temps);

	if (!temps)
		return -ERROR_NO_MEMORY;
	temps->engine = engine;
	atomic_init(&temps->refs, 1);
	temps->bound = bound_bytes;
	pthread_mutex_init(&temps->lock, NULL);
	*ret_temps = temps;
	return 0;
}

void temps_destroy(struct temps *temps)
{
	if (!temps)
		return;
	temps->engine = NULL;
	for (size_t i = 0; i < temps->n; i++)
		munmap(temps->kept[i].base, temps->kept[i].bytes);
	temps_unref(temps);
}

int temps_stats(struct temps *temps, struct bump *bump, struct value *map)
{
	struct value figures = value_map();
	uint64_t bytes, hits, misses;

	pthread_mutex_lock(&temps->lock);
	bytes = temps->bytes;
	hits = temps->hits;
	misses = temps->misses;
	pthread_mutex_unlock(&temps->lock);
	if (value_put(bump, &figures, "bytes", value_uint(bytes)) ||
	    value_put(bump, &figures, "bound", value_uint(temps->bound)) ||
	    value_put(bump, &figures, "hits", value_uint(hits)) ||
	    value_put(bump, &figures, "misses", value_uint(misses)))
		return -ERROR_NO_MEMORY;
	return value_put(bump, map, "work_memory", figures);
}
