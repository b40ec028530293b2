/* SPDX-License-Identifier: Apache-2.0 */
/* The table of layouts, the cards, and where calls follow one another. */
#include "distributions/layouts/layout.h"

#include <string.h>

#include "distributions/rows/dist_plan.h"

const struct layout_row layout_rows[LAYOUT_COUNT] = {
#define X(id, name, generator, flags) {name, generator, flags},
	LAYOUT_TABLE(X)
#undef X
};

static const uint32_t device_blocks[] = {
#define X(name, blocks) blocks,
	DEVICE_TABLE(X)
#undef X
};

enum layout layout_parse(const char *name)
{
	for (enum layout layout = LAYOUT_PLAIN; layout < LAYOUT_COUNT; layout++)
		if (strcmp(layout_rows[layout].name, name) == 0)
			return layout;
	return LAYOUT_PLAIN;
}

uint32_t layout_device_blocks(unsigned device)
{
	return device_blocks[device];
}

uint32_t layout_least_blocks(void)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < sizeof device_blocks / sizeof *device_blocks; i++)
		least = device_blocks[i] < least ? device_blocks[i] : least;
	return least;
}

/* Each thread's evaluations, of 4 words each, whatever they give (counter_offset of calc_execution_policy). */
static uint64_t advance_torch(const struct draw *draw, const struct layout_call *call)
{
	const bool is_pair = dtype_size(draw->dtype) == 8 && draw->distribution != DIST_RANDINT;
	const uint64_t range = draw->parameters[1].natural - draw->parameters[0].natural;
	const bool is_wide = draw->distribution == DIST_RANDINT && range - 1 >= LAYOUT_TORCH_WIDE_RANGE - 1;
	const uint64_t unroll = is_pair || is_wide ? 2 : 4, needed = (call->n + 255) / 256;
	const uint64_t threads = 256 * (needed < call->blocks ? needed : call->blocks);

	return call->n == 0 ? 0 : ((call->n - 1) / (threads * unroll) + 1) * 4;
}

bool layout_advance(const struct draw *draw, const struct layout_call *call, uint64_t *ret_words)
{
	const bool is_wide = dtype_size(draw->dtype) == 8;

	if (!(layout_rows[call->layout].flags & LAYOUT_CALLS) || call->is_ordered)
		return false;
	if (call->layout == LAYOUT_TORCH_CUDA)
		*ret_words = advance_torch(draw, call);
	else if (call->layout != LAYOUT_CURAND)
		*ret_words = is_wide ? 2 * call->n : call->n;
	else if (draw->distribution == DIST_NORMAL)
		*ret_words = (call->n + 1) / 2 * (is_wide ? 4 : 2);
	else
		*ret_words = call->n;
	return true;
}
