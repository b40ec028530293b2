/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts: their readers, and what their owner does. trnsci._broadcast waits in steps, and has the classes that users
 * see. */
#include "extension.h"

struct broadcast_object {
	PyObject_HEAD
	struct session_object *session;
	struct trnsci_reader *broadcast; /* NULL: detached */
	struct trnsci_reader_info info;
	PyThread_type_lock lock; /* one thread at a time uses a reader */
	unsigned fork_count;
};

static void unlock(struct broadcast_object *self)
{
	PyThread_release_lock(self->lock);
}

/* Locks the reader for one thread, as the ring's lock does. Returns 0, or -1 with an exception. */
static int lock(struct broadcast_object *self)
{
	const struct trnsci_error closed = {TRNSCI_CLOSED,
					    "closed: broadcast: it was detached, or belongs to another process"};

	if (self->lock && self->fork_count == forks()) {
		if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
			Py_BEGIN_ALLOW_THREADS
			PyThread_acquire_lock(self->lock, WAIT_LOCK);
			Py_END_ALLOW_THREADS
		}
		if (self->broadcast && self->session->handle && !self->session->closing)
			return 0;
		unlock(self);
	}
	raise_error(state_of_type(Py_TYPE(self)), &closed);
	return -1;
}

/* _core.Broadcast(session, name) */
static int broadcast_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
	struct broadcast_object *self = (struct broadcast_object *)object;
	struct module_state *state = state_of_type(Py_TYPE(object));
	struct trnsci_error err;
	const char *name;
	PyObject *given;
	int r;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "Os:Broadcast", &given, &name))
		return -1;
	struct session_object *session = session_of_argument(state, given);
	struct use use;

	if (self->session) {
		PyErr_SetString(PyExc_TypeError, "a broadcast is attached once");
		return -1;
	}
	if (!session || use_begin(session, &use) < 0)
		return -1;
	self->fork_count = use.fork_count;
	self->lock = PyThread_allocate_lock();
	self->session = session; /* the use goes on until the object is freed */
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_broadcast_attach(use.handle, name, &self->broadcast, &err);
	Py_END_ALLOW_THREADS
	if (r < 0)
		raise_error(state, &err);
	else
		trnsci_reader_describe(self->broadcast, &self->info);
	return r < 0 ? -1 : 0;
}

static void detach(struct broadcast_object *self)
{
	struct trnsci_reader *broadcast = self->broadcast;

	self->broadcast = NULL;
	if (broadcast && self->fork_count == forks()) {
		Py_BEGIN_ALLOW_THREADS
		trnsci_reader_detach(broadcast);
		Py_END_ALLOW_THREADS
	}
}

