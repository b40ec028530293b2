#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian that use FFTW, run with FFTW and with our libraries in turns: how far their outputs are apart, and the median of
the CPU time of each.

usage: programs.py [NAME ...]      needs the programs (apt-get), sox and numpy; a program that is not installed is named

The error is the largest difference of two outputs' numbers, over the largest number."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy

TOP = os.path.abspath(f'{os.path.dirname(__file__)}/../../..')
FOLDER = os.environ.get('TRNSCI_FFTW', f'{TOP}/build/lib/fftw')
ROUNDS = int(os.environ.get('ROUNDS', 5))

OCTAVE = "rand('seed', 1); x = rand(700, 900); y = fft2(x); z = ifft(fft(rand(1, 300007))); printf('%.17g\\n', abs(y(1:997:end)), z(1:97:end));"
CVXOPT = """
import cvxopt, cvxopt.fftw as f
x = cvxopt.matrix([complex(i % 7, i % 5) for i in range(360000)], (600, 600))
f.dft(x); y = cvxopt.matrix([float(i % 11) for i in range(100000)]); f.dct(y)
print(*[repr(v) for z in list(x)[::997] for v in (z.real, z.imag)]); print(*[repr(v) for v in list(y)[::97]])
"""
R = "library(fftw); x <- sin(1:300000) + (1:300000) %% 7; y <- FFT(x); cat(format(c(Re(y), Im(y))[seq(1, 600000, 997)], digits = 17)); cat(format(DCT(x)[seq(1, 300000, 997)], digits = 17))"
RUBY = "require 'narray'; require 'numru/fftw3'; x = NArray.float(512, 640).indgen! % 13; y = NumRu::FFTW3.fft(x, -1); y.to_a.flatten[0..4000].each { |z| puts z.real, z.imag }"
GRADIO = """
from gnuradio import gr, blocks, fft
import numpy
x = numpy.exp(1j * numpy.arange(1 << 20) * .37).astype(numpy.complex64)
tb = gr.top_block(); s = blocks.vector_source_c(x.tolist(), False, 4096); f = fft.fft_vcc(4096, True, [], True, 1); d = blocks.vector_sink_c(4096)
tb.connect(s, f, d); tb.run(); y = numpy.array(d.data())
print(*[repr(float(v)) for z in y[::997] for v in (z.real, z.imag)])
"""
LAMMPS = """units lj
atom_style charge
lattice fcc 0.8
region box block 0 8 0 8 0 8
create_box 2 box
create_atoms 1 box
set type 1 type/fraction 2 0.5 777
mass * 1.0
set type 1 charge 1.0
set type 2 charge -1.0
pair_style lj/cut/coul/long 2.5
pair_coeff * * 1.0 1.0
kspace_style pppm 1.0e-5
velocity all create 1.0 777
fix 1 all nve
thermo 5
thermo_style custom step pe ecoul elong press
run 20
"""

# Name: command, its output file (None: standard output). @IN is the sound, IMAGE the picture, @OUT the output.
ROWS = {
    'octave': (['octave-cli', '--no-init-file', '--eval', OCTAVE], None),
    'imagemagick': (['convert-im6.q16', 'IMAGE', '-fft', '+depth', '-ift', '@OUT.pgm'], '@OUT.pgm'),
    'gmic': (['gmic', 'IMAGE', '-fft', '-rm[1]', '-abs', '-o', '@OUT.asc'], '@OUT.asc'),
    'vips': (['vips', 'spectrum', 'IMAGE', '@OUT.pgm'], '@OUT.pgm'),
    'sndfile-spectrogram': (['sndfile-spectrogram', '@IN', '1600', '900', '@OUT.png'], '@OUT.png'),
    'aubioonset': (['aubioonset', '@IN'], None),
    'aubiopitch': (['aubiopitch', '-i', '@IN'], None),
    'aubiomfcc': (['aubio', 'mfcc', '@IN'], None),
    'minimodem': (['sh', '-c', 'echo 9 8 7 6 5 4 3 2 1 0 | minimodem --tx -f @OUT.wav 300 && minimodem --rx -f @OUT.wav 300 2>/dev/null'], None),
    'gmt': (['sh', '-c', 'gmt grdmath -R0/255/0/255 -I1 X 3 MUL SIN Y 5 DIV COS MUL = @OUT.nc && gmt grdfft @OUT.nc -D2 -G@OUT2.nc -N+a && gmt grd2xyz @OUT2.nc --FORMAT_FLOAT_OUT=%.9g'], None),
    'lammps': (['sh', '-c', f'cat >@OUT.in <<E\n{LAMMPS}\nE\nlmp -in @OUT.in -log none -nocite | grep -E "^ +[0-9]+ +-?[0-9]"'], None),
    'cvxopt': (['/usr/bin/python3', '-c', CVXOPT], None),
    'r-cran-fftw': (['Rscript', '-e', R], None),
    'ruby-fftw3': (['ruby', '-e', RUBY], None),
    'gnuradio': (['/usr/bin/python3', '-c', GRADIO], None),
    'scilab': (['scilab-cli', '-nb', '-e', 'x=sin((1:200000)*.1)+modulo((1:200000),7);y=fft(x);mprintf("%.15g\\n",abs(y(1:97:$))\');exit'], None),
}


