/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on signals as commands: inputs, and the shape that the result will have. */
#ifndef TRNSCI_CLI_SIGNAL_H
#define TRNSCI_CLI_SIGNAL_H

#include "cli.h"
#include "input.h"
#include "options.h"

enum { SIGNAL_INPUTS = 2 };

struct signal_result {
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS + 1];
};

/* What the engine makes of inputs and options; anything wrong with them is complained of there, so that a shape of
 * zeros will do. An exit code. */
int signal_shape_stft(const struct options *options, const struct npy *inputs, struct signal_result *ret);
int signal_shape_istft(const struct options *options, const struct npy *inputs, struct signal_result *ret);
int signal_shape_convolve(const struct options *options, const struct npy *inputs, struct signal_result *ret);
int signal_shape_welch(const struct options *options, const struct npy *inputs, struct signal_result *ret);
int signal_shape_csd(const struct options *options, const struct npy *inputs, struct signal_result *ret);
int signal_shape_window(const struct options *options, const struct npy *inputs, struct signal_result *ret);

#endif
