/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra as lines of text, with the frequency, and the time, of each. */
#ifndef TRNSCI_CLI_COMMANDS_SPECTRUM_H
#define TRNSCI_CLI_COMMANDS_SPECTRUM_H

#include "files/input.h"
#include "files/output.h"

/* Writes what welch or csd gave: a line for each bin, of its frequency and one column for each signal. Frequencies are those of
 * --fs, or of audio input, or fractions of the sampling rate. An exit code. */
int spectrum_write_bins(struct output *output, const struct options *options, const struct input *input,
			const struct trnsci_tile_info *result, const void *data);

/* Writes what stft gave: a line for each bin of each frame, of the frame's time (its centre), the frequency, and one column
 * for each signal. An exit code. */
int spectrum_write_frames(struct output *output, const struct options *options, const struct input *input,
			  const struct trnsci_tile_info *result, const void *data);

#endif
