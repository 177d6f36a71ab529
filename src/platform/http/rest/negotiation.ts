import type { Request } from 'express';
import { NotAcceptable, UnsupportedMedia } from '../../errors.ts';

const JSON_TYPE = 'application/json';
const ANY_JSON = /^application\/(json|[\w.!#$&^-]+\+json)$/i;

/** Passes when the client takes what is offered; no header means it takes anything. @throws NotAcceptable */
export function requireAcceptable(req: Request, offered = JSON_TYPE, more: readonly string[] = []): void {
  const accept = req.headers.accept;
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === offered) return;
  if (acceptedOf(req, [offered, `${offered}; charset=utf-8`, ...more]) === undefined) throw new NotAcceptable();
}

/** `application/json` in a header, and what is said of it. */
const SAID_OF_JSON = /(application\/json)((?:\s*;[^,]*)?)/gi;

/**
 * Returns the one of some media types that a request prefers; undefined if it takes none of them. JSON has no parameters (RFC 8259, section 11): a version or a
 * charset behind `application/json` asks for nothing else.
 */
export function acceptedOf(req: Request, types: readonly string[]): string | undefined {
  const accept = req.headers.accept?.replace(SAID_OF_JSON, (_, type, said) => `${type}${/;\s*q\s*=\s*[\d.]+/i.exec(said)?.[0] ?? ''}`);
  const accepts = req.accepts as (this: Pick<Request, 'headers'>, types: string[]) => string | false;
  return accepts.call({ headers: { ...req.headers, accept } }, [...types]) || undefined;
}

/** Passes when the body is said to be JSON, or the given type, in UTF-8 and not compressed. @throws UnsupportedMedia */
export function requireType(req: Request, wanted = JSON_TYPE): void {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') throw new UnsupportedMedia();
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').split(';');
  const fits = wanted === JSON_TYPE ? ANY_JSON.test(type.trim()) : type.trim().toLowerCase() === wanted;
  if (!fits) throw new UnsupportedMedia();
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim())) throw new UnsupportedMedia();
  }
}

/** `handling=strict; foo=bar`: the name, and the value before any parameters of the preference. */
const PREFERENCE = /^([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s;"]*)))?/;

/** The parts between commas and semicolons that are not in quotes. */
const BETWEEN = /(?:"[^"]*"|[^",;])+/g;

/**
 * The preferences of a request by their names in lower case (`Prefer`, RFC 7240). One without a value has an empty one. Of two with the
 * same name the first counts. What cannot be read is no preference.
 */
function preferencesOf(req: Pick<Request, 'headers'>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [part] of [req.headers.prefer ?? []].flat().join(',').matchAll(BETWEEN)) {
    const [, name, quoted, token] = PREFERENCE.exec(part.trim()) ?? [];
    if (name && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? token ?? '');
  }
  return found;
}

/** Whether a request has a preference: `prefers(req, 'waypoints=all')`. */
export function prefers(req: Pick<Request, 'headers'>, preference: string): boolean {
  if (req.headers.prefer === undefined) return false;
  const [name = '', value = ''] = preference.split('=');
  return preferencesOf(req).get(name)?.toLowerCase() === value;
}

/** Whether a request with something unknown in it is to be refused. */
export const isStrict = (req: Request): boolean => prefers(req, 'handling=strict');
