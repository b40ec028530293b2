/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: random numbers that are drawn ahead, taken by copies or lent where they lie. trnsci._ring waits in steps, and has
 * the class that users see.
 *
 * A lock lets one thread at a time use a ring. Memory that was lent stays mapped as long as an object shows it. */
#include "extension.h"

#include <string.h>

struct ring_object {
	PyObject_HEAD
	struct session_object *session;
	struct trnsci_reader *ring; /* NULL: detached */
	struct trnsci_reader_info info;
	PyThread_type_lock lock;
	uint64_t lent;	 /* samples that are lent now */
	struct trnsci_reader_span place; /* of them */
	uint64_t loan;	 /* the number of that loan */
	bool return_due; /* nothing shows them any more */
	size_t samples;	 /* Samples objects alive */
	bool detaching;	 /* detach was called while there were some: the last one detaches */
	unsigned fork_count;
};

/* Memory that is lent. */
struct samples_object {
	PyObject_HEAD
	struct ring_object *ring;
	void *data;
	uint64_t loan;
	int ndim;
	npy_intp shape[2], strides[2];
};

/* ---- One thread at a time ---- */

static void unlock(struct ring_object *self)
{
	PyThread_release_lock(self->lock);
}

/* With the lock. */
static void give_back(struct ring_object *self, uint64_t n)
{
	if (self->lent > 0 && self->ring)
		trnsci_reader_release(self->ring, n, NULL);
	self->lent = 0;
	self->return_due = false;
}

/* Locks the ring for one thread: the library's ring belongs to one at a time. Without Python's lock while it waits,
 * so it checks again what may have changed meanwhile. Returns 0, or -1 with an exception. */
static int lock(struct ring_object *self)
{
	const struct trnsci_error closed = {TRNSCI_CLOSED, "closed: ring: it was detached, or belongs to another process"};

	if (!self->lock || !self->ring || self->fork_count != forks()) {
		raise_error(state_of_type(Py_TYPE(self)), &closed);
		return -1;
	}
	if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
		Py_BEGIN_ALLOW_THREADS
		PyThread_acquire_lock(self->lock, WAIT_LOCK);
		Py_END_ALLOW_THREADS
	}
	if (!self->ring || self->detaching || !self->session->handle || self->session->closing) {
		unlock(self);
		raise_error(self->session->state, &closed);
		return -1;
	}
	if (self->return_due)
		give_back(self, self->lent);
	return 0;
}

/* ---- What rings and broadcasts share ---- */

static PyObject *shown(uint64_t number)
{
	return PyLong_FromUnsignedLongLong(number);
}

PyObject *ring_info(const struct trnsci_reader_info *info)
{
	return Py_BuildValue("{sssNsNsNsNsNsNsNsNsNsNsssNsN}", "dtype", dtype_name(info->dtype), "components",
			     shown(info->components), "capacity", shown(info->capacity), "offset", shown(info->offset),
			     "position", shown(info->position), "taken", shown(info->taken), "produced",
			     shown(info->produced), "range", shown(info->range), "seed", shown(info->seed), "stream",
			     shown(info->stream), "sample_bytes", shown(info->sample_bytes), "generator", info->generator,
			     "restarts", shown(info->restarts), "skipped", shown(info->skipped));
}

/* numpy has no bfloat16: it shows the words. */
static int type_of_samples(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_BF16 ? NPY_UINT16 : numpy_type_of(dtype);
}

void *ring_room(PyObject *array, enum trnsci_dtype dtype, uint64_t components, Py_ssize_t start, Py_ssize_t n)
{
	PyArrayObject *out = (PyArrayObject *)array;
	const Py_ssize_t sample = (Py_ssize_t)(components * trnsci_dtype_size(dtype));

	if (!PyArray_Check(array) || !PyArray_EquivTypenums(PyArray_TYPE(out), type_of_samples(dtype)) ||
	    !PyArray_ISCARRAY(out)) {
		PyErr_Format(PyExc_TypeError, "out: allowed is a writable contiguous array of %s",
			     dtype == TRNSCI_BF16 ? "uint16" : dtype_name(dtype));
		return NULL;
	}
	if (start < 0 || n < 0 || sample == 0 || PyArray_NBYTES(out) % sample || n > PyArray_NBYTES(out) / sample - start) {
		PyErr_SetString(PyExc_ValueError, "out: its size is not that of whole samples, or too small");
		return NULL;
	}
	return PyArray_BYTES(out) + start * sample;
}

