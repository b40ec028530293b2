/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles: memory that a daemon and this process both see, or an embedded engine's, as objects and below arrays.
 *
 * Who keeps what: an array's base is the tile object; the tile object holds its session (session_hold); the session closes
 * when its last tile is gone, even if close() came before. So a view never outlives its memory. */
#include "extension.h"

#include <string.h>

/* In a forked child the tile is the parent's. */
static void tile_dealloc(PyObject *self)
{
	struct tile_object *owner = (struct tile_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	if (owner->tile && owner->fork_count == forks())
		trnsci_tile_free(owner->tile);
	if (owner->session)
		session_let_go(owner->session, owner->fork_count);
	type->tp_free(self);
	Py_DECREF(type);
}

PyObject *tile_wrap(struct session_object *session, struct trnsci_tile *tile)
{
	struct tile_object *owner = PyObject_New(struct tile_object, session->state->tile_type);
	struct trnsci_tile_info info;

	if (!owner) {
		trnsci_tile_free(tile);
		return NULL;
	}
	trnsci_tile_describe(tile, &info);
	owner->session = session;
	owner->tile = tile;
	owner->fork_count = forks();
	owner->dtype = info.dtype;
	owner->ndim = (int)info.ndim;
	npy_intp stride = (npy_intp)trnsci_dtype_size(info.dtype);

	for (int i = owner->ndim; i-- > 0;) {
		owner->shape[i] = (npy_intp)info.shape[i];
		owner->strides[i] = stride;
		stride *= owner->shape[i];
	}
	session_hold(session);
	return (PyObject *)owner;
}

/* Returns an array over memory that `owner` keeps; steals the owner, also on failure. */
static PyObject *array_over(PyObject *owner, struct trnsci_tile *tile, int type, int ndim, const npy_intp *shape)
{
	PyObject *array = PyArray_SimpleNewFromData(ndim, (npy_intp *)shape, type, trnsci_tile_data(tile));

	if (!array || PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) {
		if (!array)
			Py_DECREF(owner);
		Py_XDECREF(array);
		return NULL;
	}
	return array;
}

PyObject *tile_array(struct session_object *session, struct trnsci_tile *tile, int type, int ndim,
		     const npy_intp *shape)
{
	PyObject *owner = tile_wrap(session, tile);

	return owner ? array_over(owner, tile, type, ndim, shape) : NULL;
}

/* Returns the tile object under an array, directly or through a memoryview; NULL if it lies on something else. */
static const struct tile_object *owner_of_array(const struct session_object *session, PyArrayObject *array)
{
	PyObject *base = PyArray_BASE(array);

	if (base && PyMemoryView_Check(base))
		base = PyMemoryView_GET_BUFFER(base)->obj;
	return base && Py_IS_TYPE(base, session->state->tile_type) ? (struct tile_object *)base : NULL;
}

struct trnsci_tile *tile_of_array(const struct session_object *session, PyArrayObject *array)
{
	const struct tile_object *owner = owner_of_array(session, array);

	if (!owner || owner->session != session || owner->fork_count != forks() ||
	    PyArray_DATA(array) != trnsci_tile_data(owner->tile))
		return NULL;
	return owner->tile;
}

/* ---- Operations whose results stay in tiles ---- */

bool tile_is_like(const struct trnsci_tile_info *info, const struct trnsci_array *array)
{
	return info->dtype == array->dtype && info->ndim == array->ndim &&
	       memcmp(info->shape, array->shape, array->ndim * sizeof *array->shape) == 0;
}

/* Returns the tile that holds the input already, or a new one with a copy; *ret_copy is to be freed. Without Python's
 * lock. */
static const struct trnsci_tile *input_tile(struct trnsci_session *handle, struct trnsci_tile *tile,
					    const struct trnsci_array *in, size_t bytes, struct trnsci_tile **ret_copy)
{
	struct trnsci_tile_info info;

	*ret_copy = NULL;
	trnsci_tile_describe(tile, &info);
	if (tile && !info.lost && tile_is_like(&info, in))
		return tile;
	if (trnsci_tile_new(handle, in->dtype, in->ndim, in->shape, ret_copy, NULL) < 0)
		return NULL;
	memcpy(trnsci_tile_data(*ret_copy), in->data, bytes);
	return *ret_copy;
}

/* Returns whether the tile is what the caller makes an array of. */
static bool fits(const struct trnsci_tile *tile, int type, int ndim, const npy_intp *shape)
{
	struct trnsci_tile_info info;

	trnsci_tile_describe(tile, &info);
	return numpy_type_of(info.dtype) == type && info.count == (uint64_t)PyArray_MultiplyList(shape, ndim);
}

PyObject *tiles_apply(struct session_object *session, const char *operation, struct trnsci_param *params, int n,
		      const char *input, PyArrayObject *in, const struct trnsci_array *described, int type, int ndim,
		      const npy_intp *shape)
{
	struct trnsci_tile *held = tile_of_array(session, in), *out = NULL, *copy;
	const size_t bytes = (size_t)PyArray_NBYTES(in);
	PyObject *array = NULL;
	bool interrupted;
	struct use use;

	if (use_begin(session, &use) < 0) {
		PyErr_Clear();
		return NULL;
	}
	call_begin();
	params[n] = trnsci_param_tile(input, input_tile(use.handle, held, described, bytes, &copy));
	params[n + 1] = trnsci_param_end();
	if (params[n].value.tile && trnsci_apply_tile(use.handle, operation, params, &out, NULL) < 0)
		out = NULL;
	trnsci_tile_free(copy);
	interrupted = call_end(0) < 0;
	params[n] = trnsci_param_end();
	if (!interrupted && out && fits(out, type, ndim, shape))
		array = tile_array(session, out, type, ndim, shape);
	else
		trnsci_tile_free(out);
	use_end(&use);
	if (!array && !interrupted)
		PyErr_Clear();
	return array;
}

/* ---- The type Tile ---- */

static struct exported export_tile(PyObject *self)
{
	const struct tile_object *tile = (struct tile_object *)self;

	return (struct exported){.owner = self,
				 .data = trnsci_tile_data(tile->tile),
				 .dtype = tile->dtype,
				 .ndim = tile->ndim,
				 .shape = tile->shape,
				 .strides = tile->strides,
				 .readonly = tile->fork_count != forks()};
}

static int tile_buffer(PyObject *self, Py_buffer *view, int flags)
{
	const struct exported exported = export_tile(self);

	return buffer_fill(&exported, view, flags);
}

static PyObject *tile_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const struct exported exported = export_tile(self);

	return dlpack_capsule(&exported, args, kwargs);
}

