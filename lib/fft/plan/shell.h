/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms that stand around others: a caller's row is packed into one or several rows, these are transformed by an
 * inner plan, and the result is unpacked into a caller's row.
 *
 * Short ones do all of it in scratch, some rows at a time; long ones run packing and unpacking as phases of pieces
 * around the inner phases. */
#ifndef TRNSCI_FFT_SHELL_H
#define TRNSCI_FFT_SHELL_H

#include "fft/plan/plan.h"

/* The place of one transform's rows: packing goes to x, the inner transform from x to y, unpacking comes from y. The
 * other of the two is free while one is packed or unpacked. */
struct fft_rows {
	char *x, *y;
};

struct fft_shell {
	/* The next piece of tables of its own, when the inner plan is ready: 1 when more is to do, 0, or an error. */
	int (*step)(struct fft_plan *plan);
	/* What packing and unpacking count by. */
	size_t (*in_length)(const struct fft_plan *plan, bool inverse);
	size_t (*out_length)(const struct fft_plan *plan, bool inverse);
	/* Parts [begin, end) of a caller's row, at a stride. */
	void (*pack)(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows);
	void (*unpack)(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows);
	/* Direction and scale of the inner transform. */
	void (*inner)(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse, double *ret_scale);
	/* Whether the inner transform may read the caller's rows as they lie. */
	bool (*reads_caller)(const struct fft_plan *plan, const struct fft_call *call);
	size_t (*in_bytes)(const struct fft_plan *plan, bool inverse);
};

/* Makes plan a shelled one: `rows` inner transforms of inner_n each, by `create` (fft_plan_create_inner or one like it),
 * whose rows hold row_pairs pairs. The other members of plan are zero. */
typedef int fft_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);
int fft_shell_create(const struct fft_shell *shell, uint64_t n, enum fft_precision precision, uint32_t features,
		     fft_create *create, uint64_t inner_n, unsigned rows, size_t row_pairs, struct fft_plan **ret_plan);

/* One step of a table of roots: at first room for `entries` pairs in plan->chirp, roots of that order; then piece by
 * piece put(plan, row) for each entry. Answers as step. */
int fft_shell_table(struct fft_plan *plan, uint64_t order, size_t entries,
		    void (*put)(struct fft_plan *plan, size_t entry));

/* Copies count elements of size bytes (4, 8 or 16), strides in elements. */
void fft_copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t count, size_t size);

#endif
