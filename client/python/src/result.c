/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of results.
 *
 * numpy's allocator aligns to 16 bytes, and large blocks of malloc begin 16 bytes behind a cache line. Every vector of a result
 * there crosses a line, and kernels cannot store it around the caches: a transform of 2^20 takes half as long again
 * (measured). So large results come from an allocator of our own that aligns to a line. numpy asks that allocator to
 * free and to resize them, and they own their data as all arrays do. Larger ones lie in memory that an embedded engine
 * keeps for the next: no new pages. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LINE = 64,
	ALIGNED_LEAST = 32 << 10, /* bytes; of smaller results the allocator's exchange costs more than it saves */
	KEPT_LEAST = 1 << 20,	  /* what an embedded engine keeps; more goes back to the system when it is freed */
	KEPT_MOST = 256 << 20,
	HUGE_LEAST = 4 << 20,	  /* from so many bytes on numpy advises huge pages, too */
	PAGE = 4096,
};

/* What lies in the line before a result. */
struct header {
	void *block; /* of malloc */
	size_t bytes;
};

/* Huge pages are a matter of speed alone, so a refusal does not count. */
static void advise_huge_pages(char *data, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	const size_t ahead = (PAGE - (uintptr_t)data % PAGE) % PAGE;

	if (bytes >= HUGE_LEAST)
		(void)madvise(data + ahead, (bytes - ahead) / PAGE * PAGE, MADV_HUGEPAGE);
#else
	(void)data, (void)bytes;
#endif
}

static void *allocate_lines(void *context, size_t bytes)
{
	char *block = bytes <= SIZE_MAX - 2 * LINE ? malloc(bytes + 2 * LINE) : NULL;
	char *data;

	(void)context;
	if (!block)
		return NULL;
	data = block + 2 * LINE - (uintptr_t)block % LINE;
	((struct header *)(void *)(data - LINE))[0] = (struct header){block, bytes};
	advise_huge_pages(data, bytes);
	return data;
}

static void *allocate_zeros(void *context, size_t count, size_t size)
{
	void *data = size == 0 || count <= SIZE_MAX / size ? allocate_lines(context, count * size) : NULL;

	return data ? memset(data, 0, count * size) : NULL;
}

static void free_lines(void *context, void *data, size_t bytes)
{
	(void)context, (void)bytes;
	if (data)
		free(((struct header *)(void *)((char *)data - LINE))->block);
}

static void *resize_lines(void *context, void *data, size_t bytes)
{
	void *moved = allocate_lines(context, bytes);

	if (!moved || !data)
		return moved;
	const size_t before = ((struct header *)(void *)((char *)data - LINE))->bytes;

	memcpy(moved, data, before < bytes ? before : bytes);
	free_lines(context, data, before);
	return moved;
}

static PyDataMem_Handler aligned = {
	"trnsci_aligned", 1, {NULL, allocate_lines, allocate_zeros, resize_lines, free_lines}};

/* Makes an array by our allocator, which is numpy's only while it does so. */
static PyObject *make_aligned(int ndim, npy_intp *shape, int type)
{
	PyObject *capsule = PyCapsule_New(&aligned, "mem_handler", NULL), *before, *array;

	before = capsule ? PyDataMem_SetHandler(capsule) : NULL;
	Py_XDECREF(capsule);
	if (!before)
		return NULL;
	array = PyArray_SimpleNew(ndim, shape, type);
	capsule = PyDataMem_SetHandler(before);
	Py_DECREF(before);
	if (!capsule)
		Py_CLEAR(array);
	Py_XDECREF(capsule);
	return array;
}

/* Returns an array over a new tile of an embedded engine, or NULL without an exception where there is no room. */
static PyObject *make_tile(struct session_object *session, int ndim, const npy_intp *shape, int type)
{
	uint64_t dims[TRNSCI_MAX_DIMS];
	struct trnsci_tile *tile;
	PyObject *array;

	if (ndim < 1 || ndim > TRNSCI_MAX_DIMS)
		return NULL;
	for (int i = 0; i < ndim; i++)
		dims[i] = (uint64_t)shape[i];
	if (trnsci_tile_new(session->handle, dtype_of_numpy(type), (size_t)ndim, dims, &tile, NULL) < 0)
		return NULL;
	array = tile_array(session, tile, type, ndim, shape);
	if (!array)
		PyErr_Clear();
	return array;
}

PyObject *result_new(struct session_object *session, int ndim, const npy_intp *shape, int type)
{
	size_t bytes = trnsci_dtype_size(dtype_of_numpy(type));
	PyObject *array = NULL;

	for (int i = 0; i < ndim; i++)
		if (__builtin_mul_overflow(bytes, (size_t)shape[i], &bytes))
			bytes = 0; /* numpy refuses it */
	if (session && session->embedded && bytes >= KEPT_LEAST && bytes <= KEPT_MOST)
		array = make_tile(session, ndim, shape, type);
	if (array)
		return array;
	return bytes >= ALIGNED_LEAST ? make_aligned(ndim, (npy_intp *)shape, type)
				      : PyArray_SimpleNew(ndim, (npy_intp *)shape, type);
}
