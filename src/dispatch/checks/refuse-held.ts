import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce } from '../../platform/database/planned-once.ts';
import { foresee, queryIn } from '../../platform/database/sql.ts';
import { type Attempt, type ErrorItem, Invalid, refusalOf } from '../../platform/errors.ts';
import { booksOfJob } from '../access/books.ts';
import { closedThroughSql } from '../access/closed-books.ts';
import { settlementOfSql } from '../fields/settlement-number.ts';
import { areSupplementsDue, type ChangedWork } from './supplements.ts';

// The job is locked against the approval of its invoices, which locks it, too: one of both sees what the other has done.
const LOCK = 'select from job where id = $1 for key share';
const isClosed = (company: string): string => `coalesce(posting_date <= ${closedThroughSql(company)}, false)`;
// A settlement that holds work says more than that the work is approved: the settlement has to be voided before. So does a closed period, which is not undone at all.
// An invoice that pays by time is the one that holds the times of a day, if no other does.
const heldBy = (work: string, company = '$2'): string =>
  `select h.* from (select invoice_id as "invoiceId", ${settlementOfSql('invoice.id')} as settlement, ${isClosed(company)} as closed, created_at, id,
        driver_day_id is not null or time_terms is not null as timed
      from invoice where ${work} and company_id = ${company} and billing_approved_at is not null and state <> 'voided') h
    order by h.settlement is null, not h.closed, not h.timed, h.created_at, h.id limit 1`;
const HELD = heldBy('job_id = $1');
// The invoices of a link pay those to whom it passed the job on; the job's other invoices do not depend on it.
const HELD_OF_LINK = heldBy('job_id = $1 and job_assignment_id = $3');
// An invoice by the load rests on the loads of its lines, as with tickets: others may be in dispute, on a part that nobody has approved yet.
const HAS_LOAD = 'exists (select from invoice_line_item li where li.invoice_id = invoice.id and li.load_id = $3)';
const HAS_LOADS = 'exists (select from invoice_line_item li where li.invoice_id = invoice.id and li.load_id is not null)';
const HELD_OF_LOAD = heldBy(`job_id = $1 and ${HAS_LOAD}`);
// An invoice without such lines may rest on the times of all loads, and on their approval.
const OF_STAMPS = `job_id = $1 and (${HAS_LOAD} or not ${HAS_LOADS})`;
const HELD_OF_STAMPS = heldBy(OF_STAMPS);
// The minutes of a job are billed by the hour and the day, and by a share of that.
const OF_MINUTES = `job_id = $1 and (time_terms is not null or (rate_type in ('RateCommission', 'RateFlatCommission') and not ${HAS_LOADS}))`;
const HELD_OF_MINUTES = heldBy(OF_MINUTES);
/** All that hold some work, and not the one that says most of it. */
const holding = (work: string): string =>
  `select id from invoice where ${work} and company_id = $2 and billing_approved_at is not null and state <> 'voided'`;
// The customer's charges of a job are on its receivables alone.
const HELD_OF_CUSTOMER = heldBy("job_id = $1 and side = 'receivable'");
// The approval of a day approved its jobs, and is taken back with theirs. The day is locked by who asks.
const OF_DAY = '(driver_day_id = $1 or job_id in (select j.id from job j where j.driver_day_id = $1))';
const HELD_OF_DAY = heldBy(OF_DAY);
const HELD_OF_TIMES = heldBy(`${OF_DAY} and (driver_day_id is not null or time_terms is not null)`);

const HELD_OF_JOBS = namedStatement(`select w.job_id as "jobId", h.* from unnest($1::uuid[], $2::uuid[]) w(job_id, company_id)
  cross join lateral (${heldBy('job_id = w.job_id', 'w.company_id')}) h`);
planOnce(HELD_OF_JOBS);

/** A job, and the company in whose books its invoices are meant. */
interface JobInBooks {
  jobId: string;
  companyId: string;
}

/**
 * Refuses to take back the approval of a job on which an approved invoice rests (PROOF A2, BILLING B5). @throws Invalid naming the invoice, the settlement that
 * holds it, or that its period is closed
 */
