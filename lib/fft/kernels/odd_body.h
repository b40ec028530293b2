/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms of n = r m elements, n odd, from complex ones of m: an r-point butterfly between the rows' spectra
 * and the half spectrum (struct fft_odd).
 *
 * Column k of the butterfly takes elements k and m - k of every row. It gives the elements m l + k of the spectrum for
 * l <= r / 2, and m l - k for l >= 1. */

enum { LOCAL(MAX_RADIX) = 13, LOCAL(MAX_ROWS) = 7 };

/* LANES neighbouring columns: rows, and spectrum elements forwards from `at` and backwards from `mirror`. */
struct LOCAL(columns) {
	real *row[LOCAL(MAX_ROWS)], *row_mirror[LOCAL(MAX_ROWS)];
	real *at[LOCAL(MAX_ROWS)], *mirror[LOCAL(MAX_ROWS)];
	const real *table[LOCAL(MAX_RADIX)];
};

/* A switch, so that each radix has its constants in the code. r = 1 has nothing to combine. */
INLINE void LOCAL(odd_butterfly)(unsigned r, vec *re, vec *im)
{
	switch (r) {
	case 1:
		break;
	case 3:
		LOCAL(dft_mixed)(3, re, im);
		break;
	case 5:
		LOCAL(dft_mixed)(5, re, im);
		break;
	case 7:
		LOCAL(dft_mixed)(7, re, im);
		break;
	case 11:
		LOCAL(dft_mixed)(11, re, im);
		break;
	default:
		LOCAL(dft_mixed)(13, re, im);
	}
}

/* Combines the spectra of the rows into the half spectrum. A row's pair of reals a + i b has the spectrum P; that of a
 * is (P[k] + conj P[m - k]) / 2, that of b (P[k] - conj P[m - k]) / 2i. Times their roots w^(j k) they are the r inputs
 * of the butterfly for column k. Its outputs l > r / 2 lie in the other half of the spectrum: their conjugates at m (r
 * - l) - k do not. */
INLINE void LOCAL(join_columns)(const struct fft_odd *odd, const struct LOCAL(columns) * c)
{
	const vec half = v_set((real)0.5), up = v_set(odd->conjugate ? -1 : 1), down = v_set(odd->conjugate ? 1 : -1);
	const unsigned r = odd->r;
	vec re[LOCAL(MAX_RADIX)], im[LOCAL(MAX_RADIX)];

	LOCAL(load_lanes)(c->row[0], &re[0], &im[0]);
	for (unsigned i = 1; i <= r / 2; i++) {
		vec ar, ai, br, bi;

		LOCAL(load_lanes)(c->row[i], &ar, &ai);
		LOCAL(load_mirrored)(c->row_mirror[i], &br, &bi);
		re[2 * i - 1] = v_mul(v_add(ar, br), half);
		im[2 * i - 1] = v_mul(v_sub(ai, bi), half);
		re[2 * i] = v_mul(v_add(ai, bi), half);
		im[2 * i] = v_mul(v_sub(br, ar), half);
	}
	for (unsigned j = 1; j < r; j++) {
		vec tr, ti;

		LOCAL(load_lanes)(c->table[j], &tr, &ti);
		LOCAL(cmul)(&re[j], &im[j], tr, ti);
	}
	LOCAL(odd_butterfly)(r, re, im);
	for (unsigned l = 0; l <= r / 2; l++)
		LOCAL(store_lanes)(c->at[l], re[l], v_mul(im[l], up));
	for (unsigned l = 1; l <= r / 2; l++)
		LOCAL(store_mirrored)(c->mirror[l], re[r - l], v_mul(im[r - l], down));
}

/* Does the reverse: an inverse butterfly (real and imaginary parts exchanged), then conjugated roots. */
INLINE void LOCAL(split_columns)(const struct fft_odd *odd, const struct LOCAL(columns) * c)
{
	const vec up = v_set(odd->conjugate ? -1 : 1), down = v_set(odd->conjugate ? 1 : -1), minus = v_set(-1);
	const unsigned r = odd->r;
	vec re[LOCAL(MAX_RADIX)], im[LOCAL(MAX_RADIX)];

	for (unsigned l = 0; l <= r / 2; l++) {
		LOCAL(load_lanes)(c->at[l], &re[l], &im[l]);
		im[l] = v_mul(im[l], up);
	}
	for (unsigned l = 1; l <= r / 2; l++) {
		LOCAL(load_mirrored)(c->mirror[l], &re[r - l], &im[r - l]);
		im[r - l] = v_mul(im[r - l], down);
	}
	LOCAL(odd_butterfly)(r, im, re);
	for (unsigned j = 1; j < r; j++) {
		vec tr, ti;

		LOCAL(load_lanes)(c->table[j], &tr, &ti);
		LOCAL(cmul)(&re[j], &im[j], tr, v_mul(ti, minus));
	}
	LOCAL(store_mirrored)(c->row_mirror[0], re[0], v_mul(im[0], minus));
	LOCAL(store_lanes)(c->row[0], re[0], im[0]);
	for (unsigned i = 1; i <= r / 2; i++) {
		const vec ar = re[2 * i - 1], ai = im[2 * i - 1], br = re[2 * i], bi = im[2 * i];

		LOCAL(store_mirrored)(c->row_mirror[i], v_add(ar, bi), v_sub(br, ai));
		LOCAL(store_lanes)(c->row[i], v_sub(ar, bi), v_add(ai, br));
	}
}

