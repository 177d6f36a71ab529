import type { Schema } from './schemas.ts';

/** A position as answers have it and requests send it back (database/replicas/position.ts), or that none is known. */
export const READ_POSITION: Schema = { type: 'string', pattern: '^(\\d{1,9}-[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}|none)$' };

/** Headers that answers have whatever the operation. */
export const HEADERS: Record<string, Schema> = {
  ReadPosition: {
    description:
      'Where an installation has replicas: up to where in the log of the database this answer shows it, to be sent with the next request. `none`, or no header, means that the position before must not be sent any more. A stream has none.',
    schema: READ_POSITION,
  },
  Sandbox: {
    description: 'The caller is in a sandbox: nothing of the answer is real.',
    schema: { type: 'string', enum: ['true'] },
  },
  Warning: {
    description:
      'Names the fields of the body and the parameters that the operation does not know, and which changed nothing. `meta.ignored` of a JSON answer lists them.',
    schema: { type: 'string', example: '299 - "Ignored: colour, filter[stats]"' },
  },
  ArchivedBefore: {
    description:
      'Of CSV, NDJSON and Parquet, what `meta.archived.before` is of JSON: the list is complete since then, because what is older is in archives.',
    schema: { type: 'string', format: 'date-time' },
  },
  ArchivedDeleted: {
    description:
      'Of CSV and NDJSON, what `meta.archived.deleted` is of JSON: archives of before then were deleted, because their time was over. Absent if none were.',
    schema: { type: 'string', format: 'date-time' },
  },
  ArchivedIn: {
    description:
      'Of CSV, NDJSON and Parquet, what `meta.archived.in` is of JSON: the folder of the archives in the storage of the operator.',
    schema: { type: 'string' },
  },
};

/** Headers of lists that say what of them is archived, where they are answered in another form than JSON. */
export const ARCHIVED_HEADERS: Schema = {
  'X-Archived-Before': { $ref: '#/components/headers/ArchivedBefore' },
  'X-Archived-Deleted': { $ref: '#/components/headers/ArchivedDeleted' },
  'X-Archived-In': { $ref: '#/components/headers/ArchivedIn' },
};

/** Headers of answers of operations, whatever they are. */
export const OPERATION_HEADERS: Schema = { Warning: { $ref: '#/components/headers/Warning' } };

/** Headers of answers that somebody who is signed in gets. */
export const ANSWER_HEADERS: Schema = {
  'X-Read-Position': { $ref: '#/components/headers/ReadPosition' },
  'X-Sandbox': { $ref: '#/components/headers/Sandbox' },
};

/** Adds headers to the answers of an operation, but for those that many operations share. */
export const withAnswerHeaders = (responses: Record<string, Schema>, headers: Schema): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => [
      status,
      '$ref' in answer ? answer : { ...answer, headers: { ...(answer.headers as Schema), ...headers } },
    ]),
  );
