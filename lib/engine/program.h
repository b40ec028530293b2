/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: what a request computes, as steps over buffers, and how it is cut into stages.
 *
 * A single operation is a program of one step. Consecutive element-wise steps over the same number of elements become
 * one *segment* that runs chunk by chunk: block after block, all its steps, with intermediate values in the thread's
 * scratch. Every other step is a segment of its own. Segments run one after another, so a step that overwrites a tile
 * is ordered against all that read it; inside a segment only equal element indices meet, block by block in order. */
#ifndef TRNSCI_ENGINE_PROGRAM_H
#define TRNSCI_ENGINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dist/draw.h"
#include "dist/points.h"
#include "engine/making.h"
#include "engine/plans.h"
#include "engine/shape.h"
#include "engine/site.h"
#include "engine/tile.h"
#include "fft/signal.h"
#include "gemm/gemm.h"

enum buffer_kind {
	BUFFER_TILE,
	BUFFER_INPUT,  /* came with the request */
	BUFFER_RESULT, /* goes with the reply */
	BUFFER_TEMP,   /* in scratch if only one segment uses it, else in memory from its first use to its last */
};

struct buffer {
	enum buffer_kind kind;
	struct shape shape;
	char *base; /* TEMP: NULL while it has no memory */
	struct tile *tile;
	/* TILE of a program that is kept: its handle, and what the error of one that is gone begins with. */
	uint32_t handle;
	const char *context, *param;
	size_t first, last; /* segments that use it */
	bool used;
	bool lent; /* TEMP of a run: a constant, whose memory stays until the end, for those that follow */
	int slot;  /* in scratch; -1: in memory */
	int result; /* RESULT of a program: which of its results; else -1 */
	struct buffer *next;
};

/* A plan that a program holds. */
struct plan_use {
	struct plan_key key;
	struct plan_entry *entry;
	struct plan_use *next;
};

enum step_kind {
	STEP_DRAW,
	STEP_POINTS,
	STEP_BOX_MULLER,
	STEP_SCALE,
	STEP_ADD,
	STEP_NOISE_ADD, /* in[0] + scale.by in[1], rounded once */
	STEP_CAST, /* to the dtype of out, also the same one */
	/* Not element-wise: */
	STEP_RESIZE, /* pad with zeros or trim each axis to out's, and cast; or move it round by its shift */
	STEP_FFT,    /* along one axis: complex, or between reals and half a spectrum, then never in place; a cosine
		      * or sine transform, of complex elements each part alone */
	STEP_GEMM,   /* out: alpha op(in[0]) op(in[1]) + beta out */
	STEP_TRACE,  /* out: an estimate of in's trace and its standard error, NaN when it has none */
	STEP_SIGNAL, /* units of lib/fft's work on signals */
};

enum { STEP_INPUTS = 3 };

struct step {
	enum step_kind kind;
	int site; /* of a draw, points or a trace: where they lie, which site_place finds */
	struct buffer *in[STEP_INPUTS]; /* NULL where there is none */
	struct buffer *out;
	union {
		struct {
			struct draw law;
			uint64_t begin; /* component of the stream that is out's first */
		} draw;
		struct {
			struct points *set; /* belongs to the zone, or to the program that is kept; NULL at first */
			bool is_noted;      /* it is to be made, for the stream that the settings have */
			struct points_settings settings;
			uint64_t begin; /* coordinate of the set that is out's first */
		} points;
		struct {
			double by, plus;
		} scale;
		struct {
			uint64_t shift[SHAPE_MAX_DIMS]; /* below the axis' size, which then does not change */
		} resize;
		struct {
			unsigned axis;
			struct plan_entry *plan;
			uint64_t length; /* of the transform */
			enum precision precision;
			bool inverse;
			bool parts; /* each part of a complex element is transformed alone */
			double factor;
			uint64_t work_bytes; /* set by program_finish */
		} fft;
		struct {
			enum gemm_precision precision;
			struct gemm_call call; /* but for the addresses */
			uint64_t work_bytes;   /* set by program_finish */
		} gemm;
		struct {
			struct draw law;
			uint64_t begin;                         /* sample that is component 0 of the first probe */
			uint64_t basis, probes;                 /* of Hutch++: in S; and those whose forms are averaged */
			struct value *ret_estimate, *ret_error; /* in the reply */
			uint64_t work_bytes;                    /* set by program_finish */
		} trace;
		struct {
			const struct signal_kind *kind;
			const void *call;        /* belongs to the zone */
			struct plan_entry *plan; /* NULL: it needs none */
			const char *failure;     /* what an error of a unit means; NULL: it has none */
		} signal;
	};
};

struct segment {
	size_t first, count; /* steps */
	uint64_t n;          /* elements */
	size_t chunk, block; /* elements of a unit, and of a pass of all steps inside it */
	bool constant;       /* the same in every run: neither draws nor tiles lie before it */
};

struct program {
	struct space *space;
	struct zone *zone;
	struct step *steps;
	size_t n_steps, steps_room;
	struct buffer *buffers;
	struct plan_use *plans;
	struct sites sites;
	bool keeps; /* it is compiled to be kept: what a request brought is copied, and results have no memory */
	bool outlives; /* it is made after the request is gone: weights that it brought are copied */
	bool knows; /* what its constant segments make was there at its beginning: they are passed over */
	struct form *form;            /* of which it is a run; NULL */
	size_t inline_in, inline_out; /* bytes */
	uint64_t held_bytes;          /* of tables, beside the zone */
	uint64_t work_bytes;          /* the most that their making takes meanwhile */
	struct making *makings, *last_making; /* to be made, before anything runs */
	uint32_t made_ns;                     /* about what has been made at once */
	uint64_t temp_bytes;          /* the most that temporaries hold at once; after program_finish */
	struct segment *segments;
	size_t n_segments;
	/* Execution. */
	size_t at; /* the segment that is next, or runs */
	bool begun;
	struct transform *transform; /* of the segment that runs, when it is one */
	const char *failure;         /* the text of its error, where the step has one */
};

/* A buffer without memory. NULL when there is no memory for it. */
struct buffer *program_buffer(struct program *program, enum buffer_kind kind, const struct shape *shape);

/* A step of that kind, to be filled in at once; NULL when there is no memory. */
struct step *program_step(struct program *program, enum step_kind kind, struct buffer *in, struct buffer *out);

/* A plan that the program holds until program_end. -ERROR_NO_MEMORY, -ERROR_OUT_OF_RANGE (n). */
int program_plan(struct program *program, struct plan_key key, struct plan_entry **ret_plan);

/* Gives a result its memory, which lives as long as the zone. -ERROR_NO_MEMORY */
int program_result(struct program *program, struct buffer *buffer);

/* After the last step: cuts the program into segments and checks temp_bytes. context begins an error's text. */
int program_finish(struct program *program, const char *context, struct error *err);

/* About what the whole takes on one core; UINT64_MAX when it would have to wait for a plan. */
uint64_t program_cost_ns(const struct program *program);

/* As job_ops: the program's next stage (ret_units with JOB_STAGE), and a unit of it. */
int program_advance(struct program *program, struct job *job, size_t *ret_units);
uint64_t program_run(struct program *program, size_t unit, void *scratch);

/* Gives tiles back and frees temporaries; results belong to the zone. */
void program_end(struct program *program);

#endif
