import { LockMode } from '@mikro-orm/core';
import { noteJobEvents } from '../../dispatch/jobs/job-effects.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { jobMachine } from '../../dispatch/model/job.machine.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/state/machine.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoiceMachine, type StateBeforePay } from '../invoices/invoice.machine.ts';
import { isClosedSince } from '../periods/books.ts';
import { takeBackBalance } from './balances.ts';
import type { Settlement } from './settlement.entity.ts';
import { settlementMachine } from './settlement.machine.ts';
import { lockSettlement } from './settlement-commands.ts';

/**
 * Notes that a settlement is paid, and with it its invoices. Jobs that are signed off are paid with what their owner owes for them, when nothing
 * more is owed.
 * @throws Missing, Denied, Conflict
 */
export function paySettlement(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'pay_settlement');
    await payWithin(tx, settlement);
    return settlement;
  });
}

/** The same of a locked settlement. @throws Conflict */
export async function payWithin(tx: TxContext, settlement: Settlement): Promise<void> {
  settlement.stateBeforePay = settlementMachine.fire(tx, settlement, 'pay');
  settlement.paidAt = tx.tx.now;
  settlement.exportedBeforePay = Boolean(settlement.exportedAt) || ['pending', 'uncertain'].includes(settlement.exportState);
  const { jobs, invoices } = await lockWork(tx, settlement);
  const before = invoiceMachine.fireMany(() => tx.tx, invoices, 'pay');
  await queryIn(tx.em, KEEP_STATES, [settlement.id, invoices.map(({ id }) => id), before]);
  await payJobs(tx, settlement, jobs);
}

/** The state of an invoice before, and the jobs that were paid with it. */
interface Kept {
  invoice_id: string;
  state_before: StateBeforePay;
  paid_jobs: string[];
}

/**
 * Takes back that a settlement is paid: its invoices and jobs are as they were before (BILLING B9). What was paid when its period was closed stays paid.
 * @throws Missing, Denied, Conflict
 */
export function undoPaySettlement(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'pay_settlement');
    if (await isClosedSince(tx, settlement, settlement.paidAt)) throw conflict('Settlement', settlement, 'undo_pay', 'period_closed');
    settlementMachine.fire(tx, settlement, 'undo_pay');
    await takeBackBalance(tx, settlement);
    Object.assign(settlement, { stateBeforePay: null, exportedBeforePay: false, paidAt: null });
    const { jobs, invoices } = await lockWork(tx, settlement);
    const kept = await queryIn<Kept>(tx.em, KEPT_STATES, [settlement.id]);
    const stateOf = new Map(kept.map((one) => [one.invoice_id, one.state_before]));
    invoiceMachine.fireMany(
      () => tx.tx,
      invoices,
      'undo_pay',
      ({ id }) => ({ stateBefore: stateOf.get(id) }),
    );
    const jobIds = new Set(kept.flatMap((one) => one.paid_jobs));
    moveJobs(
      tx,
      jobs.filter(({ id, state }) => jobIds.has(id) && state === 'paid'),
      'undo_pay',
    );
    await queryIn(tx.em, FORGET_STATES, [settlement.id]);
    return settlement;
  });
}

const KEEP_STATES = `update settlement_invoice x set state_before = t.state from unnest($2::uuid[], $3::text[]) as t(id, state)
  where x.settlement_id = $1 and x.invoice_id = t.id`;
const KEPT_STATES = 'select invoice_id, state_before, paid_jobs from settlement_invoice where settlement_id = $1';
const FORGET_STATES = `update settlement_invoice set state_before = null, paid_jobs = '{}' where settlement_id = $1`;

/** Locks the jobs of a settlement, then its invoices: the order in which everybody locks them. */
async function lockWork(tx: TxContext, { id, side, company }: Settlement): Promise<{ jobs: Job[]; invoices: Invoice[] }> {
  const rows = await queryIn<{ invoice_id: string; job_id: string | null }>(tx.em, WORK, [id]);
  const idsOf = (key: keyof (typeof rows)[number]) => [...new Set(rows.flatMap((row) => row[key] ?? []))];
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;
  // A job is paid by what its owner owes for it.
  const jobs = side === 'payable' ? await tx.em.find(Job, { id: { $in: idsOf('job_id') }, company: company.id }, locked) : [];
  const invoices = await tx.em.find(Invoice, { id: { $in: idsOf('invoice_id') } }, { ...locked, exclude: ['explain'] });
  return { jobs, invoices: invoices as Invoice[] };
}
// The pay of a day is for all of its jobs.
const WORK = `select i.id as invoice_id, i.company_id, i.driver_day_id, i.of_material, coalesce(i.job_id, j.id) as job_id from settlement_invoice x join invoice i on i.id = x.invoice_id
  left join job j on i.job_id is null and j.driver_day_id = i.driver_day_id where x.settlement_id = $1`;

// A job is paid when all that its owner owes for its work is; what is owed for material is another matter.
const PAID_JOBS = `with work as (
    select w.invoice_id, w.job_id as id from (${WORK}) w
    where w.job_id = any($2::uuid[]) and not w.of_material
      and not exists (select from invoice o where (o.job_id = w.job_id or o.driver_day_id = w.driver_day_id) and o.company_id = w.company_id
        and o.side = 'payable' and not o.of_material and o.id <> w.invoice_id and o.state not in ('paid', 'voided') and not exists (select from settlement_invoice y where y.settlement_id = $1 and y.invoice_id = o.id))),
  noted as (update settlement_invoice x set paid_jobs = array(select w.id from work w where w.invoice_id = x.invoice_id)
    where x.settlement_id = $1 and x.invoice_id in (select invoice_id from work))
  select distinct id as job_id from work`;

async function payJobs(tx: TxContext, settlement: Settlement, jobs: readonly Job[]): Promise<void> {
  const facts = { payableApproved: true };
  const own = jobs.filter((job) => jobMachine.can(job, 'pay', facts));
  if (own.length === 0) return;
  const paid = new Set(
    (await queryIn<{ job_id: string }>(tx.em, PAID_JOBS, [settlement.id, own.map(({ id }) => id)])).map(({ job_id }) => job_id),
  );
  const moved = own.filter(({ id }) => paid.has(id));
  moveJobs(tx, moved, 'pay');
  await noteJobEvents(
    tx,
    moved.map((job) => ({ job, state: job.state, eventName: 'JobPaid' })),
  );
}

function moveJobs(tx: TxContext, jobs: readonly Job[], event: 'pay' | 'undo_pay'): void {
  jobMachine.fireMany(
    () => tx.tx,
    jobs,
    event,
    () => ({ payableApproved: true }),
  );
  for (const job of jobs) job.stateChangedAt = tx.tx.now;
}
