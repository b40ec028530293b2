# SPDX-License-Identifier: Apache-2.0
"""Cosine and sine transforms."""
import numpy as np

from .. import _core
from ._helpers import read_axes, read_norm, read_workers

_TYPES = {1: "1", 2: "2", 3: "3", 4: "4"}


def _transform(kind, x, lengths, axes, type, norm, overwrite_x, workers,
               precision, target_error, orthogonalize):
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    options = _read_options(type, norm, orthogonalize)
    return _core.transform(kind, x, lengths, axes, options[1], overwrite_x,
                           read_workers(workers), precision, target_error,
                           options[0], options[2])


def _read_options(type, norm, orthogonalize):
    try:
        type = _TYPES[type]
    except (KeyError, TypeError):
        raise ValueError(f"invalid type {type!r}, allowed are 1, 2, 3 and 4"
                         ) from None
    return type, read_norm(norm), "yes" if orthogonalize else "no"


def _one(kind, x, type, n, axis, norm, overwrite_x, workers, precision,
         target_error, orthogonalize):
    """One axis. `kind` is an index into the kinds of src/transform.c."""
    return _transform(kind, x, n, axis, type, norm, overwrite_x, workers,
                      precision, target_error, orthogonalize)


def _several(kind, x, type, s, axes, norm, overwrite_x, workers, precision,
             target_error, orthogonalize):
    """Several axes."""
    if not isinstance(x, np.ndarray):
        x = np.asarray(x)
    lengths, axes = read_axes(x, s, axes)
    if len(axes) == 0:
        return x
    return _transform(kind, x, None if s is None else lengths, axes, type,
                      norm, overwrite_x, workers, precision, target_error,
                      orthogonalize)


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False,
        workers=None, orthogonalize=None, *, precision=None,
        target_error=None):
    """Discrete cosine transform along an axis.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.dct([1.0, 1.0, 1.0, 1.0])
    array([8., 0., 0., 0.])
    """
    return _one(6, x, type, n, axis, norm, overwrite_x, workers, precision,
                target_error, orthogonalize)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False,
         workers=None, orthogonalize=None, *, precision=None,
         target_error=None):
    """Inverse of `dct` of the same type along an axis.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _one(7, x, type, n, axis, norm, overwrite_x, workers, precision,
                target_error, orthogonalize)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False,
        workers=None, orthogonalize=None, *, precision=None,
        target_error=None):
    """Discrete sine transform along an axis.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _one(8, x, type, n, axis, norm, overwrite_x, workers, precision,
                target_error, orthogonalize)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False,
         workers=None, orthogonalize=None, *, precision=None,
         target_error=None):
    """Inverse of `dst` of the same type along an axis.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _one(9, x, type, n, axis, norm, overwrite_x, workers, precision,
                target_error, orthogonalize)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False,
         workers=None, orthogonalize=None, *, precision=None,
         target_error=None):
    """Discrete cosine transform along several axes.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _several(6, x, type, s, axes, norm, overwrite_x, workers,
                    precision, target_error, orthogonalize)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False,
          workers=None, orthogonalize=None, *, precision=None,
          target_error=None):
    """Inverse of `dctn` of the same type along several axes.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _several(7, x, type, s, axes, norm, overwrite_x, workers,
                    precision, target_error, orthogonalize)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False,
         workers=None, orthogonalize=None, *, precision=None,
         target_error=None):
    """Discrete sine transform along several axes.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _several(8, x, type, s, axes, norm, overwrite_x, workers,
                    precision, target_error, orthogonalize)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False,
          workers=None, orthogonalize=None, *, precision=None,
          target_error=None):
    """Inverse of `dstn` of the same type along several axes.

    Parameters
    ----------
    x : array_like
        Real; of complex numbers each part is transformed alone.
    type : {1, 2, 3, 4}, optional
        Which of the four transforms.
    s : int or sequence of ints, optional
        Lengths: `x` is padded with zeros, or trimmed; -1: as it is.
    axes : int or sequence of ints, optional
        Axes of the transform; default: all, or the last.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `trnsci.fft.fft`; precision is 'fast', 'kahan' or 'double'.
    orthogonalize : bool, optional
        Whether the ends get the factors that make the transform orthogonal;
        default: with norm 'ortho'.

    Returns
    -------
    ndarray
        Of the kind of `x`.
    """
    return _several(9, x, type, s, axes, norm, overwrite_x, workers,
                    precision, target_error, orthogonalize)
