/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian random fields over ranks: byte for byte those of one process, for every number of ranks and every layout; errors. */
#include <math.h>

#include "ranks.h"

enum { MOST_PARAMS = 6 };

static const double table[] = {0, 1, 3, 5, 30, 1}, narrow[] = {1.1, 1, 1.2, 1}, lengths[] = {1, 2, 3}, spacings[] = {0.5, 2};

/* What the field is: its last parameter ends the list. */
static const struct field_case {
	const char *name;
	size_t ndim;
	uint64_t shape[4];
	bool wide;
	struct trnsci_param params[MOST_PARAMS];
} cases[] = {
	{"exponent", 2, {30, 22}, false, {{"exponent", TRNSCI_PARAM_F64, 0, {.f64 = 3}}}},
	{"exponent with std and mean", 3, {12, 9, 15}, true,
	 {{"exponent", TRNSCI_PARAM_F64, 0, {.f64 = -1.5}}, {"std", TRNSCI_PARAM_F64, 0, {.f64 = 7}}, {"mean", TRNSCI_PARAM_F64, 0, {.f64 = -2}}}},
	{"table", 4, {4, 6, 5, 7}, true, {{"spectrum", TRNSCI_PARAM_F64S, 6, {.data = table}}}},
	{"table with std", 2, {14, 15}, false,
	 {{"spectrum", TRNSCI_PARAM_F64S, 6, {.data = table}}, {"std", TRNSCI_PARAM_F64, 0, {.f64 = 3}},
	  {"spacing", TRNSCI_PARAM_F64S, 2, {.data = spacings}}}},
	{"matern", 3, {16, 70, 24}, false,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "matern"}}, {"nu", TRNSCI_PARAM_F64, 0, {.f64 = 1.25}},
	  {"length", TRNSCI_PARAM_F64S, 3, {.data = lengths}}}},
	{"gaussian, not periodic", 3, {7, 9, 20}, true,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "gaussian"}}, {"length", TRNSCI_PARAM_F64S, 3, {.data = lengths}},
	  {"periodic", TRNSCI_PARAM_BOOL, 0, {.boolean = false}}, {"mean", TRNSCI_PARAM_F64, 0, {.f64 = 0.5}}}},
	{"spherical", 2, {20, 15}, false,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "spherical"}}, {"length", TRNSCI_PARAM_F64, 0, {.f64 = 12}},
	  {"std", TRNSCI_PARAM_F64, 0, {.f64 = 0.7}}}},
	{"spherical, not periodic", 3, {6, 7, 8}, true,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "spherical"}}, {"length", TRNSCI_PARAM_F64S, 3, {.data = lengths}},
	  {"periodic", TRNSCI_PARAM_BOOL, 0, {.boolean = false}}}},
	{"rough, not periodic", 3, {9, 6, 8}, false,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "matern"}}, {"nu", TRNSCI_PARAM_F64, 0, {.f64 = 0.3}},
	  {"length", TRNSCI_PARAM_F64S, 3, {.data = lengths}}, {"periodic", TRNSCI_PARAM_BOOL, 0, {.boolean = false}}}},
	{"exponential, not periodic", 2, {20, 11}, false,
	 {{"covariance", TRNSCI_PARAM_TEXT, 0, {.text = "exponential"}}, {"length", TRNSCI_PARAM_F64, 0, {.f64 = 1}},
	  {"periodic", TRNSCI_PARAM_BOOL, 0, {.boolean = false}}}},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static struct trnsci_error err;

/* Draws the field by this process' own engine. */
static char *field_of_one(struct trnsci_session *session, const struct field_case *c, uint64_t n)
{
	const size_t bytes = n * (c->wide ? 8 : 4);
	struct trnsci_call *call;
	struct trnsci_tile *tile = NULL;
	char *whole = malloc(bytes);

	if (trnsci_tile_new(session, c->wide ? TRNSCI_F64 : TRNSCI_F32, c->ndim, c->shape, &tile, &err) < 0 ||
	    trnsci_call_new(session, "field", &call) < 0) {
		EXPECT(0, "%s", err.text);
		return whole;
	}
	trnsci_set_params(trnsci_call_args(call), c->params);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 9));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("offset", 6));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", tile));
	if (trnsci_run(call, NULL) < 0)
		EXPECT(0, "%s", trnsci_call_error(call)->text);
	memcpy(whole, trnsci_tile_data(tile), bytes);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
	return whole;
}

