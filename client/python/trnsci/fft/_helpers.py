# SPDX-License-Identifier: Apache-2.0
"""Workers, lengths, frequencies, and how arguments of n axes are read."""
from __future__ import annotations

import contextlib
import contextvars
import operator
import os
from typing import TYPE_CHECKING, Iterator

from numpy.fft import fftshift, ifftshift

from .. import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["fftfreq", "fftshift", "get_workers", "ifftshift", "next_fast_len",
           "prev_fast_len", "rfftfreq", "set_workers"]

_cpus = os.cpu_count() or 1
_workers = contextvars.ContextVar("trnsci.fft.workers", default=0)
default_workers = _workers.get


def read_workers(workers):
    """The most threads; 0: the session's own."""
    if workers is None:
        return default_workers()
    workers = operator.index(workers)
    if workers == 0:
        raise ValueError("workers must not be zero")
    if workers < -_cpus:
        raise ValueError(f"workers value out of range; got {workers}, must "
                         f"not be less than {-_cpus}")
    return workers if workers > 0 else workers + 1 + _cpus


@contextlib.contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """Set the default of ``workers=`` within a ``with`` block.

    Examples
    --------
    >>> import trnsci
    >>> with trnsci.fft.set_workers(2):
    ...     trnsci.fft.get_workers()
    2
    """
    token = _workers.set(read_workers(operator.index(workers)))
    try:
        yield
    finally:
        _workers.reset(token)


def get_workers() -> int:
    """Return the default of ``workers=``: 1 where none is set, as scipy's;
    transforms then use the session's threads."""
    return _workers.get() or 1


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the least length of at least `target` that is fast.

    Parameters
    ----------
    target : int
        Least length.
    real : bool, optional
        Whether the transform is of real numbers.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.next_fast_len(1021)
    1024
    """
    target = operator.index(target)
    if target < 0:
        raise ValueError("Target length must be positive")
    if target == 0:
        return 0
    length = _core.fast_length(target, bool(real)) if target < 2**64 else 0
    if length == 0:
        raise ValueError("Target length is too large to perform an FFT: "
                         f"{target}")
    return length


def prev_fast_len(target: int, real: bool = False) -> int:
    """Return the greatest length of at most `target` that is fast.

    Parameters
    ----------
    target : int
        Greatest length.
    real : bool, optional
        Whether the transform is of real numbers.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.prev_fast_len(1023)
    1014
    """
    target = operator.index(target)
    if target < 0:
        raise ValueError("Target length must be positive")
    while target > 1 and next_fast_len(target, real) != target:
        target -= 1
    return target


def fftfreq(n: int, d: float = 1.0) -> NDArray[np.float64]:
    """Return the frequencies of the bins of a transform of `n` samples, `d`
    apart.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return _core.frequencies(_length(n), d, False)


def rfftfreq(n: int, d: float = 1.0) -> NDArray[np.float64]:
    """Return the frequencies of the bins of a real transform of `n` samples.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    return _core.frequencies(_length(n), d, True)


def _length(n):
    try:
        return operator.index(n)
    except TypeError:
        raise ValueError("n should be an integer") from None


def _integers(values, name):
    try:
        return [operator.index(values)]
    except TypeError:
        pass
    try:
        return [operator.index(value) for value in values]
    except TypeError as error:
        raise ValueError(f"{name} must be a scalar or iterable of integers"
                         ) from error


def read_axes(x, s, axes):
    """Lengths and axes of a transform over several axes, as scipy reads."""
    if axes is not None:
        axes = [axis + x.ndim if axis < 0 else axis
                for axis in _integers(axes, "axes")]
        if any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError("axes exceeds dimensionality of input")
        if len(set(axes)) != len(axes):
            raise ValueError("all axes must be unique")
    if s is None:
        axes = list(range(x.ndim)) if axes is None else axes
        lengths = [x.shape[axis] for axis in axes]
    else:
        lengths = _integers(s, "shape")
        if axes and len(axes) != len(lengths):
            raise ValueError("when given, axes and shape arguments have to be "
                             "of the same length")
        if axes is None:
            if len(lengths) > x.ndim:
                raise ValueError("shape requires more axes than are present")
            axes = list(range(x.ndim - len(lengths), x.ndim))
        lengths = [x.shape[axis] if n == -1 else n
                   for n, axis in zip(lengths, axes)]
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points ({lengths}) "
                         "specified")
    return lengths, axes


_NORMS = {None: None, "backward": None, "ortho": "ortho",
          "forward": "forward"}


def read_norm(norm):
    """The engine's name of `norm`; None: its default."""
    try:
        return _NORMS[norm]
    except (KeyError, TypeError):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", '
                         '"ortho" or "forward"') from None


_TYPES = {1: "1", 2: "2", 3: "3", 4: "4"}


def read_type(type):
    """The engine's name of a cosine or sine transform's type."""
    try:
        return _TYPES[type]
    except (KeyError, TypeError):
        raise ValueError(f"invalid type {type!r}, allowed are 1, 2, 3 and 4"
                         ) from None


def refuse_plan(plan):
    """Plans belong to the engine."""
    if plan is not None:
        raise NotImplementedError("Passing a precomputed plan is not yet "
                                  "supported by trnsci.fft functions")
