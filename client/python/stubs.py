# SPDX-License-Identifier: Apache-2.0
"""Prints a file of types of the package in a folder: _core.pyi, whose Generator
gets the methods that are rows of src/method_rows.h, by their documents; or
fft/_transforms.pyi, by the signatures of its functions.

usage: stubs.py FOLDER _core.pyi|fft/_transforms.pyi
"""
import importlib
import inspect
import os
import re
import sys

EMPTY = inspect.Parameter.empty
ARRAYS = {"float": "_Floats", "int": "_Ints"}
# Types of arguments that are not parameters of a distribution.
OTHERS = {"dtype": "DTypeLike", "method": "str"}


def overload(name, parameters, number, returns):
    """One form of a method: of numbers or of arrays."""
    def declare(parameter):
        kind = OTHERS.get(parameter.name, "float" if number else "ArrayLike")
        if parameter.name == "size":
            kind = "None" if number else "_Size"
        elif parameter.name == "out":
            kind = "None" if number else "Optional[NDArray[Any]]"
        default = "" if parameter.default is EMPTY else " = ..."
        return f"{parameter.name}: {kind}{default}"

    ignored = "  # type: ignore[misc]" if number and len(parameters) > 1 else ""
    if not number and len(parameters) == 1:  # with size the other one
        parameters = [parameters[0].replace(default=EMPTY)]
    said = ", ".join(["self", *map(declare, parameters)])
    return (f"    @overload\n    def {name}({said}) -> {returns}: ..."
            f"{ignored}\n").replace("size: _Size)", "size: Union[int, Sequence[int]])")


def core(module):
    """What is written by hand, then the methods of Generator."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "trnsci", "_core.pyi.in")) as written:
        yield written.read()
    for name, method in vars(module.Generator).items():
        found = re.search(r"Returns\n-+\n(float|int) or ndarray",
                          getattr(method, "__doc__", None) or "")
        if found:
            parameters = list(inspect.signature(method).parameters.values())[1:]
            typed = any(each.name == "dtype" for each in parameters)
            yield overload(name, parameters, True, found[1])
            yield overload(name, parameters, False,
                           "NDArray[Any]" if typed else ARRAYS[found[1]])


def transforms(module):
    """The module's types, then its functions."""
    source = inspect.getsource(module)
    yield "from typing import Any, Literal, Optional, Sequence, Union\n\n"
    yield "import numpy as np\nfrom numpy.typing import ArrayLike, NDArray\n\n"
    yield "".join(re.findall(r"^_(?:Norm|Axes) = .*\n", source, re.M))
    for name, function in vars(module).items():
        if name.startswith("_") or not inspect.isfunction(function) or \
                function.__module__ != module.__name__:
            continue
        said, star = [], False
        for each in inspect.signature(function).parameters.values():
            if each.kind is each.KEYWORD_ONLY and not star:
                said.append("*")
                star = True
            said.append(f"{each.name}: {each.annotation}"
                        + ("" if each.default is EMPTY else " = ..."))
        yield (f"def {name}({', '.join(said)}) -> "
               f"{function.__annotations__['return']}: ...\n")


sys.path[0], name = sys.argv[1:]
module = importlib.import_module(
    "trnsci." + name[:-len(".pyi")].replace("/", "."))
print("".join((core if name == "_core.pyi" else transforms)(module)), end="")
