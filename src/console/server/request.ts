import { say } from '../words.ts';
import { endSession, jsonOf, reach, refresh, sessionToken } from './session.ts';

/** The session ended; the person has to sign in again. */
export class SignedOut extends Error {}
/** The page is out of date, because somebody else, or the server, has changed the record. */
export class Overtaken extends Error {}

/** An error, as GraphQL returns it in `extensions` and REST in `error`. */
interface Problem {
  code?: string;
  error_type?: string;
  errors?: { field: string; message: string }[];
}

/**
 * Posts JSON with the session's token.
 * @throws SignedOut when the session is over; Overtaken if the record is in another state than shown; Error in the server's words
 */
export async function post<T>(path: string, body: string, again = true): Promise<T> {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sessionToken()}` },
    body,
  });
  const answer = (await jsonOf(response)) as { data?: T; error?: Problem; errors?: { message: string; extensions?: Problem }[] };
  const [first] = answer.errors ?? [];
  const { code, error_type, errors: [item] = [] } = answer.error ?? first?.extensions ?? {};
  if (code === 'unauthorized') {
    if (again && error_type === 'invalid_token' && (await refresh())) return post(path, body, false);
    endSession();
    throw new SignedOut(say('session_over'));
  }
  const said = first?.message ?? (item ? `${item.field} ${item.message}` : code);
  if (code === 'conflict') throw new Overtaken(item?.message ?? said);
  if (said !== undefined || !answer.data) throw new Error(said ?? 'The server gave no answer.');
  return answer.data;
}

/** Sends a GraphQL document. @throws as `post` */
export const ask = <T>(query: string, variables: object = {}): Promise<T> => post('/graphql', JSON.stringify({ query, variables }));

/** Returns a file that only the session may read. @throws as `get` */
export const readFile = async (path: string): Promise<Blob> => (await get(path)).blob();

/** Reads what only the session may read. @throws SignedOut when the session is over; Error in the server's words @param path on this server */
export async function get(path: string, again = true): Promise<Response> {
  const response = await reach(path, { headers: { Authorization: `Bearer ${sessionToken()}` } });
  if (response.ok) return response;
  const { error } = (await jsonOf(response)) as { error?: Problem };
  if (error?.code !== 'unauthorized') throw new Error(error?.errors?.[0]?.message ?? error?.code ?? 'The server gave no answer.');
  if (again && error.error_type === 'invalid_token' && (await refresh())) return get(path, false);
  endSession();
  throw new SignedOut(say('session_over'));
}
