import { Connection, type Reply } from './connection.ts';
import { EXIT, Fault, plain, unreachable } from './fault.ts';
import type { Options } from './options.ts';

export type Answer = Pick<Reply, 'status' | 'body' | 'next'>;

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  /** JSON text. */
  body?: string;
  /** The same for every repetition of one request, so that it is done once. */
  key?: string;
}

/** Answers after which the request is repeated later. 408 comes from a proxy, if a slow line did not transmit the request in time. */
const LATER = new Set([408, 409, 429, 500, 502, 503, 504]);
const PATIENCE = { isPassing: ({ status }: Reply) => LATER.has(status), repeatable: true };

/** The requests of the sender to Haulgate: JSON in, JSON out. */
export class Client {
  readonly #connection: Connection;

  /** @param say informs the person why nothing moves */
  constructor(options: Pick<Options, 'url' | 'clientId' | 'clientSecret' | 'retries'>, say: (message: string) => void) {
    this.#connection = new Connection(options, say);
  }

  /** Fetches a token, so that a wrong address or secret shows before anything else is done. @throws Fault as `call` */
  signIn(): Promise<void> {
    return this.#connection.signIn();
  }

  /** Returns the answer, whatever its status, except those that pass with time. @throws Fault if there is none, or no token */
  call({ method, path, body, key }: Call): Promise<Answer> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (key !== undefined) headers['Idempotency-Key'] = key;
    return this.#connection.send({ method, path, headers, body }, PATIENCE, (reply) => {
      if (reply.status < 300 && !isObject(reply.body)) throw new Error(`It answers ${reply.status}, but not in JSON, as a proxy may`);
    });
  }
}

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null;

interface Complaint {
  code?: string;
  errors?: { field?: string; message?: string }[];
}

/** Returns the error of the server itself; undefined if a proxy or firewall answered instead. */
const saidBy = ({ body }: Answer): Complaint | undefined => (isObject(body) ? (body as { error?: Complaint }).error : undefined);

/** Returns the text of an error answer, in one line: its items, or its code. */
function complaintOf(answer: Answer): string {
  const error = saidBy(answer);
  const items = error?.errors?.map(({ field, message }) => (field ? `${field}: ${message}` : `${message}`)).join('; ');
  if (error) return plain(`${answer.status} ${items || error.code || ''}`);
  // Many proxies accept 1 MB by default.
  const advice = answer.status === 413 ? ': try --restart with a smaller --batch' : '';
  return `${answer.status}, by a proxy or firewall before the server${advice}`;
}

/** Returns the fault of an answer that should contain records and does not. */
export function unreadable(answer: Answer): Fault {
  if (answer.status === 403 && saidBy(answer))
    return unreachable(
      'What is sent is acknowledged, but this client may not read what became of it: it lacks the permission view_imports.',
    );
  if (answer.status === 404)
    return new Fault(
      EXIT.someFailed,
      'The server knows nothing of what the last run sent: it may be another one, or have been set up anew. Send everything with --restart.',
    );
  return new Fault(EXIT.someFailed, `The records cannot be read: ${complaintOf(answer)}.`);
}

/** Returns why a request was refused. @throws Fault if every other would be refused, too */
export function refusalOf(answer: Answer, kind: string): string {
  // A firewall refuses a request for its content, and may let the next one through.
  if (answer.status === 403 && saidBy(answer))
    throw unreachable(`This client may not send ${kind}: it lacks the permission create_${kind.slice(0, -1)}.`);
  if (answer.status === 404) throw unreachable(`There is no /ingest/${kind} at this address.`);
  return complaintOf(answer);
}
