# SPDX-License-Identifier: Apache-2.0
"""Runs scipy's own tests of scipy.fft on trnsci.fft alone (scipy_backend.py),
and states what was served. A test may fail for one reason: its array is of
long double, which the engine does not have."""
import collections
import sys

import pytest

import scipy_backend

LONG = "float128", "complex256", "longdouble", "longcomplex"


class Results:
    def __init__(self):
        self.counts = collections.Counter()
        self.unexplained = []

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != "call":
            return
        if report.failed and any(name in report.nodeid for name in LONG) \
                and "BackendNotImplementedError" in report.longreprtext:
            self.counts["declined: long double"] += 1
        elif report.failed:
            self.counts["failed"] += 1
            self.unexplained.append(report.nodeid)
        else:
            self.counts[report.outcome] += 1


if __name__ == "__main__":
    results = Results()
    pytest.main(["-qq", "-p", "no:cacheprovider", "--no-header", "--tb=no",
                 "--no-summary", "--show-capture=no", "-o",
                 "console_output_style=none", "--pyargs", "scipy.fft.tests",
                 "scipy.fft._pocketfft.tests", *sys.argv[1:]],
                plugins=[scipy_backend, results])
    counts = ", ".join(f"{n} {what}" for what, n
                       in sorted(results.counts.items()))
    print("\nscipy's tests:", counts)
    for what in "served", "declined", "refused":
        counts = getattr(scipy_backend, what)
        print(f"trnsci.fft {what} {sum(counts.values())} calls:", ", ".join(
            f"{key} {n}" for key, n in sorted(counts.items())))
    for name in results.unexplained:
        print("unexplained:", name)
    served = sum(scipy_backend.served.values())
    sys.exit(bool(results.unexplained) or served < 10000)
