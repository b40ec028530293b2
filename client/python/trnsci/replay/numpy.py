# SPDX-License-Identifier: Apache-2.0
"""`numpy.random.Philox`, and what a `numpy.random.Generator` over it draws.

The words are the engine's. Normals and what else takes a varying number of
words beside integers is numpy's own: use it.
"""
from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from ._draw import Shape, draw, shape_of

__all__ = ["Philox"]


def __dir__() -> list[str]:
    return sorted(__all__)


class Philox:
    """`numpy.random.Philox`, with the methods of a Generator over it.

    Parameters
    ----------
    seed : int or sequence of ints, optional
        Through `numpy.random.SeedSequence`.
    counter : int, optional
        Below 2**61; default: 0.
    key : int, optional
        128 bits, in the place of `seed`.

    Examples
    --------
    >>> from trnsci.replay import numpy
    >>> [hex(word) for word in numpy.Philox(0xdeadbeaf).random_raw(2)]
    ['0xedc95200e2bd66a5', '0x581d4e43b7682352']
    """

    def __init__(self, seed: Any = None, counter: int = 0,
                 key: Optional[int] = None) -> None:
        if (seed is None) == (key is None):
            raise ValueError("seed: got both or neither of seed and key, "
                             "allowed is one of them")
        if key is None:
            words = np.random.SeedSequence(seed).generate_state(2, np.uint64)
            key = int(words[0]) | int(words[1]) << 64
        key, counter = operator.index(key), operator.index(counter)
        if not 0 <= counter < 2**61:
            raise ValueError(f"counter: got {counter}, allowed is 0 to "
                             "2**61 - 1")
        self._source = {"seed": key % 2**64, "stream": key >> 64,
                        "layout": "numpy_key"}
        self._word = 4 * counter
        # A half of a word that is left, by its position.
        self._half: Optional[int] = None

    def _draw(self, distribution, n, dtype, position):
        array, _ = draw(distribution, n, dtype, position=position,
                        **self._source)
        return array

    def _wide(self, distribution, shape, dtype):
        shape = shape_of(shape)
        n = int(np.prod(shape, dtype=np.int64))
        array = self._draw(distribution, n, dtype, 2 * self._word)
        self._word += n
        return array.reshape(shape)

    def _narrow(self, distribution, shape, dtype):
        shape = shape_of(shape)
        n = int(np.prod(shape, dtype=np.int64))
        parts = []
        if n and self._half is not None:
            parts.append(self._draw(distribution, 1, dtype, self._half))
            self._half = None
        rest = n - len(parts)
        if rest:
            parts.append(self._draw(distribution, rest, dtype,
                                    2 * self._word))
            self._word += (rest + 1) // 2
            if rest % 2:
                self._half = 2 * self._word - 1
        return np.concatenate(parts or [np.empty(0, dtype)]).reshape(shape)

    def random_raw(self, size: Shape = ()) -> Any:
        """Draw words of 64 bits.

        Examples
        --------
        >>> from trnsci.replay import numpy
        >>> int(numpy.Philox(0).random_raw())
        259491006799949737
        """
        return self._wide("bits", size, np.uint64)

    def random(self, size: Shape = (), dtype: Any = np.float64) -> Any:
        """Draw uniform numbers in [0, 1), float64 or float32.

        Examples
        --------
        >>> from trnsci.replay import numpy
        >>> numpy.Philox(1).random(2)
        array([0.06680201, 0.07901298])
        """
        if np.dtype(dtype) == np.float32:
            return self._narrow("uniform", size, np.float32)
        return self._wide("uniform", size, np.float64)

    def integers(self, low: int, high: Optional[int] = None,
                 size: Shape = (), dtype: Any = np.int64,
                 endpoint: bool = False, masked: bool = False) -> Any:
        """Draw integers in [low, high): int32, int64, uint32 or uint64.

        Parameters
        ----------
        low, high : int
            Bounds; with one, [0, low).
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            Type of a number.
        endpoint : bool, optional
            `high` is included.
        masked : bool, optional
            By masks, as `numpy.random.RandomState` draws them, in the place
            of Lemire's method.

        Examples
        --------
        >>> from trnsci.replay import numpy
        >>> numpy.Philox(1).integers(0, 1, 3)
        array([0, 0, 0])
        """
        dtype, shape = np.dtype(dtype), shape_of(size)
        if dtype not in (np.int32, np.int64, np.uint32, np.uint64):
            raise ValueError(f"dtype: got {dtype}, allowed are int32, int64, "
                             "uint32 and uint64")
        low, high = (0, low) if high is None else (low, high)
        last = operator.index(high) - operator.index(low) - (not endpoint)
        if not 0 <= last < 256**dtype.itemsize:
            raise ValueError(f"low: got {low} and {high}, allowed are numbers "
                             f"of {dtype}, low below high")
        numbers = self._bounded(int(np.prod(shape, dtype=np.int64)), last,
                                masked)
        return (numbers + np.uint64(low % 2**64)).astype(dtype).reshape(shape)

    def _bounded(self, n, last, masked):
        """Numbers from 0 to last: those that are accepted, of as many words
        as it takes."""
        wide = last >= 2**32
        accepted = np.empty(0, np.uint64)
        while last and len(accepted) < n:
            left = n - len(accepted)
            words = (self._wide("bits", left, np.uint64) if wide else
                     self._narrow("bits", left, np.uint32).astype(np.uint64))
            numbers, keep = _accept(words, last, 64 if wide else 32, masked)
            accepted = np.concatenate([accepted, numbers[keep]])
        return accepted if last else np.zeros(n, np.uint64)


def _accept(words, last, width, masked):
    """What each word gives, and whether it is accepted."""
    every = np.ones(len(words), bool)
    if last == 2**width - 1:
        return words, every
    if masked:
        numbers = words & np.uint64(2**last.bit_length() - 1)
        return numbers, numbers <= np.uint64(last)
    span = last + 1
    threshold = np.uint64((2**width - span) % span)
    if width == 32:
        products = words * np.uint64(span)
        return (products >> np.uint64(32),
                (products & np.uint64(0xFFFFFFFF)) >= threshold)
    high, low = _product(words, span)
    return high, low >= threshold


def _product(words, factor):
    """The halves of products of 64 bits."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a, b = words >> half, words & mask
    c, d = np.uint64(factor >> 32), np.uint64(factor % 2**32)
    low = b * d
    middle = a * d + (low >> half)
    other = b * c + (middle & mask)
    return (a * c + (middle >> half) + (other >> half),
            other << half | low & mask)
