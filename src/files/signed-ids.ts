import { createHmac, timingSafeEqual } from 'node:crypto';

/** The purpose of a signed id; one is never accepted for another. */
export type SignedFor = 'attach' | 'put';

/** Names a direct upload: which, whose company's, until when. */
export interface SignedId {
  id: string;
  companyId: string;
  /** Milliseconds since 1970. */
  expires: number;
}

let secret: Buffer | undefined;

/** Sets the secret with which every process of one database signs; called before anything is served. */
export function signUploadsWith(key: Buffer): void {
  secret = key;
}

/** A text that nobody else can make: `<content>.<signature>`, URL-safe. */
export function signId(purpose: SignedFor, { id, companyId, expires }: SignedId): string {
  const content = Buffer.from(JSON.stringify([id, companyId, expires])).toString('base64url');
  return `${content}.${signatureOf(purpose, content).toString('base64url')}`;
}

/** The id in the text; undefined when we did not sign it, it is for another purpose, or it has expired. */
export function readSignedId(purpose: SignedFor, text: string): SignedId | undefined {
  const [content = '', signature = '', ...more] = text.length > 500 ? [] : text.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(purpose, content);
  if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const [id, companyId, expires] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, string, number];
  return expires > Date.now() ? { id, companyId, expires } : undefined;
}

function signatureOf(purpose: SignedFor, content: string): Buffer {
  if (!secret) throw new Error('no secret to sign uploads with was named');
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}
