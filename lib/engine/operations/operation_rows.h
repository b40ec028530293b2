/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table of operations, in the order of documentation: what engine/operations/operations.c describes and what
 * engine/compile/rows.c compiles is expanded from this one list.
 *
 * ROW(name, class, parameters, compile function, help). Parameters: the array of engine/operations/operations.c that is called
 * PARAMETERS_params. Compile function: NULL where the class is not computed by a step of a program. The draws' rows are
 * those of the distributions, each of which becomes DRAW_ROW(...). */
#ifndef TRNSCI_ENGINE_OPERATION_ROWS_H
#define TRNSCI_ENGINE_OPERATION_ROWS_H

#include "dist/distributions/dist_rows.h"

/* clang-format off */
#define OPERATION_ROWS(ROW, DRAW_ROW) \
	ROW(version, SERVICE, plain, NULL, \
	    "name, version, the numbers of protocol and stream format, and the daemon's instance") \
	ROW(ping, SERVICE, ping, NULL, "replies, with the payload if there is one") \
	ROW(describe, SERVICE, plain, NULL, "the table of methods, parameters, errors and dtypes") \
	ROW(derive, SERVICE, derive, NULL, "a new stream from a stream: by a label, a number, or a split") \
	ROW(stats, SESSION, plain, NULL, "figures of the daemon, the engine and this session") \
	ROW(arena, SESSION, arena, NULL, "creates the session's memory for tiles, shared by a file descriptor; once a session") \
	ROW(cancel, SESSION, cancel, NULL, "cancels a request of this session at its next chunk") \
	ROW(ring_attach, SESSION, ring_attach, NULL, \
	    "attaches a ring of shared memory that is kept full of random numbers; returns file descriptors") \
	ROW(broadcast_create, SESSION, broadcast_create, NULL, \
	    "creates a broadcast: random numbers drawn once for many readers; ends with this session") \
	ROW(broadcast_publish, SESSION, broadcast_publish, NULL, \
	    "publishes more samples of a broadcast of this session") \
	ROW(broadcast_attach, SESSION, broadcast_name, NULL, \
	    "opens the memory of a broadcast for reading; returns a file descriptor") \
	ROW(broadcast_list, SESSION, plain, NULL, "lists the broadcasts that this client may read") \
	ROW(broadcast_close, SESSION, broadcast_name, NULL, "closes a broadcast of this session") \
	ROW(ring_detach, SESSION, ring_detach, NULL, "detaches a ring") \
	ROW(tile, SERVICE, tile, NULL, "allocates a tile in the session's memory") \
	ROW(free, SERVICE, free, NULL, "frees a tile, or all tiles of a scope") \
	ROW(stream_create, STREAM, stream_create, NULL, \
	    "creates a named stream, whose positions are never issued twice") \
	ROW(stream_draw, STREAM, stream_draw, NULL, \
	    "draws from the position of a named stream and advances it") \
	ROW(stream_show, STREAM, stream_name, NULL, \
	    "shows the position, the owner and the words skipped by crashes of a named stream") \
	ROW(stream_list, STREAM, stream_list, NULL, "lists the named streams that the client may show, by name") \
	ROW(stream_delete, STREAM, stream_name, NULL, \
	    "deletes a named stream; its numbers go to no other stream") \
	ROW(stream_advance, STREAM, stream_advance, NULL, \
	    "advances a named stream, for example after a snapshot of the machine was restored") \
	ROW(run, PROGRAM, run, NULL, "runs a program: a sequence of steps over tiles and named results") \
	ROW(prepare, SERVICE, prepare, NULL, "validates and compiles a call once, to be run many times") \
	ROW(run_prepared, PROGRAM, run_prepared, NULL, "runs a prepared call with its own stream, position and tiles") \
	ROW(release, SERVICE, release, NULL, "releases a prepared call; runs in progress finish") \
	DISTRIBUTION_ROWS(DRAW_ROW) \
	ROW(sobol, POINTS, sobol, compile_sobol, \
	    "Sobol points (Joe and Kuo's directions), (n, d), point 0 first") \
	ROW(halton, POINTS, halton, compile_halton, "Halton points, (n, d), point 0 first") \
	ROW(lattice, POINTS, lattice, compile_lattice, "points of an embedded rank-1 lattice in base 2, (n, d)") \
	ROW(lhs, POINTS, lhs, compile_lhs, "a Latin hypercube of n points, (n, d); default: in the middle of its cells") \
	ROW(box_muller, ELEMENTWISE, box_muller, compile_box_muller, \
	    "pairs of uniforms to pairs of standard normals") \
	ROW(scale, ELEMENTWISE, scale, compile_scale, "x to x by + plus, rounded once") \
	ROW(add, ELEMENTWISE, add, compile_add, "a + b") \
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
