/**
 * The one error family (DESIGN section 4). Commands throw these with message keys; the edges (REST, GraphQL, last_error)
 * translate and shape them. A key is a name in a `defineMessages` table; `field` is the GraphQL path of the input
 * (`waypoints.1.siteId`), which the REST edge writes in wire names (`waypoints.1.site_id`).
 */
export interface ErrorItem {
  /** Type name of the record the problem is about, such as `Order`. */
  model: string;
  /** GraphQL path of the field, dot separated; empty when the problem is about the whole record. */
  field: string;
  /** Message key, see platform/i18n. */
  key: string;
  params?: Record<string, string | number>;
  /** Only on state conflicts: the current state and the event that was attempted (DOMAIN 1.0). */
  state?: string;
  event?: string;
}

/** Collects the problems of an input, so that all of them are answered at once. */
export interface ErrorCollector {
  /** Type name of the record that the problems are about. */
  model: string;
  items: ErrorItem[];
}

export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'object_not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'unprocessable_content'
  | 'too_many_requests'
  | 'internal_server_error'
  | 'service_unavailable';

/** Problems that an error names at most: of a list of a hundred thousand wrong ids the first say what is wrong. */
const MOST_ITEMS = 1_000;

export class HaulgateError extends Error {
  readonly items: ErrorItem[];

  /** @param all the problems, of which the first `MOST_ITEMS` are kept */
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    all: ErrorItem[] = [],
    /** SPEC: unauthenticated errors also carry `error_type`. */
    readonly errorType?: string,
    /** Seconds, sent as `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    const items = all.length > MOST_ITEMS ? all.slice(0, MOST_ITEMS) : all;
    super(items.length ? `${code}: ${items.map((i) => `${i.model}.${i.field}: ${i.key}`).join('; ')}` : code);
    this.items = items;
    this.name = new.target.name;
  }
}

/** 400: the request could not be read at all. `key` explains why. */
export class BadRequest extends HaulgateError {
  constructor(key?: string, params?: ErrorItem['params'], field = '') {
    super(400, 'bad_request', key ? [{ model: 'Request', field, key, params }] : []);
  }
}
export type AuthErrorType = 'missing_token' | 'invalid_token' | 'invalid_credentials';
/** 401. */
export class Unauthenticated extends HaulgateError {
  constructor(errorType: AuthErrorType) {
    super(401, 'unauthorized', [], errorType);
  }
}
/** Why somebody may not: see platform.messages.ts. */
export type DenialReason =
  | 'permission_missing'
  | 'permission_for_own_records'
  | 'permission_of_owning_company'
  | 'permission_of_customer'
  | 'role_missing'
  | 'permission_beyond_sites'
  | 'permission_before_acceptance'
  | 'permission_of_theirs'
  | 'permission_of_people'
  | 'permission_of_persons_only';
/** 403: visible, but the caller lacks the permission, which the one error item names in `field`. */
export class Denied extends HaulgateError {
  /** @param permission a name of the catalogue (identity/access/permissions.ts) */
  constructor(
    readonly permission: string,
    readonly reason: DenialReason = 'permission_missing',
  ) {
    super(403, 'forbidden', [{ model: 'Permission', field: permission, key: reason }]);
  }
}
/** 404: absent or not visible, indistinguishably. */
export class Missing extends HaulgateError {
  constructor() {
    super(404, 'object_not_found');
  }
}

/** The record, or undefined if it is Missing. Every other error goes on. */
export const unlessMissing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof Missing) return undefined;
    throw error;
  });

/** 406. */
export class NotAcceptable extends HaulgateError {
  constructor() {
    super(406, 'not_acceptable');
  }
}
/** 409: state machine rule, optimistic version, or a concurrent twin. */
export class Conflict extends HaulgateError {
  constructor(items: ErrorItem[]) {
    super(409, 'conflict', items);
  }
}
/** 410: a place from which a feed cannot be read on, or a record that is archived. The item says why; its field is that of the place. */
export class Gone extends HaulgateError {
  /** @param begin the path at which a client begins anew */
  constructor(
    model: string,
    field: string,
    key: string,
    params?: ErrorItem['params'],
    readonly begin?: string,
  ) {
    super(410, 'gone', [{ model, field, key, params }]);
  }
}
/** 412: the record is not any more what the client's `If-Match` says. */
export class PreconditionFailed extends HaulgateError {
  /** @param items where nothing could have been read that it might say */
  constructor(items: ErrorItem[] = []) {
    super(412, 'precondition_failed', items);
  }
}
/** 413. */
export class TooLarge extends HaulgateError {
  constructor() {
    super(413, 'payload_too_large');
  }
}
/** 415. */
export class UnsupportedMedia extends HaulgateError {
  constructor() {
    super(415, 'unsupported_media_type');
  }
}
/** 422: all problems of an input at once. */
export class Invalid extends HaulgateError {
  constructor(items: ErrorItem[]) {
    super(422, 'unprocessable_content', items);
  }
}
/** What an operation answers with 409: the state of its record, and the event that was attempted (the contract's StateError-Item). */
export type Attempt = Required<Pick<ErrorItem, 'state' | 'event'>>;

/** A refusal as the operation has it in the contract: a conflict of an attempt, or else something wrong with the input. */
export const refusalOf = (item: ErrorItem, attempt?: Attempt): Conflict | Invalid =>
  attempt ? new Conflict([{ ...item, field: 'state', ...attempt }]) : new Invalid([item]);
/** 429. */
export class TooMany extends HaulgateError {
  constructor(retryAfterSeconds: number) {
    super(429, 'too_many_requests', [], undefined, retryAfterSeconds);
  }
}
/** 503. */
export class Unavailable extends HaulgateError {
  /** @param cause for the log, never for the client */
  constructor(retryAfterSeconds = 1, cause?: unknown) {
    super(503, 'service_unavailable', [], undefined, retryAfterSeconds);
    this.cause = cause;
  }
}

/** 503 that a caller of a sandbox asked for: nothing is out of order, so that it is in no log and in no share of failures. */
export class AskedFor extends Unavailable {}

/** `query_canceled`: the statement's time was up, or nobody waited for its answer any more. */
const CANCELED = '57014';

/** SQLSTATE classes of a connection that is lost or refused (08, 57P, 53300), and the codes of its socket. */
const CONNECTION = /^(08|57P0|53300$|ECONNREFUSED$|ECONNRESET$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EAI_|ENOTFOUND$)/;
/** node-postgres has no code for a socket that closed during a query, or for a server that let nobody in, or did not answer, in time. */
const CONNECTION_LOST =
  /^(Connection terminated|Client has encountered a connection error|timeout e(xceeded when trying to connect|xpired$)|Query read timeout|Cannot use a pool after calling end)/;

/** Returns whether an error says that the database, or another server, cannot be reached at the moment. */
export function isUnreachable(error: unknown): boolean {
  const { code, message, syscall } = (error ?? {}) as { code?: unknown; message?: unknown; syscall?: unknown };
  // The socket of a local server is a file, which is not there while the server is not.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return (typeof code === 'string' && CONNECTION.test(code)) || CONNECTION_LOST.test(String(message));
}

/**
 * An error as clients learn of it: a statement that PostgreSQL ended before its time is 503, and so is a database that cannot be reached.
 * An error that is not known stays as it is.
 */
export function expected(error: unknown): unknown {
  if (error instanceof HaulgateError) return error;
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return code === CANCELED || isUnreachable(error) ? new Unavailable(1, error) : error;
}
