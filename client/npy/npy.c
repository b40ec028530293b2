/* SPDX-License-Identifier: Apache-2.0 */
/* The header of .npy files. The dictionary in it is Python text, of which only what numpy writes is understood. */
#include "npy/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files are written with the first of a dtype's names. */
static const struct {
	const char descr[4]; /* without the byte order */
	enum trnsci_dtype dtype;
} descrs[] = {
	{"i1", TRNSCI_I8},  {"i4", TRNSCI_I32}, {"i8", TRNSCI_I64}, {"u4", TRNSCI_U32},	 {"u8", TRNSCI_U64},
	{"f2", TRNSCI_F16}, {"f4", TRNSCI_F32}, {"f8", TRNSCI_F64}, {"c8", TRNSCI_C64},	 {"c16", TRNSCI_C128},
	{"V2", TRNSCI_BF16}, {"b1", TRNSCI_I8}, {"i2", TRNSCI_I32}, {"u1", TRNSCI_U32},	 {"u2", TRNSCI_U32},
};

enum { N_DESCRS = sizeof descrs / sizeof *descrs };

size_t npy_header_bytes(const unsigned char *prefix, const char **ret_wrong)
{
	unsigned major = prefix[6];
	size_t length = (size_t)prefix[8] | (size_t)prefix[9] << 8;

	if (memcmp(prefix, NPY_MAGIC, 6) != 0) {
		*ret_wrong = "it does not begin with \\x93NUMPY";
		return 0;
	}
	if (major < 1 || major > 3) {
		*ret_wrong = "npy of an unknown version, allowed 1.0 to 3.0";
		return 0;
	}
	if (major > 1)
		length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
	length += major == 1 ? 10 : 12;
	if (length < NPY_PREFIX_BYTES || length > NPY_HEADER_MAX) {
		*ret_wrong = "an npy header of impossible size, allowed up to 65536 bytes";
		return 0;
	}
	return length;
}

/* Where the value of key begins; NULL when there is none. */
static const char *value_of(const char *text, const char *key)
{
	char quoted[32];

	snprintf(quoted, sizeof quoted, "'%s'", key);
	const char *at = strstr(text, quoted);

	if (!at)
		return NULL;
	at += strlen(quoted);
	at += strspn(at, " \t");
	if (*at++ != ':')
		return NULL;
	return at + strspn(at, " \t");
}

static int parse_descr(const char *text, struct npy *npy, struct npy_storage *storage, const char **ret_wrong)
{
	const char *at = value_of(text, "descr");
	const bool has_order = at && *at == '\'' && at[1] && strchr("<>|=", at[1]);

	for (size_t i = 0; has_order && i < N_DESCRS; i++) {
		const size_t size = strlen(descrs[i].descr);

		if (strncmp(at + 2, descrs[i].descr, size) != 0 || at[2 + size] != '\'')
			continue;
		npy->dtype = descrs[i].dtype;
		storage->kind = descrs[i].descr[0];
		storage->size = (uint8_t)strtoul(descrs[i].descr + 1, NULL, 10);
		storage->swapped = at[1] == '>';
		return 0;
	}
	*ret_wrong = "an npy array of another dtype, allowed bool, int8 to int64, uint8 to uint64, float16 to float64, "
		     "complex64 and complex128";
	return -1;
}

/* Reads a size and steps over it; false when there is none or it passes 64 bits. */
static bool parse_size(const char **at, uint64_t *ret)
{
	uint64_t value = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(**at - '0'), &value))
			return false;
	*ret = value;
	return true;
}

/* "(2, 3)", "(2,)" or "()", which is read as one element. */
static int parse_shape(const char *text, struct npy *npy, const char **ret_wrong)
{
	const char *at = value_of(text, "shape");

	*ret_wrong = "an npy shape that is not taken, allowed up to 8 dimensions";
	npy->ndim = 0;
	if (!at || *at++ != '(')
		return -1;
	for (;;) {
		at += strspn(at, " \t");
		if (*at == ')')
			break;
		if (npy->ndim == TRNSCI_MAX_DIMS || !parse_size(&at, &npy->shape[npy->ndim++]))
			return -1;
		at += strspn(at, " \tL");
		if (*at == ',')
			at++;
		else if (*at != ')')
			return -1;
	}
	if (npy->ndim == 0)
		npy->shape[npy->ndim++] = 1;
	return 0;
}

static int parse_order(const char *text, struct npy_storage *storage, const char **ret_wrong)
{
	const char *at = value_of(text, "fortran_order");

	storage->fortran = at && strncmp(at, "True", 4) == 0;
	if (storage->fortran || (at && strncmp(at, "False", 5) == 0))
		return 0;
	*ret_wrong = "an npy header without fortran_order, True or False";
	return -1;
}

/* With at most one axis longer than 1, both orders are the same. */
static bool is_vector(const struct npy *npy)
{
	size_t long_axes = 0;

	for (size_t i = 0; i < npy->ndim; i++)
		long_axes += npy->shape[i] != 1;
	return long_axes <= 1;
}

int npy_parse(const unsigned char *header, size_t size, struct npy *ret_npy, struct npy_storage *ret_storage,
	      const char **ret_wrong)
{
	char text[NPY_HEADER_MAX + 1];
	size_t start = header[6] == 1 ? 10 : 12;
	struct npy_storage storage = {0};
	struct npy npy = {0};

	if (size < start || size > NPY_HEADER_MAX) {
		*ret_wrong = "an npy header of impossible size, allowed up to 65536 bytes";
		return -1;
	}
	memcpy(text, header + start, size - start);
	text[size - start] = '\0';
	if (parse_descr(text, &npy, &storage, ret_wrong) < 0 || parse_shape(text, &npy, ret_wrong) < 0 ||
	    parse_order(text, &storage, ret_wrong) < 0)
		return -1;
	storage.fortran = storage.fortran && !is_vector(&npy);
	*ret_npy = npy;
	*ret_storage = storage;
	return 0;
}

size_t npy_write(const struct npy *npy, char *ret_header, size_t room)
{
	const char *descr = NULL;
	size_t used = 10;

	for (size_t i = N_DESCRS; i-- > 0;)
		if (descrs[i].dtype == npy->dtype)
			descr = descrs[i].descr;
	if (!descr || room < 512)
		return 0;
	used += (size_t)snprintf(ret_header + used, room - used, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
				 npy->dtype == TRNSCI_I8 ? '|' : '<', descr);
	for (size_t i = 0; i < npy->ndim; i++)
		used += (size_t)snprintf(ret_header + used, room - used, i + 1 < npy->ndim ? "%llu, " : "%llu",
					 (unsigned long long)npy->shape[i]);
	used += (size_t)snprintf(ret_header + used, room - used, npy->ndim == 1 ? ",), }" : "), }");
	while ((used + 1) % 64)
		ret_header[used++] = ' ';
	ret_header[used++] = '\n';
	memcpy(ret_header, NPY_MAGIC "\x01\x00", 8);
	ret_header[8] = (char)((used - 10) & 255);
	ret_header[9] = (char)((used - 10) >> 8);
	return used;
}