static void broadcast_dealloc(PyObject *object)
{
	struct broadcast_object *self = (struct broadcast_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	detach(self);
	if (self->lock)
		PyThread_free_lock(self->lock);
	if (self->session)
		session_let_go(self->session, self->fork_count);
	type->tp_free(object);
	Py_DECREF(type);
}

/* _take(out, start, n, timeout_ms): (missed, first, count, offset) of the samples that were copied. */
static PyObject *broadcast_take(PyObject *object, PyObject *args)
{
	struct broadcast_object *self = (struct broadcast_object *)object;
	struct trnsci_reader_span span = {0};
	struct trnsci_error err;
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
	r = trnsci_reader_take(self->broadcast, place, (uint64_t)n, timeout_ms, &span, &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(out);
	unlock(self);
	if (r < 0 && r != -TRNSCI_TIMEOUT && span.count == 0)
		return raise_error(self->session->state, &err);
	return Py_BuildValue("KKKK", (unsigned long long)span.missed, (unsigned long long)span.first,
			     (unsigned long long)span.count, (unsigned long long)span.offset);
}

static PyObject *broadcast_seek(PyObject *object, PyObject *args)
{
	struct broadcast_object *self = (struct broadcast_object *)object;
	PyObject *place;
	uint64_t sample = UINT64_MAX;

	if (!PyArg_ParseTuple(args, "O", &place) || (place != Py_None && args_u64(place, "sample", &sample) < 0) ||
	    lock(self) < 0)
		return NULL;
	trnsci_reader_seek(self->broadcast, sample, NULL);
	unlock(self);
	Py_RETURN_NONE;
}

static PyObject *broadcast_describe(PyObject *object, PyObject *unused)
{
	struct broadcast_object *self = (struct broadcast_object *)object;

	(void)unused;
	if (lock(self) < 0)
		return NULL;
	trnsci_reader_describe(self->broadcast, &self->info);
	unlock(self);
	return ring_info(&self->info);
}

static PyObject *broadcast_detach(PyObject *object, PyObject *unused)
{
	struct broadcast_object *self = (struct broadcast_object *)object;

	(void)unused;
	if (self->broadcast && self->lock && lock(self) == 0) {
		unlock(self);
		detach(self);
	}
	PyErr_Clear();
	Py_RETURN_NONE;
}

static PyObject *get_closed(PyObject *object, void *closure)
{
	(void)closure;
	return PyBool_FromLong(!((struct broadcast_object *)object)->broadcast);
}

static PyMethodDef broadcast_methods[] = {
	{"_take", broadcast_take, METH_VARARGS, NULL},	  {"_seek", broadcast_seek, METH_VARARGS, NULL},
	{"_describe", broadcast_describe, METH_NOARGS, NULL}, {"_detach", broadcast_detach, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef broadcast_getset[] = {
	{"closed", get_closed, NULL, "Whether the reader was closed.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot broadcast_slots[] = {
	{Py_tp_init, broadcast_init},	    {Py_tp_dealloc, broadcast_dealloc}, {Py_tp_methods, broadcast_methods},
	{Py_tp_getset, broadcast_getset}, {0, NULL},
};

PyType_Spec broadcast_spec = {
	.name = "trnsci._core.Broadcast",
	.basicsize = sizeof(struct broadcast_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = broadcast_slots,
};

/* ---- What the owner does ---- */

/* create_broadcast(session, name, distribution, params, source, samples, rate, mode) */
PyObject *broadcast_create(PyObject *module, PyObject *args)
{
	struct module_state *state = PyModule_GetState(module);
	struct trnsci_broadcast_options options = {0};
	PyObject *given, *params, *origin, *kept;
	const char *name, *distribution;
	uint64_t samples;
	struct trnsci_source source;
	struct param_list list = {0};
	struct trnsci_error err;
	struct use use = {0};
	int r = -1;

	if (!PyArg_ParseTuple(args, "OssOOO&dO&:create", &given, &name, &distribution, &params, &origin,
			      args_convert_u64, &samples, &options.rate, args_convert_u32, &options.mode) ||
	    source_read(origin, &source, &kept) < 0)
		return NULL;
	struct session_object *session = session_of_argument(state, given);

	options.samples = samples;
	Py_XINCREF(session);
	if (session && params_read(session, params, PARAMS_OF_DRAW, &list) == 0 && use_begin(session, &use) == 0) {
		Py_BEGIN_ALLOW_THREADS
		r = trnsci_broadcast_create(use.handle, name, distribution, list.params, &source, &options, &err);
		Py_END_ALLOW_THREADS
		if (r < 0)
			raise_error(state, &err);
	}
	params_free(&list);
	Py_DECREF(kept);
	use_end(&use);
	Py_XDECREF(session);
	return r < 0 ? NULL : Py_NewRef(Py_None);
}

/* publish_broadcast(session, name, n): all samples so far. */
PyObject *broadcast_publish(PyObject *module, PyObject *args)
{
	struct module_state *state = PyModule_GetState(module);
	uint64_t n;
	struct trnsci_error err;
	uint64_t produced = 0;
	const char *name;
	PyObject *given;
	int r;

	if (!PyArg_ParseTuple(args, "OsO&:publish", &given, &name, args_convert_u64, &n))
		return NULL;
	struct session_object *session = session_of_argument(state, given);
	struct use use;

	if (!session || use_begin(session, &use) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_broadcast_publish(use.handle, name, n, &produced, &err);
	Py_END_ALLOW_THREADS
	use_end(&use);
	return r < 0 ? raise_error(state, &err) : PyLong_FromUnsignedLongLong(produced);
}

/* close_broadcast(session, name) */
PyObject *broadcast_close(PyObject *module, PyObject *args)
{
	struct module_state *state = PyModule_GetState(module);
	struct trnsci_error err;
	const char *name;
	PyObject *given;
	int r;

	if (!PyArg_ParseTuple(args, "Os:close", &given, &name))
		return NULL;
	struct session_object *session = session_of_argument(state, given);
	struct use use;

	if (!session || use_begin(session, &use) < 0)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = trnsci_broadcast_close(use.handle, name, &err);
	Py_END_ALLOW_THREADS
	use_end(&use);
	if (r < 0)
		return raise_error(state, &err);
	Py_RETURN_NONE;
}
