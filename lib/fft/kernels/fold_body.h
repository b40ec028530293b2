/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise work on rows of pairs: products, and the fold of struct fft_fold. */

/* Multiplies n <= LANES elements. */
INLINE void LOCAL(multiply_part)(const struct fft_product *product, size_t i, size_t n, v_order_t in, v_order_t plain,
				 v_order_t out)
{
	const vec scale = v_set((real)product->scale);
	vec re, im, c, s;

	LOCAL(load_pairs)((const real *)product->x + 2 * i, n, in, &re, &im);
	LOCAL(load_pairs)((const real *)product->table + 2 * i, n, plain, &c, &s);
	LOCAL(cmul)(&re, &im, c, s);
	LOCAL(store_pairs)((real *)product->y + 2 * i, n, out, v_mul(re, scale), v_mul(im, scale));
}

/* Multiplies contiguous rows: full vectors, then what is left. */
static void LOCAL(multiply_rows)(const struct fft_product *product)
{
	const v_order_t in = v_order(product->exchange_x), out = v_order(product->exchange_y), plain = v_order(false);
	size_t i = 0;

	for (; i + LANES <= product->count; i += LANES)
		LOCAL(multiply_part)(product, i, LANES, in, plain, out);
	if (i < product->count)
		LOCAL(multiply_part)(product, i, product->count - i, in, plain, out);
}

/* Strided rows are copied to short contiguous ones first, so that their arithmetic is the same. */
static void LOCAL(multiply)(const struct fft_product *product)
{
	enum { CHUNK = 64 };
	real x[2 * CHUNK], y[2 * CHUNK];

	if (product->x_stride == 1 && product->y_stride == 1) {
		LOCAL(multiply_rows)(product);
		return;
	}
	for (size_t i = 0; i < product->count; i += CHUNK) {
		struct fft_product part = *product;

		part.x = x;
		part.y = y;
		part.table = (const real *)product->table + 2 * i;
		part.count = size_min(CHUNK, product->count - i);
		for (size_t j = 0; j < 2 * part.count; j++)
			x[j] = ((const real *)product->x)[2 * (i + j / 2) * product->x_stride + j % 2];
		LOCAL(multiply_rows)(&part);
		for (size_t j = 0; j < 2 * part.count; j++)
			((real *)product->y)[2 * (i + j / 2) * product->y_stride + j % 2] = y[j];
	}
}

/* Folds LANES values of k (where `itself`, k = 0 on the way there), in place: a = x[k] becomes y[k], b = x[h - k] becomes y[h - k]; (c, s) is t[k]. */
INLINE void LOCAL(fold_values)(const struct fft_fold *fold, bool itself, vec *ar, vec *ai, vec *br, vec *bi, vec c, vec s)
{
	/* The way back conjugates t. With a conjugated spectrum that cancels, and every result is conjugated
	 * instead. */
	const vec sign = v_set(fold->back && !fold->conjugate ? -1 : 1), scale = v_set((real)fold->scale);
	const vec scale_im = v_set((real)(fold->conjugate ? -fold->scale : fold->scale));
	/* An element folded with itself has the difference 0, also where it is Inf. */
	const vec er = v_add(*ar, *br), ei = itself ? v_set(0) : v_sub(*ai, *bi);
	vec dr = itself ? v_set(0) : v_sub(*ar, *br), di = v_add(*ai, *bi);

	LOCAL(cmul)(&dr, &di, c, v_mul(s, sign));
	*ar = v_mul(v_add(er, dr), scale);
	*ai = v_mul(v_add(ei, di), scale_im);
	*br = v_mul(v_sub(er, dr), scale);
	*bi = v_mul(v_sub(di, ei), scale_im);
}

/* The results of LANES values of k. */
struct LOCAL(folded) {
	vec re, im, mirror_re, mirror_im;
};

/* Folds LANES values of k: pairs from x on, pairs back from `mirror`, and pairs of the table. */
INLINE struct LOCAL(folded) LOCAL(fold_lanes)(const struct fft_fold *fold, const real *x, const real *mirror, const real *table)
{
	struct LOCAL(folded) f;
	vec c, s;

	LOCAL(load_lanes)(x, &f.re, &f.im);
	LOCAL(load_mirrored)(mirror, &f.mirror_re, &f.mirror_im);
	LOCAL(load_lanes)(table, &c, &s);
	LOCAL(fold_values)(fold, false, &f.re, &f.im, &f.mirror_re, &f.mirror_im, c, s);
	return f;
}

