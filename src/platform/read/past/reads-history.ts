import { type EntityMetadata, IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { allow, viewerOf } from '../../authz/authorization.ts';
import type { Context, Viewer } from '../../context.ts';
import { currentWork } from '../../database/request-work.ts';
import type { Query } from '../../database/sql.ts';
import { Denied, Missing } from '../../errors.ts';
import type { Run } from '../run.ts';
import { type Past, READS_HISTORY, rewound } from './as-of.ts';
import { rewoundDeleted } from './deleted.ts';

/** Passes who may read records as they were: the audit log says it, so those who read all of it. @throws Denied */
export function allowHistory(ctx: Context): void {
  const viewer = allow(ctx, READS_HISTORY);
  if (isLimited(viewer)) throw new Denied(READS_HISTORY, 'permission_beyond_sites');
}

const isLimited = ({ siteIds, ownRecordsOnly }: Viewer): boolean => Boolean(siteIds || ownRecordsOnly);

/** The values that a record had, by column, where they were others than now. @throws Denied, Invalid, Missing */
export async function valuesOfPast(ctx: Context, ask: Query, meta: EntityMetadata<unknown>, past: Past): Promise<Record<string, unknown>> {
  allowHistory(ctx);
  const was = await rewound(ask, meta, past);
  if (!was) throw new Denied(READS_HISTORY, 'permission_of_owning_company');
  return was;
}

/**
 * Returns a record that was deleted since, as it was last, and the values that it had then where they were others.
 * @throws Missing if there was none, also to somebody who reads no history: to them it is as any record that is not there; Invalid
 */
export async function deletedOfPast(
  ctx: Context,
  ask: Query,
  meta: EntityMetadata<unknown>,
  past: Past,
): Promise<Required<Pick<Run, 'was' | 'last'>>> {
  const viewer = viewerOf(ctx);
  if (!viewer.can(READS_HISTORY) || isLimited(viewer)) throw new Missing();
  const found = await rewoundDeleted(ask, meta, past);
  if (!found) throw new Missing();
  return found;
}

/** Several reads that see the database at one moment, in a transaction. */
export function atOneMoment<T>(ctx: Context, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const run = () =>
    ctx.em.fork({ clear: true }).transactional((em) => work(em as EntityManager), {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      // A read as another person is noted.
      readOnly: !viewerOf(ctx).realActor,
    });
  return currentWork()?.read(run) ?? run();
}
