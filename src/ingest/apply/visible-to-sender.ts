import { Job } from '../../dispatch/model/job.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { moneyPermission } from '../../identity/access/money.ts';
import type { Viewer } from '../../platform/context.ts';
import { limitsOn } from '../../platform/model/limits.ts';
import type { BatchTx, ClaimedRecord, SenderLimits } from '../importer.ts';

const ENTITIES = { orders: Order, job: Job, project: Project };
/** Tables whose rows may be hidden from a sender. */
export type Limited = keyof typeof ENTITIES;

/** Returns the limits of the work that a sender sees; undefined for senders who see everything of the company, such as machine clients. */
export function limitsOf({ id, siteIds, ownRecordsOnly }: Pick<Viewer, 'id' | 'siteIds' | 'ownRecordsOnly'>): SenderLimits | undefined {
  return siteIds || ownRecordsOnly
    ? { ...(siteIds ? { siteIds: [...siteIds] } : {}), ...(ownRecordsOnly ? { personId: id } : {}) }
    : undefined;
}

/**
 * Returns a function that says whether the sender may not see the money in a field, by the permissions they lack; undefined if they see
 * all.
 */
export function unseenBy(lacking: readonly string[] | null | undefined): ClaimedRecord['unseen'] {
  return lacking
    ? (field) => {
        const permission = moneyPermission(field);
        return permission !== undefined && lacking.includes(permission);
      }
    : undefined;
}

/**
 * Returns which rows the senders see, by one statement for each different limit of a batch, and none for senders without limits.
 * @param ids all rows that any record may be about
 */
export async function seenBy(
  tx: Pick<BatchTx, 'query'>,
  table: Limited,
  records: readonly Pick<ClaimedRecord, 'limits'>[],
  ids: readonly string[],
): Promise<(record: Pick<ClaimedRecord, 'limits'>, id: string) => boolean> {
  const seen = new Map<string, Set<string>>();
  for (const { limits } of records) {
    const key = JSON.stringify(limits);
    if (limits && ids.length > 0 && !seen.has(key)) seen.set(key, await seenWithin(tx, table, limits, ids));
  }
  return ({ limits }, id) => !limits || (seen.get(JSON.stringify(limits))?.has(id) ?? false);
}

async function seenWithin(
  tx: Pick<BatchTx, 'query'>,
  table: Limited,
  { siteIds, personId }: SenderLimits,
  ids: readonly string[],
): Promise<Set<string>> {
  const values: unknown[] = [ids];
  const param = (value: unknown, cast: string) => (value === undefined ? undefined : () => `$${values.push(value)}::${cast}`);
  const limits = limitsOn(ENTITIES[table], 't', { sites: param(siteIds, 'uuid[]'), person: param(personId, 'uuid') });
  const rows = await tx.query<{ id: string }>(
    `select t.id from ${table} t where ${['t.id = any($1::uuid[])', ...limits].join(' and ')}`,
    values,
  );
  return new Set(rows.map(({ id }) => id));
}
