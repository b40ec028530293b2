/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trnsci-mpi.h
 * @brief Random numbers, transforms, files and sums of one logical array that the ranks of an MPI communicator share.
 *
 * A *group* is a communicator in which every rank has a session of its own: with its host's daemon where one answers,
 * otherwise with an embedded engine. A *layout* states which elements of a global array each rank holds. What a function
 * computes depends on the global array only: any number of ranks and any layout give the same bytes.
 *
 * Every function that can fail returns 0 or a negative trnsci_error_code, and the same one on every rank: its text names the
 * lowest rank that failed ("no_memory: rank 3: ..."). *Collective* functions must be called by all ranks of the group, in
 * the same order. Their other arguments, addresses aside, must be the same on all ranks; where they differ, all ranks get
 * `out_of_range`. A rank that dies ends the job, as MPI does. The library uses MPI-3 only, prints nothing and never exits.
 *
 * Threads: a group is used by one thread at a time, which MPI must allow to communicate. */
#ifndef TRNSCI_TRNSCI_MPI_H
#define TRNSCI_TRNSCI_MPI_H

#include <mpi.h>
#include <trnsci/trnsci.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trnsci_mpi; /**< the ranks of a communicator, each with its session */

/* ---- Groups ---- */

/** Opens a group. Collective over comm, which is duplicated and may be freed afterwards.
 *
 * Every rank opens a session at `address`, which may differ between ranks, and where no daemon answers there an embedded
 * engine. Threads of embedded engines that options do not state are the host's CPUs divided among its ranks. Where a
 * rank's engine has no vector instructions (x86-64 without AVX2, whose transforms have other bytes), embedded engines are
 * opened again without them.
 * @param comm an intracommunicator; MPI must be initialised, and not yet finalised when the group is closed.
 * @param address as trnsci_open; NULL for the daemons' usual places.
 * @param options may be NULL.
 * @param ret_mpi yours (trnsci_mpi_close); untouched on error.
 * @return 0, -TRNSCI_OUT_OF_RANGE (MPI is not initialised, or comm is null or an intercommunicator: on this rank only),
 *   -TRNSCI_SYSTEM (MPI failed), and what trnsci_open may return. */
TRNSCI_API int trnsci_mpi_open(MPI_Comm comm, const char *address, const struct trnsci_options *options,
			       struct trnsci_mpi **ret_mpi, struct trnsci_error *err);
/** Closes a group and its sessions. Collective. Accepts NULL. */
TRNSCI_API void trnsci_mpi_close(struct trnsci_mpi *mpi);

/** What a group is. */
struct trnsci_mpi_info {
	int rank, size;
	int ranks_embedded;		/**< ranks without a daemon */
	struct trnsci_session *session; /**< of this rank; belongs to the group */
	char cpu[24];			/**< the instruction set that this rank's engine uses: "avx512" */
	bool cpu_differs;		/**< transforms would have other bytes on other ranks; trnsci_mpi_fft_new refuses */
	uint64_t reserved[4];
};
/** Describes a group, without communication. */
TRNSCI_API void trnsci_mpi_describe(const struct trnsci_mpi *mpi, struct trnsci_mpi_info *ret_info);

/* ---- Layouts ---- */

/** The elements of a global array that each rank holds; all zero behind shape is good: slabs of the first axis.
 *
 * The ranks form a grid, numbered row-major. The indices of axis i are dealt to its grid[i] coordinates: with block 0,
 * coordinate c of g has those from floor(c n / g) to floor((c + 1) n / g) (trnsci_rank_part); otherwise block-cyclically,
 * as ScaLAPACK does, index j belongs to coordinate floor(j / block) mod g. A rank's own elements lie row-major in its
 * memory, in the order of their global indices. */
struct trnsci_mpi_layout {
	size_t ndim;			  /**< 1 to TRNSCI_MAX_DIMS */
	uint64_t shape[TRNSCI_MAX_DIMS];  /**< of the global array; at most 2^63 bytes */
	uint64_t grid[TRNSCI_MAX_DIMS];	  /**< ranks along each axis, their product the size of the group; all 0: the first
					   * axis has all */
	uint64_t block[TRNSCI_MAX_DIMS];  /**< indices of a block; 0: one contiguous part for each coordinate */
	uint64_t reserved[4];		  /**< zero */
};
/** Returns the layout in slabs of the first axis. */
static inline struct trnsci_mpi_layout trnsci_mpi_slabs(size_t ndim, const uint64_t *shape)
{
	struct trnsci_mpi_layout layout = {ndim, {0}, {0}, {0}, {0}};

	for (size_t i = 0; i < ndim && i < TRNSCI_MAX_DIMS; i++)
		layout.shape[i] = shape[i];
	return layout;
}

