# SPDX-License-Identifier: Apache-2.0
"""Runs scipy's own tests of what trnsci.signal has on it, by putting its functions into the
modules of the tests. States the tests that may fail, and why."""
import sys

import scipy.signal

import trnsci.signal as ours
import upstream

# module: the names that are replaced, and the classes that test them.
TESTED = {
    "scipy.signal.tests.test_spectral": (
        ("stft", "istft", "welch", "csd", "spectrogram", "periodogram",
         "coherence", "signal"),
        ("TestWelch", "TestCSD", "TestSpectrogram", "TestSTFT",
         "TestPeriodogram", "TestCoherence")),
    "scipy.signal.tests.test_signaltools": (
        ("convolve", "correlate", "fftconvolve", "oaconvolve", "hilbert",
         "signal"),
        ("TestFFTConvolve", "TestOAConvolve", "TestHilbert", "TestHilbert2",
         "TestResample", "TestConvolve", "TestCorrelateReal", "TestCorrelateComplex",
         "TestCorrelate")),
    "scipy.signal.tests.test_czt": (
        ("czt", "zoom_fft", "czt_points", "CZT", "ZoomFFT"), (None,)),
    "scipy.signal.tests.test_windows": (
        ("windows", "get_window"),
        ("TestBartHann", "TestBartlett", "TestBlackman", "TestBlackmanHarris",
         "TestBohman", "TestBoxcar", "TestFlatTop", "TestGaussian",
         "TestGeneralHamming", "TestHamming", "TestHann", "TestKaiser",
         "TestNuttall", "TestParzen", "TestTriang", "TestTukey",
         "TestLanczos", "TestGetWindow", "TestChebWin", "TestTaylor",
         "TestDPSS", "TestGeneralCosine", "TestKaiserBesselDerived")),
}

if hasattr(scipy.signal, "ShortTimeFFT"):  # scipy 1.12
    TESTED["scipy.signal.tests.test_short_time_fft"] = (
        ("ShortTimeFFT",), (None,))

# Part of a test's name: why it may fail.
EXPECTED = {
    "longdouble": "long double",
    "float128": "long double",
    "complex256": "long double",
    "Decimal": "objects of Python",
    "test_dtype_deprecation": "objects of Python",
    "test_roundtrip_scaling": "zeros compared without absolute tolerance",
    "test_convolve_method": "complex64 compared to 1e-6 near zero",
}


class Signal:
    """scipy.signal with our functions."""

    def __getattr__(self, name):
        return getattr(ours if name in ours.__all__ else scipy.signal, name)


def place(items):
    items = [item for item in items if getattr(item.cls, "__name__", None)
             in TESTED[item.module.__name__][1]]
    for item in items:
        for name in TESTED[item.module.__name__][0]:
            setattr(item.module, name,
                    Signal() if name == "signal" else getattr(ours, name))
    return items


if __name__ == "__main__":
    sys.exit(upstream.run(TESTED, EXPECTED, place) < 200)
