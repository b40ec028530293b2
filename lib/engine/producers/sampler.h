/* SPDX-License-Identifier: Apache-2.0 */
/* Noise: a distribution on a stream, checked and compiled once, of which any samples are then drawn, as often as
 * wanted.
 *
 * It is described by a map as a program's step is, {op: a distribution, its parameters, dtype, generator, seed, stream,
 * offset}; sample 0 is the one at that offset. What rings and broadcasts are filled with. */
#ifndef TRNSCI_ENGINE_SAMPLER_H
#define TRNSCI_ENGINE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/memory/session_memory.h"
#include "engine/operations/bind.h"
#include "rng/stream.h"

struct noise;

/* The map is the value of args' parameter `param`; u64_param tells how numbers stand in the description. named: the
 * stream that a name stands for, of which samples are aimed at anywhere, and which the map then must not tell; NULL: the
 * map's own. On success *ret_noise is yours, before the space is closed. Errors name the parameter. */
int noise_create(struct space *space, const struct args *args, unsigned param, unsigned u64_param,
		 const struct stream *named, struct noise **ret_noise, struct error *err);
/* Lets go of the engine: nothing can be drawn any more, only told. */
void noise_end(struct noise *noise);
/* Nothing may run. Accepts NULL. */
void noise_free(struct noise *noise);

/* Bytes of a sample, all its components together; they are `components` elements of the dtype. */
size_t noise_sample_bytes(const struct noise *noise);
uint64_t noise_components(const struct noise *noise);
/* Words of the stream that a sample takes. */
unsigned noise_words(const struct noise *noise);
/* Samples up to the end of the stream; UINT64_MAX stands for as many and more. */
uint64_t noise_samples(const struct noise *noise);

/* generator, seed, stream, offset and position (not of a named stream), dtype, components, stream_format into map; they live as long as the
 * noise. -ERROR_NO_MEMORY */
int noise_describe(const struct noise *noise, struct bump *bump, struct value *map);

/* Makes what its distribution draws from, by a piece, before the first samples. 1: there may be more; 0: all is there.
 */
int noise_make(struct noise *noise, struct error *err);

/* Sets what is drawn next: samples [first, first + n) into out, in *ret_units units for noise_run. Nothing may run.
 * The caller has kept to noise_samples. */
void noise_aim(struct noise *noise, uint64_t first, size_t n, void *out, size_t *ret_units);
/* As job_ops.run. */
uint64_t noise_run(struct noise *noise, size_t unit, void *scratch);

#endif