export async function refuseHeld(tx: TxContext, work: JobInBooks): Promise<void> {
  const held = await heldOf(tx, work);
  if (held) throw new Invalid([problemOf({ model: 'Job', field: '' }, held)]);
}

/**
 * The same of the approval of a load, which is held by the approved invoices that have a line of it, and by those without lines of loads: others of its job may
 * be in dispute. `loadHeldSql` says the same of what is read. @throws Invalid
 */
export const refuseHeldLoad = (tx: TxContext, { jobId, companyId }: JobInBooks, loadId: string): Promise<void> =>
  refuseBy(tx, 'Load', HELD_OF_STAMPS, [jobId, companyId, loadId]);

type JobToBill = Parameters<typeof booksOfJob>[2];
const booksOf = (tx: TxContext, job: JobToBill, companyId: string | null | undefined): Promise<string | undefined> =>
  booksOfJob((sql, parameters) => queryIn(tx.em, sql, parameters), viewerOf(tx), job, companyId);

/** A record of a job that is changed, and what is attempted where the contract answers 409. */
interface ChangedRecord {
  model: string;
  attempt?: Attempt;
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
  { model, attempt }: ChangedRecord,
  job: JobToBill,
  companyId?: string | null,
): Promise<void> {
  const held = await billedBy(tx, job, companyId);
  if (held) throw refusalOf(problemOf({ model, field: '' }, held), attempt);
}

/** Whether `refuseBilled` refuses to change a job, which is locked. */
export const isBilled = async (tx: TxContext, job: JobToBill): Promise<boolean> => (await billedBy(tx, job)) !== undefined;

async function billedBy(tx: TxContext, job: JobToBill, companyId?: string | null): Promise<Held | undefined> {
  const books = await booksOf(tx, job, companyId);
  return books === undefined ? undefined : heldOf(tx, { jobId: job.id, companyId: books });
}

/**
 * The same of the values of a load, while other loads of its job may be changed: each approved invoice with a line of it holds them. The job is locked.
 * @throws Invalid
 */
export async function refuseBilledLoad(
  tx: TxContext,
  { job, loadId }: { job: JobToBill; loadId: string },
  companyId?: string | null,
): Promise<void> {
  const books = await booksOf(tx, job, companyId);
  if (books) await refuseBy(tx, 'Load', HELD_OF_LOAD, [job.id, books, loadId]);
}

/** The same of the minutes of a job, which are held by the approved invoices that are by time. The job is locked. @throws Invalid */
export async function refuseBilledMinutes(tx: TxContext, job: JobToBill, companyId?: string | null): Promise<void> {
  const books = await booksOf(tx, job, companyId);
  if (books) await refuseBy(tx, 'Job', HELD_OF_MINUTES, [job.id, books]);
}

/**
 * The same of the times of a load, which an approved invoice without lines of loads holds, too, or of the minutes of a job, unless the caller wants a
 * supplement and an approval that holds them cannot be taken back any more (BILLING B5 "load stamps"). The job is locked, and what it belongs to before it.
 * @returns the work whose difference is to be billed when the times are written; null if nothing of it is
 * @throws Invalid
 */
export async function supplementOrRefuseTimes(
  tx: TxContext,
  model: 'LoadSummary' | 'JobSummary',
  { job, loadId }: { job: JobToBill; loadId?: string },
  { companyId, supplement }: { companyId?: string | null | undefined; supplement?: boolean | null | undefined },
): Promise<ChangedWork | null> {
  const books = await booksOf(tx, job, companyId);
  if (!books) return null;
  const values = loadId === undefined ? ([job.id, books] as const) : ([job.id, books, loadId] as const);
  const work = supplement ? await workToSupplement(tx, loadId === undefined ? OF_MINUTES : OF_STAMPS, values) : null;
  if (!work) await refuseBy(tx, model, loadId === undefined ? HELD_OF_MINUTES : HELD_OF_STAMPS, values);
  return work;
}

