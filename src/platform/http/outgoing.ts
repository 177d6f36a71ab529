import { lookup as resolve } from 'node:dns';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export interface OutgoingOptions {
  /** Also allows addresses of private networks, and http: for providers next to the server, and for tests. */
  allowPrivate: boolean;
  /** Longest a call may take, milliseconds. */
  timeout?: number;
  /** Most bytes of an answer; 1 MB by default. */
  most?: number;
  /** Takes the beginning of a longer answer, instead of refusing it. */
  cut?: boolean;
}

/** The answer is longer than the caller reads. */
export class AnswerTooLong extends Error {}

/** The address is one to which strangers must not make us send requests. */
export class AddressRefused extends Error {}

const TIMEOUT = 10_000;
/** Bytes of an answer; configurations and keys of identity providers are far smaller. */
const MOST = 1 << 20;

/**
 * A `fetch` for addresses that clients of ours chose: https only, never into private networks, whatever a name resolves to at the
 * moment of the call; redirects are not followed, answers are read up to 1 MB unless `most` says otherwise.
 */
export function guardedFetch({ allowPrivate, timeout = TIMEOUT, most = MOST, cut = false }: OutgoingOptions): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) throw new AddressRefused(`${url.protocol} is not called`);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (!allowPrivate && isIP(host) !== 0 && isPrivate(host)) throw new AddressRefused(`${host} is private`);
    const limit = AbortSignal.timeout(timeout);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const body = init.body === undefined || init.body === null ? undefined : Buffer.from(await new Response(init.body).arrayBuffer());
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    };
    return new Promise<Response>((done, fail) => {
      const call = (url.protocol === 'https:' ? overHttps : overHttp)(
        url,
        { method: init.method ?? 'GET', headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: publicLookup }) },
        (answer) => readAll(answer, most, cut).then((bytes) => done(toResponse(answer, bytes)), fail),
      );
      call.once('error', fail);
      call.end(body);
    });
  };
}

/** True for addresses that are not of the public internet. */
export function isPrivate(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return SPECIAL.check(address, family) || (family === 'ipv6' && !UNICAST.check(address, family));
}

/**
 * What IANA has given out for the internet as a whole. All else of IPv6 is refused without a list: addresses that carry one of IPv4
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

/**
 * Resolves names for the connection itself, so that a name cannot lead to one address when it is checked and to another when it is called.
 */
const publicLookup: LookupFunction = (hostname, options, callback) =>
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const [first] = addresses;
    const wrong = addresses.find(({ address }) => isPrivate(address));
    if (wrong || !first) return callback(new AddressRefused(`${hostname} is at ${wrong?.address ?? 'no address'}`), '');
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });

async function readAll(answer: IncomingMessage, most: number, cut: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) {
      answer.destroy();
      if (cut) return Buffer.concat([...parts, part.subarray(0, part.length - (size - most))]);
      throw new AnswerTooLong(`the answer is longer than ${most} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function toResponse(answer: IncomingMessage, bytes: Buffer): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) for (const value of values ?? []) headers.append(name, value);
  const status = answer.statusCode ?? 502;
  // A Response refuses a body with these.
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : new Uint8Array(bytes), { status, headers });
}
