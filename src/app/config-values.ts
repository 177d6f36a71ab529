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
  parse: (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
  must: `be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  fallback: undefined,
});

/** A share of a whole. */
export const ratio: Variable<number> = {
  parse: (text) => (/^(0|1|[01]?\.\d+|1\.0+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  must: 'be a number from 0 to 1',
  fallback: 1,
};

/** The address of a database, on one server or on several with commas between. */
export const databaseUrl: Variable<string | undefined> = {
  parse: (given) => (urlsOf(given).every((one) => url(['postgres:', 'postgresql:']).parse(one) !== undefined) ? given : undefined),
  must: 'be a URL that starts with postgres:// or postgresql://',
  fallback: undefined,
};

/** Addresses of replicas with commas between, each with one server. */
export const databaseUrls: Variable<readonly string[]> = {
  parse: (given) => {
    const all = given.split(',').map((one) => one.trim());
    return all.every((one) => url(['postgres:', 'postgresql:']).parse(one) !== undefined) ? all : undefined;
  },
  must: 'be URLs that start with postgres:// or postgresql://, with commas between',
  fallback: [],
};

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

export const text = (fallback: string): Variable<string> => ({ parse: (given) => given, must: 'be a text', fallback });

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
  return most > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
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
