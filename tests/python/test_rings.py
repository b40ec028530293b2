# SPDX-License-Identifier: Apache-2.0
"""Rings, broadcasts and named streams."""
import gc
import os
import sys
import threading

import numpy as np
import pytest

import trnsci
from conftest import Daemon
from test_session import in_child


# ---- Rings ----

def test_a_ring_gives_its_stream(session):
    expected = session.draw("normal", 300000, seed=4, std=3.0).result()
    with trnsci.Ring("normal", batch=1000, seed=4, std=3.0, capacity=4096,
                     session=session) as ring:
        first = next(ring)
        assert first.shape == (1000,) and first.dtype == np.float32
        found = [first, ring.take(7), ring.take(0), ring.take(20000)]
        out = np.empty(5000, np.float32)
        assert ring.take(out=out) is not None
        found.append(out)
        assert ring.place()[0] == 26007
        with ring.borrow(100) as samples:
            found.append(samples.array.copy())
        for x in ring:
            found.append(x)
            if sum(map(len, found)) > 40000:
                break
        assert ring.describe()["capacity"] == 4096
    found = np.concatenate(found)
    np.testing.assert_array_equal(found, expected[:len(found)])
    assert ring.closed
    assert list(ring) == []
    for use in (ring.take, ring.borrow, ring.place, ring.describe):
        with pytest.raises(trnsci.ServiceError, match="detached"):
            use()
    ring.close()


def test_rings_of_other_kinds(session):
    with trnsci.Ring("randint", "i64", low=0, high=10, session=session,
                     offset=5, seed=2) as ring:
        np.testing.assert_array_equal(
            ring.take(100), session.draw("randint", 100, seed=2, offset=5,
                                         low=0, high=10).result())
    with trnsci.Ring("dirichlet", alpha=[1.0, 2.0, 3.0], session=session,
                     batch=10) as ring:
        x = next(ring)
        assert x.shape == (10, 3)
        np.testing.assert_allclose(x.sum(1), 1, atol=1e-5)
        with ring.borrow(5) as samples:
            assert samples.array.shape == (5, 3)
    with trnsci.Ring("normal", "bf16", session=session) as ring:
        assert ring.take(5).dtype == np.uint16
        with ring.borrow(4) as samples:
            assert memoryview(samples).format == "H"


def test_what_is_lent(session):
    ring = trnsci.Ring("uniform", "f64", seed=1, session=session)
    expected = session.draw("uniform", 1000, "f64", seed=1).result()
    with ring.borrow(100) as samples:
        np.testing.assert_array_equal(samples.array, expected[:100])
        assert not samples.array.flags.writeable
        assert memoryview(samples).readonly
        assert np.asarray(samples).base is not None
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
            seen = np.from_dlpack(samples)
            np.testing.assert_array_equal(seen, expected[:100])
            assert not seen.flags.writeable
            del seen
        else:  # before version 1 it cannot be stated
            with pytest.raises(BufferError):
                np.from_dlpack(samples)
        assert "versioned" in repr(samples.__dlpack__(max_version=(1, 0)))
        assert samples.__dlpack_device__() == (1, 0)
        for use in (ring.take, ring.borrow):
            with pytest.raises(trnsci.ParameterError):
                use(1)
    np.testing.assert_array_equal(ring.take(10), expected[100:110])
    samples = ring.borrow(50)
    samples.release(20)
    samples.release()
    np.testing.assert_array_equal(ring.take(10), expected[130:140])
    view = ring.borrow(10).array  # given back with its last view
    np.testing.assert_array_equal(view, expected[140:150])
    del view
    gc.collect()
    np.testing.assert_array_equal(ring.take(10), expected[150:160])
    samples = ring.borrow(10)
    with pytest.raises(ValueError):
        samples.release(11)
    with pytest.raises(trnsci.ParameterError):
        ring.borrow(10**6)
    view = samples.array
    ring.close()
    assert ring.closed and view.shape == (10,)
    view.sum()
    del samples, ring
    gc.collect()
    view.sum()


def test_a_session_waits_for_its_rings(daemon):
    for address in "embedded:", daemon.socket:
        session = trnsci.Session(address)
        ring = trnsci.Ring("normal", session=session)
        samples = ring.borrow(10)
        session.close()
        assert samples.array.shape == (10,)
        with pytest.raises(trnsci.ServiceError):
            ring.take(1)
        del samples, ring
        gc.collect()


def test_threads_share_a_ring(session):
    ring = trnsci.Ring("bits", "u32", seed=9, session=session, capacity=8192)
    found = []

    def work():
        for _ in range(30):
            found.append(ring.take(500))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = session.draw("bits", 60000, "u32", seed=9).result()
    np.testing.assert_array_equal(np.sort(np.concatenate(found)),
                                  np.sort(expected))


