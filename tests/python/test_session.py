# SPDX-License-Identifier: Apache-2.0
"""Sessions: embedded and by a daemon, shared memory, forks, interpreters."""
import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import trnsci
from conftest import Daemon


def in_child(work):
    """What work() gives in a forked child, by repr; or its exception."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = repr(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


def test_addresses(daemon, embedded):
    remote = trnsci.Session(daemon.socket)
    assert (remote.address, remote.embedded) == (daemon.socket, False)
    assert (embedded.address, embedded.embedded) == ("embedded:", True)
    with pytest.raises(trnsci.ServiceError) as caught:
        trnsci.Session("/nonexistent/d.sock")
    assert caught.value.name == "no_daemon"
    assert isinstance(caught.value, ConnectionError)
    assert trnsci.default_session() is trnsci.default_session()
    assert trnsci.default_session().embedded


def test_closed_sessions(daemon):
    for address in ("embedded:", daemon.socket):
        with trnsci.Session(address) as session:
            g = trnsci.Generator(1, session=session)
            g.random()
        assert session.closed
        with pytest.raises(trnsci.ServiceError, match="closed"):
            g.normal(size=3)


def test_arrays_over_shared_memory_outlive_the_session(daemon):
    session = trnsci.Session(daemon.socket)
    g = trnsci.Generator(1, session=session)
    whole = g.random(100000)
    assert type(whole.base).__name__ == "Tile"
    view = whole[5:10]
    expected = trnsci.Generator(1).random(100000)
    np.testing.assert_array_equal(whole, expected)
    session.close()
    del whole, g, session
    gc.collect()
    np.testing.assert_array_equal(view, expected[5:10])
    view[:] = 0
    del view
    gc.collect()


def test_arrays_stay_when_the_daemon_ends(tmp_path):
    own = Daemon(str(tmp_path))
    session = trnsci.Session(own.socket)
    g = trnsci.Generator(1, session=session)
    x = g.normal(size=50000)
    own.stop()
    np.testing.assert_array_equal(x, trnsci.Generator(1).normal(size=50000))
    own.start()
    place = g.position
    y = g.normal(size=50000)
    again = trnsci.Generator(1)
    again.position = place
    np.testing.assert_array_equal(y, again.normal(size=50000))
    own.stop()


def test_a_fork_reconnects_or_raises(daemon, embedded):
    g = trnsci.Generator(2, session=trnsci.Session(daemon.socket))
    g.random(5)
    assert in_child(lambda: g.random(40000)[-1]) == repr(g.random(40000)[-1])
    h = trnsci.Generator(2, session=embedded)
    h.random(5)
    assert in_child(lambda: h.random(5000)).startswith("ServiceError: closed")
    own = trnsci.Generator(2)
    own.random(5)
    assert in_child(lambda: own.random(40000)[-1]) == repr(
        own.random(40000)[-1])
    assert in_child(lambda: own.permutation(9).tolist()) == repr(
        own.permutation(9).tolist())


def test_entropy_of_forks():
    g = trnsci.Generator()
    g.random()
    seeds = {in_child(lambda: (g.seed, g.random())) for _ in range(3)}
    assert len(seeds) == 3
    assert repr((g.seed, g.random())) not in seeds
    children = trnsci.Generator(3)
    assert in_child(children.random) == repr(children.random())


def test_sessions_are_pickled_by_address(daemon):
    session = pickle.loads(pickle.dumps(trnsci.Session(daemon.socket)))
    assert session.address == daemon.socket
    g = trnsci.Generator(1, session=session)
    assert pickle.loads(pickle.dumps(g)).session.address == daemon.socket


def test_errors_have_names_and_kinds():
    g = trnsci.Generator(1)
    with pytest.raises(trnsci.ParameterError) as caught:
        g.poisson(1e17)
    assert caught.value.name == "out_of_range"
    assert "lam" in str(caught.value)
    with pytest.raises(ValueError, match="trials"):
        g.binomial(2**60, 0.5)
    assert issubclass(trnsci.ResourceError, MemoryError)
    assert issubclass(trnsci.ServiceTimeoutError, TimeoutError)


def test_the_module_is_imported_twice():
    """Each import has a state of its own: no session, no type is shared."""
    code = ("import sys, importlib\n"
            "import trnsci\n"
            "first = trnsci._core, trnsci.Generator(1).random(), "
            "trnsci.default_session()\n"
            "for name in [n for n in sys.modules if n.startswith('trnsci')]:\n"
            "    del sys.modules[name]\n"
            "import trnsci\n"
            "assert trnsci._core is not first[0]\n"
            "assert trnsci.default_session() is not first[2]\n"
            "assert trnsci.Generator(1).random() == first[1]\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_sub_interpreter():
    """numpy itself can be loaded by one interpreter of a process only."""
    pytest.importorskip("_xxsubinterpreters")
    inside = (f"import sys; sys.path[:] = {sys.path!r}\n"
              "import warnings; warnings.simplefilter('ignore')\n"
              "import trnsci; print(trnsci.Generator(1).random())\n")
    code = ("import _xxsubinterpreters as interpreters\n"
            "other = interpreters.create()\n"
            f"interpreters.run_string(other, {inside!r})\n"
            "interpreters.destroy(other)\n")
    said = subprocess.run([sys.executable, "-c", code], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    assert float(said) == trnsci.Generator(1).random()


def test_memory_is_given_back(embedded):
    """No reference is kept by any call."""
    g = trnsci.Generator(1, session=embedded)
    out, weights = np.empty(5), np.array([1.0, 2.0])
    calls = [lambda: g.random(5, out=out), lambda: g.normal(weights, 1.0),
             lambda: g.gamma(weights, [1.0, 2.0]),
             lambda: g.integers(weights + 1),
             lambda: g.dirichlet(weights), lambda: g.permutation(weights),
             lambda: g.choice(weights, p=[0.5, 0.5]),
             lambda: g.uniform(1, 2, 5),
             lambda: trnsci.fft.fft(weights), lambda: trnsci.fft.fftn(out),
             lambda: trnsci.fft.dct(out, overwrite_x=True)]
    wrong = [lambda: g.normal(weights, -1.0),
             lambda: g.random(out=np.empty(4)[::2]),
             lambda: g.gamma(weights, [1.0, -1.0]), lambda: g.normal("x"),
             lambda: trnsci.fft.fft(weights, n=0), lambda: g.poisson([1e17])]
    counted = weights, out, embedded
    for _ in range(2):
        before = [sys.getrefcount(x) for x in counted]
        for call in calls:
            call()
        for call in wrong:
            with pytest.raises((ValueError, TypeError)):
                call()
        gc.collect()
    assert [sys.getrefcount(x) for x in counted] == before


# ---- The default session ----

OUTAGE = '''
import os, time
import numpy as np, trnsci
from conftest import Daemon

daemon = Daemon({folder!r})
os.environ["TRNSCI_SOCKET"] = daemon.socket
made = trnsci.default_session()
assert not made.embedded and made.address == daemon.socket
wanted = trnsci.Generator(7).random(10_000)
kept = trnsci.Tile(4, "f8")
kept.array[:] = 5
uses = [lambda: trnsci.Generator(7).random(10_000),
        lambda: trnsci.default_session().draw("uniform", 10_000, "f8",
                                              seed=7).result(),
        lambda: trnsci.fft.ifft(trnsci.fft.fft(wanted)).real]
for _ in range(2):
    daemon.stop()
    ends = time.monotonic() + 3.5
    texts = set()
    while time.monotonic() < ends:
        for use in uses:
            try:
                use()
                raise SystemExit("a daemon that is gone answers")
            except trnsci.ServiceError as error:
                texts.add(str(error))
    assert all("closed" in text or "no_daemon" in text for text in texts)
    daemon.start()
    ends = time.monotonic() + 10
    while True:  # a lost session tries at most every 100 ms
        try:
            uses[0]()
            break
        except trnsci.ServiceError:
            if time.monotonic() > ends:
                raise
    for use in uses:
        np.testing.assert_allclose(use(), wanted, atol=1e-12)
    session = trnsci.default_session()
    assert not session.embedded and session.address == daemon.socket
assert (kept.array == 5).all()
daemon.stop()
print("again")
'''


def in_process(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    return done.stdout.strip()


def test_the_default_session_outlasts_an_outage(tmp_path):
    """A daemon that is away for longer than a session waits for it."""
    assert in_process(OUTAGE.format(folder=str(tmp_path))) == "again"


def test_the_error_names_the_last_attempt(tmp_path):
    code = f"""
import os, time, trnsci
from conftest import Daemon
daemon = Daemon({str(tmp_path)!r})
os.environ["TRNSCI_SOCKET"] = daemon.socket
trnsci.Generator(1).random(10_000)
daemon.stop()
ends = time.monotonic() + 3
while time.monotonic() < ends:
    try:
        trnsci.Generator(1).random(10_000)
    except trnsci.ServiceError as error:
        text = str(error)
print(text)
"""
    text = in_process(code)
    assert str(tmp_path / "d.sock") in text and (
        "No such file" in text or "Connection refused" in text)


def test_a_default_session_that_was_closed():
    code = """
import numpy as np, trnsci
first = trnsci.default_session()
g, x = trnsci.Generator(1), np.ones(16)
for _ in range(3):
    g.permutation(5), trnsci.fft.fft(x)
first.close()
assert g.random() and trnsci.fft.fft(x)[0] == 16 and len(g.permutation(5)) == 5
assert trnsci.default_session() is not first and first.closed
print("another")
"""
    assert in_process(code) == "another"
