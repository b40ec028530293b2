/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller has to know of an operation beside its parameters: the dtype and shape of the result, members of the
 * reply, limits, and the source of the method. Plain sentences, which PROTOCOL.md, trnsci-operations(7) and `describe`
 * show behind the row's help. Every row of engine/operations/operation_rows.h has one, "" where the help says all; of draws
 * distributions/rows/dist_rows.h says it. */
#ifndef TRNSCI_ENGINE_OPERATION_DETAILS_H
#define TRNSCI_ENGINE_OPERATION_DETAILS_H

#define DETAILS_version           ""
#define DETAILS_ping              ""
#define DETAILS_describe          ""
#define DETAILS_derive \
	"With split, the reply has streams, an array of {seed, stream}, in the place of seed and stream."
#define DETAILS_stats             ""
#define DETAILS_arena             ""
#define DETAILS_arena_free        ""
#define DETAILS_queue             ""
#define DETAILS_clients           ""
#define DETAILS_disconnect        ""
#define DETAILS_slow              ""
#define DETAILS_cancel            ""
#define DETAILS_ring_attach       ""
#define DETAILS_broadcast_create  ""
#define DETAILS_broadcast_publish ""
#define DETAILS_broadcast_attach  ""
#define DETAILS_broadcast_list    ""
#define DETAILS_broadcast_close   ""
#define DETAILS_ring_detach       ""
#define DETAILS_tile              ""
#define DETAILS_free              ""
#define DETAILS_stream_create     ""
#define DETAILS_stream_draw       ""
#define DETAILS_stream_show       ""
#define DETAILS_stream_list       ""
#define DETAILS_stream_delete     ""
#define DETAILS_stream_advance    ""
#define DETAILS_run               ""
#define DETAILS_prepare           ""
#define DETAILS_run_prepared      ""
#define DETAILS_release           ""

#define DETAILS_colored \
	"Sample k is sum over j < length of h[j] w[k + length - 1 - j], w the stream's standard normals: offsets and parts cut one " \
	"signal. A draw of n occupies the words of n + length - 1 normals, so the next draw's signal is independent of it. The reply " \
	"has length, flat_below (of color and exponent), std, and deviation: by how much, at most, the filter's density differs from " \
	"the one asked for, where that is above 0, between 10 fs / length and 0.45 fs, in dB. It is at most 0.1 for exponents from -3 " \
	"to 3, and 0.2 to 4. f32 is computed in float64 where the density spans more than 120 dB, and where taps are given; its std is " \
	"1e-28 to 1e28, that of f64 1e-280 to 1e280. Bytes are the same as those of transforms are. Compare: N. J. Kasdin, Proc. IEEE " \
	"83 (1995) 802."
#define DETAILS_sobol \
	"Sources: I. A. Antonov, V. M. Saleev, USSR Comput. Math. Math. Phys. 19 (1979) 252; S. Joe, F. Y. Kuo, " \
	"new-joe-kuo-6.21201 (2008)."
#define DETAILS_halton \
	"Sources: J. H. Halton, Numer. Math. 2 (1960) 84; J. Matousek, J. Complexity 14 (1998) 527; A. B. Owen, " \
	"arXiv:1706.02808 (2017)."
#define DETAILS_lattice "Source: R. Cools, F. Y. Kuo, D. Nuyens, SIAM J. Sci. Comput. 28 (2006) 2162."
#define DETAILS_lhs \
	"A design has at most 2^32 points, and no offset. Source: M. D. McKay, R. J. Beckman, W. J. Conover, " \
	"Technometrics 21 (1979) 239."

#define DETAILS_field \
	"Give one of exponent, spectrum and covariance. The grid is periodic: the covariance is summed over all images of the " \
	"grid, so its spectrum is never negative, and a point's variance is std^2 with what its images add. With r the distance " \
	"in lengths, gaussian is exp(-r^2 / 2), exponential exp(-r), and matern 2^(1 - nu) / Gamma(nu) s^nu K_nu(s), s = sqrt(2 " \
	"nu) r; spherical is 1 - 3/2 r + r^3 / 2 below 1 and 0 beyond, for up to three axes, and at most 4 extents of the grid " \
	"long; length has no default. P is the power spectral density: the integral of P dk / (2 pi)^d is the variance of d " \
	"dimensions; cosmology's P(k) is the same. A table is interpolated in logarithms, linearly beside a 0, and 0 outside. " \
	"The largest wave number must not give more than 2^800 times the density of the least. Without periodic the field is " \
	"the corner of a grid, the reply's embedding, at most 4 times the minimal one, 2 (n - 1) points, on an axis (and up to " \
	"the next product of 2, 3 and 5): either one whose images add at most image_error to the covariance, relative to std^2, " \
	"below 1e-12 in f64 and 1e-6 in f32; or one that has none (image_error is 0). The latter's spectrum may have negative " \
	"values. Those above -1e-12 (f32: -1e-6) of the largest count as 0, and dropped states by how much the variance is " \
	"larger then, relative to std^2. Otherwise the request is refused, unless approximate is set: that allows images. The " \
	"result has the shape. Normal k of the stream is white noise at point k of the grid in row-major order; the reply says " \
	"where they lie, as that of a draw. A step exp behind it makes a lognormal field, of mean 1 where mean is -std^2 / 2: " \
	"examples/lognormal.json. With result spectrum nothing is drawn: element (j0, j1, ...), j up to n / 2 on each axis, is " \
	"the spectrum at k = 2 pi j / (n spacing). The expected square of the field's transform there, by the number of points, " \
	"is that times the square of the reply's root, and, where the reply's relative is true (exponent, or std beside a " \
	"table), divided by its mean over all wave numbers of the grid, summed in multiples of the reply's unit. Where the " \
	"reply's transformed is true, the element is the covariance of point j and point 0 by std^2, whose transform is the " \
	"spectrum. Sources: T. Dietrich, G. N. Newsam, SIAM J. Sci. Comput. 18 (1997) 1088; A. Lang, J. Potthoff, Monte Carlo " \
	"Methods Appl. 17 (2011) 195."

