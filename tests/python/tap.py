# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that prints TAP, one line for each file of tests."""
import collections
import os
import sys

_counts = collections.OrderedDict()
_failures = []


def pytest_configure(config):
    config.option.verbose = -2
    config.option.no_summary = True


def pytest_runtest_logreport(report):
    counts = _counts.setdefault(report.nodeid.split("::")[0],
                                collections.Counter())
    if report.failed:
        counts["failed"] += 1
        _failures.append((report.nodeid, report.longreprtext))
    elif report.skipped:
        counts["skipped"] += 1
    elif report.when == "call":
        counts["passed"] += 1


def pytest_collectreport(report):
    if report.failed:
        _counts.setdefault(report.nodeid or "collection",
                           collections.Counter())["failed"] += 1
        _failures.append((report.nodeid, report.longreprtext))


def pytest_report_teststatus(report):
    return report.outcome, "", ""


def pytest_unconfigure(config):
    write = sys.__stdout__.write
    write(f"1..{len(_counts)}\n")
    for number, (name, counts) in enumerate(_counts.items(), 1):
        result = "not ok" if counts["failed"] else "ok"
        said = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
        write(f"{result} {number} - {os.path.basename(name)}: {said}\n")
    for name, text in _failures:
        write(f"# {name}\n")
        write("".join(f"#   {line}\n" for line in text.splitlines()[-40:]))
    sys.__stdout__.flush()