/**
 * The work of a job whose difference is to be billed when its minutes are changed; null if no approval that holds them is beyond being taken back. The job is
 * locked, and what it belongs to before it.
 */
export async function minutesToSupplement(tx: TxContext, job: JobToBill, companyId?: string | null): Promise<ChangedWork | null> {
  const books = await booksOf(tx, job, companyId);
  return books ? workToSupplement(tx, OF_MINUTES, [job.id, books]) : null;
}

async function workToSupplement(
  tx: TxContext,
  held: string,
  values: readonly [jobId: string, companyId: string, loadId?: string],
): Promise<ChangedWork | null> {
  const [jobId, companyId] = values;
  await queryIn(tx.em, LOCK, [jobId]);
  const found = await queryIn<{ id: string }>(tx.em, holding(held), [...values]);
  const ids = found.map(({ id }) => id);
  return ids.length > 0 && (await areSupplementsDue(tx, { jobId, companyId }, ids)) ? { jobId, companyId } : null;
}

/** The same of what a link pays, in the books of the company that passed the job on. @throws Invalid */
export const refuseBilledLink = (tx: TxContext, model: string, { jobId, companyId }: JobInBooks, linkId: string): Promise<void> =>
  refuseBy(tx, model, HELD_OF_LINK, [jobId, companyId, linkId]);

/** The same of what the customer of a job is charged. @throws Invalid */
export const refuseBilledCustomer = (tx: TxContext, model: string, { jobId, companyId }: JobInBooks): Promise<void> =>
  refuseBy(tx, model, HELD_OF_CUSTOMER, [jobId, companyId]);

async function refuseBy(tx: TxContext, model: string, sql: string, values: readonly [jobId: string, ...more: string[]]): Promise<void> {
  await queryIn(tx.em, LOCK, [values[0]]);
  const [held] = await queryIn<Held>(tx.em, sql, [...values]);
  if (held) throw new Invalid([problemOf({ model, field: '' }, held)]);
}

/**
 * The same as `refuseHeld` of a driver day: its payable and the invoices of its jobs rest on its approval. @param byTime only those that pay by time are meant
 * @throws Invalid
 */
export async function refuseHeldDay(
  tx: TxContext,
  { dayId, companyId }: { dayId: string; companyId: string },
  byTime = false,
): Promise<void> {
  const [held] = await queryIn<Held>(tx.em, byTime ? HELD_OF_TIMES : HELD_OF_DAY, [dayId, companyId]);
  if (held) throw new Invalid([problemOf({ model: 'DriverDay', field: '' }, held)]);
}

/** Reads at once what `refuseHeld` or `refuseBilled` will read of each of these jobs, which are locked. */
export async function foreseeHeld({ em }: TxContext, works: readonly JobInBooks[]): Promise<void> {
  const found = await queryIn<Held & { jobId: string }>(em, HELD_OF_JOBS, [
    works.map(({ jobId }) => jobId),
    works.map(({ companyId }) => companyId),
  ]);
  const byJob = new Map(found.map((held) => [held.jobId, held]));
  for (const { jobId, companyId } of works) {
    const held = byJob.get(jobId);
    foresee(em, LOCK, [jobId], [{}]);
    foresee(em, HELD, [jobId, companyId], held ? [held] : []);
  }
}

async function heldOf(tx: TxContext, { jobId, companyId }: JobInBooks): Promise<Held | undefined> {
  await queryIn(tx.em, LOCK, [jobId]);
  const [held] = await queryIn<Held>(tx.em, HELD, [jobId, companyId]);
  return held;
}

interface Held {
  invoiceId: string;
  /** The name of the settlement that has the invoice. */
  settlement: string | null;
  /** The invoice counts in a period that is closed. */
  closed: boolean;
}

function problemOf(of: Pick<ErrorItem, 'model' | 'field'>, { invoiceId: invoice, settlement, closed }: Held): ErrorItem {
  if (settlement) return { ...of, key: 'in_settlement', params: { settlement } };
  return { ...of, key: closed ? 'period_closed' : 'invoice_approved', params: { invoice } };
}
