import type { Request } from 'express';
import { NotAcceptable, UnsupportedMedia } from '../../errors.ts';

const OFFERED = ['application/json', 'application/json; charset=utf-8'];

/** Passes when the client takes JSON; no header means it takes anything. @throws NotAcceptable */
export function requireAcceptable(req: Request): void {
  const accept = req.headers.accept;
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === 'application/json') return;
  if (!req.accepts(OFFERED)) throw new NotAcceptable();
}

/** Passes when the body is said to be JSON in UTF-8 and not compressed. @throws UnsupportedMedia */
export function requireJson(req: Request): void {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') throw new UnsupportedMedia();
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').split(';');
  if (!/^application\/(json|[\w.!#$&^-]+\+json)$/i.test(type.trim())) throw new UnsupportedMedia();
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim())) throw new UnsupportedMedia();
  }
}
