# SPDX-License-Identifier: Apache-2.0
"""A row of the bench."""


class Row:
    """Contenders that take turns. `ours` is what a user gets; `kernel` the same work inside; peers have names of their own.

    parts: {label: (program, case)}; (program, case, N): N of them at the same time. per: runs are of so many pieces, and the row prints the time of one. rate: what a run
    does, {'GB/s': bytes} or {'GFlop/s': operations}. extra: values of goals that are computed, {name: function of the
    values}; those named of_... are printed. runs: 0, or the number of runs whose p50 and p99 count, of a service. apart:
    contenders get ready one after another. hog: another process uses a CPU all the time.
    """

    once = None

    def __init__(self, name, parts, per=1, rate=None, extra=None, runs=0, apart=False, hog=False):
        self.name, self.parts, self.per, self.rate = name, parts, per, rate
        self.extra, self.runs, self.apart, self.hog = extra or {}, runs, apart, hog

    def peers(self):
        """Labels of the other libraries."""
        return [label for label in self.parts if label[:1].isupper() or label in ('numpy SFC64', 'pyFFTW', 'scipy', 'std::mt19937')]


class Once:
    """A row of a program that measures once and prints lines NAME VALUE, of which `ours` is the figure, in `unit`."""

    def __init__(self, name, unit, once):
        self.name, self.unit, self.once = name, unit, once
