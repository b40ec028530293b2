# SPDX-License-Identifier: Apache-2.0
"""Runs scipy's own tests on trnsci's functions, and states which failed that
may, and why."""
import collections
import sys

import pytest


class Results:
    """A pytest plugin: counts results. `expected`: part of a test's name, or
    of the end of its error, and why the test may fail. `place(items)` puts our
    functions into the tests that were found, and selects some."""

    def __init__(self, expected, place=None):
        self.expected = expected
        self.place = place
        self.counts = collections.Counter()
        self.unexplained = []

    def pytest_collection_modifyitems(self, items):
        if self.place:
            items[:] = self.place(items)

    def pytest_runtest_logreport(self, report):
        if report.passed and report.when != "call":
            return
        why = [reason for part, reason in self.expected.items()
               if part in report.nodeid or part in report.longreprtext[-400:]]
        if report.failed and why:
            self.counts[f"expected: {why[0]}"] += 1
        elif report.failed:
            self.counts["failed"] += 1
            self.unexplained.append(report.nodeid)
        else:
            self.counts[report.outcome] += 1


def run(modules, expected, place=None, plugins=()):
    """Run modules of tests. Returns the number of passed ones, or 0 where one
    failed that may not."""
    results = Results(expected, place)
    verbose = "-v" in sys.argv
    pytest.main(["-qq", "-p", "no:cacheprovider", "--no-header",
                 "--tb=short" if verbose else "--tb=no",
                 "-q" if verbose else "--no-summary", "--show-capture=no",
                 "-o", "console_output_style=none", "--pyargs", *modules],
                plugins=[results, *plugins])
    print("\nscipy's tests:", ", ".join(
        f"{n} {what}" for what, n in sorted(results.counts.items())))
    for name in results.unexplained:
        print("unexplained:", name)
    return 0 if results.unexplained else results.counts["passed"]
