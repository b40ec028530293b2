# SPDX-License-Identifier: Apache-2.0
"""The transforms of scipy.fft: one table, one function for each form of their
arguments. `kind` is an index into the kinds of src/transform.c."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional, Sequence, Union

import numpy as np

from .. import _core
from ._helpers import (default_workers, read_axes, read_norm, read_type,
                       read_workers, refuse_plan)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_Norm = Optional[Literal["backward", "ortho", "forward"]]
_Axes = Union[None, int, Sequence[int]]

_HALVES = (2, 3, 4, 5)


def _along_axis(kind):
    def transform(x: ArrayLike, n: Optional[int] = None, axis: int = -1,
                  norm: _Norm = None, overwrite_x: bool = False,
                  workers: Optional[int] = None, *, plan: object = None,
                  precision: Optional[str] = None,
                  target_error: Optional[float] = None):
        if plan is not None:
            refuse_plan(plan)
        return _core.transform(
            kind, x, n, axis, norm and read_norm(norm), overwrite_x,
            default_workers() if workers is None else read_workers(workers),
            precision, target_error, None, None)
    return transform


def _along_axes(kind, default):
    """Several axes, of which half a spectrum has the last."""
    def transform(x: ArrayLike, s: _Axes = None, axes: _Axes = default,
                  norm: _Norm = None, overwrite_x: bool = False,
                  workers: Optional[int] = None, *, plan: object = None,
                  precision: Optional[str] = None,
                  target_error: Optional[float] = None):
        if plan is not None:
            refuse_plan(plan)
        if not isinstance(x, np.ndarray):
            x = np.asarray(x)
        if kind in (2, 5) and np.iscomplexobj(x):
            raise TypeError("x must be a real sequence")
        lengths, axes = read_axes(x, s, axes)
        norm = read_norm(norm)
        workers = read_workers(workers)
        if len(axes) == 0:
            if kind in _HALVES:
                raise ValueError("at least 1 axis must be transformed")
            return x
        return _core.transform(
            kind, x, None if s is None else lengths, axes, norm, overwrite_x,
            workers, precision, target_error, None, None)
    return transform


def _real(kind, x, lengths, axes, type, norm, overwrite_x, workers, precision,
          target_error, orthogonalize):
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    type, norm = read_type(type), read_norm(norm)
    return _core.transform(
        kind, x, lengths, axes, norm, overwrite_x, read_workers(workers),
        precision, target_error, type, "yes" if orthogonalize else "no")


def _real_along_axis(kind):
    def transform(x: ArrayLike, type: int = 2, n: Optional[int] = None,
                  axis: int = -1, norm: _Norm = None,
                  overwrite_x: bool = False, workers: Optional[int] = None,
                  orthogonalize: Optional[bool] = None, *,
                  precision: Optional[str] = None,
                  target_error: Optional[float] = None):
        return _real(kind, x, n, axis, type, norm, overwrite_x, workers,
                     precision, target_error, orthogonalize)
    return transform


def _real_along_axes(kind):
    def transform(x: ArrayLike, type: int = 2, s: _Axes = None,
                  axes: _Axes = None, norm: _Norm = None,
                  overwrite_x: bool = False, workers: Optional[int] = None,
                  orthogonalize: Optional[bool] = None, *,
                  precision: Optional[str] = None,
                  target_error: Optional[float] = None):
        if not isinstance(x, np.ndarray):
            x = np.asarray(x)
        lengths, axes = read_axes(x, s, axes)
        if len(axes) == 0:
            return x
        return _real(kind, x, None if s is None else lengths, axes, type, norm,
                     overwrite_x, workers, precision, target_error,
                     orthogonalize)
    return transform


# ---- Documents ----

_TYPE = """type : {1, 2, 3, 4}, optional
    Which of the four transforms.
"""
_PADDED = "`x` is padded with zeros, or trimmed"
_ORTHOGONALIZE = """orthogonalize : bool, optional
    Whether the ends get the factors that make the transform orthogonal;
    default: with norm 'ortho'.
"""
_REAL_OPTIONS = """norm, overwrite_x, workers, precision, target_error : optional
    As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
""" + _ORTHOGONALIZE
_OPTIONS = """norm, overwrite_x, workers, precision, target_error : optional
    As in `trnsci.fft.fft`.
"""
_FFT_OPTIONS = """norm : {'backward', 'ortho', 'forward'}, optional
    Which direction is scaled by 1/n; 'ortho': both by its root.
overwrite_x : bool, optional
    The result may take the memory of `x`.
workers : int, optional
    Most threads that compute, of an engine inside the process; negative:
    counted from the number of CPUs. Default: what `set_workers` set, else
    the daemon, or all CPUs.
plan : object, optional
    Not supported.
precision : str, optional
    A mode of the engine: 'fast', 'kahan', 'double', 'bf16',
    'bf16_refined', 'ozaki', 'ozaki6', 'ozaki_hq' or 'ozaki_fp64'.
target_error : float, optional
    Instead of `precision`: the cheapest mode whose bound of the relative
    error (L2) is at most this.
"""
_EXAMPLES = {
    "fft": """>>> trnsci.fft.fft([1.0, 2.0, 1.0, 0.0])
