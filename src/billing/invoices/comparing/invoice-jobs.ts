import type { EntityManager } from '@mikro-orm/postgresql';
import { lockAroundJobs } from '../../../dispatch/checks/lock-around.ts';
import { nextNumbersOf } from '../../../dispatch/fields/numbers.ts';
import { systemContext } from '../../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import { actOnBehalfOf, asCompanies } from '../../../platform/database/scope.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import { daysToCompare } from '../../days/day-tasks.ts';
import { noteThinMargin } from '../../margins/thin-margins.ts';
import { matchLoads } from '../../matching/match-loads.ts';
import type { Line } from '../../pricing/freight.ts';
import { requestStackOuts } from '../../stack-outs/request-stack-outs.ts';
import { booksOf, type Entry, isCommission, keyOfBooks, payerOfShare } from '../books-of-job.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import { factsOfJobs } from '../facts/read-job-facts.ts';
import { compareOthersOfDays } from '../following/compare-again.ts';
import { begin } from '../following/follow-work.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { FOLLOWING, invoiceMachine, isSupplement } from '../invoice.machine.ts';
import { companiesOfJobs, invoicesToCompare } from '../invoice-tasks.ts';
import { compareParts } from '../parts/compare-parts.ts';
import { receivedBy } from '../price-at.ts';
import { countedOf } from '../tiers/tiers-of-order.ts';
import { hasOpenLoad, isFinished, minutesOf } from '../work-of-job.ts';
import { type Bills, billsOfJobs, keyOfInvoice } from './bills-of-jobs.ts';
import { isPaidByOwner, noteCommission, noteDriverCommission } from './note-commissions.ts';
import { wantedOf } from './wanted-books.ts';

/** A job whose invoices are to be compared with its work. */
interface Asked {
  id: string;
  /** Its owner. */
  companyId: string;
}

/**
 * Compares what should be invoiced of jobs with what is, in the books of all companies that they passed through, and writes the differences
 * (BILLING B2.1). Approved invoices stay as they are, and say that they are stale. Jobs of the same companies share a transaction; if one of them fails,
 * the others do not fail with it.
 * @returns why jobs failed
 */
export async function invoiceJobs<J extends Asked>(em: EntityManager, jobs: readonly J[]): Promise<Map<J, unknown>> {
  const failed = new Map<J, unknown>();
  const concerned = await companiesOfJobs(em, jobs);
  // The facts that are read for a job of its partners are the same as if it were the only one.
  const groups = Map.groupBy(jobs, ({ id, companyId }) => [companyId, ...concerned.get(id)!].join());
  for (const group of groups.values()) await invoiceTogether(em, group, concerned.get(group[0]!.id)!, failed);
  return failed;
}

/** Halves jobs that fail together, until those that make them fail are alone. */
async function invoiceTogether<J extends Asked>(
  em: EntityManager,
  jobs: readonly J[],
  companies: readonly string[],
  failed: Map<J, unknown>,
): Promise<void> {
  const [first] = jobs as readonly [J];
  const ids = jobs.map(({ id }) => id);
  try {
    await asCompanies(companies, () => transact(systemContext(em, first.companyId), (tx) => invoicesWithin(tx, ids, companies)));
  } catch (error) {
    if (jobs.length === 1) {
      failed.set(first, error);
      return;
    }
    const half = Math.ceil(jobs.length / 2);
    for (const part of [jobs.slice(0, half), jobs.slice(half)]) await invoiceTogether(em, part, companies, failed);
  }
}

/** The same for one job in a running transaction, in the books of some companies. @param isRated somebody has set its rate, which is written */
export const invoiceWithin = (tx: TxContext, jobId: string, companies: readonly string[], isRated = false): Promise<void> =>
  invoicesWithin(tx, [jobId], companies, isRated);

/** The same for some jobs. They are locked before their invoices, and what they belong to before them. */
export async function invoicesWithin(
  tx: TxContext,
  jobIds: readonly string[],
  companies: readonly string[],
  isRated = false,
): Promise<void> {
  await lockAroundJobs(tx, jobIds);
  // Two looks at one job come one after the other.
  await queryIn(tx.em, 'select from job where id = any($1::uuid[]) order by id for no key update', [jobIds]);
  const found = await factsOfJobs((sql, values) => queryIn(tx.em, sql, values), jobIds);
  const facts = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (facts.length === 0) return;
  const ids = facts.map(({ id }) => id);
  const bills = await billsOfJobs(tx, ids, companies);
  const jobs = facts.map((one) => whatIsWanted(tx, one, { bills, companies }));
  const numberFor = await drawNumbers(tx, jobs);
  for (const one of jobs) await compare(tx, one, { bills, companies, numberFor, isRated });
  matchLoads(tx, ids, companies);
  const days = facts.flatMap(({ paidByDay, driverDayId }) => (paidByDay && driverDayId ? [driverDayId] : []));
  if (days.length > 0) daysToCompare.note(tx, days);
}

