/* SPDX-License-Identifier: Apache-2.0 */
/* The table of distributions, expanded from dist_rows.h: all that code needs to know of one. No code tests which distribution
 * it has where a member can say it. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_ROW_H
#define TRNSCI_DISTRIBUTIONS_DIST_ROW_H

#include "distributions/rows/dist_fault.h"
#include "distributions/rows/dist_kernel.h"
#include "distributions/rows/dist_plan.h"
#include "distributions/tables/discrete_table.h"

enum dist_type { DIST_TYPE_F64, DIST_TYPE_U64, DIST_TYPE_INT, DIST_TYPE_CHOICE, DIST_TYPE_ANY };

/* A parameter as its row has it; the bounds of its range are inclusive, both 0: the type's own. */
struct dist_parameter {
	const char *name, *fallback, *choices;
	enum dist_type type;
	double least, most;
	bool is_above; /* least itself is excluded */
};

/* How draw_fill makes samples that are no whole groups of words (enum dist_direct). */
enum dist_way {
	WAY_KERNEL,      /* attempts of a kernel (draw_rejection.h) */
	WAY_STAGES,      /* of two, the second with what the first has made (draw_compound.h) */
	WAY_SHARES,      /* vectors of gammas, divided by their sum (draw_vectors.h) */
	WAY_SPHERE,      /* vectors of normals, divided by their length */
	WAY_OUTCOMES,    /* vectors of binomial counts, one after the other (draw_multinomial.h) */
	WAY_PERMUTATION, /* draw_permutation.h */
};

/* Which samples never need a word outside their group (draw_direct.h). */
enum dist_direct { DIRECT_NONE, DIRECT_BITS, DIRECT_UNIFORM, DIRECT_NORMAL };

/* What draw_prepare builds. */
enum dist_table { TABLE_NONE, TABLE_DISCRETE, TABLE_ALIAS, TABLE_GAMMA, TABLE_MULTINOMIAL, TABLE_HYPERGEOMETRIC };

/* A kernel, by its offset in struct dist_kernel, the inputs of its attempts (NULL: there is no such kernel), and what is left
 * to plan; NULL: nothing. */
struct dist_attempt {
	size_t kernel;
	const char *reads;
	dist_planner *plan;
};

struct dist_stage {
	size_t kernel;
	const char *reads;
	dist_stage_function *parameters;
};

struct dist_row {
	const char *name, *dtypes; /* dtypes: names joined by | */
	size_t name_size;
	size_t n_parameters;
	struct dist_parameter parameters[DIST_PARAMETERS + 1]; /* the last one has no name */
	unsigned bits[2], acceptance; /* _SAMPLING: of at most 32 bits, of 64 bits; in thousandths */
	unsigned n_fixed; /* so many of the last ones are numbers also where others are arrays */
	bool zero_is_all; /* a first parameter of 0 stands for the samples of the whole draw */
	bool is_vector;   /* a sample has components, as many as the parameters say */
	dist_check_function *check; /* NULL: the ranges say all */
	dist_check_all *check_all;
	enum dist_way way;
	enum dist_direct direct;
	struct dist_attempt numbers; /* of draws whose parameters are numbers; without, they are read for each sample, too */
	struct dist_attempt samples; /* of those that read the parameters of each sample */
	struct dist_stage first, second;
	enum dist_table table;
	struct discrete (*discrete)(const union dist_value parameters[]); /* TABLE_DISCRETE: of what */
	/* Picoseconds for a word with AVX-512, AVX2, neither; 0: not measured. What costs are until they are learned. */
	uint16_t word_ps[3];
};

extern const struct dist_row dist_rows[DIST_COUNT];

static inline const struct dist_row *dist_row(enum distribution distribution)
{
	return &dist_rows[distribution];
}

const char *dist_name(enum distribution distribution);

/* Returns whether parameter number `parameter` may be an array with an element for each sample: a choice of method is no
 * parameter of a sample, and others decide a table or the length of what is drawn. */
bool dist_takes_array(enum distribution distribution, unsigned parameter);

/* Returns the distribution of that name (size bytes, no terminator needed), or DIST_COUNT. */
enum distribution dist_find(const char *name, size_t size);

/* Returns whether the distribution can be drawn in that dtype. */
bool dist_has_dtype(enum distribution distribution, enum dtype dtype);

/* Returns the kernel at that offset for the dtype. */
static inline dist_function *dist_kernel_at(const struct dist_kernel *kernels, size_t offset, enum dtype dtype)
{
	return ((dist_function *const *)(const void *)((const char *)kernels + offset))[dtype];
}

#endif
