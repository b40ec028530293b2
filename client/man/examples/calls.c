/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of calls, programs and values, as names.c has it. calls [ADDRESS] */
#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include <trnsci/trnsci.h>

static void run(struct trnsci_session *session)
{
	/* example: trnsci_call_new trnsci_call_free trnsci_call_args trnsci_set trnsci_set_params trnsci_param_new_tile
	 *          trnsci_call_tile trnsci_call_span trnsci_call_error */
	const struct trnsci_param params[] = {
		trnsci_param_u64("n", 1000), trnsci_param_text("dtype", "f64"),
		trnsci_param_new_tile("out"), trnsci_param_end()};
	struct trnsci_call *call;
	struct trnsci_tile *tile;
	struct trnsci_span span;

	if (trnsci_call_new(session, "normal", &call))
		errx(1, "no call");
	trnsci_set_params(trnsci_call_args(call), params);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 7));
	if (trnsci_run(call, NULL) || trnsci_call_tile(call, NULL, &tile) ||
	    trnsci_call_span(call, &span))
		errx(1, "%s", trnsci_call_error(call)->text);
	printf("the next draw begins at word %" PRIu64 "\n",
	       span.next); /* prints the next draw begins at word 2000 */
	trnsci_tile_free(tile);
	trnsci_call_free(call);
	/* end */
}

static void run_often(struct trnsci_session *session)
{
	/* example: trnsci_run */
	const uint64_t n = 1000;
	struct trnsci_call *call;
	struct trnsci_tile *tile;
	struct trnsci_error error;
	double sum = 0;

	if (trnsci_tile_new(session, TRNSCI_F64, 1, &n, &tile, &error) ||
	    trnsci_call_new(session, "normal", &call))
		errx(1, "%s", error.text);
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	for (uint64_t seed = 0; seed < 100;
	     seed++) { /* the same call with another seed: it is prepared once */
		const struct trnsci_param changes[] = {
			trnsci_param_u64("seed", seed), trnsci_param_end()};

		if (trnsci_run(call, changes))
			errx(1, "%s", trnsci_call_error(call)->text);
		sum += ((double *)trnsci_tile_data(tile))[0];
	}
	/* end */
	if (sum < -60 || sum > 60)
		errx(1, "the sum of 100 normals is %g", sum);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
}

static void submit(struct trnsci_session *session)
{
	/* example: trnsci_submit trnsci_wait trnsci_call_done trnsci_cancel */
	struct trnsci_call *call;
	int r;

	if (trnsci_call_new(session, "normal", &call))
		errx(1, "no call");
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 50000000));
	trnsci_set(trnsci_call_args(call), trnsci_param_new_tile("out"));
	if (trnsci_submit(call, NULL, NULL))
		errx(1, "%s", trnsci_call_error(call)->text);
	/* do something else here ... */
	if (!trnsci_call_done(call))
		trnsci_cancel(call);
	r = trnsci_wait(call, -1);
	if (r != 0 && r != -TRNSCI_CANCELLED) /* 0: it was faster */
		errx(1, "%s", trnsci_call_error(call)->text);
	trnsci_call_free(call);
	/* end */
}

static void next(struct trnsci_session *session)
{
	/* example: trnsci_next trnsci_session_fd trnsci_submit */
	struct trnsci_call *calls[3], *call;
	struct pollfd pollfd = {.fd = trnsci_session_fd(session),
				.events = POLLIN};
	int answered = 0;

	for (size_t i = 0; i < 3; i++) {
		if (trnsci_call_new(session, "uniform", &calls[i]))
			errx(1, "no call");
		trnsci_set(trnsci_call_args(calls[i]),
			   trnsci_param_u64("n", 1000));
		if (trnsci_submit(
			    calls[i], NULL,
			    &calls[i])) /* &calls[i] comes back with the answer */
			errx(1, "%s", trnsci_call_error(calls[i])->text);
	}
	while (answered < 3 &&
	       poll(&pollfd, 1, -1) >
		       0) /* an event loop would have other descriptors, too */
		while (trnsci_next(session, 0, &call, NULL) == 0) {
			answered++;
			trnsci_call_free(call);
		}
	printf("%d answers\n", answered); /* prints 3 answers */
	/* end */
}

static void program(struct trnsci_session *session)
{
	/* example: trnsci_program_step trnsci_program_result trnsci_value_to_array trnsci_value_get trnsci_call_reply */
	const struct trnsci_param normal[] = {trnsci_param_u64("n", 256),
					      trnsci_param_text("as", "noise"),
					      trnsci_param_end()};
	const struct trnsci_param fft[] = {trnsci_param_text("in", "noise"),
					   trnsci_param_bool("real", true),
					   trnsci_param_text("as", "bins"),
					   trnsci_param_end()};
	struct trnsci_call *call;
	struct trnsci_array bins;

	if (trnsci_call_new(session, "run", &call))
		errx(1, "no call");
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 1));
	trnsci_set_params(trnsci_program_step(call, "normal"), normal);
	trnsci_set_params(trnsci_program_step(call, "fft"),
			  fft); /* of the noise, which stays with the engine */
	trnsci_program_result(call, "bins");
	if (trnsci_run(call, NULL) ||
	    trnsci_value_to_array(
		    trnsci_value_get(trnsci_value_get(trnsci_call_reply(call),
						      "results"),
				     "bins"),
		    &bins))
		errx(1, "%s", trnsci_call_error(call)->text);
	printf("%" PRIu64 " of %s\n", bins.count,
	       trnsci_dtype_name(bins.dtype)); /* prints 129 of c64 */
	trnsci_call_free(call);
	/* end */
}

