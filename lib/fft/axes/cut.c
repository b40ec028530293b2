/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting the transforms along one axis into chunks.
 *
 * Short transforms are cut into chunks of about 128 KiB, of many rows up to 1 MiB; a chunk of columns turns a panel, at least a line
 * wide, into rows of scratch and back, so that each line of memory is touched once and the transforms are those of rows; columns that
 * a vector kernel takes as its lanes are transformed where they lie, or from a copy of their rows where these are far apart. Long
 * ones run phase by phase in the chunks of their plan, as many transforms at once as the memory between phases allows; columns
 * become rows of that memory in a phase before, and columns again in one after. */
#include <assert.h>
#include <math.h>

#include "base/cpu.h"
#include "base/chunk.h"
#include "fft/axes/axes_core.h"

enum {
	/* Of memory between phases, unless one transform needs more: it stays in the caches of the threads. One thread
	 * alone wants few transforms at once (measured: 5 to 20 % less time than with 2 MiB); several wait for one
	 * another after each phase, the less often the more transforms it has (up to a third more time with 512 KiB).
	 */
	WORK_ALONE_BYTES = 256 << 10,
	/* Products go by groups of up to 64 rows that share their memory, and read their matrix anew for each of these
	 * passes. */
	WORK_PRODUCT_BYTES = 2 << 20,
	WORK_THREAD_BYTES = 2 << 20,
	WORK_BYTES = 32 << 20,
	/* Between memory and its caches each chunk's start costs some 300 ns more than its transforms: chunks of large
	 * batches grow to this many units, while there are many and each is short. */
	MOST_UNITS = 8,
	MANY_CHUNKS = 16, /* of a thread */
	/* Columns are copied from here on: elements a page or more apart, and a column over more than second-level
	 * cache. */
	FAR_STEP_BYTES = 4 << 10,
	FAR_BYTES = 1 << 20,
	COPY_BYTES = 16 << 10, /* of columns that are copied at once */
	/* Of a first-level cache: the distance of lines of the same set, and more of them than a set holds. */
	SET_STEP_BYTES = 4 << 10,
	MOST_WAYS = 16,
	/* Rows far apart are no stream that the CPU detects: each piece of a row waits for memory anew. Chunks of such
	 * columns are wider, within a second-level cache of 1 MiB (measured: half of the time at 2048 x 2048). */
	FAR_ROW_BYTES = 512,
	FAR_UNIT_BYTES = 768 << 10,
	/* An array from this size on is stored around the caches: the last one keeps little of it until the next axis.
	 * At 16 MiB it keeps enough (measured: 1.6 times as long around the caches). */
	STREAM_BYTES = 32 << 20,
};

/* Returns whether transforms run where they lie: columns only if they fill the vectors of a kernel that takes them. */
static bool stays(const struct fft_plan *plan, const struct fft_pass *pass, size_t scratch)
{
	return !pass_is_columns(pass) ||
	       (fft_takes_columns(plan) && pass->batch >= VECTOR && fft_lanes_scratch_bytes(plan) <= scratch);
}

/* Returns whether the elements of a column share few sets of the caches, and come from memory. */
static bool is_far_apart(const struct fft_pass *pass)
{
	const size_t step = pass->in.stride * pass->in.size;

	return pass_is_columns(pass) && step >= FAR_STEP_BYTES && step * pass->in.n >= FAR_BYTES && pass->in.size == pass->out.size;
}

/* Returns whether all lines that a column writes belong to one set of the first-level cache, and are more than it
 * holds: each of them would evict another one. In large arrays two sets are as few. */
static bool shares_set(const struct fft_pass *pass)
{
	const size_t step = pass->out.stride * pass->out.size, bytes = pass->all * pass->out.n * pass->out.size;

	return pass_is_columns(pass) && pass->in.size == pass->out.size && pass->out.n > MOST_WAYS &&
	       step % (bytes < STREAM_BYTES ? SET_STEP_BYTES : SET_STEP_BYTES / 2) == 0;
}

/* Returns the fewest columns of a panel: a line of memory of them, so that each line is read once. */
static size_t line_of(const struct fft_pass *pass)
{
	return size_min(LINE_BYTES / pass->in.size, pass->batch);
}

/* Returns how many rows of a panel scratch has room for, beside what the plan needs of it. */
static size_t panel_room(const struct fft_plan *plan, const struct fft_pass *pass, size_t scratch)
{
	const size_t own = fft_scratch_bytes(plan);

	return own < scratch ? (scratch - own) / both_rows_bytes(pass) : 0;
}

