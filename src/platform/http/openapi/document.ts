import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLFieldExtensions,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { HttpEndpointDescription } from '../http-endpoints.ts';
import { hasEtag } from '../rest/etag.ts';
import { EXPORT_TYPES, isList, PARQUET } from '../rest/exports/formats.ts';
import { answerTypeOf, bodyTypeOf, type RestOperation, type RestVariable } from '../rest/operation.ts';
import { pathsOf } from '../rest/paths.ts';
import { ERROR_RESPONSES, ERROR_SCHEMAS, errorStatuses } from './errors.ts';
import { describeFollowUp, type FollowUpDescription } from './follow-ups.ts';
import { ANSWER_HEADERS, ARCHIVED_HEADERS, HEADERS, OPERATION_HEADERS, withAnswerHeaders } from './headers.ts';
import { matchedBy, PARAMETERS, parameters } from './parameters.ts';
import { ref, type Schema, SchemaWriter } from './schemas.ts';

interface Example {
  request?: unknown;
  response?: unknown;
  /** Answers to requests that asked for more (`FollowUp`), by names of their own. */
  further?: Readonly<Record<string, unknown>>;
}

/** A request of an operation and its answers, by the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;

/**
 * The OpenAPI 3.0.3 description, API version 1.0, of all REST documents and of the plain handlers that describe themselves.
 * @param followUps what clients may ask for beyond an answer, by the name of the operation
 */
export function openApiDocument(
  schema: GraphQLSchema,
  operations: readonly RestOperation[],
  plain: readonly HttpEndpointDescription[] = [],
  examples: Examples = {},
  followUps: Readonly<Record<string, { described: FollowUpDescription }>> = {},
): Schema {
  const writer = new SchemaWriter(schema);
  const paths: Record<string, Schema> = {};
  const add = (path: string, method: string, operation: Schema) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  const isMatched = matchedBy(operations);
  const described = operations.flatMap((operation) =>
    pathsOf(operation).map((path) => {
      const at = { scoped: path === operation.scopedPath, isMatched: isMatched(operation, path) };
      return { operation, path, text: describe(operation, writer, schema, at) };
    }),
  );
  // By now all components are known, of which follow-ups take fields.
  for (const { operation, path, text } of described) {
    const followUp = followUps[operation.name];
    const whole = followUp ? describeFollowUp(text, operation.status, followUp.described, writer.components) : text;
    add(path, operation.method, withHeaders(withPreferences(withExample(whole, operation.status, examples[operation.name]))));
  }
  for (const { path, method, openapi } of plain) if (openapi) add(path, method, withHeaders(openapi));
  return {
    openapi: '3.0.3',
    info: {
      title: 'Haulgate',
      version: '1.0',
      description:
        'Dispatch, proof of work and billing for bulk-materials hauling. Lists are paged by cursor: follow `next` of the `Link` header until it is absent. Every POST, PATCH and PUT accepts an `Idempotency-Key`. A field or parameter that an operation does not know changes nothing, and is named in the header `Warning` and in `meta.ignored` of the answer; with `Prefer: handling=strict` the request is refused instead.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      ...new Set([...operations.map((o) => o.domain), ...plain.flatMap(({ openapi }) => (openapi?.tags as string[] | undefined) ?? [])]),
    ]
      .sort()
      .map((name) => ({ name })),
    paths: sorted(paths),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        basic: { type: 'http', scheme: 'basic', description: 'For providers that send by themselves, such as those of telematics.' },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: ERROR_RESPONSES,
      schemas: sorted({ ...writer.components, ...ERROR_SCHEMAS, Archived: ARCHIVED }),
    },
  };
}

/** Adds examples to the body and to the usual success of a described operation. */
function withExample(described: Schema, status: number, example: Example | undefined): Schema {
  if (!example) return described;
  const { requestBody, responses } = described as { requestBody?: WithContent; responses: Record<string, WithContent> };
  Object.assign(requestBody?.content?.['application/json'] ?? {}, 'request' in example ? { example: example.request } : {});
  const { response, further } = example;
  const named = Object.entries({ at_once: response, ...further }).map(([name, value]) => [name, { value }]);
  const shown = further ? { examples: Object.fromEntries(named) } : { example: response };
  Object.assign(responses[status]?.content?.['application/json'] ?? {}, shown);
  return described;
}

