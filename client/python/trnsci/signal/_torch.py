# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms with torch's meaning, on numpy's arrays."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._engine import apply, real_type, to_working, working_type

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def _window(window, n):
    if window is None:
        return None
    window = np.asarray(window)
    if window.ndim != 1 or window.shape[0] != n:
        raise ValueError(f"window: shape {window.shape}, allowed is ({n},)")
    if np.iscomplexobj(window):
        raise TypeError("window: complex windows are not supported")
    return window.astype(np.float64)


def _lengths(n_fft, hop_length, win_length):
    """What is missing is torch's default."""
    n_fft = int(n_fft)
    hop = n_fft // 4 if hop_length is None else int(hop_length)
    win = n_fft if win_length is None else int(win_length)
    if n_fft < 1:
        raise ValueError(f"n_fft: got {n_fft}, allowed are 1 and up")
    if hop < 1:
        raise ValueError(f"hop_length: got {hop}, allowed are 1 and up")
    if not 1 <= win <= n_fft:
        raise ValueError(f"win_length: got {win}, allowed are 1 to {n_fft}")
    return n_fft, hop, win


def torch_stft(input: ArrayLike, n_fft: int, hop_length: int | None = None,
               win_length: int | None = None, window: ArrayLike | None = None,
               center: bool = True, pad_mode: str = "reflect",
               normalized: bool = False,
               onesided: bool | None = None) -> NDArray[Any]:
    """Short-time Fourier transform with the meaning of ``torch.stft``.

    It differs from `stft`: the window is given by its values and is ones by
    default, segments overlap by three quarters, the ends are reflected, the
    last segment is not filled, spectra are not scaled, and a shorter window
    lies in the middle of its segment.

    Parameters
    ----------
    input : array_like
        Signals, along the last axis.
    n_fft : int
        Length of a segment and of its transform.
    hop_length : int, optional
        Samples from one segment to the next; default: n_fft / 4.
    win_length : int, optional
        Length of the window; default: n_fft.
    window : array_like, optional
        Its values, such as `windows.hann_window` gives; default: ones.
    center : bool, optional
        Segment t is centred at sample t * hop_length.
    pad_mode : {'reflect', 'constant', 'replicate', 'circular'}, optional
        Values beyond the ends of the signal.
    normalized : bool, optional
        Spectra are scaled by 1/sqrt(n_fft).
    onesided : bool, optional
        Half of the spectrum; default: for real signals.

    Returns
    -------
    ndarray
        Complex, (..., bins, segments): what torch gives with
        ``return_complex=True``.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> trnsci.signal.torch_stft(np.ones(1000), 100).shape
    (51, 41)
    """
    x = np.asarray(input)
    dtype = working_type(x)
    n_fft, hop, win = _lengths(n_fft, hop_length, win_length)
    x = to_working(x, dtype)
    if x.ndim < 1 or x.shape[-1] == 0:
        raise ValueError("input: allowed are signals of 1 sample and more")
    onesided = not np.iscomplexobj(x) if onesided is None else bool(onesided)
    length = x.shape[-1] + (2 * (n_fft // 2) if center else 0)
    if length < n_fft:
        raise ValueError(f"n_fft: got {n_fft}, allowed are at most the "
                         f"{length} samples that there are")
    params = {
        "n_fft": n_fft, "hop_length": hop, "win_length": win,
        "window_values": _window(window, win), "center": bool(center),
        "pad_mode": pad_mode, "normalized": bool(normalized),
        "onesided": onesided, "layout": "frames_bins",
    }
    bins = n_fft // 2 + 1 if onesided else n_fft
    made = apply("stft", x, params, (length - n_fft) // hop + 1, dtype,
                 trailing=(bins,))
    return np.swapaxes(made, -1, -2)


def torch_istft(input: ArrayLike, n_fft: int, hop_length: int | None = None,
                win_length: int | None = None, window: ArrayLike | None = None,
                center: bool = True, normalized: bool = False,
                onesided: bool | None = None, length: int | None = None,
                return_complex: bool = False) -> NDArray[Any]:
    """Inverse of `torch_stft`, with the meaning of ``torch.istft``.

    Parameters
    ----------
    input : array_like
        Spectra, (..., bins, segments).
    n_fft, hop_length, win_length, window, center, normalized, onesided : \
optional
        As in `torch_stft`.
    length : int, optional
        Samples of the result; default: all that the segments cover.
    return_complex : bool, optional
        The signal is complex.

    Returns
    -------
    ndarray
        Signals, along the last axis.

    Examples
    --------
    >>> import numpy as np, trnsci
    >>> x = np.arange(100.0)
    >>> again = trnsci.signal.torch_istft(
    ...     trnsci.signal.torch_stft(x, 20), 20, length=100)
    >>> np.allclose(again, x)
    True
    """
    z = np.asarray(input)
    dtype = working_type(z)
    n_fft, hop, win = _lengths(n_fft, hop_length, win_length)
    if z.ndim < 2 or z.size == 0:
        raise ValueError("input: allowed are spectra, (..., bins, segments)")
    if onesided is None:
        onesided = z.shape[-2] != n_fft
    if z.shape[-2] != (n_fft // 2 + 1 if onesided else n_fft):
        raise ValueError(f"input: {z.shape[-2]} bins are not those of n_fft "
                         f"{n_fft}")
    covered = n_fft + (z.shape[-1] - 1) * hop - \
        (2 * (n_fft // 2) if center else 0)
    n = covered if length is None else int(length)
    params = {
        "n_fft": n_fft, "hop_length": hop, "win_length": win,
        "window_values": _window(window, win), "center": bool(center),
        "normalized": bool(normalized), "length": length,
        "layout": "frames_bins", "onesided": bool(onesided),
        "return_complex": bool(return_complex),
    }
    return apply("istft", np.ascontiguousarray(np.swapaxes(z, -1, -2), dtype),
                 params, n, dtype if return_complex else real_type(dtype),
                 kept=2)
