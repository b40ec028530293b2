/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci._core: the module itself, and how errors of the library become exceptions. */
#define EXTENSION_IMPORTS_NUMPY
#include "distributions.h"

struct module_state *state_of_type(PyTypeObject *type)
{
	struct module_state *state = NULL;

	for (; type && !state; type = type->tp_base)
		if (!(state = PyType_GetModuleState(type)))
			PyErr_Clear();
	return state;
}

/* The exception for an error's number, by what a program can do about it: change the arguments, wait, connect again.
 * Borrowed. */
static PyObject *class_of_error(const struct module_state *state, int code)
{
	switch (code) {
	case TRNSCI_UNKNOWN_METHOD:
	case TRNSCI_OUT_OF_RANGE:
	case TRNSCI_BAD_SHAPE:
	case TRNSCI_END_OF_STREAM:
		return state->parameter_error;
	case TRNSCI_UNKNOWN_PARAMETER:
	case TRNSCI_MISSING_PARAMETER:
	case TRNSCI_WRONG_TYPE:
		return state->type_error;
	case TRNSCI_LIMIT:
	case TRNSCI_NO_MEMORY:
		return state->resource_error;
	case TRNSCI_CLOSED:
	case TRNSCI_NO_DAEMON:
	case TRNSCI_BAD_REPLY:
	case TRNSCI_LOST:
		return state->service_error;
	case TRNSCI_TIMEOUT:
		return state->timeout_error;
	default:
		return state->error;
	}
}

PyObject *raise_error(struct module_state *state, const struct trnsci_error *err)
{
	PyObject *class = class_of_error(state, err->code), *name, *value;

	state->default_unverified |= err->code == TRNSCI_CLOSED;
	value = PyObject_CallFunction(class, "s", err->text);
	name = PyUnicode_FromString(trnsci_error_name(err->code));
	if (value && name && PyObject_SetAttrString(value, "name", name) == 0)
		PyErr_SetObject(class, value);
	Py_XDECREF(value);
	Py_XDECREF(name);
	return NULL;
}

static PyObject *default_session(PyObject *module, PyObject *unused)
{
	PyObject *session = (PyObject *)session_default(PyModule_GetState(module));

	(void)unused;
	return Py_XNewRef(session);
}

static PyObject *frequencies(PyObject *module, PyObject *args)
{
	struct trnsci_error err = {TRNSCI_OUT_OF_RANGE, "fftfreq: n or d is out of range"};
	uint64_t n;
	double spacing;
	int real;

	if (!PyArg_ParseTuple(args, "O&dp", args_convert_u64, &n, &spacing, &real))
		return NULL;
	const npy_intp count = (npy_intp)(real ? n / 2 + 1 : n);
	PyObject *array = PyArray_SimpleNew(1, &count, NPY_DOUBLE);

	if (array && trnsci_fftfreq(n, spacing, real, PyArray_DATA((PyArrayObject *)array)) < 0) {
		Py_DECREF(array);
		return raise_error(PyModule_GetState(module), &err);
	}
	return array;
}

static PyObject *fast_length(PyObject *module, PyObject *args)
{
	uint64_t n;
	int real;

	(void)module;
	if (!PyArg_ParseTuple(args, "O&p", args_convert_u64, &n, &real))
		return NULL;
	return PyLong_FromUnsignedLongLong(trnsci_next_fast_length(n, real));
}

/* Derives a source: derive(kind, generator, seed, stream, what) gives (seed, stream). */
static PyObject *derive(PyObject *module, PyObject *args)
{
	const struct trnsci_error err = {TRNSCI_OUT_OF_RANGE, "derive: out_of_range: generator or stream"};
	struct trnsci_source source = {0};
	uint64_t number;
	PyObject *what;
	char kind;
	int r;

	if (!PyArg_ParseTuple(args, "csO&O&O", &kind, &source.generator, args_convert_u64, &source.seed, args_convert_u64,
			      &source.stream, &what))
		return NULL;
	if (kind == 'l') {
		char *label;
		Py_ssize_t size;

		if (PyBytes_AsStringAndSize(what, &label, &size) < 0)
			return NULL;
		r = trnsci_source_label(&source, label, (size_t)size, &source);
	} else {
		if (args_u64(what, "number", &number) < 0)
			return NULL;
		r = kind == 'f' ? trnsci_source_fold_in(&source, number, &source)
				: trnsci_source_split(&source, number, &source);
	}
	if (r < 0)
		return raise_error(PyModule_GetState(module), &err);
	return Py_BuildValue("KK", (unsigned long long)source.seed, (unsigned long long)source.stream);
}

/* dtype_name(dtype): its name in Python. */
static PyObject *name_dtype(PyObject *module, PyObject *argument)
{
	const enum trnsci_dtype dtype = dtype_of_argument(argument);

	(void)module;
	return dtype ? PyUnicode_FromString(dtype_name(dtype)) : NULL;
}

