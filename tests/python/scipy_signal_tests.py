# SPDX-License-Identifier: Apache-2.0
"""Runs scipy's own tests of stft, istft, welch, csd, spectrogram, convolve,
correlate and of windows on trnsci.signal, by putting its functions into the
modules of the tests. States the tests that may fail, and why."""
import collections
import sys

import pytest

import trnsci.signal as ours

# module: the names that are replaced, and the classes that test them.
TESTED = {
    "scipy.signal.tests.test_spectral": (
        ("stft", "istft", "welch", "csd", "spectrogram"),
        ("TestWelch", "TestCSD", "TestSpectrogram", "TestSTFT")),
    "scipy.signal.tests.test_signaltools": (
        ("convolve", "correlate"),
        ("TestConvolve", "TestCorrelateReal", "TestCorrelateComplex",
         "TestCorrelate")),
    "scipy.signal.tests.test_windows": (
        ("windows", "get_window"),
        ("TestBartHann", "TestBartlett", "TestBlackman", "TestBlackmanHarris",
         "TestBohman", "TestBoxcar", "TestFlatTop", "TestGaussian",
         "TestGeneralHamming", "TestHamming", "TestHann", "TestKaiser",
         "TestNuttall", "TestParzen", "TestTriang", "TestTukey",
         "TestLanczos", "TestGetWindow", "TestChebWin", "TestTaylor",
         "TestDPSS", "TestGeneralCosine", "TestKaiserBesselDerived")),
}

# Part of a test's name: why it may fail.
EXPECTED = {
    "longdouble": "long double",
    "float128": "long double",
    "complex256": "long double",
    "Decimal": "objects of Python",
    "test_roundtrip_scaling": "zeros compared without absolute tolerance",
    "test_convolve_method": "complex64 compared to 1e-6 near zero",
}


class Results:
    def __init__(self):
        self.counts = collections.Counter()
        self.unexplained = []

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.cls is not None
                    and item.cls.__name__ in TESTED[item.module.__name__][1]]
        for item in items:
            for name in TESTED[item.module.__name__][0]:
                setattr(item.module, name, getattr(ours, name))

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != "call":
            return
        why = [reason for part, reason in EXPECTED.items()
               if part in report.nodeid or part in report.longreprtext[-400:]]
        if report.failed and why:
            self.counts[f"expected: {why[0]}"] += 1
        elif report.failed:
            self.counts["failed"] += 1
            self.unexplained.append(report.nodeid)
        else:
            self.counts[report.outcome] += 1


if __name__ == "__main__":
    results = Results()
    pytest.main(["-qq", "-p", "no:cacheprovider", "--no-header",
                 "--tb=short" if "-v" in sys.argv else "--tb=no",
                 "--no-summary" if "-v" not in sys.argv else "-q",
                 "-o", "console_output_style=none", "--pyargs", *TESTED],
                plugins=[results])
    print("\nscipy's tests of signals:", ", ".join(
        f"{n} {what}" for what, n in sorted(results.counts.items())))
    for name in results.unexplained:
        print("unexplained:", name)
    sys.exit(bool(results.unexplained) or results.counts["passed"] < 200)
