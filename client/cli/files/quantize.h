/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as integers of PCM: rounded to the nearest, ties to even; -1 to 1 is the whole range.
 *
 * Dither adds the difference of two uniform numbers of [0, 1) to each sample in units of its last bit before it is rounded (TPDF):
 * the error's mean and power then do not depend on the signal. Sample k, counted through all channels of a frame and then
 * through frames, takes the numbers 2 k and 2 k + 1 of the f64 uniform of seed DITHER_SEED, stream DITHER_STREAM. */
#ifndef TRNSCI_CLI_FILES_QUANTIZE_H
#define TRNSCI_CLI_FILES_QUANTIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

/* The stream is the word "dither" in ASCII. */
#define DITHER_SEED   UINT64_C(0)
#define DITHER_STREAM UINT64_C(0x646974686572)

enum { QUANTIZE_MOST = 4096 }; /* samples at once */

struct quantizer {
	int bits; /* 8, 16, 24 or 32 */
	struct trnsci_session *dither; /* NULL: none */
	uint64_t done;    /* samples */
	uint64_t clipped; /* of them, beyond -1 to 1 */
	uint64_t missing; /* of them, NaN, which become 0 */
};

/* An exit code. quantizer_end is due afterwards in any case. */
int quantizer_begin(struct quantizer *quantizer, int bits, bool dither);
void quantizer_end(struct quantizer *quantizer);

/* Returns the largest sample that is not clipped. */
double quantizer_most(const struct quantizer *quantizer);

/* Rounds a sample without dither; *ret_clipped says whether it was beyond the range. */
int32_t quantize(int bits, double sample, bool *ret_clipped);

/* Rounds the next count samples. An exit code. */
int quantizer_run(struct quantizer *quantizer, const double *samples, size_t count, int32_t *ret);

#endif
