# SPDX-License-Identifier: Apache-2.0
"""stft, welch, csd and spectrogram, with scipy.signal's meaning."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable, Tuple, Union

import numpy as np

from .. import fft as _fft
from ._engine import (apply, as_rows, real_type, to_working,
                      to_working_between_zeros, working_type)
from ._segments import (BOUNDARIES, Segments, check_length, detrender,
                        engine_detrend, extend, frames, pad, padding,
                        read_window)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    _Window = Union[str, Tuple[Any, ...], ArrayLike]
    _Trend = Union[str, bool, None, Callable[[NDArray[Any]], NDArray[Any]]]
    _Floats = NDArray[np.float64]

# The most values of segments that are written out at once.
_BLOCK = 1 << 15
_PAD_MODES = {"zeros": "constant", "even": "reflect", "constant": "replicate"}
_MEDIAN_MOST = 16384  # segments of which the engine finds medians


def _is_onesided(return_onesided, *arrays):
    """Whether half a spectrum is the result; as scipy it warns."""
    if return_onesided and any(np.iscomplexobj(x) for x in arrays):
        warnings.warn("Input data is complex, switching to "
                      "return_onesided=False", stacklevel=4)
        return False
    return bool(return_onesided)


def _frequencies(nfft, fs, onesided):
    return (_fft.rfftfreq if onesided else _fft.fftfreq)(nfft, 1 / fs)


def _scale(win, fs, scaling, dtype):
    win = win.astype(np.result_type(win, np.float64), copy=False)
    if scaling == "density":
        return 1.0 / (fs * (win * win).sum())
    if scaling == "spectrum":
        return 1.0 / win.sum()**2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def _times(segments, length, fs, boundary):
    time = np.arange(segments.nperseg / 2,
                     length - segments.nperseg / 2 + 1,
                     segments.hop) / float(fs)
    if boundary is not None:
        time -= (segments.nperseg / 2) / fs
    return time


def _nothing(x, n):
    """scipy's n results of signals without samples."""
    return tuple(np.empty(np.shape(x)) for _ in range(n))


def _to_last(x, axis):
    return np.moveaxis(x, axis, -1) if x.ndim > 1 and axis != -1 else x


# ---- Transforms of segments ----

