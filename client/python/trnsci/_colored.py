# SPDX-License-Identifier: Apache-2.0
"""Noise with a spectrum."""
from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Literal, Optional, Sequence, Tuple,
                    Union)

import numpy as np

from ._choices import _shape_of, part_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike
    _Size = Optional[Union[int, Sequence[int]]]
    _Color = Literal["white", "pink", "brown", "blue", "violet"]


class Colored:
    """Mixed into Generator."""

    def colored(self, size: _Size = None, *, color: _Color | None = None,
                exponent: float | None = None,
                psd: Tuple[ArrayLike, ArrayLike] | None = None,
                taps: ArrayLike | None = None, fs: float = 1.0,
                flat_below: float | None = None,
                band: Tuple[float, float] | None = None,
                length: int | None = None, std: float | None = None,
                density: float | None = None,
                dtype: DTypeLike = np.float64) -> Any:
        """Draw coloured noise: normal numbers with a spectrum.

        Give one of `color`, `exponent`, `psd` and `taps`.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result, which in C order is one signal; default: one
            number.
        color : {'white', 'pink', 'brown', 'blue', 'violet'}, optional
            Spectrum by name: exponent 0, 1, 2, -1 or -2; default: pink.
        exponent : float, optional
            The density falls as ``1/f**exponent``, -4 to 4.
        psd : (frequencies, densities), optional
            A table of one-sided densities, in units**2/Hz, at increasing
            frequencies; interpolated in logarithms, flat beyond its ends.
        taps : 1-D array_like, optional
            The filter itself, used as given.
        fs : float, optional
            Samples a second.
        flat_below : float, optional
            Frequency below which the density of `color` or `exponent` is
            flat; default: ``fs / length``.
        band : (float, float), optional
            The density is 0 outside of these two frequencies.
        length : int, optional
            Taps of the filter that is designed, 16 to 2**20; default: 4096,
            or as many as `flat_below` needs.
        std : float, optional
            Standard deviation; default: 1 for `color` and `exponent`, that
            of the table for `psd` and `taps`.
        density : float, optional
            Mean of the one-sided density, instead of `std`.
        dtype : dtype, optional
            float64 or float32.

        Notes
        -----
        Sample k is a sum over the normal numbers k to ``k + length - 1`` of
        the stream, so a call takes the words of ``n + length - 1`` normal
        numbers: signals of two calls are independent. Parts of one signal are
        those of ranks, or of ``session.draw('colored', n, offset=k)``.

        Examples
        --------
        >>> import trnsci
        >>> x = trnsci.Generator(1).colored(100_000, color="brown")
        >>> x.shape, bool(abs(x.std() - 1) < 0.3)
        ((100000,), True)
        >>> hum = trnsci.Generator(1).colored(1000, fs=48000,
        ...                                   psd=([50, 1000], [1e-4, 1e-8]))
        >>> hum.dtype
        dtype('float64')
        """
        shape = _shape_of(size)
        begin, rows = part_of(self, shape)
        row = int(np.prod(shape[1:], dtype=np.int64))
        params = {"color": color, "exponent": exponent, "fs": float(fs),
                  "psd": None if psd is None else _pairs(*psd),
                  "taps": taps, "flat_below": flat_below, "band": band,
                  "length": length, "std": std, "density": density}
        for name in "taps", "band":
            if params[name] is not None:
                params[name] = np.asarray(params[name], float).tolist()
        call = self.session.draw(
            "colored", rows * row, dtype, seed=self.seed, stream=self.stream,
            generator=self.generator, offset=begin * row,
            position=self.position,
            **{name: value for name, value in params.items()
               if value is not None})
        array = call.result()
        whole = shape[0] * row if shape else 1
        if whole:
            more = call._reply()["length"] - 1
            words = (whole + more) * array.dtype.itemsize // 4
            self.position += (words + 3) // 4 * 4
        if not shape:
            return array[0]
        return array.reshape((rows,) + shape[1:])


def _pairs(frequencies, densities):
    frequencies, densities = np.broadcast_arrays(
        np.asarray(frequencies, float), np.asarray(densities, float))
    if frequencies.ndim != 1:
        raise ValueError("psd: allowed are two arrays of one dimension and "
                         "equal length")
    return np.stack([frequencies, densities], 1).ravel().tolist()
