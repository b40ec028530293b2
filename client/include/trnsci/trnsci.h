/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trnsci.h
 * @brief Random numbers and Fourier transforms from trnscid, or from the same engine inside the process.
 *
 * A *session* is a connection to the daemon, or an embedded engine: the same calls, the same bytes. The simplest use is one
 * line: trnsci_draw_array draws samples into an array, trnsci_apply_array transforms an array into another. A *tile* is an array
 * that daemon and program both see, so that results are read where they were made. A *call* is one request with named
 * parameters and, once answered, its reply. Operations, their parameters, inputs and results are
 * described in trnsci-operations(7) and PROTOCOL.md, and by trnsci_operation_at at run time.
 *
 * Every function that can fail returns 0 or a negative trnsci_error_code. The library prints nothing, never exits,
 * raises no signal (SIGPIPE and SIGXFSZ included) and keeps no global state.
 *
 * Threads: a session may be used by several threads at once; a call by one at a time (but trnsci_cancel by any); tiles
 * may be used by several. After fork() the child must not use its parent's sessions: there every function fails with
 * `closed` and only trnsci_close, trnsci_call_free and trnsci_tile_free do anything. */
#ifndef TRNSCI_TRNSCI_H
#define TRNSCI_TRNSCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* functions that are named as structures */
#endif
extern "C" {
#endif

#if defined(__GNUC__)
#define TRNSCI_API __attribute__((visibility("default")))
#else
#define TRNSCI_API
#endif

struct trnsci_session;    /**< a connection to a daemon, or an embedded engine */
struct trnsci_call;       /**< one request, and its reply */
struct trnsci_args;       /**< a map or a list of parameters being written; belongs to its call */
struct trnsci_value;      /**< one value of a reply; belongs to its call */
struct trnsci_tile;       /**< an array in memory shared with the engine */
struct trnsci_reader;     /**< a reader of a ring or of a broadcast */

enum { TRNSCI_MAX_DIMS = 8 }; /**< most dimensions of a shape */

/* ---- Errors ---- */

/** Error codes; functions return them negated. */
enum trnsci_error_code {
	TRNSCI_BAD_FRAME = 1,	      /**< the bytes are no message within the limits */
	TRNSCI_UNKNOWN_METHOD = 2,    /**< no method has this name */
	TRNSCI_UNKNOWN_PARAMETER = 3, /**< the method has no such parameter */
	TRNSCI_MISSING_PARAMETER = 4, /**< a parameter without a default is missing */
	TRNSCI_WRONG_TYPE = 5,	      /**< a parameter is of another type */
	TRNSCI_OUT_OF_RANGE = 6,      /**< a parameter is outside its range */
	TRNSCI_BAD_TILE = 7,	      /**< no tile has this handle or name */
	TRNSCI_BAD_SHAPE = 8,	      /**< shapes or dtypes do not match */
	TRNSCI_END_OF_STREAM = 9,     /**< the draw would pass the end of its stream */
	TRNSCI_NOT_SUPPORTED = 10,    /**< this build or connection does not support it */
	TRNSCI_LIMIT = 11,	      /**< a quota or limit would be exceeded */
	TRNSCI_NO_MEMORY = 12,	      /**< out of memory */
	TRNSCI_CANCELLED = 13,	      /**< the call was cancelled before it ended */
	TRNSCI_CLOSED = 14,	      /**< the session is closed, or the service stops */
	TRNSCI_NO_DAEMON = 15,	      /**< no daemon answers at this address */
	TRNSCI_BAD_REPLY = 16,	      /**< the daemon sent what the protocol does not allow */
	TRNSCI_SYSTEM = 17,	      /**< a system call failed */
	TRNSCI_TIMEOUT = 18,	      /**< the timeout has expired */
	TRNSCI_NOT_FOUND = 19,	      /**< nothing has this name */
	TRNSCI_EXISTS = 20,	      /**< the name or number is in use, or was */
	TRNSCI_NOT_PERMITTED = 21,    /**< the user may not do this */
	TRNSCI_STORE = 22,	      /**< stored state could not be read or made durable */
	TRNSCI_LOST = 23,	      /**< the tile's contents were lost when a daemon ended */
	TRNSCI_NO_ROOM = 24,	      /**< no arena of the session has room for the tile */
};

/** What went wrong. Wherever a function takes one, it may be NULL. */
struct trnsci_error {
	int code;	/**< 0, or an error code (positive) */
	char text[248]; /**< "name: subject: what was wrong, what is allowed" */
};
/** Returns the stable name of an error code of either sign ("out_of_range"); "unknown" for any other number. */
TRNSCI_API const char *trnsci_error_name(int code);
/** Returns one line on what an error code of either sign means; of any other number, that no error has it. */
TRNSCI_API const char *trnsci_strerror(int code);
/** Returns whether the same request may succeed later: true of a limit or a lost connection, false of a wrong parameter. */
TRNSCI_API bool trnsci_error_is_transient(int code);
/** Returns the library's version, "0.2.0". */
TRNSCI_API const char *trnsci_version(void);

/* ---- Element types ---- */

/** Element types of arrays. Little endian. */
enum trnsci_dtype {
	TRNSCI_DTYPE_NONE = 0, /**< none, or the default of the operation */
	TRNSCI_I8 = 1, TRNSCI_I32 = 2, TRNSCI_I64 = 3, TRNSCI_U32 = 4, TRNSCI_U64 = 5,
	TRNSCI_F32 = 6, TRNSCI_F64 = 7,
	TRNSCI_C64 = 8,	 /**< two float32: real, imaginary */
	TRNSCI_C128 = 9, /**< two float64: real, imaginary */
	TRNSCI_F16 = 10, TRNSCI_BF16 = 11,
};
/** Returns the bytes of one element; 0 if it is not a dtype. */
TRNSCI_API size_t trnsci_dtype_size(enum trnsci_dtype dtype);
/** Returns the short name of a dtype ("f32"); "?" if it is not a dtype. */
TRNSCI_API const char *trnsci_dtype_name(enum trnsci_dtype dtype);
/** Finds a dtype by its short or long name ("f32", "float32"); TRNSCI_DTYPE_NONE when there is none. */
TRNSCI_API enum trnsci_dtype trnsci_dtype_parse(const char *name);

/* ---- Sessions ---- */

/** How to open a session; all zero is good. */
struct trnsci_options {
	bool or_embedded;    /**< if no daemon answers, use an embedded engine */
	size_t arena_bytes;  /**< memory for tiles, obtained with the first tile; more is added when a tile needs it. 0: what
				  the first tile needs. Embedded, all that there is; 0: as much address space as the machine
				  has memory and swap, or less where a limit forbids that */
	int timeout_ms;	     /**< time limit of trnsci_run and of all functions without one of their own; 0: none. Also the
				  most that may pass between two parts of one message of the daemon (at least 1000) */
	unsigned threads;    /**< embedded: 1..128; 0: the CPUs this process may use. With as many threads as CPUs, each keeps
				  to a CPU of its own while no other program wants that */
	const char *cpu;     /**< embedded: the highest instruction set to use; NULL: $TRNSCI_CPU */
	int spin_us;	     /**< most microseconds that a wait spins before it sleeps; 0: 100, or 250 if answers take longer;
				  negative, or on a host with one CPU: it sleeps at once */
	int reconnect_ms;    /**< how long a call waits for a daemon that is gone, see below; 0: 2000, negative: never */
	int queue;	     /**< run small calls through shared memory, without a message each: 0: automatic, for calls that
				  run often; positive: from a call's fourth run on; negative: never */
	bool (*interrupted)(void *arg); /**< whether to give up, asked by a thread that waits or computes in a function of the
				  session, about every 50 ms and with none of the library's locks. Once true, the call is
				  cancelled and the function fails with `cancelled`. It may use the session, but not close it.
				  NULL: never. A program can so end a call after a signal */
	void *interrupted_arg; /**< for it */
	uint64_t reserved[1];  /**< zero */
};

/* When a daemon ends, is restarted, or drops the connection, a session connects again as soon as a daemon answers at the
 * same address. The function that notices the loss does this, and takes up to reconnect_ms longer. If no daemon answers
 * within it, what is in flight is answered `closed`, but the session is not dead: each new call tries once more, at most
 * every 100 ms, and otherwise fails at once, with the reason of the last attempt. An attempt takes up to 500 ms where
 * something listens that does not answer. With a negative reconnect_ms the session stays closed. Tiles keep their
 * addresses and contents. A call in flight that only computes is sent again, once. Any other call, and one that writes a
 * tile that it reads, is answered `closed`, and the text states that it may have been done. The tiles that such a call was
 * writing are *lost*; all tiles are lost if the daemon itself had ended the session. A call that reads a lost tile is
 * refused (`lost`) until a call has written the tile, or the program has asked for its address to fill it. Calls are
 * prepared again, and readers of rings and broadcasts attached again (below). What another thread writes into a tile
 * while the session connects again may be lost: it is not if trnsci_session_describe gives the same number of restarts
 * before and after. */

/** Opens a session.
 * @param address "embedded:" for an engine inside the process; "unix:PATH" or PATH for a daemon's socket; NULL for
 *   $TRNSCI_SOCKET if set, else the first that answers of $XDG_RUNTIME_DIR/trnsci/trnsci.sock and
 *   /run/trnsci/trnsci.sock.
 * @param ret_session yours on success (trnsci_close); untouched on error. options may be NULL.
 * @param err may be NULL; on success code 0, or with or_embedded the reason why no daemon is used.
 * @return 0, -TRNSCI_NO_DAEMON, -TRNSCI_NOT_SUPPORTED (another protocol), -TRNSCI_BAD_REPLY, -TRNSCI_TIMEOUT,
 *   -TRNSCI_OUT_OF_RANGE (an option), -TRNSCI_SYSTEM, -TRNSCI_NO_MEMORY. */
TRNSCI_API int trnsci_open(const char *address, const struct trnsci_options *options,
			   struct trnsci_session **ret_session, struct trnsci_error *err);
/** Closes a session. What is in flight is cancelled and answered `closed`; threads that wait for it return. Tiles'
 * memory is gone; calls and tiles stay yours to free, before or after. Accepts NULL. No other thread may begin a
 * new use of the session. */
TRNSCI_API void trnsci_close(struct trnsci_session *session);

/** What a session is. */
struct trnsci_session_info {
	const char *address; /**< the socket's path, or "embedded:"; lives as long as the session */
	bool embedded;	     /**< the engine runs inside this process */
	uint64_t restarts;   /**< how many times the session has connected again */
	uint64_t reserved[4];
};
/** Looks at the connection and describes the session. Any thread.
 * A daemon that ends a session closes the connection before it empties the tiles' memory. If the number of restarts is the
 * same before and after a program reads a tile in place, it has read the tile's content.
 * @return 0, or -TRNSCI_CLOSED when the session has lost its daemon for good; *ret_info is set in both cases. */
TRNSCI_API int trnsci_session_describe(struct trnsci_session *session, struct trnsci_session_info *ret_info);

/* ------------------------------------------------------------------------------------------------------------------
 * Parameters: of any operation, by name. A list is an array of them that trnsci_param_end() ends; NULL is an empty list. */

/** The types of parameters. */
enum trnsci_param_kind {
	TRNSCI_PARAM_END, /**< behind the last of a list */
	TRNSCI_PARAM_U64, TRNSCI_PARAM_I64, TRNSCI_PARAM_F64, TRNSCI_PARAM_BOOL, TRNSCI_PARAM_TEXT, TRNSCI_PARAM_BYTES,
	TRNSCI_PARAM_U64S, TRNSCI_PARAM_I64S, TRNSCI_PARAM_F64S,
	TRNSCI_PARAM_TILE, TRNSCI_PARAM_NEW_TILE, TRNSCI_PARAM_ARRAY, TRNSCI_PARAM_MAP,
	TRNSCI_PARAM_TILE_ELEMENTS,
};

/** A parameter of an operation. The functions below make one. The function that takes it reads what it points to before
 * it returns. */
struct trnsci_param {
	const char *name; /**< NULL in a list of values */
	enum trnsci_param_kind kind;
	size_t count; /**< of bytes or values */
	union {
		uint64_t u64;
		int64_t i64;
		double f64;
		bool boolean;
		const char *text;
		const void *data;
		const struct trnsci_tile *tile;
		const struct trnsci_array *array;
		const struct trnsci_param *params;
	} value;
};

/* trnsci_param_KIND(name, value): integers stay integers over all 64 bits. */
#define TRNSCI_DEFINE_PARAM_(function, type, kind, member)                                                             \
	static inline struct trnsci_param trnsci_param_##function(const char *name, type value)                              \
	{                                                                                                              \
		struct trnsci_param param = {name, kind, 0, {0}};                                                      \
		param.value.member = value;                                                                            \
		return param;                                                                                          \
	}
/* trnsci_param_KIND(name, values, count) */
#define TRNSCI_DEFINE_PARAMS_(function, type, kind)                                                                    \
	static inline struct trnsci_param trnsci_param_##function(const char *name, const type *values, size_t count)        \
	{                                                                                                              \
		struct trnsci_param param = {name, kind, count, {0}};                                                  \
		param.value.data = values;                                                                             \
		return param;                                                                                          \
	}
/** An unsigned integer of 64 bits, as a parameter. */
TRNSCI_DEFINE_PARAM_(u64, uint64_t, TRNSCI_PARAM_U64, u64)
/** A signed integer of 64 bits, as a parameter. */
TRNSCI_DEFINE_PARAM_(i64, int64_t, TRNSCI_PARAM_I64, i64)
/** A floating-point number, as a parameter. */
TRNSCI_DEFINE_PARAM_(f64, double, TRNSCI_PARAM_F64, f64)
/** A truth value, as a parameter. */
TRNSCI_DEFINE_PARAM_(bool, bool, TRNSCI_PARAM_BOOL, boolean)
/** Text, as a parameter: also a choice, a dtype's name, or a step's `as`. */
TRNSCI_DEFINE_PARAM_(text, const char *, TRNSCI_PARAM_TEXT, text)
/** A tile, as an input or output. */
TRNSCI_DEFINE_PARAM_(tile, const struct trnsci_tile *, TRNSCI_PARAM_TILE, tile)
/** An array in the caller's memory, as an input. It is copied. */
TRNSCI_DEFINE_PARAM_(array, const struct trnsci_array *, TRNSCI_PARAM_ARRAY, array)
/** A list of parameters, as a parameter: a map in the map. */
TRNSCI_DEFINE_PARAM_(map, const struct trnsci_param *, TRNSCI_PARAM_MAP, params)
/** A tile, as a distribution's parameter that is an array. Sample k takes element k, modulo the elements.
 * trnsci_param_array gives an array in the caller's memory. (trnsci_param_tile would give the tile's handle as a number.) */
TRNSCI_DEFINE_PARAM_(tile_elements, const struct trnsci_tile *, TRNSCI_PARAM_TILE_ELEMENTS, tile)
/** Bytes, as a parameter. */
TRNSCI_DEFINE_PARAMS_(bytes, void, TRNSCI_PARAM_BYTES)
/** Unsigned integers, as a parameter: a shape, lengths. */
TRNSCI_DEFINE_PARAMS_(u64s, uint64_t, TRNSCI_PARAM_U64S)
/** Signed integers, as a parameter: axes, or lengths, where -1 leaves an axis as it is. */
TRNSCI_DEFINE_PARAMS_(i64s, int64_t, TRNSCI_PARAM_I64S)
/** Floating-point numbers, as a parameter: weights. */
TRNSCI_DEFINE_PARAMS_(f64s, double, TRNSCI_PARAM_F64S)

/** Names a new tile as the output. It has the dtype and shape that the operation's rules give (trnsci_call_tile). */
static inline struct trnsci_param trnsci_param_new_tile(const char *name)
{
	struct trnsci_param param = {name, TRNSCI_PARAM_NEW_TILE, 0, {0}};
	return param;
}

/** Ends a list of parameters. */
static inline struct trnsci_param trnsci_param_end(void)
{
	struct trnsci_param param = {NULL, TRNSCI_PARAM_END, 0, {0}};
	return param;
}

/** An array in the caller's memory, row-major; or one in a reply. */
struct trnsci_array {
	enum trnsci_dtype dtype;
	size_t ndim; /**< 1 to TRNSCI_MAX_DIMS */
	uint64_t shape[TRNSCI_MAX_DIMS];
	void *data;	/**< an input is only read; of any alignment */
	uint64_t count; /**< elements; set by trnsci_value_to_array, ignored in what is given */
	size_t bytes;	/**< the same */
};

/** Describes an array in the caller's memory by its shape; data may be const for an input. */
static inline struct trnsci_array trnsci_array_of(enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape,
						  const void *data)
{
	struct trnsci_array array = {dtype, ndim, {0}, (void *)data, 0, 0};

	for (size_t i = 0; i < ndim && i < TRNSCI_MAX_DIMS; i++)
		array.shape[i] = shape[i];
	return array;
}

/** Describes an array of n elements. */
static inline struct trnsci_array trnsci_array_vector(enum trnsci_dtype dtype, uint64_t n, const void *data)
{
	return trnsci_array_of(dtype, 1, &n, data);
}

/** Describes an array of rows x columns elements. */
static inline struct trnsci_array trnsci_array_matrix(enum trnsci_dtype dtype, uint64_t rows, uint64_t columns, const void *data)
{
	const uint64_t shape[2] = {rows, columns};

	return trnsci_array_of(dtype, 2, shape, data);
}

/* ---- Sources: where samples come from ---- */

/** The value of `next` after the last word of a stream: nothing can be drawn there. */
#define TRNSCI_END_OF_WORDS UINT64_MAX

/** Where samples come from. All zero (or NULL for a source) is the beginning of stream 0 of seed 0. Plain data, to be copied,
 * saved and restored. */
struct trnsci_source {
	const char *name;	 /**< of a named stream; the daemon then chooses the place, and all other fields are zero */
	const char *generator; /**< NULL: "threefry4x32" */
	uint64_t seed, stream;
	uint64_t position;   /**< start word, a multiple of 4; to continue, pass the previous span's `next` */
	uint64_t offset;     /**< samples of the drawn dtype that are skipped from there on */
	uint64_t rank, size; /**< part `rank` of `size` (0: 1) of the draw, as MPI counts */
	uint64_t reserved[2]; /**< zero */
};

/** Where a draw lay. A draw of the same distribution from generator, seed, stream and offset repeats it. No word serves two
 * draws when each begins at the `next` of the one before. */
struct trnsci_span {
	char generator[32];
	uint64_t seed, stream;
	uint64_t offset;   /**< first sample of the whole draw, in samples of the drawn dtype */
	uint64_t position; /**< its first word, a multiple of 4 in a sequence */
	uint64_t next;	   /**< first word that a following draw may use; TRNSCI_END_OF_WORDS when the stream has ended */
	bool ended;	   /**< the draw ends with the stream's last word */
	uint64_t reserved[4];
};

/** Returns the source that is stream 0 of that seed. */
static inline struct trnsci_source trnsci_source_seed(uint64_t seed)
{
	struct trnsci_source source = {NULL, NULL, seed, 0, 0, 0, 0, 0, {0, 0}};
	return source;
}

/** Returns the source that is a named stream. */
static inline struct trnsci_source trnsci_source_named(const char *name)
{
	struct trnsci_source source = {name, NULL, 0, 0, 0, 0, 0, 0, {0, 0}};
	return source;
}

/**
 * @name New sources from old
 * Pure functions: the same parent (generator, seed and stream) and label, number or index give the same source everywhere,
 * at its beginning. Children of one parent under different numbers (indices) differ; n streams derived otherwise meet with
 * a probability of at most n^2 / 2^129 (philox4x32, whose ids have 32 bits: n^2 / 2^97, siblings included; those of 2x32:
 * trnsci-streams(7)). ret_source may be parent.
 * @return 0, -TRNSCI_OUT_OF_RANGE (no such generator, an id beyond its last, or a named stream). @{ */
/** Derives a source from a label: `size` bytes. */
TRNSCI_API int trnsci_source_label(const struct trnsci_source *parent, const void *label, size_t size,
				   struct trnsci_source *ret_source);
/** Derives a source from a number. */
TRNSCI_API int trnsci_source_fold_in(const struct trnsci_source *parent, uint64_t number, struct trnsci_source *ret_source);
/** Derives child `index` of a source, whatever their number. */
TRNSCI_API int trnsci_source_split(const struct trnsci_source *parent, uint64_t index, struct trnsci_source *ret_source);
/** @} */

/** Gives the part of a rank in a draw of n samples: [floor(rank n / size), floor((rank + 1) n / size)).
 * Returns false, and gives nothing, unless rank < size. */
TRNSCI_API bool trnsci_rank_part(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end);

/* ---- One line ---- */

/** Draws samples into the caller's array: a distribution ("bits", "uniform", "normal" ...) with its parameters. An embedded
 * engine writes them there. From a daemon, up to 64 KiB take one request, as do up to 2 MiB from their second time on; else one per
 * 2 MiB, plus one.
 * @param params the distribution's; NULL: its defaults.
 * @param source NULL: seed 0.
 * @param n elements of the whole draw, which for a distribution of vectors are a multiple of a sample's components.
 * @param out n elements (with a size in the source: the rank's part of them), of any alignment. NULL: nothing is drawn;
 *   the span states where the draw would lie, and a named stream moves on as if it had been drawn.
 * @param ret_span may be NULL.
 * @return what a call may return. On error what `out` holds is undefined, and a named stream may have moved on. */
TRNSCI_API int trnsci_draw_array(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
			   const struct trnsci_source *source, enum trnsci_dtype dtype, uint64_t n, void *out,
			   struct trnsci_span *ret_span, struct trnsci_error *err);
/** Applies an operation to one array: "fft", "dct", "stft", "welch", "scale" ..., or "convolve" with
 * trnsci_param_array("b", &other) among its parameters. An embedded engine computes on the caller's memory, and copies only
 * arrays that are not aligned; to a daemon and back, each array is copied once.
 *
 * Many small transforms: one call with a batch, not one call each. A transform of 64 complex64 takes 12 ns in a batch of 1,024 rows,
 * and 110 ns in a call of its own, or 5.1 us through a daemon (trnsci-which-call(7) names the machine).
 * @param in only read, unless it is `out`.
 * @param out of the dtype and shape of the result; the text of -TRNSCI_BAD_SHAPE names them. May be the memory of `in`.
 * @return what a call may return; -TRNSCI_BAD_SHAPE if the shape or dtype of out is not the result's. On error the content
 *   of `out` is undefined. */
TRNSCI_API int trnsci_apply_array(struct trnsci_session *session, const char *operation, const struct trnsci_param *params,
				struct trnsci_array in, struct trnsci_array out, struct trnsci_error *err);
/** Draws samples into a tile of the session.
 * @param params the distribution's; with a new tile also "n" or "shape", and "dtype" unless it is the default; with a size
 *   "n", the samples of the whole draw of which the tile is a part.
 * @param tile *tile is filled with samples of its dtype; NULL: it becomes a new tile, yours to free.
 * @return what a call may return, and what trnsci_tile_new may return. ret_span may be NULL. */
TRNSCI_API int trnsci_draw_tile(struct trnsci_session *session, const char *distribution, const struct trnsci_param *params,
			   const struct trnsci_source *source, struct trnsci_tile **tile, struct trnsci_span *ret_span,
			   struct trnsci_error *err);
/** Applies any operation; its inputs are among the parameters, as tiles or arrays.
 * @param tile *tile takes the result and may be an input of the same dtype and shape; NULL: it becomes a new tile of the
 *   result's dtype and shape, yours to free.
 * @return what a call may return, and what trnsci_tile_new may return. */
TRNSCI_API int trnsci_apply_tile(struct trnsci_session *session, const char *operation, const struct trnsci_param *params,
			    struct trnsci_tile **tile, struct trnsci_error *err);
/** Computes the frequencies of a transform's bins, of n samples `spacing` apart: n of them in the order of the bins, or,
 * with `real`, the n / 2 + 1 of half a spectrum. As numpy's fftfreq and rfftfreq, bit for bit. Any thread.
 * @return 0, or -TRNSCI_OUT_OF_RANGE (n or spacing is 0 or no number). */
TRNSCI_API int trnsci_fftfreq(uint64_t n, double spacing, bool real, double *ret_frequencies);
/** Returns the least length of at least n that transforms fastest: products of 2, 3, 5, 7, 11 and 13, for real
 * transforms even ones. 0 when n is 0 or it would pass 2^30. Any thread. */
TRNSCI_API uint64_t trnsci_next_fast_length(uint64_t n, bool real);

/* ---- Calls: one request and its reply ---- */

/* "What a call may return", here and below: 0, or the negated code of the error that the engine answered with, whose text
 * names the parameter, what was wrong and what is allowed (unknown_method to not_supported, limit, no_memory, system,
 * timeout, and those of named streams); -TRNSCI_CANCELLED; -TRNSCI_TIMEOUT (the session's); -TRNSCI_CLOSED (the session
 * or its connection; the text says whether the request may have been done); -TRNSCI_BAD_REPLY; -TRNSCI_LOST (the content
 * of a tile that it reads). Functions that take a session and no call may be called by any thread, and wait. */

/** Creates a call of a method ("normal", "fft", "run", "stats" ...), without parameters yet.
 * @param method not one that the library calls itself (those of tiles, rings, prepared calls ...): these have functions of
 *   their own. A name that the engine does not know is the error of the call that is run.
 * @param ret_call yours (trnsci_call_free).
 * @return 0, -TRNSCI_NO_MEMORY, -TRNSCI_NOT_SUPPORTED (one that the library calls), -TRNSCI_MISSING_PARAMETER (no method),
 *   -TRNSCI_CLOSED. */
TRNSCI_API int trnsci_call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call);
/** Frees a call, its parameters and its reply; one in flight is cancelled first (without waiting), and no thread may wait for
 * it. Accepts NULL. */
