import { randomUUID } from 'node:crypto';
import { type Body, Connection, type Patience, type Reply } from '../send/connection.ts';
import { Fault } from '../send/fault.ts';
import { type ErrorItem, GraphqlError, HaulgateError, Unreachable } from './errors.ts';
import { ReadPosition } from './read-position.ts';

/** The credentials: a machine client, whose tokens are fetched and renewed, or tokens that you get elsewhere. */
export type ClientOptions = {
  /** Where Haulgate answers, such as `https://haulgate.example`. */
  url: string;
  /** The number of times that a request without an answer is repeated; 4 by default. */
  retries?: number;
  /** Of error messages: `en`, `en-ca`, `es-us` or `fr-ca`. */
  language?: string;
  /**
   * Where Haulgate has replicas, reads are answered by any that shows what this client has written and read before. What others wrote a moment ago may
   * be missing, also if a webhook has reported it. By default you see everything that was written before your request.
   */
  ownReads?: boolean;
  /** Called with the reason for which a request is repeated later. */
  onWait?: (reason: string) => void;
} & ({ clientId: string; clientSecret: string } | { token: string | (() => string | Promise<string>) });

/** An operation of the API: what it is sent, and what it answers. */
export interface Operation {
  request: object;
  data: unknown;
  /** What it says in addition to the data. */
  meta?: unknown;
}

export type Table<Operations> = { [Name in keyof Operations]: Operation };

/** The options that every request can have. */
export interface RequestOptions {
  /** The same for every repetition of one request, also by another process, so that it is done once. A new one by default. */
  idempotencyKey?: string;
  /** The `ETag` of the record as you have read it: if it has changed since, nothing is done, and the error has status 412. */
  ifMatch?: string;
  /** What is to go wrong with each attempt, in a sandbox: `503`, no answer, or its webhooks sent twice. Elsewhere nothing does. */
  sandboxFault?: '503' | 'timeout' | 'duplicate-webhook';
  /** Ends the request and all waiting for another attempt. */
  signal?: AbortSignal;
}

/** The arguments of an operation after its name; what all of its parts can be left out of may be left out. */
export type Arguments<One extends Operation> = {} extends One['request']
  ? [request?: One['request'] & RequestOptions]
  : [request: One['request'] & RequestOptions];

/** The names of operations that answer lists. */
export type ListOf<Operations extends Table<Operations>> = {
  [Name in keyof Operations]: Operations[Name]['data'] extends readonly unknown[] ? Name : never;
}[keyof Operations];

export type ItemOf<Data> = Data extends readonly (infer Item)[] ? Item : never;

/** What an operation says in addition to its data, such as where a feed goes on; undefined of most. */
export type MetaOf<One extends Operation> = One extends { meta: infer Meta } ? Meta : undefined;

export interface Answer<Data, Meta = undefined> {
  status: number;
  headers: Headers;
  data: Data;
  meta: Meta;
}

/** A GraphQL document with the types of its answer and its variables, as this package and graphql-codegen (`documentMode: 'string'`) make them. */
export interface TypedDocument<Data, Variables> {
  toString(): string;
  __apiType?: (variables: Variables) => Data;
}

interface Parts extends RequestOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

interface Sending {
  method: string;
  path: string;
  body?: Body;
  /** The media type of the body. */
  form?: string;
  parts: Parts;
  /** Whether it changes nothing, and so may be repeated. */
  reads?: boolean;
}

/** Answers after which a request is repeated later. 408, 502 and 504 come from proxies. */
const LATER = new Set([408, 429, 502, 503, 504]);
/** Those of them after which it is certain that nothing was done. */
const NOTHING_DONE = new Set([429, 503]);
const REPEATS = new Set(['POST', 'PUT', 'PATCH']);

/** The typed client: `Haulgate` of this package binds it to the operations of the API. */
export class Client<Operations extends Table<Operations>> {
  readonly #connection: Connection;
  readonly #language: string | undefined;
  readonly #forms: Readonly<Record<string, string>>;
  readonly #position: ReadPosition | undefined;

  /** @param forms media types of the bodies that are not JSON, by the name of their operation */
  constructor(options: ClientOptions, forms: Readonly<Record<string, string>>) {
    const { retries = 4, onWait, language } = options;
    this.#connection = new Connection({ ...options, url: options.url.replace(/\/+$/, ''), retries }, onWait ?? (() => undefined));
    this.#language = language;
    this.#forms = forms;
    this.#position = options.ownReads ? new ReadPosition() : undefined;
  }

  /**
   * Calls an operation and returns the data of its answer: `call('GET /v1/orders/{id}', { path: { id } })`.
   * @throws HaulgateError if it is refused, Unreachable if there is no answer
   */
  async call<Name extends keyof Operations & string>(name: Name, ...args: Arguments<Operations[Name]>): Promise<Operations[Name]['data']> {
    return (await this.answer(name, ...args)).data;
  }

