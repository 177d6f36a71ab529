import { GraphQLID, getNamedType, getNullableType } from 'graphql';
import { LocalDate } from '../../scalars.ts';
import type { RestOperation } from '../rest/operation.ts';
import { ref, type Schema } from './schemas.ts';

/** The error envelope (SPEC Errors). */
export const ERROR_SCHEMAS: Record<string, Schema> = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code'],
        properties: {
          code: { type: 'string', description: 'Mirrors the HTTP status.' },
          error_type: { type: 'string', description: 'Why the caller is not authenticated.' },
          errors: { type: 'array', items: ref('ErrorItem') },
        },
      },
    },
  },
  ErrorItem: {
    type: 'object',
    required: ['model', 'field', 'message'],
    properties: {
      model: { type: 'string' },
      field: { type: 'string', description: 'Path of the field, such as waypoints.1.site_id; empty for the whole record.' },
      message: { type: 'string', description: 'In the language of Accept-Language; may be shown to end users.' },
      state: { type: 'string', description: 'On conflicts: the current state.' },
      event: { type: 'string', description: 'On conflicts: the event that was attempted.' },
    },
  },
};

const RESPONSES: [status: number, name: string, description: string][] = [
  [400, 'BadRequest', 'The request could not be read.'],
  [401, 'Unauthorized', 'The token is missing or expired.'],
  [403, 'Forbidden', 'The caller lacks a permission; errors name it in field.'],
  [404, 'NotFound', 'The resource does not exist or is not visible.'],
  [406, 'NotAcceptable', 'The Accept header excludes what is answered.'],
  [409, 'Conflict', 'The action violates a state rule, or a request with this Idempotency-Key is still running.'],
  [
    410,
    'Gone',
    'The feed cannot be read on from this position, and the `Link` with rel="start" says where to begin; or the record is archived, and the error says since when.',
  ],
  [412, 'PreconditionFailed', 'The record has changed since the answer whose ETag is in If-Match.'],
  [413, 'PayloadTooLarge', 'The body is too large.'],
  [415, 'UnsupportedMediaType', 'The Content-Type is not one that is taken here.'],
  [422, 'UnprocessableContent', 'Validation failed; errors name the fields.'],
  [429, 'TooManyRequests', 'Too many requests of this caller; try again after Retry-After seconds.'],
  [500, 'InternalServerError', 'A fault of the server.'],
  [503, 'ServiceUnavailable', 'Try again after a short back-off.'],
];

export const ERROR_RESPONSES: Record<string, Schema> = Object.fromEntries(
  RESPONSES.map(([, name, description]) => [name, { description, content: { 'application/json': { schema: ref('Error') } } }]),
);

/**
 * Which errors an operation can answer with, by what it takes, and those that the contract lists for it in addition.
 * @param at whether it is in the path of a company, and whether `If-Match` has something to name
 * @param refusesArchived it reads a record that may be in an archive
 */
export function errorStatuses(
  operation: RestOperation,
  { scoped, isMatched }: { scoped: boolean; isMatched: boolean },
  refusesArchived: boolean,
): [number, string][] {
  const takes = (place: string) => operation.variables.some((v) => v.place === place);
  const writes = operation.method !== 'GET';
  // A list narrows by ids of many records; one that is named must be there.
  const namesOne = operation.variables.some(({ place, type }) => place === 'query' && getNullableType(type) === GraphQLID);
  const possible: Record<number, boolean> = {
    400: operation.invalid === 400 || writes || operation.paged,
    // A public operation that writes and answers something is a login of some kind.
    401: !operation.public || (operation.kind === 'mutation' && operation.reply === 'DATA'),
    403: !operation.public && operation.denied === 403,
    // Also what there is of oneself: machines drive nothing, and impersonate nobody.
    404: scoped || takes('path') || takes('body') || namesOne || operation.path.includes('/users/me/'),
    409: writes && !operation.public,
    // The feed is no document.
    410: refusesArchived,
    412: isMatched,
    413: writes,
    415: writes,
    // Without a body too: an Idempotency-Key that was used for something else; and a day in the path that there is not.
    422:
      operation.invalid === 422 &&
      (writes || takes('query') || operation.variables.some(({ place, type }) => place === 'path' && getNamedType(type) === LocalDate)),
  };
  return RESPONSES.filter(([status]) => operation.listed.includes(status) || (possible[status] ?? true)).map(([status, name]) => [
    status,
    name,
  ]);
}
