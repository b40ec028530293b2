# SPDX-License-Identifier: Apache-2.0
"""Processes that the bench measures: workers (worker.h), and a daemon for those that are its clients."""
import os
import signal
import socket
import subprocess
import tempfile
import time

BUILD = os.environ.get('BUILD', 'build')
HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.abspath(f'{BUILD}/peers')  # libraries that `against` puts there


def has_library(name):
    return os.path.isdir(f'{PEERS}/{name}/lib')


def environment_of(library):
    """The environment in which a worker that is linked with FFTW runs with that library in its place."""
    folder = f'{PEERS}/{library}/lib'
    if library == 'mkl':  # libcpu.so lets it take its kernels for Intel's CPUs
        return {'LD_LIBRARY_PATH': folder, 'LD_PRELOAD': f'{folder}/libcpu.so:{folder}/libmkl_rt.so',
                'MKL_THREADING_LAYER': 'SEQUENTIAL', 'MKL_NUM_THREADS': '1'}
    return {'LD_LIBRARY_PATH': folder}


def python_environment():
    """That of a Python program that finds ours, and no daemon."""
    return dict(os.environ, TRNSCI_SOCKET='/nonexistent', PYTHONPATH=f'{BUILD}/python')


class Declined(RuntimeError):
    """The case cannot be run on this machine."""


class Worker:
    """One worker. It gets ready while the caller goes on; ready() waits for it."""

    def __init__(self, program, case):
        case = {name: value() if callable(value) else value for name, value in case.items() if value is not None}
        path = [f'{BUILD}/tests/bench/{program}']
        if program.endswith('.py'):
            path = ['/usr/bin/python3', f'{HERE}/peers/{program}']
        env = {name: value for name, value in python_environment().items() if not name.startswith('OPENBLAS_')}
        env.update(OPENBLAS_NUM_THREADS='1', OMP_NUM_THREADS='1')
        if 'library' in case:
            env.update(environment_of(case['library']))
        if 'cpu' in case:  # the highest instruction set
            env['TRNSCI_CPU'] = case['cpu']
            env['OPENBLAS_CORETYPE'] = 'Haswell'
        self.process = subprocess.Popen(path + [f'{name}={value}' for name, value in case.items()], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _answer(self):
        line = self.process.stdout.readline()
        if line.startswith('none'):
            raise Declined(line[5:].strip())
        if not line:
            raise RuntimeError(f'a worker ended: {" ".join(self.process.args)}')
        return line.split()

    def _send(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()

    def _ask(self, line):
        self._send(line)
        return self._answer()

    def ready(self):
        self._answer()
        return self

    def time(self, seconds):
        """Nanoseconds of a run, on average over that time."""
        self.send_time(seconds)
        return self.receive_time()

    def send_time(self, seconds):
        self._send(f'time {seconds}')

    def receive_time(self):
        return float(self._answer()[0])

    def spread(self, runs):
        """Nanoseconds of a run: p50, p99."""
        p50, p99 = self._ask(f'spread {runs}')
        return float(p50), float(p99)

    def resize(self, size):
        self._ask(f'size {size}')

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Group:
    """Workers of one case that run at the same time and share nothing."""

    def __init__(self, program, case, count):
        self.workers = [Worker(program, case) for _ in range(count)]

    def ready(self):
        for worker in self.workers:
            worker.ready()
        return self

    def time(self, seconds):
        """Nanoseconds for each run of any of them, at the rate of all together."""
        return 1 / sum(1 / ns for ns in self.times(seconds))

    def times(self, seconds):
        for worker in self.workers:
            worker.send_time(seconds)
        return [worker.receive_time() for worker in self.workers]

    def close(self):
        for worker in self.workers:
            worker.close()


class Daemon:
    """A trnscid on a private socket, until close()."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix='trnsci-bench-')
        self.socket = f'{self.folder.name}/s'
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(f'{self.folder.name}/n')
            notify.settimeout(30)
            self.process = subprocess.Popen(
                [f'{BUILD}/bin/trnscid', '--socket', self.socket, '--state-dir', f'{self.folder.name}/state',
                 '--log-level', 'error', *arguments], env=dict(os.environ, NOTIFY_SOCKET=f'{self.folder.name}/n'))
            while b'READY=1' not in notify.recv(4096):
                pass

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.folder.cleanup()


def is_built(program):
    return os.path.exists(f'{BUILD}/tests/bench/{program}')


def has_generator(name):
    """Whether the library that was built has this generator."""
    return subprocess.run([f'{BUILD}/bin/trnsci-cli', 'rand', 'bits', '-n', '1', '--embedded', '--generator', name],
                          capture_output=True, check=False).returncode == 0


class Redis:
    """A Redis 7 without persistence on a private socket, until close()."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='trnsci-redis-')
        self.socket = f'{self.folder.name}/r'
        self.process = subprocess.Popen(
            ['redis-server', '--port', '0', '--unixsocket', self.socket, '--save', '', '--appendonly', 'no', '--dir',
             self.folder.name], stdout=subprocess.DEVNULL)
        for _ in range(500):  # it has no word for ready but its answer
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(self.socket)
                    return
                except OSError:
                    time.sleep(0.01)
        raise RuntimeError('redis-server does not answer')

    def close(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Services:
    """A daemon and a Redis that start when a row first needs them."""

    def __init__(self):
        self.running = {}

    def get(self, name):
        if name not in self.running:
            self.running[name] = Redis() if name == 'redis' else Daemon('--connections', '4096')
        return self.running[name]

    def close(self):
        for service in self.running.values():
            service.close()
        self.running = {}


SERVICES = Services()


def daemon_socket():
    return SERVICES.get('daemon').socket


def redis_socket():
    return SERVICES.get('redis').socket


def cpu_seconds(pid):
    """CPU time of a process, by its clock (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def cpus():
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def machine():
    """The machine's name: its CPUs and what they can do."""
    model, flags = 'an unknown CPU', ''
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as file:
        for line in file:
            name, _, value = line.partition(':')
            model = value.strip() if name.strip() == 'model name' else model
            flags = value if name.strip() == 'flags' else flags
    known = [name for name in ('avx2', 'avx512f', 'avx512_bf16', 'amx_tile', 'vaes') if f' {name} ' in f'{flags} ']
    release = os.uname().release
    return f'{model}, {cpus()} CPUs, {" ".join(known) or os.uname().machine}, Linux {release}'


def version():
    """The version of the tree that was built."""
    try:
        return subprocess.run(['git', 'describe', '--always', '--dirty', '--abbrev=12'], cwd=HERE, text=True,
                              capture_output=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'
