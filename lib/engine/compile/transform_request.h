/* SPDX-License-Identifier: Apache-2.0 */
/* What a request for a transform asks for: its axes, lengths, kind, mode and dtypes, read and checked. */
#ifndef TRNSCI_ENGINE_COMPILE_TRANSFORM_REQUEST_H
#define TRNSCI_ENGINE_COMPILE_TRANSFORM_REQUEST_H

#include "engine/compile/compiler.h"
#include "fft/precision/precision.h"

/* Which transforms an operation makes: fft, dct or dst. */
enum transform_family { TRANSFORM_FOURIER, TRANSFORM_COSINE, TRANSFORM_SINE };

/* Of which direction the scale is; in the order of the parameter's choices. */
enum norm { NORM_BACKWARD, NORM_ORTHO, NORM_FORWARD };

/* A transform, on its caller's stack. */
struct request_fft {
	struct buffer *in;
	unsigned n_axes, axes[SHAPE_MAX_DIMS]; /* in the order given; the last is transformed first */
	uint64_t lengths[SHAPE_MAX_DIMS];      /* of each axis: the transform's */
	bool inverse;
	bool halves, reals; /* the last axis is half a spectrum in the result, or in the input and real in the result */
	enum plan_kind kind; /* of the last axis; of a series, of all of them */
	enum norm norm;
	enum precision precision;        /* that runs */
	enum dtype work, work_real, out; /* of the arithmetic, complex and real; of the result */
	double bound; /* of the relative L2 error, over all axes and roundings */
	struct buffer *max_abs; /* of float64 input to a float32 mode: the largest magnitude of each transform; else NULL */
};

/* Returns whether it is a cosine or sine transform. The numbers of their plans follow those of Fourier transforms, two
 * for each type: as scipy has it, and orthogonal. */
static inline bool transform_is_series(const struct request_fft *f)
{
	return f->kind >= PLAN_SERIES;
}

/* Returns which series it is, from 0; only if transform_is_series. */
static inline enum fft_series transform_series(const struct request_fft *f)
{
	return (f->kind - PLAN_SERIES) / 2;
}

/* Reads the bound parameters of a transform. All but `max_abs` is set; it stays NULL. Unless c->error stands afterwards,
 * there is at least one axis, and all axes and lengths are in range. */
void transform_read(struct compiler *c, enum transform_family family, struct request_fft *f);

/* Adds the step of axes [first, end), the last of them first, and returns it. The other axes go before one whose result is real. Of f it
 * reads axes, lengths, inverse, kind, norm and precision. (transform.c) */
struct step *transform_axes(struct compiler *c, const struct request_fft *f, unsigned first, unsigned end, struct buffer *in,
			    struct buffer *out);

#endif
