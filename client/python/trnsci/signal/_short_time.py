# SPDX-License-Identifier: Apache-2.0
"""ShortTimeFFT of scipy 1.12 and later: slices are transformed many at a time,
not one by one, and by trnsci.fft."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.fft
import scipy.signal

from .. import fft as _fft
from ._inverse import _overlap_add
from ._segments import detrender
from ._spectral import _BLOCK

_PADDING = {"zeros": {"mode": "constant"}, "edge": {"mode": "edge"},
            "even": {"mode": "reflect"},
            "odd": {"mode": "reflect", "reflect_type": "odd"}}


def _by_rows(transform, rows):
    """scipy's private transforms of one slice, of rows of them: they pad rows
    alone, and take scipy.fft's backend."""
    with scipy.fft.set_backend(_fft):
        made = transform(rows.reshape(-1, rows.shape[-1]))
    return made.reshape(rows.shape[:-1] + made.shape[-1:])


# The module can be imported with older scipy, too; nobody asks for its class.
_Theirs = getattr(scipy.signal, "ShortTimeFFT", object)


class ShortTimeFFT(_Theirs):
    """Short-time transforms of a window: `scipy.signal.ShortTimeFFT`, whose
    arguments, properties, results and errors it has."""

    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0,
                     padding="zeros", axis=-1):
        """As scipy's, which has the errors, and functions of single slices."""
        known = (detr is None or isinstance(detr, str)) and \
            padding in _PADDING and np.can_cast(x.dtype, complex) and \
            not (self.onesided_fft and np.iscomplexobj(x)) and \
            x.shape[axis] >= self.m_num - self.m_num_mid
        if not known:
            with scipy.fft.set_backend(_fft):
                return super().stft_detrend(x, detr, p0, p1, padding=padding,
                                            k_offset=k_offset, axis=axis)
        p0, p1 = self.p_range(x.shape[axis], p0, p1)
        slices = self._slices(np.moveaxis(x, axis, -1), p0, p1, k_offset,
                              padding)
        made = self._spectra(slices, detrender(detr, -1))
        return np.moveaxis(made, -1, axis if axis >= 0 else axis - 1)

    def _slices(self, x, p0, p1, k_offset, padding):
        """(..., slices, m_num), of the samples with those around them."""
        begin = p0 * self.hop - self.m_num_mid + k_offset
        end = begin + (p1 - p0) * self.hop + self.m_num
        around = [(0, 0)] * (x.ndim - 1) + [(max(-begin, 0),
                                             max(end - x.shape[-1], 0))]
        x = np.pad(x[..., max(begin, 0):end], around, **_PADDING[padding])
        views = np.lib.stride_tricks.sliding_window_view(x, self.m_num, -1)
        return views[..., :-1:self.hop, :]

    def _spectra(self, slices, detrend):
        made = np.empty(slices.shape[:-1] + (self.f_pts,), complex)
        step = max(1, _BLOCK // max(1, slices[..., :1, :].size))
        win = self.win.conj()
        for begin in range(0, slices.shape[-2], step):
            part = slices[..., begin:begin + step, :]
            part = (detrend(part) if detrend else part) * win
            made[..., begin:begin + step, :] = _by_rows(self._fft_func, part)
        return made

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):
        """As scipy's, which has the errors, and arrays of several signals."""
        least = self.m_num - self.m_num_mid
        known = S.ndim == 2 and (f_axis - t_axis) % 2 and \
            S.shape[f_axis] == self.f_pts and \
            S.shape[t_axis] >= self.p_num(least)
        if known:
            last = S.shape[t_axis] + self.p_min
            k_max = (last - 1) * self.hop + least
            end = k_max if k1 is None else k1
            known = self.k_min <= k0 < end <= k_max and end - k0 >= least
        if not known:
            with scipy.fft.set_backend(_fft):
                return super().istft(S, k0, k1, f_axis=f_axis, t_axis=t_axis)
        # scipy 1.15 adds the last slices where those before p_min would lie.
        first = self.p_min + max(k0, 0) // self.hop
        last = min(self.p_max(end), last)
        rows = np.moveaxis(S, t_axis, 0)[first - self.p_min:last - self.p_min]
        return self._join(rows, first * self.hop - self.m_num_mid, k0, end)

    def _join(self, rows, place, k0, k1):
        """Samples k0 to k1 of slices of which the first lies at `place`."""
        sums = SimpleNamespace(
            hop=self.hop, nperseg=self.m_num, count=len(rows),
            length=(len(rows) - 1) * self.hop + self.m_num)
        x = _overlap_add(_by_rows(self._ifft_func, rows) * self.dual_win, sums)
        made = np.zeros(k1 - k0, float if self.onesided_fft else complex)
        begin = max(place, k0)
        end = max(begin, min(place + len(x), k1))
        made[begin - k0:end - k0] = x[begin - place:end - place]
        return made