  /** Does the same, and returns status and headers too, such as `etag`, and what else the answer says. */
  async answer<Name extends keyof Operations & string>(
    name: Name,
    ...args: Arguments<Operations[Name]>
  ): Promise<Answer<Operations[Name]['data'], MetaOf<Operations[Name]>>> {
    const [method = '', template = ''] = name.split(' ');
    const parts: Parts = args[0] ?? {};
    const { body, form } = this.#bodyOf(name, parts.body);
    return answerOf(await this.#send({ method, path: pathOf(template, parts), body, form, parts }));
  }

  /** Reads a list to its end, page by page: `for await (const order of haulgate.pages('GET /v1/orders')) ...`. */
  async *pages<Name extends ListOf<Operations> & string>(
    name: Name,
    ...args: Arguments<Operations[Name]>
  ): AsyncGenerator<ItemOf<Operations[Name]['data']>, void, undefined> {
    const parts: Parts = args[0] ?? {};
    const [method = '', template = ''] = name.split(' ');
    let path: string | undefined = pathOf(template, parts);
    while (path !== undefined) {
      const reply: Reply = await this.#send({ method, path, parts });
      yield* answerOf<ItemOf<Operations[Name]['data']>[], unknown>(reply).data;
      path = reply.next;
    }
  }

  /**
   * Asks the GraphQL schema.
   * @throws GraphqlError if a part of it could not be answered, with the parts that were
   */
  async graphql<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    ...[variables, options]: {} extends Variables
      ? [variables?: Variables, options?: RequestOptions]
      : [variables: Variables, options?: RequestOptions]
  ): Promise<Data> {
    const query = String(document);
    const reply = await this.#send({
      ...{ method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), form: 'application/json', parts: options ?? {} },
      reads: !/^\s*mutation\b/m.test(query),
    });
    const { data, errors } = (reply.body ?? {}) as { data?: Data; errors?: GraphqlError<Data>['errors'] };
    if (errors) throw new GraphqlError<Data>(errors, data);
    if (data === undefined) throw errorOf(reply);
    return data;
  }

  #bodyOf(name: string, body: unknown): { body?: Body; form?: string } {
    if (body === undefined) return {};
    const form = this.#forms[name];
    if (isForm(body) && (form === undefined || form === 'multipart/form-data')) return { body: formOf(body) };
    if (form === 'application/x-www-form-urlencoded') return { body: new URLSearchParams(body as Record<string, string>) };
    if (typeof body === 'string' || body instanceof Blob || body instanceof Uint8Array)
      return { body: body as Body, form: form ?? 'application/json' };
    return { body: JSON.stringify(body), form: 'application/json' };
  }

  async #send({ method, path, body, form, parts, reads = method === 'GET' }: Sending): Promise<Reply> {
    const key = parts.idempotencyKey ?? (REPEATS.has(method) && !reads ? randomUUID() : undefined);
    const headers: Record<string, string> = { Accept: 'application/json, */*;q=0.5' };
    if (form !== undefined) headers['Content-Type'] = form;
    if (key !== undefined) headers['Idempotency-Key'] = key;
    if (parts.ifMatch !== undefined) headers['If-Match'] = parts.ifMatch;
    if (parts.sandboxFault !== undefined) headers['X-Sandbox-Fault'] = parts.sandboxFault;
    if (this.#language !== undefined) headers['Accept-Language'] = this.#language;
    const position = this.#position?.begin();
    if (position?.sent !== undefined) headers['X-Read-Position'] = position.sent;
    // Without a key a deletion that was done could not be distinguished from one that was refused.
    const repeatable = reads || key !== undefined;
    const patience: Patience = {
      repeatable,
      isPassing: (reply) => (repeatable ? LATER : NOTHING_DONE).has(reply.status) || isAtWork(reply),
    };
    const sent = { method, path, headers, body, signal: parts.signal };
    const reply = await this.#connection.send(sent, patience).catch((error: unknown) => {
      // It may have been done.
      position?.end(null);
      throw error instanceof Fault ? new Unreachable(error.message) : error;
    });
    position?.end(reply.headers.get('x-read-position'));
    if (reply.status >= 400 && !(path === '/graphql' && hasErrors(reply.body))) throw errorOf(reply);
    return reply;
  }
}

/** Whether the server still works on the first attempt of this request. */
const isAtWork = ({ status, body }: Reply): boolean =>
  status === 409 && itemsOf(body).length > 0 && itemsOf(body).every(({ field }) => field === 'Idempotency-Key');

const hasErrors = (body: unknown): boolean => Array.isArray((body as { errors?: unknown } | undefined)?.errors);

function itemsOf(body: unknown): ErrorItem[] {
  return (body as { error?: { errors?: ErrorItem[] } } | undefined)?.error?.errors ?? [];
}

function errorOf({ status, body, headers }: Reply): HaulgateError {
  const code = (body as { error?: { code?: string } } | undefined)?.error?.code;
  return new HaulgateError(status, code, itemsOf(body), headers.get('x-request-id') ?? undefined);
}

function answerOf<Data, Meta>({ status, headers, body, bytes }: Reply): Answer<Data, Meta> {
  const type = headers.get('content-type') ?? '';
  const whole = typeof body === 'object' && body !== null && 'data' in body ? (body as { data: unknown; meta?: unknown }) : undefined;
  let data: unknown;
  if (type.includes('json')) data = whole ? whole.data : body;
  else if (bytes.length > 0) data = type.startsWith('text/') ? new TextDecoder().decode(bytes) : new Blob([bytes], { type });
  return { status, headers, data: data as Data, meta: whole?.meta as Meta };
}

function pathOf(template: string, { path = {}, query = {} }: Parts): string {
  const filled = template.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === '') throw new TypeError(`The path ${template} needs ${name}.`);
    return encodeURIComponent(value);
  });
  const asked = queryOf(query).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

function queryOf(query: Record<string, unknown>): URLSearchParams {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && name.endsWith('[]')) for (const one of value) asked.append(name, String(one));
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, one] of Object.entries(value)) asked.append(`${name}[${key}]`, String(one));
    else asked.append(name, String(value));
  }
  return asked;
}

/** Whether a body has files, which JSON cannot carry. */
const isForm = (body: unknown): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && Object.values(body).some((value) => value instanceof Blob);

function formOf(body: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined && value !== null) form.append(name, String(value));
  return form;
}
