/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: one request with its parameters, to be run again and again or waited for in an event loop.
 *
 * A call that is in flight is freed only after its answer, since the engine may be writing what it names. */
#include "extension.h"
#include "value.h"

#include <stddef.h>
#include <structmember.h>

struct call_object {
	PyObject_HEAD
	struct session_object *session;
	struct trnsci_call *call;
	PyObject *kept; /* parameters, whose tiles the call names */
	unsigned fork_count;
	bool in_flight; /* submitted, and its answer was not seen yet */
	bool popped;	/* call_next returned it */
	char is_short;	/* a run of an embedded engine takes less than giving away Python's lock */
	enum { FREE, RUNNING, AWAITED } busy; /* a thread sends it or waits for it, without Python's lock */
	PyObject *tile;			      /* its result, once it was asked for; NULL: not yet */
	bool ended;	/* it is being freed */
};

/* ---- What may be done now ---- */

static int raise_closed(struct module_state *state)
{
	const struct trnsci_error err = {TRNSCI_CLOSED, "closed: call: its session was closed or belongs to another process"};

	raise_error(state, &err);
	return -1;
}

static int refuse_busy(void)
{
	PyErr_SetString(PyExc_RuntimeError, "the call is in use by another thread");
	return -1;
}

/* Refuses calls of closed sessions and of other processes, and those that another thread uses. An answer may be read while
 * the thread that waited for it is on its way back. */
static int check(struct call_object *self)
{
	if (!self->call || self->fork_count != forks() || !self->session->handle)
		return raise_closed(state_of_type(Py_TYPE(self)));
	return self->busy == RUNNING || (self->busy == AWAITED && !trnsci_call_done(self->call)) ? refuse_busy() : 0;
}

/* As check, for a call that is to be sent: nobody waits for it. Forgets the last result. */
static int check_free(struct call_object *self)
{
	if (check(self) < 0)
		return -1;
	Py_CLEAR(self->tile);
	return self->busy ? refuse_busy() : 0;
}

static PyObject *raise_call_error(struct call_object *self, int code)
{
	const struct trnsci_error *said = trnsci_call_error(self->call);
	struct trnsci_error err = {-code, ""};

	if (said && said->code)
		return raise_error(self->session->state, said);
	PyOS_snprintf(err.text, sizeof err.text, "%s: %s", trnsci_error_name(code), trnsci_strerror(code));
	return raise_error(self->session->state, &err);
}

/* ---- Making ---- */

/* One operation: the call's, or that of a step. */
struct operation {
	const char *name;
	struct param_list params;
	bool wants_tile;
};

/* What a call is made of. All of it is read before the call is made, since reading may run Python code. */
struct contents {
	struct session_object *session; /* a reference; NULL: an exception is set */
	PyObject *steps; /* a tuple, which keeps the names */
	struct operation *operations; /* the call's own, then one for each step */
	Py_ssize_t n;
};

static void contents_free(struct contents *contents)
{
	for (Py_ssize_t i = 0; i < contents->n; i++)
		params_free(&contents->operations[i].params);
	PyMem_Free(contents->operations);
	Py_XDECREF(contents->steps);
	Py_XDECREF(contents->session);
}

static int read_operation(struct session_object *session, PyObject *params, PyObject *wants, unsigned flags,
			  struct operation *ret_operation)
{
	const int truth = PyObject_IsTrue(wants);

	ret_operation->wants_tile = truth > 0;
	return truth < 0 ? -1 : params_read(session, params, flags, &ret_operation->params);
}

/* A step is a tuple of its operation, its parameters, and whether it makes a tile. */
static int read_step(struct session_object *session, PyObject *step, struct operation *ret_operation)
{
	PyObject *params, *wants;

	if (!PyTuple_Check(step)) {
		PyErr_SetString(PyExc_TypeError, "a step must be a tuple");
		return -1;
	}
	if (!PyArg_ParseTuple(step, "sO!O:step", &ret_operation->name, &PyDict_Type, &params, &wants))
		return -1;
	return read_operation(session, params, wants, 0, ret_operation);
}

