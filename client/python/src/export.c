/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of tiles and rings for others, without a copy: the buffer protocol and DLPack.
 *
 * Source of the structures: DLPack 1.0 (dmlc/dlpack, include/dlpack/dlpack.h). Version 1 is the
 * first that can state that memory is read-only, so such memory goes only to consumers of version 1, or as a copy. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE_CPU = 1, FLAG_READ_ONLY = 1, FLAG_IS_COPIED = 2, DLPACK_MAJOR = 1, DLPACK_MINOR = 0 };

struct dl_tensor {
	void *data;
	struct {
		int32_t type, id;
	} device;
	int32_t ndim;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} dtype;
	int64_t *shape, *strides; /* strides in elements */
	uint64_t byte_offset;
};

struct dl_managed {
	struct dl_tensor tensor;
	void *context;
	void (*deleter)(struct dl_managed *);
};

struct dl_versioned {
	uint32_t major, minor;
	void *context;
	void (*deleter)(struct dl_versioned *);
	uint64_t flags;
	struct dl_tensor tensor;
};

static const struct {
	uint8_t code; /* of DLPack: int, uint, float, bfloat, complex */
	const char *format; /* of the struct module */
} kinds[] = {
	[TRNSCI_I8] = {0, "b"},	 [TRNSCI_I32] = {0, "i"}, [TRNSCI_I64] = {0, "q"},  [TRNSCI_U32] = {1, "I"},
	[TRNSCI_U64] = {1, "Q"}, [TRNSCI_F32] = {2, "f"}, [TRNSCI_F64] = {2, "d"},  [TRNSCI_C64] = {5, "Zf"},
	[TRNSCI_C128] = {5, "Zd"}, [TRNSCI_F16] = {2, "e"}, [TRNSCI_BF16] = {4, "H"},
};

/* ---- The buffer protocol ---- */

int buffer_fill(const struct exported *exported, Py_buffer *view, int flags)
{
	if (!exported->data || (exported->readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE)) {
		PyErr_SetString(PyExc_BufferError, exported->data ? "the memory is read-only" : "the session is closed");
		view->obj = NULL;
		return -1;
	}
	const Py_ssize_t itemsize = (Py_ssize_t)trnsci_dtype_size(exported->dtype);

	*view = (Py_buffer){
		.buf = exported->data,
		.obj = Py_NewRef(exported->owner),
		.len = itemsize * PyArray_MultiplyList(exported->shape, exported->ndim),
		.itemsize = itemsize,
		.readonly = exported->readonly,
		.ndim = exported->ndim,
		.format = flags & PyBUF_FORMAT ? (char *)kinds[exported->dtype].format : NULL,
		.shape = flags & PyBUF_ND ? (Py_ssize_t *)exported->shape : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? (Py_ssize_t *)exported->strides : NULL,
	};
	return 0;
}

/* ---- DLPack ---- */

/* What a managed tensor points to, behind it in the same allocation. */
struct context {
	PyObject *owner; /* NULL: `copy` is the memory */
	void *copy;
	int64_t shape[TRNSCI_MAX_DIMS], strides[TRNSCI_MAX_DIMS];
};

/* Consumers may call it in any thread, with or without Python's lock. When Python has ended, nothing is left to free. */
static void free_context(struct context *context)
{
	free(context->copy);
	if (context->owner && Py_IsInitialized()) {
		const PyGILState_STATE lock = PyGILState_Ensure();

		Py_DECREF(context->owner);
		PyGILState_Release(lock);
	}
}

static void delete_managed(struct dl_managed *managed)
{
	free_context(managed->context);
	free(managed);
}

static void delete_versioned(struct dl_versioned *versioned)
{
	free_context(versioned->context);
	free(versioned);
}

/* A capsule that a consumer has taken bears another name. */
static void end_capsule(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, "dltensor")) {
		struct dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");

		managed->deleter(managed);
	} else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
		struct dl_versioned *versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");

		versioned->deleter(versioned);
	}
}

