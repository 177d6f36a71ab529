import type { EntityClass, Ref } from '@mikro-orm/core';
import { ref } from '@mikro-orm/core';
import { allow, find, findKept } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Company } from '../companies/company.entity.ts';
import { owningCompany } from '../companies/owning-company.ts';
import { holdMatched } from './taken.ts';

/** Records that a company keeps to refer to: departments, materials, kinds of trucks. */
export interface MasterRecord {
  id: string;
  company: Ref<Company>;
  /** Set, the record is kept for what was done with it and seen nowhere else. */
  discardedAt?: Date | null;
}

/** The rules by which a kind of master data is kept. */
export interface MasterKind<T extends MasterRecord, C extends object, U extends object> {
  entity: EntityClass<T> & (new () => T);
  /** First word of its events: `department.created`. */
  event: string;
  permissions: { create: string; edit: string; delete: string };
  /**
   * The column by which imports find it, which no other record of the company may share: compared under a lock of the company (`taken.ts`).
   */
  matchedBy?: readonly ('name' | 'externalId')[];
  /** Writes an input into a record; fields that are absent stay. @throws Invalid with every wrong field */
  fill(tx: TxContext, record: T, input: C | U): void | Promise<void>;
  /** Before the record goes: what must be said against it, or go with it. */
  letGo?(tx: TxContext, record: T): void | Promise<void>;
}

/** Makes a record of a company. @throws Missing for a company that the caller may not see, Denied, Invalid */
export function createMaster<T extends MasterRecord, C extends object, U extends object>(
  ctx: Context,
  kind: MasterKind<T, C, U>,
  input: C,
  companyId?: string | null,
): Promise<T> {
  return transact(ctx, async (tx) => {
    const company = owningCompany(tx, kind.entity.name, input, companyId);
    allow(tx, kind.permissions.create);
    return store(tx, kind, { company: ref(Company, company) }, input);
  });
}

/**
 * Makes a record below another one, such as a price of an index. It belongs to the same company.
 * @param place the fields that say where it is, of the record above
 * @throws Missing for a record above that the caller may not see, Denied, Invalid
 */
export function createBelow<T extends MasterRecord, C extends object, U extends object, P extends MasterRecord>(
  ctx: Context,
  kind: MasterKind<T, C, U>,
  above: { entity: EntityClass<P>; path: RecordPath },
  input: C,
  place: (above: P) => Partial<T>,
): Promise<T> {
  return transact(ctx, async (tx) => {
    const found = await lockMaster(tx, above, above.path, kind.permissions.create);
    return store(tx, kind, { company: found.company, ...place(found) }, input);
  });
}

async function store<T extends MasterRecord, C extends object, U extends object>(
  tx: TxContext,
  kind: MasterKind<T, C, U>,
  fields: object,
  input: C,
): Promise<T> {
  const made = Object.assign(new kind.entity(), fields) as T;
  await kind.fill(tx, made, input);
  tx.em.persist(made);
  emitEvent(tx, `${kind.event}.created`, made);
  return made;
}

/** Changes a record; absent fields stay. @throws Missing, Denied, Invalid */
export function updateMaster<T extends MasterRecord, C extends object, U extends object>(
  ctx: Context,
  kind: MasterKind<T, C, U>,
  path: RecordPath,
  input: U,
): Promise<T> {
  return transact(ctx, async (tx) => {
    // Before the record's own lock, as imports do, which refer to records while they hold it.
    if (kind.matchedBy?.some((field) => (input as { name?: unknown; externalId?: unknown })[field] !== undefined))
      await holdMatched(tx, (await find(tx, kind.entity, path.id, path)).company.id);
    const found = await lockMaster(tx, kind, path, kind.permissions.edit);
    await kind.fill(tx, found, input);
    emitEvent(tx, `${kind.event}.updated`, found);
    return found;
  });
}

/** Discards a record: it leaves lists and forms, and stays in everything that refers to it. @throws Missing, Denied, Invalid */
export function discardMaster<T extends MasterRecord, C extends object, U extends object>(
  ctx: Context,
  kind: MasterKind<T, C, U>,
  path: RecordPath,
): Promise<void> {
  return transact(ctx, async (tx) => {
    const found = await lockMaster(tx, kind, path, kind.permissions.delete);
    await kind.letGo?.(tx, found);
    found.discardedAt = tx.tx.now;
    emitEvent(tx, `${kind.event}.discarded`, found);
  });
}

/** A record to change, locked. @throws Missing also for a discarded one, Denied */
export async function lockMaster<T extends MasterRecord>(
  tx: TxContext,
  { entity }: { entity: EntityClass<T> },
  { id, companyId }: RecordPath,
  permission: string,
): Promise<T> {
  const found = await findKept(tx, entity, id, { companyId, lock: true });
  allow(tx, permission);
  return found;
}