/* Reads the arguments of __init__ behind the session. */
static int read_contents(struct contents *contents, PyObject *params, PyObject *wants, PyObject *steps, unsigned flags)
{
	contents->steps = steps ? PySequence_Tuple(steps) : PyTuple_New(0);
	if (!contents->steps)
		return -1;
	const Py_ssize_t n = PyTuple_GET_SIZE(contents->steps);

	contents->operations = PyMem_Calloc((size_t)n + 1, sizeof *contents->operations);
	if (!contents->operations) {
		PyErr_NoMemory();
		return -1;
	}
	if (read_operation(contents->session, params, wants, flags, &contents->operations[contents->n++]) < 0)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++)
		if (read_step(contents->session, PyTuple_GET_ITEM(contents->steps, i),
			      &contents->operations[contents->n++]) < 0)
			return -1;
	return 0;
}

static int make_call(struct call_object *self, struct trnsci_session *handle, const char *method)
{
	const int r = trnsci_call_new(handle, method, &self->call);

	if (r < 0) {
		struct trnsci_error err = {-r, ""};

		PyOS_snprintf(err.text, sizeof err.text, "%s: %s: %s", trnsci_error_name(r), method, trnsci_strerror(r));
		raise_error(self->session->state, &err);
	}
	return r < 0 ? -1 : 0;
}

/* Sets the parameters of the call or of a step, and keeps what they borrow. */
static int set_operation(struct call_object *self, struct trnsci_args *args, const struct operation *operation)
{
	trnsci_set_params(args, operation->params.params);
	if (operation->wants_tile)
		trnsci_set(args, trnsci_param_new_tile("out"));
	return PyList_Append(self->kept, operation->params.kept);
}

static int fill_call(struct call_object *self, const char *method, const struct contents *contents)
{
	struct use use;

	if (self->session) {
		PyErr_SetString(PyExc_TypeError, "a call is made once");
		return -1;
	}
	if (use_begin(contents->session, &use) < 0)
		return -1;
	self->session = use.session; /* the use goes on until the call is freed */
	self->fork_count = use.fork_count;
	if (!(self->kept = PyList_New(0)) || make_call(self, use.handle, method) < 0 ||
	    set_operation(self, trnsci_call_args(self->call), &contents->operations[0]) < 0)
		return -1;
	for (Py_ssize_t i = 1; i < contents->n; i++) {
		const struct operation *step = &contents->operations[i];

		if (set_operation(self, trnsci_program_step(self->call, step->name), step) < 0)
			return -1;
	}
	return 0;
}

static int call_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"session", "method", "params", "out", "steps", "elements", NULL};
	PyObject *session, *params = Py_None, *wants = Py_False, *steps = NULL;
	struct contents contents = {.n = 0};
	const char *method;
	int elements = 0, r = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Os|OOOp:Call", names, &session, &method, &params, &wants, &steps,
					 &elements))
		return -1;
	contents.session = session_of_argument(state_of_type(Py_TYPE(object)), session);
	Py_XINCREF(contents.session);
	if (contents.session && read_contents(&contents, params, wants, steps, elements ? PARAMS_OF_DRAW : 0) == 0)
		r = fill_call((struct call_object *)object, method, &contents);
	contents_free(&contents);
	return r;
}

/* The engine writes no tile of a call that was answered. */
static void end_flight(struct call_object *self)
{
	struct trnsci_call *call = self->call;

	self->ended = true;
	Py_BEGIN_ALLOW_THREADS
	trnsci_cancel(call);
	trnsci_wait(call, -1);
	Py_END_ALLOW_THREADS
}