TRNSCI_API void trnsci_call_free(struct trnsci_call *call);
/** Returns the parameters of a call, a map; lives as long as the call. NULL for NULL. */
TRNSCI_API struct trnsci_args *trnsci_call_args(struct trnsci_call *call);

/**
 * @name Parameters
 * In a map, `name` is the parameter's and an earlier value of that name is replaced; in a list it is NULL and the
 * value is appended. Text, bytes and names are copied. A failure (no memory, args NULL) is remembered and reported by
 * trnsci_run or trnsci_submit, so none needs a check. None may be used while the call is in flight. @{ */
/** Sets all parameters of a list, of every kind. What they point to is copied, but tiles: these are of the same session, and a
 * call that is sent after its tile was freed is answered `bad_tile`. */
TRNSCI_API void trnsci_set_params(struct trnsci_args *args, const struct trnsci_param *params);
/** Sets one parameter, of any kind. */
static inline void trnsci_set(struct trnsci_args *args, struct trnsci_param param)
{
	const struct trnsci_param params[2] = {param, trnsci_param_end()};
	trnsci_set_params(args, params);
}
/** Appends a map to args, to be filled; NULL (which every setter accepts) when memory could not be had. */
TRNSCI_API struct trnsci_args *trnsci_set_map(struct trnsci_args *args, const char *name);
/** Appends a list to args, to be filled; NULL (which every setter accepts) when memory could not be had. */
TRNSCI_API struct trnsci_args *trnsci_set_list(struct trnsci_args *args, const char *name);
/** @} */

