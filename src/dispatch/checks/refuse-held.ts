import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Conflict, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { booksOfJob } from '../access/books.ts';
import { closedThroughSql } from '../access/closed-books.ts';
import { settlementOfSql } from '../fields/settlement-number.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const IS_CLOSED = `coalesce(posting_date <= ${closedThroughSql('$2')}, false)`;
// What a settlement holds says more than that it is approved: the settlement has to be voided before. So does a closed period, which is not undone at all.
// What pays by time is what holds the times of a day, if nothing else does.
const heldBy = (work: string): string =>
  `select h.* from (select invoice_id as "invoiceId", ${settlementOfSql('invoice.id')} as settlement, ${IS_CLOSED} as closed, created_at, id,
        driver_day_id is not null or time_terms is not null as timed
      from invoice where ${work} and company_id = $2 and billing_approved_at is not null and state <> 'voided') h
    order by h.settlement is null, not h.closed, not h.timed, h.created_at, h.id limit 1`;
const HELD = heldBy('job_id = $1');
// Whom a job was passed on to is paid by the invoices of that link; what else is billed of the job does not depend on it.
const HELD_OF_LINK = heldBy('job_id = $1 and job_assignment_id = $3');
// The approval of a day approved its jobs, and is taken back with theirs. The day is locked by who asks.
const HELD_OF_DAY = heldBy('(driver_day_id = $1 or job_id in (select j.id from job j where j.driver_day_id = $1))');

/** A job, and the company in whose books its invoices are meant. */
interface JobInBooks {
  jobId: string;
  companyId: string;
}

/**
 * Refuses to take back the approval of a job or of a load of it on which an approved invoice rests (PROOF A2, BILLING B5). @throws Invalid naming the
 * invoice, the settlement that holds it, or that its period is closed
 */
export async function refuseHeld(tx: TxContext, model: 'Job' | 'Load', work: JobInBooks): Promise<void> {
  const held = await heldOf(tx, work);
  if (held) throw new Invalid([problemOf({ model, field: '' }, held)]);
}

/** A record of a job that is changed, and the error of the operation in the contract. */
interface ChangedRecord {
  model: string;
  refusal?: typeof Invalid | typeof Conflict;
}

/**
 * Refuses to change work of which an invoice is approved in the books of the caller (DOMAIN 1.2 `editable`, BILLING B5): the change would be done, and move
 * nothing of what is billed. The job is locked.
 * @param job a job; its owner's books are meant, or those of the company of the caller that has a link of it
 * @param companyId of the path, if the caller named one
 * @throws Invalid or Conflict, naming what `refuseHeld` names
 */
export async function refuseBilled(
  tx: TxContext,
  { model, refusal = Invalid }: ChangedRecord,
  job: Parameters<typeof booksOfJob>[2],
  companyId?: string | null,
): Promise<void> {
  const books = await booksOfJob((sql, parameters) => queryIn(tx.em, sql, parameters), viewerOf(tx), job, companyId);
  const held = books && (await heldOf(tx, { jobId: job.id, companyId: books }));
  if (held) throw new refusal([problemOf({ model, field: '' }, held)]);
}

/** The same of what a link pays, in the books of the company that passed the job on. @throws Invalid */
export async function refuseBilledLink(tx: TxContext, { jobId, companyId }: JobInBooks, linkId: string): Promise<void> {
  await queryIn(tx.em, LOCK, [jobId]);
  const [held] = await queryIn<Held>(tx.em, HELD_OF_LINK, [jobId, companyId, linkId]);
  if (held) throw new Invalid([problemOf({ model: 'JobAssignment', field: '' }, held)]);
}

/** The same as `refuseHeld` of a driver day: its payable and the invoices of its jobs rest on its approval. @throws Invalid */
export async function refuseHeldDay(tx: TxContext, { dayId, companyId }: { dayId: string; companyId: string }): Promise<void> {
  const [held] = await queryIn<Held>(tx.em, HELD_OF_DAY, [dayId, companyId]);
  if (held) throw new Invalid([problemOf({ model: 'DriverDay', field: '' }, held)]);
}

async function heldOf(tx: TxContext, { jobId, companyId }: JobInBooks): Promise<Held | undefined> {
  await queryIn(tx.em, LOCK, [jobId]);
  const [held] = await queryIn<Held>(tx.em, HELD, [jobId, companyId]);
  return held;
}

interface Held {
  invoiceId: string;
  /** What the settlement is called that has the invoice. */
  settlement: string | null;
  /** The invoice counts in a period that is closed. */
  closed: boolean;
}

function problemOf(of: Pick<ErrorItem, 'model' | 'field'>, { invoiceId: invoice, settlement, closed }: Held): ErrorItem {
  if (settlement) return { ...of, key: 'in_settlement', params: { settlement } };
  return { ...of, key: closed ? 'period_closed' : 'invoice_approved', params: { invoice } };
}
