/* SPDX-License-Identifier: Apache-2.0 */
/* Files as parameters of draws. They are opened before a session: their sizes decide the count and the arena. */
#include "rand_arrays.h"

/* Opens the file of "@FILE". What is open by then is closed by rand_arrays_close. */
static int open_one(struct rand_arrays *arrays, const struct option_given *given)
{
	struct rand_array *array = &arrays->at[arrays->n];
	int code;

	if (arrays->n == RAND_ARRAYS)
		return complain(EXIT_USAGE, "--%s: more than %d files of parameters", given->name, RAND_ARRAYS);
	code = input_open(given->text + 1, NULL, 0, &array->input);
	if (code != EXIT_OK)
		return code;
	array->name = given->name;
	arrays->n++;
	if (!input_count(&array->input, &array->count) || array->count == 0)
		return complain(EXIT_DATA, "%s: no elements, allowed is one or more", array->input.name);
	return EXIT_OK;
}

int rand_arrays_open(const struct options *options, struct rand_arrays *ret_arrays)
{
	int code = EXIT_OK;

	*ret_arrays = (struct rand_arrays){.n = 0};
	for (size_t i = 0; i < options->n_given && code == EXIT_OK; i++)
		if (options_is_file(options, i))
			code = open_one(ret_arrays, &options->given[i]);
	if (code != EXIT_OK)
		rand_arrays_close(ret_arrays);
	return code;
}

const struct rand_array *rand_arrays_longest(const struct rand_arrays *arrays)
{
	const struct rand_array *longest = arrays->n ? arrays->at : NULL;

	for (size_t i = 1; i < arrays->n; i++)
		if (arrays->at[i].count > longest->count)
			longest = &arrays->at[i];
	return longest;
}

/* As one dimension: a draw takes the elements in row order, whatever the file's shape. */
int rand_arrays_read(struct trnsci_session *session, struct rand_arrays *arrays)
{
	struct trnsci_error err;
	int code = EXIT_OK;

	for (size_t i = 0; i < arrays->n && code == EXIT_OK; i++) {
		struct rand_array *array = &arrays->at[i];
		const enum trnsci_dtype dtype = array->input.array.dtype;

		if (trnsci_tile_new(session, dtype, 1, &array->count, &array->tile, &err) < 0)
			code = complain_error(&err, EXIT_USAGE);
		else
			code = input_read(&array->input, trnsci_tile_data(array->tile),
					  (size_t)array->count * trnsci_dtype_size(dtype));
	}
	return code;
}

void rand_arrays_set(const struct rand_arrays *arrays, struct trnsci_args *args)
{
	for (size_t i = 0; i < arrays->n; i++)
		trnsci_set(args, trnsci_param_tile_elements(arrays->at[i].name, arrays->at[i].tile));
}

void rand_arrays_close(struct rand_arrays *arrays)
{
	for (size_t i = 0; i < arrays->n; i++) {
		input_close(&arrays->at[i].input);
		trnsci_tile_free(arrays->at[i].tile);
	}
	arrays->n = 0;
}
