import { createHmac, timingSafeEqual } from 'node:crypto';
import { type InApplication, provided } from '../platform/application.ts';

/** The purpose of a signed id; one is never accepted for another. `get` names the path whose bytes may be read. */
export type SignedFor = 'attach' | 'put' | `get ${string}`;

/** Names a direct upload, or stored bytes: which, whose company's, until when. */
export interface SignedId {
  id: string;
  companyId: string;
  /** Milliseconds since 1970. */
  expires: number;
}

/** The secret with which every process of one database signs. */
export const uploadSecret = provided<Buffer>('secret to sign uploads and URLs of files with');

/** A text that nobody else can make: `<content>.<signature>`, URL-safe. */
export function signId(application: InApplication, purpose: SignedFor, { id, companyId, expires }: SignedId): string {
  const content = Buffer.from(JSON.stringify([id, companyId, expires])).toString('base64url');
  return `${content}.${signatureOf(application, purpose, content).toString('base64url')}`;
}

/** The id in the text; undefined when we did not sign it, it is for another purpose, or it has expired. */
export function readSignedId(application: InApplication, purpose: SignedFor, text: string): SignedId | undefined {
  const [content = '', signature = '', ...more] = text.length > 500 ? [] : text.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(application, purpose, content);
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const [id, companyId, expires] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, string, number];
  return expires > Date.now() ? { id, companyId, expires } : undefined;
}

function signatureOf(application: InApplication, purpose: SignedFor, content: string): Buffer {
  return createHmac('sha256', uploadSecret.of(application)).update(`${purpose} ${content}`).digest();
}
