/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table of operations, in the order of documentation: what engine/operations/operation_table.c
 * describes and what engine/compile/operation_compilers.c compiles is expanded from this one list.
 *
 * METHOD_ROW(name, class, start, effect, parameters, help) describes a method that no step of a program computes:
 * class, start and effect are the ends of METHOD_, START_ and EFFECT_ names. ROW(name, class, parameters, compile
 * function, help) describes an operation that a step computes: it is compiled, and has no effect beside its result.
 * Parameters: the array PARAMETERS_params of engine/operations. The rows of the draws are those of the distributions,
 * each of which becomes DRAW_ROW(...). */
#ifndef TRNSCI_ENGINE_OPERATION_ROWS_H
#define TRNSCI_ENGINE_OPERATION_ROWS_H

#include "distributions/rows/dist_rows.h"

/* clang-format off */
#define OPERATION_ROWS(METHOD_ROW, ROW, DRAW_ROW) \
	METHOD_ROW(version, SERVICE, SERVICE, NONE, plain, \
	    "name, version, the numbers of protocol and stream format, and the daemon's instance") \
	METHOD_ROW(ping, SERVICE, SERVICE, NONE, ping, "replies, with the payload if there is one") \
	METHOD_ROW(describe, SERVICE, SERVICE, NONE, plain, "the table of methods, parameters, errors and dtypes") \
	METHOD_ROW(derive, SERVICE, SERVICE, NONE, derive, "a new stream from a stream: by a label, a number, or a split") \
	METHOD_ROW(stats, SESSION, SESSION, NONE, plain, "figures of the daemon, the engine and this session") \
	METHOD_ROW(clients, SESSION, SESSION, NONE, plain, "lists the sessions of this client's user; for root and the daemon's user, all") \
	METHOD_ROW(disconnect, SESSION, SESSION, LASTING, disconnect, "ends a session that clients lists") \
	METHOD_ROW(slow, SESSION, SESSION, NONE, plain, "lists the last slow requests of this client's user; for root and the daemon's user, all") \
	METHOD_ROW(arena, SESSION, SESSION, SESSION, arena, "adds memory for the session's tiles, shared by a file descriptor") \
	METHOD_ROW(arena_free, SESSION, SESSION, SESSION, arena_free, "gives back memory that holds no tile") \
	METHOD_ROW(queue, SESSION, SESSION, SESSION, queue, \
	    "creates the session's queue for runs of prepared calls, shared by a file descriptor; once a session") \
	METHOD_ROW(cancel, SESSION, SESSION, NONE, cancel, "cancels a request of this session at its next chunk") \
	METHOD_ROW(ring_attach, SESSION, SESSION, SESSION, ring_attach, \
	    "attaches a ring of shared memory that is kept full of random numbers; returns file descriptors") \
	METHOD_ROW(broadcast_create, SESSION, SESSION, SESSION, broadcast_create, \
	    "creates a broadcast: random numbers drawn once for many readers; ends with this session") \
	METHOD_ROW(broadcast_publish, SESSION, SESSION, SESSION, broadcast_publish, \
	    "publishes more samples of a broadcast of this session") \
	METHOD_ROW(broadcast_attach, SESSION, SESSION, SESSION, broadcast_name, \
	    "opens the memory of a broadcast for reading; returns a file descriptor") \
	METHOD_ROW(broadcast_list, SESSION, SESSION, NONE, plain, "lists the broadcasts that this client may read") \
	METHOD_ROW(broadcast_close, SESSION, SESSION, SESSION, broadcast_name, "closes a broadcast of this session") \
	METHOD_ROW(ring_detach, SESSION, SESSION, SESSION, ring_detach, "detaches a ring") \
	METHOD_ROW(tile, SERVICE, SERVICE, SESSION, tile, "allocates a tile in the session's memory") \
	METHOD_ROW(free, SERVICE, SERVICE, SESSION, free, "frees a tile") \
	METHOD_ROW(stream_create, STREAM, OWNER, LASTING, stream_create, \
	    "creates a named stream, whose positions are never issued twice") \
	METHOD_ROW(stream_draw, STREAM, STREAM_DRAW, LASTING, stream_draw, \
	    "draws from the position of a named stream and advances it") \
	METHOD_ROW(stream_show, STREAM, OWNER, NONE, stream_name, \
	    "shows the position, the owner and the words skipped by crashes of a named stream") \
	METHOD_ROW(stream_list, STREAM, OWNER, NONE, stream_list, "lists the named streams that the client may show, by name") \
	METHOD_ROW(stream_delete, STREAM, OWNER, LASTING, stream_name, \
	    "deletes a named stream; its numbers go to no other stream") \
	METHOD_ROW(stream_advance, STREAM, OWNER, LASTING, stream_advance, \
	    "advances a named stream, for example after a snapshot of the machine was restored") \
	METHOD_ROW(run, PROGRAM, COMPILED, NONE, run, "runs a program: a sequence of steps over tiles and named results") \
	METHOD_ROW(prepare, SERVICE, SERVICE, SESSION, prepare, "validates and compiles a call once, to be run many times") \
	METHOD_ROW(run_prepared, PROGRAM, PREPARED, SESSION, run_prepared, "runs a prepared call with its own stream, position and tiles") \
	METHOD_ROW(release, SERVICE, SERVICE, SESSION, release, "releases a prepared call; runs in progress finish") \
	DISTRIBUTION_ROWS(DRAW_ROW) \
	ROW(colored, DRAW, colored, compile_colored, \
	    "coloured noise: normal numbers with a spectrum, one infinite signal") \
	ROW(sobol, POINTS, sobol, compile_sobol, \
	    "Sobol points (Joe and Kuo's directions), (n, d), point 0 first") \
	ROW(halton, POINTS, halton, compile_halton, "Halton points, (n, d), point 0 first") \
	ROW(lattice, POINTS, lattice, compile_lattice, "points of an embedded rank-1 lattice in base 2, (n, d)") \
	ROW(lhs, POINTS, lhs, compile_lhs, "a Latin hypercube of n points, (n, d); default: in the middle of its cells") \
	ROW(field, TRANSFORM, field, compile_field, \
	    "a Gaussian random field on a grid, by its spectrum or its covariance") \
	ROW(fgn, TRANSFORM, fractional, compile_fgn, "fractional Gaussian noise: the steps of fbm") \
	ROW(fbm, TRANSFORM, fractional, compile_fbm, "fractional Brownian motion: the sums of fgn") \
	ROW(surrogate, TRANSFORM, surrogate, compile_surrogate, "a signal with the spectrum of another, its phases drawn anew") \
	ROW(box_muller, ELEMENTWISE, box_muller, compile_box_muller, \
	    "pairs of uniforms to pairs of standard normals") \
	ROW(scale, ELEMENTWISE, scale, compile_scale, "x to x by + plus, rounded once") \
	ROW(add, ELEMENTWISE, terms, compile_binary, "a + b") \
	ROW(subtract, ELEMENTWISE, terms, compile_binary, "a - b") \
	ROW(multiply, ELEMENTWISE, factors, compile_binary, "a b") \
	ROW(divide, ELEMENTWISE, factors, compile_binary, "a / b") \
	ROW(abs, ELEMENTWISE, any_elements, compile_unary, "absolute value, which is real") \
	ROW(square, ELEMENTWISE, any_elements, compile_unary, "x x") \
	ROW(sqrt, ELEMENTWISE, real_elements, compile_unary, "square root; below 0: NaN") \
	ROW(log, ELEMENTWISE, real_elements, compile_unary, "natural logarithm; of 0: -inf, below 0: NaN") \
	ROW(exp, ELEMENTWISE, real_elements, compile_unary, "e to the power x") \
	ROW(conj, ELEMENTWISE, complex_elements, compile_unary, "complex conjugate") \
	ROW(real, ELEMENTWISE, complex_elements, compile_unary, "real part") \
	ROW(imag, ELEMENTWISE, complex_elements, compile_unary, "imaginary part") \
	ROW(clip, ELEMENTWISE, clip, compile_clip, "x, held between low and high") \
	ROW(where, ELEMENTWISE, where, compile_where, "elements of a where a condition holds, of b elsewhere") \
	ROW(sum, TRANSFORM, reduce, compile_reduce, "sum of elements along axes") \
	ROW(mean, TRANSFORM, reduce, compile_reduce, "mean of elements along axes") \
	ROW(max, TRANSFORM, reduce, compile_reduce, "greatest of elements along axes; NaN if there is one") \
	ROW(norm, TRANSFORM, reduce, compile_reduce, "Euclidean norm along axes, which is real") \
	ROW(noise_add, ELEMENTWISE, noise_add, compile_noise_add, \
	    "x + sigma noise in one pass, the noise of any distribution") \
	ROW(fft, TRANSFORM, fft, compile_fft, "discrete Fourier transform over chosen axes") \
	ROW(dct, TRANSFORM, series, compile_dct, "discrete cosine transform, types 1 to 4, over chosen axes") \
	ROW(dst, TRANSFORM, series, compile_dst, "discrete sine transform, types 1 to 4, over chosen axes") \
	ROW(fftshift, TRANSFORM, shift, compile_shift, "frequency 0 to the middle of each axis") \
	ROW(gemm, TRANSFORM, gemm, compile_gemm, "product of complex matrices, alpha op(a) op(b) + beta c") \
	ROW(trace, TRANSFORM, trace, compile_trace, \
	    "estimate of a matrix's trace from products with random probes") \
	ROW(stft, SIGNAL, stft, compile_stft, "short-time Fourier transform, with the meaning of torch.stft") \
	ROW(istft, SIGNAL, istft, compile_istft, \
	    "signals from short-time spectra, with the meaning of torch.istft") \
	ROW(convolve, SIGNAL, convolve, compile_convolve, "convolution along an axis, by transforms") \
	ROW(correlate, SIGNAL, correlate, compile_correlate, "cross-correlation along an axis, by transforms") \
	ROW(welch, SIGNAL, welch, compile_welch, "power spectrum by Welch's method, as scipy.signal.welch") \
	ROW(csd, SIGNAL, csd, compile_csd, "cross power spectrum by Welch's method, as scipy.signal.csd") \
	ROW(window, SIGNAL, window, compile_window, "a window by name, as scipy.signal.get_window")
/* clang-format on */

#endif