/** What a rank holds of a layout. */
struct trnsci_mpi_part {
	uint64_t shape[TRNSCI_MAX_DIMS]; /**< of the rank's own array */
	uint64_t first[TRNSCI_MAX_DIMS]; /**< global index of its first element along each axis */
	uint64_t count;			 /**< elements */
	uint64_t reserved[4];
};
/** Computes what a rank of `size` ranks holds. No communication. Any thread.
 * @return 0, or -TRNSCI_OUT_OF_RANGE (the layout does not fit the size; err has the field). */
TRNSCI_API int trnsci_mpi_part_of(const struct trnsci_mpi_layout *layout, int rank, int size,
				  struct trnsci_mpi_part *ret_part, struct trnsci_error *err);
/** Returns the global index along an axis of the rank's local index; the layout must be valid. Any thread. */
TRNSCI_API uint64_t trnsci_mpi_global_index(const struct trnsci_mpi_layout *layout, int rank, int size, size_t axis,
					    uint64_t local);

/* ---- Draws ---- */

/** Draws the elements of a global array that this rank holds. Collective.
 *
 * The array is one draw of as many elements, in row-major order: element k of the array is element k of trnsci_draw_array with
 * the same source, whatever the layout. A named stream is moved on once, by the daemon of rank 0.
 * @param params the distribution's; arrays among them are of the caller, no tiles. A permutation of 0 items (the default) is one of
 *   the whole array.
 * @param source NULL: seed 0; rank and size are 0. The `next` of the span before continues a sequence.
 * @param dtype of the elements; the distribution must have it.
 * @param out the rank's elements, may be NULL where it has none.
 * @param ret_span where the whole draw lies; may be NULL.
 * @return 0, -TRNSCI_OUT_OF_RANGE, and what a call may return. */
TRNSCI_API int trnsci_mpi_draw(struct trnsci_mpi *mpi, const char *distribution, const struct trnsci_param *params,
			       const struct trnsci_source *source, enum trnsci_dtype dtype,
			       const struct trnsci_mpi_layout *layout, void *out, struct trnsci_span *ret_span,
			       struct trnsci_error *err);

/** Draws a Gaussian random field on a grid. Collective.
 *
 * The field is that of the operation `field` in one process (trnsci-operations(7)), byte for byte, whatever the layout. No rank holds more
 * than its part of the grid, of its spectrum, and of what its transforms move.
 * @param params of `field` but those of the grid, the source and the result: "exponent", "covariance" ...
 * @param source as of trnsci_mpi_draw: of the normals.
 * @param dtype F32 or F64.
 * @param layout whose shape is that of the field, of two axes and more.
 * @param out the rank's elements, may be NULL where it has none.
 * @param ret_span where the normals lie; may be NULL.
 * @return 0, -TRNSCI_OUT_OF_RANGE, -TRNSCI_NO_MEMORY, and what a call and trnsci_mpi_fft_new may return. */
TRNSCI_API int trnsci_mpi_field(struct trnsci_mpi *mpi, const struct trnsci_param *params, const struct trnsci_source *source,
				enum trnsci_dtype dtype, const struct trnsci_mpi_layout *layout, void *out,
				struct trnsci_span *ret_span, struct trnsci_error *err);

/* ---- Sums ---- */

/** The moments of all ranks' values. */
struct trnsci_mpi_sum {
	uint64_t count;
	double sum;	    /**< the exact sum, rounded once */
	double sum_squares; /**< of the values' squares, rounded once; squares of float64 below 2^-969 are rounded themselves */
	double mean;
	double variance; /**< sum of squared deviations / (count - 1), from the rounded sums; 0 for fewer than two */
	double min, max; /**< NaN when there is no value, or one is NaN */
	uint64_t reserved[4];
};
/** Sums the values of all ranks exactly. Collective.
 *
 * Sums are kept as integers that hold every bit of every value, so they depend neither on the number of ranks nor on the
 * order of the values (Kulisch, Computer Arithmetic and Validity, chapter 8). Infinities and NaN behave as in a loop.
 * @param dtype F32, F64, I8, I32, I64, U32 or U64.
 * @param n values of this rank, may be 0; of any number on each rank.
 * @return 0, -TRNSCI_OUT_OF_RANGE. */
