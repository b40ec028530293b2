/* SPDX-License-Identifier: Apache-2.0 */
/* What trnsci.BitGenerator is made of: the stream's words, two at a time, behind numpy's bitgen_t.
 *
 * numpy calls these functions without Python's lock and cannot take an error from them. So the words come from an engine
 * of their own with one thread, the caller's: words are the same from everywhere, and no daemon can be gone. */
#include "extension.h"

#include <numpy/random/bitgen.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_BUFFER = 1024 };

struct words_object {
	PyObject_HEAD
	struct module_state *state;
	PyObject *name;
	struct trnsci_session *session;
	unsigned fork_count; /* of the session */
	struct trnsci_source source;
	uint64_t position; /* the next pair of words to be given out; pairs of the stream: 2^63 */
	size_t left;	   /* pairs in the buffer, at its end */
	bool has_half;	   /* as PCG64: the high half of a pair is the next next_uint32 */
	uint32_t half;
	uint64_t pairs[WORDS_BUFFER];
};

#define PAIRS_OF_STREAM ((uint64_t)1 << 63)

static int open_own(struct words_object *words, struct trnsci_error *err)
{
	const struct trnsci_options options = {.threads = 1};

	if (words->session && words->fork_count == forks())
		return 0;
	trnsci_close(words->session);
	words->session = NULL;
	words->fork_count = forks();
	return trnsci_open("embedded:", &options, &words->session, err);
}

/* A stream of 2^64 words ends for nobody; after advance() to its end it goes on with its first word, as numpy's do. */
static void refill(struct words_object *words)
{
	const uint64_t behind = PAIRS_OF_STREAM - words->position;
	const size_t n = behind < WORDS_BUFFER ? (size_t)behind : WORDS_BUFFER;
	struct trnsci_error err = {0};
	int r = open_own(words, &err);

	words->source.offset = words->position;
	if (r == 0)
		r = trnsci_draw_array(words->session, "bits", NULL, &words->source, TRNSCI_U64, n, words->pairs + WORDS_BUFFER - n,
				      NULL, &err);
	if (r < 0) {
		PyGILState_STATE lock = PyGILState_Ensure();

		Py_FatalError(err.text);
		PyGILState_Release(lock);
	}
	words->left = n;
}

static uint64_t next_pair(void *state)
{
	struct words_object *words = state;

	if (words->left == 0)
		refill(words);
	words->position = (words->position + 1) & (PAIRS_OF_STREAM - 1);
	return words->pairs[WORDS_BUFFER - words->left--];
}

static uint32_t next_half(void *state)
{
	struct words_object *words = state;

	if (words->has_half) {
		words->has_half = false;
		return words->half;
	}
	const uint64_t pair = next_pair(state);

	words->has_half = true;
	words->half = (uint32_t)(pair >> 32);
	return (uint32_t)pair;
}

static double next_fraction(void *state)
{
	return (double)(next_pair(state) >> 11) * 0x1p-53;
}

/* ---- The type Words ---- */

static int words_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"generator", "seed", "stream", NULL};
	struct words_object *words = (struct words_object *)self;
	struct trnsci_source probe = {0};
	uint64_t seed, stream;
	struct trnsci_error err = {0};
	struct trnsci_generator_info info;
	PyObject *name;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UO&O&:Words", names, &name, args_convert_u64, &seed, args_convert_u64,
					 &stream))
		return -1;
	words->state = state_of_type(Py_TYPE(self));
	Py_INCREF(name);
	Py_XSETREF(words->name, name);
	words->source = (struct trnsci_source){.generator = PyUnicode_AsUTF8(name), .seed = seed, .stream = stream};
	if (!words->source.generator || generator_find(words->source.generator, &info) < 0)
		return -1;
	probe = words->source;
	words->position = 0;
	words->left = 0;
	words->has_half = false;
	if (trnsci_source_fold_in(&probe, 0, &probe) < 0) {
		PyErr_Format(PyExc_ValueError, "generator: got '%U' of stream %llu, which the engine does not have", name,
			     (unsigned long long)stream);
		return -1;
	}
	return raise_if(open_own(words, &err), words->state, &err);
}

static void words_dealloc(PyObject *self)
{
	struct words_object *words = (struct words_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	trnsci_close(words->session);
	Py_XDECREF(words->name);
	type->tp_free(self);
	Py_DECREF(type);
}

/* attach(capsule): fills the bitgen_t in a BitGenerator's capsule, which must not outlive this object. */
static PyObject *words_attach(PyObject *self, PyObject *capsule)
{
	bitgen_t *bitgen = PyCapsule_GetPointer(capsule, "BitGenerator");

	if (!bitgen)
		return NULL;
	bitgen->state = self;
	bitgen->next_uint64 = next_pair;
	bitgen->next_uint32 = next_half;
	bitgen->next_double = next_fraction;
	bitgen->next_raw = next_pair;
	Py_RETURN_NONE;
}

static PyObject *words_get(PyObject *self, PyObject *unused)
{
	const struct words_object *words = (struct words_object *)self;

	(void)unused;
	return Py_BuildValue("KiI", (unsigned long long)words->position, (int)words->has_half,
			     words->has_half ? words->half : 0);
}

static PyObject *words_set(PyObject *self, PyObject *args)
{
	struct words_object *words = (struct words_object *)self;
	uint64_t position;
	uint32_t half;
	int has_half;

	if (!PyArg_ParseTuple(args, "O&pO&", args_convert_u64, &position, &has_half, args_convert_u32, &half))
		return NULL;
	words->position = position & (PAIRS_OF_STREAM - 1);
	words->has_half = has_half;
	words->half = half;
	words->left = 0;
	Py_RETURN_NONE;
}

static PyMethodDef words_methods[] = {
	{"attach", words_attach, METH_O, NULL},
	{"get", words_get, METH_NOARGS, NULL},
	{"set", words_set, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot words_slots[] = {
	{Py_tp_init, words_init}, {Py_tp_dealloc, words_dealloc}, {Py_tp_methods, words_methods}, {0, NULL}};

PyType_Spec words_spec = {
	.name = "trnsci._core.Words",
	.basicsize = sizeof(struct words_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = words_slots,
};