static PyObject *tile_to_array(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"dtype", "copy", NULL};
	struct tile_object *tile = (struct tile_object *)self;
	const int type = numpy_type_of(tile->dtype);
	PyObject *dtype = Py_None, *copy = Py_None, *array, *converted;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", names, &dtype, &copy))
		return NULL;
	if (type < 0) {
		PyErr_SetString(PyExc_TypeError, "tile: numpy has no bfloat16; allowed are DLPack and the buffer protocol");
		return NULL;
	}
	array = array_over(Py_NewRef(self), tile->tile, type, tile->ndim, tile->shape);
	if (array && tile->fork_count != forks())
		PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
	if (!array || dtype == Py_None)
		return array;
	converted = PyObject_CallMethod(array, "astype", "O", dtype);
	Py_DECREF(array);
	return converted;
}

static PyObject *get_array(PyObject *self, void *closure)
{
	PyObject *none = PyTuple_New(0), *array = none ? tile_to_array(self, none, NULL) : NULL;

	(void)closure;
	Py_XDECREF(none);
	return array;
}

static PyObject *get_shape(PyObject *self, void *closure)
{
	const struct tile_object *tile = (struct tile_object *)self;

	(void)closure;
	return PyArray_IntTupleFromIntp(tile->ndim, tile->shape);
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
	(void)closure;
	return PyUnicode_FromString(dtype_name(((struct tile_object *)self)->dtype));
}

static PyObject *get_nbytes(PyObject *self, void *closure)
{
	const struct tile_object *tile = (struct tile_object *)self;

	(void)closure;
	return PyLong_FromSsize_t(PyArray_MultiplyList(tile->shape, tile->ndim) *
				  (Py_ssize_t)trnsci_dtype_size(tile->dtype));
}

static PyObject *get_session(PyObject *self, void *closure)
{
	(void)closure;
	return Py_NewRef((PyObject *)((struct tile_object *)self)->session);
}

