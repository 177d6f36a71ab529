import { createHash } from 'node:crypto';
import type { Response } from 'express';
import type { Language } from '../i18n/messages.ts';
import { escaped } from './escaped.ts';

const STYLE =
  'body{font:18px/1.5 system-ui,sans-serif;max-width:32rem;margin:2rem auto;padding:0 1rem}label,input,select,textarea,button{display:block;margin:.5rem 0;font:inherit;max-width:100%}button{padding:.6rem 1.2rem}';
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** A page without a script, and with nothing from elsewhere. @param title a text @param parts HTML, in which every name is escaped */
export function plainPage(language: Language, title: string, parts: readonly string[]): string {
  const heading = escaped(title);
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${heading}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><h1>${heading}</h1>${parts.join('')}</body></html>`;
}

/** Sends a page that no browser or proxy keeps, and that can load and run nothing. */
export function sendPage(res: Response, status: number, html: string): void {
  res.status(status).set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' }).type('html').send(html);
}
