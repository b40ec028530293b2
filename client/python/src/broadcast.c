/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts: their readers, and what their owner does. trnsci._broadcast waits in steps, and has the classes that users
 * see. */
#include "reader.h"

/* _core.Broadcast(session, name) */
static int broadcast_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
	struct reader_object *self = (struct reader_object *)object;
	struct trnsci_error err;
	const char *name;
	PyObject *given;
	struct use use;
	int r;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "Os:Broadcast", &given, &name) ||
	    reader_begin(self, "broadcast", session_of_argument(state_of_type(Py_TYPE(object)), given), &use) < 0)
		return -1;
	call_begin();
	r = call_end(trnsci_broadcast_attach(use.handle, name, &self->reader, &err));
	return reader_begun(self, r, &err);
}

static PyObject *broadcast_seek(PyObject *object, PyObject *args)
{
	struct reader_object *self = (struct reader_object *)object;
	PyObject *place;
	uint64_t sample = UINT64_MAX;

	if (!PyArg_ParseTuple(args, "O", &place) || (place != Py_None && args_u64(place, "sample", &sample) < 0) ||
	    reader_lock(self) < 0)
		return NULL;
	trnsci_reader_seek(self->reader, sample, NULL);
	reader_unlock(self);
	Py_RETURN_NONE;
}

static PyMethodDef broadcast_methods[] = {
	{"_take", reader_take, METH_VARARGS, NULL},	  {"_seek", broadcast_seek, METH_VARARGS, NULL},
	{"_describe", reader_describe, METH_NOARGS, NULL}, {"_detach", reader_detach, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot broadcast_slots[] = {
	{Py_tp_init, broadcast_init},	    {Py_tp_dealloc, reader_dealloc}, {Py_tp_methods, broadcast_methods},
	{Py_tp_getset, reader_getset}, {0, NULL},
};

PyType_Spec broadcast_spec = {
	.name = "trnsci._core.Broadcast",
	.basicsize = sizeof(struct reader_object),
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
		call_begin();
		r = call_end(trnsci_broadcast_create(use.handle, name, distribution, list.params, &source, &options, &err));
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
	call_begin();
	r = call_end(trnsci_broadcast_publish(use.handle, name, n, &produced, &err));
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
	call_begin();
	r = call_end(trnsci_broadcast_close(use.handle, name, &err));
	use_end(&use);
	if (r < 0)
		return raise_error(state, &err);
	Py_RETURN_NONE;
}