/** The archived part of a list: `meta.archived` of its answers. */
const ARCHIVED: Schema = {
  type: 'object',
  required: ['before', 'in'],
  properties: {
    before: { type: 'string', format: 'date-time', description: 'The list is complete since then: what is older is in archives.' },
    deleted: {
      type: 'string',
      format: 'date-time',
      description: 'Archives of before then were deleted, because their time was over; absent if none were.',
    },
    in: { type: 'string', description: 'The folder of the archives in the storage of the operator, who can read them back.' },
  },
};

/** An answer that says what of its list is in archives. */
function withArchived(answer: Schema, reports: boolean | undefined): Schema {
  if (!reports) return answer;
  const description = 'Only once something of the company has left for archives.';
  const meta = { type: 'object', description, properties: { archived: ref('Archived') } };
  return { ...answer, properties: { ...(answer.properties as Schema), meta } };
}

type RootExtensions = GraphQLFieldExtensions<unknown, unknown>;

/** Returns the extensions of the root field of an operation. */
function rootOf({ kind, rootField }: RestOperation, schema: GraphQLSchema): RootExtensions {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return root?.getFields()[rootField]?.extensions ?? {};
}

/** Adds the preferences that a request of every operation may have, unless it has others of its own, and the header that says what it did not know. */
function withPreferences(described: Schema): Schema {
  const { parameters, responses } = described as { parameters: Schema[]; responses: Record<string, Schema> };
  const isOwn = parameters.some(({ name }) => name === PARAMETERS.Prefer!.name);
  return {
    ...described,
    parameters: isOwn ? parameters : [...parameters, { $ref: '#/components/parameters/Prefer' }],
    responses: withAnswerHeaders(responses, OPERATION_HEADERS),
  };
}

/** Adds the headers that every request may have and every answer has, whatever the operation. */
function withHeaders(described: Schema): Schema {
  const {
    security,
    parameters = [],
    responses,
  } = described as { security?: Schema[]; parameters?: unknown[]; responses: Record<string, Schema> };
  // Without a caller there is no sandbox, and nothing that somebody has read before.
  if (security && !security.some((way) => 'bearer' in way)) return described;
  const names = ['ReadPosition', 'SandboxFault'].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return { ...described, parameters: [...parameters, ...names], responses: withAnswerHeaders(responses, ANSWER_HEADERS) };
}

interface WithContent {
  content?: Record<string, Schema>;
}

/** The path under which an operation is described. */
interface At {
  scoped: boolean;
  /** What is changed there can be read with an ETag, which `If-Match` names. */
  isMatched: boolean;
}

function describe(operation: RestOperation, writer: SchemaWriter, schema: GraphQLSchema, at: At): Schema {
  const { scoped } = at;
  const path = scoped ? (operation.scopedPath as string) : operation.path;
  const deprecated = operation.deprecated !== undefined && !scoped;
  const names = [...operation.readOnly].map((name) => `\`${name}\``).join(', ');
  const readOnly = names && `Filled in by the product, and refused unless it is empty: ${names}.`;
  const text = [operation.description, readOnly, deprecated ? `Deprecated: ${operation.deprecated}` : undefined]
    .filter(Boolean)
    .join('\n\n');
  const body = bodySchema(operation, writer);
  return {
    operationId: scoped ? `${operation.name}OfCompany` : operation.name,
    summary: sentence(operation.name),
    ...(text ? { description: text } : {}),
    tags: [operation.domain],
    ...(deprecated ? { deprecated: true } : {}),
    ...(operation.public ? { security: [] } : {}),
    parameters: parameters(operation, path, writer, at.isMatched),
    ...(body ? { requestBody: body } : {}),
    responses: responses(operation, writer, rootOf(operation, schema), at),
  };
}

function bodySchema(operation: RestOperation, writer: SchemaWriter): Schema | undefined {
  const bodies = operation.variables.filter((v) => v.place === 'body');
  const [first] = bodies;
  if (!first) return undefined;
  const required = bodies.some(isRequired);
  if (operation.strict) for (const { type } of bodies) writer.close(type);
  const schema =
    first.wire === ''
      ? writer.input(first.type)
      : {
          type: 'object',
          properties: Object.fromEntries(bodies.map((v) => [v.wire, writer.input(v.type)])),
          ...(operation.strict ? { additionalProperties: false } : {}),
          ...(required ? { required: bodies.filter(isRequired).map((v) => v.wire) } : {}),
        };
  const json = { [bodyTypeOf(operation) ?? 'application/json']: { schema } };
  if (operation.upload) return { required, content: { ...json, 'multipart/form-data': { schema: withFile(schema, operation.upload) } } };
  return { required, content: operation.form ? { ...json, 'multipart/form-data': { schema } } : json };
}