#define DETAILS_FRACTIONAL_ \
	"The covariance of steps k apart is std^2 (|k + 1|^2H - 2 |k|^2H + |k - 1|^2H) / 2, H being hurst, exactly: a ring of 2 m points, m the " \
	"next product of 2, 3 and 5 from the number of points on, has a spectrum without negative values. Normal k of the stream is white " \
	"noise at point k of the ring; the reply says where they lie, as that of a draw. Source: R. B. Davies, D. S. Harte, Biometrika 74 " \
	"(1987) 95."
#define DETAILS_fgn DETAILS_FRACTIONAL_
#define DETAILS_fbm "Point k, from 0, is the sum of the first k + 1 steps, and has the variance std^2 (k + 1)^2H, and the mean. " DETAILS_FRACTIONAL_

#define DETAILS_surrogate \
	"The result has the dtype and shape of in, which out may be. Along the last axis every frequency but 0 and, for an even number of " \
	"samples, the highest is turned by a uniform angle: float64 uniform k of the stream is that of bin k of all half spectra, in turns. " \
	"Source: J. Theiler, S. Eubank, A. Longtin, B. Galdrikian, J. D. Farmer, Physica D 58 (1992) 77."

#define DETAILS_box_muller \
	"The result has the dtype and shape of in, which out may be. Elements 2j and 2j + 1 become the cosine and the sine of " \
	"one angle times one radius. The draw normal gives the same bytes. Source: G. E. P. Box, M. E. Muller, Ann. Math. " \
	"Statist. 29 (1958) 610."
#define DETAILS_scale     "The result has the dtype and shape of in, which out may be."
#define DETAILS_add      "The result has the dtype and shape of a. out may be a, or b of its shape."
#define DETAILS_subtract DETAILS_add
#define DETAILS_multiply \
	"The result has the dtype and shape of a. Real products are rounded once; each part of a complex one is right to 1.5 ulp."
#define DETAILS_divide \
	"The result has the dtype and shape of a. Real quotients are rounded once; each part of a complex one is right to 4 ulp."
#define DETAILS_abs    "The result is f32 or f64. Of complex numbers right to 1.5 ulp, without overflow in between."
#define DETAILS_square "Complex numbers are multiplied with themselves, each part right to 1.5 ulp."
#define DETAILS_sqrt   "Rounded once."
#define DETAILS_log    "Right to 2 ulp in f64, to 0.501 ulp in f32."
#define DETAILS_exp    "Right to 1.5 ulp in f64, to 0.501 ulp in f32."
#define DETAILS_conj   ""
#define DETAILS_real   "The result is f32 or f64."
#define DETAILS_imag   "The result is f32 or f64."
#define DETAILS_clip   "The bounds are rounded to the dtype of x. NaN stays NaN."
#define DETAILS_where  "The result has the dtype and shape of a."
#define DETAILS_sum    "The order of addition depends on the shape alone, and sums are compensated: the error is at most 1 ulp of the result and " \
	"2^-100 of the sum of magnitudes for each element. The result has the other axes; without any it has one element."
#define DETAILS_mean   "The sum, divided by the number of elements. The result has the other axes; without any it has one element."
#define DETAILS_max    "The result has the other axes; without any it has one element."
#define DETAILS_norm   "The root of the sum of squares, which are added as by sum, of complex numbers of both parts."
#define DETAILS_noise_add \
	"The result has the dtype and shape of in, which out may be. The reply has noise, a map of what the draw of the noise " \
	"itself would reply, without the numbers."

