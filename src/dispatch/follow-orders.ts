import { START_SQL, TERMS } from './add-trucks.ts';
import type { JobState } from './states.ts';

/** Jobs that nobody has left for yet: what changes on the order changes on them. */
const FOLLOWING: readonly JobState[] = ['created', 'assigned', 'sent', 'accepted', 'rejected'];

const SET = Object.entries(TERMS)
  .map(([column, value]) => `${column} = ${value}`)
  .join(', ');

/** Brings the terms of changed orders to their jobs and loads that have not left yet, in two statements. */
export async function followOrders(
  query: (sql: string, parameters: unknown[]) => Promise<unknown>,
  orderIds: readonly string[],
  now: Date,
): Promise<void> {
  if (orderIds.length === 0) return;
  await query(
    `update job j set ${SET}, job_start_at = ${START_SQL('j.number')}, updated_at = $3, version = j.version + 1
     from orders o where o.id = j.order_id and o.id = any($1::uuid[]) and j.state = any($2::text[])`,
    [orderIds, FOLLOWING, now],
  );
  await query(
    `update load l set material_id = o.material_id, unit_of_measure = coalesce(o.load_unit_of_measure, o.unit_of_measure), foreman_ids = o.foreman_ids, updated_at = $3, version = l.version + 1
     from job j, orders o where j.id = l.job_id and o.id = l.order_id and o.id = any($1::uuid[]) and j.state = any($2::text[]) and l.state = 'created'`,
    [orderIds, FOLLOWING, now],
  );
}
