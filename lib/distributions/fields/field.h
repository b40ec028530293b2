/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian random fields: the spectrum of a field on the wave numbers of its grid, or its covariance there.
 *
 * White normals are transformed, multiplied by the root of the spectrum and transformed back (T. Dietrich and G. N. Newsam, SIAM J.
 * Sci. Comput. 18 (1997) 1088; A. Lang and J. Potthoff, Monte Carlo Methods Appl. 17 (2011) 195). A grid of N points repeats itself
 * in all directions, so the spectrum is the transform of the covariance c summed over all images:
 *
 *     lambda(j) = sum over the grid of sum over images m of c(x + m L) exp(-i k(j) x)     never negative
 *     k_a(j) = 2 pi j_a / (n_a spacing_a), j_a = -n_a / 2 .. n_a / 2
 *
 * With a power spectral density P, the integral of P dk / (2 pi)^d being the variance, lambda(j) = P(k(j)) / cell, where a cell is the
 * product of the spacings.
 *
 * Covariances are mixtures of Gaussians: Matern's is the mean over t, gamma distributed with shape nu, of exp(-t' r^2 / 2),
 * t' = nu / (t length^2). The trapezoidal rule in ln t converges exponentially (relative error below 1e-12). The image sum of a
 * Gaussian is a product over the axes, and each factor a sum of Gaussians in k (Poisson's summation), all terms of one sign.
 *
 * The corner of a grid is a field without images in either of two ways. The grid may be so large that the images' covariances are
 * negligible (field_embed): nothing has to be computed to know that its spectrum is nowhere negative. Or its covariance is `truncated`: that
 * of the nearest image alone, exact for all points of the corner from twice their number on. Its spectrum is known by a transform, and
 * may have negative values. For nu up to 1/2 a smaller grid suffices so (field_truncate); smoother covariances need a larger one.
 *
 * All functions are made of lib/math: the same bytes on every machine. */
#ifndef TRNSCI_DISTRIBUTIONS_FIELD_H
#define TRNSCI_DISTRIBUTIONS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/algebra.h"

enum {
	FIELD_DIMS = 8,
	FIELD_NODES = 512, /* the least nu and the longest length need 330 */
	FIELD_TABLE = 65536,
};

/* Limits: with these no square, product or quotient of an axis' numbers overflows. */
#define FIELD_LEAST   1e-60 /* spacing, length */
#define FIELD_MOST    1e60
#define FIELD_LONGEST 0x1p40 /* length, in spacings */
#define FIELD_NU_LEAST 0.01
#define FIELD_NU_MOST  1000.0

enum field_model {
	FIELD_EXPONENT, /* P = k^-exponent, P(0) = 0 */
	FIELD_SPECTRUM, /* P from a table */
	FIELD_GAUSSIAN, /* exp(-r^2 / 2), r in lengths */
	FIELD_SPHERICAL, /* see spherical.h; its spectrum is known by a transform only */
	FIELD_MATERN,   /* 2^(1 - nu) / Gamma(nu) s^nu K_nu(s), s = sqrt(2 nu) r */
};

struct field_axis {
	uint64_t n;
	double spacing, length;
};

struct field {
	enum field_model model;
	unsigned ndim;
	struct field_axis axes[FIELD_DIMS];
	double exponent, nu;
	double std;  /* root of the covariance at 0; where it `scales`, of the expected variance of a point */
	bool scales; /* the spectrum is known up to a factor, which follows from std */
	bool wide;   /* the transform is complex128, else complex64 */
	bool truncated; /* no images */
	const double *table; /* k and P(k) in turn, k increasing; interpolated in logarithms, linearly beside zeros; 0 outside. Where
			      * the field scales, P is at most 1 */
	size_t n_table;      /* pairs */
	/* Set by field_prepare: */
	double factor;    /* from a value to lambda, unless it scales */
	double reference; /* exponent: ln of the square of the wave number at which the value is 1, the largest */
	unsigned n_nodes; /* of the mixture, the narrowest first; the first may stand for all that no two points share */
	double width[FIELD_NODES], share[FIELD_NODES]; /* in lengths; their sum is 1 */
};

/* What is wrong with a field that was prepared. */
enum field_fault {
	FIELD_RIGHT,
	FIELD_SPANS,     /* the spectrum spans more than 2^800 over the grid */
	FIELD_OVERFLOWS, /* a transform's elements may overflow its dtype */
	FIELD_MISSES,    /* the table ends below the grid's least wave number, or begins above its largest one */
};

/* Finds the members that follow from the others. All numbers are finite and within the limits above; tables are checked by
 * field_check_table. */
enum field_fault field_prepare(struct field *field);

/* Makes the grid of a covariance, which was prepared, so large that the images of the points that it had add at most `error` to their
 * covariances, relative to that at distance 0; but on an axis not more than FIELD_EMBEDDING times the minimal embedding, 2 (n - 1)
 * points, and up to the next product of 2, 3 and 5. field_image_bound says what is left. Prepare the field again. */
enum { FIELD_EMBEDDING = 4 };
void field_embed(struct field *field, double error);

/* Makes the grid of a covariance so large that, truncated, it has a spectrum without negative values, as far as that is known (nu up to
 * 1/2), and otherwise as large as field_embed may. Returns whether it is known. Prepare the field again. */
bool field_truncate(struct field *field);

/* Returns the least n or more whose factors are 2, 3 and 5: its transform is fast. */
uint64_t field_next_smooth(uint64_t n);

/* Returns a bound of what all images add to the covariance of any two of the first n[a] points on each axis, relative to its value at
 * distance 0. */
double field_image_bound(const struct field *field, const uint64_t *n);

/* Returns whether the spectrum is the transform of field_covariances, not field_values. */
bool field_is_transformed(const struct field *field);

/* Returns the index of the first number of a table that is not finite, negative, or a k that does not increase; 2 n: none. */
size_t field_check_table(const double *table, size_t n);

/* Returns the least wave number above 0 and the largest one of the grid. */
double field_least_k(const struct field *field);
double field_most_k(const struct field *field);

/* Returns the doubles of scratch that field_begin_block with field_values, or field_covariances, need for blocks of n columns. */
size_t field_scratch(const struct field *field, size_t n);

/* Prepares scratch for columns [begin, begin + n) of the last axis. */
void field_begin_block(const struct field *field, const struct algebra_kernel *kernel, uint64_t begin, size_t n, double *scratch);

/* Computes values of the block's columns, in the row of the other axes' indices j_a <= n_a / 2. lambda is proportional to them. */
void field_values(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, size_t n, double *scratch, double *ret);

/* Computes the covariances with point 0 of these points of the last axis, in the row of the other axes' indices: those up to n_a / 2
 * stand for their mirrors. A field that is not truncated must be spherical. */
void field_covariances(const struct field *field, const struct algebra_kernel *kernel, const uint64_t *row, uint64_t begin, size_t n,
		       double *scratch, double *ret);

#endif
