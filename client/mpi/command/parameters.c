/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a distribution or a field, read by the type that the table of operations states: numbers, lists, and files of arrays. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* "1,2.5,0" */
static int read_numbers(struct options *options, const struct trnsci_parameter_info *info, const char *text)
{
	const char *at = text;
	size_t count = 1;

	for (const char *c = text; *c; c++)
		count += *c == ',';
	double *numbers = malloc(count * sizeof *numbers);

	if (!numbers)
		return command_fail(EXIT_TRY_AGAIN, "--%s: no memory for %zu numbers", info->name, count);
	options->lists[options->n_params] = numbers;
	for (size_t i = 0; i < count; i++) {
		char *end;

		numbers[i] = strtod(at, &end);
		if (end == at || *end != (i + 1 < count ? ',' : '\0'))
			return command_fail(EXIT_USAGE, "--%s: got \"%s\", allowed are numbers as in 1,2.5", info->name, text);
		at = end + 1;
	}
	options->params[options->n_params++] = trnsci_param_f64s(info->name, numbers, count);
	return 0;
}

/* Digits go as text: whole numbers beyond 2^53 stay exact, and bounds may lie just beyond 64 bits. */
static int read_number(struct options *options, const struct trnsci_parameter_info *info, const char *text)
{
	const char *digits = text + (text[0] == '-');
	char *end;
	const double number = strtod(text, &end);

	if (end == text || *end)
		return command_fail(EXIT_USAGE, "--%s: got \"%s\", allowed is a number, or @FILE.npy", info->name, text);
	options->params[options->n_params++] = strcmp(info->type, "f64") != 0 && !digits[strspn(digits, "0123456789")]
						       ? trnsci_param_text(info->name, text)
						       : trnsci_param_f64(info->name, number);
	return 0;
}

static int read_bool(struct options *options, const struct trnsci_parameter_info *info, const char *text)
{
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return command_fail(EXIT_USAGE, "--%s: got \"%s\", allowed is true or false", info->name, text);
	options->params[options->n_params++] = trnsci_param_bool(info->name, strcmp(text, "true") == 0);
	return 0;
}

static int name_file(struct options *options, const struct trnsci_parameter_info *info, const char *path)
{
	if (options->n_files == MOST_FILES)
		return command_fail(EXIT_USAGE, "--%s: more than %d files of parameters", info->name, MOST_FILES);
	struct parameter_file *file = &options->files[options->n_files++];

	*file = (struct parameter_file){.path = path};
	options->params[options->n_params++] = trnsci_param_array(info->name, &file->array);
	return 0;
}

int parameters_read(struct options *options, const char *method, const char *name, const char *value)
{
	struct trnsci_parameter_info info;

	if (options->n_params == MOST_PARAMS)
		return command_fail(EXIT_USAGE, "--%s: more than %d parameters", name, MOST_PARAMS);
	for (size_t i = 0; method && trnsci_operation_parameter(method, i, &info) == 0; i++) {
		if (strcmp(info.name, name) != 0)
			continue;
		if (strcmp(info.type, "choice") == 0 || strcmp(info.type, "text") == 0) {
			options->params[options->n_params++] = trnsci_param_text(info.name, value);
			return 0;
		}
		if (strcmp(info.type, "bool") == 0)
			return read_bool(options, &info, value);
		if (strcmp(info.type, "any") == 0)
			return read_numbers(options, &info, value);
		return value[0] == '@' ? name_file(options, &info, value + 1) : read_number(options, &info, value);
	}
	return command_fail(EXIT_USAGE, "unknown option --%s", name);
}

/* ---- files ---- */

/* Every rank reads a slab of the file, and gets the others' from the other ranks. */
static int gather_slabs(struct trnsci_mpi *mpi, const char *path, const struct trnsci_mpi_layout *slabs, const struct trnsci_array *array,
			int *counts, int *firsts)
{
	const size_t size = trnsci_dtype_size(array->dtype);
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part part;
	struct trnsci_error err;
	MPI_Datatype element;

	trnsci_mpi_describe(mpi, &info);
	for (int rank = 0, at = 0; rank < info.size; at += counts[rank++]) {
		trnsci_mpi_part_of(slabs, rank, info.size, &part, NULL);
		counts[rank] = (int)part.count;
		firsts[rank] = at;
	}
	if (trnsci_mpi_read(mpi, path, slabs, array->dtype, (char *)array->data + (size_t)firsts[info.rank] * size, &err) < 0)
		return command_error(&err);
	MPI_Type_contiguous((int)size, MPI_BYTE, &element);
	MPI_Type_commit(&element);
	MPI_Allgatherv(MPI_IN_PLACE, 0, element, array->data, counts, firsts, element, MPI_COMM_WORLD);
	MPI_Type_free(&element);
	return 0;
}

static int load_file(struct trnsci_mpi *mpi, struct parameter_file *file)
{
	struct trnsci_mpi_layout slabs;
	struct trnsci_mpi_info info;
	struct trnsci_error err;
	enum trnsci_dtype dtype;
	uint64_t count = 1;

	if (trnsci_mpi_look(mpi, file->path, &slabs, &dtype, &err) < 0)
		return command_error(&err);
	for (size_t i = 0; i < slabs.ndim; i++)
		count *= slabs.shape[i];
	if (count == 0 || count > INT_MAX)
		return command_fail(EXIT_DATA, "%s: %llu elements, allowed are 1 to 2^31 - 1", file->path, (unsigned long long)count);
	trnsci_mpi_describe(mpi, &info);
	void *const data = malloc(count * trnsci_dtype_size(dtype));
	int *const places = malloc(2 * (size_t)info.size * sizeof *places);
	int code = command_all_have(data && places ? data : NULL);

	file->array = trnsci_array_vector(dtype, count, data);
	if (code == 0)
		code = gather_slabs(mpi, file->path, &slabs, &file->array, places, places + info.size);
	free(places);
	return code;
}

int parameters_load(struct trnsci_mpi *mpi, struct options *options)
{
	int code = 0;

	for (size_t i = 0; i < options->n_files && code == 0; i++)
		code = load_file(mpi, &options->files[i]);
	return code;
}

void parameters_free(struct options *options)
{
	for (size_t i = 0; i < options->n_files; i++)
		free(options->files[i].array.data);
	for (size_t i = 0; i < MOST_PARAMS; i++)
		free(options->lists[i]);
}
