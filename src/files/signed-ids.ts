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

/** The secrets of every process of one database: the first one signs, and what any of them has signed is good. */
export const uploadSecrets = provided<readonly Buffer[]>('secrets to sign uploads and URLs of files with');

/** A text that nobody else can make: `<content>.<signature>`, URL-safe. */
export function signId(application: InApplication, purpose: SignedFor, { id, companyId, expires }: SignedId): string {
  const content = Buffer.from(JSON.stringify([id, companyId, expires])).toString('base64url');
  return `${content}.${signatureOf(uploadSecrets.of(application)[0]!, purpose, content).toString('base64url')}`;
}

/** The id in the text; undefined when we did not sign it, it is for another purpose, or it has expired. */
export function readSignedId(application: InApplication, purpose: SignedFor, text: string): SignedId | undefined {
  const [content = '', signature = '', ...more] = text.length > 500 ? [] : text.split('.');
  const given = Buffer.from(signature, 'base64url');
  const isRight = (secret: Buffer): boolean => {
    const right = signatureOf(secret, purpose, content);
    return given.length === right.length && timingSafeEqual(given, right);
  };
  if (more.length > 0 || !uploadSecrets.of(application).some(isRight)) return undefined;
  const [id, companyId, expires] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, string, number];
  return expires > Date.now() ? { id, companyId, expires } : undefined;
}

function signatureOf(secret: Buffer, purpose: SignedFor, content: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}
