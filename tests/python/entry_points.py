# SPDX-License-Identifier: Apache-2.0
"""Calls the entry points of trnsci._core with objects whose Python code runs in
the middle of a call, and with objects that __init__ did not set up. It must
not crash: test_entry_points.py runs it in a process of its own.

    entry_points.py SOCKET NAME...

Each NAME is a function of the module, or a type. What they take is in CALLS;
a function or a method that is missing there is an error."""
import itertools
import sys
import types

import numpy as np

import trnsci
from trnsci import _core

NO_ARGUMENTS = [()]
SIZE = [(3,)]
# Arguments that are accepted, of each function and method; W has what stands
# for a session, an array ...
CALLS = {
    "default_session": NO_ARGUMENTS,
    "dtype_name": [("f4",)],
    "names": [(), ("normal",)],
    "derive": [(b"l", "threefry4x32", 1, 2, b"x"),
               (b"f", "threefry4x32", 1, 2, 3)],
    "fast_length": [(7, True)],
    "frequencies": [(7, 1.0, True)],
    "create_broadcast": [("session", "name", "normal", "params", "source", 1024,
                          0.0, 0)],
    "publish_broadcast": [("session", "kept", 1)],
    "close_broadcast": [("session", "other")],
    "transform_kind": [(0,)], "choices": [("normal", "generator")],
    "transform": [(0, "array", "list", "axes", None, False, 0, None, None, "2",
                   None), (8, "array", None, 0, "ortho", True, 1, "double",
                           1e-9, "2", "yes")],
    "operate": [("session", "scale", "in", "array", {"by": "number"}, (4,),
                 "f8"),
                ("session", "fft", "in", "array", "transform", (4,), "c16")],
    "fill": [("session", "normal", "params", "source", (4,), "f8", True)],
    "Session.__init__": [("embedded:",)], "Session.close": NO_ARGUMENTS,
    "Session.__enter__": NO_ARGUMENTS, "Session.__exit__": NO_ARGUMENTS,
    "Session.__reduce__": NO_ARGUMENTS, "Session._next": NO_ARGUMENTS,
    "Session._fd": NO_ARGUMENTS,
    "Tile.__dlpack__": NO_ARGUMENTS,
    "Tile.__dlpack_device__": NO_ARGUMENTS,
    "Tile.__array__": [("f8", True)],
    "Call.__init__": [("session", "normal", "params", True),
                      ("session", "run", {"seed": "number"}, False, "steps")],
    "Call._run": [("number", "number", "number", ("tile",))],
    "Call._submit": NO_ARGUMENTS, "Call._wait": [(100,)],
    "Call._reply": NO_ARGUMENTS, "Call._tile": [(), (0,)],
    "Call.done": NO_ARGUMENTS, "Call.cancel": NO_ARGUMENTS,
    "Ring.__init__": [("session", "normal", "params", "source", 1024)],
    "Ring._take": [("array", 0, 2, 100)], "Ring._borrow": [(2, 100)],
    "Ring._place": [(100,)], "Ring._describe": NO_ARGUMENTS,
    "Ring._detach": NO_ARGUMENTS,
    "Samples.__dlpack__": NO_ARGUMENTS,
    "Samples.__dlpack_device__": NO_ARGUMENTS,
    "Samples.__enter__": NO_ARGUMENTS, "Samples.__exit__": NO_ARGUMENTS,
    "Samples.release": [(1,)],
    "Broadcast.__init__": [("daemon", "kept")],
    "Broadcast._take": [("array", 0, 2, 10)], "Broadcast._seek": [(1,)],
    "Broadcast._describe": NO_ARGUMENTS, "Broadcast._detach": NO_ARGUMENTS,
    "Words.__init__": [("threefry4x32", 1, 2)], "Words.get": NO_ARGUMENTS,
    "Words.set": [(1, True, 3)], "Words.attach": [("capsule",)],
    "Generator.__init__": [(1,)], "Generator.advance": [(4,)],
    "Generator.random": [(3, "f8", "array")],
    "Generator.standard_normal": [(4, "f8", "array")],
    "Generator.standard_exponential": [(4, "f8", "zig", "array")],
    "Generator.standard_gamma": [(2.0, 4, "f8", "array"),
                                 ("array", None, "f4")],
    "Generator.integers": [(0, 9, 3, "i8", True), ("list", 99)],
    "Generator._integers_into": [("lows", "lasts", "integers", 0, 4)],
    "Generator.bytes": SIZE, "Generator._order": [(5, 5, 0, 5)],
    "Generator._categorical": [("list", 3)],
    "Generator._multinomial": [(3, "shares", 2)],
    "Generator.dirichlet": [("list", 3)],
}
for _name, _count in {
        "uniform": 2, "normal": 2, "laplace": 2, "gumbel": 2, "exponential": 1,
        "rayleigh": 1, "standard_cauchy": 0, "gamma": 2, "chisquare": 1,
        "standard_t": 1, "weibull": 1, "beta": 2, "lognormal": 2, "poisson": 1,
        "binomial": 2, "geometric": 1, "logistic": 2, "pareto": 1, "power": 1,
        "triangular": 3, "vonmises": 2, "wald": 2, "f": 2,
        "noncentral_chisquare": 2, "noncentral_f": 3, "zipf": 1,
        "logseries": 1, "negative_binomial": 2, "hypergeometric": 3}.items():
    CALLS[f"Generator.{_name}"] = [
        tuple([0.5, 1.5, 2.5][:_count]) + (3,),
        tuple(["array", "list", 9][:_count]) + (4,)]
