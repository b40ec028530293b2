/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of the times of requests, one for each class of methods, over one logarithmic axis. */
#include <math.h>

#include "figures.h"
#include "html.h"
#include "sections.h"

/* Entries of a histogram that the axis shows; four are a power of two. */
struct axis {
	size_t first, end;
};

static struct axis find_axis(const struct trnsci_value *latency)
{
	struct axis axis = {.first = 64, .end = 65};

	for (size_t i = 0; i < trnsci_value_count(latency); i++) {
		const struct trnsci_value *counts = trnsci_value_get(trnsci_value_at(latency, i), "histogram");
		const size_t n = trnsci_value_count(counts);
		size_t first = 0;
		uint64_t count = 0;

		while (first < n && (trnsci_value_to_u64(trnsci_value_at(counts, first), &count), count == 0))
			first++;
		if (first == n)
			continue;
		axis.first = first < axis.first ? first : axis.first;
		axis.end = n > axis.end ? n : axis.end;
	}
	axis.first -= axis.first % 4;
	axis.end += (4 - axis.end % 4) % 4;
	return axis;
}

/* Where a time lies on the axis, in percent. */
static double percent_of(const struct axis *axis, double us)
{
	const double ns = us < 1e-3 ? 1 : us * 1000, power = floor(log2(ns));
	const double entry = 4 * power + 4 * (ns / exp2(power) - 1);
	const double percent = (entry - (double)axis->first) * 100 / (double)(axis->end - axis->first);

	return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static double largest(const struct trnsci_value *counts)
{
	double most = 1;

	for (size_t i = 0; i < trnsci_value_count(counts); i++) {
		double count = 0;

		trnsci_value_to_f64(trnsci_value_at(counts, i), &count);
		most = count > most ? count : most;
	}
	return most;
}

/* Heights are square roots, so that rare times are seen beside common ones. */
static void write_bars(FILE *out, const struct trnsci_value *counts, const struct axis *axis)
{
	const double most = largest(counts);

	fprintf(out, "<svg class=\"base\" viewBox=\"0 0 %zu 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		(axis->end - axis->first) * 10);
	for (size_t i = axis->first; i < trnsci_value_count(counts); i++) {
		double count = 0;

		trnsci_value_to_f64(trnsci_value_at(counts, i), &count);
		const double height = count > 0 ? 3 + 97 * sqrt(count / most) : 0;

		if (height > 0)
			fprintf(out, "<rect x=\"%zu\" y=\"%.1f\" width=\"9\" height=\"%.1f\"><title>%.0f from %.3g us</title></rect>",
				(i - axis->first) * 10, 100 - height, height, count,
				exp2((double)(i / 4)) * (1 + (double)(i % 4) / 4) * 1e-3);
	}
	fputs("</svg>", out);
}

static void write_mark(FILE *out, const struct axis *axis, const char *name, double us)
{
	fprintf(out, "<i class=\"mark\" style=\"left:%.2f%%\" title=\"%s: %.4g us\"></i>", percent_of(axis, us), name, us);
}

static void write_class(FILE *out, const struct latency_row *row, const struct trnsci_value *counts, const struct axis *axis)
{
	fputs("<div class=\"row\"><div><b>", out);
	html_text(out, row->name, (size_t)row->name_size);
	fputs("</b><small>", out);
	html_count(out, row->n_requests);
	fputs("</small></div><div class=\"plot\">", out);
	write_bars(out, counts, axis);
	write_mark(out, axis, "p50", row->p50_us);
	write_mark(out, axis, "p99", row->p99_us);
	fputs("</div><div class=\"times\">p50 <strong>", out);
	html_time(out, row->p50_us);
	fputs("</strong> &nbsp; p99 <strong>", out);
	html_time(out, row->p99_us);
	fputs("</strong><br><small>p999 ", out);
	html_time(out, row->p999_us);
	fputs(" &nbsp; longest ", out);
	html_time(out, row->max_us);
	fputs("</small></div></div>\n", out);
}

/* A label at each power of ten that is not too near an end. */
static void write_ticks(FILE *out, const struct axis *axis)
{
	fputs("<div class=\"row ticks\"><div></div><div class=\"axis\">", out);
	for (int power = 0; power < 12; power++) {
		const double us = pow(10, power - 3), percent = percent_of(axis, us);

		if (percent < 4 || percent > 95)
			continue;
		fprintf(out, "<span style=\"left:%.2f%%;transform:translateX(-50%%)\">", percent);
		html_time(out, us);
		fputs("</span>", out);
	}
	fputs("</div><div></div></div>\n", out);
}

void page_write_latencies(FILE *out, const struct trnsci_value *latency)
{
	const struct axis axis = find_axis(latency);
	struct latency_row row;
	size_t n = 0;

	fputs("<section class=\"card\"><h2>Times of requests</h2><p class=\"note\">From reading to reply, by class of method; heights "
	      "are square roots of counts. Dashed: p50 and p99.</p>\n", out);
	for (size_t i = 0; i < trnsci_value_count(latency); i++)
		if (latency_row(latency, i, &row)) {
			write_class(out, &row, trnsci_value_get(trnsci_value_at(latency, i), "histogram"), &axis);
			n++;
		}
	if (n)
		write_ticks(out, &axis);
	fputs("</section>\n", out);
}
