/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, and what becomes of them in a forked child.
 *
 * Fork copies one thread of the parent. An embedded engine's lanes do not exist in the child, and a daemon's connection is
 * the parent's. So each object notes at how many forks it was made; where that is not forks() any more, a session is
 * opened again (or refuses, if it was opened by name as embedded), and tiles, calls and prepared calls are left alone. */
#include "extension.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The only thing that interpreters share: it belongs to the process. */
static unsigned fork_counter;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
	fork_counter++;
}

static void install_counter(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

void forks_watch(void)
{
	pthread_once(&fork_once, install_counter);
}

unsigned forks(void)
{
	return fork_counter;
}

/* ---- Calls that a signal ends ---- */

/* The state of a thread that has given away Python's lock between call_begin and call_end; NULL: it is not there. */
static _Thread_local PyThreadState *released;

void call_begin(void)
{
	released = PyEval_SaveThread();
}

int call_end(int r)
{
	PyThreadState *state = released;

	released = NULL;
	PyEval_RestoreThread(state);
	return PyErr_Occurred() ? -TRNSCI_CANCELLED : r;
}

/* Runs the handlers of signals that have come, which Python does in its main thread only. The main thread is that of the process. */
static bool is_interrupted(void *unused)
{
	bool raised;

	(void)unused;
	if (!released || gettid() != getpid())
		return false;
	call_end(0);
	raised = PyErr_Occurred() || PyErr_CheckSignals() < 0;
	call_begin();
	return raised;
}

/* ---- Opening ---- */

/* Opens the library's session without Python's lock. Returns 0, or -1 with an exception. */
static int open_session(struct session_object *session)
{
	const struct trnsci_options options = {.or_embedded = !session->address,
					       .threads = session->threads,
					       .timeout_ms = session->timeout_ms,
					       .interrupted = is_interrupted};
	struct trnsci_session_info info;
	struct trnsci_error err = {0};
	struct trnsci_session *handle;
	int r;

	Py_BEGIN_ALLOW_THREADS
	r = trnsci_open(session->address, &options, &handle, &err);
	Py_END_ALLOW_THREADS
	if (raise_if(r, session->state, &err) < 0)
		return -1;
	trnsci_session_describe(handle, &info);
	session->handle = handle;
	session->embedded = info.embedded;
	session->fork_count = forks();
	return 0;
}

/* The parent's session stays as it is, and so do the arrays over its tiles, which are read-only copies here. */
static int open_again(struct session_object *session)
{
	if (session->embedded && !session->implicit)
		return raise_text(session->state, TRNSCI_CLOSED,
				  "closed: session: embedded sessions end with a fork, open another one");
	struct trnsci_session *parents = session->handle;

	if (open_session(session) < 0)
		return -1;
	if (session->tiles == 0)
		trnsci_close(parents);
	session->tiles = 0;
	Py_CLEAR(session->loops);
	return 0;
}

struct trnsci_session *session_use(struct session_object *session)
{
	if (!session->handle || session->closing) {
		raise_text(session->state, TRNSCI_CLOSED, "closed: session: it was closed");
		return NULL;
	}
	if (session->fork_count != forks() && open_again(session) < 0)
		return NULL;
	return session->handle;
}

/* Opens a session for the module itself. Returns a new reference; NULL: an exception is set. */
static struct session_object *open_implicit(struct module_state *state, const char *address, unsigned threads)
{
	struct session_object *session = (struct session_object *)state->session_type->tp_alloc(state->session_type, 0);

	if (!session)
		return NULL;
	session->state = state;
	session->threads = threads;
	session->implicit = true;
	if ((address && !(session->address = strdup(address))) || open_session(session) < 0) {
		Py_DECREF(session);
		return NULL;
	}
	return session;
}

/* Puts a session in the place of another one, or of none, and steals it; NULL: an exception is set. Opening lets other threads
 * run, one of which may have done the same meanwhile: the first one stays. */
static struct session_object *replace(PyObject **place, PyObject *old, struct session_object *session)
{
	if (!session)
		return NULL;
	if (*place == old) {
		*place = (PyObject *)session;
		Py_XDECREF(old);
	} else {
		Py_DECREF(session);
	}
	return (struct session_object *)*place;
}

/* Whether the default session's daemon is gone, and the session will not connect again. */
static bool is_lost(struct module_state *state, const struct session_object *session)
{
	struct trnsci_session_info info;

	if (!state->default_unverified || session->embedded || session->fork_count != forks())
		return false;
	state->default_unverified = trnsci_session_describe(session->handle, &info) < 0;
	return state->default_unverified;
}

/* Opens a session with the daemon of the one that is lost, not with another and not embedded: its named streams are there. */
static struct session_object *open_in_place_of(struct module_state *state, const struct session_object *lost)
{
	struct trnsci_session_info info;

	trnsci_session_describe(lost->handle, &info);
	struct session_object *session = open_implicit(state, info.address, 0);

	if (session) {
		free(session->address);
		session->address = NULL; /* a forked child looks for a daemon as this process did at first */
		state->default_unverified = false;
	}
	return session;
}

struct session_object *session_default(struct module_state *state)
{
	struct session_object *session = (struct session_object *)state->default_session;

	if (!session || !session->handle || session->closing)
		return replace(&state->default_session, (PyObject *)session, open_implicit(state, NULL, 0));
	if (is_lost(state, session))
		return replace(&state->default_session, (PyObject *)session, open_in_place_of(state, session));
	return session;
}

struct session_object *session_of_workers(struct module_state *state, unsigned workers)
{
	const unsigned threads = workers < EXTENSION_WORKERS ? workers : EXTENSION_WORKERS;

	if (state->worker_sessions[threads])
		return (struct session_object *)state->worker_sessions[threads];
	return replace(&state->worker_sessions[threads], NULL, open_implicit(state, "embedded:", threads));
}

int use_begin(struct session_object *session, struct use *ret_use)
{
	struct trnsci_session *handle = session_use(session);

	if (!handle)
		return -1;
	*ret_use = (struct use){session, handle, forks()};
	session_hold(session);
	return 0;
}

void use_end(struct use *use)
{
	if (use->session)
		session_let_go(use->session, use->fork_count);
	use->session = NULL;
}

struct session_object *session_of_argument(struct module_state *state, PyObject *argument)
{
	if (argument == Py_None)
		return session_default(state);
	if (!PyObject_TypeCheck(argument, state->session_type)) {
		PyErr_Format(PyExc_TypeError, "session: got %.200s, allowed are None and a trnsci.Session",
			     Py_TYPE(argument)->tp_name);
		return NULL;
	}
	return (struct session_object *)argument;
}

/* ---- The type Session ---- */

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct session_object *session = (struct session_object *)type->tp_alloc(type, 0);

	(void)args, (void)kwargs;
	if (session)
		session->state = state_of_type(type);
	return (PyObject *)session;
}

