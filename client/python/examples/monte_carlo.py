#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The price of an Asian option by four processes on one stream, equal to one
process byte for byte.

usage: monte_carlo.py [PATHS]

Every worker has a part of the same draw: rank r of 4. The parts, joined in the
order of ranks, are what one process draws.
"""
import multiprocessing
import sys

import numpy as np

import trnsci

SEED, WORKERS, STEPS = 2026, 4, 64
PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0


def payoffs(rank, size, paths):
    """Discounted payoffs of this rank's paths."""
    rng = trnsci.Generator(SEED, rank=rank, size=size)
    step = YEARS / STEPS
    moves = rng.normal((RATE - VOLATILITY**2 / 2) * step,
                       VOLATILITY * np.sqrt(step), (paths, STEPS))
    prices = PRICE * np.exp(np.cumsum(moves, axis=1))
    return np.exp(-RATE * YEARS) * np.maximum(prices.mean(axis=1) - STRIKE, 0)


def main(paths=100_000):
    with multiprocessing.Pool(WORKERS) as pool:
        parts = pool.starmap(payoffs, [(rank, WORKERS, paths)
                                       for rank in range(WORKERS)])
    together = np.concatenate(parts)
    alone = payoffs(0, 1, paths)
    if together.tobytes() != alone.tobytes():
        raise SystemExit("the processes differ")
    error = alone.std() / np.sqrt(paths)
    print(f"price {alone.mean():.3f} +- {error:.3f}: "
          f"{WORKERS} processes and one give the same {alone.nbytes} bytes")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
