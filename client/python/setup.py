# SPDX-License-Identifier: Apache-2.0
"""Builds the extension against the library of this tree, which `make` built.

TRNSCI_LIBRARY names another libtrnsci.a, TRNSCI_INCLUDE its header's folder,
TRNSCI_MSGPACK a static msgpack-c. A source distribution has the tree in
`library` and builds its library first.
"""
import glob
import os
import subprocess
import sys

import numpy
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

here = os.path.dirname(os.path.abspath(__file__))
tree = os.path.join(here, "library")
if not os.path.exists(tree):
    tree = os.path.dirname(os.path.dirname(here))
library = os.environ.get("TRNSCI_LIBRARY",
                         os.path.join(tree, "build", "lib", "libtrnsci.a"))
include = os.environ.get("TRNSCI_INCLUDE",
                         os.path.join(tree, "client", "include"))


def msgpack():
    """The linker's options for msgpack-c, whatever this system calls it."""
    if "TRNSCI_MSGPACK" in os.environ:
        return [os.environ["TRNSCI_MSGPACK"]]
    for name in "msgpack-c", "msgpackc", "msgpack":
        found = subprocess.run(["pkg-config", "--libs", name],
                               stdout=subprocess.PIPE, text=True)
        if found.returncode == 0:
            return found.stdout.split()
    raise SystemExit("trnsci: msgpack-c is missing: run `make deps`")


def version():
    """The library's, as the Makefile states it."""
    with open(os.path.join(tree, "Makefile")) as makefile:
        for line in makefile:
            if line.startswith("VERSION :="):
                return line.split()[-1]
    raise SystemExit("trnsci: no version in the Makefile")


class BuildWithTypes(build_ext):
    """Builds the extension, then the types that the built package states."""

    def run(self):
        super().run()
        for name in () if self.inplace else ("_core.pyi", "fft/_transforms.pyi"):
            with open(os.path.join(self.build_lib, "trnsci", name), "w") as out:
                subprocess.run([sys.executable, os.path.join(here, "stubs.py"),
                                os.path.abspath(self.build_lib), name],
                               stdout=out, check=True)


def needs_numpy():
    """numpy 1's headers make an extension that numpy 2 cannot load."""
    return "numpy>=1.24" + (",<2" if numpy.__version__.startswith("1.") else "")


if not os.path.exists(library) and "sdist" not in sys.argv:
    if not tree.startswith(here):
        raise SystemExit(f"trnsci: {library} is missing: run `make` first")
    subprocess.run(["make", "-s", "-C", tree, f"-j{os.cpu_count()}", "lib"],
                   check=True)

setup(
    version=version(),
    install_requires=[needs_numpy()],
    cmdclass={"build_ext": BuildWithTypes},
    packages=find_packages(here, include=["trnsci*"]),
    package_data={"": ["py.typed", "*.pyi"]},
    data_files=[("share/doc/trnsci/html",  # where `make wheel` puts the manual
                 [os.path.relpath(page, here) for page
                  in sorted(glob.glob(os.path.join(here, "html", "*")))])],
    ext_modules=[Extension(
        "trnsci._core",
        sorted(os.path.relpath(source, here) for source
               in glob.glob(os.path.join(here, "src", "*.c"))),
        include_dirs=[include, numpy.get_include()],
        extra_objects=[library],
        extra_compile_args=["-std=gnu17", "-O3", "-fvisibility=hidden",
                            "-ffp-contract=off", "-fno-math-errno"],
        extra_link_args=["-Wl,--exclude-libs,ALL", *msgpack(), "-lm"],
    )],
)
