/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that are plotted. */
#include <math.h>
#include <stdlib.h>

#include "files/convert.h"
#include "files/input.h"
#include "files/text.h"
#include "kinds.h"

void numbers_widen(enum trnsci_dtype dtype, const void *data, size_t n, double *ret)
{
	const struct npy_storage storage = convert_storage(dtype);

	convert_elements(&storage, data, TRNSCI_F64, ret, n);
}

static int read_all(struct input *input, struct numbers *ret)
{
	uint64_t count = 0;
	const size_t element = trnsci_dtype_size(input->array.dtype);
	int code;

	if (!input_count(input, &count) || count == 0 || count > SIZE_MAX / 16)
		return complain(EXIT_DATA, "%s: allowed 1 or more numbers, as many as memory holds", input->name);
	const size_t parts = is_complex(input->array.dtype) ? 2 : 1, n = (size_t)count;
	char *data = allocate(n, element);

	ret->values = allocate(n, parts * sizeof *ret->values);
	code = input_read(input, data, n * element);
	if (code == EXIT_OK)
		numbers_widen(element == sizeof(float) * parts ? TRNSCI_F32 : TRNSCI_F64, data, n * parts, ret->values);
	for (size_t i = 0; i < n && code == EXIT_OK && parts == 2; i++)
		ret->values[i] = hypot(ret->values[2 * i], ret->values[2 * i + 1]);
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
