# SPDX-License-Identifier: Apache-2.0
"""Every function and method of trnsci._core, with objects whose Python code
runs in the middle of a call (entry_points.py)."""
import os
import subprocess
import sys

import pytest

import entry_points


@pytest.mark.parametrize("name", entry_points.entry_points())
def test_entry_point(daemon, name):
    program = os.path.join(os.path.dirname(__file__), "entry_points.py")
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-X", "faulthandler", program,
         daemon.socket, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace")
    assert made.returncode == 0, made.stdout[-4000:]
    assert made.stdout.endswith(f"walked {name}\n")


def test_all_are_walked():
    """What CALLS has and the module has not is stale."""
    found = set()
    for name in entry_points.entry_points():
        member = getattr(entry_points._core, name)
        found |= ({f"{name}.{method}" for method, callable
                   in entry_points.methods_of(member) if callable}
                  if isinstance(member, type) else {name})
    assert found == set(entry_points.CALLS)
