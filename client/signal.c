/* SPDX-License-Identifier: Apache-2.0 */
/* Work on signals without a call object. What is not set keeps the default that the table has, of this release or the
 * daemon's. */
#include "call.h"
#include "session.h"

struct operand {
	const char *name;
	const struct trnsci_tile *tile;
};

enum { OPERANDS = 3 };

/* A call with its tiles, each of which there must be. */
static int begin(struct trnsci_session *session, const char *method, const struct operand operands[OPERANDS],
		 struct trnsci_call **ret_call, struct error *err)
{
	for (unsigned i = 0; i < OPERANDS && operands[i].name; i++)
		if (!operands[i].tile)
			return error_set(err, ERROR_BAD_TILE, "%s: %s: there is none", method, operands[i].name);
	if (call_make(session, method, ret_call, err) < 0)
		return -(int)err->code;
	for (unsigned i = 0; i < OPERANDS && operands[i].name; i++)
		trnsci_set_tile(trnsci_args(*ret_call), operands[i].name, operands[i].tile);
	return 0;
}

static int finish(struct trnsci_call *call, struct trnsci_error *err)
{
	struct error error = {0};

	if (call_run(call, &error) < 0)
		return error_give(err, &error);
	trnsci_call_free(call);
	return 0;
}

static void set_text(struct trnsci_args *args, const char *name, const char *text)
{
	if (text)
		trnsci_set_text(args, name, text);
}

static void set_number(struct trnsci_args *args, const char *name, uint64_t number)
{
	if (number)
		trnsci_set_u64(args, name, number);
}

static int check_switch(const char *method, const char *name, enum trnsci_switch value, struct error *err)
{
	if ((unsigned)value > TRNSCI_ON)
		return error_set(err, ERROR_OUT_OF_RANGE, "%s: %s: %u, allowed is 0 to 2", method, name,
				 (unsigned)value);
	return 0;
}

static void set_switch(struct trnsci_args *args, const char *name, enum trnsci_switch value)
{
	if (value != TRNSCI_DEFAULT)
		trnsci_set_bool(args, name, value == TRNSCI_ON);
}

static void set_window(struct trnsci_args *args, const char *name, const double *parameter,
		       const struct trnsci_tile *values)
{
	set_text(args, "window", name);
	if (parameter)
		trnsci_set_f64(args, "window_parameter", *parameter);
	if (values)
		trnsci_set_tile(args, "window_values", values);
}

/* What both directions take. */
static int begin_frames(struct trnsci_session *session, const char *method, const struct trnsci_stft *o,
			const struct trnsci_tile *in, const struct trnsci_tile *out, struct trnsci_call **ret_call,
			struct error *err)
{
	const struct operand operands[OPERANDS] = {{"in", in}, {"out", out}};
	struct trnsci_args *args;

	if (check_switch(method, "center", o->center, err) < 0 || check_switch(method, "onesided", o->onesided, err) < 0 ||
	    begin(session, method, operands, ret_call, err) < 0)
		return -(int)err->code;
	args = trnsci_args(*ret_call);
	set_number(args, "n_fft", o->n_fft);
	set_number(args, "hop_length", o->hop_length);
	set_number(args, "win_length", o->win_length);
	set_window(args, o->window, o->window_parameter, o->window_values);
	set_switch(args, "center", o->center);
	set_switch(args, "onesided", o->onesided);
	if (o->normalized)
		trnsci_set_bool(args, "normalized", true);
	if (o->frames_first)
		trnsci_set_text(args, "layout", "frames_bins");
	return 0;
}

int trnsci_stft(struct trnsci_session *session, const struct trnsci_stft *options, const struct trnsci_tile *in,
		struct trnsci_tile *out, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call;

	if (begin_frames(session, "stft", options, in, out, &call, &error) < 0)
		return error_give(err, &error);
	set_text(trnsci_args(call), "pad_mode", options->pad_mode);
	return finish(call, err);
}

int trnsci_istft(struct trnsci_session *session, const struct trnsci_stft *options, const struct trnsci_tile *in,
		 struct trnsci_tile *out, struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call;

	if (begin_frames(session, "istft", options, in, out, &call, &error) < 0)
		return error_give(err, &error);
	set_number(trnsci_args(call), "length", options->length);
	if (options->return_complex)
		trnsci_set_bool(trnsci_args(call), "return_complex", true);
	return finish(call, err);
}

static int meet(struct trnsci_session *session, const char *method, const char *mode, int64_t axis,
		const struct operand operands[OPERANDS], struct trnsci_error *err)
{
	struct error error = {0};
	struct trnsci_call *call;

	if (begin(session, method, operands, &call, &error) < 0)
		return error_give(err, &error);
	set_text(trnsci_args(call), "mode", mode);
	trnsci_set_i64(trnsci_args(call), "axis", axis);
	return finish(call, err);
}

int trnsci_convolve(struct trnsci_session *session, const char *mode, int64_t axis, const struct trnsci_tile *a,
		    const struct trnsci_tile *b, struct trnsci_tile *out, struct trnsci_error *err)
{
	return meet(session, "convolve", mode, axis, (const struct operand[OPERANDS]){{"a", a}, {"b", b}, {"out", out}},
		    err);
}

int trnsci_correlate(struct trnsci_session *session, const char *mode, int64_t axis, const struct trnsci_tile *a,
		     const struct trnsci_tile *b, struct trnsci_tile *out, struct trnsci_error *err)
{
	return meet(session, "correlate", mode, axis, (const struct operand[OPERANDS]){{"a", a}, {"b", b}, {"out", out}},
		    err);
}

static void set_segments(struct trnsci_args *args, const struct trnsci_welch *o)
{
	if (o->fs != 0)
		trnsci_set_f64(args, "fs", o->fs);
	set_number(args, "nperseg", o->nperseg);
	if (o->noverlap)
		trnsci_set_u64(args, "noverlap", *o->noverlap);
	set_number(args, "nfft", o->nfft);
	set_window(args, o->window, o->window_parameter, o->window_values);
	set_text(args, "detrend", o->detrend);
	set_switch(args, "onesided", o->onesided);
	set_text(args, "scaling", o->scaling);
	set_text(args, "average", o->average);
	if (o->axis)
		trnsci_set_i64(args, "axis", *o->axis);
}

int trnsci_welch(struct trnsci_session *session, const struct trnsci_welch *options, const struct trnsci_tile *in,
		 const struct trnsci_tile *second, struct trnsci_tile *out, struct trnsci_error *err)
{
	const struct trnsci_welch none = {0}, *o = options ? options : &none;
	const struct operand operands[OPERANDS] = {{"in", in}, {"out", out}, {second ? "y" : NULL, second}};
	const char *method = second ? "csd" : "welch";
	struct error error = {0};
	struct trnsci_call *call;

	if (check_switch(method, "onesided", o->onesided, &error) < 0 ||
	    begin(session, method, operands, &call, &error) < 0)
		return error_give(err, &error);
	set_segments(trnsci_args(call), o);
	return finish(call, err);
}
