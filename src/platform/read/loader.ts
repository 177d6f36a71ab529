import DataLoader from 'dataloader';
import type { QueryConfig } from 'pg';
import type { Context } from '../context.ts';
import { type Registration, registration } from '../registration.ts';
import type { Plan } from './plan.ts';
import { fieldsOf } from './selection.ts';

/**
 * A loader of values that are computed for many records in one statement (sums, counts, conflicts), once a request and name. Relations and
 * lists need none: the read planner makes them part of the list's own statement (docs/read-planner.md).
 * @param name one for each question; other values on which the question depends must be part of the name
 * @param batch answers in the order of the keys; an Error in a place fails that record alone
 */
export function loaderOf<V>(
  ctx: Context,
  name: string,
  batch: (keys: readonly string[]) => Promise<readonly (V | Error)[]>,
): DataLoader<string, V> {
  const key = `loader:${name}`;
  const known = ctx.memo.get(key) as DataLoader<string, V> | undefined;
  if (known) return known;
  const loader = new DataLoader<string, V>(batch);
  ctx.memo.set(key, loader);
  return loader;
}

/** What is computed of single records by a statement of its own, which is sent in the message of the record. */
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

/** What is read along with a record of a plan; undefined if it selects none of the fields. */
export function readAlongOf(entity: Function, plan: Plan): ReadAlong | undefined {
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
