# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of complex and real arrays over several axes."""
import numpy as np

from .. import _core
from ._helpers import read_axes, read_norm, read_workers, refuse_plan

_HALVES = (2, 3, 4, 5)


def _several(kind, x, s, axes, norm, overwrite_x, workers, plan, precision,
             target_error):
    """Several axes, of which half a spectrum has the last. `kind` is an index
    into the kinds of src/transform.c."""
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
    return _core.transform(kind, x, None if s is None else lengths, axes, norm,
                           overwrite_x, workers, precision, target_error,
                           None, None)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
         workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional discrete Fourier transform.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex, of the lengths given.
    """
    return _several(0, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional inverse discrete Fourier transform.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex, of the lengths given.
    """
    return _several(1, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional half the spectrum of a real array.

    Parameters
    ----------
    x : array_like
        Real.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex; the last axis has half its length and one more.
    """
    return _several(2, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
           workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional real array from half its spectrum.

    Parameters
    ----------
    x : array_like
        Half a spectrum.
    s : int or sequence of ints, optional
        Lengths of the axes of the result; -1: as they are.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Real, of the lengths given.
    """
    return _several(3, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional real spectrum of a Hermitian array.

    Parameters
    ----------
    x : array_like
        Half of the array.
    s : int or sequence of ints, optional
        Lengths of the axes of the result; -1: as they are.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Real, of the lengths given.
    """
    return _several(4, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False,
           workers=None, *, plan=None, precision=None, target_error=None):
    """Two-dimensional half an array from its real spectrum.

    Parameters
    ----------
    x : array_like
        Real.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex; the last axis has half its length and one more.
    """
    return _several(5, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False,
         workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional discrete Fourier transform.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex, of the lengths given.
    """
    return _several(0, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional inverse discrete Fourier transform.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex, of the lengths given.
    """
    return _several(1, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional half the spectrum of a real array.

    Parameters
    ----------
    x : array_like
        Real.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex; the last axis has half its length and one more.
    """
    return _several(2, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False,
           workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional real array from half its spectrum.

    Parameters
    ----------
    x : array_like
        Half a spectrum.
    s : int or sequence of ints, optional
        Lengths of the axes of the result; -1: as they are.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Real, of the lengths given.
    """
    return _several(3, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False,
          workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional real spectrum of a Hermitian array.

    Parameters
    ----------
    x : array_like
        Half of the array.
    s : int or sequence of ints, optional
        Lengths of the axes of the result; -1: as they are.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Real, of the lengths given.
    """
    return _several(4, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False,
           workers=None, *, plan=None, precision=None, target_error=None):
    """N-dimensional half an array from its real spectrum.

    Parameters
    ----------
    x : array_like
        Real.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`.

    Returns
    -------
    ndarray
        Complex; the last axis has half its length and one more.
    """
    return _several(5, x, s, axes, norm, overwrite_x, workers, plan,
                    precision, target_error)
