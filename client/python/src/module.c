/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci._core: the module itself. */
#include "method.h"

static PyObject *default_session(PyObject *module, PyObject *unused)
{
	PyObject *session = (PyObject *)session_default(PyModule_GetState(module));

	(void)unused;
	return Py_XNewRef(session);
}

static PyObject *frequencies(PyObject *module, PyObject *args)
{
	uint64_t n;
	double spacing;
	int real;

	if (!PyArg_ParseTuple(args, "O&dp", args_convert_u64, &n, &spacing, &real))
		return NULL;
	const npy_intp count = (npy_intp)(real ? n / 2 + 1 : n);
	PyObject *array = PyArray_SimpleNew(1, &count, NPY_DOUBLE);

	if (array && trnsci_fftfreq(n, spacing, real, PyArray_DATA((PyArrayObject *)array)) < 0) {
		Py_CLEAR(array);
		raise_text(PyModule_GetState(module), TRNSCI_OUT_OF_RANGE, "fftfreq: n or d is out of range");
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
	if (r < 0) {
		raise_text(PyModule_GetState(module), TRNSCI_OUT_OF_RANGE, "derive: out_of_range: generator or stream");
		return NULL;
	}
	return Py_BuildValue("KK", (unsigned long long)source.seed, (unsigned long long)source.stream);
}

/* dtype_name(dtype): its name in Python. */
static PyObject *name_dtype(PyObject *module, PyObject *argument)
{
	const enum trnsci_dtype dtype = dtype_of_argument(argument);

	(void)module;
	return dtype ? PyUnicode_FromString(dtype_name(dtype)) : NULL;
}

/* names() of all operations, or names(operation) of its parameters, none where it is not known. */
static PyObject *names(PyObject *module, PyObject *args)
{
	const char *operation = NULL;
	struct trnsci_operation_info row;
	struct trnsci_parameter_info parameter;
	PyObject *list = PyList_New(0);

	(void)module;
	if (!list || !PyArg_ParseTuple(args, "|s", &operation)) {
		Py_XDECREF(list);
		return NULL;
	}
	for (size_t i = 0; (operation ? trnsci_operation_parameter(operation, i, &parameter) : trnsci_operation_at(i, &row)) == 0; i++) {
		PyObject *name = PyUnicode_FromString(operation ? parameter.name : row.name);
		const int r = name ? PyList_Append(list, name) : -1;

		Py_XDECREF(name);
		if (r < 0) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

/* choices(operation, parameter): the names that a choice may have, separated by '|', or None. */
static PyObject *choices(PyObject *module, PyObject *args)
{
	const char *operation, *name;
	struct trnsci_parameter_info parameter;

	(void)module;
	if (!PyArg_ParseTuple(args, "ss", &operation, &name))
		return NULL;
	for (size_t i = 0; trnsci_operation_parameter(operation, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, name) == 0 && parameter.choices)
			return PyUnicode_FromString(parameter.choices);
	Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
	{"default_session", default_session, METH_NOARGS,
	 "default_session()\n--\n\nReturn the session that draws and transforms where none is given. The first call opens it:\n"
	 "to the first daemon that answers, or embedded where none does."},
	{"dtype_name", name_dtype, METH_O, NULL},
	{"derive", derive, METH_VARARGS, NULL},
	{"names", names, METH_VARARGS, NULL},
	{"choices", choices, METH_VARARGS, NULL},
	{"fast_length", fast_length, METH_VARARGS, NULL},
	{"frequencies", frequencies, METH_VARARGS, NULL},
	{"create_broadcast", broadcast_create, METH_VARARGS, NULL},
	{"publish_broadcast", broadcast_publish, METH_VARARGS, NULL},
	{"close_broadcast", broadcast_close, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

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
	const struct {
		PyType_Spec *spec;
		PyTypeObject **place;
	} rows[] = {
		{&tile_spec, &state->tile_type}, {&generator_spec, &state->generator_type}, {&words_spec, &state->words_type},
		{&call_spec, &state->call_type}, {&ring_spec, &state->ring_type},	     {&samples_spec, &state->samples_type},
		{&broadcast_spec, &state->broadcast_type},
	};
	int r = add_session_type(module, state);

	for (size_t i = 0; i < sizeof rows / sizeof *rows && r == 0; i++) {
		*rows[i].place = (PyTypeObject *)PyType_FromModuleAndSpec(module, rows[i].spec, NULL);
		r = *rows[i].place ? PyModule_AddType(module, *rows[i].place) : -1;
	}
	return r;
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

static int module_exec(PyObject *module)
{
	struct module_state *state = PyModule_GetState(module);

	forks_watch();
	if (numpy_import() < 0 || errors_take(state) < 0 || add_types(module, state) < 0 ||
	    distributions_prepare() < 0 || add_methods(state->session_type, call_methods_of_session) < 0 ||
	    add_methods(state->generator_type, distribution_methods) < 0 ||
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

	for (size_t i = 0; i < sizeof state->objects / sizeof *state->objects; i++)
		Py_VISIT(state->objects[i]);
	return 0;
}

static int module_clear(PyObject *module)
{
	struct module_state *state = PyModule_GetState(module);

	for (size_t i = 0; i < sizeof state->objects / sizeof *state->objects; i++)
		Py_CLEAR(state->objects[i]);
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
