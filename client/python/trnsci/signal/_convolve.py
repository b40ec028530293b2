# SPDX-License-Identifier: Apache-2.0
"""convolve, correlate, fftconvolve and oaconvolve, with scipy.signal's
meaning."""
from __future__ import annotations

import warnings
from cmath import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fft as _fft
from ..fft._helpers import read_axes
from ._engine import apply, real_type, to_working, working_type

if TYPE_CHECKING:
    from typing import Sequence
    from numpy.typing import ArrayLike, NDArray

_MODES = ("valid", "same", "full")
_SINGLE, _DOUBLE = np.dtype(np.complex64), np.dtype(np.complex128)
# What the engine convolves along one axis.
_SHORTER_MOST = 1 << 19
_LONGER_MOST = 1 << 30
# Integers are exact in float64 as long as sums stay below it.
_EXACT = 2.0**51
# Products up to which sums of products are faster than transforms.
_FEW = 1 << 12


def _check(in1, in2, mode, method, operation):
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid',"
                         " 'same', or 'full'.")
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto',"
                         " 'direct', or 'fft'.")
    if in1.ndim != in2.ndim:
        raise ValueError(f"{operation} should have the same dimensionality")
    for x in (in1, in2):
        if x.dtype.kind not in "biufc" or x.dtype.itemsize > \
                (16 if x.dtype.kind == "c" else 8):
            raise TypeError(f"{x.dtype} is not supported, allowed are "
                            "complex128 and narrower")


def _is_swapped(shape1, shape2, axes=None):
    """Whether 'valid' takes the second for the longer one."""
    axes = range(len(shape1)) if axes is None else axes
    wider = all(shape1[i] >= shape2[i] for i in axes)
    if not wider and not all(shape2[i] >= shape1[i] for i in axes):
        raise ValueError("For 'valid' mode, one must be at least "
                         "as large as the other in every dimension")
    return not wider


def _cut(full, shape1, shape2, mode, axes=None):
    """The part of the full result that a mode asks for."""
    if mode == "full":
        return full
    sizes = shape1 if mode == "same" else \
        [abs(shape1[i] - shape2[i]) + 1 if axes is None or i in axes else size
         for i, size in enumerate(full.shape)]
    where = tuple(slice((have - size) // 2, (have - size) // 2 + size)
                  for have, size in zip(full.shape, sizes))
    return full[where].copy()


def _is_exact(in1, in2):
    """Whether sums of products of integers are exact in float64."""
    def most(x):
        return max(abs(float(x.max())), abs(float(x.min())))
    products = min(in1.size, in2.size)
    return most(in1) * most(in2) * products < _EXACT


def _sums(in1, in2):
    """Full convolution by sums of products, in the result's own dtype."""
    dtype = np.result_type(in1, in2)
    if in1.ndim == 1 and dtype.kind in "fc":
        return np.convolve(in1.astype(dtype), in2.astype(dtype))
    if in1.size < in2.size:
        in1, in2 = in2, in1
    made = np.zeros([a + b - 1 for a, b in zip(in1.shape, in2.shape)], dtype)
    for index in np.ndindex(in2.shape):
        where = tuple(slice(i, i + n) for i, n in zip(index, in1.shape))
        if dtype.kind == "b":
            made[where] |= in1 & in2[index]
        else:
            made[where] += in1 * in2[index]
    return made


def _one_axis(in1, in2, mode, dtype):
    """Along the only axis that is longer than 1, by the engine."""
    alone = in1.ndim == 1
    x, y = (in1, in2) if alone else (in1.reshape(-1), in2.reshape(-1))
    n, m = len(x), len(y)
    size = {"full": n + m - 1, "same": n, "valid": abs(n - m) + 1}[mode]
    is_complex = "c" in (x.dtype.kind, y.dtype.kind)
    made = apply("convolve", to_working(x, dtype),
                 {"b": to_working(y, dtype), "mode": mode}, size,
                 dtype if is_complex else real_type(dtype), "a")
    if alone:
        return made
    longest = [max(a, b) for a, b in zip(in1.shape, in2.shape)]
    shape = [1] * len(longest)
    shape[longest.index(max(longest))] = size
    return made.reshape(shape)


def _all_axes(in1, in2, mode, dtype, given=None):
    """Along several axes, by transforms of whole arrays. Along an axis where
    one has length 1, and along those that are not given, it is a product."""
    is_complex = np.iscomplexobj(in1) or np.iscomplexobj(in2)
    axes = [i for i in range(in1.ndim) if min(in1.shape[i], in2.shape[i]) > 1
            and (given is None or i in given)]
    shape = [a + b - 1 if i in axes else max(a, b)
             for i, (a, b) in enumerate(zip(in1.shape, in2.shape))]
    if not axes:
        return _cut(to_working(in1, dtype) * to_working(in2, dtype), in1.shape,
                    in2.shape, mode, given)
    lengths = [_fft.next_fast_len(shape[i], not is_complex) for i in axes]
    there, back = (_fft.fftn, _fft.ifftn) if is_complex else \
        (_fft.rfftn, _fft.irfftn)
    made = back(there(to_working(in1, dtype), lengths, axes=axes)
                * there(to_working(in2, dtype), lengths, axes=axes),
                lengths, axes=axes)
    return _cut(made[tuple(slice(n) for n in shape)], in1.shape, in2.shape,
                mode, given)


def _by_transforms(in1, in2, mode, dtype):
    one = in1.ndim == 1 or \
        sum(max(sizes) > 1 for sizes in zip(in1.shape, in2.shape)) <= 1
    n, m = in1.size, in2.size
    if one and min(n, m) <= _SHORTER_MOST and max(n, m) <= _LONGER_MOST:
        return _one_axis(in1, in2, mode, dtype)
    return _all_axes(in1, in2, mode, dtype)


def _convolve(in1, in2, mode, method):
    """in1 and in2 are ordered: 'valid' has the longer one first."""
    result = np.result_type(in1, in2)
    whole = result.kind in "biu"
    if method == "auto":
        few = in1.size * in2.size <= _FEW
        direct = few or (whole and not _is_exact(in1, in2))
        method = "direct" if direct else "fft"
    if method == "direct":
        return _cut(_sums(in1, in2), in1.shape, in2.shape, mode)
    made = _by_transforms(in1, in2, mode,
                          _DOUBLE if whole or result.char in "dD" else _SINGLE)
    if made.size and not isfinite(made.item(0)):
        warnings.warn("Use of fft convolution on input with NAN or inf results"
                      " in NAN or inf output. Consider using method='direct'"
                      " instead.", RuntimeWarning, stacklevel=3)
    if whole:
        made = np.around(made)
        return made != 0 if result.kind == "b" else made.astype(result)
    return made if made.dtype == result else made.astype(result)


def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
             method: str = "auto") -> NDArray[Any]:
    """Convolution of two arrays.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with the same number of dimensions.
    mode : {'full', 'valid', 'same'}, optional
        Every overlap; complete overlaps only; the middle, as large as `in1`.
    method : {'auto', 'direct', 'fft'}, optional
        Sums of products, which are exact for integers; transforms; or what
        is faster and exact for integers.

    Returns
    -------
    ndarray
        Of the dtype that `in1` and `in2` have in common.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.signal.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    in1, in2 = np.asarray(in1), np.asarray(in2)
    _check(in1, in2, mode, method, "volume and kernel")
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return np.array([], np.result_type(in1, in2)) if in1.ndim == 1 \
            else np.zeros([0] * in1.ndim, np.result_type(in1, in2))
    if mode == "valid" and _is_swapped(in1.shape, in2.shape):
        in1, in2 = in2, in1
    return _convolve(in1, in2, mode, method)


def correlate(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
              method: str = "auto") -> NDArray[Any]:
    """Cross-correlation of two arrays: convolution with the second one
    conjugated and reversed.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with the same number of dimensions.
    mode : {'full', 'valid', 'same'}, optional
        Every overlap; complete overlaps only; the middle, as large as `in1`.
    method : {'auto', 'direct', 'fft'}, optional
        As in `convolve`.

    Returns
    -------
    ndarray
        Of the dtype that `in1` and `in2` have in common.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.signal.correlate([1, 2, 3], [0, 1, 0.5])
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    in1, in2 = np.asarray(in1), np.asarray(in2)
    _check(in1, in2, mode, method, "in1 and in2")
    if in1.ndim == 0:
        return in1 * in2.conj()
    if in1.size == 0 or in2.size == 0:
        return np.array([], np.result_type(in1, in2)) if in1.ndim == 1 \
            else np.zeros([0] * in1.ndim, np.result_type(in1, in2))
    if mode == "valid":
        _is_swapped(in1.shape, in2.shape)
    reverse = in2[(slice(None, None, -1),) * in2.ndim].conj()
    return _convolve(in1, reverse, mode, method)