/* Locates the columns from k on. */
INLINE void LOCAL(find_columns)(const struct fft_odd *odd, size_t k, struct LOCAL(columns) * c)
{
	const size_t m = odd->m;

	for (unsigned i = 0; i <= odd->r / 2; i++) {
		real *row = (real *)odd->rows + 2 * i * odd->distance;

		c->row[i] = row + 2 * k;
		c->row_mirror[i] = row + 2 * (m - k);
		c->at[i] = (real *)odd->x + 2 * (m * i + k);
		c->mirror[i] = (real *)odd->x + 2 * (m * i - (i ? k : 0));
	}
	for (unsigned j = 1; j < odd->r; j++)
		c->table[j] = (const real *)odd->table + 2 * ((j - 1) * ((m + 1) / 2) + k);
}

/* Zero-padded copies for fewer than LANES columns, and for column 0, which has no mirror image. */
struct LOCAL(copies) {
	real row[LOCAL(MAX_ROWS)][2 * LANES], row_mirror[LOCAL(MAX_ROWS)][2 * LANES];
	real at[LOCAL(MAX_ROWS)][2 * LANES], mirror[LOCAL(MAX_ROWS)][2 * LANES];
	real table[LOCAL(MAX_RADIX)][2 * LANES];
	struct LOCAL(columns) columns;
};

/* Zeros everywhere, and pointers into the copies; mirrored ones begin at their last pair. */
static void LOCAL(init_copies)(const struct fft_odd *odd, struct LOCAL(copies) * copies)
{
	memset(copies, 0, sizeof *copies);
	for (unsigned i = 0; i <= odd->r / 2; i++) {
		copies->columns.row[i] = copies->row[i];
		copies->columns.row_mirror[i] = copies->row_mirror[i] + 2 * (LANES - 1);
		copies->columns.at[i] = copies->at[i];
		copies->columns.mirror[i] = copies->mirror[i] + 2 * (LANES - 1);
	}
	for (unsigned j = 1; j < odd->r; j++)
		copies->columns.table[j] = copies->table[j];
}

/* Copies the twiddles of n columns from k on. */
static void LOCAL(copy_table)(const struct fft_odd *odd, size_t k, size_t n, struct LOCAL(copies) * copies)
{
	struct LOCAL(columns) c;

	LOCAL(find_columns)(odd, k, &c);
	for (unsigned j = 1; j < odd->r; j++)
		memcpy(copies->table[j], c.table[j], 2 * n * sizeof(real));
}

/* Column 0 and the last, partial vector of columns: through padded copies. */
static void LOCAL(join_some)(const struct fft_odd *odd, size_t k, size_t n)
{
	const size_t pair = 2 * sizeof(real), m = odd->m;
	struct LOCAL(copies) copies;

	LOCAL(init_copies)(odd, &copies);
	LOCAL(copy_table)(odd, k, n, &copies);
	for (size_t t = 0; t < n; t++)
		for (unsigned i = 0; i <= odd->r / 2; i++) {
			const real *row = (real *)odd->rows + 2 * i * odd->distance;

			memcpy(copies.row[i] + 2 * t, row + 2 * (k + t), pair);
			memcpy(copies.columns.row_mirror[i] - 2 * t, row + 2 * (k + t ? m - k - t : 0), pair);
		}
	LOCAL(join_columns)(odd, &copies.columns);
	for (size_t t = 0; t < n; t++)
		for (unsigned l = 0; l <= odd->r / 2; l++) {
			real *x = odd->x;

			memcpy(x + 2 * (m * l + k + t), copies.at[l] + 2 * t, pair);
			if (l > 0 && k + t > 0)
				memcpy(x + 2 * (m * l - k - t), copies.columns.mirror[l] - 2 * t, pair);
		}
	if (k == 0)
		((real *)odd->x)[1] = 0; /* the sum of the reals is real */
}

