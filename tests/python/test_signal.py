# SPDX-License-Identifier: Apache-2.0
"""trnsci.signal beside scipy.signal: shapes, dtypes, axes, modes, odd sizes,
errors. (`make run-python` runs scipy's own tests on it.)"""
import warnings

import inspect
import sys

import numpy as np
import pytest

import trnsci
import trnsci.signal as ours

theirs = pytest.importorskip("scipy.signal")

DTYPES = [np.float32, np.float64, np.complex64, np.complex128, np.int16,
          np.int64, np.float16, np.bool_]


def sample(shape, dtype, seed=1):
    g = np.random.default_rng(seed)
    x = g.normal(size=shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * g.normal(size=shape)
    return (x * 20).astype(dtype) if np.issubdtype(dtype, np.integer) \
        else (x > 0 if dtype == np.bool_ else x.astype(dtype))


def is_narrow(x):
    if x.dtype == np.float16:  # in which scipy subtracts means
        return "half"
    return np.result_type(np.asarray(x), np.complex64) == np.complex64


def same(got, expected, narrow=False):
    """The same shapes and dtypes, and values to the precision of these, or to
    single precision where an input has that: scipy transforms it so."""
    for mine, wanted in zip(got, expected):
        assert mine.shape == wanted.shape
        assert mine.dtype == wanted.dtype
        narrow = narrow or wanted.dtype in (np.float32, np.complex64)
        most = abs(wanted).max(initial=0.0)
        error = 1e-2 if narrow == "half" else 2e-4 if narrow else 1e-9
        np.testing.assert_allclose(mine, wanted, rtol=error,
                                   atol=error * most / 20)


def compare(name, *args, **kwargs):
    """The call gives what scipy's gives, or raises and warns as it does."""
    with warnings.catch_warnings(record=True) as wanted_warnings:
        warnings.simplefilter("always")
        expected = getattr(theirs, name)(*args, **kwargs)
    with warnings.catch_warnings(record=True) as got_warnings:
        warnings.simplefilter("always")
        got = getattr(ours, name)(*args, **kwargs)
    # Later releases of scipy add a sentence.
    assert [str(w.message) for w in got_warnings] == \
        [str(w.message).split(".")[0] for w in wanted_warnings]
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    if kwargs.get("mode") == "angle":  # of -1 it is pi or -pi
        got, expected = ([*z[:2], np.exp(1j * z[2])] for z in (got, expected))
    narrow = [is_narrow(x) for x in args if isinstance(x, np.ndarray)]
    same(got, expected, "half" if "half" in narrow else any(narrow))


# ---- Spectra ----

SEGMENTS = [
    {}, {"nperseg": 64}, {"nperseg": 51}, {"nperseg": 64, "noverlap": 0},
    {"nperseg": 50, "noverlap": 37}, {"nperseg": 51, "nfft": 64},
    {"nperseg": 33, "nfft": 101, "noverlap": 5}, {"nperseg": 1000},
    {"nperseg": 64, "noverlap": -7}, {"nperseg": 1}, {"nperseg": 2},
    {"window": ("tukey", 0.3), "nperseg": 40}, {"window": 7.5},
    {"window": np.hanning(45), "nperseg": 45}, {"window": "boxcar", "nperseg": 16},
    {"window": np.arange(1, 20) * (1 + 2j), "nperseg": 19},
]
SPECTRA = "stft", "welch", "spectrogram"


@pytest.mark.parametrize("options", SEGMENTS, ids=range(len(SEGMENTS)))
@pytest.mark.parametrize("name", SPECTRA)
def test_segments(name, options):
    if isinstance(options.get("window"), float):  # nor does scipy
        with pytest.raises(ValueError, match="window must be 1-D"):
            getattr(ours, name)(sample(500, float), **options)
        return
    compare(name, sample(500, np.float64), fs=10.0, **options)
    compare(name, sample((3, 487), np.float32), **options)
    compare(name, sample(300, np.complex128), return_onesided=False,
            **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SPECTRA)
def test_dtypes_of_spectra(name, dtype):
    compare(name, sample(600, dtype))
    compare(name, sample(600, dtype), nperseg=63, return_onesided=False)


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("name", SPECTRA)
def test_axes_of_spectra(name, axis):
    x = sample((40, 41, 42), np.float64)
    compare(name, x, nperseg=16, axis=axis)
    compare(name, x[::2, ::-1], nperseg=8, axis=axis)


@pytest.mark.parametrize("detrend", [False, "constant", "linear",
                                     lambda d: d - d[..., :1]])
@pytest.mark.parametrize("name", SPECTRA)
def test_detrending(name, detrend):
    x = sample((2, 400), np.float64) + np.linspace(5, 90, 400)
    compare(name, x, nperseg=37, detrend=detrend)
    compare(name, x.T, nperseg=37, detrend=detrend if not callable(detrend)
            else lambda d: d - d.mean(axis=0, keepdims=True), axis=0)


@pytest.mark.parametrize("boundary", ["even", "odd", "constant", "zeros",
                                      None])
@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("nperseg", [32, 31])
def test_boundaries(boundary, padded, nperseg):
    for n in 320, 333, 40:
        x = sample((2, n), np.float64)
        compare("stft", x, nperseg=nperseg, boundary=boundary, padded=padded)
        compare("stft", x, nperseg=nperseg, boundary=boundary, padded=padded,
                nfft=50, noverlap=20, scaling="psd")


@pytest.mark.parametrize("mode", ["psd", "complex", "magnitude", "angle",
                                  "phase"])
def test_modes_of_spectrograms(mode):
    for axis in -1, 0:
        compare("spectrogram", sample((300, 200), np.float64), 3.0, axis=axis,
                nperseg=20, mode=mode, scaling="spectrum", detrend=False)


@pytest.mark.parametrize("average", ["mean", "median"])
@pytest.mark.parametrize("scaling", ["density", "spectrum"])
def test_averages(average, scaling):
    for dtype in np.float64, np.complex64:
        x, y = sample(700, dtype), sample(700, dtype, 2)
        options = {"nperseg": 40, "average": average, "scaling": scaling,
                   "return_onesided": dtype == np.float64}
        compare("welch", x, **options)
        compare("csd", x, y, **options)


@pytest.mark.parametrize("dtypes", [
    (np.float64, np.float64), (np.float32, np.float64),
    (np.float64, np.complex64), (np.complex128, np.float32),
    (np.int16, np.float32), (np.float32, np.float32)], ids=str)
def test_cross_spectra(dtypes):
    for shapes in ((300, 300), (300, 257), ((2, 300), 300),
                   ((3, 1, 200), (2, 222)), (100, (4, 99))):
        x, y = (sample(shape, dtype, i) for i, (shape, dtype)
                in enumerate(zip(shapes, dtypes)))
        compare("csd", x, y, nperseg=32)
        compare("csd", x, y, nperseg=31, detrend="linear", noverlap=7)
    compare("csd", x, x, nperseg=20)


def test_empty_signals():
    for name in SPECTRA:
        compare(name, np.empty((3, 0)))
    compare("csd", np.empty(0), np.empty(0))
    compare("csd", np.empty((3, 0)), np.empty((3, 0)))


def test_short_signals_warn():
    for name in SPECTRA:
        compare(name, sample(100, np.float64))
    compare("csd", sample(100, np.float64), sample(90, np.float64))


def test_many_segments_have_a_median():
    x = sample(140000, np.float64)
    compare("welch", x, nperseg=8, average="median")


WRONG = [
    ("stft", {"nperseg": 0}), ("stft", {"nperseg": -3}),
    ("stft", {"noverlap": 256}), ("stft", {"nfft": 255}),
    ("stft", {"window": np.ones((2, 2))}), ("stft", {"window": "nothing"}),
    ("stft", {"window": np.ones(5), "nperseg": 6}),
    ("stft", {"boundary": "other"}), ("stft", {"scaling": "density"}),
    ("stft", {"window": np.ones(999)}), ("stft", {"window": "kaiser"}),
    ("welch", {"scaling": "x"}), ("welch", {"detrend": "x"}),
    ("welch", {"average": "x"}), ("spectrogram", {"mode": "x"}),
    ("spectrogram", {"scaling": "psd"}), ("welch", {"axis": 3}),
]


@pytest.mark.parametrize("name, options", WRONG, ids=str)
def test_errors_of_spectra(name, options):
    x = sample(500, np.float64)
    with pytest.raises(Exception) as wanted:
        getattr(theirs, name)(x, **options)
    with pytest.raises(wanted.type) as got:
        getattr(ours, name)(x, **options)
    assert issubclass(got.type, ValueError) or got.type is wanted.type


def test_long_doubles_are_refused():
    for call in (lambda x: ours.stft(x), lambda x: ours.welch(x),
                 lambda x: ours.convolve(x, x)):
        with pytest.raises(TypeError, match="not supported"):
            call(np.ones(400, np.longdouble))


# ---- Back to signals ----

@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("options", [
    {"nperseg": 64}, {"nperseg": 63}, {"nperseg": 64, "noverlap": 48},
    {"nperseg": 50, "noverlap": 41}, {"nperseg": 32, "nfft": 50},
    {"nperseg": 33, "nfft": 64}, {"nperseg": 2}, {"nperseg": 16,
                                                  "window": "boxcar",
                                                  "noverlap": 0}], ids=str)
def test_istft(dtype, options):
    x = sample((2, 640), dtype)
    onesided = dtype != np.complex128
    for scaling in "spectrum", "psd":
        z = theirs.stft(x, 3.0, return_onesided=onesided, scaling=scaling,
                        **options)[2]
        t, again = ours.istft(z, 3.0, input_onesided=onesided,
                              scaling=scaling, **options)
        _, wanted = theirs.istft(z, 3.0, input_onesided=onesided,
                                 scaling=scaling, **options)
        same((again,), (wanted,))
        assert len(t) == again.shape[-1]  # scipy counts the rows instead
        same((again[:, :640],), (x,))


def test_istft_without_boundary():
    z = theirs.stft(sample(500, np.float64), nperseg=50, boundary=None)[2]
    for noverlap in 25, 30, 40:
        compare("istft", z, nperseg=50, noverlap=noverlap, boundary=False)
    compare("istft", z, window=np.r_[np.zeros(25), np.ones(25)], noverlap=0)


def test_axes_of_istft():
    z = sample((5, 9, 33), np.complex128)
    for time_axis, freq_axis in ((1, 2), (-2, -1), (0, 2), (0, -1), (2, 1),
                                 (-3, 1), (1, 0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = theirs.istft(z, time_axis=time_axis, noverlap=0,
                                  freq_axis=freq_axis)[1]
            got = ours.istft(z, time_axis=time_axis, noverlap=0,
                             freq_axis=freq_axis)[1]
        same((got,), (wanted,))


def test_errors_of_istft():
    z = sample((33, 9), np.complex128)
    for options in ({"nperseg": 0}, {"nfft": 4}, {"noverlap": 64},
                    {"window": np.ones(3)}, {"window": np.ones((2, 2))},
                    {"freq_axis": -1}, {"scaling": "x"}):
        with pytest.raises(ValueError):
            theirs.istft(z, **options)
        with pytest.raises(ValueError):
            ours.istft(z, **options)
    with pytest.raises(ValueError, match="2d"):
        ours.istft(z[0])


# ---- Convolutions ----

@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
def test_convolutions(name, mode, method):
    sizes = [(1, 1), (7, 1), (1, 7), (10, 3), (3, 10), (64, 64), (301, 17),
             (500, 499), (1000, 1)]
    for n, m in sizes:
        for dtype in np.float64, np.float32, np.complex128:
            compare(name, sample(n, dtype), sample(m, dtype, 2), mode, method)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions_of_more_dimensions(name, mode):
    for a, b in (((9, 8), (3, 4)), ((20, 31), (5, 1)), ((50, 60), (50, 60)),
                 ((6, 7, 8), (3, 2, 5)), ((1, 100), (1, 9)),
                 ((40, 1, 30), (9, 1, 30))):
        compare(name, sample(a, np.float64), sample(b, np.float64, 2), mode)
        compare(name, sample(a, np.float64), sample(b, np.complex64, 2), mode,
                "fft")


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolutions_of_integers_are_exact(name):
    for dtype in np.int16, np.int64, np.uint8, np.bool_:
        a, b = sample(300, dtype), sample(40, dtype, 2)
        for mode in "full", "same", "valid":
            got = getattr(ours, name)(a, b, mode)
            wanted = getattr(theirs, name)(a, b, mode, "direct")
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)
    a = np.full(100, 3**20)
    np.testing.assert_array_equal(getattr(ours, name)(a, a),
                                  getattr(theirs, name)(a, a))


def test_dtypes_of_convolutions():
    for first in DTYPES[:-2]:
        for second in DTYPES[:-2]:
            a, b = sample(50, first), sample(20, second, 2)
            for name in "convolve", "correlate":
                got = getattr(ours, name)(a, b)
                wanted = getattr(theirs, name)(a, b)
                assert got.dtype == wanted.dtype
                narrow = got.dtype in (np.float32, np.complex64)
                np.testing.assert_allclose(
                    got, wanted, rtol=1e-4 if narrow else 1e-9,
                    atol=1e-4 if narrow else 1e-9)


def test_long_kernels():
    """The engine convolves with up to 2**19 samples; beyond that whole
    arrays are transformed."""
    a, b = sample(2**20, np.float32), sample(2**19 + 1, np.float32, 2)
    got = ours.convolve(a, b, "valid")
    wanted = theirs.oaconvolve(a.astype(float), b.astype(float), "valid")
    error = np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
    assert error < 1e-6


def test_errors_of_convolutions():
    for name in "convolve", "correlate":
        for args in ((np.ones(3), np.ones((2, 2))), (np.ones(3), 1),
                     (np.ones(3), np.ones(3), "some"),
                     (np.ones(3), np.ones(3), "full", "some"),
                     (np.ones((3, 2)), np.ones((2, 3)), "valid")):
            with pytest.raises(ValueError):
                getattr(theirs, name)(*args)
            with pytest.raises(ValueError):
                getattr(ours, name)(*args)
        compare(name, 3.0, 2 + 1j)
        assert getattr(ours, name)([], [1.0]).shape == (0,)


# ---- Windows ----

NAMES = ["barthann", "bartlett", "blackman", "blackmanharris", "bohman",
         "boxcar", "cosine", "flattop", "hamming", "hann", "lanczos",
         "nuttall", "parzen", "triang", "tukey", "exponential", "rect", "han",
         "ham", "blk", "tri", "tuk", "poisson", "taylor"]
WITH_PARAMETERS = [("kaiser", 8.6), ("gaussian", 7), ("tukey", 0.25),
                   ("tukey", 0), ("tukey", 3), ("exponential", None, 3.0),
                   ("general_hamming", 0.6), ("chebwin", 100), 4.0, "4.0",
                   ("general_gaussian", 1.5, 5), ("dpss", 3),
                   ("exponential", 2.0, 3.0), ("gaussian", 7.5)]


@pytest.mark.parametrize("window", NAMES + WITH_PARAMETERS, ids=str)
def test_windows(window):
    for n in 2, 3, 16, 51, 1000:
        for periodic in True, False:
            if window == ("exponential", 2.0, 3.0) and not periodic or \
                    window == ("dpss", 3) and n < 16:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = theirs.get_window(window, n, periodic)
                got = ours.get_window(window, n, periodic)
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-13)


def test_window_functions():
    for name in ours.windows.__all__:
        if name in NAMES:
            for n in 0, 1, 2, 20, 21:
                np.testing.assert_allclose(
                    getattr(ours.windows, name)(n),
                    getattr(theirs.windows, name)(n), rtol=1e-10, atol=1e-13)
    with pytest.raises(ValueError, match="non-negative"):
        ours.windows.hann(-1)
    with pytest.raises(ValueError, match="center"):
        ours.windows.exponential(5, 2)
    for wrong in ("kaiser", "none", (), (1, 2), ("hann", 1, 2, 3), None):
        with pytest.raises((ValueError, TypeError)):
            ours.get_window(wrong, 10)


# ---- torch's meaning ----

def reference_stft(x, n_fft, hop, win, center, pad_mode, normalized,
                   onesided):
    """torch's definition, by numpy."""
    if center:
        mode = {"reflect": "reflect", "constant": "constant",
                "replicate": "edge", "circular": "wrap"}[pad_mode]
        x = np.pad(x, n_fft // 2, mode)
    left = (n_fft - len(win)) // 2
    full = np.zeros(n_fft)
    full[left:left + len(win)] = win
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft)[::hop]
    z = (np.fft.rfft if onesided else np.fft.fft)(frames * full).T
    return z / np.sqrt(n_fft) if normalized else z


@pytest.mark.parametrize("pad_mode", ["reflect", "constant", "replicate",
                                      "circular"])
@pytest.mark.parametrize("n_fft, hop, length", [
    (32, 8, 32), (32, None, 20), (31, 7, 31), (50, 13, 25), (1, 1, 1)])
def test_torch_stft(pad_mode, n_fft, hop, length):
    x = sample(300, np.float64)
    win = ours.windows.hann_window(length, dtype=np.float64)
    for center in True, False:
        for normalized in True, False:
            for onesided in True, False:
                got = ours.torch_stft(x, n_fft, hop, length, win, center,
                                      pad_mode, normalized, onesided)
                wanted = reference_stft(x, n_fft, hop or n_fft // 4, win,
                                        center, pad_mode, normalized,
                                        onesided)
                np.testing.assert_allclose(got, wanted, atol=1e-11)


def test_torch_itself():
    torch = pytest.importorskip("torch")
    x = sample((2, 3, 400), np.float32)
    for n_fft, hop, length in ((64, None, None), (50, 10, 30), (33, 5, None)):
        size = length or n_fft
        win = ours.windows.hamming_window(size)
        options = {"hop_length": hop, "win_length": length}
        wanted = torch.stft(torch.from_numpy(x.reshape(6, -1)), n_fft,
                            window=torch.hamming_window(size), **options,
                            return_complex=True)
        got = ours.torch_stft(x, n_fft, window=win, **options)
        np.testing.assert_allclose(got.reshape(wanted.shape), wanted.numpy(),
                                   atol=1e-4)
        back = torch.istft(wanted, n_fft, window=torch.hamming_window(size),
                           **options, length=400)
        again = ours.torch_istft(got, n_fft, window=win, **options,
                                 length=400)
        np.testing.assert_allclose(again.reshape(6, -1), back.numpy(),
                                   atol=1e-4)
    for name in ("hann_window", "hamming_window", "blackman_window",
                 "bartlett_window", "kaiser_window"):
        for periodic in True, False:
            np.testing.assert_allclose(
                getattr(ours.windows, name)(20, periodic),
                getattr(torch, name)(20, periodic).numpy(), atol=1e-6)


def test_torch_istft():
    win = np.hanning(42)[1:-1]
    for dtype in np.float64, np.complex64:
        x = sample((2, 300), dtype)
        is_complex = dtype == np.complex64
        for center in True, False:
            z = ours.torch_stft(x, 40, 10, window=win, center=center)
            back = ours.torch_istft(z, 40, 10, window=win, center=center,
                                    length=290, return_complex=is_complex)
            inner = slice(30, 260)
            np.testing.assert_allclose(back[:, inner], x[:, inner],
                                       atol=1e-4 if is_complex else 1e-10)
    with pytest.raises(ValueError):
        ours.torch_istft(z[:, :5], 40)


def test_errors_of_torch_stft():
    x = np.ones(50)
    for options in ({"n_fft": 0}, {"n_fft": 10, "hop_length": 0},
                    {"n_fft": 10, "win_length": 11}, {"n_fft": 200},
                    {"n_fft": 10, "window": np.ones(3)},
                    {"n_fft": 10, "pad_mode": "some"},
                    {"n_fft": 60, "center": False}):
        with pytest.raises(ValueError):
            ours.torch_stft(x, **options)
    with pytest.raises(ValueError):
        ours.torch_stft(x * 1j, 10, onesided=True)


# ---- Both kinds of sessions ----

def test_a_daemon_gives_the_same(daemon, monkeypatch):
    remote = trnsci.Session(daemon.socket)
    x = sample((3, 60000), np.float64)
    expected = ours.stft(x)[2], ours.welch(x)[1], ours.convolve(x[0], x[1])
    own = trnsci._core.operate
    monkeypatch.setattr(trnsci._core, "operate",
                        lambda session, *args: own(remote, *args))
    got = ours.stft(x)[2], ours.welch(x)[1], ours.convolve(x[0], x[1])
    for mine, wanted in zip(got, expected):
        np.testing.assert_array_equal(mine, wanted)


def test_threads_at_once():
    """Python's lock is released: others run, and results stay right."""
    import concurrent.futures
    signals = [sample(50000 + i, np.float64, i) for i in range(16)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda x: ours.welch(x)[1], signals))
    for mine, x in zip(found, signals):
        np.testing.assert_array_equal(mine, ours.welch(x)[1])


