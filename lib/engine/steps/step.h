/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: what a plan computes, one operation over buffers at a time.
 *
 * Each kind of step is one row of functions, struct step_ops, and one file of this folder. Element-wise kinds fill a
 * run of elements from the same elements of their inputs, so consecutive ones are fused into one segment. A step of any
 * other kind is a segment of its own: it runs stage by stage, and the chunks of a stage run on any threads in any
 * order. */
#ifndef TRNSCI_ENGINE_STEPS_STEP_H
#define TRNSCI_ENGINE_STEPS_STEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/staged_work.h"
#include "colored/colored.h"
#include "engine/engine_core.h"
#include "engine/memory/tile.h"
#include "engine/operations/shape.h"
#include "engine/steps/deferred_build.h"
#include "engine/steps/plan_cache.h"
#include "engine/steps/stream_placement.h"
#include "distributions/draw/draw.h"
#include "distributions/fields/field_work.h"
#include "math/algebra.h"
#include "distributions/quasi/points.h"
#include "fft/precision/precision.h"
#include "fft/signals/signal.h"
#include "gemm/gemm.h"

struct fractional;
struct step_ops;

enum buffer_kind {
	BUFFER_TILE,
	BUFFER_INPUT,  /* came with the request */
	BUFFER_RESULT, /* goes with the reply */
	BUFFER_CALLER, /* memory of the caller's: an output, or stated by each run of a prepared call */
	BUFFER_TEMP,   /* in scratch if only one segment uses it, else in memory from its first use to its last */
};

/* What a plan knows of an array that its steps read or write. Where it lies is each run's: bindings.base[index]. */
struct buffer {
	enum buffer_kind kind;
	struct shape shape;
	unsigned index;
	bool is_new; /* TILE that this request has made; freed again if the request fails */
	/* TILE: its handle as compiled; of a prepared call, what the error of one that is gone begins with. CALLER of a
	 * prepared call: which memory of its runs. */
	uint32_t handle;
	const char *context, *param;
	size_t first, last; /* segments that use it */
	bool used;
	bool is_constant; /* TEMP that is the same in every run, and kept for later ones */
	int slot;         /* in scratch; -1: in memory */
};

/* Which of a draw's parameters are arrays. */
struct step_arrays {
	unsigned n;                              /* in[0] .. in[n - 1] */
	unsigned char parameters[DIST_PARAMETERS]; /* of in[k], in the order of the distribution's row */
	const struct operation *operation;
	const char *context; /* what an error's text begins with */
};

struct draw_step {
	struct draw draw; /* but for the stream */
	/* Parameters that are arrays, NULL: all are numbers. They are the step's inputs, read as a whole. */
	const struct step_arrays *arrays;
};

struct points_step {
	struct points_settings settings; /* but for the stream; n: of a set of so many points */
};

struct algebra_step {
	enum algebra_operation operation;
	struct algebra_numbers numbers;
	bool tests; /* where: the condition is that in[2] is above `above`, not that it is not 0 */
	double above;
};

struct reduce_step {
	unsigned kind;                 /* enum reduction */
	uint64_t outer, length, inner; /* of in[0]: out is (outer, inner) */
};

struct resize_step {
	uint64_t shift[SHAPE_MAX_DIMS]; /* below the axis' size, which then does not change */
};

struct fft_step {
	/* Of each transform, in their order. */
	unsigned char axis[SHAPE_MAX_DIMS];
	double factor[SHAPE_MAX_DIMS];
	uint64_t length; /* of the first */
	enum precision precision;
	bool inverse;
	bool parts; /* each part of a complex element is transformed alone */
};

struct gemm_step {
	enum gemm_precision precision;
	struct gemm_call call;
};

struct trace_step {
	struct draw draw;       /* but for the stream */
	uint64_t basis, probes; /* of Hutch++: in S; and those whose forms are averaged */
};

struct signal_step {
	const struct signal_kind *kind;
	const void *call; /* owned by the bump allocator */
};

struct colored_step {
	const struct colored_filter *filter; /* made before the first segment */
};

