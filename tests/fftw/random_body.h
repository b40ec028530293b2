/* SPDX-License-Identifier: Apache-2.0 */
/* A random problem of the guru interface in one precision: P makes names, REAL is the type. It is planned, run and compared with
 * the sums of reference.h; what is not output stays as it was. */

struct P(random) {
	enum random_call call;
	unsigned rank, n_batch;
	P(iodim64) dims[RANDOM_AXES];
	P(r2r_kind) kinds[RANDOM_AXES];
	size_t before[RANDOM_AXES], after[RANDOM_AXES]; /* elements of each axis on each side */
	bool backward, in_place, interleaved;
	size_t in_reals, out_reals; /* of the arrays */
	size_t in_first, out_first; /* the first element's place, as strides may be negative */
	size_t in_imaginary, out_imaginary; /* how far behind the real part, in reals */
	REAL *in, *out, *in_before, *out_before;
	uint64_t seed;
};

static bool P(takes_complex)(const struct P(random) *r)
{
	return r->call == CALL_DFT || r->call == CALL_C2R;
}

static bool P(gives_complex)(const struct P(random) *r)
{
	return r->call == CALL_DFT || r->call == CALL_R2C;
}

/* Gives the axes of a side strides in a random order, with gaps and signs, so that no two places are the same. Returns the reals that
 * they span, and the place of the first element. Reals count as one, pairs as two. */
