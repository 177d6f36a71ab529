import type { Request } from 'express';
import type { ErrorItem } from '../../errors.ts';
import type { ParsedJson } from '../../json/json.ts';
import { isObject } from '../../json/objects.ts';
import { type Archived, latestOf } from '../../read/past/archived.ts';
import type { Answer } from './envelope.ts';
import { isStrict } from './negotiation.ts';

/** Names that an answer lists. */
const MOST_NAMES = 1_000;
/** Characters of a name that an answer repeats. */
const MOST_CHARACTERS = 100;
/** Characters of the names in a header, which servers in between limit. */
const MOST_IN_HEADER = 1_000;

/**
 * Collects what a request contains that its operation does not know: fields of its body, and query parameters; and those that are given twice, of
 * which the last counts.
 */
export class Ignored {
  readonly #items = new Map<string, ErrorItem>();

  add(model: string, field: string, key: 'unknown_field' | 'unknown_parameter' | 'given_twice'): void {
    if (this.#items.size < MOST_NAMES) this.#items.set(`${key} ${field}`, { model, field: shown(field), key });
  }

  /** As the errors that they are for a client who wants them to be. */
  get items(): ErrorItem[] {
    return [...this.#items.values()];
  }
}

/**
 * The parameters of a query string that an endpoint without a document does not know, which are named as those of every operation (docs/api.md).
 * @param items gets them, too, if the caller wants them to be errors
 */
export function unknownParameters(req: Request, known: readonly string[], items: ErrorItem[]): ErrorItem[] {
  const ignored = new Ignored();
  for (const name of Object.keys(req.query)) if (!known.includes(name)) ignored.add('Request', name, 'unknown_parameter');
  if (isStrict(req)) items.push(...ignored.items);
  return ignored.items;
}

/**
 * The fields of a JSON body that an endpoint without a document does not know, and those that are given twice, which are named as those of every
 * operation.
 * @param items gets them, too, if the caller wants them to be errors
 */
export function unknownFields(
  req: Request,
  { value, doubled }: Pick<ParsedJson, 'value' | 'doubled'>,
  { model, known }: { model: string; known: readonly string[] },
  items: ErrorItem[],
): ErrorItem[] {
  const ignored = new Ignored();
  for (const name of isObject(value) ? Object.keys(value) : []) if (!known.includes(name)) ignored.add(model, name, 'unknown_field');
  for (const { path } of doubled ?? []) ignored.add(model, path.join('.'), 'given_twice');
  if (isStrict(req)) items.push(...ignored.items);
  return ignored.items;
}

/** The beginning of a name that a client wrote, as text that can be stored. */
export const shown = (name: string): string => name.slice(0, MOST_CHARACTERS).toWellFormed().replaceAll('\0', '\uFFFD');

/**
 * Names in an answer what was ignored: in the header `Warning` (RFC 7234, section 5.5) and, where the answer is a JSON object, in
 * `meta.ignored`. An answer to a request in which everything is known stays as it is.
 * @param archived what of a list is in archives, for `meta.archived`
 */
export function withIgnored(answer: Answer, ignored: readonly ErrorItem[], archived: readonly Archived[] = []): Answer {
  const meta = answer.status < 400 && archived.length > 0 ? { archived: latestOf(archived) } : {};
  if (ignored.length === 0)
    return 'archived' in meta && answer.body !== undefined ? { ...answer, body: withMeta(answer.body, meta) } : answer;
  const names = namesOf(ignored);
  const headers: Record<string, string> = { ...answer.headers, ...ignoredHeaders(ignored) };
  if (answer.status >= 400 || answer.body === undefined || headers['Content-Type'] !== undefined) return { ...answer, headers };
  return { ...answer, headers, body: withMeta(answer.body, { ignored: names, ...meta }) };
}

/** The header alone, for what is sent as a stream. */
export const ignoredHeaders = (ignored: readonly ErrorItem[]): Record<string, string> =>
  ignored.length > 0 ? { Warning: warningOf(namesOf(ignored)) } : {};

/** A field may be unknown, and given twice. */
const namesOf = (ignored: readonly ErrorItem[]): string[] => [...new Set(ignored.map(({ field }) => field))];

/** @param body an object, or its text */
function withMeta(body: unknown, meta: object): unknown {
  if (typeof body !== 'string') return { ...(body as object), meta: { ...(body as { meta?: object }).meta, ...meta } };
  const open = body.slice(0, -1);
  return `${open}${open === '{' ? '' : ','}"meta":${JSON.stringify(meta)}}`;
}

/** A header is a quoted string of visible ASCII; the body has the names as they are. */
function warningOf(names: readonly string[]): string {
  const text = names.join(', ').replace(/[^\x20-\x7e]|["\\]/g, '?');
  return `299 - "Ignored: ${text.length > MOST_IN_HEADER ? `${text.slice(0, MOST_IN_HEADER)}...` : text}"`;
}
