/* SPDX-License-Identifier: Apache-2.0 */
/* The type behind trnsci.Generator: its source, its place in the stream, and what it knows to draw.
 *
 * A generator's state is (source, position): words below `position` were issued. The blocks that it holds are a cache,
 * and may be dropped at any time. Python's lock guards all of it: generator_reserve moves the
 * position before a draw lets go of the lock, so two threads never draw the same words. */
#include "extension.h"

#include <stdlib.h>
#include <sys/random.h>

/* ---- The place in the stream ---- */

/* Takes a seed of 64 bits from the system, and begins at its first word. */
static int take_entropy(struct generator_object *g)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
		PyErr_SetFromErrno(PyExc_OSError);
		return -1;
	}
	g->source.seed = seed;
	g->position = 0;
	g->ended = false;
	g->children = 0;
	return 0;
}

/* Frees the blocks. */
static void forget(struct generator_object *g)
{
	for (int i = 0; i < BLOCKS; i++) {
		free(g->blocks[i].samples);
		g->blocks[i] = (struct block){0};
	}
}

int generator_check(struct generator_object *g)
{
	if (!g->session) {
		PyErr_SetString(PyExc_TypeError, "the generator has no source: __init__ was not called, or failed");
		return -1;
	}
	if (g->fork_count == forks())
		return 0;
	g->fork_count = forks();
	if (!g->entropic)
		return 0;
	forget(g);
	return take_entropy(g);
}

struct session_object *generator_session(struct generator_object *g)
{
	if (generator_check(g) < 0)
		return NULL;
	return g->session == Py_None ? session_default(g->state) : (struct session_object *)g->session;
}

static int raise_end(struct generator_object *g)
{
	return raise_text(g->state, TRNSCI_END_OF_STREAM, "end_of_stream: the draw would pass the end of its stream");
}

/* Counts with the last word of the draw instead of its end, which may be 2^64. Every draw takes whole groups of 4 words, so that
 * no word serves two draws. */
int generator_reserve(struct generator_object *g, uint64_t samples, unsigned words, uint64_t *ret_base)
{
	const uint64_t left = g->ended ? 0 : UINT64_MAX - g->position; /* words behind the first */
	const uint64_t last = samples * words - 1;

	if (samples == 0) {
		*ret_base = g->position;
		return 0;
	}
	if (g->ended || samples > UINT64_MAX / words || last > left)
		return raise_end(g);
	*ret_base = g->position;
	g->ended = (last | 3) >= left;
	g->position += (last | 3) + 1;
	return 0;
}

/* Rows are divided, not samples: a part of an array is an array. A single number belongs to every rank. */
int part_of(const struct generator_object *g, int ndim, const npy_intp *shape, struct part *ret_part)
{
	uint64_t begin = 0, end = ndim ? (uint64_t)shape[0] : 1, row = 1;

	for (int i = 1; i < ndim; i++)
		row *= (uint64_t)shape[i];
	ret_part->ndim = ndim;
	ret_part->whole = end * row;
	if (ndim > 0 && g->size > 1)
		trnsci_rank_part((uint64_t)shape[0], g->rank, g->size, &begin, &end);
	for (int i = 0; i < ndim; i++)
		ret_part->shape[i] = shape[i];
	if (ndim > 0)
		ret_part->shape[0] = (npy_intp)(end - begin);
	ret_part->begin = begin * row;
	ret_part->n = (npy_intp)((end - begin) * row);
	return 0;
}

/* ---- The type ---- */

int generator_find(const char *name, struct trnsci_generator_info *ret)
{
	for (size_t i = 0; trnsci_generator_at(i, ret) == 0; i++)
		if (strcmp(ret->name, name) == 0)
			return 0;
	return raise_generator(name);
}