static void reply(struct trnsci_session *session)
{
	/* example: trnsci_call_reply trnsci_value_get trnsci_value_to_u64 trnsci_value_to_i64 trnsci_value_to_f64
	 *          trnsci_value_to_bool trnsci_value_to_bytes trnsci_param_bytes trnsci_param_map trnsci_param_kind */
	const struct trnsci_param payload[] = {
		trnsci_param_u64("count", 3),
		trnsci_param_i64("shift", -5),
		trnsci_param_f64("gain", 0.5),
		trnsci_param_bool("on", true),
		trnsci_param_bytes("tag", "abc", 3),
		trnsci_param_end()};
	const struct trnsci_value *map;
	struct trnsci_call *call;
	uint64_t count;
	int64_t shift;
	double gain;
	bool on;
	const char *tag;
	size_t size;

	if (trnsci_call_new(session, "ping",
			    &call)) /* it answers with its payload */
		errx(1, "no call");
	trnsci_set(trnsci_call_args(call),
		   trnsci_param_map("payload", payload));
	if (trnsci_run(call, NULL))
		errx(1, "%s", trnsci_call_error(call)->text);
	map = trnsci_value_get(trnsci_call_reply(call), "payload");
	tag = trnsci_value_to_bytes(trnsci_value_get(map, "tag"), &size);
	if (!tag ||
	    trnsci_value_to_u64(trnsci_value_get(map, "count"), &count) ||
	    trnsci_value_to_i64(trnsci_value_get(map, "shift"), &shift) ||
	    trnsci_value_to_f64(trnsci_value_get(map, "gain"), &gain) ||
	    trnsci_value_to_bool(trnsci_value_get(map, "on"), &on))
		errx(1, "the reply has other types");
	printf("%" PRIu64 " %" PRId64 " %g %d %.*s\n", count, shift, gain, on,
	       (int)size, tag); /* prints 3 -5 0.5 1 abc */
	trnsci_call_free(call);
	/* end */
}

static void walk(struct trnsci_session *session)
{
	/* example: trnsci_set_map trnsci_set_list */
	struct trnsci_args *payload, *list;
	struct trnsci_call *call;

	if (trnsci_call_new(session, "ping", &call))
		errx(1, "no call");
	payload = trnsci_set_map(trnsci_call_args(call), "payload");
	list = trnsci_set_list(payload, "primes");
	trnsci_set(payload, trnsci_param_text("name", "primes"));
	trnsci_set(list, trnsci_param_u64(NULL, 2)); /* in a list: no name */
	trnsci_set(list, trnsci_param_u64(NULL, 3));
	trnsci_set(list, trnsci_param_u64(NULL, 5));
	/* end */
	if (trnsci_run(call, NULL))
		errx(1, "%s", trnsci_call_error(call)->text);
	/* example: trnsci_value_kind trnsci_value_count trnsci_value_at trnsci_value_name_at */
	const struct trnsci_value *map =
		trnsci_value_get(trnsci_call_reply(call), "payload");
	size_t size;

	for (size_t i = 0; i < trnsci_value_count(map); i++) {
		const char *name = trnsci_value_name_at(map, i, &size);
		const struct trnsci_value *value = trnsci_value_at(map, i);

		if (trnsci_value_kind(value) == TRNSCI_LIST)
			printf("%.*s: a list of %zu\n", (int)size, name,
			       trnsci_value_count(
				       value)); /* prints primes: a list of 3 */
	}
	/* end */
	trnsci_call_free(call);
}

static void pass_on(struct trnsci_session *session)
{
	/* example: trnsci_set_value */
	const struct trnsci_param params[] = {
		trnsci_param_u64("n", 1000), trnsci_param_u64("seed", 7),
		trnsci_param_end()};
	struct trnsci_call *first, *second;

	if (trnsci_call_new(session, "normal", &first) ||
	    trnsci_call_new(session, "uniform", &second))
		errx(1, "no call");
	trnsci_set_params(trnsci_call_args(first), params);
	if (trnsci_run(first, NULL))
		errx(1, "%s", trnsci_call_error(first)->text);
	trnsci_set(trnsci_call_args(second), trnsci_param_u64("n", 10));
	trnsci_set_value(
		trnsci_call_args(second), "seed",
		trnsci_value_get(trnsci_call_reply(first), "seed"));
	if (trnsci_run(second, NULL))
		errx(1, "%s", trnsci_call_error(second)->text);
	/* end */
	trnsci_call_free(first);
	trnsci_call_free(second);
}

int main(int argc, char **argv)
{
	struct trnsci_session *session;
	struct trnsci_error error;

	if (trnsci_open(argc > 1 ? argv[1] : "embedded:", NULL, &session,
			&error))
		errx(1, "%s", error.text);
	run(session);
	run_often(session);
	submit(session);
	next(session);
	program(session);
	reply(session);
	walk(session);
	pass_on(session);
	trnsci_close(session);
	return 0;
}
