# SPDX-License-Identifier: Apache-2.0
# Every function of scipy.fft beside the daemon's: dtypes, lengths, axes, s, norms, and what both refuse. SOCKET names the
# daemon's socket; prints TAP.
import itertools, msgpack, os, socket, subprocess
import numpy as np
import scipy.fft as sf

peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ["SOCKET"])
unpacker = msgpack.Unpacker(raw=False, strict_map_key=True, max_buffer_size=1 << 30)
NAMES = {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
DTYPES = {short: np.dtype(name) for name, short in NAMES.items()}
SEED = 20261121
random = np.random.default_rng(SEED)
count = 0


def call(method, params):
    peer.sendall(msgpack.packb([0, 1, method, [params]]))
    while True:
        for message in unpacker:
            return message[2], message[3]
        unpacker.feed(peer.recv(1 << 20))


def ours(method, x, **params):
    params = {name: value for name, value in params.items() if value is not None}
    x = np.ascontiguousarray(x)
    params["in"] = {"dtype": NAMES[x.dtype.name], "shape": list(x.shape), "data": x.tobytes()}
    error, reply = call(method, params)
    if error:
        return error[1]
    return np.frombuffer(reply["data"], DTYPES[reply["dtype"]]).reshape(reply["shape"])


def result(ok, name, detail=""):
    global count
    count += 1
    print("ok" if ok else "not ok", count, "-", name)
    if not ok:
        print("# seed %d: %s" % (SEED, detail))


def differs(want, got):
    """What is wrong with got, as text; empty when nothing is."""
    if isinstance(got, str):
        return got
    if got.shape != want.shape or got.dtype != want.dtype:
        return "%s %s, expected %s %s" % (got.dtype, got.shape, want.dtype, want.shape)
    limit = 3e-6 if want.dtype.name in ("float32", "complex64") else 3e-14
    error = np.linalg.norm((got - want).ravel()) / (np.linalg.norm(want.ravel()) or 1)
    return "" if error <= limit else "relative error %g, allowed %g" % (error, limit)


def array(dtype, shape):
    x = random.standard_normal(shape)
    if "complex" in dtype:
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


def family(name, cases):
    """cases: (what, want, got)."""
    wrong, n = [], 0
    for what, want, got in cases:
        n += 1
        problem = differs(want, got)
        if problem:
            wrong.append("%s: %s" % (what, problem))
    result(not wrong, "%s, %d cases" % (name, n), "; ".join(wrong[:5]))


REALS, COMPLEX = ("float32", "float64"), ("complex64", "complex128")
NORMS = ("backward", "ortho", "forward")
LENGTHS = (1, 2, 3, 4, 5, 8, 9, 16, 17, 30, 45, 64, 97, 121, 243, 385, 500, 1001)
# Of ours: the parameters that stand for a function of scipy's.
LINES = {
    "fft": (REALS + COMPLEX, {}), "ifft": (REALS + COMPLEX, {"inverse": True}),
    "rfft": (REALS, {"real": True}), "irfft": (REALS + COMPLEX, {"real": True, "inverse": True}),
    "hfft": (REALS + COMPLEX, {"hermitian": True}), "ihfft": (REALS, {"hermitian": True, "inverse": True}),
}


def line_cases(name):
    dtypes, params = LINES[name]
    for dtype, n in itertools.product(dtypes, LENGTHS):
        x = array(dtype, (3, n))
        back = name in ("irfft", "hfft")
        lengths = (None,) if n > 1 or not back else ()
        for length in lengths + (1, 2, 7, n, n + 3, max(n - 2, 1)):
            norm = NORMS[(n + (length or 0)) % 3]
            yield ("%s %s n=%d length=%s %s" % (name, dtype, n, length, norm),
                   getattr(sf, name)(x, length, norm=norm), ours("fft", x, length=length, norm=norm, **params))


def axis_cases(name):
    dtypes, params = LINES[name]
    for dtype, axis in itertools.product(dtypes, (0, 1, 2, -1, -3)):
        x = array(dtype, (6, 7, 5))
        yield "%s axis %d" % (name, axis), getattr(sf, name)(x, axis=axis), ours("fft", x, axes=axis, **params)


def many_cases(name):
    """The forms for several axes: default axes, some, in another order, with s."""
    dtypes, params = LINES[name]
    whole, flat = getattr(sf, name + "n"), getattr(sf, name + "2")
    for dtype, norm in itertools.product(dtypes, NORMS):
        x = array(dtype, (4, 6, 9))
        yield name + "n", whole(x, norm=norm), ours("fft", x, axes=[0, 1, 2], norm=norm, **params)
        yield name + "2", flat(x, norm=norm), ours("fft", x, axes=[-2, -1], norm=norm, **params)
        for s, axes in (((5, 8), None), ((5, 9), (0, 1)), ((3, 7), (2, 0)), ((8, 4, 6), (1, 0, 2)), ((11,), (1,)),
                        ((2, 12), (-1, -2))):
            yield ("%sn s=%s axes=%s %s" % (name, s, axes, dtype), whole(x, s, axes, norm=norm),
                   ours("fft", x, length=list(s), axes=axes and list(axes), norm=norm, **params))
        keep = {"irfft": (-1, 4), "hfft": (-1, 4)}.get(name, (-1, 7))
        yield (name + "n s=-1", whole(x, (x.shape[0], keep[1]), (0, 2), norm=norm),
               ours("fft", x, length=list(keep), axes=[0, 2], norm=norm, **params))


def series(name, x, kind, inverse, norm, orthogonalize):
    """scipy's, of complex input each part alone; sine transforms orthogonalized as it does from 1.12 on (scipy's issue
    18452: earlier ones scale the first element)."""
    if np.iscomplexobj(x):
        parts = [series(name, part.copy(), kind, inverse, norm, orthogonalize) for part in (x.real, x.imag)]
        return (parts[0] + 1j * parts[1]).astype(x.dtype)
    function = getattr(sf, ("i" if inverse else "") + name)
    runs = {2: 3, 3: 2}.get(kind, kind) if inverse else kind
    if name == "dct" or runs in (1, 4) or not (norm == "ortho" if orthogonalize is None else orthogonalize):
        return function(x, kind, norm=norm, orthogonalize=orthogonalize)
    x = x.copy()
    if runs == 3:
        x[..., -1] *= np.sqrt(2)
    y = function(x, kind, norm=norm, orthogonalize=False)
    if runs == 2:
        y[..., -1] /= np.sqrt(2)
    return y


def series_cases(name):
    for dtype, kind, n in itertools.product(REALS + COMPLEX, (1, 2, 3, 4), LENGTHS):
        if (name, kind, n) == ("dct", 1, 1):
            continue
        x = array(dtype, (2, n))
        for inverse, norm in itertools.product((False, True), NORMS):
            for orthogonalize in (None, True, False):
                yield ("%s %d %s n=%d %s inverse=%s orthogonalize=%s" % (name, kind, dtype, n, norm, inverse,
                                                                       orthogonalize),
                       series(name, x, kind, inverse, norm, orthogonalize),
                       ours(name, x, type=str(kind), inverse=inverse, norm=norm,
                            orthogonalize=orthogonalize if orthogonalize is None else ("no", "yes")[orthogonalize]))
    for dtype, kind, axes in itertools.product(REALS + COMPLEX, (1, 2, 3, 4), ((0,), (1,), (2,), (0, 1), (2, 0), (0, 1, 2))):
        x = array(dtype, (5, 8, 6))
        for s in (None, (7, 4, 9)[: len(axes)], (5, 12, 3)[: len(axes)]):
            for inverse in (False, True):
                function = getattr(sf, ("i" if inverse else "") + name + "n")
                yield ("%sn %d axes=%s s=%s" % (name, kind, axes, s), function(x, kind, s, axes),
                       ours(name, x, type=str(kind), axes=list(axes), length=s and list(s), inverse=inverse))


def refused(name, want, *args, **params):
    try:
        want()
        theirs = "an answer"
    except Exception as error:
        theirs = ""
    got = ours(*args, **params)
    result(not theirs and isinstance(got, str), "refused by both: " + name, "%s; %s" % (theirs, got))


for name in LINES:
    family(name, line_cases(name))
    family(name + " along an axis", axis_cases(name))
    family(name + "n and " + name + "2", many_cases(name))
for name in ("dct", "dst"):
    family(name + ", i" + name + ", " + name + "n, i" + name + "n", series_cases(name))

def shift_cases():
    for dtype, axes, inverse in itertools.product(REALS + COMPLEX, (None, 0, 1, 2, (0, 2), (-1, 1)), (False, True)):
        x = array(dtype, (5, 6, 7))
        function = sf.ifftshift if inverse else sf.fftshift
        yield ("%s axes=%s" % (function.__name__, axes), function(x, axes),
               ours("fftshift", x, axes=list(axes) if isinstance(axes, tuple) else axes, inverse=inverse))


def freq_cases():
    for n, d in itertools.product((1, 2, 3, 7, 8, 1000, 1001), (1.0, 0.1, 1 / 44100, -3.7)):
        for name, option in (("fftfreq", []), ("rfftfreq", ["--real"])):
            raw = subprocess.run([os.environ["CLI"], "fftfreq", str(n), "--spacing=%r" % d, "--format", "raw"] + option,
                                 stdout=subprocess.PIPE, check=True).stdout
            yield "%s %d %g" % (name, n, d), getattr(sf, name)(n, d), np.frombuffer(raw)


family("fftshift, ifftshift", shift_cases())
family("fftfreq, rfftfreq", freq_cases())

x, z = array("float64", (4, 6)), array("complex128", (4, 6))
refused("rfft of complex", lambda: sf.rfft(z), "fft", z, real=True)
refused("ihfft of complex", lambda: sf.ihfft(z), "fft", z, hermitian=True, inverse=True)
refused("an axis that is not there", lambda: sf.fft(x, axis=2), "fft", x, axes=2)
refused("an axis twice", lambda: sf.fftn(x, axes=(0, 0)), "fft", x, axes=[0, 0])
refused("fewer lengths than axes", lambda: sf.fftn(x, (3, 4, 5), (0, 1)), "fft", x, length=[3, 4, 5], axes=[0, 1])
refused("length 0", lambda: sf.fft(x, 0), "fft", x, length=0)
refused("length -2", lambda: sf.fftn(x, (-2,), (0,)), "fft", x, length=[-2], axes=[0])
refused("another norm", lambda: sf.fft(x, norm="none"), "fft", x, norm="none")
refused("irfft of one element", lambda: sf.irfft(x[:, :1]), "fft", x[:, :1], real=True, inverse=True)
refused("DCT I of one element", lambda: sf.dct(x[:, :1], 1), "dct", x[:, :1], type="1")
refused("DCT V", lambda: sf.dct(x, 5), "dct", x, type="5")

print("1..%d" % count)