static PyMethodDef functions[] = {
	{"default_session", default_session, METH_NOARGS,
	 "default_session()\n--\n\nReturn the session that draws and transforms where none is given. The first call opens it:\n"
	 "to the first daemon that answers, or embedded where none does."},
	{"dtype_name", name_dtype, METH_O, NULL},
	{"derive", derive, METH_VARARGS, NULL},
	{"fast_length", fast_length, METH_VARARGS, NULL},
	{"frequencies", frequencies, METH_VARARGS, NULL},
	{"create_broadcast", broadcast_create, METH_VARARGS, NULL},
	{"publish_broadcast", broadcast_publish, METH_VARARGS, NULL},
	{"close_broadcast", broadcast_close, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **ret_type)
{
	*ret_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
	return *ret_type ? PyModule_AddType(module, *ret_type) : -1;
}

/* Sessions inherit what is written in Python. */
static int add_session_type(PyObject *module, struct module_state *state)
{
	PyObject *written = PyImport_ImportModule("trnsci._session");
	PyObject *base = written ? PyObject_GetAttrString(written, "SessionMethods") : NULL;
	PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;

	if (bases)
		state->session_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &session_spec, bases);
	Py_XDECREF(bases);
	Py_XDECREF(base);
	Py_XDECREF(written);
	return state->session_type ? PyModule_AddType(module, state->session_type) : -1;
}

static int add_types(PyObject *module, struct module_state *state)
{
	return add_session_type(module, state) < 0 || add_type(module, &tile_spec, &state->tile_type) < 0 ||
			       add_type(module, &generator_spec, &state->generator_type) < 0 ||
			       add_type(module, &words_spec, &state->words_type) < 0 ||
			       add_type(module, &call_spec, &state->call_type) < 0 ||
			       add_type(module, &ring_spec, &state->ring_type) < 0 ||
			       add_type(module, &samples_spec, &state->samples_type) < 0 ||
			       add_type(module, &broadcast_spec, &state->broadcast_type) < 0
		       ? -1
		       : 0;
}

/* Each file's methods are a table of their own. */
static int add_methods(PyTypeObject *type, PyMethodDef *methods)
{
	for (; methods->ml_name; methods++) {
		PyObject *method = PyDescr_NewMethod(type, methods);
		const int r = method ? PyObject_SetAttrString((PyObject *)type, methods->ml_name, method) : -1;

		Py_XDECREF(method);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Takes the exception classes from trnsci._errors, where they are written in Python. */
static int take_errors(struct module_state *state)
{
	const struct {
		const char *name;
		PyObject **place;
	} rows[] = {
		{"Error", &state->error},
		{"ParameterError", &state->parameter_error},
		{"ParameterTypeError", &state->type_error},
		{"ResourceError", &state->resource_error},
		{"ServiceError", &state->service_error},
		{"ServiceTimeoutError", &state->timeout_error},
	};
	PyObject *errors = PyImport_ImportModule("trnsci._errors");

	if (!errors)
		return -1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!(*rows[i].place = PyObject_GetAttrString(errors, rows[i].name)))
			break;
	Py_DECREF(errors);
	return PyErr_Occurred() ? -1 : 0;
}

static int module_exec(PyObject *module)
{
	struct module_state *state = PyModule_GetState(module);

	import_array1(-1);
	forks_watch();
	if (take_errors(state) < 0 || add_types(module, state) < 0 ||
	    distributions_prepare() < 0 || add_methods(state->generator_type, distribution_methods) < 0 ||
	    add_methods(state->generator_type, integer_methods) < 0 ||
	    add_methods(state->generator_type, vector_methods) < 0 ||
	    PyModule_AddFunctions(module, transform_functions) < 0 ||
	    PyModule_AddFunctions(module, operate_functions) < 0)
		return -1;
	return PyModule_AddStringConstant(module, "version", trnsci_version());
}

/* Shows the collector what the module refers to. */
static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
	struct module_state *state = PyModule_GetState(module);

	Py_VISIT(state->session_type);
	Py_VISIT(state->tile_type);
	Py_VISIT(state->generator_type);
	Py_VISIT(state->words_type);
	Py_VISIT(state->call_type);
	Py_VISIT(state->ring_type);
	Py_VISIT(state->samples_type);
	Py_VISIT(state->broadcast_type);
	Py_VISIT(state->default_session);
	return 0;
}

/* Frees what one import owns. */
static int module_clear(PyObject *module)
{
	struct module_state *state = PyModule_GetState(module);

	Py_CLEAR(state->default_session);
	for (int i = 0; i <= EXTENSION_WORKERS; i++)
		Py_CLEAR(state->worker_sessions[i]);
	Py_CLEAR(state->session_type);
	Py_CLEAR(state->tile_type);
	Py_CLEAR(state->generator_type);
	Py_CLEAR(state->words_type);
	Py_CLEAR(state->call_type);
	Py_CLEAR(state->ring_type);
	Py_CLEAR(state->samples_type);
	Py_CLEAR(state->broadcast_type);
	Py_CLEAR(state->error);
	Py_CLEAR(state->parameter_error);
	Py_CLEAR(state->type_error);
	Py_CLEAR(state->resource_error);
	Py_CLEAR(state->service_error);
	Py_CLEAR(state->timeout_error);
	return 0;
}

static void module_free(void *module)
{
	module_clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "trnsci._core",
	.m_doc = "The part of trnsci that is written in C.",
	.m_size = sizeof(struct module_state),
	.m_methods = functions,
	.m_slots = slots,
	.m_traverse = module_traverse,
	.m_clear = module_clear,
	.m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	return PyModuleDef_Init(&definition);
}
