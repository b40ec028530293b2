# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of complex and real arrays along one axis. The first
argument of _core.transform is an index into the kinds of src/transform.c."""
from .. import _core
from ._helpers import default_workers, read_norm, read_workers, refuse_plan


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
        plan=None, precision=None, target_error=None):
    """Discrete Fourier transform along an axis.

    Parameters
    ----------
    x : array_like
        Real or complex.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm : {'backward', 'ortho', 'forward'}, optional
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

    Returns
    -------
    ndarray
        Complex, of `n` elements along the axis.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.fft.fft([1.0, 2.0, 1.0, 0.0])
    array([4.+0.j, 0.-2.j, 0.+0.j, 0.+2.j])
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(0, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, precision=None, target_error=None):
    """Inverse discrete Fourier transform along an axis.

    Parameters
    ----------
    x : array_like
        Real or complex.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `fft`.

    Returns
    -------
    ndarray
        Complex, of `n` elements along the axis.
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(1, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, precision=None, target_error=None):
    """Half the spectrum of real numbers along an axis.

    Parameters
    ----------
    x : array_like
        Real.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `fft`.

    Returns
    -------
    ndarray
        Complex, of ``n // 2 + 1`` elements along the axis.
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(2, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
          plan=None, precision=None, target_error=None):
    """Real numbers from half their spectrum: the inverse of `rfft`.

    Parameters
    ----------
    x : array_like
        Half a spectrum.
    n : int, optional
        Length of the result; default: twice the bins less two.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `fft`.

    Returns
    -------
    ndarray
        Real, of `n` elements along the axis.
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(3, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
         plan=None, precision=None, target_error=None):
    """Real spectrum of a signal that is its own conjugate in reverse.

    Parameters
    ----------
    x : array_like
        The first half of the signal.
    n : int, optional
        Length of the result; default: twice the elements less two.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `fft`.

    Returns
    -------
    ndarray
        Real, of `n` elements along the axis.
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(4, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *,
          plan=None, precision=None, target_error=None):
    """Half a signal from its real spectrum: the inverse of `hfft`.

    Parameters
    ----------
    x : array_like
        Real.
    n : int, optional
        Length of the transform: `x` is padded with zeros, or trimmed.
    axis : int, optional
        Axis of the transform.
    norm, overwrite_x, workers, precision, target_error : optional
        As in `fft`.

    Returns
    -------
    ndarray
        Complex, of ``n // 2 + 1`` elements along the axis.
    """
    if plan is not None:
        refuse_plan(plan)
    return _core.transform(5, x, n, axis, norm and read_norm(norm),
                           overwrite_x, default_workers() if workers is None
                           else read_workers(workers), precision,
                           target_error, None, None)