static void compare(struct trnsci_mpi *mpi, const struct field_case *c, const char *whole, int number)
{
	const size_t size = c->wide ? 8 : 4;
	struct trnsci_source source = trnsci_source_seed(9);
	struct trnsci_mpi_info info;
	struct trnsci_mpi_part part;

	trnsci_mpi_describe(mpi, &info);
	const struct trnsci_mpi_layout layout = layout_of(number, c->ndim, c->shape, info.size);

	source.offset = 6;
	trnsci_mpi_part_of(&layout, info.rank, info.size, &part, &err);
	char *own = malloc(part.count * size + 1);

	if (trnsci_mpi_field(mpi, c->params, &source, c->wide ? TRNSCI_F64 : TRNSCI_F32, &layout, own, NULL, &err) < 0)
		EXPECT(0, "layout %d of %d ranks: %s", number, info.size, err.text);
	for (uint64_t i = 0; i < part.count; i++)
		EXPECT(memcmp(own + i * size, whole + global_of(&layout, info.rank, info.size, &part, i) * size, size) == 0,
		       "layout %d of %d ranks: element %" PRIu64 " differs", number, info.size, i);
	free(own);
}

static void check_case(struct trnsci_mpi *const *groups, const struct field_case *c)
{
	struct trnsci_session *session;
	uint64_t n = 1;

	for (size_t i = 0; i < c->ndim; i++)
		n *= c->shape[i];
	if (trnsci_open("embedded:", NULL, &session, &err) < 0) {
		EXPECT(0, "%s", err.text);
	} else {
		char *whole = field_of_one(session, c, n);

		for (size_t g = 0; g < N_SIZES; g++)
			for (int number = 0; groups[g] && number < N_LAYOUTS; number++)
				compare(groups[g], c, whole, number);
		free(whole);
		trnsci_close(session);
	}
	report("the field of one process: ", c->name);
}

static void fails(struct trnsci_mpi *mpi, size_t ndim, enum trnsci_dtype dtype, const struct trnsci_param *params, const char *text)
{
	static const uint64_t shape[] = {4, 6};
	const struct trnsci_mpi_layout layout = trnsci_mpi_slabs(ndim, shape);
	char out[24 * 8];

	err = (struct trnsci_error){0};
	const int r = trnsci_mpi_field(mpi, params, NULL, dtype, &layout, out, NULL, &err);

	EXPECT(r < 0 && strstr(err.text, text), "expected \"%s\", got %d \"%s\"", text, r, err.text);
}

static void check_errors(struct trnsci_mpi *mpi)
{
	const struct trnsci_param exponent[] = {trnsci_param_f64("exponent", 1), trnsci_param_end()};
	const struct trnsci_param far[] = {trnsci_param_text("covariance", "gaussian"), trnsci_param_f64("length", 50),
					   trnsci_param_bool("periodic", false), trnsci_param_end()};
	const struct trnsci_param missing[] = {trnsci_param_text("covariance", "gaussian"), trnsci_param_end()};
	const struct trnsci_param zero[] = {trnsci_param_f64s("spectrum", narrow, 4), trnsci_param_f64("std", 1), trnsci_param_end()};
	const struct trnsci_param mean[] = {trnsci_param_f64("exponent", 1), trnsci_param_f64("mean", NAN), trnsci_param_end()};
	const struct trnsci_param other[] = {trnsci_param_f64("exponent", world_rank == 1 ? 2 : 1), trnsci_param_end()};

	fails(mpi, 1, TRNSCI_F32, exponent, "field: layout: 1 axis, allowed over ranks are 2 to");
	fails(mpi, 2, TRNSCI_I32, exponent, "field: dtype: i32, allowed are f32 and f64");
	fails(mpi, 2, TRNSCI_F32, NULL, "field: the spectrum is missing");
	fails(mpi, 2, TRNSCI_F32, missing, "field: length: missing");
	fails(mpi, 2, TRNSCI_F64, far, "field: length: with the largest grid the spectrum has values below -1e-12");
	fails(mpi, 2, TRNSCI_F32, zero, "field: spectrum: it is 0 at all wave numbers");
	fails(mpi, 2, TRNSCI_F32, mean, "field: mean:");
	if (world_size > 1)
		fails(mpi, 2, TRNSCI_F32, other, "rank 1: field: layout, parameters, dtype and source");
	report("errors are those of all ranks", "");
}

int main(int argc, char **argv)
{
	struct trnsci_mpi *groups[N_SIZES];

	begin_job(&argc, &argv);
	for (size_t g = 0; g < N_SIZES; g++)
		groups[g] = group_of(sizes[g], "embedded:");
	for (size_t c = 0; c < N_CASES; c++)
		check_case(groups, &cases[c]);
	for (size_t g = 0; g < N_SIZES; g++)
		if (sizes[g] == world_size)
			check_errors(groups[g]);
	for (size_t g = 0; g < N_SIZES; g++)
		trnsci_mpi_close(groups[g]);
	return end_job();
}