def test_wrong_rings(session):
    ring = trnsci.Ring("normal", session=session)
    for call, error in (
            (lambda: trnsci.Ring("nothing", session=session), trnsci.Error),
            (lambda: trnsci.Ring(5), TypeError),
            (lambda: trnsci.Ring("normal", batch=0), ValueError),
            (lambda: trnsci.Ring("normal", std=-1, session=session),
             ValueError),
            (lambda: trnsci.Ring("normal", capacity=-1), Exception),
            (lambda: trnsci.Ring("normal", seed=1, stream="x"), TypeError),
            (lambda: trnsci.Ring("normal", seed=-1), ValueError),
            (lambda: ring.take(-1), ValueError),
            (lambda: ring.take(1.5), TypeError),
            (lambda: ring.take(3, timeout=-1), ValueError),
            (lambda: ring.take(out=np.empty(3)), TypeError),
            (lambda: ring.take(out=np.empty((4, 4), np.float32)[:, 1]),
             TypeError),
            (lambda: ring.take(5, out=np.empty(3, np.float32)), ValueError),
            (lambda: ring.take(out=[1, 2]), TypeError),
            (lambda: ring.borrow(-1), ValueError),
            (lambda: ring._take(np.empty(3, np.float32), -1, 2, 0),
             ValueError),
            (lambda: ring._take(np.empty(3, np.float32), 2, 2, 0),
             ValueError)):
        with pytest.raises(error):
            call()
    assert ring.take(3).shape == (3,)


def test_rings_of_a_child(session):
    ring = trnsci.Ring("normal", session=session)
    ring.take(3)
    samples = ring.borrow(3)
    assert in_child(lambda: ring.take(1)).startswith("ServiceError: closed")
    assert in_child(ring.close) == "None"
    assert in_child(samples.release) == "None"
    samples.release()
    assert ring.take(3).shape == (3,)


# ---- Broadcasts ----

def test_a_broadcast_has_many_readers(daemon):
    session = trnsci.Session(daemon.socket)
    expected = session.draw("normal", 50000, seed=6).result()
    with trnsci.Broadcast.create("b1", "normal", seed=6, capacity=65536,
                                 session=session) as publisher:
        readers = [trnsci.Broadcast("b1", batch=7000, session=session)
                   for _ in range(3)]
        with pytest.raises(trnsci.ServiceTimeoutError):
            readers[0].take(1, timeout=0)
        assert publisher.publish(50000) == 50000
        for reader in readers:
            assert reader.take(0).shape == (0,)
            np.testing.assert_array_equal(reader.take(100), expected[:100])
            assert reader.last == (0, 0, 100, 0)
            np.testing.assert_array_equal(next(reader), expected[100:7100])
            reader.seek(40000)
            np.testing.assert_array_equal(reader.take(10),
                                          expected[40000:40010])
            assert reader.missed == 0
            reader.seek()
        for reader in readers:
            reader.seek(44000)
    parts = list(readers[0])
    np.testing.assert_array_equal(np.concatenate(parts), expected[44000:])
    assert [len(x) for x in parts] == [6000] or sum(map(len, parts)) == 6000
    readers[0].close()
    assert readers[0].closed and list(readers[0]) == []


def test_a_slow_reader_learns_what_it_missed(daemon):
    session = trnsci.Session(daemon.socket)
    expected = session.draw("uniform", 60000, seed=1).result()
    with trnsci.Broadcast.create("b2", "uniform", seed=1, capacity=4096,
                                 session=session) as publisher:
        reader = trnsci.Broadcast("b2", session=session)
        publisher.publish(1000)
        np.testing.assert_array_equal(reader.take(600), expected[:600])
        for _ in range(5):
            publisher.publish(4000)
        x = reader.take(1000)
        last = reader.last
        assert last.missed == 600 and last.first > 600
        np.testing.assert_array_equal(
            x, expected[last.first:last.first + last.count])
        assert reader.missed == last.first - 600
        assert reader.describe()["produced"] == 21000