/* A field or a task, owned by the bump allocator. */
struct field_step {
	const struct field *field;
	enum field_task task;
	const struct field_box *box;
	const struct fractional *fractional;
};

enum step_kind {
	STEP_DRAW,
	STEP_POINTS,
	STEP_CAST,    /* to the dtype of out, also the same one */
	STEP_ALGEBRA, /* arithmetic of in[0], in[1], in[2], which may repeat (math/algebra.h) */
	STEP_ALGEBRA_RESIZED, /* the same, where an operand's elements have another size than out's */
	STEP_DRAW_PER_SAMPLE, /* a draw of which some parameters are arrays: in[k], each as long as it likes */
	/* Not element-wise: */
	STEP_REDUCE, /* sums and the like along an axis */
	STEP_RESIZE, /* pad with zeros or trim each axis to out's, and cast; or move it round by its shift */
	STEP_FFT,    /* along some axes: complex, or between reals and half a spectrum, then never in place; cosine
		      * or sine transforms, of complex elements each part alone */
	STEP_GEMM,   /* out: alpha op(in[0]) op(in[1]) + beta out */
	STEP_TRACE,  /* out: an estimate of in's trace and its standard error, NaN when it has none */
	STEP_SIGNAL, /* chunks of lib/fft's work on signals */
	STEP_COLORED, /* out: samples of coloured noise */
	STEP_FIELD,  /* half spectra by the root of a field's spectrum; the covariance and the sums of fractional noise */
	STEP_CHECK,  /* a covariance's transform has no values too far below 0 */
	STEP_KINDS,
};

/* Where costs are learned: rows of engine->costs. A transform has one for each precision and octave of its length, a
 * draw two for each distribution (up to 32 bits, and 64). */
enum cost_row {
	COST_ARITHMETIC,
	COST_RESIZE,
	COST_POINTS,
	COST_GEMM,
	COST_TRACE,
	COST_SIGNAL,
	COST_COLORED,
	COST_FIELD,
	COST_TRANSFORM,
	COST_LENGTHS = 64, /* of transforms, by their logarithm */
	COST_DRAW = COST_TRANSFORM + PRECISIONS * COST_LENGTHS,
	COST_REPLAY = COST_DRAW + 2 * DIST_COUNT, /* a draw in another framework's layout */
	COST_END,
};

enum { STEP_INPUTS = 4, STEP_NO_TRANSFORM = -1 };

/* One step of a plan, constant once the plan is finished. */
struct step {
	const struct step_ops *ops;     /* the row of its kind */
	int placement;                  /* of a kind that has `place`: index of its position; -1: none */
	struct buffer *in[STEP_INPUTS]; /* NULL where there is none */
	struct buffer *out;
	int transform;         /* of a kind that awaits plans: index of the first, or STEP_NO_TRANSFORM */
	unsigned n_transforms; /* of these, which have indexes one behind the other */
	bool overwrites_in;    /* the content of in[0], a temporary, may be lost */
	const char *failure;   /* the error's text when a chunk fails; NULL: the error's own meaning */
	/* Set by plan_finish: */
	const struct staged_work *staged; /* of a kind with `cut` */
	uint64_t work_bytes;
	union {
		struct draw_step draw;
		struct points_step points;
		struct algebra_step algebra;
		struct reduce_step reduce;
		struct resize_step resize;
		struct fft_step fft;
		struct gemm_step gemm;
		struct trace_step trace;
		struct signal_step signal;
		struct colored_step colored;
		struct field_step field;
	};
};

/* Where the samples of a draw or a trace, or a set's points, lie in their stream. placement_seek sets it before each run.
 */
