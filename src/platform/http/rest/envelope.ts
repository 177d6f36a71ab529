import { expected, HaulgateError, Missing } from '../../errors.ts';
import { type Language, translate } from '../../i18n/messages.ts';
import { wirePath } from '../../model/names.ts';

/** An answer: status, headers and the JSON body; no body at all when undefined. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body?: unknown;
}

/** Names in error items: `graphql` for what commands throw, `wire` when the edge has made the wire paths already. */
export type Names = 'graphql' | 'wire';

/** A problem in the form for results that are read later, or listed. */
export interface DescribedProblem {
  model: string;
  /** In wire names. */
  field: string;
  /** Message key: the same in every language. */
  code: string;
  message: string;
}

/** The items of an error in a language. An error without items is described by its code. @param model of such an error */
export function describeProblems(error: HaulgateError, language: Language, model: string): DescribedProblem[] {
  const described = error.items.map(({ model, field, key, params }) => ({
    ...{ model, field: wirePath(field), code: key },
    message: translate(language, key, params),
  }));
  return described.length > 0 ? described : [{ model, field: '', code: error.code, message: translate(language, error.code) }];
}

/**
 * The error envelope (SPEC Errors). Unknown errors are `internal_server_error` and are never described.
 * @param groups names of the operation's groups of query parameters, such as `filter`
 */
export function errorAnswer(thrown: unknown, language: Language, names: Names = 'graphql', groups: readonly string[] = []): Answer {
  const error = expected(thrown);
  if (!(error instanceof HaulgateError)) return { status: 500, headers: {}, body: { error: { code: 'internal_server_error' } } };
  const headers: Record<string, string> = {};
  const challenge = challengeOf(error);
  if (challenge) headers['WWW-Authenticate'] = challenge;
  if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
  const errors = error.items.map(({ model, field, key, params, state, event }) => ({
    model,
    field: names === 'wire' ? field : asSent(wirePath(field), groups),
    message: translate(language, key, params),
    ...(state === undefined ? {} : { state }),
    ...(event === undefined ? {} : { event }),
  }));
  const body = {
    error: { code: error.code, ...(error.errorType ? { error_type: error.errorType } : {}), ...(errors.length > 0 ? { errors } : {}) },
  };
  return { status: error.status, headers, body };
}

/** A path as the client wrote it: parameters of the query have brackets (`filter[end_date]`), fields of a body dots. */
const asSent = (path: string, groups: readonly string[]): string => (groups.includes(path.split('.', 1)[0]!) ? asParameter(path) : path);

/** The name of a parameter of a query by its path: `filter.end_date` -> `filter[end_date]`. */
export function asParameter(path: string): string {
  const [group, ...steps] = path.split('.');
  return `${group}${steps.map((step) => `[${step}]`).join('')}`;
}

/** An error with the status that the contract gives it at an operation: some answer 400 in place of 422, or 404 in place of 403. */
export function inContract(thrown: unknown, { invalid, denied }: { invalid: number; denied: number }): unknown {
  const error = expected(thrown);
  if (!(error instanceof HaulgateError)) return error;
  if (error.status === 422 && invalid === 400) return new HaulgateError(400, 'bad_request', error.items);
  return error.status === 403 && denied === 404 ? new Missing() : error;
}

/** `WWW-Authenticate` of an error (RFC 6750, section 3): what is wrong with the token, or which permission its bearer lacks. */
export function challengeOf({ status, errorType, items: [first] }: HaulgateError): string | undefined {
  if (status === 401) return `Bearer realm="haulgate"${errorType === 'invalid_token' ? ', error="invalid_token"' : ''}`;
  if (status !== 403 || first?.model !== 'Permission') return undefined;
  return `Bearer realm="haulgate", error="insufficient_scope", scope="${first.field}"`;
}

/**
 * The one error with which an execution failed. graphql-js and graphql-jit wrap errors of resolvers in different ways. If several fields
 * failed, the first of our errors decides and takes the items of others with its status along; an unknown error outweighs them.
 */
export function executionError(errors: readonly unknown[]): unknown {
  const causes = errors.map(unwrap);
  const unknown = causes.find((cause) => !(cause instanceof HaulgateError));
  if (unknown !== undefined) return unknown;
  const [first, ...others] = causes as HaulgateError[];
  const items = others.filter((other) => other.status === first?.status).flatMap((other) => other.items);
  if (!first || items.length === 0) return first;
  return new HaulgateError(first.status, first.code, [...first.items, ...items], first.errorType, first.retryAfter);
}

function unwrap(error: unknown): unknown {
  let inner = error;
  for (let i = 0; i < 8 && !(inner instanceof HaulgateError); i++) {
    const next = (inner as { originalError?: unknown } | null)?.originalError ?? (inner as { cause?: unknown } | null)?.cause;
    if (next === undefined || next === null) break;
    inner = next;
  }
  return expected(inner);
}
