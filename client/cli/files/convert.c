/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a file as elements of ours. */
#include "convert.h"

#include <string.h>

#include "text.h"

/* The kinds in which dtypes stand in memory. */
static char kind_of(enum trnsci_dtype dtype)
{
	switch (dtype) {
	case TRNSCI_I8:
	case TRNSCI_I32:
	case TRNSCI_I64:
		return 'i';
	case TRNSCI_U32:
	case TRNSCI_U64:
		return 'u';
	case TRNSCI_BF16:
		return 'V';
	default:
		return is_complex(dtype) ? 'c' : 'f';
	}
}

struct npy_storage convert_storage(enum trnsci_dtype dtype)
{
	return (struct npy_storage){.kind = kind_of(dtype), .size = (uint8_t)trnsci_dtype_size(dtype)};
}

bool convert_is_copy(const struct npy_storage *storage, enum trnsci_dtype dtype)
{
	if (storage->kind == 0)
		return true;
	return !storage->swapped && storage->size == trnsci_dtype_size(dtype) &&
	       (storage->kind == kind_of(dtype) || (storage->kind == 'b' && dtype == TRNSCI_I8));
}

enum trnsci_dtype convert_floating(enum trnsci_dtype dtype)
{
	switch (dtype) {
	case TRNSCI_F16:
	case TRNSCI_BF16:
		return TRNSCI_F32;
	case TRNSCI_I8:
	case TRNSCI_I32:
	case TRNSCI_I64:
	case TRNSCI_U32:
	case TRNSCI_U64:
		return TRNSCI_F64;
	default:
		return dtype;
	}
}

/* One number: an integer as itself, anything else as a double. */
struct number {
	int64_t integer; /* of kinds b and i; of u its bits */
	double real;
};

static struct number load(const struct npy_storage *storage, const unsigned char *from, size_t size)
{
	unsigned char bytes[8] = {0};
	struct number number = {0};
	uint64_t bits;
	float single;

	for (size_t i = 0; i < size; i++)
		bytes[i] = storage->swapped ? from[size - 1 - i] : from[i];
	memcpy(&bits, bytes, 8);
	switch (storage->kind) {
	case 'i':
		number.integer = (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
		number.real = (double)number.integer;
		break;
	case 'b':
	case 'u':
		number.integer = (int64_t)bits;
		number.real = (double)bits;
		break;
	case 'V':
		number.real = half_value(TRNSCI_BF16, (uint16_t)bits);
		break;
	default:
		memcpy(&single, bytes, sizeof single);
		if (size == 8)
			memcpy(&number.real, bytes, sizeof number.real);
		else
			number.real = size == 2 ? half_value(TRNSCI_F16, (uint16_t)bits) : (double)single;
	}
	return number;
}

/* size: bytes of a part of dtype, which is floating or an integer. */
static void store(enum trnsci_dtype dtype, struct number number, size_t size, unsigned char *to)
{
	const char kind = kind_of(dtype);

	if (kind == 'i' || kind == 'u')
		memcpy(to, &number.integer, size); /* little endian, as all of ours */
	else if (size == 4)
		memcpy(to, &(float){(float)number.real}, size);
	else
		memcpy(to, &number.real, size);
}

void convert_number(double real, uint64_t integer, enum trnsci_dtype dtype, void *to, size_t i)
{
	const size_t size = trnsci_dtype_size(dtype) / (is_complex(dtype) ? 2 : 1);

	store(dtype, (struct number){(int64_t)integer, real}, size, (unsigned char *)to + i * size);
}

/* A swapped number of 16 bits keeps its dtype and needs no arithmetic. */
static void swap_pairs(const unsigned char *from, unsigned char *to, size_t count)
{
	for (size_t i = 0; i < 2 * count; i += 2) {
		const unsigned char low = from[i + 1], high = from[i];

		to[i] = low;
		to[i + 1] = high;
	}
}

void convert_elements(const struct npy_storage *storage, const void *from, enum trnsci_dtype dtype, void *to, size_t count)
{
	const size_t parts = is_complex(dtype) ? 2 : 1, size = trnsci_dtype_size(dtype) / parts;
	const size_t stored = storage->size / (storage->kind == 'c' ? 2 : 1);
	const unsigned char *at = from;
	unsigned char *out = to;

	if (convert_is_copy(storage, dtype)) {
		memcpy(to, from, count * trnsci_dtype_size(dtype));
		return;
	}
	if (dtype == TRNSCI_F16 || dtype == TRNSCI_BF16) {
		swap_pairs(from, to, count);
		return;
	}
	for (size_t i = 0; i < count * parts; i++)
		store(dtype, load(storage, at + i * stored, stored), size, out + i * size);
}

/* Element by element in C order; index counts the axes, offset is where that element stands in Fortran order. */
void convert_order(const struct npy *array, size_t element, const void *from, void *to)
{
	uint64_t index[TRNSCI_MAX_DIMS] = {0}, strides[TRNSCI_MAX_DIMS], count = 1, offset = 0;

	for (size_t i = 0; i < array->ndim; i++) {
		strides[i] = count;
		count *= array->shape[i];
	}
	for (uint64_t n = 0; n < count; n++) {
		memcpy((char *)to + n * element, (const char *)from + offset * element, element);
		for (size_t i = array->ndim; i-- > 0;) {
			offset += strides[i];
			if (++index[i] < array->shape[i])
				break;
			offset -= strides[i] * array->shape[i];
			index[i] = 0;
		}
	}
}
