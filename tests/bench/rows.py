# SPDX-License-Identifier: Apache-2.0
"""The rows of the bench: what is measured beside what. Goals stand in goals.txt."""
import math

import rows_calls
import rows_fftw
import rows_service
import workers
from row import Row

L2_BYTES, FAR_BYTES = 512 << 10, 64 << 20
ALL = workers.cpus()


# ---- draws ----

def draw_case(method, dtype, n, **words):
    return dict(method=method, out=f'{dtype}:{n}', **words)


def kernel_of(case):
    """The case for the program `kernel`."""
    return {name: value for name, value in case.items() if name not in ('call', 'threads', 'at')}


def small_draws():
    for method in ('uniform', 'normal'):
        for n in (1, 16, 512):
            for call in ('plain', 'prepared'):
                case = draw_case(method, 'f32', n, call=call, threads=1)
                yield Row(f'{method} f32 x {n}{", prepared" if call == "prepared" else ""}',
                          {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case)),
                           'std::mt19937': ('mt19937', case)})


# ---- transforms ----

def fft_case(kind, n, batch=1, wide=False, place='out', **words):
    """The same transforms for `user`, `kernel` and FFTW."""
    complex_type, real_type = ('c128', 'f64') if wide else ('c64', 'f32')
    axes = {'2d': 2, '3d': 3}.get(kind, 1)
    shape = 'x'.join([str(batch)] * (batch > 1) + [str(n)] * axes)
    half = 'x'.join([str(batch)] * (batch > 1) + [str(n // 2 + 1)])
    case = dict(method='fft', kind=kind, n=n, batch=batch, wide=int(wide), place=place, out=f'{complex_type}:{shape}',
                **{'in': f'{complex_type}:{shape}'}, **words)
    if kind == 'r2c':
        case.update({'in': f'{real_type}:{shape}', 'out': f'{complex_type}:{half}', 'p.real': 'true'})
    if axes > 1:
        case['p.axes'] = ','.join(str(axis - axes) for axis in range(axes))
    return case


def small_programs():
    program = {'out': 'f32:512', 'call': 'program', 'threads': 1}
    yield Row('15 steps over 512, prepared', {'ours': ('user', program), 'sent': ('user', dict(program, fresh=1))})


def small_ffts():
    for n in (64, 256, 1024, 4096):
        for call in ('plain', 'prepared'):
            case = fft_case('c2c', n, call=call, threads=1)
            yield Row(f'c2c f32 of {n}{", prepared" if call == "prepared" else ""}',
                      {'ours': ('user', case), 'kernel': ('kernel', case), 'FFTW': ('fftw', dict(case, way='many'))})


def fftw_parts(case, ways, limit):
    return {f'FFTW {way}': ('fftw', dict(case, way=way, limit=limit)) for way in ways}


def batches(kind, lengths, wide=False, place='out', far=False, cpu=None):
    """As many transforms as fill the second-level cache, or 64 MiB, with input and output together."""
    for n in lengths:
        batch = max(1, (FAR_BYTES if far else L2_BYTES) // 2 // (n * (16 if wide else 8) // (2 if kind == 'r2c' else 1)))
        case = fft_case(kind, n, batch, wide, place, huge=1 if far else None, threads=1, cpu=cpu)
        name = f'{kind} {"f64" if wide else "f32"} {n}{" in place" if place == "in" else ""}{", AVX2" if cpu else ""}'
        parts = {'ours': ('user', case), 'kernel': ('kernel', case),
                 **fftw_parts(case, ('many', 'loop', 'staged') if far else ('many', 'loop'), 1.5 if far else 2.5)}
        if far and place == 'out' and n == 256:
            parts['copy'] = ('probe', {'what': 'copy', 'bytes': FAR_BYTES // 2, 'huge': 1})
        yield Row(name, parts, per=batch, rate=gflops(kind, n, batch), apart=far)


def gflops(kind, n, batch=1):
    points = n ** {'2d': 2, '3d': 3}.get(kind, 1)
    return {'GFlop/s': (2.5 if kind == 'r2c' else 5) * points * math.log2(points) * batch}


def single(kind, n, wide=False, limit=8):
    """One transform a call. FFTW may plan for `limit` seconds: with 30 its plan of 2^24 points is better than an estimate."""
    case = fft_case(kind, n, 1, wide, huge=1, threads=1)
    parts = {'ours': ('user', case), **fftw_parts(case, ('many',), limit)}
    if kind == 'c2c':
        parts['kernel'] = ('kernel', case)
    name = f'{kind} {"f64" if wide else "f32"} {f"2^{n.bit_length() - 1}" if n > 65536 else n}'
    return Row(name, parts, rate=gflops(kind, n), apart=True)


def cached_ffts():
    powers = [2 ** k for k in range(4, 13)]
    yield from batches('c2c', powers + [16384, 65536])
    yield from batches('c2c', powers[2:], wide=True)
    yield from batches('r2c', (256, 1024, 4096))
    yield from batches('c2c', (64, 256, 1024, 4096), place='in')
    yield from batches('c2c', (64, 256, 1024, 4096), cpu='avx2')
    yield from batches('c2c', (100, 360, 1000, 1920, 127, 997, 4097))


def far_ffts():
    yield from batches('c2c', (16, 64, 128, 256, 512, 1024, 4096), far=True)
    yield from batches('c2c', (64, 256, 1024), place='in', far=True)


def some_axes(limit=3):
    for kind, lengths in (('2d', (32, 256, 512)), ('3d', (16, 32, 100, 256))):
        for n in lengths:
            yield single(kind, n, limit=limit)


def single_ffts():
    for k, limit in ((18, 5), (20, 10), (22, 15), (24, 30)):
        yield single('c2c', 2 ** k, limit=limit)
    for wide in (False, True):
        yield single('2d', 1024, wide, 5)
        yield single('2d', 2048, wide, 5)
        yield single('3d', 128, wide, 5)
    yield from some_axes()


# Vector operations of a run of the probe for a peak.
PROBE_VECTORS = 24000
# What a mode's products are bound by: the probe, and the floating-point operations of one of its vectors.
MATRIX_PEAKS = {('f32', None): ('fma', 32), ('bf16', None): ('dot', 64),
                # VDPBF16PS is emulated by two multiply-adds.
                ('f32', 'avx2'): ('fma256', 16), ('bf16', 'avx2'): ('fma256', 16)}


def matrix_row(n, mode, precision=None, wide=False, batch=4096, cpu=None):
    """A transform by products, and the peak of its vector operations for the same products."""
    case = fft_case('c2c', n, batch, wide, threads=1, cpu=cpu, **({'p.precision': precision} if precision else {}))
    inside = dict(case, kind='matrix', mode=mode)
    # The float32 product is what other modes are compared with; a user who asks for float32 gets an FFT.
    parts = {'ours': ('user', case) if precision else ('kernel', inside), 'OpenBLAS': ('openblas', case)}
    if precision:
        parts['kernel'] = ('kernel', inside)
    if mode == 'bf16':
        parts['f32'] = ('kernel', dict(inside, mode='f32'))
    extra = {}
    if (mode, cpu) in MATRIX_PEAKS:
        probe, operations = MATRIX_PEAKS[mode, cpu]
        parts['peak_probe'] = ('probe', {'what': probe})
        vectors = 8.0 * n * n * batch / operations
        extra['of_the_peak'] = lambda values: (vectors * values['peak_probe'] / PROBE_VECTORS / values.get('kernel', values['ours'])
                                               if 'peak_probe' in values else None)
    return Row(f'{mode} {n}{", AVX2" if cpu else ""}{"" if precision else " (inside)"}', parts, per=batch, extra=extra)


def matrix_transforms():
    for n in (64, 128, 256):
        yield matrix_row(n, 'f32')
        for mode in ('bf16', 'bf16_refined', 'ozaki', 'ozaki6'):
            yield matrix_row(n, mode, mode)
        for mode in ('ozaki_hq', 'ozaki_fp64'):
            yield matrix_row(n, mode, mode, wide=True, batch=512)
    for n in (64, 128, 256):
        yield matrix_row(n, 'f32', cpu='avx2')
        yield matrix_row(n, 'bf16', 'bf16', cpu='avx2')


# ---- random numbers in bulk ----

SAMPLES = 65536
# 64 float32 uniforms of Threefry take 155 operations of 512 bits; with 256 bits, where each of the 40 rotations takes
# three, 2 x 235. The bounds assume nothing else, and the probe's operations a nanosecond.
OPERATIONS_512, OPERATIONS_256, MIX_OPERATIONS = 155, 470, 72000


def threefry_bound(samples, label, operations):
    """What the operations of so many uniforms take at the rate of the probe."""
    return lambda values: samples / 64 * operations * values[label] / MIX_OPERATIONS if label in values else None


def bulk_draws():
    for generator in filter(workers.has_generator, ('threefry4x32', 'philox4x32', 'ars4x32_7')):
        for method, dtype, size in (('uniform', 'f32', 4), ('normal', 'f32', 4), ('uniform', 'f64', 8), ('normal', 'f64', 8)):
            case = draw_case(method, dtype, (256 << 10) // size, generator=generator, threads=1)
            parts = {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case)), 'mix512': ('probe', {'what': 'mix512'})}
            extra = {'bound': threefry_bound(SAMPLES, 'mix512', OPERATIONS_512)}
            if dtype == 'f32':
                parts.update(random123_parts(case))
                parts['threefry'] = ('user', dict(case, generator='threefry4x32'))
            if (method, dtype) == ('uniform', 'f32'):
                parts['store'] = ('probe', {'what': 'store', 'bytes': 256 << 10})
                extra['of_the_stores'] = lambda values: values['store'] / values['ours']
            yield Row(f'{generator} {method} {dtype}', parts, rate={'GB/s': 256 << 10}, extra=extra)
    case = draw_case('bits', 'u32', SAMPLES, threads=1, **{'p.layout': 'jax'})
    yield Row('jax bits u32', {'ours': ('user', case), **random123_parts(case, ('natural',))}, rate={'GB/s': 4 * SAMPLES})
    for generator in filter(workers.has_generator, ('threefry2x32', 'threefry4x64', 'philox2x32', 'philox4x64')):
        case = draw_case('bits', 'u32', SAMPLES, generator=generator, threads=1)
        yield Row(f'{generator} bits u32', {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case)), **random123_parts(case)},
                  rate={'GB/s': 4 * SAMPLES})
    for method in ('uniform', 'normal'):
        for generator in ('threefry4x32', 'philox4x32'):
            case = draw_case(method, 'f32', 64 << 20, generator=generator, threads=1, huge=1)
            yield Row(f'{generator} {method} f32, 256 MiB', {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case))},
                      rate={'GB/s': 256 << 20})
        case = draw_case(method, 'f32', SAMPLES, threads=1)
        yield Row(f'threefry4x32 {method} f32, AVX2',
                  {'ours': ('user', dict(case, cpu='avx2')), 'kernel': ('kernel', dict(kernel_of(case), cpu='avx2')),
                   'mix256': ('probe', {'what': 'mix256'})}, rate={'GB/s': 4 * SAMPLES},
                  extra={'bound': threefry_bound(SAMPLES, 'mix256', OPERATIONS_256)})


R123_COMPILERS = [name for name in ('gcc', 'gcc-512', 'clang', 'clang-512') if workers.is_built(f'random123-{name}')]


def random123_parts(case, orders=('natural', 'sliced')):
    parts = {f'Random123 {compiler} {order}': (f'random123-{compiler}', dict(case, order=order))
             for compiler in R123_COMPILERS for order in orders}
    if case['method'] == 'uniform':  # words into a block, and then a loop over it
        parts.update({f'Random123 {compiler} staged': (f'random123-{compiler}', dict(case, order='sliced', method='staged_uniform'))
                      for compiler in R123_COMPILERS})
    return parts


# Row, method, dtype, parameters. The row's name is that of numpy's work.
DISTRIBUTIONS = [
    ('uniform f32', 'uniform', 'f32', {}), ('uniform f64', 'uniform', 'f64', {}),
    ('normal f32', 'normal', 'f32', {}), ('normal f64', 'normal', 'f64', {}),
    ('exponential f32', 'exponential', 'f32', {}), ('exponential f64', 'exponential', 'f64', {}),
    ('lognormal f32', 'lognormal', 'f32', {}), ('laplace f32', 'laplace', 'f32', {}),
    ('bernoulli i8', 'bernoulli', 'i8', {'p': 0.3}),
    ('randint i32', 'randint', 'i32', {'low': -5, 'high': 1000}),
    ('randint i64', 'randint', 'i64', {'low': -5, 'high': 1000}),
    ('gamma f32', 'gamma', 'f32', {'shape': 2.5}), ('gamma f64', 'gamma', 'f64', {'shape': 2.5}),
    ('gamma<1 f32', 'gamma', 'f32', {'shape': 0.3}), ('gamma<1 f64', 'gamma', 'f64', {'shape': 0.3}),
    ('beta f32', 'beta', 'f32', {'alpha': 2.0, 'beta': 3.0}), ('beta f64', 'beta', 'f64', {'alpha': 2.0, 'beta': 3.0}),
    ('beta<1 f64', 'beta', 'f64', {'alpha': 0.3, 'beta': 0.6}),
    ('poisson 3 i64', 'poisson', 'i64', {'lam': 3.0}), ('poisson 100 i64', 'poisson', 'i64', {'lam': 100.0}),
    ('poisson 1e6 i64', 'poisson', 'i64', {'lam': 1e6}),
    ('binomial 20 i64', 'binomial', 'i64', {'trials': 20, 'p': 0.4}),
    ('binomial 1e6 i64', 'binomial', 'i64', {'trials': 1000000, 'p': 0.4}),
    ('truncated f32', 'truncated_normal', 'f32', {'low': -2.0, 'high': 2.0}),
    ('truncated f64', 'truncated_normal', 'f64', {'low': -2.0, 'high': 2.0}),
    ('gumbel f32', 'gumbel', 'f32', {}), ('weibull f32', 'weibull', 'f32', {'shape': 2.0}),
    ('cauchy f32', 'cauchy', 'f32', {}), ('student_t f32', 'student_t', 'f32', {'df': 5.0}),
    ('geometric i64', 'geometric', 'i64', {'p': 0.1}), ('permutation i64', 'permutation', 'i64', {'items': SAMPLES}),
    ('categorical i64', 'categorical', 'i64', {'weights': '0.3,0,0.1,0.05,0.25,0.2,0.05,0.05'}),
    ('dirichlet f64', 'dirichlet', 'f64', {'alpha': '1,2,3,4'}),
    ('sphere f32', 'sphere', 'f32', {'dimensions': 4}), ('rademacher i8', 'rademacher', 'i8', {}),
    ('uniform bf16', 'uniform', 'bf16', {}), ('normal f16', 'normal', 'f16', {}),
    ('boxmuller64 f32', 'normal', 'f32', {'method': 'boxmuller64'}),
    ('rayleigh f64', 'rayleigh', 'f64', {}), ('logistic f64', 'logistic', 'f64', {}),
    ('pareto f64', 'pareto', 'f64', {'a': 3.0}), ('power f64', 'power', 'f64', {'a': 5.0}),
    ('triangular f64', 'triangular', 'f64', {}), ('vonmises f64', 'vonmises', 'f64', {'kappa': 4.0}),
    ('wald f64', 'wald', 'f64', {'mean': 3.0, 'scale': 2.0}), ('f f64', 'f', 'f64', {'dfnum': 5.0, 'dfden': 48.0}),
    ('noncentral_chisquare f64', 'noncentral_chisquare', 'f64', {'df': 3.0, 'nonc': 20.0}),
    ('noncentral_f f64', 'noncentral_f', 'f64', {'dfnum': 3.0, 'dfden': 20.0, 'nonc': 3.0}),
    ('zipf i64', 'zipf', 'i64', {'a': 2.0}), ('logseries i64', 'logseries', 'i64', {'p': 0.6}),
    ('negative_binomial i64', 'negative_binomial', 'i64', {'successes': 10.0, 'p': 0.1}),
    ('hypergeometric i64', 'hypergeometric', 'i64', {'ngood': 100, 'nbad': 200, 'nsample': 120}),
    ('hypergeometric few i64', 'hypergeometric', 'i64', {'ngood': 20, 'nbad': 30, 'nsample': 7}),
    ('multinomial i64', 'multinomial', 'i64', {'trials': 100, 'shares': '0.1,0.2,0.3,0.4'}),
]
# LO:HI is an array of as many numbers as samples, between these.
BY_ARRAY = [
    ('normal f32', {'mean': '0:10', 'std': '1:2'}), ('normal f64', {'mean': '0:10', 'std': '1:2'}),
    ('uniform f64', {'low': '0:1', 'high': '2:3'}), ('exponential f64', {'rate': '1:2'}),
    ('gamma f64', {'shape': '0.5:5', 'scale': '1:2'}), ('beta f64', {'alpha': '0.5:5', 'beta': '1:2'}),
    ('poisson i64', {'lam': '0:255'}), ('binomial i64', {'trials': 100, 'p': '0:1'}),
    ('geometric i64', {'p': '0.1:0.9'}),
]
LARGE = ('uniform f32', 'normal f32', 'normal f64', 'gamma f64', 'poisson 100 i64')
BY_RANDOM123 = ('exponential', 'lognormal', 'laplace', 'bernoulli', 'randint')


def distribution_case(method, dtype, n, parameters, **words):
    return draw_case(method, dtype, n, **words, **{f'p.{key}': value for key, value in parameters.items()})


def distributions():
    for name, method, dtype, parameters in DISTRIBUTIONS:
        case = distribution_case(method, dtype, SAMPLES, parameters, threads=1)
        parts = {'ours': ('user', case), 'kernel': ('kernel', kernel_of(case)),
                 'numpy SFC64': ('numpy_random.py', {'work': name, 'n': SAMPLES})}
        if method in BY_RANDOM123 and dtype in ('f32', 'i8', 'i32'):
            parts.update(random123_parts(case, ('natural',)))
        yield Row(name, parts, per=SAMPLES)
    for name, parameters in BY_ARRAY:
        method, dtype = name.split()
        case = distribution_case(method, dtype, SAMPLES, parameters, threads=1)
        yield Row(f'by array: {name}', {'ours': ('user', case),
                                        'numpy SFC64': ('numpy_random.py', {'work': f'{name}, by array', 'n': SAMPLES})},
                  per=SAMPLES)


def points():
    dims = 16
    for name, method, scramble, peer in (
            ('sobol', 'sobol', 'none', 'sobol'), ('sobol, shift', 'sobol', 'shift', 'sobol scrambled'),
            ('sobol, owen', 'sobol', 'owen', 'sobol scrambled'), ('halton', 'halton', 'none', 'halton'),
            ('halton, permutation', 'halton', 'permutation', 'halton scrambled'),
            ('halton, owen', 'halton', 'owen', 'halton scrambled'), ('lattice', 'lattice', 'none', None),
            ('lhs, jitter', 'lhs', 'jitter', 'lhs')):
        n = 4096
        case = {'method': method, 'out': f'f64:{n}x{dims}', 'p.scramble': scramble}
        parts = {'ours': ('user', dict(case, call='prepared', threads=1, **{'p.d': dims})),
                 'kernel': ('kernel', dict(case, kind='points'))}
        if peer:
            parts['scipy'] = ('scipy_points.py', {'work': peer, 'n': n, 'd': dims})
        yield Row(name, parts, per=n * dims)


# ---- signals ----

def signals():
    n, taps, frames = 10 ** 7, 1001, 1 + 10 ** 7 // 128
    window = {'p.n_fft': 512, 'p.hop_length': 128, 'p.window': 'hann'}
    cases = {
        'stft': {'in': f'f32:{n}', 'out': f'c64:257x{frames}', **window},
        'stft, frames first': {'in': f'f32:{n}', 'out': f'c64:{frames}x257', **window, 'p.layout': 'frames_bins'},
        'istft': {'in': f'c64:257x{frames}', 'out': f'f32:{n}', **window},
        'convolve': {'in': f'f32:{n}', 'b': f'f32:{taps}', 'out': f'f32:{n + taps - 1}'},
        'welch': {'in': f'f32:{n}', 'out': 'f32:129'},
    }
    for name, case in cases.items():
        method = name.split(',')[0]
        parts = {'ours': ('user', dict(case, method=method, threads=1, huge=1)),
                 'scipy': ('scipy_signal.py', {'work': method, 'n': n, 'taps': taps})}
        if method == 'stft':
            parts['FFTW frames'] = ('fftw', {'kind': 'stft', 'n': 512, 'hop': 128, 'samples': n, 'huge': 1})
        yield Row(name, parts)
    for dtype in 'f32', 'f64':
        yield colored_row(dtype, n)
    case = {'method': 'field', 'out': 'f32:256x256x256', 'call': 'prepared', 'threads': 2}
    for name, spectrum in ('exponent', {'p.exponent': 3}), ('matern', {'p.covariance': 'matern', 'p.nu': 1.5, 'p.length': 8}):
        yield Row(f'field of 256^3, {name}', {
            'ours': ('user', {**case, **spectrum}),
            'scipy': ('scipy_signal.py', {'work': 'field', 'n': 256})}, per=256 ** 3)


def colored_row(dtype, n):
    """Pink noise beside its normal numbers and the transforms of its blocks, each alone: 4096 taps make blocks of 16384 with 12288
    samples."""
    blocks, pairs = -(-n // 12288), {'f32': 'c64', 'f64': 'c128'}[dtype]
    reals, spectra = f'{dtype}:{blocks}x16384', f'{pairs}:{blocks}x8193'
    transform = {'method': 'fft', 'p.real': 'true', 'threads': 1, 'huge': 1}
    parts = {'ours': ('user', {'method': 'colored', 'out': f'{dtype}:{n}', 'threads': 1, 'huge': 1}),
             'normals': ('user', {'method': 'normal', 'out': f'{dtype}:{n}', 'threads': 1, 'huge': 1}),
             'r2c': ('user', dict(transform, **{'in': reals, 'out': spectra})),
             'c2r': ('user', dict(transform, **{'in': spectra, 'out': reals, 'p.inverse': 'true'})),
             'scipy': ('scipy_signal.py', {'work': 'colored', 'n': n, 'taps': 4096, 'dtype': dtype})}
    return Row(f'colored {dtype}', parts, n, extra={'blocks': lambda values: values['normals'] + values['r2c'] + values['c2r']})


# ---- all threads ----

def threads_row(name, case, piece, pieces=ALL, per=1, rate=None):
    """All threads beside one, and beside what the CPUs give for such work: as many processes as CPUs run at the same time,
    with one thread and a piece of the work each. CPUs that share a core, and the memory, bound these as they bound ours."""
    return Row(name, {'ours': ('user', dict(case, threads=ALL)), 'one': ('user', dict(case, threads=1)),
                      'apart': ('user', dict(piece, threads=1), ALL)}, per, rate,
               {'scaling': lambda values: values['one'] / values['ours'],
                'cpus': lambda values: values['one'] / (values['apart'] * pieces)})


BYTES = {'i8': 1, 'bf16': 2, 'f16': 2, 'f32': 4, 'i32': 4, 'f64': 8, 'i64': 8}


def all_threads():
    for size, text, chosen in ((1 << 20, '1 MiB', DISTRIBUTIONS),
                               (256 << 20, '256 MiB', [row for row in DISTRIBUTIONS if row[0] in LARGE])):
        for name, method, dtype, parameters in chosen:
            case, piece = (distribution_case(method, dtype, n // BYTES[dtype], parameters, call='prepared')
                           for n in (size, size // ALL))
            yield threads_row(f'{name}, {text}', case, piece, rate={'GB/s': size})
    for n, batch, text in ((256, 512, '2 MiB'), (1024, 128, '2 MiB'), (256, 16384, '64 MiB'), (1024, 4096, '64 MiB'),
                           (16384, 256, '64 MiB'), (1 << 20, 4, '64 MiB')):
        case, piece = (fft_case('c2c', n, count, call='prepared') for count in (batch, max(1, batch // ALL)))
        yield threads_row(f'c2c f32 {n}, {text}', case, piece, batch / max(1, batch // ALL), per=batch,
                          rate=gflops('c2c', n, batch))
    for kind, n, axes in (('2d', 1024, 2), ('3d', 128, 3)):
        case = fft_case(kind, n, call='prepared')
        shape = 'x'.join([str(n // ALL)] + [str(n)] * (axes - 1))
        points = n ** axes
        yield threads_row(f'{kind} f32 {n}', case, dict(case, out=f'c64:{shape}', **{'in': f'c64:{shape}'}),
                          ALL * math.log2(points) / math.log2(points // ALL), rate=gflops(kind, n))


SECTIONS = {
    # (title, rows)
    'small': ('Small calls, embedded, one thread: one draw or transform a call',
              lambda: [*small_draws(), *small_ffts(), *small_programs()]),
    'random': ('Random numbers, embedded, one thread, into 256 KiB of the process', bulk_draws),
    'distributions': (f'Distributions, embedded, one thread, {SAMPLES} samples: time of a sample', distributions),
    'points': ('Quasi-random points, embedded, one thread, 4096 points of 16 dimensions: time of a coordinate', points),
    'fft': ('Transforms, embedded, one thread, batches of 512 KiB: time of a transform', cached_ffts),
    'far': ('Transforms, embedded, one thread, batches of 64 MiB, huge pages advised: time of a transform', far_ffts),
    'single': ('Transforms, embedded, one thread, one a call, huge pages advised', single_ffts),
    'fftw': ("FFTW's interface, the same program with Debian's libraries and with ours, plans FFTW_MEASURE, one thread", rows_fftw.fftw),
    'matrix': ('DFT by matrix products, embedded, one thread, batches of 4096 (of exact modes 512): time of a transform',
               matrix_transforms),
    'signals': ('Signals, embedded, one thread, 10^7 float32 samples; n_fft 512, hop 128; 1001 taps', signals),
    'threads': (f'All {ALL} threads, embedded, prepared, on tiles', all_threads),
    'daemon': ('The daemon, one client: p50 of a call', rows_service.daemon_calls),
    'first': ('The first use of a length in a process, one thread, beside scipy', rows_calls.first_use),
    'calls': ('Calls from Python, a process for each library', rows_calls.python_calls),
    'crowd': ('The daemon, many clients in processes of their own', rows_service.crowds),
}
