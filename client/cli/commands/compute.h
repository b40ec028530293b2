/* SPDX-License-Identifier: Apache-2.0 */
/* An operation over whole arrays from files, whose result the engine gives its dtype and shape. */
#ifndef TRNSCI_CLI_COMPUTE_H
#define TRNSCI_CLI_COMPUTE_H

#include "cli.h"
#include "files/input.h"
#include "files/output.h"
#include "options/options.h"

enum { COMPUTE_INPUTS = 3 };

/* Writes a result as lines of text. input: the first one. An exit code. */
typedef int write_text_fn(struct output *output, const struct options *options, const struct input *input,
			  const struct trnsci_tile_info *result, const void *data);

struct computation {
	size_t n_inputs;
	const char *names[COMPUTE_INPUTS]; /* of the parameters that the inputs are */
	const char *files[COMPUTE_INPUTS]; /* "-": stdin */
	/* Sets what follows from the first input; NULL: nothing does. An exit code. */
	int (*set_parameters)(const struct options *options, const struct input *input, const void *data,
			      struct trnsci_args *args);
	void (*report)(const struct trnsci_value *reply); /* with -v; NULL: nothing to say */
	write_text_fn *write_text;         /* NULL: as any array */
};

/* Reads the inputs, runs the operation of the options with its parameters, and writes the result. An exit code. */
int compute(const struct cli *cli, const struct options *options, const struct computation *computation);

#endif