def _spectra_by_frames(x, segments, win, onesided, detrend, dtype,
                       is_function):
    """Segments that are written out, some at a time, then transformed: for
    functions that detrend, and windows of complex numbers."""
    views = frames(x, segments)
    bins = segments.nfft // 2 + 1 if onesided else segments.nfft
    made = np.empty(views.shape[:-1] + (bins,), dtype)
    step = max(1, _BLOCK // max(1, views[..., :1, :].size))
    if is_function:
        step = views.shape[-2]  # as scipy calls it: with all segments
    win = win.astype(np.result_type(win, real_type(dtype)))
    for begin in range(0, views.shape[-2], step):
        part = views[..., begin:begin + step, :]
        if detrend is not None:
            part = detrend(part)
        part = win * part
        if onesided:
            part = _fft.rfft(part.real, segments.nfft)
        else:
            part = _fft.fft(part, segments.nfft)
        made[..., begin:begin + step, :] = part
    return made


def _spectra(x, segments, win, onesided, dtype, boundary, padded, detrend,
             is_function):
    """(..., segments, bins) of a signal before its extension."""
    half = segments.nperseg // 2 if boundary is not None else 0
    length = x.shape[-1] + 2 * half
    nadd = padding(segments, length) if padded else 0
    simple = detrend is None and not np.iscomplexobj(win)
    centered = simple and nadd == 0 and segments.nperseg % 2 == 0 \
        and segments.nfft == segments.nperseg and boundary in _PAD_MODES \
        and (boundary != "even" or half < x.shape[-1])
    if not simple:
        x = pad(extend(x, boundary, segments.nperseg), nadd)
        return _spectra_by_frames(x, segments, win, onesided, detrend, dtype,
                                  is_function)
    more = segments.nfft - segments.nperseg
    if boundary not in ("zeros", None) and not centered:
        x, half = extend(x, boundary, segments.nperseg), 0
    if not centered and half + nadd + more:
        x = to_working_between_zeros(x, dtype, half, half + nadd + more)
    else:
        x = to_working(x, dtype)
    params = {
        "n_fft": segments.nfft, "hop_length": segments.hop,
        "window_values": np.concatenate((win, np.zeros(more))).astype(
            np.float64), "center": centered, "layout": "frames_bins",
        "onesided": onesided if not np.iscomplexobj(x) else None,
    }
    if centered:
        params["pad_mode"] = _PAD_MODES[boundary]
    count = segments.count(length + nadd)
    bins = segments.nfft // 2 + 1 if onesided else segments.nfft
    return apply("stft", x, params, count, dtype, trailing=(bins,))


def _check(x, boundary, nperseg):
    if boundary not in BOUNDARIES:
        raise ValueError("Unknown boundary option '{0}', must be one of: {1}"
                         .format(boundary, BOUNDARIES))
    return check_length(nperseg)


def _short_time(x, fs, window, nperseg, noverlap, nfft, detrend,
                return_onesided, scaling, axis, boundary, padded):
    """Spectra of one signal: (..., segments, bins), with frequencies and
    times."""
    axis = int(axis)
    x = np.asarray(x)
    dtype = working_type(x)
    x = _to_last(x, axis)
    segments = Segments(window, nperseg, noverlap, nfft, x.shape[-1])
    is_function = callable(detrend)
    detrend = detrender(detrend, axis)
    scale = _scale(segments.win, fs, scaling, dtype)
    onesided = _is_onesided(return_onesided, x)
    factor = np.sqrt(scale)
    after = np.iscomplexobj(factor)
    win = segments.win if after else segments.win * factor
    length = x.shape[-1]
    if boundary is not None:
        length += 2 * (segments.nperseg // 2)
    if padded:
        length += padding(segments, length)
    made = _spectra(x, segments, win, onesided, dtype, boundary, padded,
                    detrend, is_function)
    if after:
        made = (made * factor).astype(dtype)
    return (_frequencies(segments.nfft, fs, onesided),
            _times(segments, length, fs, boundary), made)


def _place_axis(result, axis):
    """The bins come to where the samples were; the times are last."""
    return np.moveaxis(result, -1, axis - 1 if axis < 0 else axis)


def stft(x: ArrayLike, fs: float = 1.0, window: _Window = "hann",
         nperseg: int | None = 256, noverlap: int | None = None,
         nfft: int | None = None, detrend: _Trend = False,
         return_onesided: bool = True, boundary: str | None = "zeros",
         padded: bool = True, axis: int = -1,
         scaling: str = "spectrum") -> tuple[_Floats, _Floats, NDArray[Any]]:
    """Short-time Fourier transform.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    fs : float, optional
        Samples in a second.
    window : str, tuple or array_like, optional
        What `get_window` takes, or the window's values.
    nperseg : int, optional
        Length of a segment.
    noverlap : int, optional
        Samples that segments share; default: half of them.
    nfft : int, optional
        Length of the transform: segments are padded with zeros.
    detrend : str, function or False, optional
        'constant' or 'linear' is subtracted from each segment; a function of
        segments gives what is used in their place.
    return_onesided : bool, optional
        Half of the spectrum, for real signals.
    boundary : {'even', 'odd', 'constant', 'zeros', None}, optional
        What is put before and behind the signal.
    padded : bool, optional
        Zeros fill the last segment.
    axis : int, optional
        Axis of the samples.
    scaling : {'spectrum', 'psd'}, optional
        How spectra are scaled.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    t : ndarray
        Times of the segments.
    Zxx : ndarray
        Spectra: the bins along `axis`, the segments along the last axis.

    See Also
    --------
    torch_stft : the meaning of torch, whose defaults are others.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> f, t, z = trnsci.signal.stft(np.ones(1000), nperseg=100)
    >>> z.shape
    (51, 21)
    """
    if scaling == "psd":
        scaling = "density"
    elif scaling != "spectrum":
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    nperseg = _check(x, boundary, nperseg)
    if np.size(x) == 0:
        return _nothing(x, 3)
    f, t, made = _short_time(x, fs, window, nperseg, noverlap, nfft, detrend,
                             return_onesided, scaling, axis, boundary, padded)
    return f, t, _place_axis(made, int(axis))


# ---- Averages of segments ----

def _check_average(average):
    if average not in ("median", "mean"):
        raise ValueError('average must be "median" or "mean", got %s'
                         % (average,))


def _average(made, average):
    """Averages of (..., segments, bins), as scipy takes them; "none": these
    themselves."""
    if average == "none":
        return made
    if average == "mean":
        return made.mean(axis=-2)
    n = made.shape[-2]
    odd = 2 * np.arange(1., (n - 1) // 2 + 1)
    bias = 1 + np.sum(1. / (odd + 1) - 1. / odd)
    if np.iscomplexobj(made):
        made = np.median(made.real, axis=-2) + \
            1j * np.median(made.imag, axis=-2)
    else:
        made = np.median(made, axis=-2)
    return made / bias


def _double(power, nfft, onesided):
    """The other half of a spectrum is added to the first."""
    if onesided:
        power[..., 1:None if nfft % 2 else -1] *= 2
    return power


def _power_by_frames(x, y, segments, onesided, dtype, detrend, axis, scale):
    """(..., segments, bins) of power, or of cross power."""
    options = (segments, segments.win, onesided, detrender(detrend, axis),
               dtype, callable(detrend))
    spectra = _spectra_by_frames(x, *options)
    if y is None:
        power = spectra.real**2 + spectra.imag**2
    else:
        power = spectra.conj() * _spectra_by_frames(y, *options)
    power = power * scale
    return _double(power, segments.nfft, onesided)


def _broadcast(x, y):
    """Both signals with the same rows and the same length."""
    n = max(x.shape[-1], y.shape[-1])
    x, y = pad(x, n - x.shape[-1]), pad(y, n - y.shape[-1])
    try:
        rows = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    except ValueError as error:
        raise ValueError("x and y cannot be broadcast together.") from error
    return (np.broadcast_to(x, rows + (n,)), np.broadcast_to(y, rows + (n,)))


def _spectrum(x, y, fs, window, nperseg, noverlap, nfft, detrend,
              return_onesided, scaling, axis, average):
    """Welch's average, or the power of each segment, these along the last
    axis: of x alone where y is None."""
    nperseg = check_length(nperseg)
    axis = int(axis)
    dtype = working_type(x) if y is None else working_type(x, y)
    x = _to_last(x, axis)
    if y is not None:
        x, y = _broadcast(x, _to_last(y, axis))
    segments = Segments(window, nperseg, noverlap, nfft, x.shape[-1])
    scale = _scale(segments.win, fs, scaling, dtype)
    both = (x,) if y is None else (x, y)
    onesided = _is_onesided(return_onesided, *both)
    if y is not None and np.iscomplexobj(x) != np.iscomplexobj(y):
        x, y = x.astype(dtype), y.astype(dtype)
    count = segments.count(x.shape[-1])
    name = engine_detrend(detrend)
    if name is None or np.iscomplexobj(segments.win) or \
            segments.noverlap < 0 or \
            (average == "median" and count > _MEDIAN_MOST):
        power = _average(_power_by_frames(x, y, segments, onesided, dtype,
                                          detrend, axis, scale), average)
        if y is None:
            power = power.real
    else:
        power = _by_engine(x, y, segments, onesided, dtype, name, scaling, fs,
                           average)
    power = power.astype(dtype if y is not None else real_type(dtype),
                         copy=False)
    return (_frequencies(segments.nfft, fs, onesided),
            _place_axis(power, axis) if average == "none"
            else np.moveaxis(power, -1, axis))


def _by_engine(x, y, segments, onesided, dtype, detrend, scaling, fs,
               average):
    bins = segments.nfft // 2 + 1 if onesided else segments.nfft
    params = {
        "window_values": segments.win.astype(np.float64, copy=False),
        "fs": float(fs),
        "nperseg": segments.nperseg, "noverlap": segments.noverlap,
        "nfft": segments.nfft, "detrend": detrend, "scaling": scaling,
        "average": average,
        "onesided": None if np.iscomplexobj(x) else onesided,
    }
    count = segments.count(x.shape[-1])
    x = to_working(x, dtype)
    if average == "none":
        return apply("welch", x, params, count, real_type(dtype),
                     trailing=(bins,))
    if y is None:
        return apply("welch", x, params, bins, real_type(dtype))
    params["y"] = as_rows(to_working(y, dtype), 1)
    return apply("csd", x, params, bins, dtype)


def welch(x: ArrayLike, fs: float = 1.0, window: _Window = "hann",
          nperseg: int | None = None, noverlap: int | None = None,
          nfft: int | None = None, detrend: _Trend = "constant",
          return_onesided: bool = True, scaling: str = "density",
          axis: int = -1,
          average: str = "mean") -> tuple[_Floats, NDArray[Any]]:
    """Power spectrum by Welch's method.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    fs : float, optional
        Samples in a second.
    window : str, tuple or array_like, optional
        What `get_window` takes, or the window's values.
    nperseg : int, optional
        Length of a segment; default: 256, or that of the window.
    noverlap : int, optional
        Samples that segments share; default: half of them.
    nfft : int, optional
        Length of the transform: segments are padded with zeros.
    detrend : str, function or False, optional
        'constant' or 'linear' is subtracted from each segment; a function of
        segments gives what is used in their place.
    return_onesided : bool, optional
        Half of the spectrum, for real signals.
    scaling : {'density', 'spectrum'}, optional
        Power per hertz, or power.
    axis : int, optional
        Axis of the samples.
    average : {'mean', 'median'}, optional
        How segments are averaged.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    Pxx : ndarray
        Their power, along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = trnsci.Generator(1).normal(size=100000)
    >>> f, power = trnsci.signal.welch(x)
    >>> bool(abs(power.mean() - 2) < 0.1)
    True
    """
    x = np.asarray(x)
    if x.size == 0:
        return _nothing(x, 2)
    _check_average(average)
    return _spectrum(x, None, fs, window, nperseg, noverlap, nfft, detrend,
                     return_onesided, scaling, axis, average)


def csd(x: ArrayLike, y: ArrayLike, fs: float = 1.0, window: _Window = "hann",
        nperseg: int | None = None, noverlap: int | None = None,
        nfft: int | None = None, detrend: _Trend = "constant",
        return_onesided: bool = True, scaling: str = "density", axis: int = -1,
        average: str = "mean") -> tuple[_Floats, NDArray[Any]]:
    """Cross power spectrum by Welch's method: the mean of conj(X) Y.

    Parameters
    ----------
    x, y : array_like
        Signals, along `axis`; the shorter is padded with zeros.
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, \
axis, average : optional
        As in `welch`.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    Pxy : ndarray
        Their cross power, along `axis`.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = trnsci.Generator(1).normal(size=1000)
    >>> f, power = trnsci.signal.csd(x, 2 * x, nperseg=100)
    >>> np.allclose(power, 2 * trnsci.signal.welch(x, nperseg=100)[1])
    True
    """
    if y is x:
        return welch(x, fs, window, nperseg, noverlap, nfft, detrend,
                     return_onesided, scaling, axis, average)
    x, y = np.asarray(x), np.asarray(y)
    if x.size == 0 or y.size == 0:
        return _empty_cross(x, y, int(axis))
    _check_average(average)
    return _spectrum(x, y, fs, window, nperseg, noverlap, nfft, detrend,
                     return_onesided, scaling, axis, average)


def _empty_cross(x, y, axis):
    """scipy's result of signals without samples."""
    outer = [list(z.shape) for z in (x, y)]
    lengths = [shape.pop(axis) for shape in outer]
    rows = np.broadcast_shapes(*map(tuple, outer))
    empty = np.moveaxis(np.empty(rows + (min(lengths),)), -1, axis)
    return empty, empty


def spectrogram(x: ArrayLike, fs: float = 1.0,
                window: _Window = ("tukey", .25), nperseg: int | None = None,
                noverlap: int | None = None, nfft: int | None = None,
                detrend: _Trend = "constant", return_onesided: bool = True,
                scaling: str = "density", axis: int = -1,
                mode: str = "psd") -> tuple[_Floats, _Floats, NDArray[Any]]:
    """Spectra of successive segments.

    Parameters
    ----------
    x : array_like
        Signals, along `axis`.
    fs, window, nperseg, nfft, detrend, return_onesided, scaling, axis : \
optional
        As in `welch`.
    noverlap : int, optional
        Samples that segments share; default: an eighth of them.
    mode : {'psd', 'complex', 'magnitude', 'angle', 'phase'}, optional
        Power; the spectra themselves; their absolute values, their angles,
        and these without jumps.

    Returns
    -------
    f : ndarray
        Frequencies of the bins.
    t : ndarray
        Times of the segments.
    Sxx : ndarray
        The bins along `axis`, the segments along the last axis.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> f, t, s = trnsci.signal.spectrogram(np.ones(1000), nperseg=100)
    >>> s.shape
    (51, 11)
    """
    modes = ["psd", "complex", "magnitude", "angle", "phase"]
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of "
                         f"{modes}")
    x = np.asarray(x)
    axis = int(axis)
    nperseg = check_length(nperseg)
    window, nperseg = read_window(window, nperseg, x.shape[axis])
    if x.size == 0:
        return _nothing(x, 3)
    if noverlap is None:
        noverlap = nperseg // 8
    if mode == "psd":
        f, made = _spectrum(x, None, fs, window, nperseg, noverlap, nfft,
                            detrend, return_onesided, scaling, axis, "none")
        segments = Segments(window, nperseg, noverlap, nfft, x.shape[axis])
        return f, _times(segments, x.shape[axis], fs, None), made
    f, t, made = _short_time(x, fs, window, nperseg, noverlap, nfft, detrend,
                             return_onesided, scaling, axis, None, False)
    if mode == "magnitude":
        made = np.abs(made)
    elif mode in ("angle", "phase"):
        made = np.angle(made)
    made = _place_axis(made, axis)
    if mode == "phase":
        made = np.unwrap(made, axis=axis - 1 if axis < 0 else axis)
    return f, t, made
