/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: random numbers that are drawn ahead, taken by copies or lent where they lie. trnsci._ring waits in steps, and has
 * the class that users see. */
#include "reader.h"

/* Memory that is lent. */
struct samples_object {
	PyObject_HEAD
	struct reader_object *ring;
	void *data;
	uint64_t loan;
	int ndim;
	npy_intp shape[2], strides[2];
};

/* ---- Memory that is lent ---- */

/* Another thread may use the ring now: then the next use of it gives the samples back. */
static void end_loan(struct samples_object *samples, uint64_t n)
{
	struct reader_object *ring = samples->ring;

	if (ring->lent == 0 || ring->loan != samples->loan || ring->fork_count != forks())
		return;
	if (!PyThread_acquire_lock(ring->lock, NOWAIT_LOCK)) {
		ring->return_due = true;
		return;
	}
	reader_give_back(ring, n);
	reader_unlock(ring);
}

static void samples_dealloc(PyObject *object)
{
	struct samples_object *self = (struct samples_object *)object;
	struct reader_object *ring = self->ring;
	PyTypeObject *type = Py_TYPE(object);

	end_loan(self, ring->lent);
	if (--ring->samples == 0 && ring->detaching)
		reader_end(ring);
	Py_DECREF(ring);
	type->tp_free(object);
	Py_DECREF(type);
}

static struct exported export_samples(PyObject *object)
{
	const struct samples_object *self = (struct samples_object *)object;

	return (struct exported){.owner = object,
				 .data = self->ring->reader ? self->data : NULL,
				 .dtype = self->ring->info.dtype,
				 .ndim = self->ndim,
				 .shape = self->shape,
				 .strides = self->strides,
				 .readonly = true};
}

static int samples_buffer(PyObject *self, Py_buffer *view, int flags)
{
	const struct exported exported = export_samples(self);

	return buffer_fill(&exported, view, flags);
}

static PyObject *samples_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const struct exported exported = export_samples(self);

	return dlpack_capsule(&exported, args, kwargs);
}

/* A read-only array over the ring's memory, which the samples object keeps. */
static PyObject *samples_array(PyObject *object, void *closure)
{
	struct samples_object *self = (struct samples_object *)object;
	const int type = reader_numpy_type(self->ring->info.dtype);
	PyObject *array = PyArray_SimpleNewFromData(self->ndim, self->shape, type, self->data);

	(void)closure;
	if (!array)
		return NULL;
	PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
	if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(object)) < 0)
		Py_CLEAR(array);
	return array;
}

static PyObject *samples_release(PyObject *object, PyObject *args)
{
	struct samples_object *self = (struct samples_object *)object;
	uint64_t n = self->ring->lent;

	if (!PyArg_ParseTuple(args, "|O&:release", args_convert_u64, &n))
		return NULL;
	if (n > self->ring->lent && self->ring->loan == self->loan)
		return PyErr_Format(PyExc_ValueError, "n: got %llu, allowed are the %llu samples that are lent",
				    (unsigned long long)n, (unsigned long long)self->ring->lent);
	end_loan(self, n);
	Py_RETURN_NONE;
}

static PyObject *samples_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	return Py_NewRef(self);
}

static PyObject *samples_exit(PyObject *object, PyObject *args)
{
	struct samples_object *self = (struct samples_object *)object;

	(void)args;
	end_loan(self, self->ring->lent);
	Py_RETURN_NONE;
}

static PyObject *samples_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	(void)args, (void)kwargs;
	PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
	return NULL;
}

