import { GraphQLEnumType } from 'graphql';
import type { ErrorCode } from '../errors.ts';

/** Codes of errors about the document itself, which REST cannot have. The names of the last two are a protocol's, by which its clients know them. */
type DocumentErrorCode =
  | 'graphql_parse_failed'
  | 'graphql_validation_failed'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED';

/** Every `extensions.code` of an error over GraphQL, and what it means. The codes of REST are the same, without those of documents. */
const CODES: Record<ErrorCode | DocumentErrorCode, string> = {
  bad_request: 'The request could not be read, such as a variable of a wrong type, or asks for too much.',
  graphql_parse_failed: 'The document is not GraphQL.',
  graphql_validation_failed: 'The document does not fit the schema.',
  PERSISTED_QUERY_NOT_FOUND: 'The document of this hash is not known: send it once with its text.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'Documents are not kept by their hash.',
  unauthorized: 'There is no valid token.',
  forbidden: 'The permission is missing.',
  object_not_found: 'The record does not exist, or is not visible.',
  method_not_allowed: 'The HTTP method is not one of this address.',
  not_acceptable: 'No media type that is accepted can be answered.',
  conflict: "The record's state does not allow it.",
  gone: 'The feed cannot be read on from this position: begin with a snapshot.',
  precondition_failed: 'The record was changed since it was read.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body has a media type that is not read here.',
  unprocessable_content: 'A value is not valid. `extensions.errors` names each.',
  too_many_requests: 'Too many requests were sent. `Retry-After` says when to try again.',
  internal_server_error: 'Something went wrong on the side of the server.',
  service_unavailable: 'The server cannot answer at the moment. It is safe to try again.',
};

/** The codes as an enum of the schema, for clients that generate their types from it. No field has it, because errors are no data. */
export const errorCodeEnum = new GraphQLEnumType({
  name: 'ErrorCode',
  description: 'The values that `extensions.code` of an error may have.',
  values: Object.fromEntries(Object.entries(CODES).map(([name, description]) => [name, { description }])),
});

const APOLLOS: Record<string, keyof typeof CODES> = {
  GRAPHQL_PARSE_FAILED: 'graphql_parse_failed',
  GRAPHQL_VALIDATION_FAILED: 'graphql_validation_failed',
  BAD_USER_INPUT: 'bad_request',
  BAD_REQUEST: 'bad_request',
  OPERATION_RESOLUTION_FAILURE: 'bad_request',
  INTERNAL_SERVER_ERROR: 'internal_server_error',
};

/** A code as the enum has it, for one of Apollo. */
export const errorCodeOf = (code: unknown): unknown => APOLLOS[String(code)] ?? code;
