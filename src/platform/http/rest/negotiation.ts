import type { Request } from 'express';
import { NotAcceptable, UnsupportedMedia } from '../../errors.ts';

const JSON_TYPE = 'application/json';
const ANY_JSON = /^application\/(json|[\w.!#$&^-]+\+json)$/i;

/** Passes when the client takes what is offered; no header means it takes anything. @throws NotAcceptable */
export function requireAcceptable(req: Request, offered = JSON_TYPE, more: readonly string[] = []): void {
  const accept = req.headers.accept;
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === offered) return;
  if (!req.accepts([offered, `${offered}; charset=utf-8`, ...more])) throw new NotAcceptable();
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
