import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import type { SmsNumber } from '../directory/companies/sms-integration.entity.ts';
import { urlsOf } from '../platform/database/connection/hosts.ts';
import { asAddress, isEmail } from '../platform/email.ts';
import { isUuid } from '../platform/ids.ts';
import { countryOfPhone, normalizePhone } from '../platform/phone.ts';

/** A variable's meaning, for docs/configuration.md and for the sentence that stops a start. */
export interface Variable<T> {
  parse(text: string): T | undefined;
  /** Follows the name in the sentence: "PORT must be a port number from 0 to 65535". */
  must: string;
  /** The same for a value of which more can be said than that; undefined for all others. */
  mustRather?(text: string): string | undefined;
  fallback: T;
}

export const oneOf = <const V extends readonly string[]>(values: V, fallback: V[number]): Variable<V[number]> => ({
  parse: (text) => values.find((value) => value === text),
  must: `be one of ${values.join(', ')}`,
  fallback,
});

export const whole = (min: number, max: number, fallback: number): Variable<number> => ({
  parse: (text) => (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  must: `be a whole number from ${min} to ${max}`,
  fallback,
});

/** As many as the machine has cores, or a number. */
export const processes: Variable<number> = {
  parse: (text) => (text === 'auto' ? availableParallelism() : whole(1, 64, 1).parse(text)),
  must: 'be auto or a whole number from 1 to 64',
  fallback: 1,
};

export const url = (protocols: string[]): Variable<string | undefined> => ({
  parse: (text) => (isUrl(text, protocols) && faultOfUrl(text) === undefined ? text : undefined),
  must: `be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  mustRather: (text) => {
    if (isUrl(text, protocols)) return faultOfUrl(text);
    // What ends the name of a host is often a part of a password.
    return begins(text, protocols) && /[/#?]/.test(text.slice(text.indexOf('//') + 2, Math.max(text.lastIndexOf('@'), 0)))
      ? 'have %2F in place of each / of its password, %23 of each # and %3F of each ?'
      : undefined;
  },
  fallback: undefined,
});

/** Without the slashes, `redis:6379` is a URL, too: one of no host, for which clients take this machine. */
const begins = (text: string, protocols: readonly string[]): boolean =>
  protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
const isUrl = (text: string, protocols: readonly string[]): boolean => URL.canParse(text) && begins(text, protocols);

/** What is wrong with a URL that can be read, and what its user would find out one request at a time. */
function faultOfUrl(text: string): string | undefined {
  if (!isPlain(text)) return 'have no blanks or line ends around it';
  const { protocol, host, username, password } = new URL(text);
  // A PostgreSQL without a host may be that of a socket, which other parts of its URL name.
  if (host === '' && !protocol.startsWith('postgres')) return `name a host after ${protocol}//`;
  return [username, password].every(isDecodable) ? undefined : 'have %25 in place of each % of its user and password';
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is around a text that nobody sees, such as the line end of Windows that a file of settings has. */
const isPlain = (text: string): boolean => text === text.trim() && !/\p{Cc}/u.test(text);

/** A share of a whole. */
export const ratio: Variable<number> = {
  parse: (text) => (/^(0|1|[01]?\.\d+|1\.0+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  must: 'be a number from 0 to 1',
  fallback: 1,
};

const ofPostgres = url(['postgres:', 'postgresql:']);

/** The address of a database, on one server or on several with commas between. */
export const databaseUrl: Variable<string | undefined> = {
  ...ofPostgres,
  parse: (given) => (urlsOf(given).every((one) => ofPostgres.parse(one) !== undefined) ? given : undefined),
  mustRather: (given) => firstOf(urlsOf(given), (one) => ofPostgres.mustRather?.(one)),
};

/** Addresses of replicas with commas between, each with one server. */
export const databaseUrls: Variable<readonly string[]> = {
  parse: (given) => {
    const all = given.split(',').map((one) => one.trim());
    return all.every((one) => ofPostgres.parse(one) !== undefined) && new Set(all).size === all.length ? all : undefined;
  },
  must: 'be URLs that start with postgres:// or postgresql://, with commas between',
  mustRather: (given) => {
    const all = given.split(',').map((one) => one.trim());
    if (!all.every((one) => isUrl(one, ['postgres:', 'postgresql:']))) return undefined;
    return firstOf(all, (one) => ofPostgres.mustRather?.(one)) ?? 'name each replica once';
  },
  fallback: [],
};

/** Returns the first thing that a function says of values. */
function firstOf<T, S>(values: readonly T[], say: (value: T) => S | undefined): S | undefined {
  for (const value of values) {
    const said = say(value);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** The address of a map tile, with places for its numbers. */
export const tileUrl: Variable<string | undefined> = {
  parse: (given) => {
    const filled = given.replace('{z}', '1').replace('{x}', '1').replace('{y}', '1');
    const fits = URL.canParse(filled) && /^https?:$/.test(new URL(filled).protocol);
    return fits && ['{z}', '{x}', '{y}'].every((part) => given.includes(part)) && !/[{}"<>]/.test(filled) ? given : undefined;
  },
  must: 'be an address of map tiles such as https://tiles.example/{z}/{x}/{y}.png',
  fallback: undefined,
};

/** Pages of clients; a custom scheme opens an app. */
export const urls: Variable<string[]> = {
  parse: (given) => {
    const list = given.split(',').map((one) => one.trim());
    const fits = (one: string) => URL.canParse(one) && !one.includes('#') && !/^(javascript|data|file|blob|vbscript):/i.test(one);
    return list.every(fits) ? list : undefined;
  },
  must: 'be one or more URLs without fragments, with commas between',
  fallback: [],
};

/** Keys of 32 bytes in base64, separated by commas. The first one seals, all of them open. */
export const secretKeys: Variable<string[]> = {
  parse: (given) => {
    const keys = given.split(',').map((key) => key.trim());
    return keys.every((key) => /^[\w+/-]{43}=?$/.test(key)) ? keys : undefined;
  },
  must: 'be one or more keys of 32 bytes in base64, with commas between',
  fallback: [],
};

export const text = (fallback: string): Variable<string> => ({
  parse: (given) => (isPlain(given) ? given : undefined),
  must: 'be a text without blanks or line ends around it',
  fallback,
});

/** The sender of mails: an address, or a name with one. A mail server of a network of one's own may have a name without dots. */
export const sender = (fallback: string): Variable<string> => ({
  parse: (given) => {
    const [, address = given] = /^(?:"(?:[^"\\]|\\.)*"|[^<>",;:@]*)\s*<([^<>]*)>$/.exec(given) ?? [];
    return isPlain(given) && /^[^\s@<>",;:()]+@[^\s@<>",;:()]+$/.test(address) ? given : undefined;
  },
  must: 'be an e-mail address, or a name with one such as Haulgate <haulgate@example.com>',
  fallback,
});

/** @returns milliseconds */
export const time: Variable<number | undefined> = {
  parse: (given) => (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) || undefined : undefined),
  must: 'be a time such as 2026-11-23T07:00:00Z',
  fallback: undefined,
};

export const email: Variable<string | undefined> = {
  parse: (given) => (isEmail(asAddress(given)) ? asAddress(given) : undefined),
  must: 'be an e-mail address',
  fallback: undefined,
};

/** Texts separated by commas, without the blanks around them. */
export const list: Variable<readonly string[]> = {
  parse: (given) => {
    const items = given.split(',').map((item) => item.trim());
    return items.includes('') ? undefined : items;
  },
  must: 'be texts with commas between',
  fallback: [],
};

/** Addresses and networks of proxies, whose requests may be forwarded. */
export const networks: Variable<readonly string[]> = {
  parse: (given) => {
    const items = list.parse(given);
    return items?.every(isNetwork) ? items : undefined;
  },
  must: 'be addresses or networks such as 10.0.0.0/8 with commas between, or loopback, linklocal, uniquelocal',
  mustRather: (given) => (/\/0+\s*(,|$)/.test(given) ? 'name the proxies, and not all addresses (/0)' : undefined),
  fallback: [],
};

/** Origins of pages in browsers, as browsers write them; `*` for all. */
export const origins: Variable<readonly string[]> = {
  parse: (given) => {
    const items = list.parse(given);
    return items?.every((item) => item === '*' || (/^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item))
      ? items
      : undefined;
  },
  must: 'be origins such as https://board.example.com, without a path, with commas between, or *',
  fallback: [],
};

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits === undefined && ['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  // All addresses (/0) would let everybody say who they are, and Express refuses them.
  return most > 0 && more.length === 0 && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most));
}

/** Name servers, in the form that node:dns takes. */
export const servers: Variable<readonly string[]> = {
  parse: (given) => {
    const items = list.parse(given);
    return items?.every((item) => isIP(item) || isIP(/^\[?([\da-f:.]+)\]?:\d{1,5}$/i.exec(item)?.[1] ?? '')) ? items : undefined;
  },
  must: 'be addresses such as 10.0.0.2 or 10.0.0.2:5353 with commas between',
  fallback: [],
};

/** Numbers that companies text from. */
export const smsNumbers: Variable<readonly SmsNumber[] | undefined> = {
  parse: (given) => {
    if (given === 'none') return [];
    const numbers = given.split(',').map((one) => {
      const [companyId = '', text = ''] = one.trim().split('=');
      const phone = normalizePhone(text);
      const country = phone && countryOfPhone(phone);
      return isUuid(companyId) && phone && (country === 'US' || country === 'CA')
        ? { companyId: companyId.toLowerCase(), phone, smsRegion: country === 'CA' ? ('ca' as const) : ('us' as const) }
        : undefined;
    });
    return numbers.includes(undefined) ? undefined : (numbers as SmsNumber[]);
  },
  must: 'be numbers of the United States or Canada such as <company id>=+14165550100 with commas between, or none',
  fallback: undefined,
};

/** A server as BI tools reach it. */
export const address: Variable<{ host: string; port: number } | undefined> = {
  parse: (given) => {
    const [, bracketed, plain, digits = '5432'] = /^(?:\[([\da-f:]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(given) ?? [];
    const host = bracketed ?? plain;
    return host && Number(digits) >= 1 && Number(digits) <= 65_535 ? { host, port: Number(digits) } : undefined;
  },
  must: 'be a server such as db.example.com or db.example.com:5432',
  fallback: undefined,
};
