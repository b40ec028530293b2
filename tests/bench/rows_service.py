# SPDX-License-Identifier: Apache-2.0
"""The rows of the daemon, beside Redis, bare echoes and the embedded engine."""
import subprocess

import workers
from row import Once, Row

RUNS = 9000
ALL = workers.cpus()
DAEMON = {'at': workers.daemon_socket, 'arena': 64 << 20}
REDIS = {'at': workers.redis_socket}
PING = ('user', {'method': 'ping', 'call': 'reply', 'at': workers.daemon_socket})


def normals(n=512, call='reply', **words):
    return dict(method='normal', out=f'f32:{n}', call=call, **DAEMON, **words)


def small_calls():
    redis, echo = ('redis', dict(REDIS, size=2048)), ('echo', {'size': 2048, 'spin': 1})
    yield Row('ping', {'ours': PING, 'Redis': ('redis', dict(REDIS, size=64))}, runs=RUNS)
    yield Row('512 normals in a closed loop', {'ours': ('user', normals(queue='no')), 'Redis': redis, 'echo': echo}, runs=RUNS)
    yield Row('512 normals in a closed loop, queue', {'ours': ('user', normals(call='plain', queue='yes')), 'Redis': redis}, runs=RUNS)
    yield Row('512 normals beside a CPU hog', {'ours': ('user', normals(call='plain')), 'Redis': redis}, runs=RUNS, hog=True)
    rest = {'pause_us': 1000}
    yield Row('512 normals after 1 ms of rest', {'ours': ('user', normals(call='plain', **rest)), 'Redis': ('redis', dict(REDIS, size=2048, **rest)),
                                                 'echo': ('echo', {'size': 2048, **rest})}, runs=900)
    yield Row('512 normals of a named stream', {'ours': ('user', normals(call='named')), 'stated': ('user', normals())}, runs=RUNS)
    yield Row('4096 normals, copied', {'ours': ('user', normals(4096, 'plain')), 'Redis': ('redis', dict(REDIS, size=16384))},
              runs=RUNS)
    for n, runs in ((512, 900), (1 << 18, 180)):
        yield Row(f'{n} normals, a session each', {'ours': ('user', normals(n, 'session')),
                                                   'Redis': ('redis', dict(REDIS, size=4 * n, op='session'))}, runs=runs)
    by_arena = dict(normals(1 << 18, 'arena'), arena=0)
    yield Row('262144 normals into a new tile, a session each',
              {'ours': ('user', by_arena), 'Redis': ('redis', dict(REDIS, size=1 << 20, op='session'))}, runs=180)
    program = {'out': 'f32:512', 'call': 'program', **DAEMON}
    yield Row('a program of 15 steps', {'ours': ('user', program), 'sent': ('user', dict(program, fresh=1))}, runs=RUNS // 3)


def large_calls():
    for mib, runs in ((1, 900), (16, 90)):
        draw = {'method': 'uniform', 'out': f'f32:{mib << 18}', 'call': 'prepared'}
        yield Row(f'{mib} MiB of uniforms into a used tile',
                  {'ours': ('user', dict(draw, **DAEMON)), 'embedded': ('user', dict(draw, threads=ALL)),
                   'Redis': ('redis', dict(REDIS, size=mib << 20))}, runs=runs, rate={'GB/s': mib << 20})
    transforms = {'method': 'fft', 'in': 'c64:64x1024', 'out': 'c64:64x1024', 'place': 'in', 'call': 'prepared'}
    yield Row('64 transforms of 1024, resident',
              {'ours': ('user', dict(transforms, **DAEMON)), 'embedded': ('user', dict(transforms, threads=ALL)), 'ping': PING},
              runs=RUNS // 3)


def arrays():
    """Samples and transforms into the process's own memory."""
    for name, case, runs in (
            ('16 MiB of uniforms into an array', {'method': 'uniform', 'out': f'f32:{4 << 20}'}, 90),
            ('1024 transforms of 1024, arrays', {'method': 'fft', 'in': 'c64:1024x1024', 'out': 'c64:1024x1024'}, 150),
            ('65536 normals, socket', {'method': 'normal', 'out': 'f32:65536', 'queue': 'no'}, 900),
            ('300000 normals, socket', {'method': 'normal', 'out': 'f32:300000', 'queue': 'no'}, 300)):
        yield Row(name, {'ours': ('user', dict(case, call='plain', **DAEMON)),
                         'embedded': ('user', dict(case, call='plain', threads=ALL, queue=None))}, runs=runs)


def daemon_calls():
    return [*small_calls(), *large_calls(), *arrays()]


# ---- crowds ----

def run_program(program, *arguments):
    """What it prints."""
    run = subprocess.run([f'{workers.BUILD}/tests/bench/{program}', *map(str, arguments)], text=True, timeout=60,
                         capture_output=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr.splitlines()[0] if run.stderr else f'{program} ended with {run.returncode}')
    return {name: float(value) for name, value in (line.split() for line in run.stdout.splitlines())}


def service(what, *arguments):
    daemon = workers.SERVICES.get('daemon')
    return run_program('service', what, daemon.socket, daemon.process.pid, *arguments)


def best_of(measure, turns=3):
    """The best of several turns, each of which is fast in other parts of the machine."""
    values = [measure() for _ in range(turns)]
    return max(values, key=lambda value: value['ours'])


def threads(n, way):
    return run_program('threads', workers.SERVICES.get('daemon').socket, n, way)


def redis_benchmark(size=2048, requests=200000):
    """Thousands of GETs of so many bytes for a second of Redis' CPU."""
    redis = workers.SERVICES.get('redis')
    command = ['redis-benchmark', '-s', redis.socket, '-t', 'get', '-d', str(size), '-n', str(requests), '-c', '8', '-P', '16', '-q']
    subprocess.run([*command[:4], 'set', *command[5:7], '-n', '1', '-q'], check=True, stdout=subprocess.DEVNULL)
    before = workers.cpu_seconds(redis.process.pid)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1e-3 * requests / (workers.cpu_seconds(redis.process.pid) - before)


def wire(*words):
    def measure():
        daemon = workers.SERVICES.get('daemon')
        values = best_of(lambda: run_program('wire_load', 'draws', daemon.socket, daemon.process.pid, *words))
        return dict(values, Redis=max(redis_benchmark() for _ in range(2)))
    return measure


def pipelined(samples, way):
    return dict(best_of(lambda: service('pipelined', samples, way)), Redis=max(redis_benchmark(4 * samples) for _ in range(2)))


def clients(*words):
    """The row of n clients knows those of fewer, and a server of one thread that does nothing but draw and answer."""
    best = {'sum': 0.0}

    def measure_of(n):
        def measure():
            values = best_of(lambda: service('clients', n, *words), 2)
            bare = best_of(lambda: service('bare', n, *words), 2)
            values.update(bare=bare['ours'], bare_evenness=bare['evenness'])
            values['fewer'] = best['sum'] or values['ours']
            best['sum'] = max(best['sum'], values['ours'])
            return values
        return measure

    for n in (1, 2, 8, 64, 256):
        yield Once(f'{n} client{"s" * (n > 1)}, 4096 normals{", copied" if words else " into tiles"}', 'thousand/s', measure_of(n))


def crowds():
    for samples, way in ((512, 'queue'), (16, 'queue'), (512, 'socket'), (16, 'socket')):
        yield Once(f'pipelined 8 x 16 by the library, {samples} normals, {way}', 'thousand/s of server CPU',
                   lambda samples=samples, way=way: pipelined(samples, way))
    for words in (('uniform',), ('normal',), ('uniform', 'tile'), ('normal', 'sent')):
        yield Once(f'pipelined 8 x 16, bare wire: {" ".join(words)}', 'thousand/s of server CPU', wire(*words))
    yield from clients()
    yield from clients('copy')
    for way in ('socket', 'queue'):
        for n in (1, 2, 4):
            yield Once(f'{n} thread{"s" * (n > 1)} of one session, 16 normals, {way}', 'thousand/s', lambda n=n, way=way: threads(n, way))
    yield Once('512 samples beside jobs of 1 GiB', 'ns p99', lambda: service('fair', 512))
    yield Once('300000 samples beside jobs of 1 GiB', 'ns p99', lambda: service('fair', 300000))
    yield Once('1000 idle clients', 'KiB each', lambda: service('idle', 1000))
    yield Once('1000 clients with a tile of 16 KiB', 'KiB each', lambda: service('tiles', 1000))
    yield Once('first touch of a tile of 256 MiB', 'ms', lambda: service('touch', 256))
    yield Once('a ring: 64 normals taken', 'ns', lambda: service('ring'))
    yield Once('a ring, embedded: 64 normals taken', 'ns', lambda: run_program('service', 'ring', 'embedded:', 0))
    yield Once('a ring: pink noise taken', 'million/s', lambda: service('pink'))
    for readers in (1, 4, 16):
        yield Once(f'a broadcast to {readers} reader{"s" * (readers > 1)}', 'GB/s drawn', lambda readers=readers: service('broadcast', readers))