def test_a_gap_within_what_was_asked_for():
    """Samples behind a gap are kept for the next time."""
    class Fed(trnsci.Broadcast):
        def __init__(self, spans):
            self.spans, self.batch = spans, 10
            self._dtype, self._item = np.dtype(np.int64), ()
            self.last = self._ahead = None
            self.missed = 0

        def _take(self, out, start, n, timeout_ms):
            missed, first, count = self.spans.pop(0)
            count = min(count, n)
            out[start:start + count] = np.arange(first, first + count)
            return missed, first, count, first

    reader = Fed([(0, 0, 4), (4, 4, 2), (6, 50, 3), (53, 53, 10)])
    assert reader.take(10).tolist() == [0, 1, 2, 3, 4, 5]
    assert (reader.last, reader.missed) == ((0, 0, 6, 0), 0)
    assert reader.take(2).tolist() == [50, 51]
    assert (reader.last, reader.missed) == ((6, 50, 2, 50), 44)
    assert reader.take(10).tolist() == [52, *range(53, 62)]
    assert (reader.last, reader.missed) == ((52, 52, 10, 52), 44)


def test_broadcasts_with_a_rate(daemon):
    session = trnsci.Session(daemon.socket)
    with trnsci.Broadcast.create("b3", "bits", "u32", rate=1e6,
                                 session=session):
        reader = trnsci.Broadcast("b3", batch=500, session=session)
        total = 0
        for x in reader:
            total += len(x)
            if total > 5000:
                break
        assert reader.last.count == len(x)


def test_wrong_broadcasts(daemon, embedded):
    session = trnsci.Session(daemon.socket)
    with pytest.raises(trnsci.Error) as caught:
        trnsci.Broadcast("none", session=session)
    assert caught.value.name == "not_found"
    with pytest.raises(trnsci.Error) as caught:
        trnsci.Broadcast.create("x", "normal", session=embedded)
    assert caught.value.name == "not_supported"
    publisher = trnsci.Broadcast.create("b4", "normal", session=session)
    for call, error in (
            (lambda: trnsci.Broadcast.create("b4", "normal", session=session),
             trnsci.Error),
            (lambda: trnsci.Broadcast.create("b5", "normal", rate=-1.0,
                                             session=session), ValueError),
            (lambda: publisher.publish(-1), Exception),
            (lambda: publisher.publish(10**9), ValueError),
            (lambda: trnsci.Broadcast("b4", batch=0, session=session),
             ValueError),
            (lambda: trnsci.Broadcast("b4", session=session).take(-1),
             ValueError),
            (lambda: trnsci.Broadcast("b4", session=session).seek(-1),
             ValueError),
            (lambda: trnsci.Broadcast(5), TypeError)):
        with pytest.raises(error):
            call()
    publisher.close()
    with pytest.raises(trnsci.Error):
        publisher.publish(1)


# ---- Named streams ----

