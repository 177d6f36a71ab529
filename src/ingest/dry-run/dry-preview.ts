import type { AuditRecord } from '../../platform/commands/records.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import type { ImportedRecordState } from '../api/imported-record.entity.ts';
import type { Match, Outcome, Warning } from '../importer.ts';
import { boundWarnings } from '../ledger/bound-warnings.ts';
import { isRecord } from '../ledger/hash.ts';
import { RETRIES, retryDelay } from '../ledger/retries.ts';
import type { Row } from '../ledger/rows.ts';
import { lastError } from '../ledger/settle.ts';

/** What would happen to one record: a new one, or fields of a known one. */
export interface PreviewedChange {
  model: string;
  /** Null for a record that would be made. */
  id: string | null;
  event: AuditRecord['event'];
  fields: { field: string; before: unknown; after: unknown }[];
}

/** What the real run would make of one element. */
export interface Preview {
  index: number;
  importedFor: string | null;
  /** The state its imported record would have after the first attempt. */
  state: ImportedRecordState;
  lastError: string | null;
  warnings: Warning[];
  /** The record it matched; null when it would make one, or none. */
  resultId: string | null;
  /** Without an id where one would be made, by this element or one before it. */
  matches: (Omit<Match, 'id'> & { id: string | null })[];
  changes: PreviewedChange[];
}

/** What became of an element before the dry run was rolled back. */
interface Became {
  /** None where the importer was never asked. */
  outcome: Outcome | undefined;
  /** What was guessed of it before it came to the ledger. */
  noted: readonly Warning[];
  audits: readonly AuditRecord[];
  matches: readonly Match[];
  /** Of all records that the dry run made. */
  made: ReadonlyMap<string, Made>;
  /** All records that it would make, of which nothing is there once it is rolled back. */
  isNew: ReadonlySet<string>;
}

/** What a new record holds, by field. */
export type Made = Readonly<Record<string, unknown>>;

/** Tells an element's outcome as the real run would leave it. */
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
  // What is made besides is told after them, contacts within what they belong to.
  const besides = new Set(met.flatMap(({ by, id }) => (by === 'created' ? id : [])));
  const told = audits.filter(({ id, type }) => !besides.has(id) && type !== 'Contact');
  const changes = told.map((audit): PreviewedChange => {
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

/** What a field would hold. An id that only the real run gives is told as the pointer of what it is made from, that of a list's new item as null. */
function pointed(value: unknown, pointers: ReadonlyMap<string, string>, before?: unknown): unknown {
  if (typeof value === 'string') return pointers.get(value) ?? value;
  if (Array.isArray(value)) {
    const ids = new Set(Array.isArray(before) ? before.map((item) => item?.id) : []);
    return value.map((item) => {
      const told = pointed(item, pointers);
      return isRecord(told) && 'id' in told && !ids.has(told.id) ? { ...told, id: null } : told;
    });
  }
  return isRecord(value) && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pointed(item, pointers)]))
    : value;
}
