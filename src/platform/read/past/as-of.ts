import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { unloggedColumns } from '../../commands/audit.ts';
import type { Query } from '../../database/sql.ts';
import { Invalid, Missing } from '../../errors.ts';
import { defineMessages } from '../../i18n/messages.ts';
import { isUuid } from '../../ids.ts';
import { type Registration, registration } from '../../registration.ts';
import { archivedOf } from './archived.ts';
import { type Answering, answered, answeringFor } from './merged-values.ts';

type Meta = EntityMetadata<unknown>;
/** The permission to read the audit log, from which records are read as they were. */
export const READS_HISTORY = 'view_audit_log';

/** A record as it was: its id, and the instant. */
export interface Past {
  id: string;
  companyIds: readonly string[];
  at: Date;
}

/** The fields of an entity that change without an entry of their own in the audit log. */
export interface Unlogged {
  /**
   * SQL that returns the `id` of a record and the `column` of each of its columns that something else than an entry of its own may have changed after
   * `$5`. The records are `FOLLOWERS`.
   */
  sql?: string;
  /** The same of columns that an import has changed by an entry of the record's own, which does not name them. */
  unsaid?: string;
  /** Columns that the log never has, and that change with the record: they are null in its past, unless it has not changed since. */
  columns?: readonly string[];
  /** Columns that the log never has, and that change without the record's own time of change: they are null in every past. */
  fleeting?: readonly string[];
  /** Columns that the database sets when a record is made, so that the entry of that does not have them. */
  given?: readonly string[];
  /** The same of a record that an import made: the value that each such record gets, or undefined of a column for which the payload says more. */
  imported?: Readonly<Record<string, unknown>>;
}
const unlogged = new Map<Function, Unlogged>();
/** SQL of the records that are asked for in `Unlogged`: what they belong to is said, because some of them are deleted. */
export const FOLLOWERS = 'unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) r(id, company_id, order_id, job_id)';

/** Declares how it is found out that the audit log does not say of a record what it was. */
export const defineUnlogged = (entity: Function, what: Unlogged): Registration =>
  registration('defineUnlogged', entity.name, () => void unlogged.set(entity, what));

export const asOfMessages = defineMessages({
  as_of_future: { en: 'is not over yet', 'es-us': 'aún no ha pasado', 'fr-ca': "n'est pas encore passé" },
  as_of_untold: {
    en: 'cannot be answered: the audit log does not say what {{columns}} was then',
    'es-us': 'no se puede responder: el registro de auditoría no dice qué era {{columns}} entonces',
    'fr-ca': "ne peut pas être répondu : le journal d'audit ne dit pas ce qu'était {{columns}} alors",
  },
  as_of_untold_of: {
    en: 'cannot be answered: the audit log does not say what {{columns}} of {{id}} was then',
    'es-us': 'no se puede responder: el registro de auditoría no dice qué era {{columns}} de {{id}} entonces',
    'fr-ca': "ne peut pas être répondu : le journal d'audit ne dit pas ce qu'était {{columns}} de {{id}} alors",
  },
  as_of_wide: {
    en: 'cannot be answered: more than {{most}} records fit or have changed since. Narrow the filter',
    'es-us': 'no se puede responder: más de {{most}} registros coinciden o han cambiado desde entonces. Limita el filtro',
    'fr-ca': 'ne peut pas être répondu : plus de {{most}} enregistrements correspondent ou ont changé depuis. Restreignez le filtre',
  },
  as_of_filter: {
    en: "asks other records, which have no past here: with as_of only the record's own fields are filtered",
    'es-us': 'pregunta por otros registros, que aquí no tienen pasado: con as_of solo se filtran los campos propios del registro',
    'fr-ca':
      "interroge d'autres enregistrements, qui n'ont pas de passé ici : avec as_of, seuls les champs propres de l'enregistrement sont filtrés",
  },
  as_of_sort: {
    en: 'is not possible with as_of: a list of the past is in the order in which its records were made',
    'es-us': 'no es posible con as_of: una lista del pasado está en el orden en que se crearon sus registros',
    'fr-ca': "n'est pas possible avec as_of : une liste du passé est dans l'ordre de création de ses enregistrements",
  },
  as_of_search: {
    en: 'is not possible with as_of: a list of the past is not searched',
    'es-us': 'no es posible con as_of: en una lista del pasado no se busca',
    'fr-ca': "n'est pas possible avec as_of : on ne cherche pas dans une liste du passé",
  },
  as_of_count: {
    en: 'is not possible with as_of: a list of the past is not counted',
    'es-us': 'no es posible con as_of: una lista del pasado no se cuenta',
    'fr-ca': "n'est pas possible avec as_of : une liste du passé n'est pas comptée",
  },
  as_of_received: {
    en: 'is not possible with as_of: only the company whose record it is reads its past',
    'es-us': 'no es posible con as_of: solo la empresa a la que pertenece un registro lee su pasado',
    'fr-ca': "n'est pas possible avec as_of : seule l'entreprise à laquelle appartient un enregistrement lit son passé",
  },
});

/** Connections have times as text in different forms. */
const MILLISECONDS = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

