# SPDX-License-Identifier: Apache-2.0
"""What the tests share: an embedded session, and a daemon on a socket of its
own."""
import os
import subprocess

import pytest

import trnsci

# Draws of these tests must not go to a daemon that happens to run here.
os.environ["TRNSCI_SOCKET"] = "/nonexistent/trnsci.sock"

collect_ignore = ["scipy_backend.py", "numpy_tests.py",
                  "scipy_signal_tests.py", "scipy_qmc_tests.py",
                  "entry_points.py"]
full = pytest.mark.skipif(not os.environ.get("TRNSCI_FULL"),
                          reason="long: TRNSCI_FULL=1 runs it")


class Daemon:
    """A daemon, ready when the constructor returns: its own line says so."""

    def __init__(self, folder, *options):
        self.socket = os.path.join(folder, "d.sock")
        self.options = options
        self.start()

    def start(self):
        program = os.path.join(os.environ["BUILD"], "bin", "trnscid")
        environment = dict(os.environ)
        if "DAEMON_ASAN_OPTIONS" in environment:  # a sanitizer, see check.sh
            environment["ASAN_OPTIONS"] = environment["DAEMON_ASAN_OPTIONS"]
            environment.pop("LD_PRELOAD", None)
        self.process = subprocess.Popen(
            [program, "--socket", self.socket, *self.options], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=environment)
        for line in self.process.stderr:
            if "listens on" in line:
                return
        raise AssertionError("the daemon does not listen")

    def stop(self):
        self.process.terminate()
        self.process.stderr.read()
        self.process.wait()
        self.process.stderr.close()


@pytest.fixture(scope="session")
def daemon(tmp_path_factory):
    made = Daemon(str(tmp_path_factory.mktemp("daemon")))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def embedded():
    return trnsci.Session("embedded:")


@pytest.fixture(scope="session", params=["embedded", "daemon"])
def session(request):
    if request.param == "embedded":
        return request.getfixturevalue("embedded")
    return trnsci.Session(request.getfixturevalue("daemon").socket)
