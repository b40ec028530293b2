# SPDX-License-Identifier: Apache-2.0
"""The example programs run, and print what they should."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import full

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


def test_augment(tmp_path):
    rows = run("augment.py").splitlines()
    assert len(rows) == 3
    for row in rows:
        got = [float(x) for x in re.findall(r"-?\d+\.\d*", row)]
        assert all(abs(a - b) < 0.5 for a, b in zip(got, (20, 10, 5, 0)))
        assert len(got) == 4


def test_sobol():
    slopes = re.search(r"power (-\d\.\d), and by Sobol (-\d\.\d)",
                       run("sobol.py"))
    assert float(slopes[1]) > -0.7 and float(slopes[2]) < -0.8


def test_one_broadcast(daemon):
    rows = run("one_broadcast.py", daemon.socket).splitlines()
    assert rows[3] == "all three saw the same"
    assert all("60000 samples, 0 missed" in row for row in rows[:3])


@full
def test_training_with_torch():
    pytest.importorskip("torch")
    last = run("train_torch.py").splitlines()[-1]
    assert float(re.match(r"loss (0\.\d+);", last)[1]) < 0.02
    assert last.endswith("the tensor shows the tile's memory")


def test_training_with_jax():
    pytest.importorskip("jax")
    assert run("train_jax.py").startswith("line 3.0")


@full
@pytest.mark.parametrize("name", ["augment.py", "sobol.py",
                                  "one_broadcast.py"])
def test_pictures(name, tmp_path, request):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    before = [request.getfixturevalue("daemon").socket] \
        if name == "one_broadcast.py" else []
    # Without -W error: matplotlib's parser of formulas warns in Debian 12.
    subprocess.run([sys.executable, EXAMPLES / name, *before, picture],
                   check=True, stdout=subprocess.DEVNULL)
    assert picture.stat().st_size > 10000


def test_monte_carlo():
    assert "4 processes and one give the same" in run("monte_carlo.py", 20001)


def test_scipy_signal():
    assert run("scipy_signal.py").startswith("the same within 1e-12")


def test_random_state():
    rows = run("random_state.py").splitlines()
    assert len(rows) == 4 and len(set(rows)) == 4
