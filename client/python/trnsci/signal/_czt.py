# SPDX-License-Identifier: Apache-2.0
"""czt and zoom_fft, with scipy.signal's meaning: Bluestein's algorithm on a
spiral.

Source: Rabiner, Schafer, Rader, "The chirp z-transform algorithm and its
application", Bell System Technical Journal 48(5), 1969.
"""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fft as _fft

if TYPE_CHECKING:
    from typing import Sequence
    from numpy.typing import ArrayLike, NDArray


def _read(x, m, axis):
    """The signals, their length, and the points that are wanted."""
    x = np.asarray(x)
    n = x.shape[axis]
    m = n if m is None else m
    for size in (n, m):
        if size < 1 or not isinstance(size, numbers.Integral):
            raise ValueError(f"Invalid number of CZT data points ({size}) "
                             "specified. n must be positive and integer type.")
    return x, n, m


def _transform(x, m, axis, chirp, inverse, start):
    """Sums of x[j] start[j] w^(j k), for k below m, where chirp[k] is
    w^(k^2 / 2): j k = (j^2 + k^2 - (k - j)^2) / 2."""
    x = np.moveaxis(x, axis, -1)
    n = x.shape[-1]
    size = _fft.next_fast_len(n + m - 1)
    around = np.zeros(size, complex)  # places -(n - 1) to m - 1
    around[:m] = inverse[:m]
    around[size - n + 1:] = inverse[n - 1:0:-1]
    made = _fft.fft(x * start, size)
    made *= _fft.fft(around, overwrite_x=True)
    made = _fft.ifft(made, overwrite_x=True)[..., :m] * chirp[:m]
    return np.moveaxis(made, -1, axis)


def _circle(squares, turns):
    """exp(-1j pi turns squares): of a chirp on the unit circle."""
    return np.exp((-1j * np.pi * turns) * squares)


def czt(x: ArrayLike, m: int | None = None, w: complex | None = None,
        a: complex = 1 + 0j, *, axis: int = -1) -> NDArray[Any]:
    """Chirp z-transform: the z-transform on points a w^-k of a spiral.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    m : int, optional
        Points; default: as many as samples.
    w : complex, optional
        Ratio between points; default: m points make one turn of the circle.
    a : complex, optional
        The first point.
    axis : int, optional
        Axis of the samples.

    Returns
    -------
    ndarray
        Complex numbers, m along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.arange(7.0)
    >>> np.allclose(trnsci.signal.czt(x), np.fft.fft(x))
    True
    """
    x, n, m = _read(x, m, axis)
    k = np.arange(max(n, m))
    if w is None:
        chirp = _circle(k**2 % (2 * m), 1 / m)
        inverse = chirp.conj()
    else:
        chirp = np.asarray(w, complex)**(k**2 / 2)
        inverse = 1 / chirp
    start = chirp[:n] if a == 1 else complex(a)**-k[:n].astype(float) * chirp[:n]
    return _transform(x, m, axis, chirp, inverse, start)


def zoom_fft(x: ArrayLike, fn: float | Sequence[float], m: int | None = None,
             *, fs: float = 2, endpoint: bool = False,
             axis: int = -1) -> NDArray[Any]:
    """Part of a signal's spectrum, as closely spaced as wanted.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    fn : float or two floats
        The first and the last frequency; of one, the first is 0.
    m : int, optional
        Points; default: as many as samples.
    fs : float, optional
        Samples in a second.
    endpoint : bool, optional
        Whether the last frequency is a point.
    axis : int, optional
        Axis of the samples.

    Returns
    -------
    ndarray
        Complex numbers, m along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.cos(2 * np.pi * 0.123 * np.arange(100))
    >>> z = trnsci.signal.zoom_fft(x, [0.1, 0.2], 1000, fs=1)
    >>> int(abs(z).argmax())
    230
    """
    x, n, m = _read(x, m, axis)
    if np.size(fn) not in (1, 2):
        raise ValueError("fn must be a scalar or 2-length sequence")
    first, last = fn if np.size(fn) == 2 else (0.0, np.ravel(fn)[0])
    step = (last - first) / fs
    step *= 1 / (m - 1) if endpoint and m > 1 else 1 / m
    k = np.arange(max(n, m))
    chirp = _circle(k**2, step)
    start = chirp[:n] if first == 0 else _circle(k[:n], 2 * first / fs) * chirp[:n]
    return _transform(x, m, axis, chirp, chirp.conj(), start)