/* Not when they are cut into phases, nor products that stay, which the plan cuts better, nor columns of which scratch holds no panel. */
static bool is_short(const struct fft_plan *plan, const struct fft_pass *pass, size_t scratch_bytes)
{
	if (fft_is_product(plan) && !pass_is_columns(pass))
		return false;
	return fft_phases(plan) == 1 && fft_work_bytes(plan, 1) == 0 &&
	       (stays(plan, pass, scratch_bytes) || panel_room(plan, pass, scratch_bytes) >= line_of(pass));
}

/* Rows may lie in the output between phases; reals only if each begins at a pair. */
static enum fft_reuse find_reuse(const struct fft_plan *plan, const struct fft_pass *pass)
{
	const size_t pair = fft_pair_bytes(plan);
	const bool pairs = pass->batch == 1 || (pass->in.distance * pass->in.size % pair == 0 &&
						 pass->out.distance * pass->out.size % pair == 0);
	const bool rows = pass->batch == 1 || (pass->in.distance >= pass->in.n && pass->out.distance >= pass->out.n);

	return pass_is_rows(pass) && pass->apart && pairs && rows ? FFT_REUSE_OUT : FFT_REUSE_NONE;
}

/* Returns the bytes of memory that `batch` long transforms need: between phases, and for their rows where they are
 * columns. */
static size_t long_bytes(const struct fft_plan *plan, const struct fft_pass *pass, size_t batch)
{
	return fft_round_line(fft_work_bytes_reusing(plan, batch, pass->reuse)) +
	       (pass_is_columns(pass) ? batch * both_rows_bytes(pass) : 0);
}

/* Returns how many transforms of one call run at once: all, unless their memory between phases would be too large. Columns are turned
 * some lines wide, which memory near the core has no room for. */
static size_t most_at_once(const struct fft_machine *machine, const struct fft_plan *plan, const struct fft_pass *pass)
{
	const size_t alone = fft_is_product(plan) ? WORK_PRODUCT_BYTES : WORK_ALONE_BYTES;
	const size_t near = machine->threads > 1 ? machine->threads * WORK_THREAD_BYTES : alone;
	const size_t room = pass_is_columns(pass) ? WORK_BYTES : size_min(near, WORK_BYTES);
	const size_t group = fft_work_group(plan), each = long_bytes(plan, pass, group);
	const size_t most = each ? size_max(room / each, 1) * group : pass->batch;

	return size_min(most, pass->batch);
}

/* Returns the operations a nanosecond that transforms in second-level cache make: first values, corrected by what those who run
 * chunks learn. */
static double rate_of(const struct fft_plan *plan)
{
	const double rate = plan->features & CPU_AVX512 ? 60 : plan->features & CPU_AVX2 ? 30 : 2;

	return plan->precision == FFT_F64 ? rate / 2 : rate;
}

/* Returns about what transforms of so many bytes, of both sides, take on one core: 5 n log2 n operations each; lengths with a large
 * prime cost several transforms. */
static double find_cost_ns(const struct fft_plan *plan, uint64_t bytes)
{
	uint64_t rest = plan->n;
	double flops;

	if (fft_is_product(plan)) /* the dearest in plain C, but n is small */
		return ((double)bytes / 16) * (double)rest * (plan->features & CPU_AVX2 ? 2 : 100);
	flops = 5 * ((double)bytes / 16) * log2((double)rest + 1);
	for (uint64_t p = 2; p <= 13; p++)
		while (rest % p == 0)
			rest /= p;
	if (rest > 1)
		flops *= 8;
	return flops / rate_of(plan);
}

/* Returns whether panels are written around the caches. A plain store to a line that no near cache holds reads it first: where the
 * chunk has read other ones, and where columns far apart share so few sets of the near caches that their lines are gone again
 * between the read and the write. Those come back soon on some CPUs: Zen 4 took 1.02 to 1.4 times as long around the caches,
 * a Xeon with AMX 0.7 to 0.9. Rows must be whole lines. */
static bool streams(const struct layout *layout, const struct fft_pass *pass)
{
	const struct side *out = &pass->out;

	return pass->to != ARRAY_SCRATCH && out->size == 2 * sizeof(double) && out->stride * out->size % LINE_BYTES == 0 &&
	       pass->all * out->n * out->size >= STREAM_BYTES &&
	       (pass->apart || (is_far_apart(pass) && !layout->machine->has_victim_l3));
}

/* Columns go by panels of as many of *most as scratch has room for. */
static void cut_panels(const struct layout *layout, const struct fft_plan *plan, size_t scratch, struct fft_pass *pass, size_t *most)
{
	const size_t line = line_of(pass);

	pass->row_in = row_bytes(&pass->in);
	pass->row_out = row_bytes(&pass->out);
	pass->streams = streams(layout, pass);
	*most = size_min(*most, panel_room(plan, pass, scratch));
	pass->piece = *most < line ? line : size_min(*most / line * line, pass->batch);
}