SKIPPED = {"__new__", "__getattribute__", "__delattr__", "__setattr__",
           "__getstate__", "__subclasshook__", "__init_subclass__", "__dir__",
           "__class__", "__reduce_ex__", "__format__", "__sizeof__"}


class World:
    """One of each thing. A session that was closed is opened again."""

    def __init__(self, socket):
        self.socket = socket
        self.owner = trnsci.Session(socket)
        _core.create_broadcast(self.owner, "kept", "normal", {}, {}, 1024, 0.0,
                               0)
        self.session = self.daemon = None
        self.embedded = True
        self.renew()

    def renew(self):
        if self.session is None or self.session.closed:
            self.session = (trnsci.Session("embedded:", threads=1)
                            if self.embedded else trnsci.Session(self.socket))
        if self.daemon is None or self.daemon.closed:
            self.daemon = trnsci.Session(self.socket)
        self.array = np.arange(4.0)
        self.list = [1.0, 2.0, 3.0, 4.0]
        self.axes = [0]
        self.shares = [0.5, 0.5]
        self.params = {"std": 2.0, "mean": [1.0, 2.0]}
        self.source = {"seed": 1, "stream": 2, "generator": "threefry4x32"}
        self.transform = {"axes": [0]}
        self.steps = [("normal", {"n": 3, "as": "x"}, True),
                      ("scale", {"in": "x", "by": 2.0}, True)]
        self.lows, self.lasts, self.integers = (
            np.zeros(4, int), np.full(4, 5), np.zeros(4, int))
        self.number = 1.0
        self.name, self.kept, self.other = "a", "kept", "other"
        self.tile = trnsci.Tile(4, "f8", session=self.session)
        self.bits = np.random.PCG64(1)
        self.capsule = self.bits.capsule
        self.object = None

    def value(self, item):
        """What stands for a name, deep in tuples and dicts."""
        if isinstance(item, tuple):
            return tuple(self.value(x) for x in item)
        if isinstance(item, dict):
            return {key: self.value(x) for key, x in item.items()}
        if isinstance(item, str) and item in vars(self):
            return getattr(self, item)
        return item

    def make(self, type):
        """An object of a type that is set up."""
        s = self.session
        if type is _core.Session:
            return trnsci.Session("embedded:", threads=1)
        if type is _core.Tile:
            return trnsci.Tile(4, "f8", session=s)
        if type is _core.Call:
            return _core.Call(s, "normal", {"n": 4}, True)
        if type is _core.Ring:
            return _core.Ring(s, "normal", {"dtype": "f8"}, {}, 1024)
        if type is _core.Samples:
            return self.make(_core.Ring)._borrow(2, 1000)
        if type is _core.Broadcast:
            return _core.Broadcast(self.daemon, "kept")
        if type is _core.Words:
            return _core.Words("threefry4x32", 1, 0)
        return _core.Generator(1, session=s)


def close(world):
    world.session.close()
    world.daemon.close()


def clear(world):
    for each in (world.list, world.axes, world.params, world.source, world.shares,
                 world.steps, world.transform):
        each.clear()


def move(world):
    """The arrays' memory goes, and they become others."""
    for array in world.array, world.lows, world.lasts, world.integers:
        try:
            array.resize(100_000, refcheck=False)
            array.resize(1, refcheck=False)
            array.dtype = "i1"
            array.shape = (2, 4)
        except ValueError:  # somebody looks at its buffer
            pass


def set_up_again(world):
    if world.object is not None and not isinstance(world.object, _core.Samples):
        type(world.object).__init__(world.object, *world.value(
            CALLS[f"{type(world.object).__name__}.__init__"][0]))


def collect(world):
    world.object = None
    junk = [np.full(1000, 7.0) for _ in range(20)]
    del junk


ACTIONS = close, clear, move, set_up_again, collect


def hostile(world, action, value=1):
    """An object that is a number, a truth, a sequence and an array, and acts
    whenever it is asked."""
    def act(result):
        def method(self, *args, **kwargs):
            action(world)
            return result() if callable(result) else result
        return method

    return type("Hostile", (), {
        "__index__": act(value), "__int__": act(value),
        "__float__": act(float(value)), "__bool__": act(True),
        "__len__": act(1), "__iter__": act(lambda: iter([value])),
        "__getitem__": lambda self, i: [value][i],
        "__array__": act(lambda: np.ones(4)), "__str__": act("x"),
        "__eq__": act(False), "__hash__": act(7), "__fspath__": act("x")})()


