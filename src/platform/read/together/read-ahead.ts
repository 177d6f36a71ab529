import type { QueryResult } from 'pg';
import { viewerOf } from '../../authz/authorization.ts';
import type { Context } from '../../context.ts';
import type { Along } from '../../database/connection/together.ts';
import { currentWork, type RequestWork } from '../../database/request-work.ts';
import type { Scope } from '../../database/scope.ts';
import { isUuid } from '../../ids.ts';
import { type Info, isListless, planRead, type ReadAt } from '../document/planned-read.ts';
import type { Narrowing } from '../narrow/narrowing.ts';
import type { OneOptions } from '../options.ts';
import type { Plan } from '../plan.ts';
import type { Run } from '../run.ts';
import { alongOf } from './read-along.ts';

/** A record that was read in the message that committed a command. */
export interface Ahead {
  info: Info;
  id: string;
  plan: Plan;
  narrowing: Narrowing | undefined;
  run: Run;
  rows: object[];
  work: RequestWork;
  /** The number of statements that the request had sent by then. */
  statements: number;
  /** Keeps what was read along with it. */
  keep: (() => void)[];
}

/** The read of a record that a command writes. */
interface Answer {
  entity: Function;
  info: Info;
  id: unknown;
  scope: Scope;
}

/**
 * The statements that read a record in the message of a commit; none where it is read by itself.
 * @param arrived called with what was read
 */
export async function statementsAhead(
  ctx: Context,
  at: ReadAt,
  { entity, info, id, scope }: Answer,
  arrived: (ahead: Ahead) => void,
): Promise<readonly Along[]> {
  const work = currentWork();
  const viewer = viewerOf(ctx);
  // Whoever acts as another person has each read noted, and nobody reads for a client that has left.
  if (!work || work.abandoned || viewer.realActor || typeof id !== 'string' || !isUuid(id)) return [];
  // The parents of nested lists may have to be asked for, on another connection than the one that the command holds.
  if (!isListless(info, entity)) return [];
  const asked = { companyIds: viewer.companyIds, id, where: [] };
  const { plan: whole, run, statement, narrowing, seesPartners } = await planRead(ctx, at, { entity, info, kind: 'one', asked });
  const plan = narrowing?.planFor(run.reader) ?? whole;
  const keep: (() => void)[] = [];
  const done = (error: Error | null, found?: QueryResult) => {
    if (!error) arrived({ info, id, plan, narrowing, run, work, statements: work.statements, rows: found!.rows, keep });
  };
  const along = alongOf({ ctx, entity, id, plan: whole, scope }, (one) => void keep.push(one));
  return [{ config: statement(plan), scope: seesPartners ? { ...scope, work: seesPartners } : scope, done }, ...along];
}

/**
 * The record that was read ahead; undefined if none was, if it is another one or for another selection, if the request has sent a statement since,
 * which may have changed it, or if something was left out that the record has.
 */
export function recordAhead(ahead: Ahead | undefined, info: Info, { id, ...more }: OneOptions): unknown {
  if (!ahead || ahead.info !== info || ahead.id !== id || Object.keys(more).length > 0) return undefined;
  const { plan, narrowing, run, rows, work, statements, keep } = ahead;
  if (rows.length === 0 || work.statements !== statements) return undefined;
  if (narrowing && !narrowing.learn(plan, run.reader, rows[0] as Record<string, unknown>)) return undefined;
  for (const each of keep) each();
  const read = plan.read(rows[0] as Record<string, unknown>, run);
  rows.length = 0;
  return read;
}
