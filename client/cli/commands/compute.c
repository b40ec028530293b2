/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in, one array out. */
#include "compute.h"

static int open_inputs(struct computation *computation)
{
	struct pieces *pieces = &computation->pieces;
	const char *dtype = options_get(computation->options, "dtype");
	uint64_t count, bytes;

	while (pieces->n_inputs < computation->n_inputs) {
		struct input *input = &pieces->inputs[pieces->n_inputs];
		int code = input_open(computation->files[pieces->n_inputs], dtype, 0, input);

		if (code != EXIT_OK)
			return code;
		pieces->names[pieces->n_inputs] = computation->names[pieces->n_inputs];
		pieces->n_inputs++;
		input_make_floating(input);
		if (!input_count(input, &count) ||
		    __builtin_mul_overflow(count, trnsci_dtype_size(input->array.dtype), &bytes) ||
		    bytes > SIZE_MAX / 2)
			return complain(EXIT_DATA, "%s: more elements than memory can have", input->name);
	}
	return EXIT_OK;
}

/* The rate of the first audio input, where neither --fs nor --rate states one. */
static void set_rate(const struct pieces *pieces, struct trnsci_args *args)
{
	for (size_t i = 0; i < pieces->n_inputs; i++)
		if (pieces->inputs[i].audio.rate > 0) {
			trnsci_set(args, trnsci_param_f64("fs", pieces->inputs[i].audio.rate));
			return;
		}
}

static int set_parameters(void *arg, struct trnsci_args *args)
{
	struct computation *computation = arg;
	const struct options *options = computation->options;
	int code = options_set_parameters(options, args);

	if (code == EXIT_OK && options_has_parameter(options, "fs") && !options_get(options, "fs"))
		set_rate(&computation->pieces, args);
	if (code == EXIT_OK && computation->set_parameters)
		code = computation->set_parameters(computation, &computation->pieces.inputs[0], args);
	return code;
}

int compute(const struct cli *cli, struct computation *computation)
{
	struct pieces *pieces = &computation->pieces;

	*pieces = (struct pieces){.options = computation->options,
				  .set_parameters = set_parameters,
				  .move = computation->move,
				  .look = computation->look,
				  .slide = computation->slide,
				  .arg = computation,
				  .unit = "items",
				  .report = computation->report,
				  .write_text = computation->write_text};
	int code = open_inputs(computation);

	if (code == EXIT_OK) {
		const size_t ndim = pieces->n_inputs ? pieces->inputs[0].array.ndim : 0;

		pieces->trailing = computation->trailing ? computation->trailing(computation->options, ndim) : ndim;
		code = pieces_run(pieces, cli);
	}
	for (size_t i = 0; i < pieces->n_inputs; i++)
		input_close(&pieces->inputs[i]);
	return code;
}