struct position {
	struct draw_position at; /* of the whole draw */
	enum layout layout;      /* as the reply states it */
	bool text;               /* integers as text */
	uint64_t origin; /* sample of the stream at which counting from the draw's start begins: offset less what was skipped */
	uint64_t begin; /* what out's first element is: component of the stream, coordinate of the set; of a trace the
			 * sample that is component 0 of the first probe */
	union {
		struct {
			struct draw draw; /* the step's, of its stream, whose seed is not at.seed in the layout trn24 */
			struct layout_call call; /* the draw's, of this run */
			struct draw_array_fault *fault; /* of array parameters */
			struct value_member *results;   /* of a trace, of coloured noise and of a check, in the reply */
			struct colored_draws colored;   /* of the draw, for staged work */
		};
		struct {
			struct stream stream; /* that scrambles the set */
			struct points *set; /* in a bump allocator that outlives the run; NULL until it is made */
			bool is_noted; /* a deferred build makes it, for the stream that the settings have */
			struct points_settings settings;
		};
	};
};

/* Returns the stream that a position is in. */
static inline struct stream *position_stream(struct position *position, bool is_points)
{
	return is_points ? &position->stream : &position->draw.stream;
}

/* Copies what a step draws to its position, but for the stream, and once: a run that is kept, or copied, has it. */
static inline void position_set_draw(struct position *position, const struct draw *draw)
{
	const struct stream stream = position->draw.stream;

	if (position->draw.dtype != DTYPE_NONE)
		return;
	position->draw = *draw;
	position->draw.stream = stream;
}

/* What a run binds to the numbers of its plan (engine/call): by buffer, by transform, by placement. */
struct bindings {
	struct engine *engine;
	struct bump *bump;               /* of the run: the arrays below, and what its steps need */
	struct deferred_builds deferred; /* tables and sets, built in pieces before the first segment */
	char **base;                     /* NULL where a buffer has no memory, or none yet */
	struct plan_entry **transforms;  /* their plans, which the run holds */
	struct position *positions;
};

/* Returns where a buffer lies; NULL: there is none. */
static inline char *bound_base(const struct bindings *bound, const struct buffer *buffer)
{
	return buffer ? bound->base[buffer->index] : NULL;
}

/* Returns the plan of a step's i-th transform. Phases, chunks, work and scratch may be asked before it is ready. */
static inline struct plan_entry *bound_transform(const struct bindings *bound, const struct step *step, unsigned i)
{
	return bound->transforms[(unsigned)step->transform + i];
}

/* A step that runs, of a kind that is not element-wise. Each kind's own state begins with it. */
struct step_run {
	struct engine *engine;
	const struct bindings *bound;
	const struct step *step;
	struct plan_waiter waiter; /* of the job, for the step's plans */
	unsigned n_ready;          /* of them; the next is waited for */
	/* Of a kind with `cut`: the memory, the stage that runs, its chunks, the words of 32 bits that each makes on average, and the error
	 * of any chunk that failed. Relaxed: step_advance reads it when all chunks are done, which the scheduler orders. */
	struct staged_io io;
	size_t stage, n_chunks;
	uint64_t chunk_words;
	atomic_int error;
	char *work;                /* step->work_bytes, uninitialised and aligned to 64; NULL for none */
	bool started;              /* a stage has begun */
	uint64_t chunk_ns;         /* first value of the time of a chunk of the stage; 0: not known */
	bool single_thread;        /* the stage is best left to one thread */
	size_t scratch_bytes;      /* that a chunk needs, where all run in one stage; else JOB_SCRATCH_ALL */
};

struct step_ops {
	/* Element-wise kinds have these two. Elements [begin, begin + n): in and out point at element `begin` and are
	 * aligned to their element, but for a cast to the same dtype, whose input need not be. in[i] and out may be the
	 * same place. There are three inputs; one with another number of elements than out is passed as NULL. */
	void (*fill)(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
		     const void *const in[], void *out);
	/* First value of the picoseconds that an element takes on one core. */
	uint64_t (*element_ps)(const struct engine *engine, const struct step *step);

	/* Kinds whose elements can be refused: what was found while the step ran, NULL: nothing checks. An error, whose
	 * text is in bump and in *ret_failure. */
	int (*check)(const struct bindings *bound, const struct step *step, const char **ret_failure);
	bool reads_whole; /* in[k] have lengths of their own, and must be complete before the step; not passed to fill */

