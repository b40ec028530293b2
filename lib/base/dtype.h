/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: the one table that tiles, the wire, files and the command line share. */
#ifndef TRNSCI_BASE_DTYPE_H
#define TRNSCI_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* X(identifier, number, short name, long name, bytes of an element, numpy's descr). Numbers are part of the ABI. */
#define DTYPE_TABLE(X)                            \
	X(I8, 1, "i8", "int8", 1, "|i1")                \
	X(I32, 2, "i32", "int32", 4, "<i4")             \
	X(I64, 3, "i64", "int64", 8, "<i8")             \
	X(U32, 4, "u32", "uint32", 4, "<u4")            \
	X(U64, 5, "u64", "uint64", 8, "<u8")            \
	X(F32, 6, "f32", "float32", 4, "<f4")           \
	X(F64, 7, "f64", "float64", 8, "<f8")           \
	X(C64, 8, "c64", "complex64", 8, "<c8")         \
	X(C128, 9, "c128", "complex128", 16, "<c16")    \
	X(F16, 10, "f16", "float16", 2, "<f2")          \
	X(BF16, 11, "bf16", "bfloat16", 2, "<V2")

enum dtype {
	DTYPE_NONE = 0,
#define X(id, number, name, long_name, size, descr) DTYPE_##id = number,
	DTYPE_TABLE(X)
#undef X
};

/* Returns the bytes of one element; 0 for a number that is not a dtype. */
size_t dtype_size(enum dtype dtype);

/* Returns the short name ("f32"); "?" for a number that is not a dtype. */
const char *dtype_name(enum dtype dtype);

/* Finds a dtype by its short or long name of size bytes. Returns DTYPE_NONE for an unknown name. */
enum dtype dtype_parse(const char *name, size_t size);

/* Returns whether elements are pairs of a real and an imaginary part. */
bool dtype_is_complex(enum dtype dtype);

/* Returns whether parts are float64: f64 and c128. */
bool dtype_is_wide(enum dtype dtype);

#endif
