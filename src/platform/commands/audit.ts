import {
  ArrayType,
  type ChangeSet,
  ChangeSetType,
  type EntityMetadata,
  type EventSubscriber,
  type FlushEventArgs,
  helper,
  JsonType,
  type Type,
} from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditRecord, Records } from './records.ts';

/** Bookkeeping that says nothing about what somebody did. */
const NOISE = new Set(['id', 'createdAt', 'updatedAt', 'version']);
const audited = new Map<Function, { except: Set<string> }>();

/** Marks an entity whose changes inside `transact` are written to the audit log; `except` names fields that never are (secrets). */
export function Audited(options: { except?: string[] } = {}): ClassDecorator {
  return (entity) => {
    audited.set(entity, { except: new Set([...NOISE, ...(options.except ?? [])]) });
  };
}

/** The columns of an entity that the audit log never has. */
export function unloggedColumns(meta: Pick<EntityMetadata, 'properties'> & { class?: unknown }): string[] {
  const { except } = audited.get(meta.class as Function) ?? { except: NOISE };
  return [...except].map((name) => columnOf(meta, name));
}

/** Collects the changes of one flush into the transaction's audit rows. */
export function auditSubscriber(records: Records): EventSubscriber {
  return {
    onFlush({ uow }: FlushEventArgs) {
      for (const change of uow.getChangeSets()) {
        const rules = audited.get(change.meta.class as Function);
        const entry = rules && toRecord(change, rules.except);
        if (entry) records.audits.push(entry);
      }
    },
  };
}

/** Name of an entity's type as it is written to outbox, audit and error items: its class name. */
export function typeNameOf(subject: object): string {
  return helper(subject)?.__meta?.className ?? subject.constructor.name;
}

/** The changes of a record that is made: what of it is set. */
export const setOfNew = (columns: object): AuditRecord['changes'] =>
  Object.fromEntries(Object.entries(columns).map(([column, after]) => [column, [null, after]]));

/** Returns the values of a new record in the form of the audit log, without those that are null. */
export function changesOfNew(columns: object): Record<string, [null, unknown]> {
  const changes: Record<string, [null, unknown]> = {};
  for (const [column, after] of Object.entries(columns)) if (after !== null) changes[column] = [null, after];
  return changes;
}

/** The row and the audit entry of a record that is not in the database yet. */
export interface NewRow {
  /** Values by column, in the form that `insertRows` takes: as PostgreSQL reads them, and JSON as what it is. Columns that nobody set are absent. */
  columns: Record<string, unknown>;
  /** The changes of its audit entry: every value, except in the fields that `@Audited` excepts. */
  changes: AuditRecord['changes'];
}

/** Returns the row and the audit entry that the unit of work would write for a new entity, for commands that insert rows themselves. */
export function newRowOf(em: EntityManager, entity: object): NewRow {
  const { __meta: meta } = helper(entity);
  const { except } = audited.get(meta.class as Function) ?? { except: NOISE };
  const row: NewRow = { columns: {}, changes: {} };
  for (const [name, value] of Object.entries(em.getComparator().prepareEntity(entity))) {
    const column = columnOf(meta, name);
    const said = value === null || value === undefined ? value : shown(entity, name, value);
    // Text of JSON would become a text in the JSON.
    row.columns[column] = typeOf(entity, name) instanceof JsonType ? said : value;
    if (said !== null && said !== undefined && !except.has(name)) row.changes[column] = [null, said];
  }
  return row;
}

/** The company a record belongs to: its `company`, its `companyId`, or itself when it is a Company. @throws Error when it has none */
export function companyIdOf(subject: object & { id?: string }): string {
  const { company, companyId } = subject as { company?: { id?: string } | string | null; companyId?: string | null };
  const id =
    typeof company === 'string' ? company : (company?.id ?? companyId ?? (typeNameOf(subject) === 'Company' ? subject.id : undefined));
  if (!id) throw new Error(`${typeNameOf(subject)} has no company to record under`);
  return id;
}

function toRecord(change: ChangeSet<object>, except: Set<string>): AuditRecord | undefined {
  const entity = change.entity as { id: string };
  const at = { type: change.meta.className, id: entity.id, companyId: companyIdOf(entity) };
  const before = (change.originalEntity ?? helper(change.entity).__originalEntityData ?? {}) as Record<string, unknown>;
  const after = change.payload as Record<string, unknown>;
  const gone = change.type === ChangeSetType.DELETE || change.type === ChangeSetType.DELETE_EARLY;
  const changes: AuditRecord['changes'] = {};
  for (const name of Object.keys(gone ? before : after)) {
    // When it was made is known of what is there by itself; of what is gone it is its place in lists of the past.
    if (except.has(name) && !(gone && name === 'createdAt')) continue;
    const pair: [unknown, unknown] = gone ? [before[name] ?? null, null] : [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(pair[0]) !== JSON.stringify(pair[1]))
      changes[columnOf(change.meta, name)] = [shown(change.entity, name, pair[0]), shown(change.entity, name, pair[1])];
  }
  const event = gone ? 'destroy' : change.type === ChangeSetType.CREATE ? 'create' : 'update';
  return event === 'update' && Object.keys(changes).length === 0 ? undefined : { event, ...at, changes };
}

/** Lists and JSON in readable form: change sets hold what is sent to PostgreSQL, such as `{driver,foreman}`. */
function shown(entity: object, name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const customType = typeOf(entity, name);
  if (customType instanceof ArrayType) return customType.convertToJSValue(value as never, helper(entity).__platform);
  return customType instanceof JsonType ? JSON.parse(value) : value;
}

const typeOf = (entity: object, name: string): Type | undefined =>
  (helper(entity).__meta.properties as Record<string, { customType?: Type }>)[name]?.customType;

/** A relation is recorded under its column (`account_id`), everything else under its snake_case name. */
function columnOf({ properties }: Pick<EntityMetadata, 'properties'>, name: string): string {
  return (properties as Record<string, { fieldNames?: string[] }>)[name]?.fieldNames?.[0] ?? name;
}
