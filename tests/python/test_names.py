# SPDX-License-Identifier: Apache-2.0
"""What the package shows of itself: names, reprs, hints in errors."""
import importlib
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import trnsci


def test_names_of_the_package():
    assert {"default_rng", "qmc", "fft", "signal"} <= set(dir(trnsci))
    assert not {"Any", "annotations"} & set(dir(trnsci))
    for name in trnsci.__all__:
        assert getattr(trnsci, name) is not None
    assert set(trnsci.__all__) <= set(dir(trnsci))
    # scipy is imported when qmc is used, not by a look at the names.
    subprocess.run([sys.executable, "-c", "import sys, trnsci; dir(trnsci)\n"
                    "from trnsci import *\nassert 'scipy' not in sys.modules"],
                   check=True)


def test_import_loads_what_all_programs_need():
    """Modules come when they are used, and asyncio with the first await."""
    subprocess.run([sys.executable, "-c", "import sys, numpy\n"
                    "before = set(sys.modules)\nimport trnsci\n"
                    "new = set(sys.modules) - before\n"
                    "assert not new & {'asyncio', 'difflib', 'scipy'}, new\n"
                    "assert not [name for name in new if\n"
                    "            name.startswith('trnsci.')\n"
                    "            and name[7] != '_'], new\n"
                    "session = trnsci.Session('embedded:')\n"
                    "session.draw('normal', 3).result()\n"
                    "assert 'asyncio' not in sys.modules\n"
                    "assert trnsci.signal.windows.hann(3).size == 3"],
                   check=True)


def test_names_of_modules():
    """What is imported for the module's own use is no name of its."""
    pytest.importorskip("scipy")
    found = [each.name for each
             in pkgutil.walk_packages(trnsci.__path__, "trnsci.")
             if "._" not in each.name]
    assert {"trnsci.mpi", "trnsci.replay.tensorflow",
            "trnsci.signal.windows"} <= set(found)
    for name in found:
        module = importlib.import_module(name)
        shown = {each for each in dir(module) if not each.startswith("_")}
        assert shown == set(module.__all__), name


@pytest.mark.parametrize("name", [
    "Error", "ParameterError", "ParameterTypeError", "ResourceError",
    "ServiceError", "ServiceTimeoutError"])
def test_names_of_exceptions(name):
    kind = getattr(trnsci, name)
    assert f"{kind.__module__}.{kind.__qualname__}" == f"trnsci.{name}"
    error = pickle.loads(pickle.dumps(kind("text")))
    assert type(error) is kind and error.args == ("text",)


def test_default_rng():
    assert type(trnsci.default_rng()) is trnsci.Generator
    seed = np.random.SeedSequence(7)
    for given in (3, [1, 2], seed):
        expected = trnsci.Generator(given).normal(size=9)
        assert (trnsci.default_rng(given).normal(size=9) == expected).all()
    rng = trnsci.default_rng(3)
    assert trnsci.default_rng(rng) is rng
    with pytest.raises(ValueError):
        trnsci.default_rng(-1)


def test_reprs(daemon):
    session = trnsci.Session("embedded:")
    assert repr(session) == "<trnsci.Session 'embedded:'>"
    remote = trnsci.Session(daemon.socket)
    assert repr(remote) == f"<trnsci.Session {daemon.socket!r}>"
    remote.close()
    assert repr(remote) == "<trnsci.Session, closed>"
    assert repr(trnsci.Tile((3, 4), "bf16")) == "<trnsci.Tile (3, 4) bf16>"
    with trnsci.Ring("normal", session=session) as ring:
        ring.take(1000)
        assert repr(ring).startswith("<trnsci.Ring 'normal' float32, 1000 of ")
    assert repr(ring) == "<trnsci.Ring 'normal', closed>"
    call = session.draw("poisson", 3)
    call.result()
    assert repr(call) == "<trnsci.Call poisson, done>"
    p = trnsci.program.Program(session=session)
    y = p.fft(p.input(8, "c64"))
    assert repr(p) == "<trnsci.program.Program: 1 steps, 1 inputs>"
    assert repr(p.compile(y)) == ("<trnsci.program.Compiled: 1 steps, "
                                  "1 inputs, 1 outputs>")
    for made in (trnsci.BitGenerator(3, stream=2), trnsci.Generator(1)):
        again = eval(repr(made).partition(" at ")[0])
        assert (again.seed, again.stream) == (made.seed, made.stream)


