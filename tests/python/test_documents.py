# SPDX-License-Identifier: Apache-2.0
"""Docstrings: every public name has one, and the examples of what is written
in C run, too (those of Python run where they stand)."""
import ast
import doctest
import inspect
import pathlib
import re

import numpy as np
import pytest
import scipy.signal.windows

import trnsci

IN_C = [trnsci.Session, trnsci.Tile] + [
    method for name, method in sorted(vars(trnsci._core.Generator).items())
    if not name.startswith("_") and callable(method)]


@pytest.mark.parametrize("thing", IN_C, ids=lambda thing: thing.__name__)
def test_examples(thing):
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner()
    for test in finder.find(thing, thing.__name__, module=False, globs={}):
        runner.run(test)
    assert runner.failures == 0


def test_everything_is_described():
    things = [getattr(trnsci, name) for name in trnsci.__all__]
    for module in (trnsci.fft, trnsci.program, trnsci.qmc, trnsci.signal,
                   trnsci.signal.windows):
        things += [getattr(module, name) for name in module.__all__]
    things += [getattr(trnsci.Generator, name)
               for name in dir(trnsci.Generator) if not name.startswith("_")]
    for thing in things:
        assert inspect.getdoc(thing), thing


def test_methods_have_numpys_arguments():
    """Names and order; defaults are compared by what calls give."""
    for name in dir(np.random.Generator):
        if name.startswith("_") or name == "bit_generator":
            continue
        said = getattr(np.random.Generator, name).__doc__.split(")\n")[0]
        theirs = [word.split("=")[0].strip(" \n*") for word in
                  said.split("(", 1)[1].split(",")]
        ours = list(inspect.signature(getattr(trnsci.Generator, name))
                    .parameters)[1:]
        assert ours == [word for word in theirs if word], name


def declared(path, inside=None):
    """Names of functions in a file of types, with those of arguments."""
    nodes = ast.parse((pathlib.Path(trnsci.__file__).parent / path)
                      .read_text()).body
    if inside:
        nodes, = [node.body for node in nodes
                  if isinstance(node, ast.ClassDef) and node.name == inside]
    return {node.name: [each.arg for each in node.args.posonlyargs
                        + node.args.args + node.args.kwonlyargs]
            for node in nodes if isinstance(node, ast.FunctionDef)}


def test_types_are_made():
    """Files of types that the build makes have every function as it is."""
    stated = declared("_core.pyi", "Generator")
    methods = {method.__name__: method for method in IN_C[2:]}
    assert len(methods) > 35
    for name, method in methods.items():
        assert stated[name] == list(inspect.signature(method).parameters), name
    stated = declared("fft/_transforms.pyi")
    assert len(stated) == 26
    for name, arguments in stated.items():
        assert arguments == list(inspect.signature(
            getattr(trnsci.fft, name)).parameters), name


def public_functions():
    """Functions and methods of the package that are written in Python, where
    no file of types stands beside them."""
    things = [getattr(place, name) for place in (
        trnsci, trnsci.fft, trnsci.program, trnsci.qmc, trnsci.signal,
        trnsci.signal.windows) for name in place.__all__]
    for thing in things + [trnsci.Generator.__mro__[1],
                           trnsci.Generator.__mro__[2],
                           trnsci.Session.__mro__[1]]:
        members = ([value for name, value in vars(thing).items()
                    if name == "__init__" or not name.startswith("_")]
                   if isinstance(thing, type) else [thing])
        for member in members:
            member = getattr(member, "fget", None) or member
            member = inspect.unwrap(getattr(member, "__func__", member))
            code = getattr(member, "__code__", None)
            if code and "trnsci" in code.co_filename and not pathlib.Path(
                    code.co_filename).with_suffix(".pyi").exists():
                yield member


def test_everything_is_typed():
    found = {each.__qualname__: each for each in public_functions()}
    assert len(found) > 90
    for name, function in found.items():
        said = inspect.signature(function)
        missing = [each.name for each in said.parameters.values()
                   if each.annotation is each.empty
                   and each.name not in ("self", "cls")]
        assert missing == [], name
        assert said.return_annotation is not said.empty, name


TREE = pathlib.Path(__file__).parents[2]


def test_the_chapter():
    """client/python/README.md: its examples, and that they leave scipy's
    backend as it is."""
    import scipy.fft
    text = (TREE / "client/python/README.md").read_text()
    test = doctest.DocTestParser().get_doctest(
        re.sub("^```.*$", "", text, flags=re.M), {}, "README.md", None, 0)
    runner = doctest.DocTestRunner()
    try:
        runner.run(test)
    finally:
        scipy.fft.set_global_backend("scipy", try_last=True)
    assert runner.failures == 0 and runner.tries > 8


PLACES = (trnsci, trnsci.Generator, trnsci.fft, trnsci.signal, trnsci.qmc,
          trnsci.program, trnsci.signal.windows, trnsci.Session, trnsci.Tile,
          trnsci.Stream, trnsci.Ring, trnsci.Broadcast,
          trnsci._broadcast.Publisher, trnsci._calls.Call)


def has(place, name):
    """Whether a dotted name leads somewhere from the place."""
    for part in name.split("."):
        if not hasattr(place, part):
            return False
        place = getattr(place, part)
    return True


def promised(text):
    """Names of trnsci's in a chapter: dotted ones, and calls."""
    text = re.sub("^```.*?^```", "", text, flags=re.M | re.S)
    for code in re.findall(r"`([^`\n]+)`", text):
        name, opened, _ = code.partition("(")
        if re.fullmatch(r"trnsci(\.\w+)+", name):
            yield name.split(".", 1)[1]
        elif re.fullmatch(r"(windows|session|rng)(\.\w+)+", name):
            yield name.replace("rng.", "Generator.").replace(
                "session.", "Session.")
        elif re.fullmatch(r"[A-Za-z]\w*", name) and (opened or name in KNOWN):
            yield name


KNOWN = {name for place in (np.random.Generator, np.fft,
                            scipy.signal.windows)
         for name in dir(place) if not name.startswith("_")} | {
             "stft", "istft", "welch", "csd", "spectrogram", "convolve",
             "correlate", "torch_stft", "torch_istft"}
OTHERS = {"h"}  # trnsci.h


@pytest.mark.parametrize("path", ["client/python/README.md", "README.md",
                                  "client/docs/tutorial.md"])
def test_what_chapters_name_is_there(path):
    """Every name of a function, a method or a class."""
    text = (TREE / path).read_text()
    names = set(promised(text)) - OTHERS
    if path == "client/python/README.md":
        assert len(names) > 40
    missing = [name for name in sorted(names)
               if not any(has(place, name) for place in PLACES)]
    assert missing == []


def test_the_readme(capsys):
    text = (TREE / "README.md").read_text()
    code, = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == "True True\n"
