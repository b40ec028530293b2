/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module trnsci._core: what its files share.
 *
 * Everything hangs on the module's own state or on objects, so that interpreters do not share anything but the count of
 * forks. The library is used through its public header only. */
#ifndef TRNSCI_PYTHON_EXTENSION_H
#define TRNSCI_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION /* the headers of numpy 2 hide what came since 1.19 */
#define PY_ARRAY_UNIQUE_SYMBOL trnsci_core_ARRAY_API
#ifndef EXTENSION_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stdbool.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#if PY_VERSION_HEX < 0x030a0000
static inline PyObject *Py_XNewRef(PyObject *object)
{
	Py_XINCREF(object);
	return object;
}
#define Py_NewRef Py_XNewRef
#endif

enum {
	EXTENSION_WORKERS = 128, /* most threads of an engine */
	TILE_BYTES = 64 << 10,	 /* from so many on a daemon's results stay in its memory */
};

/* What one import of the module owns. */
struct module_state {
	union {
		struct {
			PyObject *default_session; /* a Session, or NULL: not opened yet */
			PyObject *worker_sessions[EXTENSION_WORKERS + 1]; /* embedded, by their threads; NULL: not opened yet */
			PyTypeObject *session_type, *tile_type, *generator_type, *words_type, *call_type, *ring_type, *samples_type,
				*broadcast_type;
			/* The exceptions of trnsci._errors. */
			PyObject *error, *parameter_error, *type_error, *resource_error, *service_error, *timeout_error;
		};
		PyObject *objects[EXTENSION_WORKERS + 16]; /* all of these, for the collector; sessions go first */
	};
	bool default_unverified; /* some session reported `closed` since the default one was looked at */
};
/* Returns the state of the module that a type, or the nearest base of it, belongs to. */
struct module_state *state_of_type(PyTypeObject *type);

/* ---- Errors ---- */

/* Finds the exception classes of the module. 0, or -1 with an exception. */
int errors_take(struct module_state *state);
/* Raises the exception for an error of the library, unless a signal's handler has raised one, and returns NULL. */
PyObject *raise_error(struct module_state *state, const struct trnsci_error *err);
/* Raises the exception for an error that this module has found. Returns -1. */
int raise_text(struct module_state *state, int code, const char *text);
/* Raises ValueError about the name of a generator, with those that there are. Returns -1. */
int raise_generator(const char *name);
/* Raises it if the library returned one, r < 0. Returns 0, or -1. */
int raise_if(int r, struct module_state *state, const struct trnsci_error *err);

/* ---- Calls that may take long ---- */

/* A function of the library runs between them, without Python's lock. A signal whose handler raises, as Ctrl-C does, cancels what
 * the thread runs or waits for (the option `interrupted`). call_end takes the lock again and returns r, or -TRNSCI_CANCELLED where
 * the handler's exception is set, whatever r is. raise_error leaves that exception as it is. */
void call_begin(void);
int call_end(int r);

/* ---- Sessions ---- */

/* A session. `implicit` ones were opened by the module: after a fork they are opened again, whatever they are. */
struct session_object {
	PyObject_HEAD
	struct module_state *state;
	struct trnsci_session *handle; /* NULL: closed */
	char *address;		       /* as given; NULL: the first daemon that answers, else embedded */
	unsigned threads;
	int timeout_ms;
	bool implicit;
	bool embedded;
	bool closing;	     /* close() was called while such objects were alive: the last one closes */
	bool opened;	     /* __init__ succeeded once */
	size_t tiles;	     /* alive, and rings: objects whose memory the session owns */
	PyObject *loops;     /* dict: what trnsci._calls keeps of loops that wait for answers; NULL: nothing */
	unsigned fork_count; /* forks of the process before it was opened */
};
extern PyType_Spec session_spec;
extern PyType_Spec tile_spec;
extern PyType_Spec call_spec;
extern PyType_Spec ring_spec;
extern PyType_Spec samples_spec;
extern PyType_Spec broadcast_spec;