static PyMethodDef samples_methods[] = {
	{"__dlpack__", (PyCFunction)(void (*)(void))samples_dlpack, METH_VARARGS | METH_KEYWORDS, NULL},
	{"__dlpack_device__", dlpack_device, METH_NOARGS, NULL},
	{"__enter__", samples_enter, METH_NOARGS, NULL},
	{"__exit__", samples_exit, METH_VARARGS, NULL},
	{"release", samples_release, METH_VARARGS,
	 "Give the samples back: the first n of them are taken (default: all), the others come again."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef samples_getset[] = {
	{"array", samples_array, NULL, "A read-only numpy array over them.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(samples_doc,
	     "Samples of a ring where they lie, from `Ring.borrow`.\n\n"
	     "They are read-only, by `array`, DLPack of version 1 and the buffer protocol. They stay as they are until\n"
	     "they are given back: at the end of a ``with`` block, by `release`, or with the last view of them.\n"
	     "Views that are kept longer then show other samples.");

static PyType_Slot samples_slots[] = {
	{Py_tp_doc, (void *)samples_doc},     {Py_tp_new, samples_new},	     {Py_tp_dealloc, samples_dealloc},
	{Py_tp_methods, samples_methods}, {Py_tp_getset, samples_getset}, {Py_bf_getbuffer, samples_buffer},
	{0, NULL},
};

PyType_Spec samples_spec = {
	.name = "trnsci._core.Samples",
	.basicsize = sizeof(struct samples_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = samples_slots,
};

/* Makes an object over samples that lie in the ring. It keeps the ring, and counts among ring->samples until it is
 * freed. */
static PyObject *make_samples(struct reader_object *ring, const void *data, uint64_t n)
{
	struct samples_object *self = PyObject_New(struct samples_object, ring->session->state->samples_type);
	const npy_intp size = (npy_intp)trnsci_dtype_size(ring->info.dtype);

	if (!self)
		return NULL;
	self->ring = (struct reader_object *)Py_NewRef((PyObject *)ring);
	self->data = (void *)data;
	self->loan = ring->loan;
	self->ndim = ring->info.components > 1 ? 2 : 1;
	self->shape[0] = (npy_intp)n;
	self->shape[1] = (npy_intp)ring->info.components;
	self->strides[0] = (npy_intp)ring->info.sample_bytes;
	self->strides[1] = size;
	ring->samples++;
	return (PyObject *)self;
}

/* ---- The ring ---- */

static int attach(struct reader_object *self, struct session_object *session, const char *distribution,
		  const struct trnsci_param *params, const struct trnsci_source *source, uint64_t samples)
{
	struct trnsci_error err;
	struct use use;
	int r;

	if (reader_begin(self, "ring", session, &use) < 0)
		return -1;
	call_begin();
	r = call_end(trnsci_ring_attach(use.handle, distribution, params, source, samples, &self->reader, &err));
	return reader_begun(self, r, &err);
}

/* _core.Ring(session, distribution, params, source, samples) */
static int ring_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
	PyObject *given, *params, *origin, *kept;
	struct trnsci_source source;
	struct param_list list = {0};
	const char *distribution;
	uint64_t samples;
	int r = -1;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "OsOOO&:Ring", &given, &distribution, &params, &origin, args_convert_u64, &samples) ||
	    source_read(origin, &source, &kept) < 0)
		return -1;
	struct session_object *session = session_of_argument(state_of_type(Py_TYPE(object)), given);

	Py_XINCREF(session);
	if (session && params_read(session, params, PARAMS_OF_DRAW, &list) == 0)
		r = attach((struct reader_object *)object, session, distribution, list.params, &source, samples);
	params_free(&list);
	Py_DECREF(kept);
	Py_XDECREF(session);
	return r < 0 ? -1 : 0;
}

/* _borrow(n, timeout_ms): Samples, or None where the time is over. */
static PyObject *ring_borrow(PyObject *object, PyObject *args)
{
	struct reader_object *self = (struct reader_object *)object;
	struct trnsci_error err;
	const void *data;
	uint64_t n;
	int timeout_ms, r;

	if (!PyArg_ParseTuple(args, "O&i", args_convert_u64, &n, &timeout_ms) || reader_lock(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_reader_borrow(self->reader, n, timeout_ms, &data, &self->place, &err);
	Py_END_ALLOW_THREADS
	if (r == 0) {
		self->lent = n;
		self->loan++;
	}
	reader_unlock(self);
	if (reader_answer(self, r, &err) < 0)
		return NULL;
	if (r < 0)
		Py_RETURN_NONE;
	return make_samples(self, data, n);
}

/* _place(timeout_ms): (offset, run) of the next sample or the first that is lent, or None where the time is over. */
static PyObject *ring_place(PyObject *object, PyObject *args)
{
	struct reader_object *self = (struct reader_object *)object;
	struct trnsci_error err;
	const void *sample;
	int timeout_ms, r = 0;

	if (!PyArg_ParseTuple(args, "i", &timeout_ms) || reader_lock(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	if (self->lent == 0 && (r = trnsci_reader_borrow(self->reader, 1, timeout_ms, &sample, &self->place, &err)) == 0)
		trnsci_reader_release(self->reader, 0, NULL);
	Py_END_ALLOW_THREADS
	reader_unlock(self);
	if (reader_answer(self, r, &err) < 0)
		return NULL;
	if (r < 0)
		Py_RETURN_NONE;
	return Py_BuildValue("KK", (unsigned long long)self->place.offset, (unsigned long long)self->place.run);
}

static PyMethodDef ring_methods[] = {
	{"_take", reader_take, METH_VARARGS, NULL},	  {"_borrow", ring_borrow, METH_VARARGS, NULL},
	{"_place", ring_place, METH_VARARGS, NULL},	  {"_describe", reader_describe, METH_NOARGS, NULL},
	{"_detach", reader_detach, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};

static PyType_Slot ring_slots[] = {
	{Py_tp_init, ring_init},       {Py_tp_dealloc, reader_dealloc}, {Py_tp_methods, ring_methods},
	{Py_tp_getset, reader_getset}, {0, NULL},
};

PyType_Spec ring_spec = {
	.name = "trnsci._core.Ring",
	.basicsize = sizeof(struct reader_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = ring_slots,
};