@pytest.mark.parametrize("call, meant", [
    (lambda s: s.draw("nromal", 3).result(), "normal"),
    (lambda s: s.draw("normal", 3, sdt=2.0).result(), "std"),
    (lambda s: s.apply("ftt").result(), "fft"),
    (lambda s: s.apply("fft", **{"in": np.zeros(3)}, nrom="ortho").result(),
     "norm"),
    (lambda s: s.call("desribe").result(), "describe"),
    (lambda s: trnsci.Ring("unifrom", session=s), "uniform"),
    (lambda s: trnsci.Ring("normal", maen=2.0, session=s), "mean"),
    (lambda s: trnsci.program.Program(session=s).gama, "gamma"),
    (lambda s: s.draw("normal", 3, generator="philox4x33").result(),
     "philox4x32"),
    (lambda s: s.draw("normal", 3, layout="jaxx").result(), "jax"),
    (lambda s: s.draw("normal", 3, method="boxmuler").result(), "boxmuller"),
    (lambda s: trnsci.Ring("normal", generator="philox4x33", session=s),
     "philox4x32"),
    (lambda s: trnsci.Generator(1, generator="philox4x33", session=s),
     "philox4x32"),
    (lambda s: trnsci.BitGenerator(1, generator="philox4x33"), "philox4x32"),
    (lambda s: trnsci.Generator(1, session=s).field(
        (8, 8), covariance="maternn", length=2), "matern"),
    (lambda s: trnsci.Generator(1, session=s).colored(9, color="pnik"),
     "pink"),
    (lambda s: trnsci.trace(np.eye(3), method="huchpp", session=s), "hutchpp"),
    (lambda s: s.apply("window", n=8, window="hamn").result(), "hann"),
    (lambda s: trnsci.signal.get_window("hamn", 8), "hann"),
    (lambda s: trnsci.signal.welch(np.ones(300), window=("kaisr", 8.0)),
     "kaiser"),
    (lambda s: trnsci.signal.torch_stft(np.ones(100), 64, pad_mode="reflekt"),
     "reflect"),
    (lambda s: trnsci.program.Program(generator="philox4x33", session=s),
     "philox4x32"),
])
def test_hints(session, call, meant):
    kinds = (trnsci.ParameterError, trnsci.ParameterTypeError, AttributeError,
             ValueError)
    with pytest.raises(kinds, match=rf"\(did you mean '{meant}'\?\)"):
        made = call(session)
        if isinstance(made, trnsci.program.Program):
            made.compile(made.normal(3))()


def test_hints_of_programs_and_broadcasts(daemon):
    session = trnsci.Session(daemon.socket)
    p = trnsci.program.Program(session=session)
    with pytest.raises(trnsci.ParameterTypeError, match="did you mean 'std'"):
        p.compile(p.normal(8, sdt=2.0))()
    with pytest.raises(trnsci.ParameterError, match="did you mean 'uniform'"):
        trnsci.Broadcast.create("b", "unifrom", session=session)
    with pytest.raises(trnsci.ParameterError) as caught:
        session.draw("qqqq", 3).result()
    assert "did you mean" not in str(caught.value)
    assert caught.value.name == "unknown_method"


def test_broadcasts_need_a_daemon(embedded):
    for make in (lambda: trnsci.Broadcast("b", session=embedded),
                 lambda: trnsci.Broadcast.create("b", "normal",
                                                 session=embedded)):
        with pytest.raises(trnsci.Error, match="broadcast.* needs a daemon"):
            make()
