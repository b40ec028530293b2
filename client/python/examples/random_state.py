#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that asks for `random_state` or a numpy Generator, before and after:
the words come from a stream of trnsci."""
import numpy as np
import scipy.optimize
import scipy.stats

import trnsci


def fit(random_state):
    """Code that knows numpy and scipy only."""
    sample = scipy.stats.gamma.rvs(2.5, scale=3.0, size=2000,
                                   random_state=random_state)
    interval = scipy.stats.bootstrap(
        (sample,), np.mean, n_resamples=500, method="percentile",
        random_state=random_state).confidence_interval
    found = scipy.optimize.differential_evolution(
        lambda p: scipy.stats.gamma.nnlf((p[0], 0, p[1]), sample),
        [(0.5, 5), (0.5, 5)], seed=random_state, maxiter=15, polish=False)
    return interval, found.x


def main():
    states = {
        "numpy, before": np.random.RandomState(1),
        "a stream": np.random.RandomState(trnsci.BitGenerator(1)),
        "as a Generator": np.random.Generator(trnsci.BitGenerator(1)),
        "another stream": np.random.Generator(
            trnsci.BitGenerator(1, stream=1)),
    }
    for name, state in states.items():
        (low, high), (shape, scale) = fit(state)
        print(f"{name:15} mean in {low:.2f} to {high:.2f} (7.50), "
              f"shape {shape:.2f} (2.50), scale {scale:.2f} (3.00)")


if __name__ == "__main__":
    main()
