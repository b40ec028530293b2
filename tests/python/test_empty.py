# SPDX-License-Identifier: Apache-2.0
"""Arrays without elements: the same shapes, or the same refusal, as numpy's
and scipy's functions, for every axis; and every operation of the engine."""
import itertools

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import trnsci

SHAPES = [(0,), (0, 8), (5, 0), (0, 0), (0, 5, 8), (3, 0, 8), (3, 5, 0)]


def answer(function, *args, **params):
    """The shapes and dtypes of what comes, or that it was refused."""
    try:
        made = function(*args, **params)
    except ValueError:
        return "refused"
    made = made if isinstance(made, tuple) else (made,)
    return [(np.shape(x), np.asarray(x).dtype) for x in made]


@pytest.mark.parametrize("name", [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "dst", "idct",
    "idst"])
def test_transforms_of_one_axis_are_scipys(name):
    ours, theirs = getattr(trnsci.fft, name), getattr(scipy.fft, name)
    for shape, dtype in itertools.product(SHAPES, "fd"):
        for axis, n in itertools.product(range(len(shape)), (None, 8)):
            x = np.zeros(shape, dtype)
            assert answer(ours, x, n=n, axis=axis) == \
                answer(theirs, x, n=n, axis=axis), (name, shape, axis, n)


def test_convolutions_and_spectra_are_scipys():
    for shape in [(0, 64), (0, 3, 64)]:
        x = np.zeros(shape)
        for name in ("welch", "stft"):
            ours = answer(getattr(trnsci.signal, name), x, nperseg=16)
            assert ours == answer(getattr(scipy.signal, name), x, nperseg=16)
        assert answer(trnsci.signal.csd, x, x, nperseg=16) == \
            answer(scipy.signal.csd, x, x, nperseg=16)
    for shape in [(0, 9, 17), (2, 0, 9, 17)]:
        z = np.zeros(shape, complex)
        assert answer(trnsci.signal.istft, z)[-1] == \
            answer(scipy.signal.istft, z)[-1]
    with pytest.raises(ValueError, match="spectra"):  # as torch
        trnsci.signal.torch_istft(np.zeros((0, 9, 17), complex), 16)
    assert trnsci.signal.torch_stft(np.zeros((0, 64)), 16).shape == \
        (0, 9, 17)
    for n, m in [(0, 3), (3, 0), (0, 0)]:
        assert trnsci.signal.convolve(np.zeros(n), np.zeros(m),
                                      method="fft").shape == (0,)


def test_draws_are_numpys():
    for shape in SHAPES:
        ours, theirs = trnsci.Generator(1), np.random.default_rng(1)
        for name, args in [("random", ()), ("normal", ()), ("gamma", (2,)),
                           ("poisson", (3,)), ("integers", (5,)),
                           ("dirichlet", ([1, 2],)),
                           ("multinomial", (3, [.5, .5]))]:
            assert answer(getattr(ours, name), *args, size=shape) == \
                answer(getattr(theirs, name), *args, size=shape)
        x = np.zeros(shape)
        assert answer(ours.normal, x) == answer(theirs.normal, x)
        assert answer(ours.gamma, x + 1, 2.0) == \
            answer(theirs.gamma, x + 1, 2.0)
        assert answer(ours.normal, np.zeros(0), size=3) == \
            answer(theirs.normal, np.zeros(0), size=3)
        assert answer(ours.permutation, x) == answer(theirs.permutation, x)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_every_operation_with_every_axis_0(session, dtype):
    """An array or an error that names the operation; the session goes on."""
    inputs = {"gemm": ("a", "b"), "convolve": ("a", "b"),
              "correlate": ("a", "b"), "csd": ("in", "y"),
              "where": ("condition", "a", "b")}
    pairs = ("add", "subtract", "multiply", "divide")
    answers = 0
    for name in pairs + tuple(inputs) + (
            "box_muller", "scale", "abs", "square", "sqrt", "log", "exp",
            "conj", "real", "imag", "clip", "noise_add", "sum", "mean",
            "max", "norm", "fft", "dct", "dst", "fftshift", "trace", "stft",
            "istft", "welch"):
        arrays = inputs.get(name, ("a", "b") if name in pairs else ("in",))
        more = {"stft": {"n_fft": 4}, "istft": {"n_fft": 4}}.get(name, {})
        for shape in SHAPES:
            for empty in range(1, 2 ** len(arrays)):
                params = {
                    array: np.zeros(shape if empty >> i & 1 else
                                    [n or 3 for n in shape], dtype)
                    for i, array in enumerate(arrays)}
                try:
                    made = session.apply(name, **params, **more).result()
                    assert made.size == 0 or not np.any(made)
                    answers += 1
                except trnsci.ParameterError as error:
                    assert name in str(error)
    assert answers > 60
    assert session.apply("sum", **{"in": np.ones(3)}).result()[0] == 3
