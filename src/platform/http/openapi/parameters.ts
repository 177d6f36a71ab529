import { type GraphQLInputType, GraphQLNonNull, getNullableType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { wireFields } from '../../model/names.ts';
import { FAULT_HEADER, FAULTS } from '../../worlds/faults.ts';
import { hasEtag, pathsOfRecord } from '../rest/etag.ts';
import type { RestOperation } from '../rest/operation.ts';
import { pathParams, pathsOf, withoutNames } from '../rest/paths.ts';
import { READ_POSITION } from './headers.ts';
import type { Schema, SchemaWriter } from './schemas.ts';

/** A JSON parameter: `mapping[Order #]=external_id`. */
const TEXTS_BY_NAME: Schema = { type: 'object', additionalProperties: { type: 'string' } };

export const PARAMETERS: Record<string, Schema> = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of error messages: en, en-ca, es-us or fr-ca.',
    schema: { type: 'string', default: 'en' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A value of your choice. Requests with the same key are executed once; for 7 days, repetitions get the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an answer you have: while the record is the same, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of the record as you have read it: if it has changed since, the answer is 412 and nothing is done.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` refuses a request with fields or parameters that the operation does not know (422); otherwise they are named in `Warning` and `meta.ignored`. `waypoints=all`, `approvals=all` and `principals=all` answer words that clients of the contract do not know. Several preferences are separated by commas (RFC 7240).',
    schema: { type: 'string', example: 'handling=strict' },
  },
  ReadPosition: {
    name: 'X-Read-Position',
    in: 'header',
    description:
      'Where an installation has replicas: the `X-Read-Position` of your last answer. You are then answered by any replica that shows everything up to there, which may not have what others wrote since. Without it, or with `none`, you see everything that was written before your request.',
    schema: READ_POSITION,
  },
  SandboxFault: {
    name: FAULT_HEADER,
    in: 'header',
    description:
      'In a sandbox, what is to go wrong: `503` answers that; `timeout` answers nothing for 20 seconds and closes the connection; `duplicate-webhook` sends the events of the request twice. Elsewhere it is ignored.',
    schema: { type: 'string', enum: [...FAULTS] },
  },
};

/** Returns whether a record that is changed under a path of an operation can be read with an ETag. */
export function matchedBy(operations: readonly RestOperation[]): (operation: RestOperation, path: string) => boolean {
  const read = new Set(operations.filter(hasEtag).flatMap((operation) => pathsOf(operation).map(withoutNames)));
  return (operation, path) =>
    operation.method !== 'GET' && !operation.public && pathsOfRecord(operation, path, path).some((one) => read.has(withoutNames(one)));
}

/** Path, query and header parameters of an operation under one of its paths. @param isMatched what is changed there can be read with an ETag */
export function parameters(operation: RestOperation, path: string, writer: SchemaWriter, isMatched: boolean): Schema[] {
  return [...pathParameters(operation, path, writer), ...queryParameters(operation, writer), ...headerParameters(operation, isMatched)];
}

/** Each is of the type of its variable: an id, mostly. */
function pathParameters({ variables }: RestOperation, path: string, writer: SchemaWriter): Schema[] {
  return pathParams(path).map((name) => {
    const variable = variables.find(({ place, wire }) => (place === 'path' || place === 'company') && wire === name);
    if (!variable) throw new Error(`${path} has no variable for {${name}}`);
    return { name, in: 'path', required: true, schema: writer.input(new GraphQLNonNull(getNullableType(variable.type))) };
  });
}

function headerParameters(operation: RestOperation, isMatched: boolean): Schema[] {
  const { method } = operation;
  const names = ['AcceptLanguage'];
  if (method !== 'GET' && method !== 'DELETE' && !operation.public) names.push('IdempotencyKey');
  if (hasEtag(operation)) names.push('IfNoneMatch');
  if (isMatched) names.push('IfMatch');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function queryParameters(operation: RestOperation, writer: SchemaWriter): Schema[] {
  return operation.variables
    .filter((v) => v.place === 'query')
    .flatMap((variable) => parametersOf(variable.wire, variable.type, writer, variable));
}

/** `filter` becomes `filter[states][]`, `filter[job][states][]` and so on, one parameter per leaf. */
function parametersOf(
  name: string,
  type: GraphQLInputType,
  writer: SchemaWriter,
  from: { description?: string | null; defaultValue?: unknown },
  seen: readonly string[] = [],
): Schema[] {
  const nullable = getNullableType(type) as GraphQLInputType;
  if (isInputObjectType(nullable)) {
    // A filter that contains itself is described once.
    if (seen.includes(nullable.name)) return [];
    return [...wireFields(nullable)].flatMap(([wire, field]) => {
      const inner = nullable.getFields()[field];
      return inner ? parametersOf(`${name}[${wire}]`, inner.type, writer, inner, [...seen, nullable.name]) : [];
    });
  }
  if (String(nullable) === 'JSON') return [{ name, in: 'query', style: 'deepObject', explode: true, schema: TEXTS_BY_NAME }];
  const schema = name === 'page[limit]' ? { type: 'integer', minimum: 1, maximum: 100, default: 25 } : { ...writer.input(type) };
  delete (schema as Schema).nullable;
  // An enum that may be null is not one that may be left out.
  const [only] = (schema as { allOf?: Schema[] }).allOf ?? [];
  const plain = only && '$ref' in only ? only : schema;
  return [
    {
      name: isListType(nullable) ? `${name}[]` : name,
      in: 'query',
      ...(from.description ? { description: from.description } : {}),
      ...(isNonNullType(type) && from.defaultValue === undefined ? { required: true } : {}),
      ...(isListType(nullable) ? { style: 'form', explode: true } : {}),
      schema: plain,
    },
  ];
}
