import { type GraphQLInputType, getNamedType, getNullableType, isListType, isNonNullType } from 'graphql';
import { BadRequest, type ErrorItem, Invalid, Missing } from '../../errors.ts';
import { isAsSent } from '../../graphql/as-sent.ts';
import { noteChecked } from '../../graphql/rules.ts';
import { ExactNumber, type ParsedJson } from '../../json/json.ts';
import { LocalDate, mediaTypeOf } from '../../scalars.ts';
import { join } from '../../text.ts';
import { Ignored } from './ignored.ts';
import { coerceInput, coerceScalar, complain, type InputErrorCollector, UNUSUAL, usualReader } from './inputs.ts';
import { modelOfBody, type RestOperation, type RestVariable } from './operation.ts';
import { coerceQuery, ignoreAll, type QueryTree } from './query.ts';

export interface RequestParts {
  params: Record<string, string>;
  query: QueryTree;
  /** The mistakes in the query string as such. */
  queryFaults?: readonly ErrorItem[];
  /** Undefined when the request had no body. */
  body: ParsedJson | undefined;
  /** Whether unknown fields and parameters are mistakes (`Prefer: handling=strict`). */
  strict?: boolean;
}

/** The variables of a request for its operation. */
export interface Coerced {
  variables: Record<string, unknown>;
  /** The unknown fields and parameters. */
  ignored: readonly ErrorItem[];
}

/** SPEC Limits. */
const MAX_PAGE = 100;

/**
 * The GraphQL variables of a request, and what is unknown in it. Variables that were not given stay absent.
 * @param maxItems of a list that is a whole @body or one of its keys
 * @throws Missing when a path parameter cannot be an id, BadRequest when the body is no object, Invalid with every wrong field or day
 */
export function coerceVariables(operation: RestOperation, request: RequestParts, maxItems: number): Coerced {
  const ignored = new Ignored();
  const to: InputErrorCollector = {
    model: 'Request',
    items: [...(request.queryFaults ?? [])],
    strict: operation.strict,
    suspicious: true,
    exact: false,
    ignored,
  };
  const variables: Record<string, unknown> = {};
  const set = (variable: RestVariable, value: unknown) => {
    if (value !== undefined) variables[variable.name] = value;
  };
  for (const variable of operation.variables) {
    if (variable.place === 'path' || variable.place === 'company') set(variable, pathValue(variable, request.params[variable.wire], to));
  }
  for (const variable of operation.variables) {
    if (variable.place !== 'query') continue;
    const type = variable.defaultValue && isNonNullType(variable.type) ? (variable.type.ofType as GraphQLInputType) : variable.type;
    const value = coerceQuery(request.query.children.get(variable.wire), type, variable.wire, to);
    set(variable, variable.picks ? (value as Record<string, unknown> | undefined)?.[variable.picks] : value);
    checkPage(variable, variables[variable.name], to);
  }
  ignoreUnknown(operation, request.query, to);
  const bodies = operation.variables.filter((variable) => variable.place === 'body');
  to.model = modelOfBody(operation);
  if (bodies.length > 0) coerceBody(operation, bodies, request.body, maxItems, to, set);
  else for (const key of keysOf(request.body?.value)) ignored.add(to.model, key, 'unknown_field');
  for (const { path } of request.body?.doubled ?? []) ignored.add(to.model, path.join('.'), 'given_twice');
  const unknown = ignored.items.filter(({ field }) => !operation.restated.has(field) && !operation.readOnly.has(field));
  // What a write never takes, such as a parameter of the importer, is named already.
  const isNamed = (one: ErrorItem) => to.items.some(({ field, key }) => field === one.field && key === one.key);
  const refused = request.strict ? unknown.filter((one) => !isNamed(one)) : [];
  to.items.push(...setByClient(operation, ignored.items, request.body?.value), ...refused);
  if (to.items.length > 0) throw new Invalid(to.items);
  return { variables, ignored: unknown };
}

const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

/** Notes the parameters that no variable takes. */
function ignoreUnknown({ variables }: RestOperation, query: QueryTree, to: InputErrorCollector): void {
  const isKnown = (name: string) => variables.some(({ place, wire }) => place === 'query' && wire === name);
  for (const [name, node] of query.children) if (!isKnown(name)) ignoreAll(node, name, to);
  for (const name of query.unread) to.ignored?.add('Request', name, 'unknown_parameter');
}

/** The errors of fields that only the product fills in, where they are not empty: who sets one would believe that it holds. */
function setByClient({ readOnly }: RestOperation, unknown: readonly ErrorItem[], body: unknown): ErrorItem[] {
  const given = body as Record<string, unknown> | undefined;
  return unknown.flatMap(({ model, field, key }) => {
    if (key === 'given_twice') return [];
    const value = given?.[field];
    const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
    return readOnly.has(field) && !isEmpty ? [{ model, field, key: 'read_only' }] : [];
  });
}

