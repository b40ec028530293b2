/* SPDX-License-Identifier: Apache-2.0 */
/* A draw as a value: what, from which source, with which parameters. */
#ifndef TESTS_CLIENT_DRAWING_H
#define TESTS_CLIENT_DRAWING_H

#include <trnsci/trnsci.h>

enum { DRAWING_PARAMS = 4 };

struct drawing {
	const char *distribution;
	struct trnsci_source source;
	struct trnsci_param params[DRAWING_PARAMS + 1];
};

/* Parameters of a drawing that is constant. */
#define F64(name, number)                                                                                              \
	{                                                                                                              \
		name, TRNSCI_PARAM_F64, 0,                                                                             \
		{                                                                                                      \
			.f64 = number                                                                                  \
		}                                                                                                      \
	}
#define I64(name, number)                                                                                              \
	{                                                                                                              \
		name, TRNSCI_PARAM_I64, 0,                                                                             \
		{                                                                                                      \
			.i64 = number                                                                                  \
		}                                                                                                      \
	}
#define TEXT(name, word)                                                                                               \
	{                                                                                                              \
		name, TRNSCI_PARAM_TEXT, 0,                                                                            \
		{                                                                                                      \
			.text = word                                                                                   \
		}                                                                                                      \
	}
#define F64S(name, numbers, count)                                                                                     \
	{                                                                                                              \
		name, TRNSCI_PARAM_F64S, count,                                                                        \
		{                                                                                                      \
			.data = numbers                                                                                \
		}                                                                                                      \
	}

/* The drawing's parameters and one more; returns ret. */
static inline struct trnsci_param *drawing_with(const struct drawing *drawing, struct trnsci_param param,
						struct trnsci_param ret[DRAWING_PARAMS + 2])
{
	size_t n = 0;

	for (; drawing->params[n].kind != TRNSCI_PARAM_END; n++)
		ret[n] = drawing->params[n];
	ret[n++] = param;
	ret[n] = trnsci_param_end();
	return ret;
}

/* n_total: of the whole draw, of which the tile is a part; 0: the tile's. */
static inline int draw_tile(struct trnsci_session *session, const struct drawing *drawing, uint64_t n_total,
			    struct trnsci_tile *tile, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	struct trnsci_param params[DRAWING_PARAMS + 2];

	return trnsci_draw_tile(session, drawing->distribution,
			   drawing_with(drawing, n_total ? trnsci_param_u64("n", n_total) : trnsci_param_end(), params),
			   &drawing->source, &tile, ret_span, err);
}

static inline int draw_array(struct trnsci_session *session, const struct drawing *drawing, enum trnsci_dtype dtype,
			     uint64_t n, void *out, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	return trnsci_draw_array(session, drawing->distribution, drawing->params, &drawing->source, dtype, n, out, ret_span,
			   err);
}

/* dtype: 0 for the distribution's own. */
static inline int draw_ring(struct trnsci_session *session, const struct drawing *drawing, enum trnsci_dtype dtype,
			    uint64_t samples, struct trnsci_reader **ret_ring, struct trnsci_error *err)
{
	struct trnsci_param params[DRAWING_PARAMS + 2];

	return trnsci_ring_attach(
		session, drawing->distribution,
		drawing_with(drawing, dtype ? trnsci_param_text("dtype", trnsci_dtype_name(dtype)) : trnsci_param_end(), params),
		&drawing->source, samples, ret_ring, err);
}

static inline int draw_broadcast(struct trnsci_session *session, const char *name, const struct drawing *drawing,
				 enum trnsci_dtype dtype, uint64_t samples, double rate, unsigned mode,
				 struct trnsci_error *err)
{
	const struct trnsci_broadcast_options options = {.samples = samples, .rate = rate, .mode = mode};
	struct trnsci_param params[DRAWING_PARAMS + 2];

	return trnsci_broadcast_create(
		session, name, drawing->distribution,
		drawing_with(drawing, dtype ? trnsci_param_text("dtype", trnsci_dtype_name(dtype)) : trnsci_param_end(), params),
		&drawing->source, &options, err);
}

/* The drawing with that stream for its source, beside whatever it has. */
static inline struct drawing drawing_of(const struct drawing *drawing, const char *stream)
{
	struct drawing named = *drawing;

	named.source.name = stream;
	return named;
}

static inline int stream_tile(struct trnsci_session *session, const char *stream, const struct drawing *drawing,
			      struct trnsci_tile *tile, struct trnsci_span *ret_span, struct trnsci_error *err)
{
	const struct drawing named = drawing_of(drawing, stream);

	return draw_tile(session, &named, 0, tile, ret_span, err);
}

/* out NULL: only takes the range. */
static inline int stream_array(struct trnsci_session *session, const char *stream, const struct drawing *drawing,
			       enum trnsci_dtype dtype, uint64_t n, void *out, struct trnsci_span *ret_span,
			       struct trnsci_error *err)
{
	const struct drawing named = drawing_of(drawing, stream);

	return draw_array(session, &named, dtype, n, out, ret_span, err);
}

static inline int stream_ring(struct trnsci_session *session, const char *stream, const struct drawing *drawing,
			      enum trnsci_dtype dtype, uint64_t samples, struct trnsci_reader **ret_ring,
			      struct trnsci_error *err)
{
	const struct drawing named = drawing_of(drawing, stream);

	return draw_ring(session, &named, dtype, samples, ret_ring, err);
}

/* The plain drawing that repeats one of a named stream. */
static inline struct drawing drawing_again(const struct drawing *drawing, const struct trnsci_span *span)
{
	struct drawing plain = *drawing;

	plain.source = (struct trnsci_source){
		.generator = span->generator, .seed = span->seed, .stream = span->stream, .offset = span->offset};
	return plain;
}

/* An input that goes with the call. */
static inline void set_array(struct trnsci_args *args, const char *name, enum trnsci_dtype dtype, uint64_t n,
			     const void *data)
{
	const struct trnsci_array array = trnsci_array_vector(dtype, n, data);
	const struct trnsci_param params[] = {trnsci_param_array(name, &array), trnsci_param_end()};

	trnsci_set_params(args, params);
}

/* 0, the first call's error, or -TRNSCI_TIMEOUT of one of them. */
static inline int wait_all(struct trnsci_call *const *calls, size_t count, int timeout_ms)
{
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		const int r = trnsci_wait(calls[i], timeout_ms);

		result = result ? result : r;
	}
	return result;
}

static inline const char *session_address(struct trnsci_session *session)
{
	struct trnsci_session_info info;

	trnsci_session_describe(session, &info);
	return info.address;
}

/* Where the next sample of a ring lies in its stream, and how many follow it there. */
static inline int ring_place(struct trnsci_reader *ring, int timeout_ms, struct trnsci_reader_span *ret_span, struct trnsci_error *err)
{
	const void *sample;
	const int r = trnsci_reader_borrow(ring, 1, timeout_ms, &sample, ret_span, err);

	return r < 0 ? r : trnsci_reader_release(ring, 0, err);
}

/* What a tile is. */
static inline struct trnsci_tile_info tile_info(const struct trnsci_tile *tile)
{
	struct trnsci_tile_info info;

	trnsci_tile_describe(tile, &info);
	return info;
}

#endif