/**
 * @name Programs
 * A call of "run" is a program: steps that follow one another over tiles and names.
 * "stream_name" in a run names a named stream. Each run reserves a range of it for all draws that state no seed and no
 * stream; a step that draws (also the noise of noise_add) may name a stream itself.
 * The reply's `ranges` [{name, generator, seed, stream, position, words}] state where they lie: with these, and offset =
 * position, the run can be repeated. A reserved range is spent, also if the run then fails. Only with a daemon (otherwise
 * `not_supported`). @{ */
/** Appends a step to a program; returns its parameters, to be filled (`as` names its result for later steps, `out` a
 * tile). */
TRNSCI_API struct trnsci_args *trnsci_program_step(struct trnsci_call *program, const char *operation);
/** Asks for a result of a program, by its name, in the reply: trnsci_value_get(trnsci_value_get(reply, "results"), name). */
TRNSCI_API void trnsci_program_result(struct trnsci_call *program, const char *name);
/** @} */

/** Sends a call and waits for the answer, at most the session's timeout (then the call is cancelled). A call that was
 * answered may be run again, with the same or changed parameters; its earlier reply is gone then.
 *
 * Changes are parameters of this run alone: the call's own stay as they are. A call that is run several times with nothing but
 * changes is prepared: the engine has validated and compiled it, and looks up no name. A run can change
 *  - "seed", "stream" and "offset", where the call's method has them, also if the call itself does not state them; the offset is
 *    in the unit that the call's own has. Those of a "run" also replace its `stream_name`;
 *  - up to 6 tiles, each by the name of the parameter that it is the value of: trnsci_param_tile("out", other). In a "run" the
 *    name is STEP.PARAMETER, with the steps numbered from 0: "2.out". A parameter of the noise in a step counts as the step's:
 *    "2.std". The other tile has the same dtype and shape, and is used wherever the call names the first one. None may stand
 *    for two.
 * @param changes a list; NULL: as the call states. Read before the function returns.
 * @return 0, or the call's error (trnsci_call_error has its text): -TRNSCI_UNKNOWN_PARAMETER for a name that cannot be changed,
 *   -TRNSCI_OUT_OF_RANGE for one that is given twice, -TRNSCI_BAD_SHAPE for a tile of another dtype or shape. */
