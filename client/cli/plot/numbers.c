/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that are plotted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/convert.h"
#include "files/input.h"
#include "kinds.h"

static double number_at(enum trnsci_dtype dtype, const char *data, size_t i)
{
	float narrow[2];
	double wide[2];

	switch (dtype) {
	case TRNSCI_F32:
		memcpy(narrow, data + 4 * i, 4);
		return (double)narrow[0];
	case TRNSCI_C64:
		memcpy(narrow, data + 8 * i, 8);
		return hypot((double)narrow[0], (double)narrow[1]);
	case TRNSCI_C128:
		memcpy(wide, data + 16 * i, 16);
		return hypot(wide[0], wide[1]);
	default:
		memcpy(wide, data + 8 * i, 8);
		return wide[0];
	}
}

static int read_all(struct input *input, struct numbers *ret)
{
	uint64_t count = 0;
	const size_t element = trnsci_dtype_size(input->array.dtype);
	int code;

	if (!input_count(input, &count) || count == 0 || count > SIZE_MAX / 16)
		return complain(EXIT_DATA, "%s: allowed 1 or more numbers, as many as memory holds", input->name);
	char *data = malloc((size_t)count * element);

	ret->values = malloc((size_t)count * sizeof *ret->values);
	code = data && ret->values ? input_read(input, data, (size_t)count * element)
				   : complain(EXIT_TRY_AGAIN, "%s: no memory for %zu numbers", input->name, (size_t)count);
	for (size_t i = 0; i < count && code == EXIT_OK; i++)
		ret->values[i] = number_at(input->array.dtype, data, i);
	free(data);
	ret->columns = (size_t)input->array.shape[input->array.ndim - 1];
	ret->rows = (size_t)count / ret->columns;
	return code;
}

int numbers_read(const struct options *options, const char *file, struct numbers *ret)
{
	const char *rate = options_get(options, "fs");
	struct input input;
	int code = input_open(file, options_get(options, "dtype"), 0, &input);

	if (code != EXIT_OK)
		return code;
	input_make_floating(&input);
	*ret = (struct numbers){.name = input.name, .rate = rate ? strtod(rate, NULL) : input.audio.rate > 0 ? input.audio.rate : 1};
	code = ret->rate > 0 && isfinite(ret->rate) ? read_all(&input, ret)
						    : complain(EXIT_USAGE, "--fs: '%s', allowed above 0", rate);
	input_close(&input);
	if (code != EXIT_OK)
		numbers_free(ret);
	return code;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->values);
	numbers->values = NULL;
}

void numbers_widen(enum trnsci_dtype dtype, const void *data, size_t n, double *ret)
{
	const struct npy_storage storage = convert_storage(dtype);

	convert_elements(&storage, data, TRNSCI_F64, ret, n);
}
