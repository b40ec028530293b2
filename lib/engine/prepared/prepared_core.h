/* SPDX-License-Identifier: Apache-2.0 */
/* What a prepared call is made of; for the engine's own room.
 *
 * Its program has steps, segments and placements, but no memory for results and no use of a tile: each run has those.
 * Plans are taken anew by each run: a prepared call that held them would keep them from being dropped. Its constants,
 * which depend on neither draws nor tiles (windows, the spectra of a kernel that came inline), are computed by the
 * first run, which leaves them to those that begin after its end. */
#ifndef TRNSCI_ENGINE_PREPARED_CORE_H
#define TRNSCI_ENGINE_PREPARED_CORE_H

#include <stdatomic.h>

#include "engine/compile/compile.h"
#include "engine/memory/session_memory_core.h"
#include "engine/prepared/prepared_changes.h"

/* The buffers of a step as indices of the prepared call's array. */
struct prepared_links {
	int in[STEP_INPUTS], out, plan; /* -1: none */
};

/* A tile that the call names, in the order of first mention. */
struct prepared_tile {
	uint64_t handle;
	int buffer; /* -1: no step uses it */
};

/* Where the reply names a tile. */
struct prepared_mention {
	int step; /* whose map it is in; -1: the reply itself */
	int buffer;
};

/* What runs without a request; one at a time. */
struct prepared_inline {
	atomic_flag busy;
	bool is_ready; /* its plans are */
	struct job job;
	struct program program;
	struct value reply;
	struct buffer *buffers;
	struct value **mentions; /* as those of the prepared call */
	uint64_t *tiles, *sorted; /* room for the handles of a run */
};

struct prepared {
	struct prepared *next; /* in its bucket of the session's table */
	atomic_uint refs;      /* the table's, and one of each run */
	uint32_t handle;
	struct bump *bump;
	const struct operation *operation;
	unsigned takes; /* which of PREPARED_SEED ... its method has */
	bool names_memory; /* of the caller's, which each run states */
	struct stream_choice choice; /* what it states for draws that state nothing, or for its one draw */
	const struct value *name;  /* the named stream among that; NULL */
	uint64_t timeout_ms;
	struct program program;
	struct buffer *buffers;
	size_t n_buffers;
	struct prepared_links *links; /* of each step */
	struct plan_key *plans;
	size_t n_plans;
	struct prepared_tile *tiles;
	size_t n_tiles;
	struct prepared_mention *mentions;
	size_t n_mentions;
	struct value reply;
	bool replies; /* has results in its reply, not in tiles alone */
	char **constants; /* of each buffer: what the first run left; NULL where it is no constant */
	uint64_t constant_bytes;
	struct engine *engine; /* whose they are; a run's reply may outlive the session */
	atomic_flag taken;     /* a run has its constants taken over */
	atomic_bool learnt;
	struct prepared_inline *now; /* NULL: its runs are requests */
	uint64_t charge; /* given back when nobody holds it any more: runs under way do after release */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
};

/* ---- creation (prepared_create.c; prepared_make in prepared.h) ---- */

/* Compiles the call that args, of `prepare`, describe. Errors are those of the call itself; -ERROR_LIMIT names
 * `prepared`, `max_bytes`, or the owner's memory limit. The result is yours until prepared_keep or prepared_drop. */
int prepared_begin(struct session_memory *memory, const struct args *args, struct prepared **ret_prepared,
		   struct error *err);

/* ---- the table (prepared.c) ---- */

/* Checks whether the session may keep one more. Hold memory->lock. Returns -ERROR_CLOSED or -ERROR_LIMIT. */
int prepared_check_room(const struct session_memory *memory, struct error *err);

/* Once its deferred parts are built, gives it to the session. Handles are never reused in a session.
 * -ERROR_CLOSED, -ERROR_LIMIT */
int prepared_keep(struct session_memory *memory, struct prepared *prepared, uint32_t *ret_handle, struct error *err);
void prepared_release_all(struct session_memory *memory);

/* A reference; NULL: there is none of that handle. */
struct prepared *prepared_find(struct session_memory *memory, uint64_t handle);

/* ---- runs (prepared_bind.c) ---- */

/* What a run states, checked. */
struct prepared_choice {
	struct stream_choice placement;
	const struct value *name; /* the named stream; NULL: none */
	bool has_offset;          /* the run's own */
	const uint64_t *tiles;    /* handles, one for each tile that the call names; NULL: as prepared */
	void *const *memory;      /* of the caller's; NULL: the call names none */
};

/* The choice of a run with these changes; undefined on failure. to: room for prepared->n_tiles handles, and sorted for as many. context begins
 * an error's text. -ERROR_UNKNOWN_PARAMETER, -ERROR_BAD_TILE */
int prepared_choose(const struct prepared *prepared, const struct prepared_changes *changes, uint64_t *to,
		    uint64_t *sorted, const char *context, struct prepared_choice *ret, struct error *err);
/* Each tile stands for one: what is written in place is laid out apart. -ERROR_BAD_TILE */
int prepared_check_tiles(const struct prepared *prepared, const uint64_t *to, uint64_t *sorted, const char *context,
			 struct error *err);

/* A run of it, in program's own bump allocator: with its tiles, which are there and of the shapes that it was compiled
 * for, its own results and the reply, but not placed. -ERROR_BAD_TILE, -ERROR_BAD_SHAPE, -ERROR_NO_MEMORY; program_end is then to
 * be called, too. */
int prepared_bind(struct prepared *prepared, struct program *program, const struct prepared_choice *choice,
		  struct value *reply, struct error *err);
/* A tile's buffer; what it holds from here on, program_end gives back. */
int prepared_bind_tile(struct program *program, struct buffer *buffer, struct error *err);
/* What the choice says of the streams, in placements that are the run's own. */
int prepared_bind_placements(struct program *program, const struct prepared_choice *choice, struct error *err);

/* A run has come to its end, and nothing of it failed. Any thread. */
void prepared_learn(struct prepared *prepared, struct program *program);

/* Compiles the bound `run_prepared`; and a run of that handle with these changes. */
int prepared_compile(struct compiler *compiler);
int prepared_compile_run(struct compiler *compiler, uint32_t handle, const struct prepared_changes *changes);

/* ---- runs without a request (prepared_inline.c) ---- */

/* After everything else is made and built: where it is small. -ERROR_NO_MEMORY */
int prepared_create_inline(struct prepared *prepared);
/* Of the plans that it holds, about. */
uint64_t prepared_inline_bytes(const struct prepared *prepared);

#endif
