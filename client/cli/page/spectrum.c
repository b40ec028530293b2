/* SPDX-License-Identifier: Apache-2.0 */
/* The power spectrum of a sample draw, beside that of ideal white noise.
 *
 * Welch's estimate of unit white noise at sampling rate 1 has the one-sided density 2 in every bin but the first and the last.
 * With a Hann window and segments that overlap by half its variance is (1 + 2/36) / segments of its square (P. D. Welch, IEEE
 * Trans. Audio Electroacoust. 15 (1967) 70). */
#include <math.h>
#include <stdlib.h>

#include "sections.h"

enum { WIDTH = 1000, HEIGHT = 400, SEGMENTS = PAGE_SPECTRUM_SAMPLES / (PAGE_SEGMENT / 2) - 1 };

static const double limit_db = 2;

static double to_db(double density)
{
	return density > 0 ? 10 * log10(density / 2) : -limit_db;
}

static double y_of(double db)
{
	const double held = db > limit_db ? limit_db : db < -limit_db ? -limit_db : db;

	return (limit_db - held) * HEIGHT / (2 * limit_db);
}

static void write_line(FILE *out, const float *spectrum)
{
	fputs("<polyline fill=\"none\" stroke=\"var(--blue)\" stroke-width=\"1.6\" stroke-linejoin=\"round\" "
	      "vector-effect=\"non-scaling-stroke\" points=\"", out);
	for (int i = 1; i < PAGE_BINS - 1; i++)
		fprintf(out, "%.1f,%.1f ", (double)i * WIDTH / (PAGE_BINS - 1), y_of(to_db((double)spectrum[i])));
	fputs("\"/>", out);
}

static void write_axes(FILE *out)
{
	for (int db = -2; db <= 2; db++)
		fprintf(out, "<span class=\"y\" style=\"top:%.0f%%\">%s%d</span>", y_of(db) * 100 / HEIGHT, db < 0 ? "&minus;" : db ? "+" : "",
			abs(db));
	fputs("</div><div class=\"axis\" style=\"margin-left:42px\"><span style=\"left:0\">0</span><span "
	      "style=\"left:50%;transform:translateX(-50%)\">frequency / sampling rate</span><span style=\"left:100%\">0.5</span></div>",
	      out);
}

void page_write_spectrum(FILE *out, const float *spectrum)
{
	const double spread = 3 * sqrt((1 + 2.0 / 36) / SEGMENTS), top = y_of(10 * log10(1 + spread)), end = y_of(10 * log10(1 - spread));
	int outside = 0;

	for (int i = 1; i < PAGE_BINS - 1; i++)
		outside += fabs((double)spectrum[i] / 2 - 1) > spread;
	fprintf(out, "<section class=\"card half\"><h2>A sample draw</h2><p class=\"note\">Spectrum of %d normal numbers of seed 1 in dB; "
		     "ideal is 0. Of %d bins %d are outside three standard deviations (shaded).</p>\n<div class=\"spectrum\"><svg "
		     "viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"power spectrum of noise\">",
		PAGE_SPECTRUM_SAMPLES, PAGE_BINS - 2, outside, WIDTH, HEIGHT);
	fprintf(out, "<rect x=\"0\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"var(--band)\"/>", top, WIDTH, end - top);
	for (int db = -2; db <= 2; db++)
		fprintf(out, "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"var(--%s)\" vector-effect=\"non-scaling-stroke\"/>",
			WIDTH, y_of(db), y_of(db), db ? "line" : "soft");
	write_line(out, spectrum);
	fputs("</svg>", out);
	write_axes(out);
	fputs("</section>\n", out);
}