/* Fills the context and the tensor that shows it. 0, or -1 with an exception. */
static int fill_tensor(const struct exported *exported, bool copy, struct context *context, struct dl_tensor *tensor)
{
	const size_t size = trnsci_dtype_size(exported->dtype);
	const size_t bytes = size * (size_t)PyArray_MultiplyList(exported->shape, exported->ndim);

	memset(context, 0, sizeof *context);
	if (copy) {
		context->copy = aligned_alloc(256, (bytes + 256) / 256 * 256);
		if (!context->copy) {
			PyErr_NoMemory();
			return -1;
		}
		memcpy(context->copy, exported->data, bytes);
	} else {
		context->owner = Py_NewRef(exported->owner);
	}
	for (int i = 0; i < exported->ndim; i++) {
		context->shape[i] = exported->shape[i];
		context->strides[i] = exported->strides[i] / (npy_intp)size;
	}
	*tensor = (struct dl_tensor){.data = copy ? context->copy : exported->data,
				     .device = {DEVICE_CPU, 0},
				     .ndim = exported->ndim,
				     .dtype = {kinds[exported->dtype].code, (uint8_t)(size * 8), 1},
				     .shape = context->shape,
				     .strides = context->strides};
	return 0;
}

static PyObject *old_capsule(const struct exported *exported, bool copy)
{
	struct dl_managed *managed = malloc(sizeof *managed + sizeof(struct context));
	PyObject *capsule;

	if (!managed)
		return PyErr_NoMemory();
	managed->context = managed + 1;
	managed->deleter = delete_managed;
	if (fill_tensor(exported, copy, managed->context, &managed->tensor) < 0) {
		free(managed);
		return NULL;
	}
	capsule = PyCapsule_New(managed, "dltensor", end_capsule);
	if (!capsule)
		delete_managed(managed);
	return capsule;
}

static PyObject *versioned_capsule(const struct exported *exported, bool copy)
{
	struct dl_versioned *versioned = malloc(sizeof *versioned + sizeof(struct context));
	PyObject *capsule;

	if (!versioned)
		return PyErr_NoMemory();
	versioned->major = DLPACK_MAJOR;
	versioned->minor = DLPACK_MINOR;
	versioned->context = versioned + 1;
	versioned->deleter = delete_versioned;
	versioned->flags = copy ? FLAG_IS_COPIED : exported->readonly ? FLAG_READ_ONLY : 0;
	if (fill_tensor(exported, copy, versioned->context, &versioned->tensor) < 0) {
		free(versioned);
		return NULL;
	}
	capsule = PyCapsule_New(versioned, "dltensor_versioned", end_capsule);
	if (!capsule)
		delete_versioned(versioned);
	return capsule;
}

/* Returns 1 for version 1 and later, 0 for older consumers; -1 with an exception. */
static int read_version(PyObject *max_version)
{
	int major, minor;

	if (max_version == Py_None)
		return 0;
	if (!PyTuple_Check(max_version) || !PyArg_ParseTuple(max_version, "ii", &major, &minor)) {
		PyErr_SetString(PyExc_TypeError, "max_version must be None or a tuple of two integers");
		return -1;
	}
	return major >= DLPACK_MAJOR;
}

static int check_device(PyObject *device)
{
	int type, id;

	if (device == Py_None)
		return 0;
	if (!PyTuple_Check(device) || !PyArg_ParseTuple(device, "ii", &type, &id)) {
		PyErr_SetString(PyExc_TypeError, "dl_device must be None or a tuple of two integers");
		return -1;
	}
	if (type != DEVICE_CPU || id != 0) {
		PyErr_SetString(PyExc_BufferError, "dl_device: allowed is the CPU, (1, 0)");
		return -1;
	}
	return 0;
}

PyObject *dlpack_capsule(const struct exported *exported, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
	PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &max_version, &device, &copy))
		return NULL;
	const int version = read_version(max_version), copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);

	if (version < 0 || copies < 0 || check_device(device) < 0)
		return NULL;
	if (stream != Py_None) {
		PyErr_SetString(PyExc_BufferError, "stream: memory of the CPU has none, allowed is None");
		return NULL;
	}
	if (!exported->data) {
		PyErr_SetString(PyExc_BufferError, "the session is closed");
		return NULL;
	}
	if (version == 1)
		return versioned_capsule(exported, copies);
	if (exported->readonly && !copies) {
		PyErr_SetString(PyExc_BufferError, "the memory is read-only, which DLPack cannot state before version 1: "
						   "allowed are max_version=(1, 0) and copy=True");
		return NULL;
	}
	return old_capsule(exported, copies);
}

PyObject *dlpack_device(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return Py_BuildValue("ii", DEVICE_CPU, 0);
}
