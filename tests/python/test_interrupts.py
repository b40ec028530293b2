# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a call that takes long, embedded and by a daemon: a child process
makes the call, and gets the signal when the call has computed for a while."""
import os
import select
import signal
import subprocess
import sys

import numpy as np
import pytest

import trnsci
from conftest import Daemon

# Seconds of CPU: before the signal, and the most behind it. Every call would
# take several.
BEFORE, BEHIND = 0.05, 1.0

CHILD = """
import gc, signal, sys
import numpy as np, trnsci

session = trnsci.default_session()
rng = trnsci.Generator(1)

def program():
    p = trnsci.program.Program()
    y = p.input(1 << 22, "c64")
    for _ in range(150):
        y = p.fft(y)
    run, x = p.compile(y), np.zeros(1 << 22, np.complex64)
    again.append(lambda: run(x))
    run(x)

def kept():
    call = session.draw("gamma", 100_000_000, shape=0.3)
    try:
        call.result()
        return
    except KeyboardInterrupt:
        try:
            call.result()
        except trnsci.Error as error:
            assert error.name == "cancelled", error
            raise KeyboardInterrupt

CALLS = {
    "draw": lambda: rng.normal(size=2_000_000_000),
    "integers": lambda: rng.integers(0, 1000, size=2_000_000_000),
    "out": lambda: rng.standard_normal(out=np.empty(1_000_000_000)),
    "vectors": lambda: rng.dirichlet([0.3] * 8, size=200_000_000),
    "arrays": lambda: rng.gamma(np.linspace(1, 2, 1000),
                                size=(400_000, 1000)),
    "transform": lambda: trnsci.fft.fft(np.zeros((128, 262147), complex)),
    "signal": lambda: trnsci.signal.convolve(np.zeros(1 << 27),
                                             np.ones(1 << 18)),
    "program": program,
    "call": lambda: session.draw("gamma", 100_000_000, shape=0.3).result(),
    "kept": kept,
}

def of_its_own(number, frame):
    raise OSError("the handler's own")

def look(number, frame):
    assert (trnsci.Generator(2).normal(size=3000) == few).all()
    seen.append(number)
    if len(seen) == 2:
        raise KeyboardInterrupt
    print("handled", flush=True)

def used():
    gc.collect()
    stats = session.call("stats").result()["session"]
    return stats["tiles"], stats["jobs"]

seen, again = [], []
few = trnsci.Generator(2).normal(size=3000)
if len(sys.argv) > 2:
    signal.signal(signal.SIGINT, globals()[sys.argv[2]])
before = used()
print("begins", flush=True)
try:
    CALLS[sys.argv[1]]()
    print("ended", flush=True)
except BaseException as error:
    print(type(error).__name__, flush=True)
while again:
    assert not again.pop()().any()
assert (trnsci.Generator(2).normal(size=3000) == few).all()
# Two tiles for pieces stay in the library's pool. The engine may take a moment.
while used() > (before[0] + 2, 0):
    pass
print("usable", len(seen), flush=True)
"""


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(pid, child, seconds):
    """Until the process has computed for so long, or the child has ended its
    call."""
    until, said = cpu_seconds(pid) + seconds, []
    while cpu_seconds(pid) < until and not said:
        said, _, _ = select.select([child.stdout], [], [], 0.005)


def interrupt(address, call, handler=(), signals=1, works=None):
    """What a child says to signals in the middle of a call, and the CPU that
    it, or the daemon `works`, took behind the last one."""
    # malloc would fill the memory of a result that no call will fill.
    environment = dict(os.environ, TRNSCI_SOCKET=address, MALLOC_PERTURB_="0")
    with subprocess.Popen([sys.executable, "-c", CHILD, call, *handler],
                          env=environment, text=True,
                          stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            works = works or child.pid
            for number in range(signals):
                wait_for_work(works, child, BEFORE)
                began = cpu_seconds(works)
                child.send_signal(signal.SIGINT)
                if number < signals - 1:  # the handler has returned
                    assert child.stdout.readline() == "handled\n"
            said = child.stdout.readline().strip()
            took = cpu_seconds(works) - began
            said += " " + child.stdout.readline().strip()
        finally:
            child.kill()
    return said, took


@pytest.fixture(params=["embedded", "daemon"])
def place(request):
    """An address, and the process that computes; None: the child."""
    if request.param == "embedded":
        return "embedded:", None
    daemon = request.getfixturevalue("daemon")
    return daemon.socket, daemon.process.pid


@pytest.mark.parametrize("call", [
    "draw", "integers", "out", "vectors", "arrays", "transform", "signal",
    "program", "call", "kept"])
def test_calls_end(place, call):
    address, works = place
    said, took = interrupt(address, call, works=works)
    assert said == "KeyboardInterrupt usable 0"
    assert took < BEHIND


def test_handlers(place):
    """Any exception of a handler ends the call; one that raises none does not,
    and may use the same session."""
    address, works = place
    said, took = interrupt(address, "draw", ["of_its_own"], works=works)
    assert said == "OSError usable 0" and took < BEHIND
    said, took = interrupt(address, "draw", ["look"], 2, works)
    assert said == "KeyboardInterrupt usable 2" and took < BEHIND


def test_draws_beyond_the_quota_come_in_pieces(tmp_path):
    """A draw for which the daemon has no tile as large fills memory of the
    process. The samples are those of one tile."""
    daemon = Daemon(str(tmp_path), "--arena-bytes=4M")
    try:
        session = trnsci.Session(daemon.socket)
        n = 1_500_001  # float64: 12 MB
        expected = trnsci.Generator(3, session=trnsci.Session("embedded:"))
        drawn = trnsci.Generator(3, session=session)
        with pytest.raises(trnsci.ResourceError, match="arena_bytes"):
            session.draw("normal", n, dtype="f64").result()
        for _ in range(2):
            assert (drawn.normal(size=n) == expected.normal(size=n)).all()
            x = drawn.integers(0, 9, size=(n, 2), dtype=np.int64)
            assert (x == expected.integers(0, 9, size=(n, 2))).all()
            assert drawn.position == expected.position
        few = drawn.normal(size=100_000)
        assert type(few.base).__name__ == "Tile"
    finally:
        daemon.stop()
