/* SPDX-License-Identifier: Apache-2.0 */
/* The table of laws: names, dtypes, parameters and their checks. A new law is one row here, one kernel, one test.
 *
 * What a parameter is called, its default and its help stand in the engine's table of operations, in the order given
 * here; what combinations are allowed is decided here, once for every door. */
#ifndef TRNSCI_DIST_LAWS_H
#define TRNSCI_DIST_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"

/* X(identifier, name, dtypes, default dtype): the parameters are, in this order,
 * uniform low high; normal mean std method; exponential rate; laplace, gumbel, cauchy loc scale; lognormal mean std
 * (of the logarithm); weibull shape scale; student_t df; truncated_normal mean std low high (the bounds in std);
 * gamma shape scale; chi_squared df; beta alpha beta; poisson lam; binomial trials p; geometric p; bernoulli p;
 * randint low high (exclusive, modulo 2^64: the least of i64 stands for 2^63, 0 of u64 for 2^64); permutation items; categorical and dirichlet a list; sphere dimensions. */
#define LAW_TABLE(X)                                                                                                   \
	X(BITS, "bits", "u32|u64", "u32")                                                                              \
	X(UNIFORM, "uniform", "f32|f64|bf16|f16", "f32")                                                               \
	X(NORMAL, "normal", "f32|f64|bf16|f16", "f32")                                                                 \
	X(EXPONENTIAL, "exponential", "f32|f64", "f32")                                                                \
	X(LAPLACE, "laplace", "f32|f64", "f32")                                                                        \
	X(LOGNORMAL, "lognormal", "f32|f64", "f32")                                                                    \
	X(GUMBEL, "gumbel", "f32|f64", "f32")                                                                          \
	X(WEIBULL, "weibull", "f32|f64", "f32")                                                                        \
	X(CAUCHY, "cauchy", "f32|f64", "f32")                                                                          \
	X(STUDENT_T, "student_t", "f32|f64", "f32")                                                                    \
	X(TRUNCATED_NORMAL, "truncated_normal", "f32|f64", "f32")                                                      \
	X(GAMMA, "gamma", "f32|f64", "f32")                                                                            \
	X(CHI_SQUARED, "chi_squared", "f32|f64", "f32")                                                                \
	X(BETA, "beta", "f32|f64", "f32")                                                                              \
	X(POISSON, "poisson", "i64", "i64")                                                                            \
	X(BINOMIAL, "binomial", "i64", "i64")                                                                          \
	X(GEOMETRIC, "geometric", "i64", "i64")                                                                        \
	X(BERNOULLI, "bernoulli", "i8|i32", "i8")                                                                      \
	X(RANDINT, "randint", "i64|i32|u64|u32", "i64")                                                                        \
	X(PERMUTATION, "permutation", "i64", "i64")                                                                    \
	X(CATEGORICAL, "categorical", "i64", "i64")                                                                    \
	X(RADEMACHER, "rademacher", "i8|i32|f32|f64", "i8")                                                            \
	X(DIRICHLET, "dirichlet", "f32|f64", "f32")                                                                    \
	X(SPHERE, "sphere", "f32|f64", "f32")

enum law {
#define X(id, name, dtypes, fallback) LAW_##id,
	LAW_TABLE(X)
#undef X
		LAW_COUNT,
};

enum normal_method { NORMAL_BOXMULLER, NORMAL_BOXMULLER64 };

enum {
	LAW_PARAMETERS = 4,
	/* Components of a sample: each vector is made whole, on the stack. */
	LAW_COMPONENTS_MOST = 1024,
};

/* Which member, tells the law: integer for randint, natural for normal's method, binomial's trials, permutation's items
 * and sphere's dimensions; a float64 in all else, whatever the dtype of the samples. */
union law_value {
	double real;
	int64_t integer;
	uint64_t natural;
};

/* A parameter that was refused, by its place in the law's order, and why: "got -1, allowed is above 0". */
struct law_fault {
	enum error_code code;
	unsigned parameter;
	char text[160];
};

const char *law_name(enum law law);

/* The law of that name; LAW_COUNT when there is none. */
enum law law_find(const char *name, size_t size);

/* Whether a sample of the law is a vector, of as many components as its parameters tell. */
bool law_is_vector(enum law law);

/* Whether the law is drawn in that dtype. */
bool law_takes(enum law law, enum dtype dtype);

/* 0, or -ERROR_OUT_OF_RANGE with the fault. list: the weights of categorical, alpha of dirichlet. ret_fault may not be
 * NULL. */
int law_check(enum law law, enum dtype dtype, const union law_value parameters[], const double *list, size_t n_list,
	      struct law_fault *ret_fault);

/* The same for categorical alone, in parts: how many there are; weights [begin, end) (float64 of any alignment), *most
 * being raised to the greatest; and the greatest of all. */
int law_check_weight_count(size_t n, struct law_fault *ret_fault);
int law_check_weights(const void *weights, size_t begin, size_t end, double *most, struct law_fault *ret_fault);
int law_check_most_weight(double most, struct law_fault *ret_fault);

#endif
