/* SPDX-License-Identifier: Apache-2.0 */
/* The table of one variant's functions in one precision. */

const struct fft_ops LOCAL(fft_ops) = {
	.lanes = LANES,
	.lanes_dealt = LANES_DEALT,
	.direct = LOCAL(run_direct),
	.first = LOCAL(run_first),
	.middle = LOCAL(run_middle),
	.last = LOCAL(run_last),
	.multiply = LOCAL(multiply),
	.fold = LOCAL(fold),
	.flat = WIDE(LOCAL(flat)),
	.short_rows = WIDE(LOCAL(short_rows)),
	.short_columns = WIDE(LOCAL(short_columns)),
	.single = VECTORS(LOCAL(single)),
	.transpose = LOCAL(transpose_array),
	.odd_deal = LOCAL(odd_deal),
	.odd_join = LOCAL(odd_join),
	.odd_split = LOCAL(odd_split),
	.odd_gather = LOCAL(odd_gather),
	.pack = {LOCAL(ends_in), LOCAL(halves_in), LOCAL(thirds_in), LOCAL(quarters_in), LOCAL(quarters_odd_in)},
	.unpack = {LOCAL(ends_out), LOCAL(halves_out), LOCAL(thirds_out), LOCAL(quarters_out), LOCAL(quarters_odd_out)},
};
