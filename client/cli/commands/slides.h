/* SPDX-License-Identifier: Apache-2.0 */
/* Long signals in stretches: welch and csd, stft, istft. The bytes are those of the signal at once.
 *
 * What is computed at once, as its result would not be the same, or not come in order:
 *     convolve, correlate      the length of their transforms, and so their rounding, follows from both whole lengths
 *     the median of segments   it needs them all
 *     padding that is circular, taken from the other end; frames that skip samples (hop_length above n_fft)
 *     spectra with bins first, where the input or the output is a pipe; text of stft
 * Raw input from a pipe is held: how long it is, is not known before its end. */
#ifndef TRNSCI_CLI_COMMANDS_SLIDES_H
#define TRNSCI_CLI_COMMANDS_SLIDES_H

#include "compute.h"

/* As the member `slide` of struct computation. */
bool slide_welch(void *computation, uint64_t room, struct slide *ret);
bool slide_stft(void *computation, uint64_t room, struct slide *ret);
bool slide_istft(void *computation, uint64_t room, struct slide *ret);

#endif