interface Compared {
  job: JobFacts;
  /** The job as it was read. */
  facts: JobFacts;
  /** All its invoices. */
  found: readonly Invoice[];
  /** The invoices that there should be, each with those that there are of it. */
  wanted: readonly { entry: Entry; present: readonly Invoice[] }[];
  /** Those that should not be there. */
  others: readonly Invoice[];
  /** Companies for which it was decided what is requested for a canceled job. */
  canceledFor: readonly string[];
}

interface Books {
  bills: Bills;
  companies: readonly string[];
}

function whatIsWanted(tx: TxContext, facts: JobFacts, { bills, companies }: Books): Compared {
  const found = bills.ofJob(facts.id);
  // A command may have set a rate by hand that is not written yet.
  const job = { ...facts, byHand: found.filter((one) => one.byHand && !isSupplement(one)).map(keyOfInvoice) };
  const canceledFor = job.state === 'canceled' ? requestStackOuts(tx, job, companies) : [];
  const open = Map.groupBy(found, keyOfInvoice);
  const wanted = wantedOf(job)
    .filter(({ companyId }) => companies.includes(companyId))
    .map((entry) => {
      const key = keyOfBooks(entry);
      const present = open.get(key) ?? [];
      open.delete(key);
      return { entry, present };
    });
  return { job, facts, found, wanted, others: [...open.values()].flat(), canceledFor };
}

const regularOf = (present: readonly Invoice[]): Invoice | undefined => present.find(({ reason }) => reason === 'regular');

/** Draws the numbers of all invoices that are missing. @returns the next number of a company, in the order of the jobs */
async function drawNumbers(tx: TxContext, jobs: readonly Compared[]): Promise<(companyId: string) => number> {
  const missing = jobs.flatMap(({ wanted }) => wanted.filter(({ present }) => !regularOf(present)).map(({ entry }) => entry.companyId));
  const counts = new Map([...Map.groupBy(missing, (id) => id)].map(([id, all]) => [id, all.length]));
  const next = await nextNumbersOf(tx.em, 'invoice', counts);
  return (companyId) => {
    const number = next.get(companyId)!;
    next.set(companyId, number + 1);
    return number;
  };
}

/** What the invoices of a job are compared with, and how. */
type Comparing = Books & { numberFor(companyId: string): number; isRated: boolean };

async function compare(tx: TxContext, compared: Compared, comparing: Comparing): Promise<void> {
  const { job, found, others, canceledFor } = compared;
  const { bills, companies } = comparing;
  const requested = found
    // The charges of a supplement are no part of the comparison.
    .filter((invoice) => FOLLOWING.includes(invoice.state) && !isSupplement(invoice))
    .flatMap((invoice) => bills.copiesOf(invoice).flatMap(({ requestedCharge }) => requestedCharge?.id ?? []));
  const outcome = await compareWanted(tx, compared, comparing);
  const { liveOf, charged, commission } = outcome;
  if (companies.includes(job.companyId)) await noteDriverCommission(tx, job, commission);
  for (const { id, thinBelow } of job.companies) noteThinMargin(job, liveOf.get(id) ?? [], thinBelow);
  const decided = [...found, ...[...liveOf.values()].flat()].filter(({ company }) => canceledFor.includes(company.id));
  for (const invoice of decided) invoice.stackOutNoted = true;
  // The job went to somebody else, or came to nothing.
  const lost = others.filter(({ state }) => FOLLOWING.includes(state));
  for (const invoice of lost) invoiceMachine.fire(tx, invoice, 'void');
  await compareOthersOfDays(tx, job, { requested, charged });
  compareDependent(tx, compared, { ...outcome, companies, hasLost: lost.length > 0 });
}

/** The invoices of a job, and what became of them that others depend on. */
interface Outcome {
  /** Those of each company. */
  liveOf: ReadonlyMap<string, readonly Invoice[]>;
  /** The charges that they have. */
  charged: readonly string[];
  /** What its owner pays its driver by commission. */
  commission: Invoice | undefined;
  /** It has another price now. */
  isChanged: boolean;
  /** Its minutes are others, by which those are paid who work for other owners on its day. */
  isOtherTime: boolean;
  /** More or less of it counts by now for a rate that goes by how much of its order was hauled. */
  isCountedAnew: boolean;
}

