/* SPDX-License-Identifier: Apache-2.0 */
/* A command that applies an operation to arrays from files, whose result the engine gives its dtype and shape. */
#ifndef TRNSCI_CLI_COMPUTE_H
#define TRNSCI_CLI_COMPUTE_H

#include "pieces.h"

struct computation {
	const struct options *options;
	size_t n_inputs;
	const char *names[PIECES_INPUTS]; /* of the parameters that the inputs are */
	const char *files[PIECES_INPUTS]; /* "-": stdin */
	/* Axes at the end of the first input that the operation takes at once, by the options; NULL: all axes. */
	size_t (*trailing)(const struct options *options, size_t ndim);
	/* Sets what follows from the first input, before its first piece; NULL: nothing does. An exit code. */
	int (*set_parameters)(struct computation *computation, struct input *input, struct trnsci_args *args);
	void (*move)(void *computation, struct trnsci_args *args, uint64_t item); /* as in struct pieces */
	void (*look)(void *computation, const struct output *output, const struct trnsci_tile *in,
		     const struct trnsci_tile *out); /* as in struct pieces */
	bool (*slide)(void *computation, uint64_t room, struct slide *ret);       /* as in struct pieces */
	void (*report)(const struct trnsci_value *reply);                         /* as in struct pieces */
	write_text_fn *write_text;                                                /* as in struct pieces */
	struct pieces pieces; /* set by compute */
};

/* Opens the inputs, runs the operation of the options with its parameters, and writes the result. An exit code. */
int compute(const struct cli *cli, struct computation *computation);

#endif