function coerceBody(
  { strict, misplaced }: RestOperation,
  bodies: RestVariable[],
  parsed: ParsedJson | undefined,
  maxItems: number,
  to: InputErrorCollector,
  set: (variable: RestVariable, value: unknown) => void,
): void {
  const whole = bodies.find((variable) => variable.wire === '');
  const wantsList = whole !== undefined && isListType(getNullableType(whole.type));
  const wantsText = whole !== undefined && mediaTypeOf(getNamedType(whole.type)) !== undefined;
  to.suspicious = parsed?.suspicious ?? false;
  to.exact = parsed?.exact ?? false;
  // No body is an empty object, so that every required field is named.
  const body = parsed === undefined ? {} : parsed.value;
  const list = bodies.find(({ wire, type }) => wire !== '' && isNonNullType(type) && isListType(type.ofType));
  // The error names the key under which a sender must send the elements.
  if (list && Array.isArray(body)) {
    complain(to, list.wire, 'required');
    return;
  }
  if (!wantsList && !wantsText && (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof ExactNumber))
    throw new BadRequest('body_not_object');
  if (whole) {
    if (parsed === undefined && !isNonNullType(whole.type)) return;
    if (tooMany(body, maxItems)) complain(to, '', 'too_many_items', { max: maxItems });
    else set(whole, isAsSent(getNamedType(whole.type)) ? handedOn(body, whole.type, to) : coerceInput(body, whole.type, '', to));
    return;
  }
  for (const variable of bodies) {
    const value = Object.hasOwn(body as object, variable.wire) ? (body as Record<string, unknown>)[variable.wire] : undefined;
    if (value === undefined && variable.defaultValue) continue;
    if (tooMany(value, maxItems)) complain(to, variable.wire, 'too_many_items', { max: maxItems });
    else set(variable, coerceInput(value, variable.type, variable.wire, to));
  }
  const known = new Set(bodies.map((variable) => variable.wire));
  // One of two payloads, or lists of them, would be lost without notice.
  const twice = new Set((parsed?.repeated ?? []).flatMap(({ path: [key, within] }) => (within === undefined ? String(key) : [])));
  for (const key of twice) if (known.has(key)) complain(to, key, 'given_twice');
  for (const key of Object.keys(body as object)) {
    if (known.has(key)) continue;
    if (strict || misplaced.has(key.toLowerCase())) complain(to, join('', key), 'unknown_field');
    else to.ignored?.add(to.model, key, 'unknown_field');
  }
}

/** The body in the form in which resolvers have it, for types that nobody reads again. */
function handedOn(body: unknown, type: GraphQLInputType, to: InputErrorCollector): unknown {
  to.handed = true;
  const read = to.suspicious || to.exact ? UNUSUAL : usualReader(type)(body);
  const value = read === UNUSUAL ? coerceInput(body, type, '', to) : read;
  if (to.items.length === 0) noteChecked(value as object);
  return value;
}

function tooMany(value: unknown, maxItems: number): boolean {
  return Array.isArray(value) && value.length > maxItems;
}

/** Ids that are not uuids name nothing: 404, not 422. A day that does not exist is not an id but a mistake, and is reported. */
function pathValue(variable: RestVariable, text: string | undefined, problems: InputErrorCollector): unknown {
  if (text === undefined) return undefined;
  if (getNamedType(variable.type) === LocalDate) return coerceScalar(text, LocalDate, variable.wire, problems);
  const to: InputErrorCollector = { model: '', items: [], strict: false, suspicious: true, exact: false };
  const type = getNullableType(variable.type) as GraphQLInputType;
  const typed = String(type) === 'Int' && /^\d{1,9}$/.test(text) ? Number(text) : text;
  const value = isListType(type) ? undefined : coerceScalarLike(typed, type, to);
  if (to.items.length > 0 || value === undefined) throw new Missing();
  return value;
}

function coerceScalarLike(value: unknown, type: GraphQLInputType, to: InputErrorCollector): unknown {
  return 'parseValue' in type && !('getValues' in type) ? coerceScalar(value, type as never, '', to) : coerceInput(value, type, '', to);
}

/** SPEC Limits: `page[limit]` is 1 to 100 on all lists. */
function checkPage(variable: RestVariable, value: unknown, to: InputErrorCollector): void {
  const limit = variable.wire === 'page' ? (value as { limit?: unknown } | undefined)?.limit : undefined;
  if (typeof limit === 'number' && (limit < 1 || limit > MAX_PAGE)) complain(to, 'page[limit]', 'out_of_range', { min: 1, max: MAX_PAGE });
}
