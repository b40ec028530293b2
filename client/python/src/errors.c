/* SPDX-License-Identifier: Apache-2.0 */
/* How errors of the library become exceptions of trnsci._errors, and where these are found. */
#include "extension.h"

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
	if (PyErr_Occurred())
		return NULL;
	value = PyObject_CallFunction(class, "s", err->text);
	name = PyUnicode_FromString(trnsci_error_name(err->code));
	if (value && name && PyObject_SetAttrString(value, "name", name) == 0)
		PyErr_SetObject(class, value);
	Py_XDECREF(value);
	Py_XDECREF(name);
	return NULL;
}

int raise_text(struct module_state *state, int code, const char *text)
{
	struct trnsci_error err = {.code = code};

	PyOS_snprintf(err.text, sizeof err.text, "%s", text);
	raise_error(state, &err);
	return -1;
}

int raise_generator(const char *name)
{
	PyObject *module = PyImport_ImportModule("trnsci._suggest");
	PyObject *text = module ? PyObject_CallMethod(module, "unknown_generator", "s", name) : NULL;

	if (text)
		PyErr_SetObject(PyExc_ValueError, text);
	Py_XDECREF(text);
	Py_XDECREF(module);
	return -1;
}

int raise_if(int r, struct module_state *state, const struct trnsci_error *err)
{
	if (r < 0)
		raise_error(state, err);
	return r < 0 ? -1 : 0;
}

int errors_take(struct module_state *state)
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
