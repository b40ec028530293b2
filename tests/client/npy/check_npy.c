/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy files: those that numpy writes, those that we write, and those that nobody should read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/npy/npy.h"

/* A header of version 1.0 around a dictionary, padded as numpy does. */
static size_t make(const char *dictionary, unsigned char header[1024])
{
	size_t size = 10 + strlen(dictionary);

	memcpy(header, "\x93NUMPY\x01\x00", 8);
	memcpy(header + 10, dictionary, strlen(dictionary));
	while ((size + 1) % 64)
		header[size++] = ' ';
	header[size++] = '\n';
	header[8] = (unsigned char)((size - 10) & 255);
	header[9] = (unsigned char)((size - 10) >> 8);
	return size;
}

/* How the elements of the last header stand. */
static struct npy_storage storage;

static int parse(const char *dictionary, struct npy *npy)
{
	unsigned char header[1024];
	const char *wrong = NULL;
	size_t size = make(dictionary, header);

	assert_int_equal(npy_header_bytes(header, &wrong), size);
	int r = npy_parse(header, size, npy, &storage, &wrong);

	assert_true(r == 0 || wrong);
	return r;
}

static void test_numpy(void **state)
{
	struct npy npy;

	(void)state;
	assert_int_equal(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", &npy), 0);
	assert_int_equal(npy.dtype, TRNSCI_F32);
	assert_int_equal(npy.ndim, 1);
	assert_int_equal(npy.shape[0], 3);
	assert_int_equal(parse("{'descr': '<c16', 'fortran_order': False, 'shape': (2, 0, 7), }", &npy), 0);
	assert_int_equal(npy.dtype, TRNSCI_C128);
	assert_int_equal(npy.ndim, 3);
	assert_int_equal(npy.shape[1], 0);
	assert_int_equal(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &npy), 0);
	assert_int_equal(npy.ndim, 1); /* a scalar is one element */
	assert_int_equal(npy.shape[0], 1);
	assert_int_equal(parse("{'shape': (1, 5), 'fortran_order': True, 'descr': '<f8'}", &npy), 0);
	assert_int_equal(npy.shape[1], 5); /* of one row, both orders are the same */
	assert_false(storage.fortran);
	assert_int_equal(parse("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", &npy), 0);
	assert_true(storage.fortran && !storage.swapped);
	assert_int_equal(parse("{'descr': '>u2', 'fortran_order': False, 'shape': (3,), }", &npy), 0);
	assert_int_equal(npy.dtype, TRNSCI_U32); /* the narrowest dtype that holds all of its values */
	assert_true(storage.swapped && storage.kind == 'u' && storage.size == 2);
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"{'descr': '>f16', 'fortran_order': False, 'shape': (3,), }",
		"{'descr': 'f4', 'fortran_order': False, 'shape': (3,), }",
		"{'descr': '<m8[s]', 'fortran_order': False, 'shape': (3,), }",
		"{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }",
		"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
		"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3, 2), }",
		"{'descr': '<f4', 'shape': (3,), }",
		"{'descr': '<f4', 'fortran_order': False, }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3 2), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
		"{'descr'",
		"",
	};
	struct npy npy;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (parse(wrong[i], &npy) == 0)
			fail_msg("expected an error for %s", wrong[i]);
}

static void test_prefix(void **state)
{
	unsigned char header[1024];
	const char *wrong;

	(void)state;
	make("{}", header);
	header[6] = 9;
	assert_int_equal(npy_header_bytes(header, &wrong), 0);
	header[6] = 2; /* four bytes of length */
	memcpy(header + 8, "\xff\xff\xff\xff", 4);
	assert_int_equal(npy_header_bytes(header, &wrong), 0);
	header[6] = 1;
	memcpy(header + 8, "\x00\x00", 2);
	assert_int_equal(npy_header_bytes(header, &wrong), 0);
	assert_int_equal(npy_header_bytes((const unsigned char *)"not numpy at", &wrong), 0);
}

/* What is written is read back, and its data begins at a multiple of 64. */
static void test_round_trip(void **state)
{
	static const enum trnsci_dtype dtypes[] = {TRNSCI_I8,  TRNSCI_I32, TRNSCI_I64, TRNSCI_U32, TRNSCI_U64,
						   TRNSCI_F32, TRNSCI_F64, TRNSCI_C64, TRNSCI_C128};

	(void)state;
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
		for (size_t ndim = 1; ndim <= TRNSCI_MAX_DIMS; ndim++) {
			struct npy npy = {.dtype = dtypes[i], .ndim = ndim}, back;
			char header[512];
			const char *wrong = "";

			for (size_t j = 0; j < ndim; j++)
				npy.shape[j] = UINT64_MAX - j;
			size_t size = npy_write(&npy, header, sizeof header);

			assert_true(size > 0 && size % 64 == 0);
			assert_int_equal(npy_header_bytes((unsigned char *)header, &wrong), size);
			if (npy_parse((unsigned char *)header, size, &back, &storage, &wrong) < 0)
				fail_msg("%s", wrong);
			assert_int_equal(back.dtype, npy.dtype);
			assert_int_equal(back.ndim, ndim);
			assert_memory_equal(back.shape, npy.shape, ndim * sizeof *npy.shape);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numpy),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
