import { isObject } from '../json/objects.ts';

/** Settings of reads from systems of others, from the configuration. */
export interface RemoteSettings {
  /** Whether they may be on private addresses and without TLS: a test, or a gateway in the same network. */
  privateHosts: boolean;
  /** Longest that one may take for an answer, milliseconds. */
  timeout: number;
}

/** The credentials for a provider; its adapter says which of them it uses. */
export interface Credentials {
  username?: string | null;
  password?: string | null;
  token?: string | null;
}

/** A provider that cannot be read, in words for the people of the company. */
export class ProviderError extends Error {
  /** @param refused whether it did not accept the credentials */
  constructor(
    message: string,
    readonly refused = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProviderError';
  }
}

/** The error of a request to a provider, which says that it is the provider's, whatever went wrong there. */
export const asProviderError = (error: unknown): ProviderError =>
  error instanceof ProviderError ? error : new ProviderError(reasonOf(error), false, { cause: error });

/** An answer of a provider: objects and lists of whatever it sent. */
export type Answer = Record<string, unknown>;

/** The objects of a list; of what is no list, none. */
export const objectsOf = (value: unknown): Answer[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The answer of a request as text. @throws ProviderError for every status but those of success */
export async function bodyOf(response: Response): Promise<string> {
  if (response.status === 401 || response.status === 403)
    throw new ProviderError(`the provider refuses the credentials (${response.status})`, true);
  if (response.status < 200 || response.status > 299) throw new ProviderError(`the provider answers ${response.status}`);
  return response.text();
}

/** The answer of a request as JSON. @throws ProviderError also for what is no JSON object or list */
export async function jsonOf(response: Response): Promise<Answer | unknown[]> {
  const text = await bodyOf(response);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderError('the answer of the provider is no JSON');
  }
  if (!isObject(value) && !Array.isArray(value)) throw new ProviderError('the answer of the provider is no JSON object');
  return value;
}

/** The header by which a connection identifies itself: a token, or a user name and a password. */
export function authorizationOf({ token, username, password }: Credentials): Record<string, string> {
  if (token) return { Authorization: `Bearer ${token}` };
  return username ? { Authorization: basic(username, password ?? '') } : {};
}

export const basic = (username: string, password: string): string => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/**
 * An address that an answer names, to be asked with the same credentials. @throws ProviderError for one of another server: an answer must
 * not lead the credentials elsewhere
 */
export function sameServer(named: string, server: string): string {
  const url = URL.canParse(named, server) ? new URL(named, server) : undefined;
  if (url?.origin !== new URL(server).origin) throw new ProviderError('the answer of the provider leads to another server');
  return url.href;
}

/** Characters of an error that is shown. */
const MOST_REASON = 300;

/** An error of a provider in words for people; those of the network have little more than their code. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return error.message;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'the provider does not answer in time';
  const why = code ?? (name === 'Error' ? message : undefined);
  return why === undefined ? 'something went wrong on our side' : `the provider cannot be reached (${why.slice(0, MOST_REASON)})`;
}

/** Whether a text is an address that may be called: without credentials of its own. @param withoutTls whether `http:` is one, too */
export function isAddress(text: string, withoutTls: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || (protocol === 'http:' && withoutTls)) && !username && !password && !hash;
}