	/* Kinds whose work is staged: cuts it, once, when the plan is finished. The plans of its transforms, which are its tables,
	 * need not be ready; those of another run may be others. NULL: no memory. */
	const struct staged_work *(*cut)(const struct bindings *bound, struct bump *bump, const struct step *step);
	/* Before each of their stages, and after the last; NULL: nothing to do. */
	void (*begin_stage)(struct step_run *run);
	bool reruns; /* a run that has ended can begin again, its buffers' addresses being others of the same shapes */

	/* The other kinds have these. First value of the nanoseconds that the step takes on one core. */
	uint64_t (*cost_ns)(const struct bindings *bound, const struct step *step);
	/* Bytes of memory that the step needs from its begin to its end; NULL: none. */
	uint64_t (*work_bytes)(const struct bindings *bound, const struct step *step);
	/* Buffers and work have their memory. NULL: nothing to do. -ERROR_NOT_SUPPORTED: scratch is too small. */
	int (*begin)(struct step_run *run);
	/* As those of job_ops: the next stage, and one of its chunks. */
	int (*advance)(struct step_run *run, size_t *ret_chunks);
	uint64_t (*run_chunk)(struct step_run *run, size_t chunk, void *scratch);

	/* Of the state, which begins with a struct step_run and is zero at first. 0: it is one. */
	size_t run_bytes;

	/* Kinds that draw: set what they need of their position, whose place in the stream is there. NULL: it draws none.
	 * -ERROR_NO_MEMORY */
	int (*place)(struct bindings *bound, const struct step *step, const struct placement *placement);
	bool replies; /* it writes position.results */
	/* Where its cost is learned, a row of enum cost_row; of one with rows of its own, which one from there on. */
	unsigned cost_row;
	unsigned (*find_cost_row)(const struct step *step);
	bool builds;       /* place may build tables, which takes memory */
	bool changes_size; /* an element of out has another size than one of in[0]: not done in place in scratch */
};

/* The rows of all kinds; each is defined in the file of its kind. */
extern const struct step_ops step_algebra, step_algebra_resized, step_reduce, step_draw, step_draw_per_sample, step_points,
	step_cast, step_resize, step_fft, step_gemm, step_trace, step_signal, step_colored, step_field, step_check;

/* Whether an algebra_operation has a function for that dtype. */
bool step_algebra_has(unsigned operation, enum dtype dtype);

/* Whether a step reads any elements of an input, not those of its own indices. */
static inline bool step_reads_whole(const struct step *step, const struct buffer *buffer)
{
	if (buffer == step->out || (!step->ops->reads_whole && buffer->shape.n == step->out->shape.n))
		return false;
	for (unsigned k = 0; k < STEP_INPUTS; k++)
		if (step->in[k] == buffer)
			return true;
	return false;
}

static inline bool step_is_elementwise(const struct step *step)
{
	return step->ops->fill;
}

/* Where what such work costs is learned. */
struct cost *step_cost(struct engine *engine, const struct step *step);

/* Cuts the work of a step, and finds its memory while it runs. -ERROR_NO_MEMORY. */
int step_cut(const struct bindings *bound, struct bump *bump, struct step *step);

/* Returns the first value of the nanoseconds that a step that was cut, and is not element-wise, takes on one core. */
uint64_t step_cost_ns(const struct bindings *bound, const struct step *step);

/* Begins a step that is not element-wise, and gets its state and work memory. It is then advanced and its chunks are run
 * like a job's, until JOB_END. -ERROR_NO_MEMORY, -ERROR_NOT_SUPPORTED. */
int step_begin(const struct bindings *bound, const struct step *step, struct job *job, struct step_run **ret_run);
/* Makes one that has ended begin again, if its kind reruns; or goes back to its first stage and finds where its buffers are, for one
 * that was begun before. */
void step_rewind(struct step_run *run);
void step_place(struct step_run *run);
int step_advance(struct step_run *run, size_t *ret_chunks);
uint64_t step_run_chunk(struct step_run *run, size_t chunk, void *scratch);
/* Frees it, at its end or earlier, when no chunk runs. Accepts NULL. */
void step_end(struct step_run *run);

#endif
