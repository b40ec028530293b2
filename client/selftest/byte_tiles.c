/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the byte-tile model: which words a generator gets right when its arithmetic is done in tiles of
 * bytes. */
#include "selftest/proofs/byte_tiles.h"
#include "suites.h"

enum { BATCHES = 128 };

/* Threefry must be right with every conversion, Philox only with exact ones: others lose bits of its products. */
static bool is_right(enum generator generator, enum conversion conversion, const struct tile_figures *figures)
{
	if (generator != GENERATOR_THREEFRY4X32 && conversion != CONVERSION_EXACT)
		return true;
	return figures->n_right == figures->n_words;
}

static void report_generator(struct selftest *test, enum generator generator, enum conversion conversion,
			     uint64_t largest[N_TILE_STEPS])
{
	const struct stream stream = {.seed = 42};
	struct tile_figures f;

	byte_tiles_measure(generator, conversion, &stream, BATCHES, &f);
	for (unsigned s = 0; s < N_TILE_STEPS; s++)
		largest[s] = f.most[s] > largest[s] ? f.most[s] : largest[s];
	const struct trnsci_param values[] = {
		trnsci_param_u64("n_words", f.n_words),
		trnsci_param_u64("n_right", f.n_right),
		trnsci_param_u64("n_before_wrong", f.n_before_wrong),
		trnsci_param_f64("mean_low", f.mean_low),
		trnsci_param_f64("mean_high", f.mean_high),
		trnsci_param_f64("chi_square", f.chi_square),
		trnsci_param_end(),
	};

	selftest_report(test, (struct trnsci_check){.subject = generator_row(generator)->name,
						    .name = conversion_name(conversion),
						    .values = values,
						    .passed = is_right(generator, conversion, &f)});
}

int selftest_byte_tiles(struct selftest *test)
{
	uint64_t largest[N_TILE_STEPS] = {0};

	for (unsigned g = 0; g <= GENERATOR_PHILOX4X32; g++)
		for (unsigned c = 0; c < N_CONVERSIONS; c++)
			report_generator(test, (enum generator)g, (enum conversion)c, largest);
	for (unsigned s = 0; s < N_TILE_STEPS; s++) {
		const uint64_t bound = tile_step_bound((enum tile_step)s);
		const struct trnsci_param values[] = {trnsci_param_u64("largest", largest[s]), trnsci_param_u64("bound", bound),
						      trnsci_param_end()};

		if (largest[s] > 0)
			selftest_report(test, (struct trnsci_check){.subject = "steps",
								    .name = tile_step_name((enum tile_step)s),
								    .values = values,
								    .passed = largest[s] <= bound});
	}
	return 0;
}
