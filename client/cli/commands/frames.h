/* SPDX-License-Identifier: Apache-2.0 */
/* How a signal is cut: into segments by welch and csd, into frames by stft and istft. */
#ifndef TRNSCI_CLI_COMMANDS_FRAMES_H
#define TRNSCI_CLI_COMMANDS_FRAMES_H

#include "options/options.h"

struct frames {
	uint64_t n, hop; /* samples of a frame, and from one to the next */
	uint64_t nfft;   /* of its transform */
	uint64_t count;  /* frames, of segments */
	bool center;     /* of stft: half a frame is padded at both ends */
};

/* Reads the options, and what follows from them for those that are missing, as the engine does (the help of each parameter in the
 * table of operations). length: samples of a signal. False for what the engine refuses. */
bool frames_of_segments(const struct options *options, uint64_t length, struct frames *ret);
bool frames_of_transforms(const struct options *options, struct frames *ret);

#endif