def _axes_of(in1, in2, axes):
    """The axes that are given; None: all. The others are broadcast."""
    if axes is None:
        return None
    _, axes = read_axes(in1, None, axes)
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    if any(a != b and 1 not in (a, b) and i not in axes
           for i, (a, b) in enumerate(zip(in1.shape, in2.shape))):
        raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} "
                         f"and {in2.shape}")
    return axes


def fftconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
                axes: int | Sequence[int] | None = None) -> NDArray[Any]:
    """Convolution of two arrays by transforms.

    Parameters
    ----------
    in1, in2 : array_like
        Arrays with the same number of dimensions.
    mode : {'full', 'valid', 'same'}, optional
        Every overlap; complete overlaps only; the middle, as large as `in1`.
    axes : int or sequence of ints, optional
        Axes of the convolution; the arrays are broadcast along the others.
        Default: all.

    Returns
    -------
    ndarray
        Floats, or complex numbers.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.signal.fftconvolve([1, 2, 3], [0, 1, 0.5]).round(6)
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    in1, in2 = np.asarray(in1), np.asarray(in2)
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return np.array([])
    dtype = working_type(in1, in2)
    axes = _axes_of(in1, in2, axes)
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or "
                         "'full'")
    if mode == "valid" and _is_swapped(in1.shape, in2.shape, axes):
        in1, in2 = in2, in1
    if axes is None or len(axes) == in1.ndim:
        return _by_transforms(in1, in2, mode, dtype)
    return _all_axes(in1, in2, mode, dtype, axes)


def oaconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full",
               axes: int | Sequence[int] | None = None) -> NDArray[Any]:
    """Convolution of two arrays, one of which may be much longer. The engine
    adds overlapping pieces wherever that is faster, so this is `fftconvolve`.

    Parameters
    ----------
    in1, in2, mode, axes
        As in `fftconvolve`.

    Returns
    -------
    ndarray
        Floats, or complex numbers.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> trnsci.signal.oaconvolve(np.ones(1000), [1, 1], "same")[5].round(6)
    2.0
    """
    return fftconvolve(in1, in2, mode, axes)