TRNSCI_API int trnsci_mpi_sum(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, uint64_t n, const void *values,
			      struct trnsci_mpi_sum *ret_sum, struct trnsci_error *err);

/* ---- Files ---- */

/** Writes a global array into one npy file, by MPI-IO: every rank its own elements. Collective. The file appears under its
 * name when it is complete. The folder must be one that all ranks see.
 * @return 0, -TRNSCI_OUT_OF_RANGE (also a dtype that numpy has no name for), -TRNSCI_SYSTEM (the file), -TRNSCI_NO_MEMORY. */
TRNSCI_API int trnsci_mpi_write(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout,
				enum trnsci_dtype dtype, const void *data, struct trnsci_error *err);
/** Reads the shape and the dtype of an npy file. Collective.
 * @param ret_layout becomes slabs of its first axis.
 * @return 0, -TRNSCI_SYSTEM (the file), -TRNSCI_BAD_SHAPE (it is no npy file), -TRNSCI_NOT_SUPPORTED (Fortran order, big
 *   endian, or a type that trnsci.h has no dtype for). */
TRNSCI_API int trnsci_mpi_look(struct trnsci_mpi *mpi, const char *path, struct trnsci_mpi_layout *ret_layout,
			       enum trnsci_dtype *ret_dtype, struct trnsci_error *err);
/** Reads a global array from an npy file, every rank its own elements. Collective.
 * @param layout of the file's shape.
 * @return as trnsci_mpi_look; -TRNSCI_BAD_SHAPE also if shape or dtype are not the file's. */
TRNSCI_API int trnsci_mpi_read(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout,
			       enum trnsci_dtype dtype, void *data, struct trnsci_error *err);

/** What a checkpoint holds beside an array. */
struct trnsci_mpi_checkpoint {
	struct trnsci_source source; /**< where the next draw begins; no name. The generator lives for ever */
	uint64_t step;		     /**< a number of the program's own */
	uint64_t reserved[4];
};
/** Writes a checkpoint: an npy file as trnsci_mpi_write, with a second npy array behind the first that holds `checkpoint` as
 * text. It can be restored by any number of ranks, in any layout. Collective. Returns what trnsci_mpi_write may return;
 * -TRNSCI_OUT_OF_RANGE also for a named source. */
TRNSCI_API int trnsci_mpi_save(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout,
			       enum trnsci_dtype dtype, const void *data, const struct trnsci_mpi_checkpoint *checkpoint,
			       struct trnsci_error *err);
/** Restores a checkpoint: the rank's elements, and what it holds beside them. Collective. Returns what trnsci_mpi_read may return;
 * -TRNSCI_BAD_SHAPE also for an npy file that is no checkpoint. */
TRNSCI_API int trnsci_mpi_restore(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *layout,
				  enum trnsci_dtype dtype, void *data, struct trnsci_mpi_checkpoint *ret_checkpoint,
				  struct trnsci_error *err);

/** Moves a global array from one layout to another. Collective.
 * @param to of the same shape.
 * @param in, out the rank's elements in each; out may be in where the memory suffices for both.
 * @return 0, -TRNSCI_OUT_OF_RANGE, -TRNSCI_NO_MEMORY. */
TRNSCI_API int trnsci_mpi_redistribute(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, const struct trnsci_mpi_layout *from,
				       const void *in, const struct trnsci_mpi_layout *to, void *out, struct trnsci_error *err);

/* ---- Transforms ---- */

struct trnsci_mpi_fft; /**< a transform that is planned */

/** What a transform maps to what. */
enum trnsci_mpi_fft_kind {
	TRNSCI_MPI_C2C, /**< complex to complex */
	TRNSCI_MPI_R2C, /**< real to half a spectrum, n / 2 + 1 of the last of the axes; always forward */
	TRNSCI_MPI_C2R, /**< half a spectrum to real; always inverse */
};

