/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations on signals share when they are compiled.
 *
 * They compute in float32 or float64, as their input is (`wide`), and have no precision modes. Each either runs as one
 * step that keeps a frame in a thread's scratch (signal_stays), or, where frames are too long for that, as several
 * steps over temporaries. */
#ifndef TRNSCI_ENGINE_COMPILE_SIGNAL_H
#define TRNSCI_ENGINE_COMPILE_SIGNAL_H

#include "engine/compile/compiler.h"
#include "fft/signals/frames.h"

/* Returns the dtype of elements in that arithmetic, and the arithmetic's number in lib/fft. */
enum dtype signal_dtype(bool wide, bool is_complex);
enum fft_precision signal_precision(bool wide);

/* Adds a temporary of shape (count, rows, columns). ERROR_LIMIT beyond 2^62 bytes. */
struct buffer *signal_temp(struct compiler *c, enum dtype dtype, uint64_t count, uint64_t rows, uint64_t columns);

/* Returns the window that the three parameters from `param` on ask for (WINDOW_NAME ...), n long, in the arithmetic's
 * dtype. given: what signal_given_window returned. */
struct buffer *signal_window(struct compiler *c, unsigned param, struct buffer *given, uint64_t n, bool wide,
			     const struct buffer *out);

/* Returns the window that came as values, of whatever length; NULL where none did. */
struct buffer *signal_given_window(struct compiler *c, unsigned param);

/* Copies a description of `size` bytes to the plan's bump, as its steps need it while they run. NULL: an error stands.
 */
void *signal_keep(struct compiler *c, const void *call, size_t size);

/* Adds a step of that kind over a description that signal_keep copied. transform: STEP_NO_TRANSFORM where it needs none.
 * The step is valid until another is added. */
struct step *signal_step(struct compiler *c, const struct signal_kind *kind, const void *call, int transform,
			 struct buffer *in, struct buffer *second, struct buffer *out);

/* Adds the step that transforms `in` along its last axis into `out`, times factor. */
void signal_transform(struct compiler *c, int transform, uint64_t n, bool inverse, double factor, struct buffer *in,
		      struct buffer *out);

/* Adds a fast or double transform of n elements; real: between reals and half a spectrum. */
int signal_plan(struct compiler *c, uint64_t n, bool wide, bool real);

/* Returns whether rows of that size and their transforms fit a thread's scratch, so that all work on a frame is done
 * while it is in the cache. */
bool signal_stays(const struct compiler *c, int transform, size_t row_bytes);

/* Returns the axis that a bound PARAM_INT names among ndim dimensions. */
unsigned signal_axis(struct compiler *c, unsigned param, unsigned ndim);

/* Return the product of the sizes before an axis, and after it. */
uint64_t signal_rows(const struct shape *shape, unsigned axis);
uint64_t signal_stride(const struct shape *shape, unsigned axis);

#endif