@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A daemon with a state directory of its own."""
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    made = Daemon(str(folder))
    yield trnsci.Session(made.socket)
    made.stop()
    del os.environ["XDG_STATE_HOME"]


def test_colored_noise_of_named_streams(service, embedded):
    """A draw of one is a signal of its own; a ring's reservations would each
    begin another."""
    stream = trnsci.Stream.create("hiss", seed=7, stream=2, session=service)
    for position in 0, 5096:
        x = stream.draw("colored", 1000, "f4", color="violet")
        assert np.array_equal(x, embedded.draw(
            "colored", 1000, "f4", seed=7, stream=2, color="violet",
            position=position).result())
    with pytest.raises(trnsci.Error, match="named stream"):
        trnsci.Ring("colored", "f4", stream="hiss", session=service)
    stream.delete()


def test_signals(service, embedded):
    """A named stream that is one signal: draws, rings and broadcasts go on
    with it."""
    noise = {"exponent": 1.5, "length": 64, "dtype": "f64"}
    hum = trnsci.Stream.create("hum", seed=7, noise=noise, session=service)
    stream = hum.show()["stream"]
    whole = embedded.draw("colored", 20_000, seed=7, stream=stream,
                          **noise).result()
    assert hum.show()["noise"] == {"op": "colored", **noise}
    for n, at in (1001, 0), (3, 1001), (0, 1004), (77, 1004):
        x = hum.draw("colored", n)
        assert x.dtype == np.float64 and hum.last.offset == at
        np.testing.assert_array_equal(x, whole[at:at + n])
    with trnsci.Ring("colored", "f8", stream=hum, capacity=512,
                     session=service) as ring:
        np.testing.assert_array_equal(ring.take(1500), whole[1081:2581])
    assert hum.position >= 2581
    at = hum.position
    with trnsci.Broadcast.create("of_hum", "colored", "f8", stream=hum,
                                 capacity=512, session=service) as publisher:
        reader = trnsci.Broadcast("of_hum", session=service)
        publisher.publish(500)
        np.testing.assert_array_equal(reader.take(500), whole[at:at + 500])
    for draw in (lambda: hum.draw("normal", 5),
                 lambda: hum.draw("colored", 5, color="brown"),
                 lambda: hum.draw("colored", 5, "f4"),
                 lambda: trnsci.Ring("normal", stream=hum, session=service)):
        with pytest.raises(trnsci.Error, match="one signal"):
            draw()
    pink = trnsci.Stream.create("pink", noise="pink", session=service)
    assert pink.show()["noise"] == {"op": "colored", "dtype": "f32",
                                    "color": "pink"}
    pink.delete()
    hum.delete()


def test_named_streams(service):
    stream = trnsci.Stream.create("noise", seed=11, session=service)
    first = stream.draw("normal", 5)
    assert stream.last.offset == 0 and stream.last.seed == 11
    second = trnsci.Stream("noise", session=service).draw("normal", (2, 3),
                                                          "f64", std=2.0)
    assert second.shape == (2, 3) and second.dtype == np.float64
    assert stream.position == 8 + 12
    again = service.draw("normal", 5, seed=11, stream=stream.last.stream)
    np.testing.assert_array_equal(again.result(), first)
    call = service.draw("uniform", 4, stream=stream)
    assert call.result().shape == (4,) and call.span.position == 20
    stream.advance(10)
    assert stream.position == 24 + 12
    stream.advance(to=100)
    assert stream.position == 100
    assert stream.show()["name"] == "noise"
    assert [s["name"] for s in trnsci.Stream.list(service)] == ["noise"]
    assert repr(stream) == "trnsci.Stream('noise')"
    with trnsci.Ring("normal", stream=stream, capacity=1024,
                     session=service) as ring:
        offset, run = ring.place()
        x = ring.take(run)
        again = service.draw("normal", run, seed=11, offset=offset,
                             stream=stream.last.stream)
        np.testing.assert_array_equal(x, again.result())
    with trnsci.Broadcast.create("b", "normal", stream="noise",
                                 session=service) as publisher:
        publisher.publish(10)
        assert trnsci.Broadcast("b", session=service).take(10).shape == (10,)
    stream.delete()
    with pytest.raises(trnsci.Error) as caught:
        stream.draw("normal", 1)
    assert caught.value.name == "not_found"


def test_wrong_streams(service, embedded):
    trnsci.Stream.create("taken", session=service)
    stream = trnsci.Stream("taken", session=service)
    for call, error in (
            (lambda: trnsci.Stream(5), TypeError),
            (lambda: trnsci.Stream.create("taken", session=service),
             trnsci.Error),
            (lambda: trnsci.Stream.create("*", session=service),
             trnsci.Error),
            (lambda: trnsci.Stream("x", session=embedded).draw("normal", 1),
             trnsci.Error),
            (lambda: stream.draw("normal", 3, seed=1), trnsci.Error),
            (lambda: stream.advance(), TypeError),
            (lambda: stream.advance(4, to=4), TypeError),
            (lambda: stream.advance(-4), Exception),
            (lambda: service.draw("normal", 3, seed=1, stream=stream),
             TypeError)):
        with pytest.raises(error):
            call()


# ---- Nothing is kept ----

def test_memory_of_rings_and_calls_is_given_back(daemon):
    session = trnsci.Session(daemon.socket)
    weights = np.array([1.0, 2.0])
    trnsci.Broadcast.create("kept", "normal", session=session)

    def use():
        ring = trnsci.Ring("dirichlet", alpha=weights, session=session)
        ring.borrow(3).array.sum()
        ring.take(3)
        trnsci.Broadcast("kept", session=session)
        session.draw("normal", 10, std=weights).result()
        session.apply("scale", **{"in": weights, "by": 2.0}).result()
        session.call("stats").result()
        trnsci.signal.stft(np.ones(300))
        trnsci.signal.convolve(weights, weights, method="fft")
        for wrong in (lambda: trnsci.Ring("normal", std=[[1]]),
                      lambda: trnsci.Ring("none", x=weights, session=session),
                      lambda: session.draw("normal", 3, std=[weights, 1]),
                      lambda: session.draw("none", 3, x=weights).result(),
                      lambda: trnsci.Broadcast("none", session=session),
                      lambda: trnsci.Tile((2, "a"), session=session)):
            with pytest.raises((TypeError, ValueError, trnsci.Error)):
                wrong()

    use()
    gc.collect()
    counted = session, weights
    before = [sys.getrefcount(x) for x in counted]
    blocks = sys.getallocatedblocks()
    for _ in range(10):
        use()
    gc.collect()
    assert [sys.getrefcount(x) for x in counted] == before
    if os.environ.get("PYTHONMALLOC") != "malloc":
        assert sys.getallocatedblocks() - blocks < 200
