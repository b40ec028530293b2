/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as decimal text. */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double half_value(enum trnsci_dtype dtype, uint16_t bits)
{
	const int fraction_bits = dtype == TRNSCI_F16 ? 10 : 7, bias = dtype == TRNSCI_F16 ? 15 : 127;
	const int exponent = (bits & 0x7FFF) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
	const int most = 2 * bias + 1;
	double size;

	if (exponent == most)
		size = fraction ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		size = ldexp(fraction, 1 - bias - fraction_bits);
	else
		size = ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
	return bits & 0x8000 ? -size : size;
}

/* float64 needs 17 digits to come back as it was, float32 nine. */
int text_print(char *to, enum trnsci_dtype dtype, char separator, const void *at)
{
	enum { ROOM = ELEMENT_CHARS };
	union {
		int8_t i8;
		int32_t i32;
		int64_t i64;
		uint32_t u32;
		uint64_t u64;
		uint16_t u16;
		float f32[2];
		double f64[2];
	} x;

	memcpy(&x, at, trnsci_dtype_size(dtype));
	switch (dtype) {
	case TRNSCI_I8:
		return snprintf(to, ROOM, "%d", x.i8);
	case TRNSCI_I32:
		return snprintf(to, ROOM, "%" PRId32, x.i32);
	case TRNSCI_I64:
		return snprintf(to, ROOM, "%" PRId64, x.i64);
	case TRNSCI_U32:
		return snprintf(to, ROOM, "%" PRIu32, x.u32);
	case TRNSCI_U64:
		return snprintf(to, ROOM, "%" PRIu64, x.u64);
	case TRNSCI_F32:
		return snprintf(to, ROOM, "%.9g", (double)x.f32[0]);
	case TRNSCI_F64:
		return snprintf(to, ROOM, "%.17g", x.f64[0]);
	case TRNSCI_C64:
		return snprintf(to, ROOM, "%.9g%c%.9g", (double)x.f32[0], separator, (double)x.f32[1]);
	case TRNSCI_C128:
		return snprintf(to, ROOM, "%.17g%c%.17g", x.f64[0], separator, x.f64[1]);
	case TRNSCI_F16:
	case TRNSCI_BF16:
		return snprintf(to, ROOM, "%.9g", half_value(dtype, x.u16));
	default:
		return -1;
	}
}