/** How to transform; all zero is good: a forward transform of complex64 over all axes, back in its own layout. */
struct trnsci_mpi_fft_options {
	enum trnsci_mpi_fft_kind kind;
	bool inverse;		 /**< of C2C */
	bool wide;		 /**< float64 and complex128, not float32 and complex64 */
	size_t n_axes;		 /**< axes to transform; 0: all */
	size_t axes[TRNSCI_MAX_DIMS]; /**< in any order; of R2C and C2R the largest is the real one */
	const char *norm;	 /**< "backward" (the default, NULL), "ortho" or "forward", as numpy */
	bool transposed_in;	 /**< the input has its first two axes in the other order; of one axis see below */
	bool transposed_out;	 /**< the same of the output */
	const struct trnsci_mpi_layout *to; /**< layout of the output; NULL: the grid of the input */
	size_t message_bytes;	 /**< the most of one MPI message, 1 to 2^30; 0: 2^30 */
	uint64_t reserved[4];	 /**< zero */
};

/** Plans a transform of a global array over the ranks. Collective.
 *
 * An array of several axes may have any layout; a transformed axis must fit the memory of one rank. The array moves only
 * where the next axis to transform is cut: slabs take one exchange with transposed_out and two without, pencils two and
 * three. Forward transforms go from the last axis to the first, inverse ones from the first to the last, always, and each
 * axis is transformed by the engine. So the bytes depend on the array alone: not on the number of ranks nor on layouts.
 *
 * An array of one axis is cut by the six-step method into n = n1 n2 (Bailey, FFTs in external or hierarchical memory,
 * 1990), where n1 is the largest divisor up to the root of n. Where that is below 32 and n above 4096, it is a convolution with a
 * chirp (Bluestein, 1970). Its layouts are contiguous. transposed_out gives the spectrum, and transposed_in takes it, as an
 * array of n1 x n2: element (i, j) is bin i + n1 j (C2C only, and not for chirps: -TRNSCI_NOT_SUPPORTED).
 * @param from layout of the input, whose shape is that of the array in memory: of C2R with n / 2 + 1 of the last axis, with
 *   transposed_in the first two axes the other way round. options may be NULL.
 * @param ret_fft yours (trnsci_mpi_fft_free), to be freed before the group is closed.
 * @return 0, -TRNSCI_OUT_OF_RANGE, -TRNSCI_BAD_SHAPE (options.to has another shape than the result), -TRNSCI_NO_MEMORY,
 *   -TRNSCI_NOT_SUPPORTED (also: the ranks' instruction sets differ). */
TRNSCI_API int trnsci_mpi_fft_new(struct trnsci_mpi *mpi, const struct trnsci_mpi_layout *from,
				  const struct trnsci_mpi_fft_options *options, struct trnsci_mpi_fft **ret_fft,
				  struct trnsci_error *err);
/** Transforms. Collective.
 * @param in the rank's elements; unchanged unless it is out.
 * @param out the rank's elements of the result; may be `in` of C2C where the memory suffices for both.
 * @return 0, and what a call may return; on error the content of out is undefined. */
TRNSCI_API int trnsci_mpi_fft_run(struct trnsci_mpi_fft *fft, const void *in, void *out, struct trnsci_error *err);
/** Frees a plan. Not collective. Accepts NULL. */
TRNSCI_API void trnsci_mpi_fft_free(struct trnsci_mpi_fft *fft);

/** What a plan is, and what its last run took on this rank. */
struct trnsci_mpi_fft_info {
	struct trnsci_mpi_layout from, to; /**< of input and output, grids filled in; transposed arrays as they lie in memory */
	int exchanges;
	uint64_t exchanged_bytes; /**< that this rank sends to others in one run */
	uint64_t work_bytes;	  /**< memory of the plan on this rank */
	double exchange_s;	  /**< seconds of the last run inside MPI */
	double total_s;		  /**< seconds of the last run */
	uint64_t reserved[4];
};
/** Describes a plan. */
TRNSCI_API void trnsci_mpi_fft_describe(const struct trnsci_mpi_fft *fft, struct trnsci_mpi_fft_info *ret_info);

#ifdef __cplusplus
}
#endif

#endif