/* The reverse of join_some. */
static void LOCAL(split_some)(const struct fft_odd *odd, size_t k, size_t n)
{
	const size_t pair = 2 * sizeof(real), m = odd->m;
	const real *x = odd->x;
	struct LOCAL(copies) copies;

	LOCAL(init_copies)(odd, &copies);
	LOCAL(copy_table)(odd, k, n, &copies);
	for (size_t t = 0; t < n; t++)
		for (unsigned l = 0; l <= odd->r / 2; l++) {
			memcpy(copies.at[l] + 2 * t, x + 2 * (m * l + k + t), pair);
			memcpy(copies.columns.mirror[l] - 2 * t, x + 2 * (m * l - (l ? k + t : 0)), pair);
		}
	if (k == 0)
		copies.at[0][1] = 0; /* it counts as 0 */
	LOCAL(split_columns)(odd, &copies.columns);
	for (size_t t = 0; t < n; t++)
		for (unsigned i = 0; i <= odd->r / 2; i++) {
			real *row = (real *)odd->rows + 2 * i * odd->distance;

			memcpy(row + 2 * (k + t), copies.row[i] + 2 * t, pair);
			if (k + t > 0)
				memcpy(row + 2 * (m - k - t), copies.columns.row_mirror[i] - 2 * t, pair);
		}
}

/* With r = 1 the only row is the whole spectrum. */
static void LOCAL(join_one_row)(const struct fft_odd *odd)
{
	const real *row = odd->rows;
	real *x = odd->x;

	memcpy(x + 2 * odd->begin, row + 2 * odd->begin, 2 * (odd->end - odd->begin) * sizeof(real));
	for (size_t k = odd->begin; k < odd->end && odd->conjugate; k++)
		x[2 * k + 1] = -x[2 * k + 1];
	if (odd->begin == 0)
		x[1] = 0; /* the sum of the reals is real */
}

static void LOCAL(split_one_row)(const struct fft_odd *odd)
{
	const real *x = odd->x, sign = odd->conjugate ? -1 : 1;
	real *row = odd->rows, *mirror = row + 2 * odd->m;

	for (size_t k = odd->begin; k < odd->end; k++) {
		const real re = x[2 * k], im = k ? sign * x[2 * k + 1] : 0;

		row[2 * k] = re;
		row[2 * k + 1] = im;
		if (k > 0) {
			mirror[-2 * (ptrdiff_t)k] = re;
			mirror[-2 * (ptrdiff_t)k + 1] = -im;
		}
	}
}

/* Column 0 has no mirror image in the spectrum, so the first vector of columns goes through copies. */
INLINE void LOCAL(run_columns)(const struct fft_odd *odd, bool join)
{
	size_t k = odd->begin, n;

	if (odd->r == 1) {
		(join ? LOCAL(join_one_row) : LOCAL(split_one_row))(odd);
		return;
	}
	if (k == 0 && k < odd->end) {
		k = size_min(LANES, odd->end);
		(join ? LOCAL(join_some) : LOCAL(split_some))(odd, 0, k);
	}
	for (; k < odd->end; k += n) {
		n = size_min(LANES, odd->end - k);
		if (n == LANES) {
			struct LOCAL(columns) columns;

			LOCAL(find_columns)(odd, k, &columns);
			(join ? LOCAL(join_columns) : LOCAL(split_columns))(odd, &columns);
		} else {
			(join ? LOCAL(join_some) : LOCAL(split_some))(odd, k, n);
		}
	}
}

static void LOCAL(odd_join)(const struct fft_odd *odd)
{
	LOCAL(run_columns)(odd, true);
}

static void LOCAL(odd_split)(const struct fft_odd *odd)
{
	LOCAL(run_columns)(odd, false);
}

/* Copies the caller's reals to the rows, for q of [begin, end). */
static void LOCAL(odd_deal)(const struct fft_odd *odd)
{
	for (unsigned i = 0; i <= odd->r / 2; i++) {
		const real *x = (const real *)odd->x + (i ? 2 * i - 1 : 0) * odd->stride;
		real *row = (real *)odd->rows + 2 * i * odd->distance;

		for (size_t q = odd->begin; q < odd->end; q++) {
			row[2 * q] = x[q * odd->r * odd->stride];
			row[2 * q + 1] = i ? x[(q * odd->r + 1) * odd->stride] : 0;
		}
	}
}

/* Copies the rows to the caller's reals. */
static void LOCAL(odd_gather)(const struct fft_odd *odd)
{
	for (unsigned i = 0; i <= odd->r / 2; i++) {
		real *x = (real *)odd->x + (i ? 2 * i - 1 : 0) * odd->stride;
		const real *row = (const real *)odd->rows + 2 * i * odd->distance;

		for (size_t q = odd->begin; q < odd->end; q++) {
			x[q * odd->r * odd->stride] = row[2 * q];
			if (i)
				x[(q * odd->r + 1) * odd->stride] = row[2 * q + 1];
		}
	}
}