/* ---- Memory that is lent ---- */

/* Another thread may use the ring now: then the next use of it gives the samples back. */
static void end_loan(struct samples_object *samples, uint64_t n)
{
	struct ring_object *ring = samples->ring;

	if (ring->lent == 0 || ring->loan != samples->loan || ring->fork_count != forks())
		return;
	if (!PyThread_acquire_lock(ring->lock, NOWAIT_LOCK)) {
		ring->return_due = true;
		return;
	}
	give_back(ring, n);
	unlock(ring);
}

static void detach(struct ring_object *self)
{
	struct trnsci_reader *ring = self->ring;

	self->ring = NULL;
	if (ring && self->fork_count == forks()) {
		Py_BEGIN_ALLOW_THREADS
		trnsci_reader_detach(ring);
		Py_END_ALLOW_THREADS
	}
}

static void samples_dealloc(PyObject *object)
{
	struct samples_object *self = (struct samples_object *)object;
	struct ring_object *ring = self->ring;
	PyTypeObject *type = Py_TYPE(object);

	end_loan(self, ring->lent);
	if (--ring->samples == 0 && ring->detaching)
		detach(ring);
	Py_DECREF(ring);
	type->tp_free(object);
	Py_DECREF(type);
}

static struct exported export_samples(PyObject *object)
{
	const struct samples_object *self = (struct samples_object *)object;