TRNSCI_API int trnsci_run(struct trnsci_call *call, const struct trnsci_param *changes);

/** Sends a call and returns at once. Small embedded requests may be computed before it returns. While other answers wait for
 * trnsci_next, a small request may go out with a later function of the session: one system call for several.
 * @param changes as those of trnsci_run.
 * @param arg any pointer; trnsci_next returns it with the answered call. An event loop keeps there what it does then.
 * @return 0 when it is on its way: its answer comes once, also if it fails or is cancelled. Otherwise -TRNSCI_NO_MEMORY,
 *   -TRNSCI_CLOSED, -TRNSCI_OUT_OF_RANGE (in flight already), what trnsci_run returns for changes, -TRNSCI_LOST (the content of an
 *   input). */
TRNSCI_API int trnsci_submit(struct trnsci_call *call, const struct trnsci_param *changes, void *arg);
/** Returns whether a submitted call is answered, or has failed. It neither reads from the connection, which trnsci_wait and
 * trnsci_next do, nor takes the answer from trnsci_next. Any thread. */
TRNSCI_API bool trnsci_call_done(const struct trnsci_call *call);
/** Waits until a submitted call is answered.
 * @param timeout_ms -1: without end; 0: looks at what is there, without waiting.
 * @return the call's result as trnsci_run; -TRNSCI_TIMEOUT while it is still in flight (trnsci_call_done says whether it is), and
 *   -TRNSCI_CANCELLED if the wait was interrupted (trnsci_options): the call then goes on. */
