# SPDX-License-Identifier: Apache-2.0
"""`jax.random` with the implementation threefry2x32, JAX's default.

A key is an array of two uint32, as `jax.random.key_data` gives it. With
``partitionable=False`` numbers are those of `jax_threefry_partitionable` set
to False, the default before JAX 0.5.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._draw import Shape, draw, shape_of, word

__all__ = ["PRNGKey", "bernoulli", "bits", "fold_in", "key", "normal",
           "permutation", "randint", "split", "uniform"]


def __dir__() -> list[str]:
    return sorted(__all__)


def key(seed: int, *, enable_x64: bool = False) -> Any:
    """Make a key of a seed: its low 32 bits, or 64 with `enable_x64`.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.key(7)
    array([0, 7], dtype=uint32)
    """
    bits64 = word(seed)
    return np.array([bits64 >> 32 if enable_x64 else 0, bits64 % 2**32],
                    np.uint32)


PRNGKey = key


def _seed(key: Any) -> int:
    data = np.asarray(key)
    if data.shape != (2,) or data.dtype != np.uint32:
        raise TypeError(f"key: got {key!r}, allowed are two numbers of uint32")
    return int(data[0]) << 32 | int(data[1])


def _draw(key: Any, distribution: str, shape: Shape, dtype: Any,
          partitionable: bool, **params: Any) -> Any:
    layout = "jax" if partitionable else "jax_original"
    array, _ = draw(distribution, shape, dtype, seed=_seed(key),
                    layout=layout, **params)
    return array if array.ndim else array[()]


def split(key: Any, num: Shape = 2, *, partitionable: bool = True) -> Any:
    """Split a key into `num` keys, one in each row.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.split(jax.key(0), 4, partitionable=False)[1]
    array([1518642379, 4090693311], dtype=uint32)
    """
    shape = shape_of(num)
    if not partitionable:
        return _draw(key, "bits", shape + (2,), np.uint32, False)
    pairs = _draw(key, "bits", shape, np.uint64, True)
    return np.stack([pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)],
                    -1).astype(np.uint32)


def fold_in(key: Any, data: int) -> Any:
    """Make a key of a key and a number of 32 bits; in both modes the same.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.fold_in(jax.key(0), 4)
    array([2285895361,  433833334], dtype=uint32)
    """
    at = operator.index(data) % 2**32
    pair = int(_draw(key, "bits", (1,), np.uint64, True, offset=at)[0])
    return np.array([pair >> 32, pair % 2**32], np.uint32)


def bits(key: Any, shape: Shape = (), dtype: Any = np.uint32, *,
         partitionable: bool = True) -> Any:
    """Draw words of uint8, uint16, uint32 or uint64.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.replay import jax
    >>> jax.bits(jax.key(1701), (3,), np.uint16, partitionable=False)
    array([41682,  1300, 55017], dtype=uint16)
    """
    dtype, shape = np.dtype(dtype), shape_of(shape)
    if dtype in (np.uint32, np.uint64):
        return _draw(key, "bits", shape, dtype, partitionable)
    if dtype not in (np.uint8, np.uint16):
        raise ValueError(f"dtype: got {dtype}, allowed are uint8, uint16, "
                         "uint32 and uint64")
    if partitionable:
        return _draw(key, "bits", shape, np.uint32, True).astype(dtype)
    n = int(np.prod(shape, dtype=np.int64))
    words = _draw(key, "bits", (-(-n * dtype.itemsize // 4),), np.uint32,
                  False)
    return words.astype("<u4").view(dtype.newbyteorder("<"))[:n].astype(
        dtype).reshape(shape)


def uniform(key: Any, shape: Shape = (), dtype: Any = np.float32,
            minval: float = 0.0, maxval: float = 1.0, *,
            partitionable: bool = True) -> Any:
    """Draw uniform numbers in [minval, maxval): float16, 32 or 64.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> float(jax.uniform(jax.key(1338574713), (5,), partitionable=False)[0])
    0.2986714839935303
    """
    return _draw(key, "uniform", shape, dtype, partitionable, low=minval,
                 high=maxval)


def normal(key: Any, shape: Shape = (), dtype: Any = np.float32, *,
           partitionable: bool = True) -> Any:
    """Draw standard normal numbers: float16, 32 or 64.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.normal(jax.key(42))
    -0.028304616
    """
    return _draw(key, "normal", shape, dtype, partitionable)


def randint(key: Any, shape: Shape, minval: int, maxval: int,
            dtype: Any = np.int32, *, partitionable: bool = True) -> Any:
    """Draw integers in [minval, maxval): int32, int64, uint32 or uint64.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.randint(jax.key(1319372649), (5,), 0, 10, partitionable=False)
    array([0, 5, 7, 7, 5], dtype=int32)
    """
    return _draw(key, "randint", shape, dtype, partitionable, low=minval,
                 high=maxval)


def bernoulli(key: Any, p: float = 0.5, shape: Shape = (), *,
              partitionable: bool = True) -> Any:
    """Draw bools that are True with probability `p`, a float32.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> jax.bernoulli(jax.key(1612777541), 0.5, (5,), partitionable=False)
    array([False,  True,  True,  True, False])
    """
    return _draw(key, "bernoulli", shape, np.int8, partitionable,
                 p=float(np.float32(p))).astype(bool)


def permutation(key: Any, x: Any, *, partitionable: bool = True) -> Any:
    """Permute ``arange(x)``, or an array along its first axis.

    Examples
    --------
    >>> from trnsci.replay import jax
    >>> sorted(jax.permutation(jax.key(3), 5).tolist())
    [0, 1, 2, 3, 4]
    """
    array = np.asarray(x)
    n = int(array) if array.ndim == 0 else len(array)
    order = np.arange(n, dtype=np.int32)
    rounds = int(np.ceil(3 * np.log(max(1, n)) / np.log(2**32 - 1)))
    for _ in range(rounds):
        key, subkey = split(key, partitionable=partitionable)
        order = order[np.argsort(bits(subkey, (n,),
                                      partitionable=partitionable),
                                 kind="stable")]
    return order if array.ndim == 0 else array[order]
