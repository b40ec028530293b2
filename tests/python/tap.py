# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that prints TAP, one line for each file of tests, and fails
a test that takes longer than a quarter of TEST_TIMEOUT (default: 240 s)."""
import collections
import faulthandler
import os
import signal
import sys
import traceback

import pytest

_LIMIT = int(os.environ.get("TEST_TIMEOUT", "240")) // 4
_GRACE = 20
# A copy, since pytest puts a file in the place of stderr while a test runs.
_stderr = os.dup(2)
_counts = collections.OrderedDict()
_failures = []


def pytest_configure(config):
    config.option.verbose = -2
    config.option.no_summary = True
    signal.signal(signal.SIGALRM, _fail_with_stacks)


def _fail_with_stacks(_signal, _frame):
    stacks = "".join(
        f"thread {ident}:\n{''.join(traceback.format_stack(top, 8))}"
        for ident, top in sys._current_frames().items())
    pytest.fail(f"over the time limit of {_LIMIT} s\n{stacks}", pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    """A signal ends a test that runs or waits in Python. One that does not
    come back from C, even so, ends the process with the stacks of all
    threads."""
    faulthandler.dump_traceback_later(_LIMIT + _GRACE, exit=True, file=_stderr)
    signal.alarm(_LIMIT)
    yield
    signal.alarm(0)
    faulthandler.cancel_dump_traceback_later()


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
    # Threads of a test that hung would keep the interpreter.
    faulthandler.dump_traceback_later(_GRACE, exit=True, file=_stderr)