TRNSCI_API int trnsci_wait(struct trnsci_call *call, int timeout_ms);
/** Asks the engine to stop a call; it is then answered `cancelled`, unless it was done before. What it writes is then
 * undefined. Any thread. 0 (also when it is not in flight), -TRNSCI_CLOSED. */
TRNSCI_API int trnsci_cancel(struct trnsci_call *call);
/** Returns a file descriptor that is readable when trnsci_next has something to read or to return. It is for poll, epoll,
 * libevent ... and only to be polled, level-triggered; it is the session's own: do not close it. Negative on error. */
TRNSCI_API int trnsci_session_fd(struct trnsci_session *session);
/** Returns the next answered call: one that was submitted, and was not waited for, freed or sent again since. They come in
 * the order of their answers. Several threads may take them from one session.
 * @param timeout_ms as trnsci_wait.
 * @param ret_arg what was submitted with the call; may be NULL.
 * @return 0 and *ret_call; -TRNSCI_TIMEOUT when none was answered in time; -TRNSCI_CLOSED when the connection is
 *   gone and no answered call is left. */
TRNSCI_API int trnsci_next(struct trnsci_session *session, int timeout_ms, struct trnsci_call **ret_call, void **ret_arg);
/** Returns the error of a call's last answer (code 0: none). Lives as long as the call; never NULL but for NULL. */
TRNSCI_API const struct trnsci_error *trnsci_call_error(const struct trnsci_call *call);
/** Returns the reply of a call, a map; NULL without one. Lives until the call is run again or freed. */
TRNSCI_API const struct trnsci_value *trnsci_call_reply(const struct trnsci_call *call);
/** Gives where the draw of an answered call lay. 0, or -TRNSCI_BAD_REPLY. */
TRNSCI_API int trnsci_call_span(const struct trnsci_call *call, struct trnsci_span *ret_span);
/** Gives the tile that an answered call has made (trnsci_param_new_tile), once; one that nobody takes is freed with the session.
 * @param map the reply of one step of a program, trnsci_value_at(trnsci_value_get(reply, "steps"), i); NULL: the reply.
 * @param ret_tile yours (trnsci_tile_free).
 * @return 0, -TRNSCI_CLOSED (it went with a daemon), -TRNSCI_BAD_REPLY, -TRNSCI_NO_MEMORY. */
TRNSCI_API int trnsci_call_tile(const struct trnsci_call *call, const struct trnsci_value *map,
				 struct trnsci_tile **ret_tile);

/* ---- Values of a reply. Any thread; every function accepts NULL. ---- */

/** The kinds of values in a reply. */
enum trnsci_value_kind {
	TRNSCI_NIL, TRNSCI_BOOL,
	TRNSCI_UINT, /**< an integer >= 0 */
	TRNSCI_INT,  /**< an integer < 0 */
	TRNSCI_REAL, TRNSCI_TEXT, TRNSCI_BYTES, TRNSCI_LIST, TRNSCI_MAP,
};
/** Returns the kind of a value; TRNSCI_NIL of NULL. */
TRNSCI_API enum trnsci_value_kind trnsci_value_kind(const struct trnsci_value *value);
/** Returns a member of a map; NULL when there is none. */
TRNSCI_API const struct trnsci_value *trnsci_value_get(const struct trnsci_value *map, const char *name);
/** Counts the members of a map or the elements of a list; else 0. */
TRNSCI_API size_t trnsci_value_count(const struct trnsci_value *value);
/** Returns an element of a list, or the value of a member of a map, by its index; NULL past the end. */
TRNSCI_API const struct trnsci_value *trnsci_value_at(const struct trnsci_value *value, size_t index);
/** Returns the name of a map's member by its index: *ret_size bytes, not NUL-terminated; NULL past the end. */
TRNSCI_API const char *trnsci_value_name_at(const struct trnsci_value *map, size_t index, size_t *ret_size);
/** Reads a value as an unsigned integer, also from decimal text. 0, or -TRNSCI_WRONG_TYPE with *ret untouched. */
TRNSCI_API int trnsci_value_to_u64(const struct trnsci_value *value, uint64_t *ret);
/** Reads a value as a signed integer, also from decimal text. 0, or -TRNSCI_WRONG_TYPE with *ret untouched. */
TRNSCI_API int trnsci_value_to_i64(const struct trnsci_value *value, int64_t *ret);
/** Reads a value as a floating-point number, from any number. 0, or -TRNSCI_WRONG_TYPE with *ret untouched. */
TRNSCI_API int trnsci_value_to_f64(const struct trnsci_value *value, double *ret);
/** Reads a value as a truth value. 0, or -TRNSCI_WRONG_TYPE with *ret untouched. */
TRNSCI_API int trnsci_value_to_bool(const struct trnsci_value *value, bool *ret);
/** Returns the bytes of a text or of bytes: *ret_size of them, not NUL-terminated, of any alignment; NULL when it is
 * neither. */