ODD = [None, -1, 0, 2**50, 2**63, 2**64, 2**100, float("nan"), "", "x\0y", "é",
       b"x", object(), (), [], (0,) * 33, list(range(33)), {}, {1: 2}, {"x": {}},
       Ellipsis, True, np.float32(2), np.zeros(0), np.zeros((1,) * 32),
       np.arange(3), np.array(["a"]), np.array([object()]), np.ones(4, ">f8"),
       np.ones(8)[::2], [[1.0], [2.0, 3.0]]]


def variants(world, item):
    """Hostile things in the place of an argument: `item` has a name still."""
    for action in ACTIONS:
        for value in 1, 0, -1, 2**50:
            yield lambda a=action, v=value: hostile(world, a, v)
        yield lambda a=action: [hostile(world, a), 2.0]
        yield lambda a=action: (hostile(world, a), hostile(world, a))
        yield lambda a=action: {"std": hostile(world, a), "by": world.array,
                                "mean": [hostile(world, a), 1.0],
                                "axes": [hostile(world, a)]}

        def inside(a=action):
            """The list or dict that stands there, with such a member."""
            given = world.value(item)
            if isinstance(given, list) and given:
                given.insert(0, hostile(world, a))
                if isinstance(given[1], tuple):
                    given[0] = ("scale", {"in": world.array, "by": hostile(
                        world, a)}, hostile(world, a))
            elif isinstance(given, dict):
                for key in list(given):
                    if key != "generator":
                        given[key] = hostile(world, a)
                given["last"] = world.array
            return given
        yield inside
    for odd in ODD:
        yield lambda odd=odd: odd


def attempt(function, *args):
    """SystemError is a fault of the extension."""
    try:
        return function(*args)
    except SystemError:
        raise
    except Exception:
        return None


def attack(world, function, template):
    attempt(function, *world.value(template))
    for i, item in enumerate(template):
        for make in variants(world, item):
            args = list(world.value(template))
            args[i] = make()
            attempt(function, *args)
            world.renew()
    attempt(function, *world.value(template), *[1] * 12)


def methods_of(type):
    """Names of the methods and of the attributes that are written in C."""
    for name in dir(type):
        member = getattr(type, name)
        if isinstance(member, types.GetSetDescriptorType) \
                and name != "__class__":
            yield name, False
        elif isinstance(member, (types.MethodDescriptorType,
                                 types.WrapperDescriptorType)):
            if name in SKIPPED or member in vars(object).values():
                continue
            if name in ("__init__", "__repr__", "__buffer__",
                        "__release_buffer__") and name != "__init__":
                continue
            yield name, True


def attack_type(world, kind):
    for name, callable in methods_of(kind):
        templates = CALLS[f"{kind.__name__}.{name}"] if callable else [None]
        for template in templates:
            if not callable:
                for x in (world.make(kind),):
                    attempt(getattr, x, name)
                    for make in variants(world, None):
                        world.object = x
                        attempt(setattr, x, name, make())
                        world.renew()
                    attempt(delattr, x, name)
                continue

            def call(*args):
                x = (kind.__new__(kind) if name == "__init__" and
                     kind not in (_core.Tile, _core.Samples)
                     else world.make(kind))
                world.object = x
                return getattr(x, name)(*args)

            attack(world, call, template)
    attack_tile_and_samples(world, kind)
    attack_bare(world, kind)


def attack_tile_and_samples(world, kind):
    """What is made by its type, and by DLPack's keywords."""
    if kind is _core.Tile:
        for template in ("list", "f8"), ((2, 2), "f4"):
            attack(world, lambda *args: _core.Tile(
                *args, session=world.session), template)
    if kind in (_core.Tile, _core.Samples):
        for key, make in itertools.product(
                ("stream", "max_version", "dl_device", "copy"),
                variants(world, None)):
            x = world.make(kind)
            given = make()
            for value in given, (given, 0):
                attempt(lambda: x.__dlpack__(**{"max_version": (1, 0),
                                                key: value}))
            world.renew()


def attack_bare(world, kind):
    """Objects that __init__ did not see, or that it refused."""
    def refused():
        x = kind.__new__(kind)
        attempt(x.__init__, object())
        return x

    for new in (lambda: kind.__new__(kind), lambda: object.__new__(kind),
                refused):
        for name, callable in methods_of(kind):
            x = attempt(new)
            if x is None:
                continue
            if not callable:
                attempt(getattr, x, name)
                attempt(setattr, x, name, 4)
                attempt(delattr, x, name)
                continue
            for template in CALLS[f"{kind.__name__}.{name}"]:
                attempt(getattr(x, name), *world.value(template))
            attempt(repr, x), attempt(memoryview, x), attempt(np.asarray, x)
            world.renew()


def entry_points():
    """Names of the functions and types of the module."""
    return [name for name, member in sorted(vars(_core).items())
            if isinstance(member, (type, types.BuiltinFunctionType))]


if __name__ == "__main__":
    np.seterr(all="ignore")
    world = World(sys.argv[1])
    for entry in sys.argv[2:]:
        member = getattr(_core, entry)
        for world.embedded in True, False:
            world.session = None
            world.renew()
            if isinstance(member, type):
                attack_type(world, member)
            else:
                for template in CALLS[entry]:
                    attack(world, member, template)
    print("walked", *sys.argv[2:])
