import type { EntityManager } from '@mikro-orm/postgresql';
import { lockAroundJobs } from '../../dispatch/checks/lock-around.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { actOnBehalfOf, asCompanies } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { noteThinMargin } from '../margins/thin-margins.ts';
import { matchLoads } from '../matching/match-loads.ts';
import type { Line } from '../pricing/freight.ts';
import { isAccepted, requestStackOuts } from '../stack-outs/request-stack-outs.ts';
import { booksOf, type Entry, isCommission, keyOfBooks, payerOfShare } from './books-of-job.ts';
import type { JobFacts } from './facts/job-facts.ts';
import { factsOfJob, NOT_ACCEPTED } from './facts/read-job-facts.ts';
import { begin } from './following/follow-work.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { FOLLOWING, invoiceMachine, isSupplement } from './invoice.machine.ts';
import { companiesOfJob, invoicesToCompare } from './invoice-tasks.ts';
import { compareParts } from './parts/compare-parts.ts';
import { rebilledInvoices } from './parts/rebilled.ts';
import { receivedBy } from './price-at.ts';
import { hasRequests } from './price-entry.ts';
import { countedOf } from './tiers/tiers-of-order.ts';
import { hasOpenLoad, isFinished, minutesOf } from './work-of-job.ts';

/**
 * Compares what should be invoiced of a job with what is, in the books of all companies that it passed through, and writes the difference
 * (BILLING B2.1). Approved invoices stay as they are, and say that they are stale.
 */
export async function invoiceJob(em: EntityManager, job: { id: string; companyId: string }): Promise<void> {
  const companies = await companiesOfJob(em, job);
  await asCompanies(companies, () => transact(systemContext(em, job.companyId), (tx) => invoiceWithin(tx, job.id, companies)));
}

/** The same in a running transaction, in the books of some companies. The job is locked before its invoices, and what it belongs to before it. */
export async function invoiceWithin(tx: TxContext, jobId: string, companies: readonly string[]): Promise<void> {
  await lockAroundJobs(tx, [jobId]);
  // Two looks at one job come one after the other.
  await queryIn(tx.em, 'select from job where id = $1 for no key update', [jobId]);
  const facts = await factsOfJob((sql, values) => queryIn(tx.em, sql, values), jobId);
  if (!facts) return;
  await compare(tx, facts, companies);
  matchLoads(tx, jobId, companies);
  if (facts.paidByDay && facts.driverDayId) daysToCompare.note(tx, [facts.driverDayId]);
}

