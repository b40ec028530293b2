/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a trace without a call object. */
#include <math.h>

#include <trnsci/trnsci.h>

#include "call.h"
#include "session.h"
#include "tile.h"

static int check_trace(const struct trnsci_trace *options, const struct trnsci_tile *in, double *ret_estimate,
		       struct error *err)
{
	if (!in || !ret_estimate)
		return error_set(err, in ? ERROR_MISSING_PARAMETER : ERROR_BAD_TILE, "trace: %s: there is none",
				 in ? "ret_estimate" : "in");
	for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
		if (options->reserved[i] != 0)
			return error_set(err, ERROR_OUT_OF_RANGE, "trace: a reserved field is not 0");
	return 0;
}

/* What is not set keeps the default that the table has, of this release or the daemon's. */
static void set_trace(struct trnsci_args *args, const struct trnsci_trace *options)
{
	if (options->method)
		trnsci_set_text(args, "method", options->method);
	if (options->law)
		trnsci_set_text(args, "law", options->law);
	if (options->probes)
		trnsci_set_u64(args, "probes", options->probes);
	if (options->generator)
		trnsci_set_text(args, "generator", options->generator);
	trnsci_set_u64(args, "seed", options->seed);
	trnsci_set_u64(args, "stream", options->stream);
	trnsci_set_u64(args, "offset", options->offset);
	if (options->size > 1 || options->rank) {
		trnsci_set_u64(args, "rank", options->rank);
		trnsci_set_u64(args, "size", options->size ? options->size : 1);
	}
}

static int read_reply(const struct trnsci_call *call, double *ret_estimate, double *ret_standard_error,
		      struct error *err)
{
	const struct trnsci_value *reply = trnsci_reply(call), *error = trnsci_get(reply, "standard_error");
	double standard_error = (double)NAN, estimate;

	if (trnsci_to_f64(trnsci_get(reply, "estimate"), &estimate) < 0 || !error ||
	    (trnsci_kind(error) != TRNSCI_NIL && trnsci_to_f64(error, &standard_error) < 0))
		return error_set(err, ERROR_BAD_REPLY, "trace: no estimate in the reply");
	*ret_estimate = estimate;
	if (ret_standard_error)
		*ret_standard_error = standard_error;
	return 0;
}

static int estimate_trace(struct trnsci_session *session, const struct trnsci_trace *options,
			  const struct trnsci_tile *in, double *ret_estimate, double *ret_standard_error,
			  struct error *err)
{
	struct trnsci_call *call;
	int r = check_trace(options, in, ret_estimate, err);

	if (r == 0)
		r = call_make(session, "trace", &call, err);
	if (r < 0)
		return r;
	trnsci_set_tile(trnsci_args(call), "in", in);
	set_trace(trnsci_args(call), options);
	r = call_run(call, err);
	if (r < 0)
		return r;
	r = read_reply(call, ret_estimate, ret_standard_error, err);
	trnsci_call_free(call);
	return r;
}

int trnsci_trace(struct trnsci_session *session, const struct trnsci_trace *options, const struct trnsci_tile *in,
		 double *ret_estimate, double *ret_standard_error, struct trnsci_error *err)
{
	static const struct trnsci_trace defaults;
	struct error error = {0};
	int r = estimate_trace(session, options ? options : &defaults, in, ret_estimate, ret_standard_error, &error);

	return r < 0 ? error_give(err, &error) : 0;
}
