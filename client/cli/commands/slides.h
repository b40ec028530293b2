/* SPDX-License-Identifier: Apache-2.0 */
/* Long signals in stretches: welch and csd, stft, istft. The bytes are those of the signal at once.
 *
 * convolve and correlate are computed at once: the length of their transforms, and so their rounding, follows from the
 * lengths of both whole signals. So are the median of welch and csd, which needs all segments, text of stft, spectra with
 * bins first that come from a pipe or go to one, and padding that is taken from the other end (circular). */
#ifndef TRNSCI_CLI_COMMANDS_SLIDES_H
#define TRNSCI_CLI_COMMANDS_SLIDES_H

#include "compute.h"

/* As the member `slide` of struct computation. */
bool slide_welch(void *computation, uint64_t room, struct slide *ret);
bool slide_stft(void *computation, uint64_t room, struct slide *ret);
bool slide_istft(void *computation, uint64_t room, struct slide *ret);

#endif
