/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of sessions, draws, transforms, parameters and tiles, as names.c has it. arrays [ADDRESS] */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <trnsci/trnsci.h>

static void open_and_close(const char *address)
{
	setenv("TRNSCI_SOCKET", address, 1);
	/* example: trnsci_open trnsci_close trnsci_options trnsci_error */
	struct trnsci_options options = {.or_embedded = true,
					 .timeout_ms = 10000};
	struct trnsci_session *session;
	struct trnsci_error error;
	double x[3];

	if (trnsci_open(NULL, &options, &session, &error) ||
	    trnsci_draw_array(session, "normal", NULL, NULL, TRNSCI_F64, 3, x,
			      NULL, &error))
		errx(1, "%s", error.text);
	printf("%.4f %.4f %.4f\n", x[0], x[1], x[2]); /* prints ... */
	trnsci_close(session);
	/* end */
}

static void describe(struct trnsci_session *session)
{
	/* example: trnsci_session_describe trnsci_session_info */
	struct trnsci_session_info info;

	if (trnsci_session_describe(session, &info))
		errx(1, "the daemon at %s is gone", info.address);
	printf("%s, connected again %" PRIu64 " times\n",
	       info.embedded ? "in this process" : info.address,
	       info.restarts); /* prints ..., connected again 0 times */
	/* end */
}

static void draw(struct trnsci_session *session)
{
	/* example: trnsci_draw_array trnsci_span trnsci_param trnsci_param_f64 trnsci_param_end */
	const struct trnsci_param params[] = {trnsci_param_f64("mean", 10),
					      trnsci_param_f64("std", 2),
					      trnsci_param_end()};
	struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_span span;
	struct trnsci_error error;
	float x[1000], y[1000];

	if (trnsci_draw_array(session, "normal", params, &source, TRNSCI_F32,
			      1000, x, &span, &error))
		errx(1, "%s", error.text);
	source.position = span.next; /* goes on behind the first draw */
	if (trnsci_draw_array(session, "normal", params, &source, TRNSCI_F32,
			      1000, y, &span, &error))
		errx(1, "%s", error.text);
	printf("%.4f at word %" PRIu64 "\n", x[0],
	       span.position); /* prints 10.4136 at word 1000 */
	/* end */
}

static void draw_integers(struct trnsci_session *session)
{
	/* example: trnsci_param_i64 trnsci_param_u64 */
	const struct trnsci_param dice[] = {trnsci_param_i64("low", 1),
					    trnsci_param_i64("high", 7),
					    trnsci_param_end()};
	const struct trnsci_param coins[] = {trnsci_param_u64("trials", 20),
					     trnsci_param_end()};
	struct trnsci_error error;
	int64_t eyes[6], heads[6];

	if (trnsci_draw_array(session, "randint", dice, NULL, TRNSCI_I64, 6,
			      eyes, NULL, &error) ||
	    trnsci_draw_array(session, "binomial", coins, NULL, TRNSCI_I64, 6,
			      heads, NULL, &error))
		errx(1, "%s", error.text);
	/* end */
	for (int i = 0; i < 6; i++)
		if (eyes[i] < 1 || eyes[i] > 6 || heads[i] < 0 || heads[i] > 20)
			errx(1, "%" PRId64 " eyes, %" PRId64 " heads", eyes[i],
			     heads[i]);
}

static void draw_of_weights(struct trnsci_session *session)
{
	/* example: trnsci_param_f64s */
	const double weights[3] = {1, 0, 3};
	const struct trnsci_param params[] = {
		trnsci_param_f64s("weights", weights, 3), trnsci_param_end()};
	int64_t chosen[1000], count[3] = {0};
	struct trnsci_error error;

	if (trnsci_draw_array(session, "categorical", params, NULL, TRNSCI_I64,
			      1000, chosen, NULL, &error))
		errx(1, "%s", error.text);
	for (size_t i = 0; i < 1000; i++)
		count[chosen[i]]++;
	printf("%" PRId64 " of weight 0\n",
	       count[1]); /* prints 0 of weight 0 */
	/* end */
	if (count[0] < 200 || count[0] > 300)
		errx(1, "%" PRId64 " of weight 1/4", count[0]);
}

static void draw_of_array(struct trnsci_session *session)
{
	/* example: trnsci_param_array */
	const double means[4] = {0, 100, 200, 300};
	const struct trnsci_array mean =
		trnsci_array_vector(TRNSCI_F64, 4, means);
	const struct trnsci_param params[] = {trnsci_param_array("mean", &mean),
					      trnsci_param_end()};
	struct trnsci_error error;
	double x[4]; /* each around its own mean */

	if (trnsci_draw_array(session, "normal", params, NULL, TRNSCI_F64, 4, x,
			      NULL, &error))
		errx(1, "%s", error.text);
	/* end */
	for (int i = 0; i < 4; i++)
		if (fabs(x[i] - means[i]) > 10)
			errx(1, "%g around %g", x[i], means[i]);
}

static void transform(struct trnsci_session *session)
{
	/* example: trnsci_apply_array trnsci_array_vector trnsci_param_bool trnsci_param_text */
	const struct trnsci_param params[] = {
		trnsci_param_bool("real", true),
		trnsci_param_text("norm", "forward"), trnsci_param_end()};
	double x[8] = {1, 2, 1, 2, 1, 2, 1, 2},
	       bins[2 * 5]; /* real, imaginary */
	struct trnsci_error error;

	if (trnsci_apply_array(session, "fft", params,
			       trnsci_array_vector(TRNSCI_F64, 8, x),
			       trnsci_array_vector(TRNSCI_C128, 5, bins),
			       &error))
		errx(1, "%s", error.text);
	printf("mean %g, alternating part %g\n", bins[0],
	       bins[8]); /* prints mean 1.5, alternating part -0.5 */
	/* end */
}

