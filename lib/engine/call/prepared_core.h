/* SPDX-License-Identifier: Apache-2.0 */
/* What a prepared call is made of; for the engine's own room.
 *
 *     engine/prepare.c      compiles the call once, and lists the tiles that it names
 *     prepared_constants.c  finds the parts that are the same in every run
 *     prepared.c            the session's table of handles, and references
 *     run_changes.c         what a run states, checked
 *     prepared_run.c        a run as a request: a copy of the first run
 *     inline_run.c          small calls, which keep one run for life and run without a request
 *     prepared_batch.c      short draws among them, several at a time
 *
 * Its plan is shared by all runs. Its first run, by which it was compiled, holds no memory for results and no use of a
 * tile: each run has those. Plans of transforms are taken anew by each run: a prepared call that held them would keep them from being
 * dropped. Its constants, which depend on neither draws nor tiles (windows, the spectra of a kernel that came inline), are
 * computed by the first run to end, which leaves them to those that begin after it. */
#ifndef TRNSCI_ENGINE_PREPARED_CORE_H
#define TRNSCI_ENGINE_PREPARED_CORE_H

#include <stdatomic.h>

#include "engine/call/run.h"
#include "engine/operations/bind.h"
#include "engine/memory/engine_session_core.h"
#include "engine/memory/tile_use.h"
#include "engine/call/prepared_changes.h"

/* A tile that the call names, in the order of first mention. */
struct prepared_tile {
	uint64_t handle;
	int buffer; /* -1: no step uses it */
};

/* Where the samples of a single draw go that takes a few microseconds; or the call is none. */
enum short_draw { SHORT_DRAW_NONE, SHORT_DRAW_TILE, SHORT_DRAW_REPLY };

/* A run without a request has a few tiles. */
enum { PREPARED_TILES_FEW = 16 };

/* What runs without a request; one at a time. A second run that comes meanwhile becomes a request. In the call's bump.
 */
struct inline_run {
	/* Set, with the session's lock, by the thread that runs it until its reply has been read; or a batch holds that
	 * lock while it is clear. Guards all below. */
	atomic_bool busy;
	enum short_draw short_draw;
	bool is_ready; /* its plans are; never reset */
	struct job job;
	struct run run; /* each time at other handles, addresses and positions */
	struct value reply;
	struct tile_holder holder; /* the tiles of the last time, whose handles the run has */
};

/* A prepared call. Once it is in the table it is constant, except for refs, next, the constants and what `kept` holds.
 */
struct prepared {
	struct prepared *next; /* in its bucket of the session's table; guarded by the session's lock */
	atomic_uint refs;      /* the table's, and one of each run */
	uint32_t handle;       /* 1 and up; 0: not in the table yet */
	struct inline_run *kept; /* NULL: its runs are requests */
	struct bump *bump;     /* owned; holds all that the pointers below lead to */
	const struct operation *operation;
	unsigned takes; /* which of PREPARED_SEED ... its method has */
	bool names_memory; /* of the caller's, which each run states */
	uint64_t timeout_ms; /* of each run, from its start; 0: none */
	struct plan plan;
	struct run first; /* copied by each run */
	struct value reply; /* of the first run */
	struct prepared_tile *tiles;
	size_t n_tiles;
	bool replies; /* has results in its reply, not in tiles alone */
	char **constants; /* by buffer: work memory that the first run left; NULL where it is no constant */
	uint64_t constant_bytes; /* at most 16 MiB; 0: the call has no constants */
	struct engine *engine; /* whose work memory and plans these are; a run's reply may outlive the session */
	/* The first run to end sets `taken` and fills `constants`; then it stores `learnt` with release, and a run that
	 * loads it with acquire sees them. */
	atomic_flag taken;
	atomic_bool learnt;
	uint64_t charge; /* bytes, given back with the last reference: runs in progress hold one after release */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
};

/* ---- creation (engine/prepare.h) ---- */

/* Marks the segments and buffers of a plan that are the same in every run. Returns the bytes of the
 * buffers, 0 where there are none or they are too large to be kept (prepared_constants.c). */
uint64_t prepared_find_constants(struct plan *plan);

/* ---- the table (prepared.c) ---- */

/* Checks whether the session may keep one more. Hold memory->lock. Returns -ERROR_CLOSED or -ERROR_LIMIT. */
int prepared_check_room(const struct engine_session *session, struct error *err);

/* Once its deferred parts are built, gives it to the session. Handles are never reused in a session.
 * -ERROR_CLOSED, -ERROR_LIMIT */
int prepared_keep(struct engine_session *session, struct prepared *prepared, uint32_t *ret_handle, struct error *err);
void prepared_release_all(struct engine_session *session);

/* Returns a reference, for prepared_drop; NULL: there is no call of that handle. */
struct prepared *prepared_find(struct engine_session *session, uint64_t handle);
/* The same. Hold the memory's lock. */
struct prepared *prepared_find_locked(struct engine_session *session, uint64_t handle);
/* The same without a reference: it lives until the lock is released. */
struct prepared *prepared_get_locked(struct engine_session *session, uint64_t handle);

/* ---- what a run states (run_changes.c) ---- */

/* Sets in a copy of the first run, or in the run that is kept, what the call states and these changes over it. Returns 1 if
 * other tiles stand in the run than before, 0 if not, or an error, with which the run is undefined:
 * -ERROR_UNKNOWN_PARAMETER, -ERROR_BAD_TILE, -ERROR_NOT_SUPPORTED (results in the reply), -ERROR_MISSING_PARAMETER (memory) */
int prepared_change(const struct prepared *prepared, const struct prepared_changes *changes, struct run *run,
		    struct error *err);

/* The same by the bound parameters of run_prepared. Returns 0 or an error. */
int prepared_read_changes(const struct prepared *prepared, const struct args *args, struct run *run, struct error *err);

/* ---- runs as requests (prepared_run.c) ---- */

/* Takes over the constants of a run that has ended without an error, unless another run's were taken before. Any
 * thread. */
void prepared_learn(struct prepared *prepared, struct run *run);

/* Makes the run of a request a copy of the first run of the call of that handle. Set run->bound.engine and .bump before.
 * *ret_prepared lives as long as the bump. Call run_end also after an error. -ERROR_BAD_TILE, -ERROR_NO_MEMORY */
int prepared_copy_run(struct engine_session *session, uint64_t handle, struct value *reply, struct run *run,
		      struct prepared **ret_prepared, struct error *err);
/* Takes the tiles that the run states, which are there and of the shapes that the call was compiled for, and gets its
 * results their memory. Constants that an earlier run left are read where they lie. placement_seek has to follow.
 * -ERROR_BAD_TILE, -ERROR_BAD_SHAPE, -ERROR_NO_MEMORY */
int prepared_bind(const struct prepared *prepared, struct run *run, struct error *err);

/* ---- runs without a request (inline_run.c) ---- */

/* Makes prepared->kept where the call is small (is_small). Call it when the plan has been compiled and its tables are
 * built. Returns 0, also where it is not small, or -ERROR_NO_MEMORY. */
int prepared_create_inline(struct prepared *prepared);
/* Hold the session's lock. Begins a run in place with the tiles whose handles the run has; after a failure none are held.
 * -ERROR_BAD_TILE */
int prepared_take_tiles_locked(const struct prepared *prepared);
/* Returns about how many bytes the plans have that it holds. */
uint64_t prepared_inline_bytes(const struct prepared *prepared);

#endif
