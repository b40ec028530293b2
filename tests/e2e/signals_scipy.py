# SPDX-License-Identifier: Apache-2.0
# The command line beside scipy.signal: a line for each comparison, "ok" first where they agree.
import os
import subprocess
import sys

import numpy as np
from scipy import signal

cli = sys.argv[1]
g = np.random.default_rng(20261121)
wrong = 0


def ours(command, arrays, **options):
    names = []
    for i, array in enumerate(arrays):
        names.append("in%d.npy" % i)
        np.save(names[-1], np.ascontiguousarray(array))
    words = [cli, "--embedded", command, *names, "-o", "out.npy"]
    for name, value in options.items():
        words.append("--%s=%s" % (name.replace("_", "-"), value))
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    return np.load("out.npy")


def hold(name, got, expected):
    global wrong
    narrow = got.dtype in (np.float32, np.complex64)
    error = np.inf
    if got.shape == expected.shape:
        error = np.linalg.norm(got - expected) / max(np.linalg.norm(expected), 1e-300)
    agrees = error <= (1e-6 if narrow else 1e-13)
    wrong += not agrees
    print("%s %s %s: %.2g %s" % ("ok" if agrees else "not ok", name, got.dtype, error, got.shape))


def noise(dtype, *shape):
    x = g.standard_normal(shape)
    if dtype in ("complex64", "complex128"):
        x = x + 1j * g.standard_normal(shape)
    return x.astype(dtype)


plain = "boxcar hann hamming blackman bartlett triang blackmanharris nuttall flattop cosine parzen bohman barthann"
windows = [(name, name, None) for name in plain.split()]
windows += [("kaiser", ("kaiser", 8.6), 8.6), ("gaussian", ("gaussian", 7.0), 7.0), ("tukey", ("tukey", 0.3), 0.3)]
windows += [("exponential", ("exponential", None, 3.0), 3.0), ("general_hamming", ("general_hamming", 0.75), 0.75)]
for name, known, parameter in windows:
    for n in (1, 2, 51, 64):
        for symmetric in (False, True):
            more = {} if parameter is None else {"window_parameter": parameter}
            got = ours("window", [], n=n, window=name, symmetric=str(symmetric).lower(), **more)
            hold("window %s %d" % (name, n), got, signal.get_window(known, n, fftbins=not symmetric))

for dtype in ("float32", "float64", "complex64", "complex128"):
    sided = {} if "float" in dtype else {"return_onesided": False}
    for n, hop in ((256, 64), (255, 100), (90, 90)):
        # scipy divides by the sum of the window, and pads with zeros by half a frame where asked.
        x = noise(dtype, 2, 3000)
        expected = signal.stft(x, window="hann", nperseg=n, noverlap=n - hop, boundary=None, padded=False, **sided)[2]
        got = ours("stft", [x], n_fft=n, hop_length=hop, window="hann", center="false")
        hold("stft %d %d" % (n, hop), got, expected * signal.get_window("hann", n).sum())
    x = noise(dtype, 5000)
    spectra = signal.stft(x, window="hann", nperseg=128, boundary=None, padded=False, **sided)[2]
    back = signal.istft(spectra, window="hann", boundary=True, input_onesided="float" in dtype)[1]
    more = {} if "float" in dtype else {"return_complex": "true"}
    got = ours("istft", [spectra * signal.get_window("hann", 128).sum()], n_fft=128, hop_length=64, window="hann", **more)
    hold("istft", got, back)
    for mode in ("full", "same", "valid"):
        for n in (40000, 500, 20):
            x, y = noise(dtype, n), noise(dtype, 333)
            hold("convolve %s %d" % (mode, n), ours("convolve", [x, y], mode=mode), signal.fftconvolve(x, y, mode))
            hold("convolve %s %d" % (mode, n), ours("convolve", [x, y], mode=mode), signal.oaconvolve(x, y, mode))
            hold("correlate %s %d" % (mode, n), ours("correlate", [x, y], mode=mode), signal.correlate(x, y, mode, "fft"))
    x, y = noise(dtype, 3, 700, 2), noise(dtype, 1, 90, 2)
    hold("convolve axis", ours("convolve", [x, y], axis=1), signal.fftconvolve(x, y, axes=1))
    for average in ("mean", "median"):
        for detrend in ("constant", "linear", "none"):
            x, y = noise(dtype, 3, 4001) + 1, noise(dtype, 3, 4001)
            known = {"detrend": False if detrend == "none" else detrend, "average": average, **sided}
            mine = {"detrend": detrend, "average": average}
            hold("welch", ours("welch", [x], fs=8, **mine), signal.welch(x, 8, **known)[1])
            hold("csd", ours("csd", [x, y], **mine), signal.csd(x, y, **known)[1])
            known.update(scaling="spectrum", nperseg=101, noverlap=7, nfft=128, window="blackman")
            mine.update(scaling="spectrum", nperseg=101, noverlap=7, nfft=128, window="blackman")
            hold("welch", ours("welch", [x], **mine), signal.welch(x, **known)[1])
    x = noise(dtype, 500, 3)
    hold("welch axis", ours("welch", [x], axis=0, nperseg=64), signal.welch(x, axis=0, nperseg=64, **sided)[1])

for name in os.listdir("."):
    if name in ("in0.npy", "in1.npy", "out.npy"):
        os.remove(name)
sys.exit(wrong > 0)