/* Opening lets other threads run, one of which may call __init__, too. */
static int open_once(struct session_object *session)
{
	session->opened = true;
	if (open_session(session) == 0)
		return 0;
	session->opened = false;
	return -1;
}

static int session_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"address", "threads", "timeout_ms", NULL};
	struct session_object *session = (struct session_object *)self;
	const char *address = NULL;
	uint32_t threads = 0;
	int timeout_ms = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z$O&i:Session", names, &address, args_convert_u32, &threads,
					 &timeout_ms))
		return -1;
	if (session->opened) {
		PyErr_SetString(PyExc_TypeError, "a session is opened once");
		return -1;
	}
	session->threads = threads;
	session->timeout_ms = timeout_ms;
	free(session->address);
	session->address = NULL;
	if (address && !(session->address = strdup(address))) {
		PyErr_NoMemory();
		return -1;
	}
	return open_once(session);
}

/* The handle is forgotten first: closing waits without Python's lock, and other threads must not use it meanwhile. */
static void close_handle(struct session_object *session)
{
	struct trnsci_session *handle = session->handle;

	session->handle = NULL;
	if (handle) {
		Py_BEGIN_ALLOW_THREADS
		trnsci_close(handle);
		Py_END_ALLOW_THREADS
	}
}

void session_hold(struct session_object *session)
{
	Py_INCREF(session);
	session->tiles++;
}

void session_let_go(struct session_object *session, unsigned fork_count)
{
	if (fork_count == forks() && --session->tiles == 0 && session->closing)
		close_handle(session);
	Py_DECREF(session);
}

