# SPDX-License-Identifier: Apache-2.0
"""coherence, periodogram, fftconvolve, oaconvolve, hilbert, resample, czt and
zoom_fft beside their definitions, and names that are scipy's."""
import subprocess
import sys

import numpy as np
import pytest

import trnsci
from trnsci import signal

RNG = np.random.default_rng(40)
DTYPES = np.float32, np.float64


def near(made, expected, dtype):
    expected = np.asarray(expected)
    assert made.shape == expected.shape
    error = 2e-6 if dtype in (np.float32, np.complex64) else 1e-13
    assert np.abs(made - expected).max() <= error * max(
        1, np.abs(expected).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n, nfft", [(100, None), (101, None), (64, 200),
                                     (200, 64)])
def test_periodogram(dtype, n, nfft):
    x = RNG.normal(3, 1, (2, n)).astype(dtype)
    f, power = signal.periodogram(x, 10.0, "hann", nfft)
    used = x[:, :nfft].astype(float)
    window = signal.get_window("hann", used.shape[1])
    used = (used - used.mean(axis=1, keepdims=True)) * window
    bins = nfft or n
    expected = np.abs(np.fft.rfft(used, bins))**2 / 10 / (window**2).sum()
    expected[:, 1:(bins + 1) // 2] *= 2
    near(power, expected, dtype)
    assert power.dtype == dtype
    np.testing.assert_allclose(f, np.fft.rfftfreq(bins, 0.1))
    with pytest.raises(ValueError, match="size of the window"):
        signal.periodogram(x, window=np.ones(7))


def test_coherence():
    """Of a signal and twice it with noise of a tenth it is 4 / 4.01, of
    independent ones 1 / the number of segments on average."""
    x = RNG.normal(size=(3, 50_000))
    y = 2 * x + 0.1 * RNG.normal(size=x.shape)
    f, c = signal.coherence(x, y, 100.0, nperseg=100)
    assert c.shape == (3, 51) and f[-1] == 50.0
    np.testing.assert_allclose(c, 4 / 4.01, atol=1e-3)
    c = signal.coherence(x, RNG.normal(size=50_000), nperseg=100,
                         noverlap=0, window="boxcar")[1]
    assert abs(c[:, 1:-1].mean() * 500 - 1) < 0.3


@pytest.mark.parametrize("convolve", [signal.fftconvolve, signal.oaconvolve])
@pytest.mark.parametrize("dtype", [*DTYPES, np.complex64, np.complex128])
@pytest.mark.parametrize("n, m", [(50, 7), (7, 50), (1000, 1000), (1, 5),
                                  (20_000, 3)])
def test_convolutions(convolve, dtype, n, m):
    x, y = (RNG.normal(size=k).astype(dtype) for k in (n, m))
    if np.iscomplexobj(x):
        x += 1j * RNG.normal(size=n).astype(x.real.dtype)
    for mode in "full", "same", "valid":
        made = convolve(x, y, mode)
        full = np.convolve(x.astype(complex), y.astype(complex))
        size = {"full": n + m - 1, "same": n, "valid": abs(n - m) + 1}[mode]
        begin = (len(full) - size) // 2
        near(made, full[begin:begin + size], dtype)
        assert made.dtype == dtype


def test_convolutions_of_axes():
    x, y = RNG.normal(size=(3, 40, 1)), RNG.normal(size=(1, 9, 4))
    made = signal.fftconvolve(x, y, axes=1)
    assert made.shape == (3, 48, 4)
    for i in range(3):
        for j in range(4):
            near(made[i, :, j], np.convolve(x[i, :, 0], y[0, :, j]), float)
    with pytest.raises(ValueError, match="incompatible shapes"):
        signal.fftconvolve(np.ones((5, 4)), np.ones((4, 3)), axes=1)
    with pytest.raises(ValueError, match="axes cannot be empty"):
        signal.fftconvolve(np.ones(3), np.ones(3), axes=[])
    with pytest.raises(ValueError, match="acceptable mode flags"):
        signal.fftconvolve(np.ones(3), np.ones(3), "most")
    with pytest.raises(ValueError, match="same dimensionality"):
        signal.oaconvolve(np.ones(3), np.ones((3, 3)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 64, 101])
def test_hilbert(dtype, n):
    """The real part is the signal; negative frequencies are not there."""
    x = RNG.normal(size=(n, 2)).astype(dtype)
    made = signal.hilbert(x, axis=0)
    near(made.real, x, dtype)
    assert made.dtype == np.result_type(dtype, np.complex64)
    assert np.abs(np.fft.fft(made, axis=0)[n // 2 + 1:]).max(initial=0) < \
        (1e-4 if dtype == np.float32 else 1e-12)
    assert signal.hilbert(x, 2 * n, axis=0).shape == (2 * n, 2)
    with pytest.raises(ValueError, match="must be real"):
        signal.hilbert(x + 1j)


@pytest.mark.parametrize("dtype", [*DTYPES, np.complex128])
@pytest.mark.parametrize("n, num", [(50, 50), (50, 80), (50, 30), (51, 20),
                                    (20, 51), (7, 6), (6, 7)])
def test_resample(dtype, n, num):
    """A polynomial of few frequencies has its values at the other times."""
    def curve(t):
        return (1 + 2 * np.cos(2 * np.pi * t) - np.sin(4 * np.pi * t)
                + (1j * np.sin(2 * np.pi * t) if dtype == complex else 0))

    x = curve(np.arange(n) / n).astype(dtype)
    made = signal.resample(x, num)
    near(made, curve(np.arange(num) / num), dtype)
    assert made.dtype == dtype
    times = np.arange(n) * 0.5 + 3
    again, at = signal.resample(np.stack([x, x]), num, times, axis=1)
    near(again[1], made, dtype)
    np.testing.assert_allclose(at, 3 + np.arange(num) * 0.5 * n / num)
    spectrum = np.fft.fft(x)
    near(signal.resample(spectrum, num, domain="freq"), made.astype(complex),
         dtype)
    flat = signal.resample(x, num, window=lambda f: np.ones(len(f)))
    near(flat, made, dtype)


@pytest.mark.parametrize("n, m", [(1, 1), (5, 5), (30, 7), (7, 30)])
def test_czt(n, m):
    """The polynomial at each point, by Horner's rule."""
    x = RNG.normal(size=(2, n)) + 1j * RNG.normal(size=(2, n))
    for w, a in (None, 1), (0.99 - 0.1j, 1.1j), (np.exp(-0.2j), 2):
        ratio = np.exp(-2j * np.pi / m) if w is None else w
        points = a * ratio**-np.arange(m)
        expected = np.stack([np.polyval(row[::-1], 1 / points) for row in x])
        made = signal.czt(x, m, w, a)
        np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-11)
    near(signal.czt(x.T, m, axis=0), signal.czt(x, m).T, complex)


@pytest.mark.parametrize("endpoint", [False, True])
def test_zoom_fft(endpoint):
    x = RNG.normal(size=200)
    made = signal.zoom_fft(x, [10.0, 30.0], 50, fs=100, endpoint=endpoint)
    f = np.linspace(10, 30, 50, endpoint=endpoint)
    expected = np.exp(-2j * np.pi * np.outer(f, np.arange(200)) / 100) @ x
    near(made, expected, float)
    assert signal.zoom_fft(x, 0.5).shape == (200,)
    with pytest.raises(ValueError, match="2-length"):
        signal.zoom_fft(x, [1, 2, 3])


def test_names_of_scipy():
    """A function of scipy's transforms by trnsci.fft; results are its own."""
    theirs = pytest.importorskip("scipy.signal")
    x = RNG.normal(size=500)
    np.testing.assert_allclose(signal.firwin(11, 0.3), theirs.firwin(11, 0.3))
    np.testing.assert_allclose(signal.hilbert2(np.outer(x, x)),
                               theirs.hilbert2(np.outer(x, x)), atol=1e-9)
    assert signal.hilbert2 is signal.hilbert2
    assert signal.hilbert2.__doc__ == theirs.hilbert2.__doc__
    assert isinstance(signal.CZT(8), theirs.CZT)
    np.testing.assert_allclose(signal.CZT(500)(x), np.fft.fft(x), atol=1e-9)
    seen = []
    own = trnsci.fft.__ua_function__
    trnsci.fft.__ua_function__ = lambda method, *rest: (
        seen.append(method.__name__), own(method, *rest))[1]
    try:
        signal.hilbert2(np.ones((4, 4)))
        signal.CZT(5)(np.ones(5))
    finally:
        trnsci.fft.__ua_function__ = own
    assert {"fft2", "ifft2", "fft", "ifft"} <= set(seen)
    with pytest.raises(AttributeError, match="did you mean 'welch'"):
        signal.wlech


def test_names_without_scipy():
    said = subprocess.run([sys.executable, "-c", """
import sys
sys.modules["scipy"] = None
import trnsci
assert trnsci.signal.czt([1, 2, 3]).shape == (3,)
try:
    trnsci.signal.lfilter
except AttributeError as error:
    print(error)
"""], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "scipy, which may have it, is not installed" in said
    assert all(name in said for name in signal.__all__)
