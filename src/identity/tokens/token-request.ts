import type { Request } from 'express';

/** Error codes of RFC 6749 section 5.2 and RFC 8707 section 2 that this endpoint uses. */
export type Code =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable';
/** An error of the token endpoint, as the client gets it. */
export class OAuthError extends Error {
  constructor(
    readonly code: Code,
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Parameters with a value; an empty one counts as left out (RFC 6749 section 3.2). */
export function readForm(req: Request): Map<string, string> {
  if (typeof req.body !== 'string') throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
  for (const name of ['client_id', 'client_secret']) {
    if (req.query[name] !== undefined) throw new OAuthError('invalid_request', `${name} must not be in the URL`);
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(req.body)) {
    if (parameters.has(name)) throw new OAuthError('invalid_request', `${name} is repeated`);
    parameters.set(name, value);
  }
  for (const [name, value] of parameters) if (value === '') parameters.delete(name);
  return parameters;
}

/** Id and secret of HTTP Basic, each form-encoded inside (RFC 6749 section 2.3.1); undefined without an Authorization header. */
export function readBasic(header: string | undefined): { id: string; secret: string } | undefined {
  if (header === undefined) return undefined;
  const match = /^basic +([\w+/~.=-]+) *$/i.exec(header);
  const text = match ? Buffer.from(match[1] as string, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw new OAuthError('invalid_client', 'the Authorization header is no HTTP Basic');
  return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new OAuthError('invalid_client', 'the Authorization header is not form-encoded');
  }
}
