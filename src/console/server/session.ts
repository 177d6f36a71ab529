import { say } from '../words.ts';

interface Tokens {
  session_jwt: string;
  refresh_token: string;
}

const KEY = 'haulgate.session';
let session = kept();

export const isSignedIn = (): boolean => session !== null;
export const sessionToken = (): string | undefined => session?.session_jwt;

export function signOut(): void {
  const token = session?.session_jwt;
  endSession();
  // Errors are ignored: a session that has ended already cannot be ended again.
  if (token) void fetch('/v1/auth/login', { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } }).catch(() => undefined);
}

/** Forgets a session that the server has ended. */
export const endSession = (): void => keep(null);

/** @throws Error in words for a person */
export const signIn = (email: string, password: string): Promise<void> =>
  enterWith('/v1/auth/login', { email, password }, say('wrong_password'));

/**
 * Opens a session with a proof of who somebody is, and ends the session that this tab had before.
 * @throws Error in words for a person
 */
export async function enterWith(path: string, proof: object, refused = say('not_signed_in')): Promise<void> {
  const response = await post(path, proof);
  if (response.status === 401) throw new Error(refused);
  if (response.status === 400) throw new Error((await reasonOf(response)) ?? say('not_signed_in'));
  if (!response.ok) throw new Error(say('not_signed_in'));
  const { data } = (await jsonOf(response)) as { data: Tokens };
  if (session) signOut();
  keep(data);
}

/** Has an e-mail sent. The answer is the same whether anybody has the address or not. @throws Error in words for a person */
export async function requestEmail(path: string, email: string): Promise<void> {
  const response = await post(path, { email });
  if (!response.ok) throw new Error(say('not_sent'));
}

let refreshing: Promise<boolean> | undefined;
/** Fetches the next tokens, once for all concurrent calls whose tokens have expired, because a refresh token can be used only once. */
export function refresh(): Promise<boolean> {
  refreshing ??= fetch('/v1/auth/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refresh_token: session?.refresh_token }),
  })
    .then(async (response) => {
      keep(response.ok ? ((await response.json()) as { data: Tokens }).data : null);
      return response.ok;
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

/** Calls the server. Browsers report a lost connection in their own words, so these are replaced. */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Error(say('unreachable'));
  }
}

/** Returns the JSON of an answer, or undefined: a proxy may answer with a page of its own. */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Error(say('no_reason', { status: response.status }));
  }
}

async function post(path: string, body: object): Promise<Response> {
  const response = await reach(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (response.status === 429) throw new Error(say('too_many'));
  return response;
}

/** Returns the server's sentence about the wrong field, in the language of the browser. */
async function reasonOf(response: Response): Promise<string | undefined> {
  const { error } = (await jsonOf(response)) as { error?: { errors?: { field: string; message: string }[] } };
  const [first] = error?.errors ?? [];
  return first && `${first.field === 'password' ? say('password') : first.field} ${first.message}.`;
}

/** Returns what an earlier page of this tab stored; null if it has another form. */
function kept(): Tokens | null {
  const text = sessionStorage.getItem(KEY) ?? '';
  return text.startsWith('{') ? (JSON.parse(text) as Tokens) : null;
}

function keep(tokens: Tokens | null): void {
  session = tokens;
  if (tokens) sessionStorage.setItem(KEY, JSON.stringify({ session_jwt: tokens.session_jwt, refresh_token: tokens.refresh_token }));
  else sessionStorage.removeItem(KEY);
}
