import dns, { type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isAddress } from '../remote.ts';

/** The address is one to which strangers must not make us send requests. */
export class AddressRefused extends Error {}

/** Returns the host that an address names, that of IPv6 without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** RFC 6761: it is the machine itself, whatever a server says. */
const LOCALHOST = /(^|\.)localhost\.?$/i;

/**
 * Returns the key of what is wrong with an address that a company gave us to call; undefined if nothing is. What a name leads to is looked up at each call,
 * because it may be elsewhere then.
 * @param privateHosts whether addresses without TLS and of private networks may be called, too
 */
export function problemOfAddress(text: string, privateHosts: boolean): 'no_https_address' | 'private_address' | undefined {
  if (!isAddress(text, privateHosts)) return 'no_https_address';
  const host = hostOf(new URL(text));
  return !privateHosts && ((isIP(host) !== 0 && isPrivate(host)) || LOCALHOST.test(host)) ? 'private_address' : undefined;
}

/** True for addresses that are not of the public internet. */
export function isPrivate(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return SPECIAL.check(address, family) || (family === 'ipv6' && !UNICAST.check(address, family));
}

/**
 * The range that IANA has given out for the internet as a whole. All else of IPv6 is refused without a list: addresses that carry one of IPv4
 * (`::/96`, `::ffff:0:0/96`, `::ffff:0:0:0/96`, `64:ff9b::/96`), of one network (`fc00::/7`, `fe80::/10`), of routing (`5f00::/16`), and what is to come.
 */
const UNICAST = listOf('2000::/3');
/** Of IANA's special-purpose registries (RFC 6890), and multicast; without the few networks there that anybody may reach. */
const SPECIAL = listOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 ' +
    '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);

function listOf(networks: string): BlockList {
  const list = new BlockList();
  for (const network of networks.split(' ')) {
    const [net = '', bits] = network.split('/');
    list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Milliseconds that a server of names has for an answer, and how often it is asked: together less than a call may take. */
const NAMES = { timeout: 2_000, tries: 2 };

/**
 * Resolves names for the connection itself, so that a name cannot lead to one address when it is checked and to another when it is called.
 * The servers of names are asked directly, not by the function of the operating system: that one keeps one of few threads waiting, so
 * that a name whose servers do not answer would hold up the names of everybody (D-PLATFORM-160).
 * @param signal gives the question up
 */
export function publicLookup(signal: AbortSignal): LookupFunction {
  return (hostname, options, callback) => {
    addressesOf(hostname, Number(options.family ?? 0), signal).then(
      (addresses) => {
        const [first] = addresses;
        const wrong = addresses.find(({ address }) => isPrivate(address));
        if (wrong || !first) return callback(new AddressRefused(`${hostname} is at ${wrong?.address ?? 'no address'}`), '');
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** @throws the error of the first kind of address if the name has none of any kind */
async function addressesOf(name: string, family: number, signal: AbortSignal): Promise<LookupAddress[]> {
  if (LOCALHOST.test(name)) throw new AddressRefused(`${name} is this machine`);
  const resolver = new dns.promises.Resolver(NAMES);
  const giveUp = () => resolver.cancel();
  signal.addEventListener('abort', giveUp, { once: true });
  // Of the process, which `dns.setServers` changes.
  resolver.setServers(dns.getServers());
  const of =
    (kind: 4 | 6) =>
    (addresses: string[]): LookupAddress[] =>
      addresses.map((address) => ({ address, family: kind }));
  const asked: Promise<LookupAddress[]>[] = [];
  if (family !== 6) asked.push(resolver.resolve4(name).then(of(4)));
  if (family !== 4) asked.push(resolver.resolve6(name).then(of(6)));
  const answers = await Promise.allSettled(asked);
  signal.removeEventListener('abort', giveUp);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [failed] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (found.length === 0 && failed) throw failed;
  return found;
}
