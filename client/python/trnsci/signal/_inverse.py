# SPDX-License-Identifier: Apache-2.0
"""istft, with scipy.signal's meaning."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import fft as _fft
from .._errors import ParameterError
from ._engine import apply, real_type, working_type
from ._segments import check_length, read_nfft, read_overlap
from .windows import get_window

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_TINY = 1e-10  # scipy's: smaller sums of squared windows divide nothing


class _Inverse:
    """What istft's arguments say."""

    def __init__(self, shape, window, nperseg, noverlap, nfft, onesided):
        bins = shape[0]
        default = 2 * (bins - 1) if onesided else bins
        self.nperseg = check_length(default if nperseg is None else nperseg)
        odd = onesided and self.nperseg == default + 1
        self.nfft = read_nfft(nfft, self.nperseg, default + bool(odd))
        self.hop = self.nperseg - read_overlap(noverlap, self.nperseg)
        self.count = shape[1]
        self.length = self.nperseg + (self.count - 1) * self.hop
        self.win = _window(window, self.nperseg)


def _window(window, nperseg):
    if isinstance(window, (str, tuple)):
        return get_window(window, nperseg)
    win = np.asarray(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if win.shape[0] != nperseg:
        raise ValueError(f"window must have length of {nperseg}")
    return win


def _overlap_add(parts, inverse):
    """Sums of (..., count, nperseg) at their places: as many additions as
    parts lie over a sample."""
    hop, n = inverse.hop, inverse.nperseg
    pieces = -(-n // hop)
    more = [(0, 0)] * (parts.ndim - 1) + [(0, pieces * hop - n)]
    parts = np.pad(parts, more).reshape(parts.shape[:-1] + (pieces, hop))
    made = np.zeros(parts.shape[:-3] + (inverse.count + pieces - 1, hop),
                    parts.dtype)
    for piece in range(pieces):
        made[..., piece:piece + inverse.count, :] += parts[..., piece, :]
    made = made.reshape(made.shape[:-2] + (made.shape[-2] * hop,))
    return made[..., :inverse.length]


def _by_parts(spectra, inverse, onesided, boundary):
    """Any window and length: transforms by the engine, the rest by numpy."""
    dtype = spectra.dtype
    kind = real_type(dtype) if onesided else dtype
    transform = _fft.irfft if onesided else _fft.ifft
    parts = transform(spectra, inverse.nfft, axis=-1)[..., :inverse.nperseg]
    win = inverse.win.astype(np.result_type(inverse.win, kind))
    made = _overlap_add(parts * win, inverse)
    norm = _overlap_add(np.broadcast_to(
        win.astype(np.result_type(win, np.float64))**2,
        (inverse.count, inverse.nperseg)), inverse)
    if boundary and inverse.nperseg > 1:
        half = inverse.nperseg // 2
        made, norm = made[..., half:-half], norm[..., half:-half]
    whole = norm > _TINY
    if not whole.all():
        warnings.warn("NOLA condition failed, STFT may not be invertible",
                      stacklevel=3)
    return (made / np.where(whole, norm, 1.0)).astype(kind, copy=False)


def _by_engine(spectra, inverse, onesided):
    """The common case; None where the engine refuses the window."""
    length = inverse.length - inverse.nperseg
    if length < 1:
        return None
    params = {
        "n_fft": inverse.nfft, "hop_length": inverse.hop,
        "window_values": inverse.win.astype(np.float64), "center": True,
        "layout": "frames_bins", "onesided": onesided, "length": length,
        "return_complex": None if onesided else True,
    }
    kind = real_type(spectra.dtype) if onesided else spectra.dtype
    try:
        return apply("istft", np.ascontiguousarray(spectra), params, length,
                     kind, kept=2)
    except ParameterError:
        return None


def _order(z, time_axis, freq_axis):
    """The segments and then the bins come last; where the time goes back."""
    if z.ndim < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis == time_axis:
        raise ValueError("Must specify differing time and frequency axes!")
    freq, time = freq_axis % z.ndim, time_axis % z.ndim
    back = time - 1 if freq < time else time
    return np.moveaxis(z, (time, freq), (-2, -1)), back


def istft(Zxx: ArrayLike, fs: float = 1.0,
          window: str | tuple[Any, ...] | ArrayLike = "hann",
          nperseg: int | None = None, noverlap: int | None = None,
          nfft: int | None = None, input_onesided: bool = True,
          boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
          scaling: str = "spectrum"
         ) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Inverse of `stft`.

    Parameters
    ----------
    Zxx : array_like
        Spectra of the segments.
    fs : float, optional
        Samples in a second.
    window : str, tuple or array_like, optional
        The window that `stft` had.
    nperseg : int, optional
        Length of a segment; default: by the number of bins, as an even one.
    noverlap : int, optional
        Samples that segments share; default: half of them.
    nfft : int, optional
        Length of the transform.
    input_onesided : bool, optional
        Half of the spectra, of real signals.
    boundary : bool, optional
        The signal was extended at its ends: these are cut off.
    time_axis, freq_axis : int, optional
        Axes of the segments and of the bins.
    scaling : {'spectrum', 'psd'}, optional
        How the spectra are scaled.

    Returns
    -------
    t : ndarray
        Times of the samples, along the axis of time.
    x : ndarray
        Signals.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = trnsci.Generator(1).normal(size=1000)
    >>> t, again = trnsci.signal.istft(trnsci.signal.stft(x)[2])
    >>> np.allclose(again[:1000], x)
    True
    """
    z = np.asarray(Zxx)
    dtype = working_type(z)
    z, back = _order(z.astype(dtype, copy=False), int(time_axis),
                     int(freq_axis))
    inverse = _Inverse((z.shape[-1], z.shape[-2]), window, nperseg, noverlap,
                       nfft, input_onesided)
    if scaling == "spectrum":
        factor = inverse.win.sum()
    elif scaling == "psd":
        factor = np.sqrt(fs * (inverse.win**2).sum())
    else:
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    made = None
    if boundary and inverse.nfft == inverse.nperseg and z.size and \
            inverse.nperseg % 2 == 0 and not np.iscomplexobj(inverse.win):
        made = _by_engine(z, inverse, bool(input_onesided))
    if made is None:
        made = _by_parts(z, inverse, bool(input_onesided), boundary)
    made = made * factor if np.iscomplexobj(factor) else \
        np.multiply(made, made.real.dtype.type(factor))
    if input_onesided:
        made = made.real
    times = np.arange(made.shape[-1]) / float(fs)
    return times, np.moveaxis(made, -1, back)