/** Compares each invoice that there should be with those that there are of it. */
async function compareWanted(
  tx: TxContext,
  { job, facts, wanted }: Compared,
  { bills, companies, numberFor, isRated }: Comparing,
): Promise<Outcome> {
  const wasByHand = facts.byHand.filter((key) => companies.some((id) => key.startsWith(id)));
  const charged: string[] = [];
  let commission: Invoice | undefined;
  let isCountedAnew = false;
  let isOtherTime = false;
  const dayMinutes = dayMinutesOf(facts);
  let isChanged = isRated || wasByHand.toSorted().join() !== [...new Set(job.byHand)].toSorted().join();
  const liveOf = new Map<string, Invoice[]>();
  const receivables = new Map<string, readonly Line[]>();
  const received = new Map<string, Entry['rate']>();
  for (const { entry, present } of wanted) {
    const regular = regularOf(present);
    const live = regular ? present : [begin(tx, job, entry, numberFor(entry.companyId)), ...present];
    const follows = regular && FOLLOWING.includes(regular.state);
    const before = follows ? timeOfInvoice(regular, bills.itemsOf(regular)) : notedOf(live);
    const payer = payerOfShare(job, entry);
    // The books of this company are not compared now.
    if (payer && !companies.includes(payer) && !receivables.has(payer)) {
      const lines = await receivedBy(tx, job, payer);
      if (lines) receivables.set(payer, lines);
      received.set(payer, booksOf(job).find((one) => one.side === 'receivable' && one.companyId === payer)?.rate);
    }
    const compared = await compareParts(tx, {
      ...{ job, entry, live, receivable: payer ? receivables.get(payer) : undefined, received: payer ? received.get(payer) : undefined },
      ...{ rebilledOf: bills.rebilledOf, itemsOf: bills.itemsOf, copiesOf: bills.copiesOf },
    });
    liveOf.set(entry.companyId, [...(liveOf.get(entry.companyId) ?? []), ...compared.live]);
    charged.push(...compared.charged);
    if (entry.side === 'receivable') received.set(entry.companyId, compared.rate);
    if (compared.lines && entry.side === 'receivable') receivables.set(entry.companyId, compared.lines);
    const after = follows ? timeOfPrice(compared.rate, compared.first) : notedOf(compared.live);
    isChanged ||= !regular || before !== after;
    const counted = countedOf(job, { ...entry, rate: compared.rate });
    const [first] = live as [Invoice];
    isCountedAnew ||= JSON.stringify(counted) !== JSON.stringify(first.counted ?? null);
    first.counted = counted;
    await noteCommission(tx, job, entry, first);
    if (isPaidByOwner(job, entry)) commission = first;
    isOtherTime ||= dayMinutes !== (first.dayMinutes ?? null);
    first.dayMinutes = dayMinutes;
  }
  return { liveOf, charged, commission, isChanged, isOtherTime, isCountedAnew };
}

type Consequences = Pick<Outcome, 'isChanged' | 'isOtherTime' | 'isCountedAnew'> & Pick<Books, 'companies'> & { hasLost: boolean };

/** Has what depends on a job compared, too. What it depends on changes nothing here, so this comes to an end. */
function compareDependent(tx: TxContext, { job, facts }: Compared, of: Consequences): void {
  const note = (jobs: readonly { id: string }[]) =>
    invoicesToCompare.note(
      tx,
      jobs.map(({ id }) => id),
    );
  // The pay of others for it is compared in their books, by the worker.
  const isElsewhere = ({ companyId, side, jobAssignmentId, rate }: Entry) =>
    side === 'receivable' && jobAssignmentId !== null && isCommission(rate) && !of.companies.includes(companyId);
  if (booksOf(job).some(isElsewhere)) note([job]);
  // The price of the other jobs of the day depends on this one.
  if (of.isChanged || of.hasLost) note(job.sameDay);
  // So does what other owners pay of the day. They are asked for as themselves, and of this job they learn its minutes.
  if (of.isOtherTime || (of.hasLost && facts.othersOfDay.length > 0)) {
    for (const { companyId } of facts.othersOfDay) actOnBehalfOf(companyId);
    note(facts.othersOfDay);
  }
  // So does what is paid for the other jobs of an order whose rates go by how much of it was hauled.
  if (of.isCountedAnew || of.hasLost) note(job.sameOrder);
}

/** The minutes of a job that is done, by which others of its day with other owners are paid; null if there are none, or it is not done. */
const dayMinutesOf = (job: JobFacts): number | null =>
  job.othersOfDay.length > 0 && isFinished(job) && !hasOpenLoad(job) ? Math.round(minutesOf(job).value.toNumber()) : null;

/** The notes of work that was billed, which are the same again as long as nothing of it changes. */
const notedOf = (live: readonly Invoice[]): string =>
  JSON.stringify(live.map(({ id, stale, totalAmount }) => [id, stale, decimalText(totalAmount)]));

/** The time and the rate that an invoice was priced by, and those that count now. */
const timeOfInvoice = ({ rateType, rateValue }: Invoice, items: readonly InvoiceLineItem[] = []): string =>
  JSON.stringify([
    ...[rateType ?? null, rateValue ? decimalText(rateValue) : null],
    ...items.filter(({ load }) => !load).map(({ deliveredQuantity }) => decimalText(deliveredQuantity)),
  ]);
const timeOfPrice = (rate: Entry['rate'], lines: readonly Line[]): string =>
  JSON.stringify([
    ...[rate?.type ?? null, rate?.value ? decimalText(new Decimal(rate.value)) : null],
    ...lines.filter(({ loadId }) => loadId === null).map(({ delivered }) => decimalText(delivered.value)),
  ]);
