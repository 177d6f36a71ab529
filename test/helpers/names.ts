import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { isIPv6 } from 'node:net';

/** A question for the addresses of a name; `asked` says how often it has been asked for those of IPv4, with this time. */
interface Question {
  name: string;
  asked: number;
}

const A = 1;
const AAAA = 28;
const NOT_FOUND = 3;

/**
 * A server of names for this process (RFC 1035).
 * @param answer addresses of both kinds, undefined for a name that there is not, or no answer at all
 */
export async function serveNames(answer: (question: Question) => readonly string[] | 'silence' | undefined) {
  const before = dns.getServers();
  const counts = new Map<string, number>();
  const server = createSocket('udp4');
  server.on('message', (message, from) => {
    const labels: string[] = [];
    let at = 12;
    for (; message[at] !== 0; at += 1 + message[at]!) labels.push(message.toString('latin1', at + 1, at + 1 + message[at]!));
    const kind = message.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    if (kind === A) counts.set(name, (counts.get(name) ?? 0) + 1);
    const found = answer({ name, asked: Math.max(1, counts.get(name) ?? 0) });
    if (found === 'silence') return;
    const records = (found ?? []).filter((one) => (isIPv6(one) ? AAAA : A) === kind).map((one) => recordOf(kind, bytesOf(one)));
    const head = Buffer.from([message[0]!, message[1]!, 0x81, 0x80 + (found ? 0 : NOT_FOUND), 0, 1, 0, records.length, 0, 0, 0, 0]);
    server.send(Buffer.concat([head, message.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound));
  dns.setServers([`127.0.0.1:${server.address().port}`]);
  return {
    stop: async () => {
      dns.setServers(before);
      await new Promise<void>((closed) => server.close(closed));
    },
  };
}

/** An answer for the name of the question. */
const recordOf = (kind: number, bytes: number[]): Buffer => Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);

function bytesOf(address: string): number[] {
  if (!isIPv6(address)) return address.split('.').map(Number);
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const middle = Array<number>(8 - groups(head).length - groups(tail).length).fill(0);
  return [...groups(head), ...middle, ...groups(tail)].flatMap((group) => [group >> 8, group & 255]);
}