INLINE struct LOCAL(folded) LOCAL(fold_at)(const struct fft_fold *fold, size_t k)
{
	const real *x = fold->x, *table = fold->table;

	return LOCAL(fold_lanes)(fold, x + 2 * k, x + 2 * (fold->h - k), table + 2 * k);
}

INLINE void LOCAL(store_folded)(const struct LOCAL(folded) * f, real *y, real *mirror)
{
	LOCAL(store_lanes)(y, f->re, f->im);
	LOCAL(store_mirrored)(mirror, f->mirror_re, f->mirror_im);
}

/* Folds k = 0 alone. Its mirror image, element h, exists in the spectrum only, and imaginary parts at 0 and h count as
 * 0. */
INLINE void LOCAL(fold_first)(const struct fft_fold *fold)
{
	const v_order_t plain = v_order(false);
	const real *x = fold->x;
	real *y = fold->y;
	vec ar, ai, br, bi, c, s;

	LOCAL(load_pairs)(x, 1, plain, &ar, &ai);
	LOCAL(load_pairs)(fold->back ? x + 2 * fold->h : x, 1, plain, &br, &bi);
	LOCAL(load_pairs)(fold->table, 1, plain, &c, &s);
	if (fold->back)
		ai = bi = v_set(0);
	LOCAL(fold_values)(fold, !fold->back, &ar, &ai, &br, &bi, c, s);
	LOCAL(store_pairs)(y, 1, plain, ar, ai);
	if (fold->back)
		return;
	LOCAL(store_pairs)(y + 2 * fold->h, 1, plain, br, bi);
	/* An infinite element times the root's part that is 0. */
	y[1] = y[1] == 0 ? y[1] : 0;
	y[2 * fold->h + 1] = y[2 * fold->h + 1] == 0 ? y[2 * fold->h + 1] : 0;
}

/* Folds up to LANES values of k >= 1 through zero-padded copies. */
static void LOCAL(fold_some)(const struct fft_fold *fold, size_t k, size_t n)
{
	enum { LAST = 2 * LANES - 2 };
	const size_t h = fold->h, pair = 2 * sizeof(real);
	const real *x = fold->x, *table = fold->table;
	real *y = fold->y, in[2 * LANES] = {0}, mirror[2 * LANES] = {0}, turn[2 * LANES] = {0};
	real out[2 * LANES], out_mirror[2 * LANES];
	struct LOCAL(folded) folded;

	for (size_t i = 0; i < n; i++) {
		memcpy(in + 2 * i, x + 2 * (k + i), pair);
		memcpy(mirror + LAST - 2 * i, x + 2 * (h - k - i), pair);
		memcpy(turn + 2 * i, table + 2 * (k + i), pair);
	}
	folded = LOCAL(fold_lanes)(fold, in, mirror + LAST, turn);
	LOCAL(store_folded)(&folded, out, out_mirror + LAST);
	for (size_t i = 0; i < n; i++) {
		memcpy(y + 2 * (k + i), out + 2 * i, pair);
		memcpy(y + 2 * (h - k - i), out_mirror + LAST - 2 * i, pair);
	}
}

/* Folds k of [begin, end): k = 0 alone, then full vectors. The last two may overlap: both are loaded before either is stored, since
 * y may be x. */
static void LOCAL(fold)(const struct fft_fold *fold)
{
	const size_t h = fold->h, end = fold->end;
	real *y = fold->y;
	size_t k = fold->begin;
	struct LOCAL(folded) folded, last;

	if (k == 0 && k < end) {
		LOCAL(fold_first)(fold);
		k = 1;
	}
	for (; k + 2 * LANES <= end; k += LANES) {
		folded = LOCAL(fold_at)(fold, k);
		LOCAL(store_folded)(&folded, y + 2 * k, y + 2 * (h - k));
	}
	if (k + LANES <= end) {
		const size_t l = end - LANES;

		folded = LOCAL(fold_at)(fold, k);
		last = LOCAL(fold_at)(fold, l);
		LOCAL(store_folded)(&folded, y + 2 * k, y + 2 * (h - k));
		LOCAL(store_folded)(&last, y + 2 * l, y + 2 * (h - l));
	} else if (k < end) {
		LOCAL(fold_some)(fold, k, end - k);
	}
}