#define DETAILS_fft \
	"Meaning and defaults are those of numpy.fft. The result has the shape of in, except for the lengths that are given. Half a " \
	"spectrum has N/2 + 1 elements in the last of the axes; back from N of them there are 2 (N - 1) elements, or length. " \
	"The result is real with real and inverse, and with hermitian alone; otherwise it is complex. It is f64 or c128 for " \
	"input of f64 or c128, and in the modes double, ozaki_hq and ozaki_fp64; otherwise f32 or c64; dtype decides between " \
	"them. The input must be real with real alone, and with hermitian and inverse. Without axes, the last ones are " \
	"transformed, one for each length. out may be in where dtype and shape agree. The reply states the precision that ran and its bound."
#define DETAILS_SERIES_ \
	"The result has the shape of in, except for the lengths that are given: real for real input, complex for complex input, " \
	"whose real and imaginary parts are transformed separately. It is f64 or c128 for input of f64 or c128 and in the mode " \
	"double; otherwise f32 or c64; dtype decides between them. Without axes, the last ones are transformed, one for each length. " \
	"out may be in where dtype and shape agree. The reply states the precision that ran and its bound."
#define DETAILS_dct "Meaning and defaults are those of scipy.fft.dct and idct. Type 1 needs at least 2 elements. " DETAILS_SERIES_
#define DETAILS_dst \
	"Meaning and defaults are those of scipy.fft.dst and idst, except for the factors of norm ortho in types 2 and 3, see orthogonalize. " \
	DETAILS_SERIES_
#define DETAILS_fftshift \
	"As numpy.fft.fftshift and ifftshift: element i of an axis of n goes to (i + floor(n / 2)) mod n, or back. " \
	"The result has the dtype and shape of in, which out may be."
#define DETAILS_gemm \
	"The result has shape (..., m, n), also of a row or a column. It is c64 in fast, bf16, ozaki and ozaki6, and c128 in " \
	"double, ozaki_hq and ozaki_fp64; fast is the default for input of f32 and c64, double where a or b is f64 or c128. out " \
	"may be a, b or c. beta without c is an error. The reply states the precision, and, where it is below 1, the proved " \
	"bound of each element's error, relative to |alpha| |row of op(a)| |column of op(b)| + |beta c| (2-norms)."
#define DETAILS_trace \
	"The result is two f64: the estimate and its standard error, which is NaN if there was only one probe for it. The " \
	"reply has both as estimate and standard_error, method, probes and products, and what a draw of the probes would " \
	"state. hutchpp allows size 1 only. Sources: " \
	"M. F. Hutchinson, Communications in Statistics 18 (1989) 1059; R. A. Meyer, C. Musco, C. Musco, D. P. Woodruff, " \
	"Hutch++, SOSA 2021, algorithm 1."

#define DETAILS_stft \
	"The result is complex, (..., bins, frames) or as layout states: c64 for signals of f32 and c64, c128 for f64 and c128. " \
	"With center there are samples / hop_length + 1 frames (n_fft even), without (samples - n_fft) / hop_length + 1, both " \
	"rounded down. reflect needs more samples than n_fft / 2. onesided is an error for complex signals."
#define DETAILS_istft \
	"The result is (..., length): f32 for spectra of c64, f64 for c128; c64 or c128 with return_complex. It is an error " \
	"(out_of_range) where the squared windows over a sample sum to 1e-11 or less: such a sample cannot be computed."
#define DETAILS_CONVOLVE_ \
	"With n samples in a and m in b the result has n + m - 1 samples in mode full, n in mode same, and max(n, m) - min(n, m) " \
	"+ 1 in mode valid. It is complex where a or b is, and f64 or c128 where a or b is; otherwise f32 or c64. Along the " \
	"other axes a size of 1, or an array of one dimension, is used for all rows of the other. Limits: 2^30 samples, and " \
	"2^19 of the shorter one."
#define DETAILS_convolve  "Meaning and modes are those of scipy.signal.convolve, along one axis. " DETAILS_CONVOLVE_
#define DETAILS_correlate \
	"Meaning and modes are those of scipy.signal.correlate, along one axis: convolve with b conjugated and reversed. " DETAILS_CONVOLVE_
#define DETAILS_WELCH_ \
	" The result has the shape of in, with nfft / 2 + 1 bins (onesided) or nfft in the place of the samples, behind an axis of segments where average = none. A segment is at " \
	"most as long as a signal; frequencies are multiples of fs / nfft, the reply's bin_width, and segments is their number. " \
	"onesided is an error for complex signals. A long signal may come in pieces, cut at any segments: average = sums gives sums, " \
	"f64 or c128 of shape (signals, 8, bins), and each piece is given the sums and segments of the reply before; the bytes " \
	"of the result are those of the whole signal. scaling, fs and onesided are the last call's."
#define DETAILS_welch "The result is real, f32 for signals of f32 and c64, f64 for f64 and c128." DETAILS_WELCH_
#define DETAILS_csd \
	"The result is complex, the mean of conj(X) Y: c64 where both signals are f32 or c64, otherwise c128." DETAILS_WELCH_
#define DETAILS_window \
	"The result is (n). gaussian and general_hamming need a window_parameter; kaiser, exponential and tukey have a default " \
	"one; the others have none."

#endif
