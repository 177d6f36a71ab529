import { crc32 } from 'node:zlib';

/** The files of an archive without compression, by its central directory (APPNOTE 4.3.12), their sums checked. */
export function readZip(zip: Buffer): Record<string, Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const found: [string, Buffer][] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [signature, method, sum, size] = [
      zip.readUInt32LE(at),
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 24),
    ];
    const [name, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place)) as [number, number, number];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(start, start + size);
    if (signature !== 0x02014b50 || method !== 0 || crc32(content) !== sum) throw new Error('a damaged archive');
    found.push([zip.toString('utf8', at + 46, at + 46 + name), content]);
    at += 46 + name + extra + comment;
  }
  if (new Set(found.map(([name]) => name)).size !== found.length) throw new Error('two files of one name');
  return Object.fromEntries(found);
}
