/* SPDX-License-Identifier: Apache-2.0 */
/* Wrapped transforms wrap others: a wrapper packs a caller's row into one or several rows, an inner plan transforms
 * these, and the wrapper unpacks the result into a caller's row.
 *
 * Short ones do all of it in scratch, some rows at a time. Long ones pack in a first phase and unpack in a last one,
 * around the phases of the inner plan. */
#ifndef TRNSCI_FFT_WRAPPER_H
#define TRNSCI_FFT_WRAPPER_H

#include "fft/plan/plan.h"
#include "fft/plan/tables.h"

/* The rows of one transform. Packing writes x, the inner transform goes from x to y, unpacking reads y. The row that is
 * not named is free for temporary use: y while packing, x while unpacking. */
struct fft_rows {
	char *x, *y;
};

/* How the caller's side of a real transform holds its spectrum (bins.h). */
enum fft_bins {
	FFT_BINS_COMPLEX,      /* n/2 + 1 complex numbers */
	FFT_BINS_HALF_COMPLEX, /* n reals: Re X[k] at k, Im X[k] at n - k */
	FFT_BINS_HARTLEY,      /* n reals: Re X[k] - Im X[k] at k, Re X[k] + Im X[k] at n - k; only written */
};

struct fft_wrapper {
	/* Builds the next piece of its own tables; the inner plan is ready. Returns 1 while pieces are left, then 0, or
	 * an error. */
	int (*step)(struct fft_plan *plan);
	/* Return the number of elements that packing and unpacking count by. */
	size_t (*in_length)(const struct fft_plan *plan, bool inverse);
	size_t (*out_length)(const struct fft_plan *plan, bool inverse);
	/* Pack or unpack elements [begin, end) of a caller's row. */
	void (*pack)(const struct fft_plan *plan, const struct fft_call *call, const char *in, size_t begin, size_t end,
		     struct fft_rows rows);
	void (*unpack)(const struct fft_plan *plan, const struct fft_call *call, char *out, size_t begin, size_t end,
		       struct fft_rows rows);
	/* Sets the direction and the scale of the inner transform. */
	void (*inner)(const struct fft_plan *plan, const struct fft_call *call, bool *ret_inverse, double *ret_scale);
	/* Returns whether the inner transform may read the caller's rows without packing. NULL: never. */
	bool (*reads_caller)(const struct fft_plan *plan, const struct fft_call *call);
	/* Returns whether unpacking can work in place: the inner transform then writes the caller's row, from which rows.y and the
	 * result begin. NULL: never. */
	bool (*unpacks_in_place)(const struct fft_plan *plan, const struct fft_call *call);
	size_t (*in_bytes)(const struct fft_plan *plan, bool inverse);
};

/* A wrapped plan; a wrapper's own structure may begin with it. */
struct fft_wrapped {
	struct fft_plan plan; /* first; its inner one is wrapped */
	const struct fft_wrapper *wrapper;
	unsigned rows;        /* inner transforms of one */
	size_t row_bytes;     /* of an inner transform's row */
	bool rows_fit_caller; /* the caller's rows can hold an inner row, where strides are 1 */
	/* Of real transforms: */
	enum fft_bins bins;
	bool exchanged;     /* forward goes from the spectrum to reals */
	bool conjugated;    /* the spectrum is conjugated */
	/* The wrapper's table, and how far it is built. */
	void *table;
	struct roots roots;
	size_t entry;
};

static inline struct fft_wrapped *fft_wrapped_of(const struct fft_plan *plan)
{
	return (struct fft_wrapped *)plan;
}

/* Returns whether a real transform goes from a spectrum to reals. */
static inline bool fft_gives_reals(const struct fft_plan *plan, bool inverse)
{
	return inverse != fft_wrapped_of(plan)->exchanged;
}

/* Creates a wrapped plan of `size` bytes, of `rows` inner transforms of inner_n each, whose rows hold row_pairs complex numbers.
 * `create` makes the inner plan. Returns 0, -ERROR_NO_MEMORY or an error of `create`. */
typedef int fft_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);
int fft_wrapper_create(const struct fft_wrapper *wrapper, size_t size, uint64_t n, enum fft_precision precision, uint32_t features,
		       fft_create *create, uint64_t inner_n, unsigned rows, size_t row_pairs, struct fft_plan **ret_plan);

/* Builds a piece of a table of `entries` complex numbers: calls put(wrapped, entry) for each, which finds the roots of unity of that
 * order in wrapped->roots. Returns 1 while pieces are left, then 0, or
 * -ERROR_NO_MEMORY. */
int fft_wrapper_table(struct fft_plan *plan, uint64_t order, size_t entries,
		      void (*put)(struct fft_wrapped *wrapped, size_t entry));

/* Copies count elements of 4, 8 or 16 bytes; strides count elements. */
void fft_copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t count, size_t size);

#endif