def test_long_results_lie_in_memory_that_is_kept(embedded):
    def result(n):
        return trnsci._core.operate(embedded, "scale", "in", np.ones(n),
                                    {"by": 2.0}, n, "f64")

    short, long = result(2**17 - 1), result(2**17)
    assert short.base is None and isinstance(long.base, trnsci.Tile)
    place = long.ctypes.data
    del long
    again = result(2**17)
    assert again.ctypes.data == place and again.sum() == 2**18


# ---- Windows that are formulas ----

FORMULAS = [("chebwin", 50), ("chebwin", 100), ("chebwin", -60.0), ("taylor",),
            ("taylor", 5, 40), ("taylor", 3, 35.0, False), ("taylor", 1),
            ("general_cosine", [0.5, 0.4, 0.1]), ("general_cosine", [1.0]),
            ("general_gaussian", 1.5, 7), ("general_gaussian", 0.5, 3.0),
            ("dpss", 2.5)]


@pytest.mark.parametrize("window", FORMULAS, ids=str)
def test_windows_that_are_formulas(window):
    name, *parameters = window
    for n in 0, 1, 2, 3, 8, 9, 51, 256, 257:
        if name == "dpss" and n < 6:
            continue
        for sym in True, False:
            np.testing.assert_allclose(
                getattr(ours.windows, name)(n, *parameters, sym=sym),
                getattr(theirs.windows, name)(n, *parameters, sym=sym),
                rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            ours.get_window(window, n), theirs.get_window(window, n),
            rtol=1e-9, atol=1e-12)


