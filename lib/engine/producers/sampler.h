/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler: a distribution on a stream, validated and compiled once. Later calls draw any of its samples, any number
 * of times. Rings and broadcasts draw from one.
 *
 * It is described by the same map as a program's step: {op: a distribution, its parameters, dtype, generator, seed,
 * stream, offset}. Sample 0 is the one at that offset. */
#ifndef TRNSCI_ENGINE_SAMPLER_H
#define TRNSCI_ENGINE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/memory/engine_session.h"
#include "engine/operations/bind.h"
#include "rng/stream.h"

struct job;
struct sampler;

/* Compiles the map in args' parameter `param`; u64_param says how the description writes 64-bit integers. named: the
 * stream behind a name, in which the caller seeks; the map must then state no stream. NULL: the map states the stream.
 * noise: the map of the signal that the named stream is, which lives during the call; NULL: it is none. On success *ret_sampler is
 * yours; free it before the session is closed. Errors name the parameter. */
int sampler_create(struct engine_session *session, const struct args *args, unsigned param, unsigned u64_param,
		   const struct stream *named, const struct value *noise, struct sampler **ret_sampler, struct error *err);
/* Releases what it holds of the engine. Afterwards it can only be described and freed. */
void sampler_end(struct sampler *sampler);
/* No chunk may run. Accepts NULL. */
void sampler_free(struct sampler *sampler);

/* Bytes of one sample with all its components, which are `components` elements of the dtype. */
size_t sampler_sample_bytes(const struct sampler *sampler);
uint64_t sampler_components(const struct sampler *sampler);
/* Words of the stream that one sample takes. */
unsigned sampler_words(const struct sampler *sampler);
/* Samples up to the end of the stream, at most UINT64_MAX. */
uint64_t sampler_samples(const struct sampler *sampler);

/* Puts dtype, components, generator, seed, stream, stream_format and, unless the stream is named, offset and position
 * into map. The values live as long as the sampler. Returns 0 or -ERROR_NO_MEMORY. */
int sampler_describe(const struct sampler *sampler, struct bump *bump, struct value *map);

/* Builds one piece of the distribution's tables (as long as a chunk). Returns 1 while pieces may be left, then 0, or an
 * error. Call it until it returns 0 before the first seek. */
int sampler_build_tables(struct sampler *sampler, struct error *err);

/* Gets memory for draws of at most so many samples, once the tables are built. job: whose chunks draw them. Returns 0, or
 * -ERROR_NO_MEMORY or -ERROR_NOT_SUPPORTED. */
int sampler_start(struct sampler *sampler, struct job *job, uint64_t most);

/* Sets what is drawn next: samples [first, first + n) into out. No chunk may run. first + n is at most sampler_samples. */
void sampler_seek(struct sampler *sampler, uint64_t first, size_t n, void *out);
/* Begins the next stage of it, of *ret_chunks chunks for sampler_run_chunk. Returns JOB_STAGE, JOB_WAIT, JOB_END once all is drawn,
 * or an error. */
int sampler_advance(struct sampler *sampler, size_t *ret_chunks);
/* As job_ops.run. */
uint64_t sampler_run_chunk(struct sampler *sampler, size_t chunk, void *scratch);

#endif
