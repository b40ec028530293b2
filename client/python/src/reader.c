/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of rings and broadcasts. A lock lets one thread at a time use a reader. Memory that was lent stays mapped as long as an
 * object shows it. */
#include "reader.h"

#include <string.h>

/* ---- One thread at a time ---- */

void reader_unlock(struct reader_object *self)
{
	PyThread_release_lock(self->lock);
}

void reader_give_back(struct reader_object *self, uint64_t n)
{
	if (self->lent > 0 && self->reader)
		trnsci_reader_release(self->reader, n, NULL);
	self->lent = 0;
	self->return_due = false;
}

static void raise_closed(struct reader_object *self)
{
	struct trnsci_error closed = {.code = TRNSCI_CLOSED};

	PyOS_snprintf(closed.text, sizeof closed.text, "closed: %s: it was detached, or belongs to another process",
		      self->name ? self->name : "reader");
	raise_error(state_of_type(Py_TYPE(self)), &closed);
}

/* The library's reader belongs to one at a time. Without Python's lock while it waits,
 * so it checks again what may have changed meanwhile. */
int reader_lock(struct reader_object *self)
{
	if (!self->lock || !self->reader || self->fork_count != forks()) {
		raise_closed(self);
		return -1;
	}
	if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
		Py_BEGIN_ALLOW_THREADS
		PyThread_acquire_lock(self->lock, WAIT_LOCK);
		Py_END_ALLOW_THREADS
	}
	if (!self->reader || self->detaching || !self->session->handle || self->session->closing) {
		reader_unlock(self);
		raise_closed(self);
		return -1;
	}
	if (self->return_due)
		reader_give_back(self, self->lent);
	return 0;
}

/* ---- What they show ---- */

static PyObject *shown(uint64_t number)
{
	return PyLong_FromUnsignedLongLong(number);
}

static PyObject *show_info(const struct trnsci_reader_info *info)
{
	return Py_BuildValue("{sssNsNsNsNsNsNsNsNsNsNsssNsN}", "dtype", dtype_name(info->dtype), "components",
			     shown(info->components), "capacity", shown(info->capacity), "offset", shown(info->offset),
			     "position", shown(info->position), "taken", shown(info->taken), "produced",
			     shown(info->produced), "range", shown(info->range), "seed", shown(info->seed), "stream",
			     shown(info->stream), "sample_bytes", shown(info->sample_bytes), "generator", info->generator,
			     "restarts", shown(info->restarts), "skipped", shown(info->skipped));
}

/* numpy has no bfloat16: it shows the words. */
int reader_numpy_type(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_BF16 ? NPY_UINT16 : numpy_type_of(dtype);
}

/* Returns where samples start to n of the array lie; NULL with an exception. */
static void *room_of(PyObject *array, enum trnsci_dtype dtype, uint64_t components, Py_ssize_t start, Py_ssize_t n)
{
	PyArrayObject *out = (PyArrayObject *)array;
	const Py_ssize_t sample = (Py_ssize_t)(components * trnsci_dtype_size(dtype));

	if (!PyArray_Check(array) || !PyArray_EquivTypenums(PyArray_TYPE(out), reader_numpy_type(dtype)) ||
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

/* ---- Begin and end ---- */

int reader_begin(struct reader_object *self, const char *name, struct session_object *session, struct use *ret_use)
{
	if (!session)
		return -1;
	if (self->session) {
		PyErr_Format(PyExc_TypeError, "a %s is attached once", name);
		return -1;
	}
	if (use_begin(session, ret_use) < 0)
		return -1;
	self->name = name;
	self->fork_count = ret_use->fork_count;
	self->lock = PyThread_allocate_lock();
	self->session = session;
	return 0;
}

int reader_begun(struct reader_object *self, int r, const struct trnsci_error *err)
{
	if (r < 0)
		raise_error(self->session->state, err);
	else
		trnsci_reader_describe(self->reader, &self->info);
	return r < 0 ? -1 : 0;
}

void reader_end(struct reader_object *self)
{
	struct trnsci_reader *reader = self->reader;

	self->reader = NULL;
	if (reader && self->fork_count == forks()) {
		Py_BEGIN_ALLOW_THREADS
		trnsci_reader_detach(reader);
		Py_END_ALLOW_THREADS
	}
}

/* Detaches now, or when the last object over lent samples is gone. Waits for a thread that is taking samples. */
PyObject *reader_detach(PyObject *object, PyObject *unused)
{
	struct reader_object *self = (struct reader_object *)object;

	(void)unused;
	if (!self->reader || self->detaching || self->fork_count != forks())
		Py_RETURN_NONE;
	if (reader_lock(self) < 0) {
		PyErr_Clear();
		if (!self->reader || self->detaching)
			Py_RETURN_NONE;
	} else {
		reader_unlock(self);
	}
	self->detaching = true;
	if (self->samples == 0)
		reader_end(self);
	Py_RETURN_NONE;
}

void reader_dealloc(PyObject *object)
{
	struct reader_object *self = (struct reader_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	reader_end(self);
	if (self->lock)
		PyThread_free_lock(self->lock);
	if (self->session)
		session_let_go(self->session, self->fork_count);
	type->tp_free(object);
	Py_DECREF(type);
}

/* ---- Methods ---- */

int reader_answer(struct reader_object *self, int r, const struct trnsci_error *err)
{
	if (r == 0 || r == -TRNSCI_TIMEOUT)
		return 0;
	raise_error(self->session->state, err);
	return -1;
}

/* _take(out, start, n, timeout_ms): (missed, first, count, offset) of the samples that were copied. At the end of the stream those
 * that are left. */
PyObject *reader_take(PyObject *object, PyObject *args)
{
	struct reader_object *self = (struct reader_object *)object;
	struct trnsci_error err;
	struct trnsci_reader_span span = {0};
	Py_ssize_t start, n;
	PyObject *out;
	int timeout_ms, r;

	if (!PyArg_ParseTuple(args, "Onni", &out, &start, &n, &timeout_ms) || reader_lock(self) < 0)
		return NULL;
	void *place = room_of(out, self->info.dtype, self->info.components, start, n);

	if (!place) {
		reader_unlock(self);
		return NULL;
	}
	Py_INCREF(out);
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_reader_take(self->reader, place, (uint64_t)n, timeout_ms, &span, &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(out);
	reader_unlock(self);
	if (span.count == 0 && reader_answer(self, r, &err) < 0)
		return NULL;
	return Py_BuildValue("NNNN", shown(span.missed), shown(span.first), shown(span.count), shown(span.offset));
}

PyObject *reader_describe(PyObject *object, PyObject *unused)
{
	struct reader_object *self = (struct reader_object *)object;

	(void)unused;
	if (reader_lock(self) < 0)
		return NULL;
	trnsci_reader_describe(self->reader, &self->info);
	reader_unlock(self);
	return show_info(&self->info);
}

static PyObject *get_closed(PyObject *object, void *closure)
{
	const struct reader_object *self = (struct reader_object *)object;

	(void)closure;
	return PyBool_FromLong(!self->reader || self->detaching);
}

PyGetSetDef reader_getset[] = {
	{"closed", get_closed, NULL, "Whether the reader was closed.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};
