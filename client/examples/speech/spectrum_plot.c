/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of equal frequency ratio, rows of equal steps in dB below the loudest. */
#include "spectrum_plot.h"

#include <math.h>

enum { COLUMNS = 72, ROWS = 12 };

static const double LOW_HZ = 60.0, RANGE_DB = 60.0;

double spectrum_column_hz(double rate_hz, unsigned column, unsigned columns)
{
	return LOW_HZ * pow(rate_hz / 2 / LOW_HZ, (double)column / columns);
}

double spectrum_level_db(const float *spectrum, size_t length, double rate_hz, unsigned column, unsigned columns)
{
	double hz_per_bin = rate_hz / (double)length, power = 0;
	size_t begin = (size_t)(spectrum_column_hz(rate_hz, column, columns) / hz_per_bin);
	size_t end = (size_t)(spectrum_column_hz(rate_hz, column + 1, columns) / hz_per_bin);

	if (end <= begin)
		end = begin + 1;
	if (end > length / 2 + 1)
		end = length / 2 + 1;
	for (size_t k = begin; k < end; k++)
		power += (double)spectrum[2 * k] * spectrum[2 * k] + (double)spectrum[2 * k + 1] * spectrum[2 * k + 1];
	return 10 * log10(power / (double)(end - begin) + 1e-30);
}

static double loudest(const double *levels)
{
	double most = -INFINITY;

	for (unsigned c = 0; c < COLUMNS; c++)
		most = fmax(most, levels[c]);
	return most;
}

static void draw_axis(FILE *to, double rate_hz)
{
	static const double marks_hz[] = {100, 300, 1000, 3000, 10000};
	char line[COLUMNS + 16] = "";
	unsigned at = 0;

	for (size_t m = 0; m < sizeof marks_hz / sizeof *marks_hz && marks_hz[m] < rate_hz / 2; m++) {
		double where = COLUMNS * log(marks_hz[m] / LOW_HZ) / log(rate_hz / 2 / LOW_HZ);

		while (at < (unsigned)where)
			line[at++] = ' ';
		at += (unsigned)snprintf(line + at, sizeof line - at, "%g Hz", marks_hz[m]);
	}
	fprintf(to, "           %s\n", line);
}

void spectrum_plot(FILE *to, const float *solid, const float *shaded, size_t length, double rate_hz)
{
	double first[COLUMNS], second[COLUMNS];

	for (unsigned c = 0; c < COLUMNS; c++) {
		first[c] = spectrum_level_db(solid, length, rate_hz, c, COLUMNS);
		second[c] = spectrum_level_db(shaded, length, rate_hz, c, COLUMNS);
	}
	double top = fmax(loudest(first), loudest(second));

	for (unsigned r = 0; r < ROWS; r++) {
		double level = top - RANGE_DB * (r + 0.5) / ROWS;

		fprintf(to, "  %5.0f dB |", 0.0 - RANGE_DB * r / ROWS);
		for (unsigned c = 0; c < COLUMNS; c++)
			fputs(first[c] >= level ? "█" : second[c] >= level ? "░" : " ", to);
		fputc('\n', to);
	}
	draw_axis(to, rate_hz);
}
