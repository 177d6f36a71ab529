import type { Sheet } from '../../platform/http/rest/exports/formats.ts';

/** An entry as REST answers it: rates that the caller may not see are null. */
interface Entry {
  id: string;
  company_id: string;
  event: string;
  subject_type: string;
  subject_id: string;
  object_changes: Record<string, [unknown, unknown]>;
  created_by: Actor;
  real_actor: Actor | null;
  request_id: string;
  created_at: string;
}
interface Actor {
  type: string;
  id: string | null;
  name: string;
}

const COLUMNS = [
  'created_at',
  'event',
  'subject_type',
  'subject_id',
  'field',
  'before',
  'after',
  'actor_type',
  'actor_id',
  'actor_name',
  'real_actor_type',
  'real_actor_id',
  'real_actor_name',
  'company_id',
  'request_id',
  'entry_id',
];
const NO_CHANGE: [string, [unknown, unknown]] = ['', [null, null]];

/** The audit log as a sheet: a line for each changed field. */
export const auditSheet: Sheet = {
  columns: () => COLUMNS,
  lines(entry: Entry) {
    const { created_by: actor, real_actor: real } = entry;
    const changes = Object.entries(entry.object_changes);
    return (changes.length > 0 ? changes : [NO_CHANGE]).map(([field, [before, after]]) => [
      entry.created_at,
      entry.event,
      entry.subject_type,
      entry.subject_id,
      field,
      cellOf(before),
      cellOf(after),
      actor.type,
      actor.id,
      actor.name,
      real?.type,
      real?.id,
      real?.name,
      entry.company_id,
      entry.request_id,
      entry.id,
    ]);
  },
};

const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