/* Sets the source's generator, which has its stream. */
static int check_source(const char *name, struct trnsci_source *source)
{
	struct trnsci_generator_info info;

	if (generator_find(name, &info) < 0)
		return -1;
	if (source->stream > info.most_stream) {
		PyErr_Format(PyExc_ValueError, "stream: got %llu, allowed for %s is 0 to %llu",
			     (unsigned long long)source->stream, info.name, (unsigned long long)info.most_stream);
		return -1;
	}
	source->generator = info.name;
	return 0;
}

static int check_session(const struct module_state *state, PyObject *session)
{
	if (session == Py_None || PyObject_TypeCheck(session, state->session_type))
		return 0;
	PyErr_SetString(PyExc_TypeError, "session: allowed is a trnsci.Session or None");
	return -1;
}

/* What __init__ is given. */
struct start {
	PyObject *name, *session; /* name: a new reference */
	struct trnsci_source source;
	uint64_t rank, size;
	bool entropic;
};

static int read_start(const struct module_state *state, PyObject *args, PyObject *kwargs, struct start *start)
{
	static char *names[] = {"seed", "stream", "generator", "rank", "size", "session", NULL};
	PyObject *seed = Py_None, *stream = NULL, *name = NULL, *rank = NULL, *size = NULL, *session = Py_None;
	const char *text;

	*start = (struct start){.size = 1};
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$OUOOO:Generator", names, &seed, &stream, &name, &rank, &size,
					 &session))
		return -1;
	start->entropic = seed == Py_None;
	start->session = session;
	if ((!start->entropic && args_u64(seed, "seed", &start->source.seed)) ||
	    (stream && args_u64(stream, "stream", &start->source.stream)) ||
	    (rank && args_u64(rank, "rank", &start->rank)) || (size && args_u64(size, "size", &start->size)))
		return -1;
	if (start->rank >= start->size) {
		PyErr_SetString(PyExc_ValueError, "rank: allowed is 0 to size - 1");
		return -1;
	}
	start->name = name ? Py_NewRef(name) : PyUnicode_FromString("threefry4x32");
	text = start->name ? PyUnicode_AsUTF8(start->name) : NULL;
	return !text || check_source(text, &start->source) < 0 ? -1 : check_session(state, session);
}

/* Everything is read before anything is set, since reading may run Python code. */
static int generator_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct generator_object *g = (struct generator_object *)self;
	struct start start;

	if (read_start(state_of_type(Py_TYPE(self)), args, kwargs, &start) < 0) {
		Py_XDECREF(start.name);
		return -1;
	}
	forget(g);
	g->state = state_of_type(Py_TYPE(self));
	g->source = start.source;
	g->rank = start.rank;
	g->size = start.size;
	g->position = 0;
	g->ended = false;
	g->children = 0;
	g->fork_count = forks();
	g->entropic = start.entropic;
	Py_XSETREF(g->name, start.name);
	Py_INCREF(start.session);
	Py_XSETREF(g->session, start.session);
	return g->entropic ? take_entropy(g) : 0;
}