def numbers(data, path):
    """The numbers of an output: pixels of a picture, words of a text."""
    if path and path.endswith(('.pgm', '.png')):
        data = subprocess.run(['convert-im6.q16', path, '-depth', '16', 'gray:-'], capture_output=True, check=True).stdout
        return numpy.frombuffer(data, 'u2').astype(float)
    words = re.findall(rb'-?\d+\.?\d*(?:[eE][-+]?\d+)?', data)
    return numpy.array([float(word) for word in words])


def cpu_seconds():
    """What the processes that ended have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, out, words, ours):
    """One run: the numbers of its output, and its seconds of CPU time."""
    env = dict(os.environ, OMP_NUM_THREADS='1')
    if ours:
        env['LD_LIBRARY_PATH'] = FOLDER
    for name, path in words.items():
        command = [word.replace(name, path) for word in command]
    begin = cpu_seconds()
    done = subprocess.run(command, env=env, cwd=os.path.dirname(words['@OUT']), capture_output=True, timeout=120, check=False)
    seconds = cpu_seconds() - begin
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors='replace').strip()[-200:])
    path = out and out.replace('@OUT', words['@OUT'])
    data = open(path, 'rb').read() if path else done.stdout
    return numbers(data, path), seconds


def run_in_turns(command, out, words):
    """Runs both ways by turns; returns for each the numbers of the last run, and the median of the seconds."""
    runs = [[run(command, out, words, ours) for ours in (False, True)] for _ in range(ROUNDS)]
    return [(runs[-1][i][0], statistics.median(pair[i][1] for pair in runs)) for i in range(2)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        words = {'@IN': f'{folder}/in.wav', 'IMAGE': f'{folder}/image.pgm', '@OUT': f'{folder}/out'}
        subprocess.run(['sox', '-n', '-r', '44100', '-c', '1', '-b', '16', words['@IN'], 'synth', '20', 'sine', '440', 'synth', '20',
                        'sine', 'amod', '3', 'gain', '-6'], check=True)
        y, x = numpy.mgrid[:701, :900]
        with open(words['IMAGE'], 'wb') as file:
            file.write(b'P5 900 701 255\n' + ((x * y // 7 + 3 * x) % 251).astype('u1').tobytes())
        for name in sys.argv[1:] or ROWS:
            command, out = ROWS[name]
            program = re.findall(r'(gmt|lmp|minimodem) ', command[2])[0] if command[0] == 'sh' else command[0]
            if not shutil.which(program):
                print(f'{name:20} not installed', flush=True)
                continue
            try:
                (theirs, before), (ours, after) = run_in_turns(command, out, words)
            except (RuntimeError, subprocess.SubprocessError, OSError) as error:
                print(f'{name:20} failed: {error}', flush=True)
                continue
            if theirs.shape != ours.shape or not theirs.size:
                print(f'{name:20} {theirs.size} numbers and {ours.size}', flush=True)
                continue
            error = abs(theirs - ours).max() / (abs(theirs).max() or 1)
            print(f'{name:20} {theirs.size:8} numbers, error {error:.1e}, {before:.2f} s and {after:.2f} s', flush=True)


main()
