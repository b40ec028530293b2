/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of reductions. */
#ifndef TRNSCI_ENGINE_STEPS_REDUCE_H
#define TRNSCI_ENGINE_STEPS_REDUCE_H

enum reduction { REDUCE_SUM, REDUCE_MEAN, REDUCE_MAX, REDUCE_NORM };

#endif