TRNSCI_API const void *trnsci_value_to_bytes(const struct trnsci_value *value, size_t *ret_size);
/** Reads a value as an array: a map {dtype, shape, data}, its size checked against its shape. Its data are only to be read,
 * of any alignment, and belong to the call. 0, or -TRNSCI_BAD_REPLY. */
TRNSCI_API int trnsci_value_to_array(const struct trnsci_value *value, struct trnsci_array *ret_array);

/** Sets a parameter to a value of a reply, all of which is copied. Sets nothing to NULL or TRNSCI_NIL.
 * @param name NULL: appends to a list. */
TRNSCI_API void trnsci_set_value(struct trnsci_args *args, const char *name, const struct trnsci_value *value);

/* ---- Tiles ---- */

/** Creates a tile, row-major, aligned to 64 bytes; its content is undefined. The first one gets the memory for all of them.
 * @param ndim 1 to TRNSCI_MAX_DIMS.
 * @param ret_tile yours (trnsci_tile_free); it is freed on the daemon's side with the session, too.
 * @return 0, -TRNSCI_LIMIT (the arena is full, or a quota), -TRNSCI_OUT_OF_RANGE, -TRNSCI_BAD_REPLY (size or seals of what
 *   came are wrong), -TRNSCI_SYSTEM (also: the process can have no more file descriptors), and what a call may return. */
TRNSCI_API int trnsci_tile_new(struct trnsci_session *session, enum trnsci_dtype dtype, size_t ndim, const uint64_t *shape,
			       struct trnsci_tile **ret_tile, struct trnsci_error *err);
/** Frees a tile; no call in flight may use it. Accepts NULL. */
TRNSCI_API void trnsci_tile_free(struct trnsci_tile *tile);
/** Returns a tile's memory. It may be read and written until the tile is freed or the session closed (then NULL). The
 * address never changes. Do not write while a call uses the tile: the results are undefined. A lost tile is no longer
 * lost once a program has asked for its address, since it is about to fill it. Any thread, as the functions below. */
TRNSCI_API void *trnsci_tile_data(const struct trnsci_tile *tile);
/** What a tile is. */
struct trnsci_tile_info {
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS];
	uint64_t count; /**< elements */
	size_t bytes;
	bool lost; /**< its content is lost, as far as the last request has shown: this does not look at the connection */
	uint64_t reserved[4];
};
/** Describes a tile; all zero for NULL. */
TRNSCI_API void trnsci_tile_describe(const struct trnsci_tile *tile, struct trnsci_tile_info *ret_info);

/* ---- Readers: random numbers in memory that the engine fills, and the program reads. Of two kinds: ---- */

/** Attaches a reader to a noise ring of its own: random numbers that are drawn ahead. Lanes keep the ring full of samples of one
 * distribution, from the source's place on, contiguous and byte for byte those of trnsci_draw_tile. A sample counts as issued
 * once it is in the ring, whether it is taken or not. Samples of a named stream are reserved ahead of their use, in ranges of as
 * many samples as the ring holds; other draws may lie between two ranges. When the ring ends, the rest of its range is lost:
 * a small ring loses less. A range that does not fit before the end of the stream is not reserved. Deleting a stream ends
 * its rings, at the latest where their next range would begin.
 *
 * A ring outlasts its daemon, as its session does. What the daemon had drawn is taken first. Then a function that waits for
 * samples attaches the ring again: samples of a stream with a seed go on at the next one, and the bytes are those of one
 * draw. Samples of a named stream have a new range, and what was left of the old one is lost: trnsci_reader_describe counts it
 * (`skipped`, `restarts`), and trnsci_reader_borrow also skips what is there but is less than it lends. While no daemon answers,
 * the functions return -TRNSCI_CLOSED, and a later call tries again. A ring of a named stream that was deleted, or made again
 * under its name, ends (-TRNSCI_NOT_FOUND, -TRNSCI_BAD_REPLY).
 * @param params the distribution's; "dtype" unless it is the default.
 * @param source rank and size must be 0.
 * @param samples how many the ring holds, rounded up to a power of two that fills pages; 0: 65,536.
 * @param ret_reader yours (trnsci_reader_detach); untouched on error.
 * @return 0, -TRNSCI_LIMIT (rings of a session, bytes of a ring, arena bytes), -TRNSCI_BAD_REPLY (sizes or seals of
 *   what came are wrong), -TRNSCI_SYSTEM, and what a draw may return; of a named stream -TRNSCI_NOT_FOUND,
 *   -TRNSCI_NOT_PERMITTED, -TRNSCI_NOT_SUPPORTED (embedded). */
TRNSCI_API int trnsci_ring_attach(struct trnsci_session *session, const char *distribution,
				  const struct trnsci_param *params, const struct trnsci_source *source, uint64_t samples,
				  struct trnsci_reader **ret_reader, struct trnsci_error *err);
/** Attaches a reader to a broadcast (below); its next sample is the first, 0. One that is too slow misses samples, and learns
 * which.
 *
 * A reader outlasts the daemon. It first gets what was published, then waits until the owner has made the broadcast again,
 * and goes on at its place in the stream; samples that the new broadcast leaves out there count as missed. If the broadcast is
 * of another stream, of a named one, or begins so far back that the reader would wait for more than its capacity, the reader goes
 * on at its oldest sample. The numbers of samples go on in any case; `offset` of a span states where they lie.
 * @param ret_reader yours (trnsci_reader_detach); untouched on error.
 * @return 0, -TRNSCI_NOT_FOUND, -TRNSCI_BAD_REPLY (sizes or seals of what came are wrong), -TRNSCI_SYSTEM,
 *   -TRNSCI_NOT_SUPPORTED (embedded). */
TRNSCI_API int trnsci_broadcast_attach(struct trnsci_session *session, const char *name, struct trnsci_reader **ret_reader,
				       struct trnsci_error *err);

/**
 * @name Reading
 * A reader is used by one thread at a time; several readers of a session by several. After fork() the child's functions fail
 * with `closed`. It may be detached after its session was closed. @{ */
/** Ends a reader, and a ring with it; what was borrowed is gone. Accepts NULL. */
TRNSCI_API void trnsci_reader_detach(struct trnsci_reader *reader);

/** What a reader got: samples [first, first + count), counted from the first that it could have had, 0. What it missed since the
 * time before is [missed, first). */
