/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms without a call object. */
#include "call.h"
#include "fft/grid.h"
#include "session.h"

/* What is not set keeps the default that the table has, of this release or the daemon's. */
struct common {
	uint64_t length;
	const int64_t *lengths;
	size_t n_axes;
	const int64_t *axes;
	const char *norm, *precision;
	double target_error;
};

static int check_common(const char *name, const struct common *common, const struct trnsci_tile *in,
			const struct trnsci_tile *out, struct error *err)
{
	if (!in || !out)
		return error_set(err, ERROR_BAD_TILE, "%s: %s: there is none", name, in ? "out" : "in");
	if (common->n_axes > TRNSCI_MAX_DIMS)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: axes: %zu, allowed at most %d", name, common->n_axes,
				 TRNSCI_MAX_DIMS);
	if (common->length && common->lengths)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: length: given beside lengths, allowed is one of them", name);
	return 0;
}

static void set_common(struct trnsci_args *args, const struct common *common)
{
	if (common->length)
		trnsci_set_u64(args, "length", common->length);
	if (common->lengths)
		trnsci_set_axes(args, "length", common->n_axes ? common->n_axes : 1, common->lengths);
	if (common->n_axes)
		trnsci_set_axes(args, "axes", common->n_axes, common->axes);
	if (common->norm)
		trnsci_set_text(args, "norm", common->norm);
	if (common->precision)
		trnsci_set_text(args, "precision", common->precision);
	if (common->target_error != 0)
		trnsci_set_f64(args, "target_error", common->target_error);
}

/* A call from in to out, with what transforms have in common. */
static int begin(struct trnsci_session *session, const char *name, const struct common *common,
		 const struct trnsci_tile *in, struct trnsci_tile *out, struct trnsci_call **ret_call,
		 struct error *err)
{
	int r = check_common(name, common, in, out, err);

	if (r == 0)
		r = call_make(session, name, ret_call, err);
	if (r < 0)
		return r;
	trnsci_set_tile(trnsci_args(*ret_call), "in", in);
	trnsci_set_tile(trnsci_args(*ret_call), "out", out);
	set_common(trnsci_args(*ret_call), common);
	return 0;
}

/* call_run frees the call when it fails. */
static int finish(struct trnsci_call *call, struct trnsci_error *err)
{
	struct error error = {0};
	int r = call_run(call, &error);

	if (r < 0)
		return error_give(err, &error);
	trnsci_call_free(call);
	return 0;
}

int trnsci_fft(struct trnsci_session *session, const struct trnsci_fft *options, const struct trnsci_tile *in,
	       struct trnsci_tile *out, struct trnsci_error *err)
{
	const struct trnsci_fft none = {0}, *o = options ? options : &none;
	const struct common common = {o->length, o->lengths, o->n_axes, o->axes, o->norm, o->precision, o->target_error};
	struct error error = {0};
	struct trnsci_call *call;

	if (begin(session, "fft", &common, in, out, &call, &error) < 0)
		return error_give(err, &error);
	if (o->inverse)
		trnsci_set_bool(trnsci_args(call), "inverse", true);
	if (o->real)
		trnsci_set_bool(trnsci_args(call), "real", true);
	if (o->hermitian)
		trnsci_set_bool(trnsci_args(call), "hermitian", true);
	return finish(call, err);
}

int trnsci_dct(struct trnsci_session *session, const struct trnsci_dct *options, const struct trnsci_tile *in,
	       struct trnsci_tile *out, struct trnsci_error *err)
{
	static const char *const types[] = {"2", "1", "2", "3", "4"}, *const choices[] = {"auto", "no", "yes"};
	const struct trnsci_dct none = {0}, *o = options ? options : &none;
	const char *name = o->sine ? "dst" : "dct";
	const struct common common = {o->length, o->lengths, o->n_axes, o->axes, o->norm, o->precision, o->target_error};
	struct error error = {0};
	struct trnsci_call *call;

	if (o->type > 4)
		error_set(&error, ERROR_OUT_OF_RANGE, "%s: type: %u, allowed are 1 to 4, and 0 for 2", name, o->type);
	else if ((unsigned)o->orthogonalize > TRNSCI_ORTHOGONAL_YES)
		error_set(&error, ERROR_OUT_OF_RANGE, "%s: orthogonalize: %u, allowed is 0 to 2", name,
			  (unsigned)o->orthogonalize);
	if (error.code)
		return error_give(err, &error);
	if (begin(session, name, &common, in, out, &call, &error) < 0)
		return error_give(err, &error);
	trnsci_set_text(trnsci_args(call), "type", types[o->type]);
	trnsci_set_text(trnsci_args(call), "orthogonalize", choices[o->orthogonalize]);
	if (o->inverse)
		trnsci_set_bool(trnsci_args(call), "inverse", true);
	return finish(call, err);
}

int trnsci_fftshift(struct trnsci_session *session, bool inverse, size_t n_axes, const int64_t *axes,
		    const struct trnsci_tile *in, struct trnsci_tile *out, struct trnsci_error *err)
{
	const struct common common = {.n_axes = n_axes, .axes = axes};
	struct error error = {0};
	struct trnsci_call *call;

	if (begin(session, "fftshift", &common, in, out, &call, &error) < 0)
		return error_give(err, &error);
	if (inverse)
		trnsci_set_bool(trnsci_args(call), "inverse", true);
	return finish(call, err);
}

int trnsci_fftfreq(uint64_t n, double spacing, bool real, double *ret_frequencies)
{
	const uint64_t bins = real ? n / 2 + 1 : n;

	if (n == 0 || !(spacing != 0))
		return -TRNSCI_OUT_OF_RANGE;
	for (uint64_t k = 0; k < bins; k++)
		ret_frequencies[k] = fft_frequency(n, k, spacing, real);
	return 0;
}

uint64_t trnsci_next_fast_length(uint64_t n, bool real)
{
	return fft_fast_length(n, real);
}
