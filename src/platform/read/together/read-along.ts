import type { QueryConfig } from 'pg';
import type { Context } from '../../context.ts';
import type { Along } from '../../database/connection/together.ts';
import type { Scope } from '../../database/scope.ts';
import { type Registration, registration } from '../../registration.ts';
import type { Plan } from '../plan.ts';
import { fieldsOf } from '../selection.ts';

/** A value that is computed of single records by a statement of its own, which is sent in the message of the record. */
export interface ReadAlong {
  /** Fields of the record that are made of it. */
  fields: readonly string[];
  statement(ctx: Context, id: string): QueryConfig;
  /** Keeps what was read for the resolvers of the fields, for as long as the context lives. */
  keep(ctx: Context, id: string, rows: readonly object[]): void;
}

const known = new Map<Function, ReadAlong>();

/** Declares what is read along with single records of an entity. */
export const defineReadAlong = (entity: Function, along: ReadAlong): Registration =>
  registration('defineReadAlong', entity.name, () => void known.set(entity, along));

const wanted = new WeakMap<Plan, boolean>();

/** A record that is read. */
interface RecordRead {
  ctx: Context;
  entity: Function;
  id: string;
  plan: Plan;
  scope: Scope;
}

/** The statement of what is read along with a record. @param kept called with what keeps it */
export function alongOf({ ctx, entity, id, plan, scope }: RecordRead, kept: (keep: () => void) => void): Along[] {
  const along = readAlongOf(entity, plan);
  if (!along) return [];
  // If it failed, the resolvers ask again, and report the error.
  const done: Along['done'] = (error, found) => error || kept(() => along.keep(ctx, id, found!.rows));
  return [{ config: along.statement(ctx, id), scope, done: (...of) => void done(...of) }];
}

/** Returns the values that are read along with a record of a plan; undefined if it selects none of the fields. */
function readAlongOf(entity: Function, plan: Plan): ReadAlong | undefined {
  const along = known.get(entity);
  if (!along || plan.request.kind !== 'one') return undefined;
  let wants = wanted.get(plan);
  if (wants === undefined) {
    const selected = [...fieldsOf(plan.request.nodes, plan.operation).values()];
    wants = selected.some(({ name }) => along.fields.includes(name));
    wanted.set(plan, wants);
  }
  return wants ? along : undefined;
}
