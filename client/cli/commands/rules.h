/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the rules of operations name, by the file that has them. */
#ifndef TRNSCI_CLI_COMMANDS_RULES_H
#define TRNSCI_CLI_COMMANDS_RULES_H

#include "pieces.h"

/* transforms.c: fft, dct, dst */
int lengths_read_row(const struct options *options, uint64_t *ret);
int lengths_prepare(struct pieces *pieces);
int lengths_set(struct pieces *pieces, struct trnsci_args *args);

/* noise.c */
int noise_prepare(struct pieces *pieces);
int noise_set(struct pieces *pieces, struct trnsci_args *args);
void noise_move(uint64_t item);
void noise_look(const struct output *output, const struct trnsci_tile *in, const struct trnsci_tile *out);
void noise_end(const struct options *options);

/* transforms.c: trace */
int trace_read_row(const struct options *options, uint64_t *ret);
void trace_print(const struct cli *cli, const struct trnsci_value *reply);

/* slides.c: long signals in stretches. */
bool slide_welch(const struct pieces *pieces, uint64_t room, struct slide *ret);
bool slide_stft(const struct pieces *pieces, uint64_t room, struct slide *ret);
bool slide_istft(const struct pieces *pieces, uint64_t room, struct slide *ret);

/* spectrum.c: what welch and csd gave, a line for each bin, of its frequency and one column for each signal; what stft gave,
 * a line for each bin of each frame, of the frame's time (its centre), the frequency, and one column for each signal.
 * Frequencies are those of --fs, or of audio input, or fractions of the sampling rate. Exit codes. */
int spectrum_write_bins(struct output *output, const struct pieces *pieces, const struct trnsci_tile_info *result, const void *data);
int spectrum_write_frames(struct output *output, const struct pieces *pieces, const struct trnsci_tile_info *result, const void *data);

#endif
