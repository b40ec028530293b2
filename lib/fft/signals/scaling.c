/* SPDX-License-Identifier: Apache-2.0 */
/* Items in memory: where the last axis is transformed, runs of one item follow one another; else each run has an
 * element of as many items, a column each. A chunk is a block of items, and a piece of long ones. */
#include "fft/signals/scaling.h"

#include <string.h>

#include "base/checked.h"
#include "gemm/mode.h"

/* Columns of a chunk. */
enum { COLUMNS = 512 };

/* How an array is cut into chunks. */
struct cut {
	bool columns;
	uint64_t items, elements; /* elements: of an item */
	uint64_t run;             /* elements along the last axis */
	uint64_t block, blocks;   /* items of a chunk */
	uint64_t piece, pieces;   /* elements of an item in a chunk */
};

struct chunk {
	uint64_t item, items, begin, end; /* items, and elements [begin, end) of each */
	uint64_t piece;
};

static bool is_transformed(const struct scaling *s, unsigned axis)
{
	return s->axes >> axis & 1;
}

static uint64_t count(const struct scaling *s, bool transformed)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < s->ndim; i++)
		n *= is_transformed(s, i) == transformed ? s->to[i] : 1;
	return n;
}

uint64_t scaling_items(const struct scaling *s)
{
	return count(s, false);
}

/* A block of columns never goes past the end of its run. */
static struct cut cut_of(const struct scaling *s)
{
	struct cut cut = {.items = count(s, false), .elements = count(s, true), .run = s->to[s->ndim - 1]};
	const uint64_t elements = cut.elements ? cut.elements : 1, run = cut.run ? cut.run : 1;

	cut.columns = !is_transformed(s, s->ndim - 1);
	if (cut.columns) {
		cut.block = run < COLUMNS ? run : COLUMNS;
		cut.blocks = cut.items / run * signal_pieces(run, cut.block);
		cut.piece = SIGNAL_PIECE / cut.block;
	} else {
		cut.block = elements < SIGNAL_PIECE ? SIGNAL_PIECE / elements : 1;
		cut.blocks = signal_pieces(cut.items, cut.block);
		cut.piece = SIGNAL_PIECE;
	}
	cut.pieces = signal_pieces(elements, cut.piece);
	return cut;
}

uint64_t scaling_parts(const struct scaling *s)
{
	return cut_of(s).pieces;
}

static struct chunk chunk_of(const struct cut *cut, size_t index)
{
	const uint64_t block = index / cut->pieces;
	struct chunk u = {.piece = index % cut->pieces};

	u.item = block * cut->block;
	u.items = cut->block < cut->items - u.item ? cut->block : cut->items - u.item;
	if (cut->columns) {
		const uint64_t each = signal_pieces(cut->run, cut->block), column = block % each * cut->block;

		u.item = block / each * cut->run + column;
		u.items = cut->block < cut->run - column ? cut->block : cut->run - column;
	}
	u.begin = u.piece * cut->piece;
	u.end = u.begin + cut->piece < cut->elements ? u.begin + cut->piece : cut->elements;
	return u;
}

/* Where an element of an item lies in an array of that shape; false: it is not in there. */
static bool place(const struct scaling *s, const uint64_t *dims, uint64_t item, uint64_t element, size_t *ret_offset)
{
	uint64_t stride = 1;
	bool inside = true;

	*ret_offset = 0;
	for (unsigned i = s->ndim; i-- > 0; stride *= dims[i]) {
		uint64_t *rest = is_transformed(s, i) ? &element : &item;
		const uint64_t index = *rest % s->to[i];

		*rest /= s->to[i];
		inside &= index < dims[i];
		*ret_offset += (size_t)(index * stride);
	}
	return inside;
}

/* Elements of an item that follow `element` in memory. */
static uint64_t run_from(const struct cut *cut, const struct chunk *u, uint64_t element)
{
	const uint64_t left = cut->run - element % cut->run;

	return left < u->end - element ? left : u->end - element;
}

/* ---- the largest ---- */

static void find_rows(const struct scaling *s, const struct cut *cut, const struct chunk *u, const double *in,
		      double *out)
{
	for (uint64_t i = u->item; i < u->item + u->items; i++) {
		double top = 0;
		size_t at;

		for (uint64_t e = u->begin; e < u->end; e += run_from(cut, u, e)) {
			place(s, s->from, i, e, &at);
			const double one =
				s->vectors->top_f64(in + at * s->reals, (size_t)run_from(cut, u, e) * s->reals);

			top = one > top ? one : top;
		}
		out[i * cut->pieces + u->piece] = top;
	}
}

static void find_columns(const struct scaling *s, const struct cut *cut, const struct chunk *u, const double *in,
			 double *out)
{
	double tops[2 * COLUMNS] = {0};
	size_t at;

	for (uint64_t e = u->begin; e < u->end; e++) {
		place(s, s->from, u->item, e, &at);
		s->vectors->raise_f64(in + at * s->reals, (size_t)u->items * s->reals, tops);
	}
	for (size_t i = 0; i < u->items; i++) {
		const double first = tops[i * s->reals], second = tops[i * s->reals + s->reals - 1];

		out[(u->item + i) * cut->pieces + u->piece] = first > second ? first : second;
	}
}

static size_t chunks(const void *call, const struct fft_plan *plan)
{
	const struct cut cut = cut_of(call);

	(void)plan;
	return (size_t)(cut.blocks * cut.pieces);
}

