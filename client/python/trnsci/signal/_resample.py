# SPDX-License-Identifier: Apache-2.0
"""hilbert and resample, with scipy.signal's meaning: a transform there and
back."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fft as _fft
from .windows import get_window

if TYPE_CHECKING:
    from typing import Callable, Tuple, Union
    from numpy.typing import ArrayLike, NDArray
    _Filter = Union[str, Tuple[Any, ...], ArrayLike, None,
                    Callable[[NDArray[np.float64]], NDArray[Any]]]


def hilbert(x: ArrayLike, N: int | None = None,
            axis: int = -1) -> NDArray[Any]:
    """Analytic signal: x and, as imaginary part, its Hilbert transform.

    Parameters
    ----------
    x : array_like
        Real signals, along `axis`.
    N : int, optional
        Length of the result; default: that of the signal.
    axis : int, optional
        Axis of the samples.

    Returns
    -------
    ndarray
        Complex numbers.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.cos(2 * np.pi * 5 * np.arange(100) / 100)
    >>> np.allclose(abs(trnsci.signal.hilbert(x)), 1)
    True
    """
    x = np.asarray(x)
    if np.iscomplexobj(x):
        raise ValueError("x must be real.")
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    half = np.moveaxis(_fft.rfft(x, n, axis=axis), axis, -1)
    spectrum = np.zeros(half.shape[:-1] + (n,), half.dtype)
    spectrum[..., :half.shape[-1]] = half
    spectrum[..., 1:(n + 1) // 2] *= 2
    made = _fft.ifft(spectrum, overwrite_x=True)
    return np.moveaxis(made, -1, axis)


def _filter_of(window, n):
    """The factors of n bins, that of frequency 0 first."""
    if callable(window):
        return window(_fft.fftfreq(n))
    if isinstance(window, np.ndarray):
        if window.shape != (n,):
            raise ValueError("window must have the same length as data")
        return window
    return np.fft.ifftshift(get_window(window, n))


def _filter(spectrum, window, n, is_real):
    factors = _filter_of(window, n)
    if is_real:  # bins k and -k of a real signal have one factor
        factors = (factors + np.roll(factors[::-1], 1))[:n // 2 + 1] / 2
    return spectrum * factors


def _change_bins(spectrum, n, num, is_real):
    """The spectrum of n samples as that of num."""
    least = min(n, num)
    half = least // 2 + 1
    bins = num // 2 + 1 if is_real else num
    made = np.zeros(spectrum.shape[:-1] + (bins,), spectrum.dtype)
    made[..., :half] = spectrum[..., :half]
    if not is_real and least > 2:
        made[..., half - least:] = spectrum[..., half - least:]
    if least % 2 or n == num:
        return made
    # The last bin of an even length stands for two of a longer one.
    middle = least // 2
    if num > n:
        made[..., middle] *= 0.5
        if not is_real:
            made[..., num - middle] = made[..., middle]
    elif is_real:
        made[..., middle] *= 2
    else:
        made[..., middle] += spectrum[..., -middle]
    return made


def resample(x: ArrayLike, num: int, t: ArrayLike | None = None, axis: int = 0,
             window: _Filter = None, domain: str = "time") -> Any:
    """Resample signals to `num` samples by their spectrum.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`, which are taken to be periodic.
    num : int
        Samples of the result.
    t : array_like, optional
        Times of the samples of `x`, evenly spaced.
    axis : int, optional
        Axis of the samples.
    window : str, tuple, array_like or function, optional
        Factors of the bins: a name of a window, values, or a function of
        their frequencies.
    domain : {'time', 'freq'}, optional
        What `x` is: samples, or their spectrum.

    Returns
    -------
    y : ndarray
        The samples.
    t : ndarray
        Their times, where `t` is given.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.cos(2 * np.pi * np.arange(10) / 10)
    >>> trnsci.signal.resample(x, 20)[::2].round(6).tolist() == \
            x.round(6).tolist()
    True
    """
    if domain not in ("time", "freq"):
        raise ValueError("Acceptable domain flags are 'time' or 'freq', not "
                         f"domain={domain}")
    x = np.asarray(x)
    n = x.shape[axis]
    is_real = domain == "time" and not np.iscomplexobj(x)
    spectrum = np.moveaxis(x, axis, -1)
    if domain == "time":
        spectrum = (_fft.rfft if is_real else _fft.fft)(spectrum)
    if window is not None:
        spectrum = _filter(spectrum, window, n, is_real)
    spectrum = _change_bins(spectrum, n, num, is_real)
    made = _fft.irfft(spectrum, num) if is_real else \
        _fft.ifft(spectrum, overwrite_x=True)
    made *= num / n
    made = np.moveaxis(made, -1, axis)
    if t is None:
        return made
    times = np.arange(num) * ((t[1] - t[0]) * n / num) + t[0]
    return made, times