async function compare(tx: TxContext, facts: JobFacts, companies: readonly string[]): Promise<void> {
  const found = await tx.em.find(
    Invoice,
    { job: facts.id, company: { $in: [...companies] }, state: { $ne: 'voided' } },
    { filters: { tenant: false }, orderBy: { part: 'asc', id: 'asc' } },
  );
  const items = await tx.em.find(
    InvoiceLineItem,
    { invoice: { $in: found.map(({ id }) => id) } },
    { filters: { tenant: false }, orderBy: { ordinality: 'asc', id: 'asc' } },
  );
  // A command may have set a rate by hand that is not written yet.
  const job = { ...facts, byHand: found.filter((one) => one.byHand && !isSupplement(one)).map(keyOfInvoice) };
  const copies = await tx.em.find(
    AddOnCharge,
    { addOnApplicableId: { $in: found.map(({ id }) => id) } },
    { filters: { tenant: false }, orderBy: { id: 'asc' } },
  );
  const [itemsOf, copiesOf] = [
    Map.groupBy(items, ({ invoice }) => invoice.id),
    Map.groupBy(copies, ({ addOnApplicableId }) => addOnApplicableId),
  ];
  const rebilled = await rebilledInvoices(
    tx,
    found.filter(({ state }) => !FOLLOWING.includes(state)),
  );
  const open = Map.groupBy(found, keyOfInvoice);
  const wasByHand = facts.byHand.filter((key) => companies.some((id) => key.startsWith(id)));
  let isCountedAnew = false;
  let isOtherTime = false;
  const dayMinutes = dayMinutesOf(facts);
  let isChanged = wasByHand.toSorted().join() !== [...new Set(job.byHand)].toSorted().join();
  const canceledFor = job.state === 'canceled' ? requestStackOuts(tx, job, companies) : [];
  const wanted = wantedOf(job).filter(({ companyId }) => companies.includes(companyId));
  const liveOf = new Map<string, Invoice[]>();
  const receivables = new Map<string, readonly Line[]>();
  const received = new Map<string, Entry['rate']>();
  for (const entry of wanted) {
    const key = keyOfBooks(entry.companyId, entry.side, entry.jobAssignmentId);
    const present = open.get(key) ?? [];
    open.delete(key);
    const regular = present.find(({ reason }) => reason === 'regular');
    const live = regular ? present : [await begin(tx, job, entry), ...present];
    const follows = regular && FOLLOWING.includes(regular.state);
    const before = follows ? timeOfInvoice(regular, itemsOf.get(regular.id)) : notedOf(live);
    const payer = payerOfShare(job, entry);
    // Whose books are not compared now.
    if (payer && !companies.includes(payer) && !receivables.has(payer)) {
      const lines = await receivedBy(tx, job, payer);
      if (lines) receivables.set(payer, lines);
      received.set(payer, booksOf(job).find((one) => one.side === 'receivable' && one.companyId === payer)?.rate);
    }
    const compared = await compareParts(tx, {
      ...{ job, entry, live, receivable: payer ? receivables.get(payer) : undefined, received: payer ? received.get(payer) : undefined },
      rebilledOf: ({ id }) => rebilled.get(id),
      itemsOf: ({ id }) => itemsOf.get(id) ?? [],
      copiesOf: ({ id }) => copiesOf.get(id) ?? [],
    });
    liveOf.set(entry.companyId, [...(liveOf.get(entry.companyId) ?? []), ...compared.live]);
    if (entry.side === 'receivable') received.set(entry.companyId, compared.rate);
    if (compared.lines && entry.side === 'receivable') receivables.set(entry.companyId, compared.lines);
    const after = follows ? timeOfPrice(compared.rate, compared.first) : notedOf(compared.live);
    isChanged ||= !regular || before !== after;
    const counted = countedOf(job, { ...entry, rate: compared.rate });
    const [first] = live as [Invoice];
    isCountedAnew ||= JSON.stringify(counted) !== JSON.stringify(first.counted ?? null);
    first.counted = counted;
    await noteCommission(tx, job, entry, first);
    isOtherTime ||= dayMinutes !== (first.dayMinutes ?? null);
    first.dayMinutes = dayMinutes;
  }
  // What somebody else gets of it is compared in their books, by the worker.
  const isElsewhere = ({ companyId, side, jobAssignmentId, rate }: Entry) =>
    side === 'receivable' && jobAssignmentId !== null && isCommission(rate) && !companies.includes(companyId);
  if (booksOf(job).some(isElsewhere)) invoicesToCompare.note(tx, [job.id]);
  for (const { id, thinBelow } of job.companies) noteThinMargin(job, liveOf.get(id) ?? [], thinBelow);
  const decided = [...found, ...[...liveOf.values()].flat()].filter(({ company }) => canceledFor.includes(company.id));
  for (const invoice of decided) invoice.stackOutNoted = true;
  // The job went to somebody else, or came to nothing.
  const lost = [...open.values()].flat().filter(({ state }) => FOLLOWING.includes(state));
  for (const invoice of lost) invoiceMachine.fire(tx, invoice, 'void');
  // What is paid for the other jobs of the day depends on this one. What they get changes nothing here, so this comes to an end.
  const others = job.sameDay.map(({ id }) => id);
  if (isChanged || lost.length > 0) invoicesToCompare.note(tx, others);
  // So does what other owners pay of the day. They are asked for as themselves, and of this job they learn its minutes.
  if (isOtherTime || (lost.length > 0 && facts.othersOfDay.length > 0)) {
    for (const { companyId } of facts.othersOfDay) actOnBehalfOf(companyId);
    invoicesToCompare.note(
      tx,
      facts.othersOfDay.map(({ id }) => id),
    );
  }
  // So does what is paid for the other jobs of an order whose rates go by how much of it was hauled. What this one hauled does not depend on them.
  if (isCountedAnew || lost.length > 0)
    invoicesToCompare.note(
      tx,
      job.sameOrder.map(({ id }) => id),
    );
}

/** The minutes of a job that is done, by which others of its day with other owners are paid; null if there are none, or it is not done. */
const dayMinutesOf = (job: JobFacts): number | null =>
  job.othersOfDay.length > 0 && isFinished(job) && !hasOpenLoad(job) ? Math.round(minutesOf(job).value.toNumber()) : null;

const NOTE_COMMISSION = 'update job_assignment set commission_rate_value = $2, commission_rate_type = $3 where id = $1';

/** Notes on a link what its commission comes to for one of what is hauled: that is all that its receiver is told of it. */
async function noteCommission(tx: TxContext, { links }: JobFacts, { side, jobAssignmentId }: Entry, invoice: Invoice): Promise<void> {
  const link = side === 'payable' ? links.find(({ id }) => id === jobAssignmentId) : undefined;
  const value = invoice.commissionRateValue ? decimalText(invoice.commissionRateValue) : null;
  if (!link || value === (link.commission === null ? null : decimalText(new Decimal(link.commission)))) return;
  await queryIn(tx.em, NOTE_COMMISSION, [link.id, value, invoice.commissionRateType ?? null]);
}

/** The invoices that there should be: of a canceled job that somebody had accepted, those for what was requested. */
function wantedOf(job: JobFacts): Entry[] {
  if (job.state === 'canceled') return isAccepted(job) ? booksOf(job).filter((entry) => hasRequests(job, entry)) : [];
  return NOT_ACCEPTED.includes(job.state) ? [] : booksOf(job);
}

export const keyOfInvoice = ({ company, side, jobAssignment }: Invoice): string => keyOfBooks(company.id, side, jobAssignment?.id);

/** What is noted of work that was billed, which is the same again as long as nothing of it changes. */
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
