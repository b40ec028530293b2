# SPDX-License-Identifier: Apache-2.0
"""cuRAND's device functions for `curandStatePhilox4_32_10_t`.

A function takes the state, and how many numbers one thread draws with it.
"""
from __future__ import annotations

from typing import Any, List

import numpy as np

from ._draw import draw, word

__all__ = ["State", "curand", "curand_init", "curand_normal",
           "curand_normal_double", "curand_uniform", "curand_uniform_double"]


def __dir__() -> list[str]:
    return sorted(__all__)


class State:
    """A state: made by `curand_init`."""

    def __init__(self, seed: int, subsequence: int, offset: int) -> None:
        self.seed, self.subsequence = word(seed), word(subsequence)
        self.offset = word(offset)
        # The second of a pair of normals, of float32 and float64.
        self._extra: List[Any] = [None, None]

    def _draw(self, distribution, n, dtype):
        array, reply = draw(distribution, n, dtype, seed=self.seed,
                            stream=self.subsequence, position=self.offset,
                            layout="curand")
        self.offset = reply["next"]
        return array

    def _normals(self, n, dtype, which):
        extra, self._extra[which] = self._extra[which], None
        if extra is None:
            extra = np.empty(0, dtype)
        if n <= len(extra):
            self._extra[which] = extra if n == 0 else None
            return extra[:n]
        pairs = self._draw("normal", (n - len(extra) + 1) // 2 * 2, dtype)
        numbers = np.concatenate([extra, pairs])
        if len(numbers) > n:
            self._extra[which] = numbers[n:]
        return numbers[:n]


def curand_init(seed: int, subsequence: int, offset: int) -> State:
    """Make a state.

    Examples
    --------
    >>> from trnsci.replay import curand
    >>> state = curand.curand_init(1234, 0, 0)
    >>> curand.curand_uniform(state, 2)
    array([0.12720795, 0.85346895], dtype=float32)
    >>> curand.curand_uniform(state, 2)
    array([0.26564887, 0.79605526], dtype=float32)
    """
    return State(seed, subsequence, offset)


def curand(state: State, n: int) -> Any:
    """Draw words of 32 bits."""
    return state._draw("bits", n, np.uint32)


def curand_uniform(state: State, n: int) -> Any:
    """Draw float32 numbers in (0, 1]."""
    return state._draw("uniform", n, np.float32)


def curand_uniform_double(state: State, n: int) -> Any:
    """Draw float64 numbers in (0, 1], each of one word."""
    return state._draw("uniform", n, np.float64)


def curand_normal(state: State, n: int) -> Any:
    """Draw standard normal numbers of float32; the state keeps the second of
    a pair."""
    return state._normals(n, np.float32, 0)


def curand_normal_double(state: State, n: int) -> Any:
    """Draw standard normal numbers of float64; the state keeps the second of
    a pair."""
    return state._normals(n, np.float64, 1)