	return (struct exported){.owner = object,
				 .data = self->ring->ring ? self->data : NULL,
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
	const int type = type_of_samples(self->ring->info.dtype);
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
static PyObject *make_samples(struct ring_object *ring, const void *data, uint64_t n)
{
	struct samples_object *self = PyObject_New(struct samples_object, ring->session->state->samples_type);
	const npy_intp size = (npy_intp)trnsci_dtype_size(ring->info.dtype);

	if (!self)
		return NULL;
	self->ring = (struct ring_object *)Py_NewRef((PyObject *)ring);
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

static int attach(struct ring_object *self, struct session_object *session, const char *distribution,
		  const struct trnsci_param *params, const struct trnsci_source *source, uint64_t samples)
{
	struct trnsci_error err;
	struct use use;
	int r;

	if (self->session) {
		PyErr_SetString(PyExc_TypeError, "a ring is attached once");
		return -1;
	}
	if (use_begin(session, &use) < 0)
		return -1;
	self->fork_count = use.fork_count;
	self->lock = PyThread_allocate_lock();
	self->session = session; /* the use goes on until the object is freed */
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_ring_attach(use.handle, distribution, params, source, samples, &self->ring, &err);
	Py_END_ALLOW_THREADS
	if (r < 0)
		raise_error(session->state, &err);
	else
		trnsci_reader_describe(self->ring, &self->info);
	return r;
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
		r = attach((struct ring_object *)object, session, distribution, list.params, &source, samples);
	params_free(&list);
	Py_DECREF(kept);
	Py_XDECREF(session);
	return r < 0 ? -1 : 0;
}

static void ring_dealloc(PyObject *object)
{
	struct ring_object *self = (struct ring_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	detach(self);
	if (self->lock)
		PyThread_free_lock(self->lock);
	if (self->session)
		session_let_go(self->session, self->fork_count);
	type->tp_free(object);
	Py_DECREF(type);
}

/* Raises the error of a call, unless the time is over: then 0. */
static int answer(struct ring_object *self, int r, const struct trnsci_error *err)
{
	if (r == 0 || r == -TRNSCI_TIMEOUT)
		return 0;
	raise_error(self->session->state, err);
	return -1;
}

/* _take(out, start, n, timeout_ms): how many samples were copied. At the end of the stream those that are left. */
static PyObject *ring_take(PyObject *object, PyObject *args)
{
	struct ring_object *self = (struct ring_object *)object;
	struct trnsci_error err;
	struct trnsci_reader_span span = {0};
	Py_ssize_t start, n;
	PyObject *out;
	int timeout_ms, r;

	if (!PyArg_ParseTuple(args, "Onni", &out, &start, &n, &timeout_ms) || lock(self) < 0)
		return NULL;
	void *place = ring_room(out, self->info.dtype, self->info.components, start, n);

	if (!place) {
		unlock(self);
		return NULL;
	}
	Py_INCREF(out);
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_reader_take(self->ring, place, (uint64_t)n, timeout_ms, &span, &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(out);
	unlock(self);
	if (span.count == 0 && answer(self, r, &err) < 0)
		return NULL;
	return shown(span.count);
}

/* _borrow(n, timeout_ms): Samples, or None where the time is over. */
static PyObject *ring_borrow(PyObject *object, PyObject *args)
{
	struct ring_object *self = (struct ring_object *)object;
	struct trnsci_error err;
	const void *data;
	uint64_t n;
	int timeout_ms, r;

	if (!PyArg_ParseTuple(args, "O&i", args_convert_u64, &n, &timeout_ms) || lock(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_reader_borrow(self->ring, n, timeout_ms, &data, &self->place, &err);
	Py_END_ALLOW_THREADS
	if (r == 0) {
		self->lent = n;
		self->loan++;
	}
	unlock(self);
	if (answer(self, r, &err) < 0)
		return NULL;
	if (r < 0)
		Py_RETURN_NONE;
	return make_samples(self, data, n);
}

/* _place(timeout_ms): (offset, run) of the next sample or the first that is lent, or None where the time is over. */
static PyObject *ring_place(PyObject *object, PyObject *args)
{
	struct ring_object *self = (struct ring_object *)object;
	struct trnsci_error err;
	const void *sample;
	int timeout_ms, r = 0;

	if (!PyArg_ParseTuple(args, "i", &timeout_ms) || lock(self) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	if (self->lent == 0 && (r = trnsci_reader_borrow(self->ring, 1, timeout_ms, &sample, &self->place, &err)) == 0)
		trnsci_reader_release(self->ring, 0, NULL);
	Py_END_ALLOW_THREADS
	unlock(self);
	if (answer(self, r, &err) < 0)
		return NULL;
	if (r < 0)
		Py_RETURN_NONE;
	return Py_BuildValue("NN", shown(self->place.offset), shown(self->place.run));
}

static PyObject *ring_describe(PyObject *object, PyObject *unused)
{
	struct ring_object *self = (struct ring_object *)object;

	(void)unused;
	if (lock(self) < 0)
		return NULL;
	trnsci_reader_describe(self->ring, &self->info);
	unlock(self);
	return ring_info(&self->info);
}

/* Detaches now, or when the last object over the ring's samples is gone. Waits for a thread that is taking samples. */
static PyObject *ring_detach(PyObject *object, PyObject *unused)
{
	struct ring_object *self = (struct ring_object *)object;

	(void)unused;
	if (!self->ring || self->detaching || self->fork_count != forks())
		Py_RETURN_NONE;
	if (lock(self) < 0) {
		PyErr_Clear();
		if (!self->ring || self->detaching)
			Py_RETURN_NONE;
	} else {
		unlock(self);
	}
	self->detaching = true;
	if (self->samples == 0)
		detach(self);
	Py_RETURN_NONE;
}

static PyObject *get_closed(PyObject *object, void *closure)
{
	const struct ring_object *self = (struct ring_object *)object;

	(void)closure;
	return PyBool_FromLong(!self->ring || self->detaching);
}

static PyMethodDef ring_methods[] = {
	{"_take", ring_take, METH_VARARGS, NULL},	  {"_borrow", ring_borrow, METH_VARARGS, NULL},
	{"_place", ring_place, METH_VARARGS, NULL},	  {"_describe", ring_describe, METH_NOARGS, NULL},
	{"_detach", ring_detach, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};

static PyGetSetDef ring_getset[] = {
	{"closed", get_closed, NULL, "Whether the ring was closed.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot ring_slots[] = {
	{Py_tp_init, ring_init},       {Py_tp_dealloc, ring_dealloc}, {Py_tp_methods, ring_methods},
	{Py_tp_getset, ring_getset}, {0, NULL},
};

PyType_Spec ring_spec = {
	.name = "trnsci._core.Ring",
	.basicsize = sizeof(struct ring_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = ring_slots,
};
