/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra as lines of text, with the frequency, and the time, of each. */
#ifndef TRNSCI_CLI_COMMANDS_SPECTRUM_H
#define TRNSCI_CLI_COMMANDS_SPECTRUM_H

#include "compute.h"

/* Writes what welch or csd gave: a line for each bin, of its frequency and one column for each signal. Frequencies are those of
 * --fs, or of audio input, or fractions of the sampling rate. An exit code. */
write_text_fn spectrum_write_bins;

/* Writes what stft gave: a line for each bin of each frame, of the frame's time (its centre), the frequency, and one column
 * for each signal. An exit code. */
write_text_fn spectrum_write_frames;

#endif