def test_side_lobes_of_chebwin():
    """Its definition: all side lobes are at the attenuation."""
    for n in 32, 33:
        w = ours.windows.chebwin(n, 60)
        level = np.abs(np.fft.fft(w, 1 << 14))
        level = 20 * np.log10(level / level[0] + 1e-300)[:1 << 13]
        first = np.argmax(np.diff(level) > 0)
        assert level[first:].max() == pytest.approx(-60, abs=0.01)
    with pytest.warns(UserWarning, match="45"):
        ours.windows.chebwin(8, 40)


def test_kaiser_bessel_derived():
    for n in 0, 2, 8, 256:
        w = ours.windows.kaiser_bessel_derived(n, 4.0)
        np.testing.assert_allclose(
            w, theirs.windows.kaiser_bessel_derived(n, 4.0), rtol=1e-13)
        np.testing.assert_allclose(w[:n // 2] ** 2 + w[n // 2:] ** 2, 1)
    for wrong in (7, True), (8, False):
        with pytest.raises(ValueError):
            ours.windows.kaiser_bessel_derived(wrong[0], 4.0, sym=wrong[1])


def test_all_windows_of_scipy_are_there():
    assert set(theirs.windows.__all__) - {"get_window"} <= set(
        ours.windows.__all__)
    for name in theirs.windows.__all__:
        wanted = inspect.signature(getattr(theirs.windows, name)).parameters
        got = inspect.signature(getattr(ours.windows, name)).parameters
        for key in wanted:
            if key not in ("xp", "device"):
                assert got[key].default == wanted[key].default, (name, key)


def test_windows_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.signal", None)
    monkeypatch.setitem(sys.modules, "scipy.signal.windows", None)
    for window in FORMULAS[:-1]:
        assert ours.get_window(window, 16).shape == (16,)
    with pytest.raises(ImportError):
        ours.windows.dpss(16, 2.5)