static int run_find(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct cut cut = cut_of(call);
	const struct chunk u = chunk_of(&cut, chunk);

	(void)scratch;
	(cut.columns ? find_columns : find_rows)(call, &cut, &u, (const double *)(const void *)io->in[0],
						 (double *)(void *)io->out);
	return 0;
}

const struct signal_kind scaling_find = {chunks, NULL, run_find, 100};

/* ---- there and back ---- */

/* What n parts are multiplied by: two factors each. */
struct factors {
	double first[2 * COLUMNS], second[2 * COLUMNS];
};

static void find_factors(const struct scaling *s, const struct chunk *u, const double *tops, int sign,
			 struct factors *ret)
{
	double power[2];

	for (size_t i = 0; i < u->items * s->reals; i++) {
		gemm_power_f64(sign * gemm_exponent(tops[u->item + i / s->reals]), power);
		ret->first[i] = power[0];
		ret->second[i] = power[1];
	}
}

/* What a chunk multiplies: n parts of a run, each with its own factors or all with the same. */
struct run {
	const struct scaling *s;
	const struct factors *each; /* NULL: power for all */
	double power[2];
};

/* Parts [at, at + n) of a run. */
static void narrow_run(const struct run *run, const double *in, size_t at, size_t n, float *out)
{
	const struct gemm_vectors *vectors = run->s->vectors;
	static const double one[2] = {1, 1};
	double weighed[2 * COLUMNS];

	if (!run->each) {
		vectors->narrow(in + at, n, run->power, out);
		return;
	}
	vectors->weigh_f64(in + at, n, run->each->first + at, run->each->second + at, weighed);
	vectors->narrow(weighed, n, one, out);
}

static void run_down(const struct run *run, const double *in, size_t n, float *out)
{
	if (!run->s->to_complex) {
		narrow_run(run, in, 0, n, out);
		return;
	}
	for (size_t at = 0, piece; at < n; at += piece) {
		float reals[2 * COLUMNS];

		piece = size_min(2 * COLUMNS, n - at);
		narrow_run(run, in, at, piece, reals);
		for (size_t i = 0; i < piece; i++) {
			out[2 * (at + i)] = reals[i];
			out[2 * (at + i) + 1] = 0;
		}
	}
}

/* By way of float64 also to float32: rounded once where the result is denormal. */
static void run_up(const struct run *run, const float *in, size_t n, void *out)
{
	const struct gemm_vectors *vectors = run->s->vectors;
	static const double one[2] = {1, 1};
	double scaled[2 * COLUMNS], weighed[2 * COLUMNS];

	if (run->s->wide && !run->each) {
		vectors->widen(in, n, run->power, out);
		return;
	}
	for (size_t at = 0, piece; at < n; at += piece) {
		double *const last = run->each ? weighed : scaled;

		piece = size_min(2 * COLUMNS, n - at);
		vectors->widen(in + at, piece, run->each ? one : run->power, scaled);
		if (run->each)
			vectors->weigh_f64(scaled, piece, run->each->first + at, run->each->second + at,
					   run->s->wide ? (double *)out + at : weighed);
		if (!run->s->wide)
			vectors->narrow(last, piece, one, (float *)out + at);
	}
}

/* n elements from `element` of an item on, or of as many items; what in[0] lacks is zero. */
static void move_run(const struct run *run, bool up, const struct signal_io *io, uint64_t item, uint64_t element,
		     uint64_t n)
{
	const struct scaling *s = run->s;
	const unsigned last = s->ndim - 1, parts = s->to_complex ? 2 : s->reals;
	const size_t size = parts * (up && s->wide ? sizeof(double) : sizeof(float));
	const bool along = is_transformed(s, last);
	size_t from, to, have;
	char *out;

	place(s, s->to, item, element, &to);
	out = io->out + to * size;
	have = place(s, s->from, item, element, &from) ? (size_t)n : 0;
	if (along && have)
		have = size_min(have, (size_t)(s->from[last] - element % s->to[last]));
	if (up)
		run_up(run, (const float *)(const void *)io->in[0] + from * s->reals, have * s->reals, out);
	else
		run_down(run, (const double *)(const void *)io->in[0] + from * s->reals, have * s->reals,
			 (float *)(void *)out);
	memset(out + have * size, 0, ((size_t)n - have) * size);
}

static void move_chunk(const struct scaling *s, bool up, const struct signal_io *io, size_t chunk)
{
	const struct cut cut = cut_of(s);
	const struct chunk u = chunk_of(&cut, chunk);
	const double *tops = (const double *)(const void *)io->in[1];
	struct run run = {.s = s};
	struct factors factors;

	if (cut.columns) {
		find_factors(s, &u, tops, up ? 1 : -1, &factors);
		run.each = &factors;
		for (uint64_t e = u.begin; e < u.end; e++)
			move_run(&run, up, io, u.item, e, u.items);
		return;
	}
	for (uint64_t i = u.item; i < u.item + u.items; i++) {
		gemm_power_f64((up ? 1 : -1) * gemm_exponent(tops[i]), run.power);
		for (uint64_t e = u.begin; e < u.end; e += run_from(&cut, &u, e))
			move_run(&run, up, io, i, e, run_from(&cut, &u, e));
	}
}

static int chunk_down(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	(void)scratch;
	move_chunk(call, false, io, chunk);
	return 0;
}

static int chunk_up(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	(void)scratch;
	move_chunk(call, true, io, chunk);
	return 0;
}

const struct signal_kind scaling_down = {chunks, NULL, chunk_down, 200};
const struct signal_kind scaling_up = {chunks, NULL, chunk_up, 200};