static void call_dealloc(PyObject *object)
{
	struct call_object *self = (struct call_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	if (self->call && self->fork_count == forks()) {
		if (self->in_flight && !trnsci_call_done(self->call))
			end_flight(self);
		trnsci_call_free(self->call);
	}
	Py_XDECREF(self->kept);
	Py_XDECREF(self->tile);
	if (self->session)
		session_let_go(self->session, self->fork_count);
	type->tp_free(object);
	Py_DECREF(type);
}

/* ---- Running ---- */

enum {
	CHANGES_MOST = 3 + 6,
	CANCEL_MS = 1000, /* to wait for the answer to a run that was cancelled, so that it can be run again */
};

static int add_number(PyObject *value, const char *name, struct trnsci_param **at)
{
	uint64_t number;

	if (value == Py_None)
		return 0;
	if (args_u64(value, name, &number) < 0)
		return -1;
	*(*at)++ = trnsci_param_u64(name, number);
	return 0;
}

/* Tiles of this run, by the name of the parameter; None: the call's own. */
static int add_tiles(struct call_object *self, PyObject *tiles, struct trnsci_param **at, const struct trnsci_param *end)
{
	PyObject *name, *item;
	Py_ssize_t position = 0;

	while (PyDict_Next(tiles, &position, &name, &item)) {
		const struct tile_object *tile = (struct tile_object *)item;
		const char *text = PyUnicode_AsUTF8(name);

		if (!text)
			return -1;
		if (item == Py_None)
			continue;
		if (*at == end) {
			PyErr_SetString(PyExc_ValueError, "tiles: allowed are at most 6");
			return -1;
		}
		if (!Py_IS_TYPE(item, self->session->state->tile_type) || tile->session != self->session ||
		    tile->fork_count != forks()) {
			PyErr_SetString(PyExc_ValueError, "tiles: allowed are tiles of the call's session");
			return -1;
		}
		*(*at)++ = trnsci_param_tile(text, tile->tile);
	}
	return 0;
}

/* (seed, stream, offset, tiles) */
static int read_changes(struct call_object *self, PyObject *const *args, Py_ssize_t n,
			struct trnsci_param changes[CHANGES_MOST + 1])
{
	static const char *const names[] = {"seed", "stream", "offset"};
	struct trnsci_param *at = changes;

	if (n > 4 || (n == 4 && !PyDict_Check(args[3]))) {
		PyErr_SetString(PyExc_TypeError, "_run() takes three numbers and a dict of tiles");
		return -1;
	}
	for (Py_ssize_t i = 0; i < n && i < 3; i++)
		if (add_number(args[i], names[i], &at) < 0)
			return -1;
	if (n == 4 && add_tiles(self, args[3], &at, changes + CHANGES_MOST) < 0)
		return -1;
	*at = trnsci_param_end();
	return 0;
}

static PyObject *call_run(PyObject *object, PyObject *const *args, Py_ssize_t n)
{
	struct call_object *self = (struct call_object *)object;
	struct trnsci_param changes[CHANGES_MOST + 1];
	int r;

	if (read_changes(self, args, n, changes) < 0 || check_free(self) < 0)
		return NULL;
	if (self->is_short && self->session->embedded) {
		r = trnsci_run(self->call, changes);
		if (r < 0)
			return raise_call_error(self, r);
		Py_RETURN_NONE;
	}
	self->busy = RUNNING;
	call_begin();
	r = call_end(trnsci_run(self->call, changes));
	if (r < 0 && !trnsci_call_done(self->call)) {
		Py_BEGIN_ALLOW_THREADS
		trnsci_wait(self->call, CANCEL_MS);
		Py_END_ALLOW_THREADS
	}
	self->busy = FREE;
	self->in_flight = !trnsci_call_done(self->call);
	if (r < 0)
		return raise_call_error(self, r);
	Py_RETURN_NONE;
}

static PyObject *call_submit(PyObject *object, PyObject *unused)
{
	struct call_object *self = (struct call_object *)object;
	int r;

	(void)unused;
	if (check_free(self) < 0)
		return NULL;
	self->popped = false;
	self->busy = RUNNING;
	call_begin();
	r = call_end(trnsci_submit(self->call, NULL, self));
	self->busy = FREE;
	self->in_flight = r == 0;
	if (r < 0)
		return raise_call_error(self, r);
	Py_RETURN_NONE;
}

static int wait_busy(struct call_object *self, int timeout_ms)
{
	int r;

	self->busy = AWAITED;
	call_begin();
	r = call_end(trnsci_wait(self->call, timeout_ms));
	self->busy = FREE;
	self->in_flight = !trnsci_call_done(self->call);
	return r;
}

static PyObject *call_wait(PyObject *object, PyObject *args)
{
	struct call_object *self = (struct call_object *)object;
	int timeout_ms = -1, r;

	if (!PyArg_ParseTuple(args, "|i", &timeout_ms) || check(self) < 0)
		return NULL;
	r = trnsci_call_done(self->call) ? trnsci_wait(self->call, 0) : wait_busy(self, timeout_ms);
	if (r < 0)
		return raise_call_error(self, r);
	Py_RETURN_NONE;
}

static PyObject *call_done(PyObject *object, PyObject *unused)
{
	struct call_object *self = (struct call_object *)object;

	(void)unused;
	return PyBool_FromLong(self->call && (self->fork_count != forks() || trnsci_call_done(self->call)));
}

static PyObject *call_cancel(PyObject *object, PyObject *unused)
{
	struct call_object *self = (struct call_object *)object;

	(void)unused;
	if (self->call && self->fork_count == forks() && self->session->handle)
		trnsci_cancel(self->call);
	Py_RETURN_NONE;
}

/* ---- Answers ---- */

static PyObject *call_reply(PyObject *object, PyObject *unused)
{
	struct call_object *self = (struct call_object *)object;

	(void)unused;
	return check(self) < 0 ? NULL : value_to_python(trnsci_call_reply(self->call));
}

static PyObject *take_tile(struct call_object *self, const struct trnsci_value *step)
{
	struct trnsci_tile *tile;
	const int r = trnsci_call_tile(self->call, step, &tile);

	return r < 0 ? raise_call_error(self, r) : tile_wrap(self->session, tile);
}

/* The tile that the call, or a step of it, has made. A step gives it once; the call's own is kept, since several threads may
 * ask for the result. */
static PyObject *call_tile(PyObject *object, PyObject *args)
{
	struct call_object *self = (struct call_object *)object;
	int index = -1;

	if (!PyArg_ParseTuple(args, "|i", &index) || check(self) < 0)
		return NULL;
	if (index >= 0)
		return take_tile(self, trnsci_value_at(trnsci_value_get(trnsci_call_reply(self->call), "steps"), (size_t)index));
	if (!self->tile)
		self->tile = take_tile(self, NULL);
	return Py_XNewRef(self->tile);
}

static PyObject *get_popped(PyObject *object, void *closure)
{
	(void)closure;
	return PyBool_FromLong(((struct call_object *)object)->popped);
}

static PyObject *get_session(PyObject *object, void *closure)
{
	PyObject *session = (PyObject *)((struct call_object *)object)->session;

	(void)closure;
	return Py_NewRef(session ? session : Py_None);
}

static PyMethodDef call_methods[] = {
	{"_run", (PyCFunction)(void (*)(void))call_run, METH_FASTCALL, NULL},		 {"_submit", call_submit, METH_NOARGS, NULL},
	{"_wait", call_wait, METH_VARARGS, NULL},	 {"_reply", call_reply, METH_NOARGS, NULL},
	{"_tile", call_tile, METH_VARARGS, NULL},
	{"done", call_done, METH_NOARGS, "done($self, /)\n--\n\nReturn whether the call is answered, or has failed."},
	{"cancel", call_cancel, METH_NOARGS,
	 "cancel($self, /)\n--\n\nAsk the engine to stop the call, which then fails with the error `cancelled` unless it was done before."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef call_getset[] = {
	{"_popped", get_popped, NULL, NULL, NULL},
	{"session", get_session, NULL, "The session that the call is of.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef call_members[] = {
	{"_is_short", T_BOOL, offsetof(struct call_object, is_short), 0, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot call_slots[] = {
	{Py_tp_init, call_init},       {Py_tp_dealloc, call_dealloc}, {Py_tp_methods, call_methods},
	{Py_tp_getset, call_getset}, {Py_tp_members, call_members},   {0, NULL},
};

PyType_Spec call_spec = {
	.name = "trnsci._core.Call",
	.basicsize = sizeof(struct call_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = call_slots,
};

/* ---- The session's side ---- */

/* Returns the next call that was submitted and is answered, or None. It keeps Python's lock, since it does not wait: so no thread frees the call meanwhile. A call that is being freed is
 * nobody's. */
static PyObject *session_next(PyObject *object, PyObject *unused)
{
	struct session_object *session = (struct session_object *)object;
	struct trnsci_call *call;
	void *arg;

	(void)unused;
	while (session->handle && session->fork_count == forks() && trnsci_next(session->handle, 0, &call, &arg) == 0) {
		struct call_object *answered = arg;

		answered->in_flight = false;
		answered->popped = true;
		if (!answered->ended && Py_REFCNT(answered) > 0)
			return Py_NewRef((PyObject *)answered);
	}
	Py_RETURN_NONE;
}

/* Returns the descriptor that is readable when there is one. */
static PyObject *session_fd(PyObject *object, PyObject *unused)
{
	struct session_object *session = (struct session_object *)object;
	/* One that closes with its last call is still waited for. */
	struct trnsci_session *handle =
		session->closing && session->fork_count == forks() ? session->handle : session_use(session);
	const int fd = handle ? trnsci_session_fd(handle) : -1;

	(void)unused;
	if (handle && fd < 0) {
		const struct trnsci_error err = {TRNSCI_SYSTEM, "system: session: no file descriptor for an event loop"};

		return raise_error(session->state, &err);
	}
	return handle ? PyLong_FromLong(fd) : NULL;
}

PyMethodDef call_methods_of_session[] = {
	{"_next", session_next, METH_NOARGS, NULL},
	{"_fd", session_fd, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};
