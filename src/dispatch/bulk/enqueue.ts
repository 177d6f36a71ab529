import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { remembered } from '../../identity/access/viewer.ts';
import { provided } from '../../platform/application.ts';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { afterCommit, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import { traceParent } from '../../platform/tracing/spans.ts';
import { BulkAction } from './bulk-action.entity.ts';
import type { BulkKind } from './bulk-kinds.ts';

/** The most jobs or days of one bulk action; a large hauler has some hundreds a day. */
const MOST = 1_000;

/** The records that the ids of a bulk action name, and the messages about them. */
const JOBS = { model: 'Job', tooMany: 'too_many_jobs', twice: 'job_twice' };
const DAYS = { model: 'DriverDay', tooMany: 'too_many_days', twice: 'day_twice' };

/** Wakes the workers of bulk actions of all processes. */
export const bulkWaker = provided<Waker>('waker of bulk actions');

export interface BulkWish<I> {
  jobId: string;
  input: I;
}

/** Somebody with whom a company settles, one of these, and the input for them. */
export interface PartyWish<I> {
  customerAccountId: string | null;
  vendorAccountId: string | null;
  driverId: string | null;
  input: I;
}

/**
 * Accepts a bulk action: stores it with the person who asked, and answers. The jobs are then processed in the background, one by one. An id
 * that the caller may not see has the outcome `Missing`, exactly like an id that does not exist.
 * @param field where the ids are in the request, for errors
 * @param whole where all of them are
 * @throws Invalid without a job, with too many, with one twice, or with an id that is no uuid; Missing for a foreign company
 */
export async function enqueueBulk<I>(
  ctx: Context,
  kind: BulkKind<I>,
  wishes: readonly BulkWish<I>[],
  companyId: string | null | undefined,
  field: (index: number) => string = (index) => `jobIds.${index}`,
  whole = field(0).replace(/\.0(\..*)?$/, ''),
): Promise<BulkAction> {
  viewerOf(ctx);
  checkIds(
    JOBS,
    wishes.map(({ jobId }) => jobId),
    field,
    whole,
  );
  const items = wishes.map(({ jobId, input }) => ({ job_id: jobId.toLowerCase(), input: input ?? {} }));
  return storeBulk(ctx, kind, items, companyId);
}

/**
 * Accepts a bulk action about days of drivers, as `enqueueBulk` does for jobs; each item has the same input, and the id of its day.
 * @throws Invalid without a day, with too many, with one twice, or with an id that is no uuid; Missing for a foreign company
 */
export async function enqueueForDays<I extends object>(
  ctx: Context,
  kind: BulkKind<I & { driverDayId: string }>,
  dayIds: readonly string[],
  input: I,
  companyId: string | null | undefined,
): Promise<BulkAction> {
  checkIds(DAYS, dayIds, (index) => `driverDayIds.${index}`, 'driverDayIds');
  const items = dayIds.map((id) => id.toLowerCase()).map((id) => ({ driver_day_id: id, input: { ...input, driverDayId: id } }));
  return storeBulk(ctx, kind, items, companyId);
}

/**
 * Accepts a bulk action about those with whom a company settles, one item for each. Without any it is finished at once.
 * @throws Missing for a foreign company
 */
export const enqueueForParties = <I>(
  ctx: Context,
  kind: BulkKind<I>,
  wishes: readonly PartyWish<I>[],
  companyId: string,
): Promise<BulkAction> =>
  storeBulk(
    ctx,
    kind,
    wishes.map(({ customerAccountId, vendorAccountId, driverId, input }) => ({
      ...{ customer_account_id: customerAccountId, vendor_account_id: vendorAccountId, driver_id: driverId },
      input: input ?? {},
    })),
    companyId,
  );

async function storeBulk(
  ctx: Context,
  { kind }: BulkKind<unknown>,
  items: readonly object[],
  companyId: string | null | undefined,
): Promise<BulkAction> {
  const viewer = viewerOf(ctx);
  const action = await transact(ctx, async (tx) => {
    const actor = remembered(viewer);
    const made = Object.assign(new BulkAction(), {
      company: ref(Company, companyOf(tx, companyId)),
      kind,
      createdByType: actor.type,
      createdById: actor.id,
      createdByName: viewer.name,
      realActor: actor.realActor ?? null,
      grants: actor.grants,
      scoped: Boolean(companyId),
      language: tx.language,
      requestId: tx.requestId,
      traceParent: traceParent(),
      totalCount: items.length,
      nextAt: worldTime(tx.tx),
    });
    tx.em.persist(made);
    await tx.em.flush();
    const of = { company_id: made.company.id, bulk_action_id: made.id };
    await insertRows(
      tx.em,
      'bulk_action_item',
      items.map((item, index) => ({ id: newId(), ...of, item_index: index, ...item })),
    );
    afterCommit(tx, () => bulkWaker.of(tx.em).wake());
    return made;
  });
  ctx.location = `/v1/bulk_actions/${action.id}`;
  return action;
}

function checkIds({ model, tooMany, twice }: typeof JOBS, ids: readonly string[], field: (index: number) => string, whole: string): void {
  if (ids.length === 0) throw new Invalid([{ model, field: whole, key: 'required' }]);
  if (ids.length > MOST) throw new Invalid([{ model, field: whole, key: tooMany, params: { max: MOST } }]);
  const items: ErrorItem[] = [];
  const met = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (!isUuid(id)) items.push({ model, field: field(index), key: 'not_a_uuid' });
    else if (met.has(id.toLowerCase())) items.push({ model, field: field(index), key: twice });
    met.add(id.toLowerCase());
  }
  if (items.length > 0) throw new Invalid(items);
}
