# SPDX-License-Identifier: Apache-2.0
"""periodogram and coherence, with scipy.signal's meaning: both by welch."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._spectral import csd, welch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from ._spectral import _Floats, _Trend, _Window


def periodogram(x: ArrayLike, fs: float = 1.0,
                window: _Window | None = "boxcar", nfft: int | None = None,
                detrend: _Trend = "constant", return_onesided: bool = True,
                scaling: str = "density",
                axis: int = -1) -> tuple[_Floats, NDArray[Any]]:
    """Power spectrum of a whole signal.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    fs : float, optional
        Samples in a second.
    window : str, tuple or array_like, optional
        What `get_window` takes, or as many values as the signal has.
    nfft : int, optional
        Length of the transform: a shorter signal is padded with zeros, a
        longer one is cut.
    detrend, return_onesided, scaling, axis : optional
        As in `welch`.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    Pxx : ndarray
        Their power, along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.sin(2 * np.pi * 100 * np.arange(1000) / 1000)
    >>> f, power = trnsci.signal.periodogram(x, fs=1000)
    >>> float(f[power.argmax()])
    100.0
    """
    x = np.asarray(x)
    if x.size == 0:
        return welch(x)
    n = x.shape[axis]
    if nfft is not None and nfft < n:
        x = np.moveaxis(np.moveaxis(x, axis, -1)[..., :nfft], -1, axis)
        n, nfft = nfft, None
    if window is None:
        window = "boxcar"
    if not isinstance(window, (str, tuple)) and np.size(window) != n:
        raise ValueError("the size of the window must be the same size of "
                         "the input on the specified axis")
    return welch(x, fs, window, n, 0, nfft, detrend, return_onesided, scaling,
                 axis)


def coherence(x: ArrayLike, y: ArrayLike, fs: float = 1.0,
              window: _Window = "hann", nperseg: int | None = None,
              noverlap: int | None = None, nfft: int | None = None,
              detrend: _Trend = "constant",
              axis: int = -1) -> tuple[_Floats, NDArray[Any]]:
    """How much of one signal's power another one explains, by frequency.

    Parameters
    ----------
    x, y : array_like
        Signals, along `axis`.
    fs, window, nperseg, noverlap, nfft, detrend, axis : optional
        As in `welch`.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    Cxy : ndarray
        The squared magnitude of the coherence, 0 to 1, along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = trnsci.Generator(1).normal(size=1000)
    >>> f, c = trnsci.signal.coherence(x, 2 * x, nperseg=100)
    >>> np.allclose(c, 1)
    True
    """
    options = fs, window, nperseg, noverlap, nfft, detrend
    f, power_x = welch(x, *options, axis=axis)
    _, power_y = welch(y, *options, axis=axis)
    _, cross = csd(x, y, *options, axis=axis)
    return f, (cross.real**2 + cross.imag**2) / power_x / power_y