/* Returns how many forks lie between the start of the program and this process. */
unsigned forks(void);
/* Installs the counter of forks. */
void forks_watch(void);
/* Returns the library's session, opened again where the process has forked. NULL: an exception is set. */
struct trnsci_session *session_use(struct session_object *session);
/* Returns a borrowed reference to the module's session, opened by the first call, and by the first one after it was closed or
 * has lost its daemon for good; NULL: an exception is set. */
struct session_object *session_default(struct module_state *state);
/* Returns a borrowed reference to an embedded session of so many threads; NULL: an exception is set. */
struct session_object *session_of_workers(struct module_state *state, unsigned workers);
/* Holds the session open as long as an object uses memory of it, and lets go. The second also drops the reference; in a
 * forked child, where the count of forks is another one, nothing else. */
void session_hold(struct session_object *session);
void session_let_go(struct session_object *session, unsigned fork_count);
/* A use of the library's session, for which it is held open: other threads and Python code that runs meanwhile may close it. */
struct use {
	struct session_object *session; /* NULL: none */
	struct trnsci_session *handle;
	unsigned fork_count;
};
/* Begins a use, as session_use. Arguments are read to their end before it. 0, or -1 with an exception. */
int use_begin(struct session_object *session, struct use *ret_use);
void use_end(struct use *use);
/* Reads an argument that is a Session or None, the module's own. Returns a borrowed reference; NULL: an exception. Who runs
 * Python code before the use takes a reference: the module's own may be replaced. */
struct session_object *session_of_argument(struct module_state *state, PyObject *argument);

/* ---- Tiles ---- */

/* A tile: the base of an array over its memory, or an object that a program asked for. */
struct tile_object {
	PyObject_HEAD
	struct session_object *session;
	struct trnsci_tile *tile;
	unsigned fork_count;
	int ndim;
	npy_intp shape[TRNSCI_MAX_DIMS], strides[TRNSCI_MAX_DIMS]; /* strides in bytes */
	enum trnsci_dtype dtype;
};

/* Loads numpy's functions. 0, or -1 with an exception. */
int numpy_import(void);
/* Returns numpy's type of a dtype; -1: numpy has none (bf16). */
int numpy_type_of(enum trnsci_dtype dtype);
/* Returns the dtype of a numpy type; TRNSCI_DTYPE_NONE: the engine has none. */
enum trnsci_dtype dtype_of_numpy(int type);
/* Describes a contiguous array. False: it has no or more than 8 dimensions, or no dtype of the engine. */
bool array_describe(PyArrayObject *array, struct trnsci_array *ret_array);
/* Returns the name of a dtype in Python: the engine's, but "int8" and "float16", whose engine's names are others to numpy. */
const char *dtype_name(enum trnsci_dtype dtype);
/* Reads a dtype: such a name ("f32", "bf16"), or what numpy.dtype takes, as numpy means it. Returns TRNSCI_DTYPE_NONE with an
 * exception. */
enum trnsci_dtype dtype_of_argument(PyObject *argument);
/* Makes an object of a tile. Steals the tile, also on failure. */
PyObject *tile_wrap(struct session_object *session, struct trnsci_tile *tile);
/* Returns an array over the tile's memory, which it frees with its last view. Steals the tile, also on failure. The shape
 * must have as many elements as the tile. */
PyObject *tile_array(struct session_object *session, struct trnsci_tile *tile, int type, int ndim,
		     const npy_intp *shape);
/* Returns the tile that the array shows, whole, if it is the session's; NULL otherwise. Borrowed. */
struct trnsci_tile *tile_of_array(const struct session_object *session, PyArrayObject *array);
/* Returns whether a tile has the dtype and the shape of an array. */
bool tile_is_like(const struct trnsci_tile_info *info, const struct trnsci_array *array);
/* Applies an operation to an array by a daemon, whose result stays in its memory. params has room for two more than `n`.
 * Returns an array of the shape, or NULL: nothing was made. Without an exception the other way, by copies, also serves
 * a daemon that goes in between, and reports errors; with one, a signal's handler has raised it. */
PyObject *tiles_apply(struct session_object *session, const char *operation, struct trnsci_param *params, int n,
		      const char *input, PyArrayObject *in, const struct trnsci_array *described, int type, int ndim,
		      const npy_intp *shape);

