/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of NumPy's normals. */
#ifndef TRNSCI_DISTRIBUTIONS_ZIGGURAT_DATA_H
#define TRNSCI_DISTRIBUTIONS_ZIGGURAT_DATA_H

#include <stdint.h>

enum { ZIGGURAT_LAYERS = 256 };

/* Where the tail begins, and 1 / that. */
#define ZIGGURAT_TAIL         3.6541528853610087963519472518
#define ZIGGURAT_INVERSE_TAIL 0.27366123732975827203338247596

extern const uint64_t ziggurat_inside[ZIGGURAT_LAYERS];
extern const double ziggurat_width[ZIGGURAT_LAYERS], ziggurat_height[ZIGGURAT_LAYERS];
extern const uint32_t ziggurat_inside_f32[ZIGGURAT_LAYERS];
extern const float ziggurat_width_f32[ZIGGURAT_LAYERS], ziggurat_height_f32[ZIGGURAT_LAYERS];

#endif