/** SQL of the time at which a company is, in milliseconds: a sandbox has a clock of its own. */
export const PRESENT_TIME = (company: string): string => MILLISECONDS(`(clock_timestamp() + (company_now(${company}) - now()))`);

interface Entry {
  /** The record's. */
  id: string;
  event: string;
  made: number;
  /** By an import. */
  imported: boolean;
  /** After the instant. */
  since: boolean;
  changes: Record<string, [unknown, unknown]>;
  /** The old and the new values as the table would hold them. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** A record as it is now, or as it was when it was deleted. */
export interface Present {
  id: string;
  company: string;
  /** Milliseconds. */
  made: number;
  changed: number;
  row: Record<string, unknown>;
}

/** A record as it was at an instant, as far as it is known. */
export interface Rewound {
  /** The values that it had, by column, where they were others than now; undefined before it was made. */
  was?: Record<string, unknown>;
  /** Columns of which the log does not say what they were. */
  unknown: string[];
}

/** SQL of when a row `t` was made and changed. */
export const PRESENT_PARTS = (t: string): string =>
  `${MILLISECONDS(`${t}.created_at`)} as made, ${MILLISECONDS(`${t}.updated_at`)} as changed`;

/** SQL of what `Present` has of a row `t`. @param owner its column of the company whose it is */
export const PRESENT = (t: string, owner = 'company_id'): string =>
  `${t}.id as id, ${t}.${owner} as company, ${PRESENT_PARTS(t)}, to_jsonb(${t}) as row`;

/**
 * Returns the values that a record had at an instant, by column, where they were others than now.
 * @returns undefined if the companies have no such record
 * @throws Missing before there was one; Invalid with the field `asOf` where the log does not say
 */
export async function rewound(ask: Query, meta: Meta, { id, companyIds, at }: Past): Promise<Record<string, unknown> | undefined> {
  // A company is its own.
  const owner = meta.properties['company' as never] ? 'company_id' : 'id';
  const [found] = await ask<Present & { now: number }>(
    `select ${PRESENT('t', owner)}, ${PRESENT_TIME(`t.${owner}`)} as now from "${meta.tableName}" t where t.id = $1::uuid and t.${owner} = any($2::uuid[])`,
    [id, companyIds],
  );
  if (!found) return undefined;
  refuseFuture(meta, at, found.now);
  if (at.getTime() < Math.floor(found.made)) throw new Missing();
  const { was, unknown } = (await rewoundAll(ask, meta, [found], at, await logArchivedOf(ask, [found.company]))).get(found.id)!;
  if (!was) throw new Missing();
  if (unknown.length > 0) throw refusal(meta, 'as_of_untold', { columns: unknown.join(', ') });
  return was;
}

/** Since when the audit logs of companies are at hand, by company. */
export const logArchivedOf = (ask: Query, companyIds: readonly string[]): Promise<Map<string, string>> =>
  archivedOf(ask, companyIds, 'audit_entry');

/** A refusal of the instant. */
export const refusal = (meta: Meta, key: string, params?: Record<string, string | number>, field = 'asOf'): Invalid =>
  new Invalid([{ model: meta.className, field, key, params }]);

/** @param now milliseconds of the database's clock */
export function refuseFuture(meta: Meta, at: Date, now: number): void {
  if (at.getTime() > now) throw refusal(meta, 'as_of_future');
}

/**
 * Takes back what was changed of records since an instant, newest first, in the same few statements for any number of them. Each step must lead to
 * where the one after it began; where it does not, something changed the record without an entry.
 * @param archived since when the logs are at hand (`logArchivedOf`)
 * @returns what is known of each, by id
 * @throws Invalid with the field `asOf` where the log is archived
 */
export async function rewoundAll(
  ask: Query,
  meta: Meta,
  found: readonly Present[],
  at: Date,
  archived: ReadonlyMap<string, string>,
): Promise<Map<string, Rewound>> {
  for (const { company, made } of found) refuseArchived(meta, archived.get(company), made, at);
  const all = await entriesOf(ask, meta, found, at);
  const entries = Map.groupBy(all, (entry) => entry.id);
  const answering = await answeringFor(ask, valuesIn(all, found));
  const known = new Map(found.map((one) => [one.id, rewind(meta, one, { entries: entries.get(one.id) ?? [], answering }, at)]));
  const rule = unlogged.get(meta.class as Function);
  const asked = [rule?.sql, all.some(({ imported }) => imported) ? rule?.unsaid : undefined].filter((sql) => sql !== undefined);
  if (asked.length > 0 && found.length > 0) {
    // Friendly numbers have names like these, too.
    const of = (column: string) => found.map(({ row }) => (isUuid(row[column]) ? row[column] : null));
    const followers = [...['id', 'company_id', 'order_id', 'job_id'].map(of), at];
    for (const sql of asked)
      for (const { id, column } of await ask<{ id: string; column: string }>(sql, followers)) known.get(id)!.unknown.push(column);
  }
  for (const one of known.values()) one.unknown = [...new Set(one.unknown)].sort();
  return known;
}

/** What is written, or was, in the columns that changed. */
function* valuesIn(entries: readonly Entry[], found: readonly Present[]): Generator<unknown> {
  const changed = new Set(entries.flatMap(({ changes }) => Object.keys(changes)));
  const rows = [...entries.flatMap(({ before, after }) => [before, after]), ...found.map(({ row }) => row)];
  for (const row of rows) for (const column of changed) yield row[column];
}

/** The changes of a record that the log has, and the records that answer for those that they name. */
interface Logged {
  entries: readonly Entry[];
  answering: Answering;
}

function rewind(meta: Meta, found: Present, { entries, answering }: Logged, at: Date): Rewound {
  const expected = { ...found.row };
  const was: Record<string, unknown> = {};
  const unknown: string[] = [];
  const settled = new Set<string>();
  const { columns = [], fleeting = [], given = [], imported = {} } = unlogged.get(meta.class as Function) ?? {};
  for (const { event, since, changes, before, after } of entries) {
    if (since && event === 'create') return { unknown: [] };
    for (const [column, [old]] of Object.entries(changes)) {
      // Of a column that was as it is at the instant, only the change that led there matters.
      if (settled.has(column)) continue;
      // A merge has others named, without an entry for each.
      if (!isSame(answered(expected[column], answering), answered(after[column], answering))) unknown.push(column);
      expected[column] = before[column];
      if (since) was[column] = answered(old, answering);
      else settled.add(column);
      // What a merge put aside names what is left of the former record.
      const named = answered(found.row[column], answering);
      if (!(column in was) && !isSame(found.row[column], named)) was[column] = named;
    }
  }
  // Whoever is made is written with all that is set. What no entry names and yet has a value was set by something without one, at any time.
  const made = entries.find(({ event }) => event === 'create');
  if (made) {
    const logged = new Set([
      // Whose it is, the entry says itself.
      'company_id',
      ...unloggedColumns(meta),
      ...columns,
      ...fleeting,
      ...given,
      ...Object.keys(made.imported ? imported : {}).filter((name) => isSame(imported[name] ?? found.row[name], found.row[name])),
      ...entries.flatMap(({ changes }) => Object.keys(changes)),
    ]);
    for (const column of columnsOf(meta)) if (!logged.has(column) && !isEmpty(found.row[column])) unknown.push(column);
  }
  for (const column of found.changed > at.getTime() ? [...columns, ...fleeting] : fleeting) was[column] = null;
  const last = entries.find(({ since }) => !since)?.made ?? found.made;
  return { was: { ...was, updated_at: new Date(last).toISOString() }, unknown };
}

/**
 * The log cannot take back what it does not have any more; and of a record whose creation is archived it does not say which columns something has
 * changed without an entry.
 */
export function refuseArchived(meta: Meta, before: string | undefined, made: number, at: Date): void {
  if (before !== undefined && Math.min(made, at.getTime()) < Date.parse(before)) throw refusal(meta, 'as_of_archived', { before });
}

/** Whether records of an entity change without an entry of their own. */
export function isUnlogged(meta: Meta): boolean {
  const { sql, columns, fleeting, given } = unlogged.get(meta.class as Function) ?? {};
  return [sql, columns, fleeting, given].some((what) => what !== undefined);
}

/** All changes of the records' own columns, newest first. */
async function entriesOf(ask: Query, meta: Meta, found: readonly Present[], at: Date): Promise<Entry[]> {
  if (found.length === 0) return [];
  const none = `null::"${meta.tableName}"`;
  return ask<Entry>(
    `select a.subject_id as id, a.event, ${MILLISECONDS('a.created_at')} as made, a.imported_record_id is not null as imported, a.created_at > $4::timestamptz as since, c.changes, to_jsonb(jsonb_populate_record(${none}, c.olds)) as before, to_jsonb(jsonb_populate_record(${none}, c.news)) as after
     from unnest($1::uuid[], $2::uuid[]) r(id, company) join audit_entry a on a.company_id = r.company and a.subject_id = r.id cross join lateral (
       select coalesce(jsonb_object_agg(e.key, e.value), '{}') as changes, coalesce(jsonb_object_agg(e.key, e.value -> 0), '{}') as olds,
         coalesce(jsonb_object_agg(e.key, e.value -> 1), '{}') as news
       from jsonb_each(a.object_changes) e where e.key = any($5::text[]) and jsonb_typeof(e.value) = 'array') c
     where a.subject_type = $3 and a.event in ('create', 'update')
     order by a.created_at desc, a.id desc`,
    [found.map(({ id }) => id), found.map(({ company }) => company), meta.className, at, columnsOf(meta)],
  );
}

/** An embedded value is in columns of its own properties, and in none itself. */
const columnsOf = (meta: Meta): string[] =>
  (Object.values(meta.properties) as EntityProperty[]).flatMap(({ persist, kind, object, fieldNames }) =>
    persist === false || (kind === 'embedded' && !object) ? [] : (fieldNames ?? []),
  );

/** True of a column's value in which nobody wrote anything, such as that of a column which a release added. */
const isEmpty = (value: unknown): boolean =>
  [null, false, 0, '', '[]', '{}'].includes(typeof value === 'object' && value ? JSON.stringify(value) : (value as null));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
