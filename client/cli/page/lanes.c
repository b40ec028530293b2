/* SPDX-License-Identifier: Apache-2.0 */
/* The 128 lanes as a heat map of the time that they were busy. */
#include <math.h>

#include "figures.h"
#include "html.h"
#include "sections.h"

enum { COLUMNS = 16, SHADES = 9, CELL = 24, LEAST_RATIO = 4 };

/* The least and the most busy of the lanes that were used; at least so far apart that equal lanes look equal. */
struct extent {
	double least_ns, most_ns;
	size_t n_used;
};

static struct extent find_extent(const struct trnsci_value *lanes)
{
	struct extent extent = {0};

	for (size_t i = 0; i < trnsci_value_count(lanes); i++) {
		const double ns = figure_f64(trnsci_value_at(lanes, i), "busy_ns");

		if (ns <= 0)
			continue;
		extent.least_ns = extent.n_used == 0 || ns < extent.least_ns ? ns : extent.least_ns;
		extent.most_ns = ns > extent.most_ns ? ns : extent.most_ns;
		extent.n_used++;
	}
	if (extent.least_ns * LEAST_RATIO > extent.most_ns)
		extent.least_ns = extent.most_ns / LEAST_RATIO;
	return extent;
}

/* Small jobs have one chunk, which is lane 0's: a logarithm shows how the others differ, too. Shade 0 is a lane that did
 * nothing. */
static unsigned shade_of(double ns, const struct extent *extent)
{
	if (ns <= 0)
		return 0;
	const double share = log(ns / extent->least_ns) / log(extent->most_ns / extent->least_ns);
	const unsigned shade = 1 + (unsigned)(share * (SHADES - 1));

	return shade < SHADES ? shade : SHADES - 1;
}

static void write_lane(FILE *out, size_t i, const struct trnsci_value *lane, const struct extent *extent)
{
	const double ns = figure_f64(lane, "busy_ns");

	fprintf(out, "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"5\" style=\"fill:var(--h%u)\"><title>lane %zu: ",
		i % COLUMNS * CELL, i / COLUMNS * CELL, CELL, CELL, shade_of(ns, extent), i);
	html_time(out, ns * 1e-3);
	fputs(" busy, ", out);
	html_count(out, figure_u64(lane, "chunks"));
	fputs(" chunks, ", out);
	html_count(out, figure_u64(lane, "words"));
	fputs(" words, the longest chunk ", out);
	html_time(out, figure_f64(lane, "longest_ns") * 1e-3);
	fputs("</title></rect>", out);
}

void page_write_lanes(FILE *out, const struct trnsci_value *lanes)
{
	const size_t n = trnsci_value_count(lanes);
	const struct extent extent = find_extent(lanes);

	fprintf(out, "<section class=\"card half\"><h2>Lanes</h2><p class=\"note\">Busy time of each since the start, lane 0 at the top "
		     "left; %zu of %zu were used.</p>\n<svg class=\"lanes\" viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"busy time "
		     "of the lanes\">", extent.n_used, n, COLUMNS * CELL, (n + COLUMNS - 1) / COLUMNS * CELL);
	for (size_t i = 0; i < n; i++)
		write_lane(out, i, trnsci_value_at(lanes, i), &extent);
	fputs("</svg>\n<div class=\"scale\">", out);
	html_time(out, extent.least_ns * 1e-3);
	fputs(" <i>", out);
	for (unsigned shade = 1; shade < SHADES; shade++)
		fprintf(out, "<u style=\"background:var(--h%u)\"></u>", shade);
	fputs("</i> ", out);
	html_time(out, extent.most_ns * 1e-3);
	fputs(", logarithmic</div></section>\n", out);
}
