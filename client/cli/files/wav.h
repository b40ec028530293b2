/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a wav file.
 *
 * Sizes are known before the first sample, so a wav file can go to a pipe. Samples that are not integers have the length of an
 * extension in their fmt chunk (18 bytes) and a fact chunk, as readers expect; integers have neither. Beyond 4 GiB the file is an
 * RF64 file. Sources: Microsoft, New Multimedia Data Types (1994); EBU Tech 3306. */
#ifndef TRNSCI_CLI_FILES_WAV_H
#define TRNSCI_CLI_FILES_WAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAV_HEADER_MOST = 96 };

struct wav {
	uint32_t rate;
	unsigned channels, bits; /* of a sample */
	bool is_float;
	uint64_t frames;
};

/* The bytes of all samples, and of the whole file. */
uint64_t wav_data_bytes(const struct wav *wav);
uint64_t wav_file_bytes(const struct wav *wav);

/* Writes the header. Returns its bytes, at most WAV_HEADER_MOST. An odd number of bytes of samples is followed by one byte more. */
size_t wav_header(const struct wav *wav, unsigned char ret[WAV_HEADER_MOST]);

#endif
