import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { guardedFetch } from '../../../src/platform/http/calls/guarded-fetch.ts';
import { AddressRefused, isPrivate } from '../../../src/platform/http/calls/public-addresses.ts';
import { serveNames } from '../../helpers/names.ts';

/** Networks that are not of the public internet: IANA's special-purpose registries (RFC 6890), and what is not given out at all. */
const SPECIAL = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 ' +
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
  '::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 200::/7 400::/6 800::/5 1000::/4 ' +
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/3 5f00::/16 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 fc00::/7 fe80::/10 fec0::/10 ff00::/8'
).split(' ');
/** Networks given out to whoever runs servers, as their registries list them. */
const PUBLIC =
  '1.0.0.0/8 8.0.0.0/8 93.184.0.0/16 151.101.0.0/16 2001:4860::/32 2400::/12 2600::/12 2606:4700::/32 2800::/12 2a00::/12 2c00::/12';

test.each(SPECIAL)('no address of %s is called', (network) => {
  fc.assert(fc.property(addressOf(network), (address) => isPrivate(address)));
});

test.each(PUBLIC.split(' '))('every address of %s may be called', (network) => {
  fc.assert(fc.property(addressOf(network), (address) => !isPrivate(address)));
});

test.each([
  'https://[::169.254.169.254]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:0:169.254.169.254]/',
  'https://[5f00::1]/',
  'https://[3fff::1]/',
])('%s is refused before anything is sent', async (url) => {
  await expect(guardedFetch({ allowPrivate: false })(url)).rejects.toThrow(AddressRefused);
});

test('a name is refused for where it leads at the moment of the call', async () => {
  const names = await serveNames(({ asked }) => (asked === 1 ? undefined : ['10.0.0.7']));
  const call = () => guardedFetch({ allowPrivate: false })('https://changes.example/');
  await expect(call()).rejects.toThrow('ENOTFOUND');
  await expect(call()).rejects.toThrow('changes.example is at 10.0.0.7');
  await names.stop();
});

test('a name whose servers say nothing holds up no other', async () => {
  const names = await serveNames(({ name }) => (name === 'silent.example' ? 'silence' : ['192.168.0.1']));
  const enough = new AbortController();
  const call = (host: string) => guardedFetch({ allowPrivate: false, timeout: 60_000 })(`https://${host}/`, { signal: enough.signal });
  const ended: string[] = [];
  const end = (host: string) => call(host).catch(() => ended.push(host));
  const silent = Array.from({ length: 12 }, () => end('silent.example'));
  await end('other.example');
  expect(ended).toEqual(['other.example']);
  enough.abort();
  await Promise.all(silent);
  expect(ended).toHaveLength(13);
  await names.stop();
});

/** Any address of a network, as text. */
function addressOf(network: string): fc.Arbitrary<string> {
  const [net = '', prefix = ''] = network.split('/');
  const size = net.includes(':') ? 128n : 32n;
  const from = net.includes(':') ? groups(net) : net.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return fc.bigInt({ min: 0n, max: 2n ** (size - BigInt(prefix)) - 1n }).map((host) => spell(from + host, size));
}

function groups(net: string): bigint {
  const [head = '', tail = ''] = net.split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':'));
  const middle = Array<string>(8 - parts(head).length - parts(tail).length).fill('0');
  return [...parts(head), ...middle, ...parts(tail)].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function spell(address: bigint, size: bigint): string {
  const [parts, bits] = size === 32n ? [4, 8n] : [8, 16n];
  const numbers = Array.from({ length: parts }, (_, at) => (address >> (bits * BigInt(parts - 1 - at))) & ((1n << bits) - 1n));
  return size === 32n ? numbers.join('.') : numbers.map((group) => group.toString(16)).join(':');
}
