#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data augmentation: noise at stated signal-to-noise ratios for a batch of
signals, by a program that the engine compiles once.

usage: augment.py [PICTURE.png]
"""
import sys

import numpy as np

import trnsci

SIGNALS, SAMPLES, RATE = 4, 4000, 8000


def chirps():
    """Signals whose pitch rises, each from another one, of power 1/2."""
    t = np.arange(SAMPLES) / RATE
    start = 200 * np.arange(1, SIGNALS + 1)[:, None]
    return np.sin(2 * np.pi * (start * t + 1200 * t**2)).astype(np.float32)


def augmenter():
    """A function of signals and of factors of the noise, one a signal."""
    p = trnsci.program.Program(seed=1)
    signals = p.input((SIGNALS, SAMPLES), "f32")
    factors = p.input((SIGNALS, SAMPLES), "f32")
    noise = p.normal((SIGNALS, SAMPLES), "f32")
    return p.compile(signals + factors * noise)


def measured(clean, noisy):
    """Decibels from signal to noise of each signal."""
    noise = noisy - clean
    return 10 * np.log10((clean**2).mean(1) / (noise**2).mean(1))


def show(clean, noisy, ratios, name):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, rows = plt.subplots(2, SIGNALS, figsize=(9, 3.6), sharex=True,
                                sharey=True)
    for number, (row, signals) in enumerate(zip(rows, (clean, noisy))):
        for axes, signal, ratio in zip(row, signals, ratios):
            f, t, power = trnsci.signal.spectrogram(signal, RATE, nperseg=256)
            axes.pcolormesh(t, f, 10 * np.log10(power + 1e-12), vmin=-90,
                            vmax=-30, shading="auto")
            axes.set_title(f"{ratio} dB" if number else "clean", fontsize=9)
    rows[1, 0].set(xlabel="seconds", ylabel="Hz")
    figure.tight_layout()
    figure.savefig(name, dpi=60)


if __name__ == "__main__":
    clean = chirps()
    ratios = np.array([20, 10, 5, 0])
    factors = np.sqrt((clean**2).mean(1) / 10**(ratios / 10))
    augment = augmenter()
    spread = np.broadcast_to(factors[:, None].astype(np.float32), clean.shape)
    for epoch in range(3):
        noisy = augment(clean, spread, seed=epoch)
        print(f"epoch {epoch}: wanted {ratios} dB, got",
              measured(clean, noisy).round(1))
    if len(sys.argv) > 1:
        show(clean, noisy, ratios, sys.argv[1])
