// SPDX-License-Identifier: Apache-2.0
// Node: the version, a draw that comes with the reply, a named stream, an error: node node.js [SOCKET]
// MessagePack is written out here, as far as it is needed; a program would take the package @msgpack/msgpack.
const net = require('net');

function encode(x) { // integers below 2^32, strings, arrays and maps of up to 15
  if (typeof x === 'number') { const b = Buffer.alloc(5, 0xce); b.writeInt32BE(x, 1); if (x < 0) b[0] = 0xd2; return b; }
  if (typeof x === 'string') { const s = Buffer.from(x); return Buffer.concat([Buffer.from([0xd9, s.length]), s]); }
  const items = Array.isArray(x) ? x : Object.entries(x).flat();
  return Buffer.concat([Buffer.from([Array.isArray(x) ? 0x90 + x.length : 0x80 + items.length / 2]), ...items.map(encode)]);
}

function decode(b, at) { // returns [value, where the next one begins]; throws when b ends before
  const t = b[at], number = (name, size) => [b[`read${name}BE`](at + 1), at + 1 + size];
  const items = (n, from) => { const list = []; for (let v; n-- > 0; list.push(v)) [v, from] = decode(b, from); return [list, from]; };
  const map = (n, from) => { const [l, end] = items(2 * n, from); return [Object.fromEntries(l.flatMap((k, i) => i % 2 ? [] : [[k, l[i + 1]]])), end]; };
  const bytes = (n, from) => { if (from + n > b.length) throw new RangeError('more'); return [b.subarray(from, from + n), from + n]; };
  const text = ([s, end]) => [s.toString(), end];
  if (t === undefined) throw new RangeError('more');
  if (t < 0x90) return t < 0x80 ? [t, at + 1] : map(t & 15, at + 1);
  if (t < 0xa0) return items(t & 15, at + 1);
  if (t < 0xc0) return text(bytes(t & 31, at + 1));
  return t >= 0xe0 ? [t - 256, at + 1] : {
    0xc0: () => [null, at + 1], 0xc2: () => [false, at + 1], 0xc3: () => [true, at + 1],
    0xc4: () => bytes(b.readUInt8(at + 1), at + 2), 0xc5: () => bytes(b.readUInt16BE(at + 1), at + 3),
    0xc6: () => bytes(b.readUInt32BE(at + 1), at + 5), 0xd9: () => text(bytes(b.readUInt8(at + 1), at + 2)),
    0xda: () => text(bytes(b.readUInt16BE(at + 1), at + 3)), 0xcb: () => number('Double', 8), 0xcc: () => number('UInt8', 1),
    0xcd: () => number('UInt16', 2), 0xce: () => number('UInt32', 4), 0xcf: () => number('BigUInt64', 8),
    0xdc: () => items(b.readUInt16BE(at + 1), at + 3), 0xde: () => map(b.readUInt16BE(at + 1), at + 3),
  }[t]();
}

const socket = net.connect(process.argv[2] || process.env.TRNSCI_SOCKET || '/run/trnsci/trnsci.sock');
const waiting = new Map();
let rest = Buffer.alloc(0), last = 0;
socket.on('data', (chunk) => {
  for (rest = Buffer.concat([rest, chunk]); rest.length;) {
    let message, end;
    try { [message, end] = decode(rest, 0); } catch (e) { if (e instanceof RangeError) return; throw e; } // the rest comes later
    rest = rest.subarray(end);
    const [type, id, error, result] = message; // replies come in any order; notifications are ignored
    if (type === 1) error ? waiting.get(id).reject(new Error(error[1])) : waiting.get(id).resolve(result);
  }
});
const call = (method, params = {}) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  socket.write(encode([0, last, method, [params]]));
});

(async () => {
  const version = await call('version');
  console.log(`${version.name}, stream format ${version.stream_format}`);
  const draw = await call('normal', { n: 4, seed: 1 });
  console.log('normal', ...[0, 4, 8, 12].map((at) => draw.data.readFloatLE(at).toFixed(6)));
  await call('stream_create', { name: 'example/node', seed: 7 }).catch((e) => { if (!e.message.startsWith('exists:')) throw e; });
  const dice = await call('stream_draw', { name: 'example/node', draw: { op: 'randint', n: 4, low: 1, high: 7, dtype: 'i32' } });
  console.log('dice', ...[0, 4, 8, 12].map((at) => dice.data.readInt32LE(at)), `from offset ${dice.offset} of seed ${dice.seed}`);
  await call('normal', { n: 4, std: -1 }).catch((e) => console.log('error', e.message));
  socket.end();
})();
