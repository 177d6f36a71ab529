import type { AuditRecord } from '../../platform/commands/records.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { isObject } from '../../platform/json/objects.ts';
import type { Match, Outcome, Warning } from '../importer.ts';
import { boundWarnings } from '../ledger/bound-warnings.ts';
import type { ImportedRecordState } from '../ledger/imported-record.entity.ts';
import { RETRIES, retryDelay } from '../ledger/retries.ts';
import type { Row } from '../ledger/rows.ts';
import { lastError } from '../payload/last-error.ts';

/** A change that would be made of one record: a new one, or fields of a known one. */
export interface PreviewedChange {
  model: string;
  /** Null for a record that would be created. */
  id: string | null;
  event: AuditRecord['event'];
  fields: { field: string; before: unknown; after: unknown }[];
}

/** The effect that the real run would have for one element. */
export interface Preview {
  index: number;
  importedFor: string | null;
  /** The state of its imported record after the first attempt. */
  state: ImportedRecordState;
  lastError: string | null;
  warnings: Warning[];
  /** The record it matched; null if it would create one, or none. */
  resultId: string | null;
  /** Without an id for a record that this element or one before it would create. */
  matches: (Omit<Match, 'id'> & { id: string | null })[];
  changes: PreviewedChange[];
}

/** The result of an element before the dry run was rolled back. */
interface Became {
  /** Undefined if the importer was never called. */
  outcome: Outcome | undefined;
  /** The warnings that it had before it reached the ledger. */
  noted: readonly Warning[];
  audits: readonly AuditRecord[];
  matches: readonly Match[];
  /** All records that the dry run created. */
  made: ReadonlyMap<string, Made>;
  /** Ids of all records that it would create. They do not exist after the rollback. */
  isNew: ReadonlySet<string>;
}

/** The values of a new record, by field. */
export type Made = Readonly<Record<string, unknown>>;

/** Returns the preview of an element, as the real run would leave it. */
export function previewOf(row: Row, { outcome, noted, audits, matches: met, made, isNew }: Became, language: Language): Preview {
  const pointers = new Map(met.flatMap(({ id, pointer }) => (made.has(id) && pointer !== '' ? [[id, pointer] as const] : [])));
  const created = (model: string, fields: Made): PreviewedChange => ({
    model,
    id: null,
    event: 'create',
    fields: Object.entries(fields).flatMap(([field, value]) =>
      value === undefined ? [] : { field, before: null, after: pointed(value, pointers) },
    ),
  });
  // Other new records follow after these; contacts are shown within the record they belong to.
  const creations = new Set(met.flatMap(({ by, id }) => (by === 'created' ? id : [])));
  const shown = audits.filter(({ id, type }) => !creations.has(id) && type !== 'Contact');
  const changes = shown.map((audit): PreviewedChange => {
    const { type: model, id, event } = audit;
    if (event === 'create') return created(model, { ...afterOf(audit), ...made.get(id) });
    return {
      ...{ model, id, event },
      fields: Object.entries(audit.changes).map(([field, [before, after]]) => ({ field, before, after: pointed(after, pointers, before) })),
    };
  });
  if (outcome?.state !== 'failed')
    changes.push(...met.flatMap(({ by, id, model }) => (by === 'created' ? created(model, made.get(id) ?? {}) : [])));
  const matches = met.map((match) => (made.has(match.id) ? { ...match, id: null } : match));
  const warnings = boundWarnings([...noted, ...(outcome?.warnings ?? [])]);
  const about = { index: row.index, importedFor: row.imported_for, warnings, matches, changes };
  if (!outcome) return { ...about, state: row.state, lastError: row.last_error ?? null, resultId: null };
  if (outcome.state === 'failed') {
    const again = retryDelay(RETRIES, 1, outcome.transient ?? false) !== undefined;
    return { ...about, state: again ? 'failed' : 'exhausted', lastError: lastError(language, outcome), resultId: null, matches: [] };
  }
  const resultId = outcome.resultId !== undefined && !isNew.has(outcome.resultId) ? outcome.resultId : null;
  return { ...about, state: outcome.state, lastError: outcome.lastError ?? null, resultId };
}

const afterOf = ({ changes }: AuditRecord): Made => Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));

/**
 * Returns the value of a field. An id that only the real run assigns is replaced by the pointer of the element it is created from; for a
 * new item of a list, by null.
 */
function pointed(value: unknown, pointers: ReadonlyMap<string, string>, before?: unknown): unknown {
  if (typeof value === 'string') return pointers.get(value) ?? value;
  if (Array.isArray(value)) {
    const ids = new Set(Array.isArray(before) ? before.map((item) => item?.id) : []);
    return value.map((item) => {
      const shown = pointed(item, pointers);
      return isObject(shown) && 'id' in shown && !ids.has(shown.id) ? { ...shown, id: null } : shown;
    });
  }
  return isObject(value) && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pointed(item, pointers)]))
    : value;
}
