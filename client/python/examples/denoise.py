#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds noise to a recording of speech and removes it again: scipy.signal's
code, trnsci's random numbers and transforms.

usage: denoise.py [RECORDING.wav [PLOT.png]]

The noise is white, at 10 dB. Each bin of the short-time spectrum is scaled by
Wiener's rule with the noise's power, which the quietest frames give. PLOT.png
shows the three spectrograms (matplotlib).
"""
import sys

import numpy as np
import scipy.fft
import scipy.io.wavfile
import scipy.signal

import trnsci

RECORDING = "/usr/share/sounds/alsa/Front_Center.wav"
FRAME = {"nperseg": 1024, "noverlap": 768}


def read(name):
    """Samples of the first channel between -1 and 1, and their rate."""
    rate, samples = scipy.io.wavfile.read(name)
    if samples.ndim > 1:
        samples = samples[:, 0]
    return samples / np.abs(samples).max(), rate


def add_noise(speech, decibels, rng):
    """White noise at a ratio of powers of speech and noise."""
    power = np.mean(speech**2) / 10**(decibels / 10)
    return speech + rng.normal(0, np.sqrt(power), speech.shape)


def denoise(noisy, rate):
    """Wiener's gain in each bin, at least 0.05."""
    _, _, spectra = scipy.signal.stft(noisy, rate, **FRAME)
    power = np.abs(spectra)**2
    quiet = np.argsort(power.sum(axis=0))[:max(1, power.shape[1] // 10)]
    noise = scipy.signal.medfilt(power[:, quiet].mean(axis=1), 15)
    smooth = scipy.signal.convolve2d(power, np.full((3, 5), 1 / 15), "same",
                                     "symm")
    gain = np.maximum(1 - 2 * noise[:, None] / np.maximum(smooth, 1e-30), 0.05)
    _, clean = scipy.signal.istft(spectra * gain, rate, **FRAME)
    return clean[:len(noisy)]


def ratio(speech, other):
    """Decibels of the speech over what differs from it."""
    return 10 * np.log10(np.sum(speech**2) / np.sum((other - speech)**2))


def plot(name, rate, signals):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(signals), sharex=True,
                                   figsize=(9, 8), layout="constrained")
    for axis, (title, x) in zip(axes, signals.items()):
        f, t, power = scipy.signal.spectrogram(x, rate, **FRAME)
        level = 10 * np.log10(np.maximum(power, 1e-12))
        axis.pcolormesh(t, f / 1000, level, vmin=-110, vmax=-40,
                        shading="auto", rasterized=True)
        axis.set(title=title, ylabel="kHz", ylim=(0, 10))
    axes[-1].set_xlabel("s")
    figure.savefig(name, dpi=100)


def main(recording=RECORDING, picture=None):
    speech, rate = read(recording)
    rng = trnsci.Generator(1).label("denoise")
    noisy = add_noise(speech, 10, rng)
    with scipy.fft.set_backend(trnsci.fft, only=True):
        clean = denoise(noisy, rate)
        if picture:
            plot(picture, rate, {"speech": speech, "with noise": noisy,
                                 "denoised": clean})
    print(f"with noise {ratio(speech, noisy):.1f} dB, "
          f"denoised {ratio(speech, clean):.1f} dB")


if __name__ == "__main__":
    main(*sys.argv[1:])