/* ---- Results ---- */

/* Returns a new array whose content is undefined. A large one begins at a cache line, which kernels need to be fast. It lies
 * in memory that the session keeps, if that one is open and embedded; NULL: never. The engine has a dtype for `type`.
 * NULL: an exception is set. */
PyObject *result_new(struct session_object *session, int ndim, const npy_intp *shape, int type);

/* ---- Memory that others look at ---- */

/* What DLPack and the buffer protocol say of an object's memory. */
struct exported {
	PyObject *owner; /* keeps the memory; borrowed */
	void *data;
	enum trnsci_dtype dtype;
	int ndim;
	const npy_intp *shape, *strides; /* strides in bytes; the owner's */
	bool readonly;
};
/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) of an object's memory. */
PyObject *dlpack_capsule(const struct exported *exported, PyObject *args, PyObject *kwargs);
/* __dlpack_device__(): the CPU. */
PyObject *dlpack_device(PyObject *self, PyObject *unused);
/* Fills a buffer view. 0, or -1 with BufferError. */
int buffer_fill(const struct exported *exported, Py_buffer *view, int flags);

/* ---- Parameters of operations ---- */

enum { PARAMS_OF_DRAW = 1 }; /* tiles are the elements of a distribution's parameters */

/* Parameters from a dict, as long as the list lives. All zero: none. */
struct param_list {
	struct trnsci_param *params; /* ended, with room for PARAM_ROOM more */
	int n;
	PyObject *kept;
};
enum { PARAM_ROOM = 4 };
/* Reads a dict, or None. Members that are None count as missing. 0, or -1 with an exception. */
int params_read(struct session_object *session, PyObject *dict, unsigned flags, struct param_list *ret_list);
void params_free(struct param_list *list);
/* Reads where samples come from: a dict of generator, seed, stream, position, offset, or name of a named stream. *ret_kept
 * has its texts, and is the caller's. 0, or -1 with an exception. */
int source_read(PyObject *dict, struct trnsci_source *ret_source, PyObject **ret_kept);

/* ---- Generators ---- */

enum { RECIPE_PARAMS = 3, BLOCKS = 4 };

/* What is drawn: a distribution of the engine with its parameters. Names are literals, compared by address. */
struct recipe {
	const char *distribution;
	enum trnsci_dtype dtype;
	unsigned words; /* of a sample */
	unsigned n_params;
	struct trnsci_param params[RECIPE_PARAMS + 1];
};

/* Samples that were drawn ahead, since one long draw costs little more than a short one. Only a cache: sample k is a
 * function of the stream and k alone. */
struct block {
	struct recipe recipe;
	uint64_t begin, end; /* words of the stream */
	size_t size;	     /* samples of the next one */
	uint64_t used;	     /* the generator's clock at its last use */
	void *samples;
};

struct generator_object {
	PyObject_HEAD
	struct module_state *state;
	PyObject *session; /* None: the module's own */
	PyObject *name;	   /* str: the generator's */
	struct trnsci_source source; /* generator, seed, stream; rank and size are not the library's but ours */
	uint64_t rank, size;
	uint64_t position; /* word at which the next draw begins, a multiple of 4 */
	bool ended;	   /* the stream has no more words; position is 0 */
	bool entropic;	   /* seed=None: another seed in a forked child */
	unsigned fork_count;
	uint64_t children;
	uint64_t clock;
	struct block blocks[BLOCKS];
};
extern PyType_Spec generator_spec;
/* Finds a generator in the library's table. -1: ValueError names those that there are. */
int generator_find(const char *name, struct trnsci_generator_info *ret);

/* The part of a whole draw that belongs to the generator's rank. */
struct part {
	int ndim;
	npy_intp shape[NPY_MAXDIMS]; /* of the part */
	uint64_t whole;		     /* samples of the whole draw */
	uint64_t begin;		     /* the part's first */
	npy_intp n;		     /* its samples */
};