struct trnsci_reader_span {
	uint64_t missed; /**< first when nothing was missed; a ring misses nothing */
	uint64_t first;
	uint64_t count;
	uint64_t offset; /**< of the stream: a draw of the same distribution, generator, seed and stream (trnsci_reader_describe)
			  * gives sample `first` at this offset. Of no use when count is 0, as `run` */
	uint64_t run;	 /**< so many samples, from `first` on, follow one another there; it may be more or less than count */
	uint64_t reserved[3];
};
/** Takes the next n samples, any number: copies them, and waits for those that are not there yet. A ring on a named stream
 * may give samples of several ranges: those of the span's `run` are of one. A broadcast's end at a gap, which the next call
 * reports, and where the samples of a named stream go on elsewhere in the stream.
 *
 * An event loop takes with a time limit of 0 when samples are due, and looks again after a millisecond where they are too few: see
 * the example ring_loop.c.
 * @param out n samples of sample_bytes each (trnsci_reader_describe).
 * @param timeout_ms -1: without end; 0: only what is there.
 * @param ret_span may be NULL; also set on error, with what came before it, which is taken nevertheless.
 * @return 0; -TRNSCI_TIMEOUT; -TRNSCI_END_OF_STREAM; -TRNSCI_CLOSED (the session; the broadcast's owner has closed it, or after the
 *   daemon's end nobody has made it again within reconnect_ms; or no daemon answers: a later call looks again);
 *   -TRNSCI_BAD_REPLY; -TRNSCI_OUT_OF_RANGE (samples are borrowed). */
TRNSCI_API int trnsci_reader_take(struct trnsci_reader *reader, void *out, uint64_t n, int timeout_ms,
				  struct trnsci_reader_span *ret_span, struct trnsci_error *err);
/** Lends the next n samples of a ring where they lie. They are at most half the ring, aligned as their elements, to be
 * read only. They stay as they are until trnsci_reader_release, before which nothing else can be taken. Where the next sample lies
 * in its stream is in the span of one that is borrowed, and released without being taken.
 * @param ret_span may be NULL; untouched on error.
 * @return as trnsci_reader_take; -TRNSCI_OUT_OF_RANGE also for more than half a ring; -TRNSCI_NOT_SUPPORTED: of a broadcast, whose
 *   memory may be overwritten at any time. On error nothing is lent. */
TRNSCI_API int trnsci_reader_borrow(struct trnsci_reader *reader, uint64_t n, int timeout_ms, const void **ret_samples,
				    struct trnsci_reader_span *ret_span, struct trnsci_error *err);
/** Gives borrowed samples back: the first n of them are taken, the others come again. -TRNSCI_OUT_OF_RANGE: more than
 * were borrowed; nothing is then given back. -TRNSCI_NOT_SUPPORTED, -TRNSCI_CLOSED. */
TRNSCI_API int trnsci_reader_release(struct trnsci_reader *reader, uint64_t n, struct trnsci_error *err);
/** Moves the reader of a broadcast to a sample, or, for UINT64_MAX, after the last one published. The samples in between do not
 * count as missed. 0, -TRNSCI_NOT_SUPPORTED (of a ring, whose samples come in their order), -TRNSCI_CLOSED. */
TRNSCI_API int trnsci_reader_seek(struct trnsci_reader *reader, uint64_t sample, struct trnsci_error *err);

/** What a reader reads. */
struct trnsci_reader_info {
	enum trnsci_dtype dtype;
	uint64_t components;   /**< elements of a sample */
	uint64_t sample_bytes; /**< all of them */
	uint64_t capacity;     /**< samples that the memory holds */
	uint64_t offset;       /**< of the stream: the reader's sample 0; of a named stream 0 */
	uint64_t position;     /**< and its first word */
	uint64_t taken;	       /**< the reader's next sample: of a ring, those taken since */
	uint64_t produced;     /**< samples drawn since; of a ring at most capacity more than taken */
	uint64_t range;	       /**< of a named stream: samples that lie in one piece of it; otherwise 0 */
	uint64_t seed, stream;
	char generator[32];
	uint64_t restarts; /**< times that it was attached again, after its daemon or its session had ended */
	uint64_t skipped;  /**< of a ring: samples of a named stream that were reserved for it and lost at these times */
	uint64_t reserved[2];
};
/** Describes a reader and what it reads, without a call. 0, or -TRNSCI_CLOSED. */
TRNSCI_API int trnsci_reader_describe(const struct trnsci_reader *reader, struct trnsci_reader_info *ret_info);
/** @} */

/* ---- Broadcasts: random numbers that are drawn once, and read by many. Only with a daemon (else `not_supported`). ---- */

/** How to create a broadcast; all zero is good. */
struct trnsci_broadcast_options {
	uint64_t samples;     /**< that readers may lag behind, rounded up to a power of two that fills pages; 0: 65,536 */
	double rate;	      /**< samples per second; 0: as trnsci_broadcast_publish says */
	unsigned mode;	      /**< who may read it, as a file's permissions: owner, the owner's group, others; 0: 0600 */
	uint64_t reserved[4]; /**< zero */
};
/** Makes a broadcast of the session's own. It ends with the session, and with the daemon: its owner then makes it again, best
 * with an offset behind the last sample that was published, which a reader of its own knows (trnsci_reader_describe:
 * offset + produced). Distribution, parameters and source as
 * trnsci_ring_attach.
 * @param name 1 to 64 printable ASCII letters. options may be NULL.
 * @return 0, -TRNSCI_EXISTS, -TRNSCI_LIMIT, and what trnsci_ring_attach may return. Any thread. */
TRNSCI_API int trnsci_broadcast_create(struct trnsci_session *session, const char *name, const char *distribution,
				       const struct trnsci_param *params, const struct trnsci_source *source,
				       const struct trnsci_broadcast_options *options, struct trnsci_error *err);
/** Publishes n samples more of a broadcast without a rate, at most the capacity. Readers can see them when it returns.
 * *ret_produced (may be NULL): all samples so far. -TRNSCI_NOT_FOUND, -TRNSCI_NOT_PERMITTED, -TRNSCI_END_OF_STREAM. */
TRNSCI_API int trnsci_broadcast_publish(struct trnsci_session *session, const char *name, uint64_t n,
					uint64_t *ret_produced, struct trnsci_error *err);
/** Ends a broadcast of this session; readers still get what they have not missed. */
TRNSCI_API int trnsci_broadcast_close(struct trnsci_session *session, const char *name, struct trnsci_error *err);
/* ------------------------------------------------------------------------------------------------------------------
 * Named streams: kept by a daemon, shared by all its clients, and never issued twice. Embedded sessions have none
 * (-TRNSCI_NOT_SUPPORTED). Positions count words of 32 bits: a sample of 64 bits takes two. A stream that was created with `noise`
 * is one signal of coloured noise: draws of "colored" from it are consecutive parts of the signal, other draws are refused, and
 * its positions count samples. */

/** Most bytes of a stream's name: A-Z a-z 0-9 _ . : / -, the first a letter, a digit or _. */
enum { TRNSCI_STREAM_NAME_MAX = 64 };

