import type { AuditRecord } from '../../platform/commands/records.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import type { ImportedRecordState } from '../imported-record.entity.ts';
import type { Match, Outcome, Warning } from '../importer.ts';
import type { Row } from './admit.ts';
import { boundWarnings } from './bound-warnings.ts';
import { RETRIES, retryDelay } from './retries.ts';
import { lastError } from './settle.ts';

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
  /** Without an id where one would be made. */
  matches: (Omit<Match, 'id'> & { id: string | null })[];
  changes: PreviewedChange[];
}

/** What became of an element before the dry run was rolled back. */
interface Became {
  /** None where the importer was never asked. */
  outcome: Outcome | undefined;
  audits: readonly AuditRecord[];
  matches: readonly Match[];
}

/** Tells an element's outcome as the real run would leave it. */
export function previewOf(row: Row, { outcome, audits, matches: met }: Became, language: Language): Preview {
  // What is made besides is told with the place in the payload that names it, by `matches`.
  const besides = new Set(met.flatMap(({ by, id }) => (by === 'created' ? id : [])));
  const told = audits.filter(({ id, type }) => !besides.has(id) && type !== 'Contact');
  const changes = told.map((audit) => ({
    model: audit.type,
    id: audit.event === 'create' ? null : audit.id,
    event: audit.event,
    fields: Object.entries(audit.changes).map(([field, [before, after]]) => ({ field, before, after })),
  }));
  const made = new Set(audits.flatMap((audit) => (audit.event === 'create' ? audit.id : [])));
  const matches = met.map((match) => (match.by === 'created' ? { ...match, id: null } : match));
  const warnings = boundWarnings(outcome?.warnings ?? []);
  const about = { index: row.index, importedFor: row.imported_for, warnings, matches, changes };
  if (!outcome) return { ...about, state: row.state, lastError: row.last_error ?? null, resultId: null };
  if (outcome.state === 'failed') {
    const again = retryDelay(RETRIES, 1, outcome.transient ?? false) !== undefined;
    return { ...about, state: again ? 'failed' : 'exhausted', lastError: lastError(language, outcome), resultId: null, matches: [] };
  }
  const resultId = outcome.resultId !== undefined && !made.has(outcome.resultId) ? outcome.resultId : null;
  return { ...about, state: outcome.state, lastError: outcome.lastError ?? null, resultId };
}