/* Columns are copied as many at once as fit the first-level cache, or some lines, if scratch has room for so many. */
static void cut_copies(const struct fft_plan *plan, size_t scratch, struct fft_pass *pass)
{
	const size_t size = pass->in.size, n = pass->in.n;
	const size_t row = size_max(COPY_BYTES / n / LINE_BYTES * LINE_BYTES, FAR_ROW_BYTES);

	if (fft_lanes_scratch_bytes(plan) + n * (row + LINE_BYTES) > scratch)
		return;
	pass->copied = size_min(row / size, pass->piece);
	pass->pitch = row + LINE_BYTES;
	pass->copies_back = shares_set(pass);
}

/* Returns the units of memory that a chunk of rows has: 1, 2, 4 or 8. */
static size_t units_at_once(const struct layout *layout, const struct fft_pass *pass, size_t row)
{
	const double units = (double)(pass->batch * row) / UNIT_BYTES;
	size_t n = 1;

	while (pass_is_rows(pass) && n < MOST_UNITS && units >= (double)(2 * n * MANY_CHUNKS * layout->machine->threads) &&
	       pass->cost_ns * (double)(2 * n) <= CHUNK_AIM_NS * units)
		n *= 2;
	return n;
}

/* Cuts short transforms into pieces of about UNIT_BYTES (of many rows up to 8 of these, of columns far apart up to
 * FAR_UNIT_BYTES), whole vectors of them; several whole calls where they are small. */
static void cut_short(const struct layout *layout, const struct fft_plan *plan, size_t scratch, struct fft_pass *pass)
{
	const size_t row = size_max(pass->in.n * pass->in.size, pass->out.n * pass->out.size);
	const bool far = is_far_apart(pass);
	size_t most = units_at_once(layout, pass, row) * UNIT_BYTES / row;

	if (far)
		most = size_max(most, size_min(FAR_ROW_BYTES / pass->in.size, FAR_UNIT_BYTES / row));
	/* Products take longer for their bytes. */
	if (fft_is_product(plan) && most > 0)
		most /= fft_chunks(plan, 0, most);
	pass->as_lanes = stays(plan, pass, scratch) && pass_is_columns(pass);
	if (!stays(plan, pass, scratch))
		cut_panels(layout, plan, scratch, pass, &most);
	else
		pass->piece = size_min(most >= VECTOR ? most / VECTOR * VECTOR : most ? most : 1, pass->batch);
	pass->at_once = pass->piece == pass->batch && most > pass->piece ? most / pass->piece : 1;
	if (!pass->row_in && (far || shares_set(pass)) && pass->to != ARRAY_SCRATCH)
		cut_copies(plan, scratch, pass);
	pass->pieces = (pass->batch + pass->piece - 1) / pass->piece;
	pass->reuse = FFT_REUSE_NONE;
	pass->phases = pass->stages = 1;
}

static void cut_long(const struct fft_machine *machine, const struct fft_plan *plan, struct fft_pass *pass)
{
	const bool is_columns = pass_is_columns(pass);

	pass->reuse = find_reuse(plan, pass);
	pass->most = most_at_once(machine, plan, pass);
	pass->row_in = is_columns ? row_bytes(&pass->in) : 0;
	pass->row_out = is_columns ? row_bytes(&pass->out) : 0;
	pass->phases = fft_phases(plan) + (is_columns ? 2 : 0);
	pass->stages = pass->calls * ((pass->batch + pass->most - 1) / pass->most) * pass->phases;
}

void cut_pass(const struct layout *layout, size_t scratch_bytes, struct fft_pass *pass)
{
	const struct fft_plan *plan = layout->problem->along[pass->transform].plan;

	assert(pass->calls > 0 && pass->batch > 0 && pass->in.n > 0);
	pass->cost_ns = find_cost_ns(plan, pass->all * (pass->in.n * pass->in.size + pass->out.n * pass->out.size));
	pass->row_in = pass->row_out = pass->piece = pass->pitch = 0;
	pass->at_once = 1;
	pass->streams = pass->as_lanes = pass->copies_back = false;
	if (is_short(plan, pass, scratch_bytes))
		cut_short(layout, plan, scratch_bytes, pass);
	else
		cut_long(layout->machine, plan, pass);
}

size_t cut_work_bytes(const struct layout *layout, const struct fft_pass *pass)
{
	return pass->piece ? 0 : long_bytes(layout->problem->along[pass->transform].plan, pass, pass->most);
}

size_t cut_scratch_bytes(const struct layout *layout, const struct fft_pass *pass)
{
	const struct fft_plan *plan = layout->problem->along[pass->transform].plan;
	const size_t panel = pass->piece && pass->row_in ? pass->piece * pass->at_once * both_rows_bytes(pass) : 0;

	return panel + pass->in.n * pass->pitch + (pass->as_lanes ? fft_lanes_scratch_bytes(plan) : fft_scratch_bytes(plan));
}