static inline size_t P(choose_strides)(struct P(random) *r, bool out, size_t reals, uint64_t *state, size_t *ret_first)
{
	const unsigned count = r->rank + r->n_batch;
	const bool plain = reference_below(state, 3) == 0;
	unsigned order[RANDOM_AXES];
	size_t extent = reals;

	*ret_first = 0;
	for (unsigned i = 0; i < count; i++) {
		const unsigned at = plain ? i : (unsigned)reference_below(state, i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (unsigned i = 0; i < count; i++) {
		const unsigned axis = plain ? count - 1 - i : order[i];
		const size_t n = out ? r->after[axis] : r->before[axis];
		const size_t stride = (extent + (plain ? 0 : reference_below(state, 3)) + reals - 1) / reals * reals;
		const bool negative = !plain && reference_below(state, 6) == 0;
		const ptrdiff_t signed_stride = (ptrdiff_t)(r->interleaved ? stride / reals : stride) * (negative ? -1 : 1);

		*(out ? &r->dims[axis].os : &r->dims[axis].is) = signed_stride;
		if (negative)
			*ret_first += (n - 1) * stride;
		extent = (n - 1) * stride + extent;
	}
	return extent;
}

static inline void P(choose)(struct P(random) *r, uint64_t seed)
{
	uint64_t state = seed;
	size_t left = 1500;

	*r = (struct P(random)){.seed = seed};
	r->call = (enum random_call)reference_below(&state, 4);
	r->rank = (unsigned)reference_below(&state, 5);
	r->n_batch = (unsigned)reference_below(&state, 4);
	r->backward = r->call == CALL_DFT && reference_below(&state, 2);
	r->interleaved = r->call == CALL_R2R || reference_below(&state, 3) > 0;
	r->in_place = reference_below(&state, 3) == 0;
	for (unsigned i = 0; i < r->rank + r->n_batch; i++) {
		const size_t most = i >= r->rank ? 5 : r->rank == 1 ? 70 : 11;
		const size_t n = 1 + reference_below(&state, most < left ? most : left);

		r->dims[i].n = (ptrdiff_t)n;
		r->kinds[i] = (P(r2r_kind))reference_below(&state, 11);
		if (r->kinds[i] == FFTW_REDFT00 && n == 1)
			r->kinds[i] = FFTW_REDFT01;
		r->before[i] = r->after[i] = n;
		left /= n;
		left = left ? left : 1;
	}
	if (r->rank > 0 && r->call == CALL_R2C)
		r->after[r->rank - 1] = (size_t)r->dims[r->rank - 1].n / 2 + 1;
	if (r->rank > 0 && r->call == CALL_C2R)
		r->before[r->rank - 1] = (size_t)r->dims[r->rank - 1].n / 2 + 1;
	const size_t in = P(takes_complex)(r) && r->interleaved ? 2 : 1, out = P(gives_complex)(r) && r->interleaved ? 2 : 1;

	r->in_reals = P(choose_strides)(r, false, in, &state, &r->in_first);
	r->out_reals = P(choose_strides)(r, true, out, &state, &r->out_first);
	/* In place: mostly the same strides on both sides. */
	if (r->in_place && in == out && reference_below(&state, 4) > 0 && r->call != CALL_R2C && r->call != CALL_C2R) {
		for (unsigned i = 0; i < r->rank + r->n_batch; i++)
			r->dims[i].os = r->dims[i].is;
		r->out_first = r->in_first;
		r->out_reals = r->in_reals;
	}
	if (r->in_place)
		r->in_first = r->out_first = r->in_first > r->out_first ? r->in_first : r->out_first;
	r->in_imaginary = r->interleaved ? 1 : r->in_reals + r->in_first + reference_below(&state, 3);
	r->out_imaginary = r->interleaved ? 1 : r->out_reals + r->out_first + reference_below(&state, 3);
	if (r->in_place)
		r->in_imaginary = r->out_imaginary =
			r->in_imaginary > r->out_imaginary ? r->in_imaginary : r->out_imaginary;
	r->in_reals += r->in_first + r->in_imaginary + r->out_first;
	r->out_reals += r->out_first + r->out_imaginary + r->in_first;
	if (!r->interleaved) {
		r->in_reals *= 2;
		r->out_reals *= 2;
	}
	if (r->in_place)
		r->in_reals = r->out_reals = r->in_reals > r->out_reals ? r->in_reals : r->out_reals;
}

/* Fills the arrays; memory may begin at any real. */
static void P(fill)(struct P(random) *r)
{
	uint64_t state = r->seed ^ 0xF111;

	r->in = malloc((r->in_reals + 1) * sizeof(REAL));
	r->in_before = malloc((r->in_reals + 1) * sizeof(REAL));
	r->out = r->in_place ? r->in : malloc((r->out_reals + 1) * sizeof(REAL));
	r->out_before = malloc((r->out_reals + 1) * sizeof(REAL));
	for (size_t i = 0; i < r->in_reals; i++)
		r->in[i] = (REAL)reference_sample(&state);
	for (size_t i = 0; i < r->out_reals && !r->in_place; i++)
		r->out[i] = (REAL)reference_sample(&state);
	memcpy(r->in_before, r->in, r->in_reals * sizeof(REAL));
	memcpy(r->out_before, r->out, r->out_reals * sizeof(REAL));
}

static void P(release)(struct P(random) *r)
{
	if (!r->in_place)
		free(r->out);
	free(r->in);
	free(r->in_before);
	free(r->out_before);
}

static P(plan) P(make)(const struct P(random) *r, unsigned flags)
{
	const P(iodim64) *dims = r->dims, *batch = r->dims + r->rank;
	const int rank = (int)r->rank, n_batch = (int)r->n_batch;
	REAL *in = r->in + r->in_first, *out = r->out + r->out_first;
	REAL *in_im = in + r->in_imaginary, *out_im = out + r->out_imaginary;

	if (r->call == CALL_R2R)
		return P(plan_guru64_r2r)(rank, dims, n_batch, batch, in, out, r->kinds, flags);
	if (r->call == CALL_R2C && r->interleaved)
		return P(plan_guru64_dft_r2c)(rank, dims, n_batch, batch, in, (P(complex) *)out, flags);
	if (r->call == CALL_R2C)
		return P(plan_guru64_split_dft_r2c)(rank, dims, n_batch, batch, in, out, out_im, flags);
	if (r->call == CALL_C2R && r->interleaved)
		return P(plan_guru64_dft_c2r)(rank, dims, n_batch, batch, (P(complex) *)in, out, flags);
	if (r->call == CALL_C2R)
		return P(plan_guru64_split_dft_c2r)(rank, dims, n_batch, batch, in, in_im, out, flags);
	if (r->interleaved)
		return P(plan_guru64_dft)(rank, dims, n_batch, batch, (P(complex) *)in, (P(complex) *)out,
					  r->backward ? FFTW_BACKWARD : FFTW_FORWARD, flags);
	if (r->backward)
		return P(plan_guru64_split_dft)(rank, dims, n_batch, batch, in_im, in, out_im, out, flags);
	return P(plan_guru64_split_dft)(rank, dims, n_batch, batch, in, in_im, out, out_im, flags);
}

/* Returns the place of element i of a side, counted in the axes' order, in reals. */
static size_t P(place)(const struct P(random) *r, bool out, size_t i)
{
	ptrdiff_t at = (ptrdiff_t)(out ? r->out_first : r->in_first);
	const bool pairs = r->interleaved && (out ? P(gives_complex)(r) : P(takes_complex)(r));

	for (unsigned axis = r->rank + r->n_batch; axis-- > 0;) {
		const size_t n = out ? r->after[axis] : r->before[axis];

		at += (ptrdiff_t)(i % n) * (out ? r->dims[axis].os : r->dims[axis].is) * (pairs ? 2 : 1);
		i /= n;
	}
	return (size_t)at;
}

static size_t P(elements)(const struct P(random) *r, bool out)
{
	size_t count = 1;

	for (unsigned axis = 0; axis < r->rank + r->n_batch; axis++)
		count *= out ? r->after[axis] : r->before[axis];
	return count;
}

/* Transforms by the definitions; the axes are outermost to innermost as they are listed. Half spectra are transformed last
 * along their axis to reals, first from reals. */
static reference_t *P(expect)(const struct P(random) *r)
{
	const size_t most = P(elements)(r, false) + P(elements)(r, true);
	reference_t *x = malloc(most * sizeof *x), *y = malloc(most * sizeof *y);
	size_t length[RANDOM_AXES];
	const bool forwards = r->call == CALL_C2R;

	for (size_t i = 0; i < P(elements)(r, false); i++) {
		const size_t at = P(place)(r, false, i);

		x[i] = r->in_before[at];
		if (P(takes_complex)(r))
			x[i] += I * r->in_before[at + r->in_imaginary];
	}
	memcpy(length, r->before, sizeof length);
	for (unsigned i = 0; i < r->rank; i++) {
		const unsigned axis = forwards ? i : r->rank - 1 - i;
		const bool is_half = axis == r->rank - 1 && (r->call == CALL_R2C || r->call == CALL_C2R);
		const int kind = r->call == CALL_R2R ? (int)r->kinds[axis]
				 : is_half ? (r->call == CALL_R2C ? REFERENCE_R2C : REFERENCE_C2R)
				 : r->backward || r->call == CALL_C2R ? REFERENCE_BACKWARD
								      : REFERENCE_FORWARD;
		size_t outside = 1, inside = 1;
		reference_t *swap = x;

		for (unsigned j = 0; j < axis; j++)
			outside *= length[j];
		for (unsigned j = axis + 1; j < r->rank + r->n_batch; j++)
			inside *= length[j];
		reference_axis(kind, (size_t)r->dims[axis].n, r->before[axis], r->after[axis], outside, inside, x, y);
		length[axis] = r->after[axis];
		x = y;
		y = swap;
	}
	free(y);
	return x;
}

static void P(describe)(const struct P(random) *r, const char *what)
{
	print_error("%s: seed %#llx, %s%s%s%s rank %u, batch %u:", what, (unsigned long long)r->seed, random_names[r->call],
		    r->backward ? " backward" : "", r->in_place ? " in place" : "", r->interleaved ? "" : " split", r->rank, r->n_batch);
	for (unsigned i = 0; i < r->rank + r->n_batch; i++)
		print_error(" (%td, %td, %td%s%.0d)", r->dims[i].n, r->dims[i].is, r->dims[i].os,
			    r->call == CALL_R2R && i < r->rank ? ", kind " : "",
			    r->call == CALL_R2R && i < r->rank ? (int)r->kinds[i] : 0);
	print_error("\n");
}

static void P(compare)(const struct P(random) *r)
{
	const size_t count = P(elements)(r, true);
	reference_t *expected = P(expect)(r);
	bool *is_output = calloc(r->out_reals, sizeof *is_output);
	long double error = 0, norm = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t at = P(place)(r, true, i);
		reference_t got = r->out[at];

		if (!P(gives_complex)(r))
			expected[i] = creall(expected[i]); /* of rank 0 */
		is_output[at] = true;
		if (P(gives_complex)(r)) {
			got += I * r->out[at + r->out_imaginary];
			is_output[at + r->out_imaginary] = true;
		}
		error += creall((got - expected[i]) * conjl(got - expected[i]));
		norm += creall(expected[i] * conjl(expected[i]));
	}
	if (!(sqrtl(error) <= BOUND * sqrtl(norm))) {
		P(describe)(r, "wrong");
		fail_msg("error %Lg of norm %Lg", sqrtl(error), sqrtl(norm));
	}
	for (size_t i = 0; i < r->out_reals; i++)
		if (!is_output[i] && !r->in_place && r->out[i] != r->out_before[i]) {
			P(describe)(r, "written outside");
			fail_msg("real %zu of the output array is none of its elements", i);
		}
	if (!r->in_place && (r->call != CALL_C2R || r->rank < 2) && memcmp(r->in, r->in_before, r->in_reals * sizeof(REAL)) != 0) {
		P(describe)(r, "input");
		fail_msg("the input was changed");
	}
	free(is_output);
	free(expected);
}

static void P(check_problem)(struct P(random) *r, unsigned flags)
{
	P(plan) plan;

	P(fill)(r);
	plan = P(make)(r, flags);
	if (!plan) {
		P(describe)(r, "no plan");
		fail();
	}
	if (memcmp(r->in, r->in_before, r->in_reals * sizeof(REAL)) != 0 ||
	    memcmp(r->out, r->out_before, r->out_reals * sizeof(REAL)) != 0)
		fail_msg("planning has changed the arrays");
	P(execute)(plan);
	P(compare)(r);
	P(destroy_plan)(plan);
	P(release)(r);
}

static inline void P(check_random)(uint64_t seed)
{
	struct P(random) r;

	P(choose)(&r, seed);
	P(check_problem)(&r, seed % 2 ? FFTW_ESTIMATE : FFTW_MEASURE);
}

/* One listed problem: its axes side by side (layout 0), three elements apart in two transforms (1), or five transforms side by side
 * (2). Reals in place have the room of half spectra. */
static inline void P(check_listed)(enum random_call call, bool backward, int kind, unsigned rank, const int *n, unsigned layout, bool in_place)
{
	struct P(random) r = {.call = call, .rank = rank, .n_batch = layout > 0, .backward = backward, .in_place = in_place,
			      .interleaved = true, .in_imaginary = 1, .out_imaginary = 1, .seed = 0xC0DE + rank + layout};
	const ptrdiff_t apart = layout == 0 ? 1 : layout == 1 ? 3 : 5;
	ptrdiff_t in = apart, out = apart;

	for (unsigned i = rank; i-- > 0;) {
		const ptrdiff_t half = n[i] / 2 + 1;
		const bool is_half = i + 1 == rank && (call == CALL_R2C || call == CALL_C2R);
		const ptrdiff_t reals = is_half && in_place ? 2 * half : n[i];

		r.kinds[i] = (P(r2r_kind))kind;
		r.dims[i].n = n[i];
		r.dims[i].is = in;
		r.dims[i].os = out;
		r.before[i] = (size_t)(is_half && call == CALL_C2R ? half : n[i]);
		r.after[i] = (size_t)(is_half && call == CALL_R2C ? half : n[i]);
		in *= is_half && call == CALL_C2R ? half : reals;
		out *= is_half && call == CALL_R2C ? half : reals;
	}
	if (layout > 0) {
		r.dims[rank] = (P(iodim64)){layout == 1 ? 2 : 5, layout == 1 ? in : 1, layout == 1 ? out : 1};
		r.before[rank] = r.after[rank] = (size_t)r.dims[rank].n;
	}
	r.in_reals = (size_t)in * 2 * (layout == 1 ? 2 : 1);
	r.out_reals = (size_t)out * 2 * (layout == 1 ? 2 : 1);
	if (in_place)
		r.in_reals = r.out_reals = r.in_reals > r.out_reals ? r.in_reals : r.out_reals;
	P(check_problem)(&r, FFTW_ESTIMATE);
}
