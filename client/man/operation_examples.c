/* SPDX-License-Identifier: Apache-2.0 */
/* A line of C for each operation, for trnsci-operations(7); client/man/expand puts them into the page.
 *
 *   operation_examples         prints each, as "name<TAB>line"
 *   operation_examples run     runs every line in an embedded session; prints the names of those that fail */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <trnsci/trnsci.h>

/* ---- lines of C ---- */

enum { N = 1000, BINS = 129, FRAMES = 16 };

static struct trnsci_session *session;
static struct trnsci_source source;
static struct trnsci_tile *tile;
static struct trnsci_error err;
static uint32_t words[N];
static int64_t counts[N];
static int8_t bits[N];
static float x[N], y[2 * N], spectra[2 * BINS * FRAMES], product[2 * 100];
static double kernel[5] = {1, 4, 6, 4, 1}, estimate[2];
static const double weights[3] = {1, 2, 3};
static const uint64_t grid[2] = {64, 64};
static const struct trnsci_array taps = {TRNSCI_F64, 1, {5}, kernel, 0, 0};
static const struct trnsci_array second = {TRNSCI_F32, 1, {N}, y, 0, 0};
static const struct trnsci_array right = {TRNSCI_F32, 2, {10, 10}, x, 0, 0};

#define EXAMPLES(X)                                                                                                               \
	X(bits, trnsci_draw_array(session, "bits", NULL, &source, TRNSCI_U32, 1000, words, NULL, &err))                           \
	X(uniform, trnsci_draw_array(session, "uniform", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                         \
	X(normal, trnsci_draw_array(session, "normal",                                                                            \
			  (struct trnsci_param[]){trnsci_param_f64("mean", 10), trnsci_param_f64("std", 2), trnsci_param_end()},  \
			  &source, TRNSCI_F32, 1000, x, NULL, &err))                                                              \
	X(exponential,                                                                                                            \
	  trnsci_draw_array(session, "exponential", (struct trnsci_param[]){trnsci_param_f64("rate", 2), trnsci_param_end()},     \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(laplace, trnsci_draw_array(session, "laplace", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                         \
	X(lognormal, trnsci_draw_array(session, "lognormal", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                     \
	X(gumbel, trnsci_draw_array(session, "gumbel", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                           \
	X(weibull,                                                                                                                \
	  trnsci_draw_array(session, "weibull", (struct trnsci_param[]){trnsci_param_f64("shape", 1.5), trnsci_param_end()},      \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(cauchy, trnsci_draw_array(session, "cauchy", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                           \
	X(student_t,                                                                                                              \
	  trnsci_draw_array(session, "student_t", (struct trnsci_param[]){trnsci_param_f64("df", 5), trnsci_param_end()},         \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(truncated_normal, trnsci_draw_array(session, "truncated_normal",                                                        \
					      (struct trnsci_param[]){trnsci_param_f64("low", 0),                                 \
								      trnsci_param_f64("high", INFINITY), trnsci_param_end()},    \
					      &source, TRNSCI_F32, 1000, x, NULL, &err))                                          \
	X(gamma, trnsci_draw_array(session, "gamma", (struct trnsci_param[]){trnsci_param_f64("shape", 2.5), trnsci_param_end()}, \
				   &source, TRNSCI_F32, 1000, x, NULL, &err))                                                     \
	X(chi_squared,                                                                                                            \
	  trnsci_draw_array(session, "chi_squared", (struct trnsci_param[]){trnsci_param_f64("df", 3), trnsci_param_end()},       \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(beta, trnsci_draw_array(session, "beta",                                                                                \
			(struct trnsci_param[]){trnsci_param_f64("alpha", 2), trnsci_param_f64("beta", 5), trnsci_param_end()},   \
			&source, TRNSCI_F32, 1000, x, NULL, &err))                                                                \
	X(poisson, trnsci_draw_array(session, "poisson", (struct trnsci_param[]){trnsci_param_f64("lam", 4), trnsci_param_end()}, \
				     &source, TRNSCI_I64, 1000, counts, NULL, &err))                                              \
	X(binomial,                                                                                                               \
	  trnsci_draw_array(session, "binomial", (struct trnsci_param[]){trnsci_param_u64("trials", 20), trnsci_param_end()},     \
			    &source, TRNSCI_I64, 1000, counts, NULL, &err))                                                       \
	X(geometric, trnsci_draw_array(session, "geometric", NULL, &source, TRNSCI_I64, 1000, counts, NULL, &err))                \
	X(bernoulli,                                                                                                              \
	  trnsci_draw_array(session, "bernoulli", (struct trnsci_param[]){trnsci_param_f64("p", 0.1), trnsci_param_end()},        \
			    &source, TRNSCI_I8, 1000, bits, NULL, &err))                                                          \
	X(randint,                                                                                                                \
	  trnsci_draw_array(session, "randint",                                                                                   \
			    (struct trnsci_param[]){trnsci_param_i64("low", 1), trnsci_param_i64("high", 7), trnsci_param_end()}, \
			    &source, TRNSCI_I64, 1000, counts, NULL, &err))                                                       \
	X(permutation, trnsci_draw_array(session, "permutation", NULL, &source, TRNSCI_I64, 1000, counts, NULL, &err))            \
	X(categorical, trnsci_draw_array(session, "categorical",                                                                  \
					 (struct trnsci_param[]){trnsci_param_f64s("weights", weights, 3), trnsci_param_end()},   \
					 &source, TRNSCI_I64, 1000, counts, NULL, &err))                                          \
	X(rademacher, trnsci_draw_array(session, "rademacher", NULL, &source, TRNSCI_I8, 1000, bits, NULL, &err))                 \
	X(dirichlet, trnsci_draw_array(session, "dirichlet",                                                                      \
				       (struct trnsci_param[]){trnsci_param_f64s("alpha", weights, 3), trnsci_param_end()},       \
				       &source, TRNSCI_F32, 999, x, NULL, &err))                                                  \
	X(sphere,                                                                                                                 \
	  trnsci_draw_array(session, "sphere", (struct trnsci_param[]){trnsci_param_u64("dimensions", 4), trnsci_param_end()},    \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(rayleigh, trnsci_draw_array(session, "rayleigh", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                       \
	X(logistic, trnsci_draw_array(session, "logistic", NULL, &source, TRNSCI_F32, 1000, x, NULL, &err))                       \
	X(pareto, trnsci_draw_array(session, "pareto", (struct trnsci_param[]){trnsci_param_f64("a", 3), trnsci_param_end()},     \
				    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                    \
	X(power, trnsci_draw_array(session, "power", (struct trnsci_param[]){trnsci_param_f64("a", 5), trnsci_param_end()},       \
				   &source, TRNSCI_F32, 1000, x, NULL, &err))                                                     \
	X(triangular, trnsci_draw_array(session, "triangular",                                                                    \
					(struct trnsci_param[]){trnsci_param_f64("left", -3), trnsci_param_f64("mode", 0),        \
								trnsci_param_f64("right", 8), trnsci_param_end()},                \
					&source, TRNSCI_F32, 1000, x, NULL, &err))                                                \
	X(vonmises,                                                                                                               \
	  trnsci_draw_array(session, "vonmises", (struct trnsci_param[]){trnsci_param_f64("kappa", 4), trnsci_param_end()},       \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(wald, trnsci_draw_array(session, "wald",                                                                                \
			(struct trnsci_param[]){trnsci_param_f64("mean", 3), trnsci_param_f64("scale", 2), trnsci_param_end()},   \
			&source, TRNSCI_F32, 1000, x, NULL, &err))                                                                \
	X(f, trnsci_draw_array(session, "f",                                                                                      \
		     (struct trnsci_param[]){trnsci_param_f64("dfnum", 1), trnsci_param_f64("dfden", 48), trnsci_param_end()},    \
		     &source, TRNSCI_F32, 1000, x, NULL, &err))                                                                   \
	X(noncentral_chisquare,                                                                                                   \
	  trnsci_draw_array(session, "noncentral_chisquare",                                                                      \
			    (struct trnsci_param[]){trnsci_param_f64("df", 3), trnsci_param_f64("nonc", 20), trnsci_param_end()}, \
			    &source, TRNSCI_F32, 1000, x, NULL, &err))                                                            \
	X(noncentral_f, trnsci_draw_array(session, "noncentral_f",                                                                \
					  (struct trnsci_param[]){trnsci_param_f64("dfnum", 3), trnsci_param_f64("dfden", 20),    \
								  trnsci_param_f64("nonc", 3), trnsci_param_end()},               \
					  &source, TRNSCI_F32, 1000, x, NULL, &err))                                              \
	X(zipf, trnsci_draw_array(session, "zipf", (struct trnsci_param[]){trnsci_param_f64("a", 2), trnsci_param_end()},         \
				  &source, TRNSCI_I64, 1000, counts, NULL, &err))                                                 \
	X(logseries,                                                                                                              \
	  trnsci_draw_array(session, "logseries", (struct trnsci_param[]){trnsci_param_f64("p", 0.6), trnsci_param_end()},        \
			    &source, TRNSCI_I64, 1000, counts, NULL, &err))                                                       \
	X(negative_binomial, trnsci_draw_array(session, "negative_binomial",                                                      \
					       (struct trnsci_param[]){trnsci_param_f64("successes", 10),                         \
								       trnsci_param_f64("p", 0.1), trnsci_param_end()},           \
					       &source, TRNSCI_I64, 1000, counts, NULL, &err))                                    \
	X(hypergeometric, trnsci_draw_array(session, "hypergeometric",                                                            \
					    (struct trnsci_param[]){trnsci_param_u64("ngood", 100), trnsci_param_u64("nbad", 2),  \
								    trnsci_param_u64("nsample", 10), trnsci_param_end()},         \
					    &source, TRNSCI_I64, 1000, counts, NULL, &err))                                       \
	X(multinomial, trnsci_draw_array(session, "multinomial",                                                                  \
					 (struct trnsci_param[]){trnsci_param_u64("trials", 20),                                  \
								 trnsci_param_f64s("shares", weights, 3), trnsci_param_end()},    \
					 &source, TRNSCI_I64, 999, counts, NULL, &err))                                           \
	X(colored, trnsci_draw_array(session, "colored",                                                                         \
			   (struct trnsci_param[]){trnsci_param_text("color", "brown"), trnsci_param_end()}, &source, TRNSCI_F32,  \
			   1000, x, NULL, &err))                                                                                  \
	X(sobol, trnsci_apply_tile(session, "sobol",                                                                              \
				   (struct trnsci_param[]){trnsci_param_u64("n", 1024), trnsci_param_u64("d", 3),                 \
							   trnsci_param_text("scramble", "owen"), trnsci_param_end()},            \
				   &tile, &err))                                                                                  \
	X(halton,                                                                                                                 \
	  trnsci_apply_tile(session, "halton",                                                                                    \
			    (struct trnsci_param[]){trnsci_param_u64("n", 1000), trnsci_param_u64("d", 3), trnsci_param_end()},   \
			    &tile, &err))                                                                                         \
	X(lattice,                                                                                                                \
	  trnsci_apply_tile(session, "lattice",                                                                                   \
			    (struct trnsci_param[]){trnsci_param_u64("n", 1024), trnsci_param_u64("d", 3), trnsci_param_end()},   \
			    &tile, &err))                                                                                         \
	X(lhs,                                                                                                                    \
	  trnsci_apply_tile(session, "lhs",                                                                                       \
			    (struct trnsci_param[]){trnsci_param_u64("n", 100), trnsci_param_u64("d", 3), trnsci_param_end()},    \
			    &tile, &err))                                                                                         \
	X(field, trnsci_apply_tile(session, "field",                                                                              \
				   (struct trnsci_param[]){trnsci_param_u64s("shape", grid, 2), trnsci_param_f64("exponent", 3),  \
							   trnsci_param_u64("seed", 1), trnsci_param_end()},                      \
				   &tile, &err))                                                                                  \
	X(fgn, trnsci_apply_tile(session, "fgn",                                                                                 \
				 (struct trnsci_param[]){trnsci_param_u64("shape", 1000), trnsci_param_f64("hurst", 0.7),         \
							 trnsci_param_u64("seed", 1), trnsci_param_end()},                        \
				 &tile, &err))                                                                                    \
	X(fbm, trnsci_apply_tile(session, "fbm",                                                                                 \
				 (struct trnsci_param[]){trnsci_param_u64("shape", 1000), trnsci_param_f64("hurst", 0.7),         \
							 trnsci_param_u64("seed", 1), trnsci_param_end()},                        \
				 &tile, &err))                                                                                    \
	X(surrogate,                                                                                                              \
	  trnsci_apply_array(session, "surrogate", (struct trnsci_param[]){trnsci_param_u64("seed", 1), trnsci_param_end()},      \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, y), &err))           \
	X(box_muller, trnsci_apply_array(session, "box_muller", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                   \
					 trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                         \
	X(scale, trnsci_apply_array(session, "scale", (struct trnsci_param[]){trnsci_param_f64("by", 2), trnsci_param_end()},     \
				    trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, x), &err))    \
	X(add, trnsci_apply_array(session, "add", (struct trnsci_param[]){trnsci_param_array("b", &second), trnsci_param_end()},  \
				  trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, x), &err))      \
	X(subtract,                                                                                                               \
	  trnsci_apply_array(session, "subtract", (struct trnsci_param[]){trnsci_param_array("b", &second), trnsci_param_end()},  \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, x), &err))           \
	X(multiply,                                                                                                               \
	  trnsci_apply_array(session, "multiply", (struct trnsci_param[]){trnsci_param_array("b", &second), trnsci_param_end()},  \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, x), &err))           \
	X(divide,                                                                                                                 \
	  trnsci_apply_array(session, "divide", (struct trnsci_param[]){trnsci_param_array("b", &second), trnsci_param_end()},    \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, y), &err))           \
	X(abs, trnsci_apply_array(session, "abs", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                                 \
				  trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                                \
	X(square, trnsci_apply_array(session, "square", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                           \
				     trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                             \
	X(sqrt, trnsci_apply_array(session, "sqrt", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                               \
				   trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                               \
	X(log, trnsci_apply_array(session, "log", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                                 \
				  trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                                \
	X(exp, trnsci_apply_array(session, "exp", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                                 \
				  trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                                \
	X(conj, trnsci_apply_array(session, "conj", NULL, trnsci_array_vector(TRNSCI_C64, 129, spectra),                          \
				   trnsci_array_vector(TRNSCI_C64, 129, spectra), &err))                                          \
	X(real, trnsci_apply_array(session, "real", NULL, trnsci_array_vector(TRNSCI_C64, 129, spectra),                          \
				   trnsci_array_vector(TRNSCI_F32, 129, y), &err))                                                \
	X(imag, trnsci_apply_array(session, "imag", NULL, trnsci_array_vector(TRNSCI_C64, 129, spectra),                          \
				   trnsci_array_vector(TRNSCI_F32, 129, y), &err))                                                \
	X(clip, trnsci_apply_array(session, "clip",                                                                               \
			(struct trnsci_param[]){trnsci_param_f64("low", -1), trnsci_param_f64("high", 1), trnsci_param_end()},    \
			trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                \
	X(where,                                                                                                                  \
	  trnsci_apply_tile(session, "where",                                                                                     \
			    (struct trnsci_param[]){trnsci_param_array("condition", &second), trnsci_param_array("a", &second),   \
						    trnsci_param_array("b", &second), trnsci_param_end()},                        \
			    &tile, &err))                                                                                         \
	X(sum, trnsci_apply_array(session, "sum", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                                 \
				  trnsci_array_vector(TRNSCI_F32, 1, y), &err))                                                   \
	X(mean, trnsci_apply_array(session, "mean", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                               \
				   trnsci_array_vector(TRNSCI_F32, 1, y), &err))                                                  \
	X(max, trnsci_apply_array(session, "max", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                                 \
				  trnsci_array_vector(TRNSCI_F32, 1, y), &err))                                                   \
	X(norm, trnsci_apply_array(session, "norm", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                               \
				   trnsci_array_vector(TRNSCI_F32, 1, y), &err))                                                  \
	X(noise_add,                                                                                                              \
	  trnsci_apply_array(session, "noise_add", (struct trnsci_param[]){trnsci_param_f64("sigma", 0.1), trnsci_param_end()},   \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, x), &err))           \
	X(fft, trnsci_apply_array(session, "fft", (struct trnsci_param[]){trnsci_param_bool("real", true), trnsci_param_end()},   \
				  trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_C64, 501, y), &err))       \
	X(dct,                                                                                                                    \
	  trnsci_apply_array(session, "dct", (struct trnsci_param[]){trnsci_param_text("norm", "ortho"), trnsci_param_end()},     \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, y), &err))           \
	X(dst, trnsci_apply_array(session, "dst", (struct trnsci_param[]){trnsci_param_text("type", "1"), trnsci_param_end()},    \
				  trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1000, y), &err))      \
	X(fftshift, trnsci_apply_array(session, "fftshift", NULL, trnsci_array_vector(TRNSCI_F32, 1000, x),                       \
				       trnsci_array_vector(TRNSCI_F32, 1000, y), &err))                                           \
	X(gemm,                                                                                                                   \
	  trnsci_apply_array(session, "gemm", (struct trnsci_param[]){trnsci_param_array("b", &right), trnsci_param_end()},       \
			     trnsci_array_matrix(TRNSCI_F32, 10, 10, x), trnsci_array_matrix(TRNSCI_C64, 10, 10, product), &err)) \
	X(trace,                                                                                                                  \
	  trnsci_apply_array(session, "trace", (struct trnsci_param[]){trnsci_param_u64("probes", 256), trnsci_param_end()},      \
			     trnsci_array_matrix(TRNSCI_F32, 10, 10, x), trnsci_array_vector(TRNSCI_F64, 2, estimate), &err))     \
	X(stft,                                                                                                                   \
	  trnsci_apply_array(session, "stft",                                                                                     \
			     (struct trnsci_param[]){trnsci_param_u64("n_fft", 256), trnsci_param_text("window", "hann"),         \
						     trnsci_param_end()},                                                         \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_matrix(TRNSCI_C64, 129, 16, spectra), &err))  \
	X(istft,                                                                                                                  \
	  trnsci_apply_array(session, "istft",                                                                                    \
			     (struct trnsci_param[]){trnsci_param_u64("n_fft", 256), trnsci_param_text("window", "hann"),         \
						     trnsci_param_end()},                                                         \
			     trnsci_array_matrix(TRNSCI_C64, 129, 16, spectra), trnsci_array_vector(TRNSCI_F32, 960, y), &err))   \
	X(convolve, trnsci_apply_array(session, "convolve",                                                                       \
				       (struct trnsci_param[]){trnsci_param_array("b", &taps), trnsci_param_text("mode", "same"), \
							       trnsci_param_end()},                                               \
				       trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F64, 1000, y), &err)) \
	X(correlate,                                                                                                              \
	  trnsci_apply_array(session, "correlate", (struct trnsci_param[]){trnsci_param_array("b", &second), trnsci_param_end()}, \
			     trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 1999, y), &err))           \
	X(welch, trnsci_apply_array(session, "welch", (struct trnsci_param[]){trnsci_param_f64("fs", 48000), trnsci_param_end()}, \
				    trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_F32, 129, y), &err))     \
	X(csd, trnsci_apply_array(session, "csd", (struct trnsci_param[]){trnsci_param_array("y", &second), trnsci_param_end()},  \
				  trnsci_array_vector(TRNSCI_F32, 1000, x), trnsci_array_vector(TRNSCI_C64, 129, spectra), &err)) \
	X(window, trnsci_apply_tile(session, "window",                                                                            \
				    (struct trnsci_param[]){trnsci_param_u64("n", 256), trnsci_param_text("window", "kaiser"),    \
							    trnsci_param_end()},                                                  \
				    &tile, &err))

#define RUN(name, ...) \
	static int run_##name(void) \
	{ \
		return __VA_ARGS__; \
	}
EXAMPLES(RUN)

static const struct example {
	const char *name, *text;
	int (*run)(void);
} examples[] = {
#define ROW(name, ...) {#name, #__VA_ARGS__ ";", run_##name},
	EXAMPLES(ROW)
};

/* Returns the number of lines that fail. The transforms' input is what the first lines draw. */
static int run_examples(void)
{
	int failed = 0;

	if (trnsci_open("embedded:", NULL, &session, &err) < 0)
		return 1;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		if (examples[i].run() < 0) {
			printf("%s: %s\n", examples[i].name, err.text);
			failed++;
		}
		trnsci_tile_free(tile);
		tile = NULL;
	}
	trnsci_close(session);
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "run") == 0)
		return run_examples() > 0;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		printf("%s\t%s\n", examples[i].name, examples[i].text);
	return 0;
}
