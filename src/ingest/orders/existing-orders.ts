import { billingApprovedSql } from '../../dispatch/model/order.machine.ts';
import type { OrderState } from '../../dispatch/model/states.ts';
import type { Known } from '../apply/change.ts';
import { type Edit, editsSql, UserEdits } from '../apply/user-edits.ts';
import type { BatchTx, ClaimedRecord, Warning } from '../importer.ts';

/** A stored order that a payload's external id names. */
export interface ExistingOrder extends Known {
  externalId: string;
  state: OrderState;
  heldFrom: OrderState | null;
  orderId: string;
  routeId: string;
  truckCount: number;
  /** Closed, or with a load approved for billing: only notes may change (DOMAIN sections 1.1 `editable` and 5). */
  locked: boolean;
  /** True if the order has jobs on which rates are noted. */
  noted: boolean;
  /** The customer of its project; null without a project. */
  projectAccountId: string | null;
}

const LOCK = 'select o.id from orders o where o.company_id = $1 and o.external_id = any($2::text[]) order by o.id for update of o';

/**
 * Returns orders by external id, case-sensitive (SPEC), locked for the effect, with the fields that people edited. The locking statement is separate: one that
 * waits for a person's change sees the row of that change, and of other tables (what the person edited, loads that they approved) only what was committed before
 * it began to wait.
 */
export async function findExisting(tx: BatchTx, externalIds: string[]): Promise<Map<string, ExistingOrder>> {
  const locked = await tx.query<{ id: string }>(LOCK, [tx.company.id, [...new Set(externalIds)]]);
  if (locked.length === 0) return new Map();
  const rows = await tx.query<Record<string, unknown>>(
    `select o.id, o.external_id, o.state, o.held_from, o.order_id, o.route_id, o.truck_count,
            o.state in ('completed', 'canceled') or ${billingApprovedSql('o')} as locked,
            exists (select 1 from job j where j.order_id = o.id and j.rate_source is not null) as noted,
            (select p.account_id from project p where p.id = o.project_id) as project_account_id,
            (select json_object_agg(kv.key, kv.value) from jsonb_each_text(to_jsonb(o)) kv) as columns,
            ${editsSql('Order', 'o')} as edits
     from orders o where o.id = any($1::uuid[])`,
    [locked.map(({ id }) => id)],
  );
  return new Map(
    rows.map((row) => [
      row.external_id as string,
      {
        id: row.id as string,
        externalId: row.external_id as string,
        state: row.state as OrderState,
        heldFrom: row.held_from as OrderState | null,
        orderId: row.order_id as string,
        routeId: row.route_id as string,
        truckCount: row.truck_count as number,
        locked: row.locked as boolean,
        noted: row.noted as boolean,
        projectAccountId: row.project_account_id as string | null,
        columns: row.columns as Record<string, string | null>,
        edited: new UserEdits(row.edits as Edit[]),
      },
    ]),
  );
}

/**
 * SPEC "Order cancellation rule": a canceled order gives its external id up to the new one and is renamed `X-{N}`, X being the original id
 * and N the smallest positive integer that is free. The new order's sender gets a warning.
 */
export async function renameCanceled(
  tx: BatchTx,
  renamed: { record: ClaimedRecord; existing: ExistingOrder; warnings: Warning[] }[],
): Promise<void> {
  if (renamed.length === 0) return;
  const taken = await tx.query<{ external_id: string }>(
    `select o.external_id from orders o join unnest($2::text[]) x(base) on o.external_id like replace(replace(replace(x.base, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '-%'
     where o.company_id = $1`,
    [tx.company.id, renamed.map(({ existing }) => existing.externalId)],
  );
  const used = new Set(taken.map((row) => row.external_id));
  const names = renamed.map(({ existing }) => {
    let n = 1;
    while (used.has(`${existing.externalId}-${n}`)) n++;
    used.add(`${existing.externalId}-${n}`);
    return { id: existing.id, name: `${existing.externalId}-${n}` };
  });
  await tx.query(
    `update orders o set external_id = r.name, updated_at = $2, version = o.version + 1 from jsonb_to_recordset($1::jsonb) r(id uuid, name text) where o.id = r.id`,
    [JSON.stringify(names), tx.now],
  );
  for (const [i, { record, existing, warnings }] of renamed.entries()) {
    warnings.push({ code: 'canceled_order_renamed', pointer: '/external_id', given: existing.externalId, used: names[i]!.name });
    tx.recordsOf(record).audits.push({
      event: 'update',
      type: 'Order',
      id: existing.id,
      companyId: tx.company.id,
      changes: { external_id: [existing.externalId, names[i]!.name] },
    });
  }
}
