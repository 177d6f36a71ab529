import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type ValueNode,
} from 'graphql';
import type { BodyKind } from '../../json/json.ts';
import { modelOfInput, wireName } from '../../model/names.ts';
import { mediaTypeOf } from '../../scalars.ts';
import type { AnswerEdits } from './answer-edits.ts';

/** Where a variable's value comes from. `company` is `{company-id}` of a scoped path, absent on the un-scoped one. */
export type VariablePlace = 'path' | 'company' | 'query' | 'body';

export interface RestVariable {
  name: string;
  type: GraphQLInputType;
  place: VariablePlace;
  /** Name of the parameter as the client writes it: `order-id`, `page`; for bodies the key, or empty for the whole body. */
  wire: string;
  defaultValue?: ValueNode;
  /** Of an object, the field that is the value; by default, all of it is. */
  picks?: string;
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One document, compiled: everything the router and the OpenAPI writer need, decided at boot. */
export interface RestOperation {
  name: string;
  domain: string;
  file: string;
  line: number;
  /** The comment above the operation. */
  description?: string;
  kind: 'query' | 'mutation';
  method: RestMethod;
  /** `/v1/orders/{order-id}/loads`. */
  path: string;
  /** `/v1/companies/{company-id}/orders/{order-id}/loads` when scoped. */
  scopedPath?: string;
  status: number;
  /** Statuses of `@status` fragments by the hidden alias that marks them. */
  statuses: Map<string, number>;
  public: boolean;
  /** Its answer is never stored. */
  secret: boolean;
  strict: boolean;
  /** Names in lower case. */
  misplaced: ReadonlySet<string>;
  /** Keys of the body that are refused unless they are empty. */
  readOnly: ReadonlySet<string>;
  /** Keys of the body, with dots, that are taken and not looked at. */
  restated: ReadonlySet<string>;
  /** Query parameters must be known, given once and not empty. */
  exact: boolean;
  /** Forms are taken as well as JSON. */
  form: boolean;
  reply: 'DATA' | 'ID' | 'EMPTY' | 'NONE';
  deprecated?: string;
  /** The record that errors of the body are about, where no input type says so. */
  model?: string;
  /** Key of the body that names an upload; also served as multipart/form-data with the file itself. */
  upload?: string;
  paged: boolean;
  variables: RestVariable[];
  /** With wire names, `nodes` and `pageInfo` of pages, and without REST directives: what is executed. */
  document: DocumentNode;
  /** The same with the REST directives, from which the answer is described. */
  source: DocumentNode;
  /** Where the answer differs from the result; undefined for nowhere. */
  edits?: AnswerEdits;
  /** Statuses of what is wrong with a request (422 or 400), and of what the caller may not do (403 or 404). */
  invalid: number;
  denied: number;
  /** Statuses of errors that the contract lists, and that it never answers with. */
  listed: readonly number[];
  /** Answers 204 while there is nothing. */
  empty: boolean;
  rootField: string;
  rootType: GraphQLOutputType;
}

/** The media type of a body that is text and no JSON; undefined for JSON. */
export function bodyTypeOf(operation: RestOperation): string | undefined {
  const whole = operation.variables.find((variable) => variable.place === 'body' && variable.wire === '');
  return whole && mediaTypeOf(getNamedType(whole.type));
}

/** The kind of an operation's JSON body: a value of the type JSON is a sender's payload and is kept as it was sent. */
export function bodyKindOf(operation: RestOperation): BodyKind {
  const payloads = operation.variables.filter(({ place, type }) => place === 'body' && String(getNamedType(type)) === 'JSON');
  if (payloads.some(({ type }) => isListType(getNullableType(type)))) return 'payloads';
  return payloads.length > 0 ? 'payload' : 'value';
}

/** The media type of an answer that is text and no JSON; undefined for JSON. */
export const answerTypeOf = (operation: RestOperation): string | undefined => mediaTypeOf(getNamedType(operation.rootType));

/** The record that errors of an operation's body are about; `Request` when it is about none that the schema knows. */
export function modelOfBody(operation: RestOperation): string {
  if (operation.model) return operation.model;
  const bodies = operation.variables.filter(({ place }) => place === 'body');
  const [body] = [...bodies.filter(({ wire }) => wire === ''), ...bodies];
  const type = body && getNamedType(body.type);
  return !type || type.name === 'JSON' || mediaTypeOf(type) !== undefined ? 'Request' : modelOfInput(type);
}

/** The fields that a form of an operation with an upload may have, whether the file has to be there, and the record that its error items are about. */
export function formOf(operation: RestOperation): { fields: string[]; required: boolean; model: string } {
  const whole = operation.variables.find((variable) => variable.place === 'body' && variable.wire === '');
  const type = whole && getNamedType(whole.type);
  if (!isInputObjectType(type)) throw new Error(`${operation.name} has an upload and no input to put it in`);
  const fields = Object.values(type.getFields());
  const upload = fields.find(({ name }) => wireName(name) === operation.upload);
  return { fields: fields.map(({ name }) => wireName(name)), required: isNonNullType(upload?.type), model: modelOfBody(operation) };
}
