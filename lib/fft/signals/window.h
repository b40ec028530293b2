/* SPDX-License-Identifier: Apache-2.0 */
/* Windows by name, as scipy.signal.get_window defines them: symmetric about their middle, or periodic, which means the
 * first n elements of the symmetric window of n + 1.
 *
 * Angles are reduced in integers and evaluated in long double, so an element's error is at most 2e-16 of the peak and
 * mirror images are equal. */
#ifndef TRNSCI_FFT_WINDOW_H
#define TRNSCI_FFT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(identifier, name, name of its parameter or "", its default or 0 for none, least, most) */
#define WINDOW_TABLE(X)                                                                                                \
	X(BOXCAR, "boxcar", "", 0, 0, 0)                                                                               \
	X(RECTANGULAR, "rectangular", "", 0, 0, 0)                                                                     \
	X(HANN, "hann", "", 0, 0, 0)                                                                                   \
	X(HAMMING, "hamming", "", 0, 0, 0)                                                                             \
	X(BLACKMAN, "blackman", "", 0, 0, 0)                                                                           \
	X(BARTLETT, "bartlett", "", 0, 0, 0)                                                                           \
	X(TRIANG, "triang", "", 0, 0, 0)                                                                               \
	X(BLACKMANHARRIS, "blackmanharris", "", 0, 0, 0)                                                               \
	X(NUTTALL, "nuttall", "", 0, 0, 0)                                                                             \
	X(FLATTOP, "flattop", "", 0, 0, 0)                                                                             \
	X(COSINE, "cosine", "", 0, 0, 0)                                                                               \
	X(LANCZOS, "lanczos", "", 0, 0, 0)                                                                             \
	X(PARZEN, "parzen", "", 0, 0, 0)                                                                               \
	X(BOHMAN, "bohman", "", 0, 0, 0)                                                                               \
	X(BARTHANN, "barthann", "", 0, 0, 0)                                                                           \
	X(KAISER, "kaiser", "beta", 12, 0, 700)                                                                        \
	X(GAUSSIAN, "gaussian", "std in samples", 0, 1e-3, 1e18)                                                       \
	X(EXPONENTIAL, "exponential", "tau in samples", 1, 1e-3, 1e18)                                                 \
	X(TUKEY, "tukey", "alpha", 0.5, 0, 1)                                                                          \
	X(GENERAL_HAMMING, "general_hamming", "alpha", 0, 0, 1)

/* The names in order, as choices for the operation table. A test compares them with the table. */
#define WINDOW_CHOICES                                                                                                 \
	"boxcar|rectangular|hann|hamming|blackman|bartlett|triang|blackmanharris|nuttall|flattop|cosine|lanczos|"      \
	"parzen|bohman|barthann|kaiser|gaussian|exponential|tukey|general_hamming"

enum window_kind {
#define X(id, name, parameter, fallback, least, most) WINDOW_##id,
	WINDOW_TABLE(X)
#undef X
		WINDOWS,
};

struct window_row {
	const char *name, *parameter;
	double fallback, least, most; /* of the parameter */
};

/* Returns the row of a kind. */
const struct window_row *window_row(enum window_kind kind);

struct window {
	enum window_kind kind;
	double parameter;
	uint64_t n; /* 1 .. 2^30 */
	bool symmetric;
};

/* Computes elements [begin, begin + count), in at most 2 us each. Any thread. */
void window_fill(const struct window *window, uint64_t begin, size_t count, double *out);

#endif
