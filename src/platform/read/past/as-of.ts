import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { columnsUntold } from '../../commands/audit.ts';
import { Invalid, Missing } from '../../errors.ts';
import { defineMessages } from '../../i18n/messages.ts';
import { type Registration, registration } from '../../registration.ts';
import { ARCHIVED_BEFORE } from './archived.ts';

type Meta = EntityMetadata<unknown>;
/** Runs a statement and returns its rows. */
type Ask = <R extends object>(sql: string, values: unknown[]) => Promise<R[]>;

/** A record as it was: its id, and the instant. */
export interface Past {
  id: string;
  companyIds: readonly string[];
  at: Date;
}

/** What of an entity changes without an entry of its own in the audit log. */
export interface Untold {
  /**
   * SQL that returns the `column` of each of the record `$1` (of company `$2`) that something else than an entry of its own may have changed after
   * `$3`.
   */
  sql?: string;
  /** Columns that the log never has, and that change with the record: they are null in its past, unless it has not changed since. */
  columns?: readonly string[];
}
const untold = new Map<Function, Untold>();

/** Declares how it is found out that the audit log does not say of a record what it was. */
export const defineUntold = (entity: Function, what: Untold): Registration =>
  registration('defineUntold', entity.name, () => void untold.set(entity, what));

export const asOfMessages = defineMessages({
  as_of_future: { en: 'is not over yet', 'es-us': 'aún no ha pasado', 'fr-ca': "n'est pas encore passé" },
  as_of_untold: {
    en: 'cannot be answered: the audit log does not say what {{columns}} was then',
    'es-us': 'no se puede responder: el registro de auditoría no dice qué era {{columns}} entonces',
    'fr-ca': "ne peut pas être répondu : le journal d'audit ne dit pas ce qu'était {{columns}} alors",
  },
});

/** Connections have times as text in different forms. */
const MILLISECONDS = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

interface Entry {
  event: string;
  made: number;
  /** After the instant. */
  since: boolean;
  changes: Record<string, [unknown, unknown]>;
  /** The old and the new values as the table would hold them. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/**
 * Returns the values that a record had at an instant, by column, where they were others than now: what was changed since then is taken back, newest
 * first. Each step must lead to where the one after it began; where it does not, something changed the record without an entry.
 * @returns undefined if the companies have no such record
 * @throws Missing before there was one; Invalid with the field `asOf` where the log does not say
 */
export async function rewound(ask: Ask, meta: Meta, { id, companyIds, at }: Past): Promise<Record<string, unknown> | undefined> {
  const refuse = (key: string, params?: Record<string, string>): never => {
    throw new Invalid([{ model: meta.className, field: 'asOf', key, params }]);
  };
  const table = `"${meta.tableName}"`;
  const [found] = await ask<{ company: string; made: number; changed: number; now: number; row: Record<string, unknown> }>(
    `select t.company_id as company, ${MILLISECONDS('t.created_at')} as made, ${MILLISECONDS('t.updated_at')} as changed, ${MILLISECONDS('clock_timestamp()')} as now, to_jsonb(t) as row from ${table} t
     where t.id = $1::uuid and t.company_id = any($2::uuid[])`,
    [id, companyIds],
  );
  if (!found) return undefined;
  if (at.getTime() > found.now) refuse('as_of_future');
  if (at.getTime() < Math.floor(found.made)) throw new Missing();
  await refuseArchived(ask, found, at, refuse);
  const entries = await entriesOf(ask, meta, { id, company: found.company, at });
  const expected = { ...found.row };
  const was: Record<string, unknown> = {};
  const unknown = new Set<string>();
  const settled = new Set<string>();
  for (const { event, since, changes, before, after } of entries) {
    if (since && event === 'create') throw new Missing();
    for (const [column, [old]] of Object.entries(changes)) {
      // Of a column that was as it is at the instant, only the change that led there matters.
      if (settled.has(column)) continue;
      if (!isSame(expected[column], after[column])) unknown.add(column);
      expected[column] = before[column];
      if (since) was[column] = old;
      else settled.add(column);
    }
  }
  // Whoever is made is written with all that is set. What no entry names and yet has a value was set by something without one, at any time.
  if (entries.some(({ event }) => event === 'create')) {
    const known = new Set([...columnsUntold(meta), ...entries.flatMap(({ changes }) => Object.keys(changes))]);
    for (const column of columnsOf(meta)) if (!known.has(column) && !isEmpty(found.row[column])) unknown.add(column);
  }
  const rule = untold.get(meta.class as Function);
  if (found.changed > at.getTime()) for (const column of rule?.columns ?? []) was[column] = null;
  if (rule?.sql) for (const { column } of await ask<{ column: string }>(rule.sql, [id, found.company, at])) unknown.add(column);
  if (unknown.size > 0) refuse('as_of_untold', { columns: [...unknown].sort().join(', ') });
  const last = entries.find(({ since }) => !since)?.made ?? found.made;
  return { ...was, updated_at: new Date(last).toISOString() };
}

/**
 * The log cannot take back what it does not have any more; and of a record whose creation is archived it does not say which columns something has
 * changed without an entry.
 */
async function refuseArchived(
  ask: Ask,
  { company, made }: { company: string; made: number },
  at: Date,
  refuse: (key: string, params: Record<string, string>) => never,
): Promise<void> {
  const [archived] = await ask<{ before: string }>(ARCHIVED_BEFORE, [company, 'audit_entry']);
  if (archived && Math.min(made, at.getTime()) < Date.parse(archived.before)) refuse('as_of_archived', archived);
}

/** All changes of the record's own columns, newest first. */
function entriesOf(ask: Ask, meta: Meta, { id, company, at }: { id: string; company: string; at: Date }): Promise<Entry[]> {
  const none = `null::"${meta.tableName}"`;
  return ask<Entry>(
    `select a.event, ${MILLISECONDS('a.created_at')} as made, a.created_at > $4::timestamptz as since, c.changes, to_jsonb(jsonb_populate_record(${none}, c.olds)) as before, to_jsonb(jsonb_populate_record(${none}, c.news)) as after
     from audit_entry a cross join lateral (
       select coalesce(jsonb_object_agg(e.key, e.value), '{}') as changes, coalesce(jsonb_object_agg(e.key, e.value -> 0), '{}') as olds,
         coalesce(jsonb_object_agg(e.key, e.value -> 1), '{}') as news
       from jsonb_each(a.object_changes) e where e.key = any($5::text[]) and jsonb_typeof(e.value) = 'array') c
     where a.company_id = $1::uuid and a.subject_type = $2 and a.subject_id = $3::uuid
       and a.event in ('create', 'update')
     order by a.created_at desc, a.id desc`,
    [company, meta.className, id, at, columnsOf(meta)],
  );
}

const columnsOf = (meta: Meta): string[] =>
  (Object.values(meta.properties) as EntityProperty[]).flatMap(({ persist, fieldNames }) => (persist === false ? [] : (fieldNames ?? [])));

/** What a column has in which nobody wrote anything, such as one that a release added. */
const isEmpty = (value: unknown): boolean =>
  [null, false, 0, '', '[]', '{}'].includes(typeof value === 'object' && value ? JSON.stringify(value) : (value as null));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