static void generator_dealloc(PyObject *self)
{
	struct generator_object *g = (struct generator_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	forget(g);
	Py_XDECREF(g->session);
	Py_XDECREF(g->name);
	type->tp_free(self);
	Py_DECREF(type);
}

/* ---- Attributes ---- */

/* Returns the number at an offset. */
static PyObject *get_u64(PyObject *self, void *offset)
{
	struct generator_object *g = (struct generator_object *)self;

	return generator_check(g) < 0 ? NULL : PyLong_FromUnsignedLongLong(*(uint64_t *)(void *)((char *)self + (size_t)offset));
}

static PyObject *get_name(PyObject *self, void *closure)
{
	struct generator_object *g = (struct generator_object *)self;

	(void)closure;
	return generator_check(g) < 0 ? NULL : Py_NewRef(g->name);
}

static PyObject *get_session(PyObject *self, void *closure)
{
	(void)closure;
	return Py_XNewRef((PyObject *)generator_session((struct generator_object *)self));
}

static PyObject *get_own_session(PyObject *self, void *closure)
{
	struct generator_object *g = (struct generator_object *)self;

	(void)closure;
	return generator_check(g) < 0 ? NULL : Py_NewRef(g->session);
}

/* Behind the last word there is one position more, 2^64. */
static PyObject *get_position(PyObject *self, void *closure)
{
	struct generator_object *g = (struct generator_object *)self;

	(void)closure;
	if (generator_check(g) < 0)
		return NULL;
	if (!g->ended)
		return PyLong_FromUnsignedLongLong(g->position);
	return PyLong_FromString("18446744073709551616", NULL, 10);
}

static int set_position(PyObject *self, PyObject *value, void *closure)
{
	struct generator_object *g = (struct generator_object *)self;
	uint64_t position;

	(void)closure;
	if (!value) {
		PyErr_SetString(PyExc_TypeError, "position: cannot be deleted");
		return -1;
	}
	PyObject *end = PyLong_FromString("18446744073709551616", NULL, 10);
	const int is_end = end ? PyObject_RichCompareBool(value, end, Py_EQ) : -1;

	Py_XDECREF(end);
	if (is_end < 0 || generator_check(g) < 0)
		return -1;
	if (is_end) {
		position = 0;
	} else if (args_u64(value, "position", &position) < 0) {
		return -1;
	} else if (position % 4) {
		PyErr_Format(PyExc_ValueError, "position: got %llu, allowed are multiples of 4",
			     (unsigned long long)position);
		return -1;
	}
	g->position = position;
	g->ended = is_end;
	return 0;
}

static int set_children(PyObject *self, PyObject *value, void *closure)
{
	(void)closure;
	if (!value) {
		PyErr_SetString(PyExc_TypeError, "_children: cannot be deleted");
		return -1;
	}
	return args_u64(value, "children", &((struct generator_object *)self)->children);
}

/* Skips whole groups of 4 words. */
static PyObject *generator_advance(PyObject *self, PyObject *words)
{
	struct generator_object *g = (struct generator_object *)self;
	uint64_t n, base;

	if (args_u64(words, "words", &n) < 0 || generator_check(g) < 0 || generator_reserve(g, n, 1, &base) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyMethodDef generator_methods[] = {
	{"advance", generator_advance, METH_O,
	 "advance($self, words, /)\n--\n\nSkips words of the stream, rounded up to a multiple of 4.\n\n"
	 "Parameters\n----------\nwords : int\n    How many.\n\n"
	 "Examples\n--------\n>>> import trnsci\n>>> rng = trnsci.Generator(1)\n>>> rng.advance(10)\n"
	 ">>> rng.position\n12\n"},
	{NULL, NULL, 0, NULL},
};

#define AT(member) (void *)offsetof(struct generator_object, member)
static PyGetSetDef generator_getset[] = {
	{"seed", get_u64, NULL, "Seed of the stream.", AT(source.seed)},
	{"stream", get_u64, NULL, "Which of the seed's streams.", AT(source.stream)},
	{"generator", get_name, NULL, "Name of the generator of the stream's words.", NULL},
	{"rank", get_u64, NULL, "Which part of every draw is this generator's, below size.", AT(rank)},
	{"size", get_u64, NULL, "Parts of every draw.", AT(size)},
	{"session", get_session, NULL, "The session that draws.", NULL},
	{"position", get_position, set_position, "Word of the stream at which the next draw begins, a multiple of 4.",
	 NULL},
	{"_own_session", get_own_session, NULL, NULL, NULL},
	{"_children", get_u64, set_children, NULL, AT(children)},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot generator_slots[] = {
	{Py_tp_doc, (void *)"The part of Generator that is written in C."},
	{Py_tp_init, generator_init},
	{Py_tp_dealloc, generator_dealloc},
	{Py_tp_methods, generator_methods},
	{Py_tp_getset, generator_getset},
	{0, NULL},
};

PyType_Spec generator_spec = {
	.name = "trnsci._core.Generator",
	.basicsize = sizeof(struct generator_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = generator_slots,
};