/** A form holds the file itself where JSON names an upload. */
function withFile(schema: Schema, upload: string): Schema {
  return { allOf: [schema, { type: 'object', properties: { [upload]: { type: 'string', format: 'binary' } } }] };
}

function isRequired(variable: RestVariable): boolean {
  return isNonNullType(variable.type) && variable.defaultValue === undefined;
}

function responses(operation: RestOperation, writer: SchemaWriter, { reportsArchived, refusesArchived }: RootExtensions, at: At): Schema {
  const answers: Record<string, Schema> = {};
  if (operation.reply === 'NONE') answers[operation.status] = { description: 'Done; no body.' };
  else if (operation.reply === 'EMPTY') answers[operation.status] = success({ type: 'object', properties: {} });
  else if (operation.reply === 'ID')
    answers[operation.status] = success({ type: 'object', properties: { data: { type: 'string' } }, required: ['data'] });
  else if (answerTypeOf(operation)) answers[operation.status] = file(answerTypeOf(operation) as string);
  else if (operation.statuses.size === 0)
    answers[operation.status] = success(withArchived(dataSchema(operation, writer), reportsArchived), operation, reportsArchived);
  else for (const status of operation.statuses.values()) answers[status] = success(dataSchema(operation, writer, status));
  if (operation.empty) answers[204] = { description: 'There is nothing yet; no body.' };
  if (hasEtag(operation)) answers[304] = { description: 'The answer would be the one whose ETag is in If-None-Match.' };
  for (const [status, response] of errorStatuses(operation, at, refusesArchived === true))
    answers[status] = { $ref: `#/components/responses/${response}` };
  return answers;
}

function success(schema: Schema, operation?: RestOperation, reportsArchived = false): Schema {
  const headers: Schema = reportsArchived && operation && isList(operation) ? { ...ARCHIVED_HEADERS } : {};
  if (operation?.paged)
    headers.Link = { description: 'URLs of the next and the previous page, if they exist.', schema: { type: 'string' } };
  if (operation && hasEtag(operation))
    headers.ETag = { description: 'Changes with anything the answer contains.', schema: { type: 'string' } };
  const exports = operation && isList(operation) ? EXPORT_TYPES : [];
  const content = Object.fromEntries([
    ['application/json', { schema }],
    ...exports.map((type) => [type, { schema: type === PARQUET ? { type: 'string', format: 'binary' } : { type: 'string' } }]),
  ]);
  return { description: 'Success', ...(Object.keys(headers).length > 0 ? { headers } : {}), content };
}

function file(mediaType: string): Schema {
  return { description: 'A file', content: { [mediaType]: { schema: { type: 'string' } } } };
}

/** `{ data }`; with a status only the fragment that gives it. */
function dataSchema(operation: RestOperation, writer: SchemaWriter, status?: number): Schema {
  const fragments = new Map(
    operation.source.definitions.flatMap((d) =>
      d.kind === Kind.FRAGMENT_DEFINITION ? [[d.name.value, d] as [string, FragmentDefinitionNode]] : [],
    ),
  );
  const root = (operation.source.definitions[0] as OperationDefinitionNode).selectionSet.selections[0] as FieldNode;
  const type = getNullableType(operation.rootType) as GraphQLOutputType;
  let data: Schema;
  if (operation.paged && isObjectType(type)) {
    const nodes = root.selectionSet?.selections[0] as FieldNode;
    data = writer.output(type.getFields().nodes?.type as GraphQLOutputType, nodes.selectionSet, fragments);
  } else if (status !== undefined && root.selectionSet) {
    const mark = `__status${status}`;
    const selections = root.selectionSet.selections.filter(
      (s) => s.kind === Kind.INLINE_FRAGMENT && s.selectionSet.selections.some((f) => f.kind === Kind.FIELD && f.alias?.value === mark),
    );
    const { oneOf } = writer.output(type, { ...root.selectionSet, selections }, fragments) as { oneOf?: Schema[] };
    data = oneOf?.length === 1 ? (oneOf[0] as Schema) : { oneOf };
    if (!oneOf) data = writer.output(operation.rootType, root.selectionSet, fragments);
  } else {
    data = writer.output(operation.empty ? new GraphQLNonNull(type) : operation.rootType, root.selectionSet, fragments);
  }
  return { type: 'object', required: ['data'], properties: { data } };
}

/** `CreateOrder` -> `Create order`. */
function sentence(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words[0]?.toUpperCase() + words.slice(1);
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
