# SPDX-License-Identifier: Apache-2.0
"""The example programs run, and print what they should."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "client/python/examples"


def run(name, *args):
    done = subprocess.run([sys.executable, "-W", "error", EXAMPLES / name,
                           *map(str, args)], stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout


def test_denoise(tmp_path):
    wanted = r"with noise 9\.9 dB, denoised (\d+)\.\d dB"
    assert int(re.match(wanted, run("denoise.py"))[1]) >= 20
    if os.environ.get("TRNSCI_FULL"):
        pytest.importorskip("matplotlib")
        picture = tmp_path / "spectrograms.png"
        run("denoise.py", "/usr/share/sounds/alsa/Front_Center.wav", picture)
        assert picture.stat().st_size > 50000


def test_monte_carlo():
    assert "4 processes and one give the same" in run("monte_carlo.py", 20001)


def test_scipy_signal():
    assert run("scipy_signal.py").startswith("the same within 1e-12")


def test_random_state():
    rows = run("random_state.py").splitlines()
    assert len(rows) == 4 and len(set(rows)) == 4