/* Takes new entropy and forgets what belongs to the parent in a forked child. 0, or -1 with an exception. */
int generator_check(struct generator_object *g);
/* Returns the session to draw with; NULL: an exception is set. Borrowed. */
struct session_object *generator_session(struct generator_object *g);
/* Takes n words of the stream, rounded up to whole groups of 4; *ret_base is the first. 0, or -1 with an exception. */
int generator_reserve(struct generator_object *g, uint64_t samples, unsigned words, uint64_t *ret_base);
/* Draws samples [skip, skip + n) of the draw that begins at word `base`. 0, or -1 with an exception. */
int generator_draw(struct generator_object *g, const struct recipe *recipe, uint64_t base, uint64_t skip, size_t n,
		   void *out);
/* Draws as generator_draw, by the engine and without blocks, as recipes with lists need. */
int generator_fill(struct generator_object *g, const struct recipe *recipe, uint64_t base, uint64_t skip, size_t n,
		   void *out);
/* Draws a part into a new array, of a numpy type as wide as the recipe's: over shared memory where that spares a copy.
 * NULL: an exception is set. */
PyObject *generator_array(struct generator_object *g, const struct recipe *recipe, uint64_t base,
			  const struct part *part, int type);
/* Partitions a draw of that whole shape along its first axis. 0, or -1 with an exception. */
int part_of(const struct generator_object *g, int ndim, const npy_intp *shape, struct part *ret_part);

/* ---- Arguments ---- */

/* Sorts arguments by name; those that are missing become NULL. Returns 0, or -1 with numpy's kind of TypeError. */
int args_sort(const char *function, const char *const *names, int n_names, int n_required, PyObject *const *args,
	      Py_ssize_t n_args, PyObject *kwnames, PyObject **ret_values);
/* Returns an object for numpy to read: lists become tuples, since numpy does not expect that an item's Python code changes the
 * list that it stands in. A new reference; NULL: an exception is set. */
PyObject *args_freeze(PyObject *value);
/* Makes an array of a numpy type (-1: its own) and flags, as PyArray_FROM_OTF. NULL: an exception is set. */
PyArrayObject *args_array(PyObject *value, int type, int flags);
/* Reads `size`. 0, or -1 with an exception. */
int args_shape(PyObject *size, int *ret_ndim, npy_intp *ret_shape);
/* Reads a dtype that is float32 or float64; NULL: float64. 0, or -1 with an exception. */
int args_float_type(PyObject *dtype, const char *function, int *ret_type);
/* Checks `out` as numpy does: its type, layout, and size when that is given, too. 0, or -1 with an exception. */
int args_check_out(PyObject *out, int type, bool c_order);
/* Reads an unsigned integer of 64 bits. 0, or -1 with an exception. */
int args_u64(PyObject *value, const char *name, uint64_t *ret);
/* Read an integer for "O&" of PyArg_Parse, whose "K" and "I" take larger ones modulo 2^64 and 2^32. */
int args_convert_u64(PyObject *value, void *ret_u64);
int args_convert_u32(PyObject *value, void *ret_u32);

/* ---- Draws: methods of a generator ---- */

/* Samples with parameters of their own that are drawn at once: the parameters go to the engine as arrays, and signals are looked at
 * between two pieces. */
enum { DRAW_PIECE = 1 << 17 };

#define METHOD_ARGS PyObject *self, PyObject *const *args, Py_ssize_t n_args, PyObject *kwnames

extern PyMethodDef distribution_methods[];
extern PyMethodDef integer_methods[];
extern PyMethodDef vector_methods[];

/* ---- Transforms ---- */

extern PyMethodDef transform_functions[];

/* ---- Calls ---- */

/* Methods of a session. */
extern PyMethodDef call_methods_of_session[];

/* ---- Rings and broadcasts ---- */

PyObject *broadcast_create(PyObject *module, PyObject *args);
PyObject *broadcast_publish(PyObject *module, PyObject *args);
PyObject *broadcast_close(PyObject *module, PyObject *args);

/* ---- Operations by name ---- */

extern PyMethodDef operate_functions[];

/* ---- Words for numpy ---- */

extern PyType_Spec words_spec;

#endif