array([4.+0.j, 0.-2.j, 0.+0.j, 0.+2.j])
""",
    "dct": """>>> trnsci.fft.dct([1.0, 1.0, 1.0, 1.0])
array([8., 0., 0., 0.])
""",
}


def _document(name, does, x, type, length, axes, options, result):
    example = _EXAMPLES.get(name)
    return (f"{does}\n\nParameters\n----------\nx : array_like\n    {x}\n"
            f"{type}{length}\n{axes}\n{options}\n"
            f"Returns\n-------\nndarray\n    {result}\n"
            + (f"\nExamples\n--------\n>>> import trnsci\n{example}"
               if example else ""))


def _add(name, transform, returns, *document):
    """Give a function its name, its document and the type of its result."""
    transform.__name__ = transform.__qualname__ = name
    transform.__code__ = transform.__code__.replace(co_name=name)
    transform.__doc__ = _document(name, *document)
    transform.__annotations__["return"] = returns
    globals()[name] = transform


_COMPLEX = "NDArray[np.complexfloating[Any, Any]]"
_REAL = "NDArray[np.floating[Any]]"
_AXIS = "axis : int, optional\n    Axis of the transform."
_AXES = "axes : int or sequence of ints, optional\n    Axes of the transform"


def _add_complex(kind, name, one, several, x, xs, n, s, elements, lengths):
    """Add the transform along one axis, of two and of any number of axes."""
    returns = _COMPLEX if elements.startswith("Complex") else _REAL
    s = f"s : int or sequence of ints, optional\n    {s}"
    _add(name, _along_axis(kind), returns, one, x, "",
         f"n : int, optional\n    {n}", _AXIS,
         _FFT_OPTIONS if name == "fft" else _OPTIONS, elements)
    _add(name + "2", _along_axes(kind, (-2, -1)), returns,
         "Two-dimensional " + several, xs, "", s, _AXES + ".", _OPTIONS,
         lengths)
    _add(name + "n", _along_axes(kind, None), returns,
         "N-dimensional " + several, xs, "", s,
         _AXES + "; default: all, or the last.", _OPTIONS, lengths)


def _add_real(kind, name, one, several):
    x = "Real; of complex numbers each part is transformed alone."
    _add(name, _real_along_axis(kind), "NDArray[Any]", one, x, _TYPE,
         f"n : int, optional\n    Length of the transform: {_PADDED}.", _AXIS,
         _REAL_OPTIONS, "Of the kind of `x`.")
    _add(name + "n", _real_along_axes(kind), "NDArray[Any]", several, x, _TYPE,
         "s : int or sequence of ints, optional\n"
         f"    Lengths: {_PADDED}; -1: as it is.",
         _AXES + "; default: all, or the last.", _REAL_OPTIONS,
         "Of the kind of `x`.")


_N = f"Length of the transform: {_PADDED}."
_S = f"Lengths: {_PADDED}; -1: as it is."
_S_OF_RESULT = "Lengths of the axes of the result; -1: as they are."
_LINE = "Complex, of `n` elements along the axis."
_HALF_LINE = "Complex, of ``n // 2 + 1`` elements along the axis."
_REAL_LINE = "Real, of `n` elements along the axis."
_BOX = "Complex, of the lengths given."
_HALF_BOX = "Complex; the last axis has half its length and one more."
_REAL_BOX = "Real, of the lengths given."

_add_complex(0, "fft", "Discrete Fourier transform along an axis.",
             "discrete Fourier transform.", "Real or complex.",
             "Real or complex.", _N, _S, _LINE, _BOX)
_add_complex(1, "ifft", "Inverse discrete Fourier transform along an axis.",
             "inverse discrete Fourier transform.", "Real or complex.",
             "Real or complex.", _N, _S, _LINE, _BOX)
_add_complex(2, "rfft", "Half the spectrum of real numbers along an axis.",
             "half the spectrum of a real array.", "Real.", "Real.", _N, _S,
             _HALF_LINE, _HALF_BOX)
_add_complex(3, "irfft",
             "Real numbers from half their spectrum: the inverse of `rfft`.",
             "real array from half its spectrum.", "Half a spectrum.",
             "Half a spectrum.",
             "Length of the result; default: twice the bins less two.",
             _S_OF_RESULT, _REAL_LINE, _REAL_BOX)
_add_complex(4, "hfft", "Real spectrum of a signal that is its own conjugate "
             "in reverse.", "real spectrum of a Hermitian array.",
             "The first half of the signal.", "Half of the array.",
             "Length of the result; default: twice the elements less two.",
             _S_OF_RESULT, _REAL_LINE, _REAL_BOX)
_add_complex(5, "ihfft",
             "Half a signal from its real spectrum: the inverse of `hfft`.",
             "half an array from its real spectrum.", "Real.", "Real.", _N, _S,
             _HALF_LINE, _HALF_BOX)
_add_real(6, "dct", "Discrete cosine transform along an axis.",
          "Discrete cosine transform along several axes.")
_add_real(7, "idct", "Inverse of `dct` of the same type along an axis.",
          "Inverse of `dctn` of the same type along several axes.")
_add_real(8, "dst", "Discrete sine transform along an axis.",
          "Discrete sine transform along several axes.")
_add_real(9, "idst", "Inverse of `dst` of the same type along an axis.",
          "Inverse of `dstn` of the same type along several axes.")
