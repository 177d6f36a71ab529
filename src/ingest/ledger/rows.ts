import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { type Language, pickLanguage } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { isObject } from '../../platform/json/objects.ts';
import type { Importer, ImportKind, Warning } from '../importer.ts';
import { payloadHash } from '../payload/hash.ts';
import { keyOf } from '../payload/key.ts';
import { lastError } from '../payload/last-error.ts';
import { lostBy } from '../payload/lost-fields.ts';
import { unstorable } from '../payload/unstorable.ts';
import { cutOff, isTooDeep, LEVELS } from './depth.ts';

/** Why an element is unreadable: the first word of `last_error`, and a message key. */
export interface Unreadable {
  code: string;
  /** The place in the element; the whole element by default. */
  pointer?: string;
  key: string;
  params?: Record<string, string | number>;
  metadata?: unknown;
}

/** The most characters of a key: a longer one would not fit an index page. */
const KEY_LIMIT = 500;
/** Of an element that is nested too deep. Its record lacks the deep parts, so it cannot be retried. */
export const TOO_DEEP_CODE = 'too_deep';

/** An element as the ledger stores it. */
export interface Row {
  id: string;
  index: number;
  imported_for: string | null;
  payload: unknown;
  hash: string;
  metadata?: unknown;
  /** `created`; `skipped` for an element equal to the one before it under the same key; `exhausted` for an unreadable element. */
  state: 'created' | 'skipped' | 'exhausted';
  /** Why it is unreadable. */
  refusal?: Unreadable;
  /** The warning about values that only an element of its key had which it replaces. */
  replaced?: Warning;
  last_error?: string;
}

/** Returns the rows of elements, with their keys, hashes, and what is decided before an importer sees them. */
export function toRows(
  importer: Pick<Importer, 'kind' | 'keyField' | 'supersedes'>,
  elements: unknown[],
  unreadable?: ReadonlyMap<number, Unreadable>,
): Row[] {
  const before = new Map<string, string>();
  const older = new Map<string, Record<string, unknown>[]>();
  return elements.map((element, index) => {
    const deep = isTooDeep(element);
    const payload = deep ? cutOff(element) : element;
    const row: Row = { id: newId(), index, imported_for: null, payload, hash: payloadHash(payload), state: 'created' };
    const reason = unreadable?.get(index);
    if (reason) return refused({ ...row, metadata: reason.metadata }, reason);
    if (!isObject(payload)) return refused(row, { code: 'not_an_object', key: 'import_not_an_object' });
    row.metadata = payload.metadata;
    const key = keyOf(payload[importer.keyField]);
    if (key !== undefined && isTooLong(key))
      return refused(row, {
        code: 'key_too_long',
        pointer: `/${importer.keyField}`,
        key: 'import_key_too_long',
        params: { limit: KEY_LIMIT },
      });
    row.imported_for = key ?? null;
    if (deep) return refused(row, { code: TOO_DEEP_CODE, key: 'import_too_deep', params: { levels: LEVELS } });
    if (key === undefined) return row;
    if (before.get(key) === row.hash) Object.assign(row, { state: 'skipped', last_error: 'duplicate' });
    else if (importer.supersedes) {
      const replaced = older.get(key) ?? [];
      row.replaced = lostBy(payload, replaced);
      older.set(key, [...replaced, payload]);
    }
    before.set(key, row.hash);
    return row;
  });
}

/** Returns the row of an unreadable element, with the reason and no attempts. */
const refused = (row: Row, refusal: Unreadable): Row => ({ ...row, state: 'exhausted', refusal });

/** Counts characters as people do: a pictograph is one. */
const isTooLong = (key: string): boolean => key.length > KEY_LIMIT && [...key].length > KEY_LIMIT;

/** Returns the language of a company, in which its records report errors. */
export async function languageOf(ctx: Context, companyId: string): Promise<Language> {
  const [company] = await queryOf<{ language: string }>(ctx, 'select language from company where id = $1', [companyId]);
  return pickLanguage(company?.language);
}

/** Adds the reasons to refused rows, in the language of the company: its people read them, not only the sender. */
export async function describeRefusals(ctx: Context, companyId: string, rows: readonly Row[]): Promise<void> {
  const refusals = rows.filter(({ refusal }) => refusal);
  if (refusals.length === 0) return;
  const language = await languageOf(ctx, companyId);
  for (const row of refusals) {
    const { code, pointer = '', key, params } = row.refusal!;
    row.last_error = lastError(language, { code, pointer, key, params });
  }
}

/** @throws Invalid naming the elements whose text PostgreSQL cannot store */
export function refuseUnstorable(json: readonly (string | null)[], kind: ImportKind, elements: unknown[]): void {
  if (!json.some((text) => text !== null && unstorable(text))) return;
  const items = elements.flatMap((element, i) =>
    unstorable(JSON.stringify(element) ?? '') ? [{ model: 'ImportedRecord', field: `${kind}s.${i}`, key: 'import_text_invalid' }] : [],
  );
  throw new Invalid(items);
}