static PyObject *tile_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"shape", "dtype", "session", NULL};
	struct module_state *state = state_of_type(type);
	PyObject *size, *name = NULL, *chosen = Py_None;
	npy_intp shape[NPY_MAXDIMS];
	uint64_t lengths[TRNSCI_MAX_DIMS];
	struct trnsci_tile *tile;
	struct trnsci_error err;
	int ndim, r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O$O:Tile", names, &size, &name, &chosen) ||
	    args_shape(size, &ndim, shape) < 0)
		return NULL;
	const enum trnsci_dtype dtype = name ? dtype_of_argument(name) : TRNSCI_F32;

	if (!dtype)
		return NULL;
	if (ndim < 1 || ndim > TRNSCI_MAX_DIMS)
		return PyErr_Format(PyExc_ValueError, "shape: %d dimensions, allowed are 1 to %d", ndim, TRNSCI_MAX_DIMS);
	for (int i = 0; i < ndim; i++)
		lengths[i] = (uint64_t)shape[i];
	struct session_object *session = session_of_argument(state, chosen);
	struct use use;

	if (!session || use_begin(session, &use) < 0)
		return NULL;
	call_begin();
	r = call_end(trnsci_tile_new(use.handle, dtype, (size_t)ndim, lengths, &tile, &err));
	PyObject *made = r < 0 ? raise_error(state, &err) : tile_wrap(session, tile);

	use_end(&use);
	return made;
}

static PyObject *tile_repr(PyObject *self)
{
	PyObject *shape = get_shape(self, NULL);
	PyObject *text = shape ? PyUnicode_FromFormat("<trnsci.Tile %R %s>", shape, dtype_name(((struct tile_object *)self)->dtype))
			       : NULL;

	Py_XDECREF(shape);
	return text;
}

static PyMethodDef tile_methods[] = {
	{"__dlpack__", (PyCFunction)(void (*)(void))tile_dlpack, METH_VARARGS | METH_KEYWORDS, NULL},
	{"__dlpack_device__", dlpack_device, METH_NOARGS, NULL},
	{"__array__", (PyCFunction)(void (*)(void))tile_to_array, METH_VARARGS | METH_KEYWORDS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef tile_getset[] = {
	{"array", get_array, NULL, "A numpy array over the tile's memory.", NULL},
	{"shape", get_shape, NULL, "Its shape.", NULL},
	{"dtype", get_dtype, NULL, "The name of its element type: 'f32', 'bf16', 'int8'.", NULL},
	{"nbytes", get_nbytes, NULL, "Its size in bytes.", NULL},
	{"session", get_session, NULL, "The session whose memory it is.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(tile_doc,
	     "Tile(shape, dtype=\"f32\", *, session=None)\n--\n\n"
	     "An array in memory that a session's engine sees, too: calls read and write it where it lies.\n\n"
	     "Its memory can be read and written without a copy: by `array`, by numpy.asarray, by DLPack\n"
	     "(``numpy.from_dlpack``, ``torch.from_dlpack``) and by the buffer protocol, where bf16 is 16-bit\n"
	     "words. It lives as long as the tile or a view of it. The content of a new tile is undefined.\n\n"
	     "Parameters\n----------\n"
	     "shape : int or tuple of ints\n"
	     "    1 to 8 dimensions.\n"
	     "dtype : str or dtype, optional\n"
	     "    f32, f64, c64, c128, bf16, int8, i32, i64, u32, u64, float16, or numpy's names of these.\n"
	     "session : Session, optional\n"
	     "    Default: `default_session()`.\n\n"
	     "Examples\n--------\n"
	     ">>> import numpy as np, trnsci\n"
	     ">>> tile = trnsci.Tile((2, 3), \"f64\")\n"
	     ">>> tile.array[:] = 7\n"
	     ">>> float(np.from_dlpack(tile).sum())\n"
	     "42.0\n");

static PyType_Slot tile_slots[] = {
	{Py_tp_doc, (void *)tile_doc},	{Py_tp_new, tile_new},		{Py_tp_dealloc, tile_dealloc},	{Py_tp_repr, tile_repr},
	{Py_tp_methods, tile_methods}, {Py_tp_getset, tile_getset}, {Py_bf_getbuffer, tile_buffer},
	{0, NULL},
};

PyType_Spec tile_spec = {
	.name = "trnsci.Tile",
	.basicsize = sizeof(struct tile_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = tile_slots,
};