static void transform_batch(struct trnsci_session *session)
{
	/* example: trnsci_apply_array trnsci_array_matrix */
	/* 1000 transforms of 64 along the last axis: one call */
	static float x[2 * 1000 * 64];
	const struct trnsci_array rows =
		trnsci_array_matrix(TRNSCI_C64, 1000, 64, x);
	struct trnsci_error error;

	x[2 * 64 * 999] = 1; /* an impulse in the last row */
	if (trnsci_apply_array(session, "fft", NULL, rows, rows, &error))
		errx(1, "%s", error.text);
	printf("%g %g\n", x[0], x[2 * 64 * 1000 - 2]); /* prints 0 1 */
	/* end */
}

static void transform_axis(struct trnsci_session *session)
{
	/* example: trnsci_array trnsci_array_of trnsci_param_i64s */
	const uint64_t shape[3] = {2, 3, 4};
	const int64_t axes[1] = {1};
	const struct trnsci_param params[] = {
		trnsci_param_i64s("axes", axes, 1), trnsci_param_end()};
	double x[2 * 3 * 4], sums[2 * 4];
	struct trnsci_error error;

	for (int i = 0; i < 24; i++)
		x[i] = i;
	if (trnsci_apply_array(session, "sum", params,
			       trnsci_array_of(TRNSCI_F64, 3, shape, x),
			       trnsci_array_matrix(TRNSCI_F64, 2, 4, sums),
			       &error))
		errx(1, "%s", error.text);
	printf("%g = 0 + 4 + 8\n", sums[0]); /* prints 12 = 0 + 4 + 8 */
	/* end */
}

static void tiles(struct trnsci_session *session)
{
	/* example: trnsci_tile_new trnsci_tile_data trnsci_tile_free trnsci_apply_tile trnsci_param_tile */
	const uint64_t n = 1000;
	struct trnsci_tile *tile;
	struct trnsci_error error;
	double *x;

	if (trnsci_tile_new(session, TRNSCI_F64, 1, &n, &tile, &error))
		errx(1, "%s", error.text);
	x = trnsci_tile_data(tile);
	for (uint64_t i = 0; i < n; i++)
		x[i] = (double)(i * i);

	const struct trnsci_param params[] = {trnsci_param_tile("in", tile),
					      trnsci_param_end()};
	if (trnsci_apply_tile(session, "sqrt", params, &tile,
			      &error)) /* in place */
		errx(1, "%s", error.text);
	printf("%g\n", x[999]); /* prints 999 */
	trnsci_tile_free(tile);
	/* end */
}

static void draw_tiles(struct trnsci_session *session)
{
	/* example: trnsci_draw_tile trnsci_tile_describe trnsci_tile_info trnsci_param_u64s */
	const uint64_t shape[2] = {100, 50};
	const struct trnsci_param params[] = {
		trnsci_param_u64s("shape", shape, 2),
		trnsci_param_text("dtype", "f32"), trnsci_param_end()};
	const struct trnsci_source source = trnsci_source_seed(1);
	struct trnsci_tile *tile = NULL; /* becomes a new one */
	struct trnsci_tile_info info;
	struct trnsci_error error;

	if (trnsci_draw_tile(session, "normal", params, &source, &tile, NULL,
			     &error))
		errx(1, "%s", error.text);
	trnsci_tile_describe(tile, &info);
	printf("%zu dimensions, %" PRIu64 " samples\n", info.ndim,
	       info.count); /* prints 2 dimensions, 5000 samples */
	trnsci_tile_free(tile);
	/* end */
}

static void draw_of_tile(struct trnsci_session *session)
{
	/* example: trnsci_param_tile_elements */
	const uint64_t n = 2;
	struct trnsci_tile *scales, *samples = NULL;
	struct trnsci_error error;
	const double *x;

	if (trnsci_tile_new(session, TRNSCI_F64, 1, &n, &scales, &error))
		errx(1, "%s", error.text);
	((double *)trnsci_tile_data(scales))[0] = 1;
	((double *)trnsci_tile_data(scales))[1] = 1e6;

	const struct trnsci_param params[] = {
		trnsci_param_tile_elements("std", scales),
		trnsci_param_u64("n", 1000), trnsci_param_text("dtype", "f64"),
		trnsci_param_end()};
	if (trnsci_draw_tile(session, "normal", params, NULL, &samples, NULL,
			     &error))
		errx(1, "%s", error.text);
	x = trnsci_tile_data(
		samples); /* x[0], x[2] ... have std 1, the others 1e6 */
	/* end */
	for (int i = 0; i < 1000; i += 2)
		if (fabs(x[i]) > 10)
			errx(1, "%g has std 1", x[i]);
	trnsci_tile_free(samples);
	trnsci_tile_free(scales);
}

int main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "embedded:";
	struct trnsci_session *session;
	struct trnsci_error error;

	open_and_close(address);
	if (trnsci_open(address, NULL, &session, &error))
		errx(1, "%s", error.text);
	describe(session);
	draw(session);
	draw_integers(session);
	draw_of_weights(session);
	draw_of_array(session);
	transform(session);
	transform_batch(session);
	transform_axis(session);
	tiles(session);
	draw_tiles(session);
	draw_of_tile(session);
	trnsci_close(session);
	return 0;
}