/** What a named stream is and where it stands. */
struct trnsci_stream_info {
	char name[TRNSCI_STREAM_NAME_MAX + 1];
	char generator[31];
	uint64_t seed, stream;
	uint64_t position; /**< word at which the next draw begins; 0 with `ended` */
	bool ended;	   /**< every word has been issued */
	uint64_t reserved; /**< words that are reserved ahead: at most as many would be skipped by a crash */
	uint64_t skips;	   /**< crashes that skipped a block */
	uint64_t skipped;  /**< words of all those blocks; some of them may have been issued */
	uint64_t skipped_from, skipped_until; /**< the last of them; both 0: none */
	uint32_t uid, gid;
	unsigned mode;	  /**< as of a file: 4 may show, 2 may draw; its owner and root delete and advance */
	int64_t created_s; /**< seconds since 1970 */
	char noise[24];	   /**< of one signal: dtype and what decides its spectrum, such as "f32 color=pink"; otherwise "" */
	uint64_t spare[1];
};

/** How to create a stream; all zero is good. */
struct trnsci_stream_options {
	const char *generator; /**< NULL: "threefry4x32" */
	uint64_t seed;	       /**< only with `has_seed`; two hosts with one seed draw the same numbers */
	bool has_stream;       /**< take `stream`, which no name may ever have had, and not the next of a counter */
	uint64_t stream;
	const char *mode; /**< octal digits; NULL: "0640" */
	bool has_group;	  /**< take `group`, one of the caller's, and not the caller's first */
	bool has_seed;	  /**< take `seed`, and not the random one that the daemon's state was made with */
	uint32_t group;
	/** The stream is one signal of this noise: parameters of "colored", ended by trnsci_param_end(), which may be none. NULL:
	 * it is a stream of words, for any draw. */
	const struct trnsci_param *noise;
	uint64_t reserved[3]; /**< zero */
};

/**
 * @name Named streams
 * What is created, deleted or advanced is durable when the function returns. Errors beyond those of every call:
 * -TRNSCI_NOT_FOUND, -TRNSCI_EXISTS (the name; or a stream id that was assigned before), -TRNSCI_NOT_PERMITTED,
 * -TRNSCI_LIMIT (streams of the user), -TRNSCI_STORE (the daemon's state is damaged, locked, or its disk full: nothing
 * has been issued), -TRNSCI_END_OF_STREAM. Any thread. ret_info and err may be NULL. @{ */
/** Creates a named stream. */
TRNSCI_API int trnsci_stream_create(struct trnsci_session *session, const char *name,
				    const struct trnsci_stream_options *options, struct trnsci_stream_info *ret_info,
				    struct trnsci_error *err);
/** Shows a named stream and where it stands. */
TRNSCI_API int trnsci_stream_show(struct trnsci_session *session, const char *name,
				  struct trnsci_stream_info *ret_info, struct trnsci_error *err);
/** Lists the named streams that the caller may show. Calls each for every one, in the order of their names, until it returns
 * other than 0; info lives during the call. Returns what it returned, or an error. */
TRNSCI_API int trnsci_stream_list(struct trnsci_session *session,
				  int (*each)(void *arg, const struct trnsci_stream_info *info), void *arg,
				  struct trnsci_error *err);
/** Deletes a named stream. Its numbers are never given to another stream. *ret_info: as it was. */
TRNSCI_API int trnsci_stream_delete(struct trnsci_session *session, const char *name,
				    struct trnsci_stream_info *ret_info, struct trnsci_error *err);
/** Advances a named stream. Skips so many words (rounded up to a multiple of 4), or, with 0 words, up to a position,
 * which may not lie before the present one: after a restored snapshot of the machine, at least as many as may have been
 * drawn since it was made. */
TRNSCI_API int trnsci_stream_advance(struct trnsci_session *session, const char *name, uint64_t words, uint64_t position,
				     struct trnsci_stream_info *ret_info, struct trnsci_error *err);
/** @} */

/* ---- The table of operations, as this library knows it ("describe" asks a daemon for its own) ---- */

/** One method of the table of operations. */
struct trnsci_operation_info {
	const char *name;
	const char *category; /**< "session", "service", "stream", "program", "draw", "points", "elementwise", "transform",
			       * "signal" */
	const char *help;     /**< one line */
	const char *details;  /**< sentences on dtypes, shapes, limits and sources; "": the help says all */
	size_t n_parameters;
	/** A draw whose samples depend on no other, and have the same bytes with every instruction set. */
	bool is_distribution;
	uint64_t reserved[3];
};

/** One parameter of a method. */
struct trnsci_parameter_info {
	const char *name;
	const char *type;     /**< "u64", "int", "f64", "bool", "choice", "shape", "axes", "tile", "text", "any" */
	const char *unit;     /**< "" when it has none */
	const char *fallback; /**< the default as text; "": may be left out; NULL: required */
	const char *choices;  /**< of a choice, separated by '|'; else NULL */
	const char *help;     /**< one line */
	double min, max;      /**< inclusive; both 0: the type's own range, of finite numbers */
	bool above_min;	      /**< min itself is not allowed */
	uint64_t reserved[4];
};
/** Gives a row of the table of operations, by its index from 0. 0, or -TRNSCI_OUT_OF_RANGE past the end. The strings
 * live for ever. */
TRNSCI_API int trnsci_operation_at(size_t index, struct trnsci_operation_info *ret_operation);
/** Gives a parameter of an operation, by its index from 0. 0, -TRNSCI_UNKNOWN_METHOD, or -TRNSCI_OUT_OF_RANGE past the
 * end. */
TRNSCI_API int trnsci_operation_parameter(const char *operation, size_t index, struct trnsci_parameter_info *ret_parameter);

/** One generator. */
struct trnsci_generator_info {
	const char *name;
	uint64_t most_stream; /**< the largest stream id that it has room for */
	uint64_t reserved[4];
};
/** Gives a generator, by its index from 0. 0, or -TRNSCI_OUT_OF_RANGE past the end. The string lives for ever. */
TRNSCI_API int trnsci_generator_at(size_t index, struct trnsci_generator_info *ret_generator);

/* ---- Self-test ---- */

/** One row of a self-test. */
struct trnsci_check {
	const char *suite;
	const char *subject; /**< what was checked: an instruction set, a distribution, a precision mode ... */
	const char *name;    /**< how: "known answers", "real" ... */
	const char *detail;  /**< one line; for a failure what was expected and what came; "" when there is none */
	const struct trnsci_param *values; /**< what was measured, see trnsci_selftest */
	bool passed;
	bool skipped; /**< this CPU cannot run it */
};
/** Runs a suite of self-tests and reports every row.
 *
 * "kernels" (known answers of every variant of the kernels), "distributions" (parts, and variants, give the same bytes;
 * option `samples`, u64, of the longest draw, default: 1003), "fft" (the errors of every precision mode beside its bound),
 * "psum" (what known mistakes in bfloat16 cost), "byte_tiles" (generators on a machine whose 32-bit integers pass through
 * float32). libtrnsci(3) lists the values that the rows of each have.
 * Each takes about a second, "fft" some seconds.
 * @param options the suite's, ended by trnsci_param_end(); NULL: none.
 * @param report may be NULL; the row and its strings live during the call of it.
 * @return the number of rows that did not pass; -TRNSCI_NOT_FOUND (no such suite), -TRNSCI_UNKNOWN_PARAMETER,
 *   -TRNSCI_NO_MEMORY. */
TRNSCI_API int trnsci_selftest(const char *suite, const struct trnsci_param *options,
			       void (*report)(void *arg, const struct trnsci_check *check), void *arg);

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
