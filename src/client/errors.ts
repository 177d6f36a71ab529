/** A problem of one field of a request. */
export interface ErrorItem {
  model: string;
  field: string;
  message: string;
}

/** The server refused a request. */
export class HaulgateError extends Error {
  override readonly name = 'HaulgateError';

  constructor(
    readonly status: number,
    /** Such as `unprocessable_content`; undefined if a proxy or firewall answered. */
    readonly code: string | undefined,
    /** The problem of each field. */
    readonly errors: readonly ErrorItem[],
    /** Finds the request in the server's log. */
    readonly requestId: string | undefined,
  ) {
    const what = errors.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
    super(`${status} ${what || code || 'by a proxy or firewall before the server'}`);
  }
}

/** There was no answer, or no way in: nothing listens, the certificate is wrong, the secret is not known. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Some root fields of a GraphQL document were not answered. */
export class GraphqlError<Data> extends Error {
  override readonly name = 'GraphqlError';

  constructor(
    readonly errors: readonly { message: string; path?: readonly (string | number)[]; extensions?: Record<string, unknown> }[],
    /** The data that was answered all the same. */
    readonly data: Data | undefined,
  ) {
    super(errors.map(({ message }) => message).join('; '));
  }
}