static void session_dealloc(PyObject *self)
{
	struct session_object *session = (struct session_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	close_handle(session);
	free(session->address);
	Py_XDECREF(session->loops);
	type->tp_free(self);
	Py_DECREF(type);
}

static int session_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(((struct session_object *)self)->loops);
	Py_VISIT(Py_TYPE(self));
	return 0;
}

static int session_clear(PyObject *self)
{
	Py_CLEAR(((struct session_object *)self)->loops);
	return 0;
}

static PyObject *session_close(PyObject *self, PyObject *unused)
{
	struct session_object *session = (struct session_object *)self;

	(void)unused;
	if (session->tiles > 0)
		session->closing = true;
	else
		close_handle(session);
	Py_RETURN_NONE;
}

static PyObject *session_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	return Py_NewRef(self);
}

static PyObject *session_exit(PyObject *self, PyObject *args)
{
	(void)args;
	return session_close(self, NULL);
}

static PyObject *get_address(PyObject *self, void *closure)
{
	struct trnsci_session *handle = session_use((struct session_object *)self);
	struct trnsci_session_info info;

	(void)closure;
	if (!handle)
		return NULL;
	trnsci_session_describe(handle, &info);
	return PyUnicode_FromString(info.address);
}

static PyObject *get_embedded(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(((struct session_object *)self)->embedded);
}

static PyObject *get_closed(PyObject *self, void *closure)
{
	const struct session_object *session = (struct session_object *)self;

	(void)closure;
	return PyBool_FromLong(!session->handle || session->closing);
}

/* What opens the same one elsewhere. */
static PyObject *session_reduce(PyObject *self, PyObject *unused)
{
	const struct session_object *session = (struct session_object *)self;

	(void)unused;
	return Py_BuildValue("O(z)", Py_TYPE(self), session->address);
}

static PyMethodDef session_methods[] = {
	{"close", session_close, METH_NOARGS,
	 "Closes the session, as soon as what other threads do with it is done; memory that arrays still show stays until the\n"
	 "last of them is gone."},
	{"__enter__", session_enter, METH_NOARGS, NULL},
	{"__exit__", session_exit, METH_VARARGS, NULL},
	{"__reduce__", session_reduce, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

/* All threads get the same dict: the first that is there stays. Making one may run the garbage collector. */
static PyObject *get_loops(PyObject *self, void *closure)
{
	struct session_object *session = (struct session_object *)self;

	(void)closure;
	if (!session->loops) {
		PyObject *made = PyDict_New();

		if (session->loops)
			Py_XDECREF(made);
		else
			session->loops = made;
	}
	return Py_XNewRef(session->loops);
}

static PyGetSetDef session_getset[] = {
	{"_loops", get_loops, NULL, NULL, NULL},
	{"address", get_address, NULL, "The socket's path, or \"embedded:\".", NULL},
	{"embedded", get_embedded, NULL, "Whether the engine runs inside this process.", NULL},
	{"closed", get_closed, NULL, "Whether the session was closed.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(session_doc,
	     "Session(address=None, *, threads=0, timeout_ms=0)\n--\n\n"
	     "A connection to a daemon, or an engine inside this process.\n\n"
	     "Parameters\n----------\n"
	     "address : str, optional\n"
	     "    \"embedded:\", or the path of a daemon's socket. Default: $TRNSCI_SOCKET, the user's socket, the\n"
	     "    host's socket, or where no daemon answers an engine inside this process.\n"
	     "threads : int, optional\n"
	     "    Threads of an embedded engine, at most 128. Default: the CPUs that the process may use.\n"
	     "timeout_ms : int, optional\n"
	     "    Time limit of a call in milliseconds. Default: none.\n\n"
	     "Examples\n--------\n"
	     ">>> import trnsci\n"
	     ">>> with trnsci.Session(\"embedded:\") as session:\n"
	     "...     session.address\n"
	     "'embedded:'\n");

static PyType_Slot session_slots[] = {
	{Py_tp_doc, (void *)session_doc},     {Py_tp_new, session_new},	      {Py_tp_init, session_init},   {Py_tp_dealloc, session_dealloc},
	{Py_tp_methods, session_methods}, {Py_tp_getset, session_getset}, {Py_tp_traverse, session_traverse},
	{Py_tp_clear, session_clear},	      {0, NULL},
};

PyType_Spec session_spec = {
	.name = "trnsci.Session",
	.basicsize = sizeof(struct session_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = session_slots,
};
