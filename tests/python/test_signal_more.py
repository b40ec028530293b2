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


def short_time(**options):
    theirs = pytest.importorskip("scipy.signal")
    if not hasattr(theirs, "ShortTimeFFT"):
        with pytest.raises(AttributeError, match="needs scipy 1.12 or later"):
            signal.ShortTimeFFT
        pytest.skip("scipy 1.12 has ShortTimeFFT")
    win = np.hanning(18)[1:-1] + np.arange(16) / 99
    return (theirs.ShortTimeFFT(win, 5, 2.0, **options),
            signal.ShortTimeFFT(win, 5, 2.0, **options))


@pytest.mark.parametrize("options", [
    {}, {"mfft": 20, "phase_shift": 3}, {"fft_mode": "centered"},
    {"phase_shift": None, "fft_mode": "twosided", "mfft": 33},
    {"fft_mode": "onesided2X", "scale_to": "psd"}])
@pytest.mark.parametrize("more", [
    {}, {"k_offset": 7}, {"p0": 2, "p1": 9}, {"padding": "even"},
    {"padding": "odd", "k_offset": -3}, {"padding": "edge"}])
def test_short_time_fft(options, more):
    a, b = short_time(**options)
    x = np.random.default_rng(1).normal(size=(3, 101, 2))
    for detrend in (None, "constant", "linear", lambda part: part * part):
        for axis, given in ((1, x), (-2, x), (0, x[0]), (0, x[1, :, 1])):
            if callable(detrend) and options.get("phase_shift"):
                continue  # scipy 1.15 pads rows of two axes only
            # One signal at a time, for the same reason.
            wanted = np.moveaxis(np.apply_along_axis(
                lambda row: a.stft_detrend(row, detrend, **more), axis,
                given), axis % given.ndim + 1, -1)
            made = b.stft_detrend(given, detrend, axis=axis, **more)
            assert made.dtype == wanted.dtype
            np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        b.spectrogram(x[0, :, 0], x[1, :, 0], **more),
        a.spectrogram(x[0, :, 0], x[1, :, 0], **more), rtol=0, atol=1e-12)


def joined(a, spectra, k0, k1):
    """Samples of all slices, each added to its place."""
    begin = a.p_min * a.hop - a.m_num_mid
    x = np.zeros(k1 - begin + 999, complex)
    for q in range(spectra.shape[1]):
        x[q * a.hop:q * a.hop + a.m_num] += a.dual_win * a._ifft_func(
            spectra[:, q])
    return x[k0 - begin:k1 - begin]


@pytest.mark.parametrize("options", [
    {}, {"mfft": 20, "phase_shift": 3}, {"fft_mode": "centered"},
    {"fft_mode": "onesided2X", "scale_to": "psd"}])
def test_short_time_fft_back(options):
    a, b = short_time(**options)
    rng = np.random.default_rng(2)
    x = rng.normal(size=101)
    spectra = a.stft(x)
    spectra += rng.normal(size=spectra.shape)
    for k0 in (a.k_min, -1, 0, 1, 4, 5, 38):
        for k1 in (max(k0, 0) + 8, 77, 101, None):
            made = b.istft(spectra, k0, k1)
            wanted = joined(a, spectra, k0, k0 + len(made))
            np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-13)
            # scipy 1.15 adds the last slices where k0 is below 0, and cannot
            # add those that end before k0.
            if k0 in (0, 1, 5):
                wanted = a.istft(spectra, k0, k1)
                assert made.dtype == wanted.dtype
                np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-13)
            again = b.istft(spectra.T, k0, k1, f_axis=1, t_axis=0)
            np.testing.assert_array_equal(again, made)
    many = np.stack([spectra, 2 * spectra])
    np.testing.assert_allclose(b.istft(many), a.istft(many), atol=1e-13)


def test_short_time_fft_errors():
    a, b = short_time()
    x = np.ones(101)
    for call in (lambda o: o.stft(x * 1j), lambda o: o.stft(x[:3]),
                 lambda o: o.stft(x, 5, 2), lambda o: o.stft(x, padding="no"),
                 lambda o: o.stft_detrend(x, "cubic"),
                 lambda o: o.stft_detrend(x, 3),
                 lambda o: o.istft(np.ones((9, 30)), f_axis=1, t_axis=1),
                 lambda o: o.istft(np.ones((8, 30))),
                 lambda o: o.istft(np.ones((9, 2))),
                 lambda o: o.istft(np.ones((9, 30)), 5, 4),
                 lambda o: o.istft(np.ones((9, 30)), 5, 6)):
        with pytest.raises(ValueError) as wanted:
            call(a)
        with pytest.raises(ValueError) as made:
            call(b)
        assert str(made.value) == str(wanted.value)


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
