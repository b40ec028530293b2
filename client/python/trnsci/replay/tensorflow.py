# SPDX-License-Identifier: Apache-2.0
"""`tf.random.stateless_uniform` and `stateless_normal` by Philox.

With ``jit_compile=True`` numbers are those of XLA, which differ.
"""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._draw import Shape, draw, word

__all__ = ["stateless_normal", "stateless_uniform"]


def __dir__() -> list[str]:
    return sorted(__all__)


def _draw(distribution, shape, seed, dtype, jit_compile, **params):
    first, second = seed
    array, _ = draw(distribution, shape, dtype, seed=word(first),
                    stream=word(second), layout="tensorflow_xla"
                    if jit_compile else "tensorflow", **params)
    return array


def stateless_uniform(shape: Shape, seed: Sequence[int],
                      minval: Optional[float] = 0,
                      maxval: Optional[float] = None,
                      dtype: Any = np.float32, *,
                      jit_compile: bool = False) -> Any:
    """Draw uniform numbers in [minval, maxval), or integers.

    Integers of all bits have `minval` and `maxval` None.

    Examples
    --------
    >>> from trnsci.replay import tensorflow
    >>> tensorflow.stateless_uniform([4], [1, 2], jit_compile=True)
    array([0.25750792, 0.4046719 , 0.9218676 , 0.08625066], dtype=float32)
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return _draw("uniform", shape, seed, dtype, jit_compile, low=minval,
                     high=1 if maxval is None else maxval)
    if minval is None and maxval is None:
        words = _draw("bits", shape, seed, f"u{dtype.itemsize}", jit_compile)
        return words.view(dtype)
    if maxval is None:
        raise ValueError("maxval: missing: integers have no default")
    return _draw("randint", shape, seed, dtype, jit_compile, low=minval or 0,
                 high=maxval)


def stateless_normal(shape: Shape, seed: Sequence[int], mean: float = 0.0,
                     stddev: float = 1.0, dtype: Any = np.float32, *,
                     jit_compile: bool = False) -> Any:
    """Draw normal numbers.

    Examples
    --------
    >>> from trnsci.replay import tensorflow
    >>> tensorflow.stateless_normal([3], seed=[1, 2])
    array([0.5441101 , 0.20738031, 0.07356433], dtype=float32)
    """
    return _draw("normal", shape, seed, dtype, jit_compile, mean=mean,
                 std=stddev)
