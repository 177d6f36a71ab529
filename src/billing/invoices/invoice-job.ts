import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { Material } from '../../directory/master-data/named.entities.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { nextNumbers } from '../../dispatch/fields/numbers.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { lockAroundJobs } from '../lock-around.ts';
import { noteThinMargin } from '../margins/thin-margins.ts';
import type { Line } from '../pricing/freight.ts';
import { isAccepted, requestStackOuts } from '../stack-outs/request-stack-outs.ts';
import { booksOf, type Entry, isComplete, keyOfBooks } from './books-of-job.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { FOLLOWING, invoiceMachine } from './invoice.machine.ts';
import { companiesOfJob, invoicesToCompare } from './invoice-tasks.ts';
import { factsOfJob, type JobFacts, NOT_ACCEPTED } from './job-facts.ts';
import { editsOf } from './lines/edits-of-lines.ts';
import { blockersOf, hasRequests, priceEntry } from './price-entry.ts';
import { countedOf } from './tiers/tiers-of-order.ts';
import { isSettledWork } from './work-of-job.ts';
import { writeCharges } from './write-charges.ts';
import { numberOf, rateOf, writePrice } from './write-price.ts';

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
  if (facts.paidByDay && facts.driverDayId) daysToCompare.note(tx, [facts.driverDayId]);
}

async function compare(tx: TxContext, facts: JobFacts, companies: readonly string[]): Promise<void> {
  const found = await tx.em.find(
    Invoice,
    { job: facts.id, company: { $in: [...companies] }, state: { $ne: 'voided' } },
    { filters: { tenant: false }, orderBy: { id: 'asc' } },
  );
  const items = await tx.em.find(
    InvoiceLineItem,
    { invoice: { $in: found.map(({ id }) => id) } },
    { filters: { tenant: false }, orderBy: { ordinality: 'asc', id: 'asc' } },
  );
  // A command may have set a rate by hand that is not written yet.
  const job = { ...facts, byHand: found.filter((one) => one.byHand).map(keyOfInvoice) };
  const itemsOf = Map.groupBy(items, ({ invoice }) => invoice.id);
  const copies = await tx.em.find(
    AddOnCharge,
    { addOnApplicableId: { $in: found.map(({ id }) => id) } },
    { filters: { tenant: false }, orderBy: { id: 'asc' } },
  );
  const copiesOf = Map.groupBy(copies, ({ addOnApplicableId }) => addOnApplicableId);
  const open = new Map(found.map((invoice) => [keyOfInvoice(invoice), invoice]));
  const wasByHand = facts.byHand.filter((key) => companies.some((id) => key.startsWith(id)));
  let isCountedAnew = false;
  let isChanged = wasByHand.toSorted().join() !== job.byHand.toSorted().join();
  const canceledFor = job.state === 'canceled' ? requestStackOuts(tx, job, companies) : [];
  const wanted = wantedOf(job).filter(({ companyId }) => companies.includes(companyId));
  const live = new Map<string, Invoice[]>();
  const receivables = new Map<string, readonly Line[]>();
  for (const entry of wanted) {
    const key = keyOfBooks(entry.companyId, entry.side, entry.jobAssignmentId);
    const present = open.get(key);
    const invoice = present ?? (await begin(tx, job, entry));
    open.delete(key);
    const rate = invoice.byHand ? rateOf(invoice) : entry.rate;
    const items = itemsOf.get(invoice.id) ?? [];
    live.set(entry.companyId, [...(live.get(entry.companyId) ?? []), invoice]);
    const isDone = isSettledWork(job);
    const around = { receivable: receivables.get(entry.companyId), invoiceId: invoice.id, itemized: entry.isTop && job.itemized };
    const edits = editsOf(job, invoice, items);
    const ofWork = isDone ? priceEntry(job, { ...entry, rate }, around) : null;
    const priced = isDone && edits.length > 0 ? priceEntry(job, { ...entry, rate }, { ...around, edits }) : ofWork;
    if (priced && entry.side === 'receivable') receivables.set(entry.companyId, priced.lines);
    const blockers = blockersOf(job, { ...entry, rate }, priced);
    const received = wanted.find((one) => one.companyId === entry.companyId && one.side === 'receivable')?.rate;
    isChanged ||= !present || timeOfInvoice(invoice, itemsOf.get(invoice.id)) !== timeOfPrice(rate, priced?.lines);
    const counted = countedOf(job, { ...entry, rate });
    isCountedAnew ||= JSON.stringify(counted) !== JSON.stringify(invoice.counted ?? null);
    invoice.counted = counted;
    if (FOLLOWING.includes(invoice.state))
      follow(tx, invoice, {
        job,
        entry,
        rate,
        received,
        priced,
        ofWork,
        blockers,
        items,
        copies: copiesOf.get(invoice.id) ?? [],
      });
    else invoice.stale = !priced?.total.value.eq(invoice.totalAmount);
  }
  for (const { id, thinBelow } of job.companies) noteThinMargin(job, live.get(id) ?? [], thinBelow);
  const decided = [...found, ...[...live.values()].flat()].filter(({ company }) => canceledFor.includes(company.id));
  for (const invoice of decided) invoice.stackOutNoted = true;
  // The job went to somebody else, or came to nothing.
  for (const invoice of open.values()) if (FOLLOWING.includes(invoice.state)) invoiceMachine.fire(tx, invoice, 'void');
  // What is paid for the other jobs of the day depends on this one. What they get changes nothing here, so this comes to an end.
  const others = job.sameDay.map(({ id }) => id);
  if (isChanged || open.size > 0) invoicesToCompare.note(tx, others);
  // So does what is paid for the other jobs of an order whose rates go by how much of it was hauled. What this one hauled does not depend on them.
  if (isCountedAnew || open.size > 0)
    invoicesToCompare.note(
      tx,
      job.sameOrder.map(({ id }) => id),
    );
}

/** The invoices that there should be: of a canceled job that somebody had accepted, those for what was requested. */
function wantedOf(job: JobFacts): Entry[] {
  if (job.state === 'canceled') return isAccepted(job) ? booksOf(job).filter((entry) => hasRequests(job, entry)) : [];
  return NOT_ACCEPTED.includes(job.state) ? [] : booksOf(job);
}

const keyOfInvoice = ({ company, side, jobAssignment }: Invoice): string => keyOfBooks(company.id, side, jobAssignment?.id);

/** The time and the rate that an invoice was priced by, and those that count now. */
const timeOfInvoice = ({ rateType, rateValue }: Invoice, items: readonly InvoiceLineItem[] = []): string =>
  JSON.stringify([
    ...[rateType ?? null, rateValue ? decimalText(rateValue) : null],
    ...items.filter(({ load }) => !load).map(({ deliveredQuantity }) => decimalText(deliveredQuantity)),
  ]);
const timeOfPrice = (rate: Entry['rate'], lines: readonly Line[] = []): string =>
  JSON.stringify([
    ...[rate?.type ?? null, rate?.value ? decimalText(new Decimal(rate.value)) : null],
    ...lines.filter(({ loadId }) => loadId === null).map(({ delivered }) => decimalText(delivered.value)),
  ]);

/** Adds an invoice to the books of a company. */
async function begin(tx: TxContext, job: JobFacts, { companyId, side, jobAssignmentId }: Entry): Promise<Invoice> {
  const number = await nextNumbers(tx.em, companyId, 'invoice', 1);
  const { currency, serviceDate } = job.companies.find(({ id }) => id === companyId)!;
  const invoice = Object.assign(new Invoice(), {
    ...{ company: ref(Company, companyId), side, number, invoiceId: `INV-${number}`, currency, serviceDate },
    ...{ job: ref(Job, job.id), order: ref(Order, job.orderId), jobAssignment: refOf(JobAssignment, jobAssignmentId) },
  });
  tx.em.persist(invoice);
  return invoice;
}

const refOf = <T extends { id: string }>(entity: new () => T, id: string | null) => (id === null ? null : ref(entity, id as never));

interface Followed {
  job: JobFacts;
  entry: Entry;
  rate: Entry['rate'];
  /** The rate of the books' own receivable. */
  received: Entry['rate'];
  priced: ReturnType<typeof priceEntry>;
  /** The price without what somebody set by hand. */
  ofWork: ReturnType<typeof priceEntry>;
  blockers: ReturnType<typeof blockersOf>;
  /** The lines that the invoice has. */
  items: readonly InvoiceLineItem[];
  /** The charges that the invoice has. */
  copies: readonly AddOnCharge[];
}

/** Lets an invoice that nobody has approved say what the work says now. */
function follow(tx: TxContext, invoice: Invoice, { job, entry, rate, received, priced, ofWork, blockers, items, copies }: Followed): void {
  const { companyId, side, payeeDriverId } = entry;
  const { serviceDate } = job.companies.find(({ id }) => id === companyId)!;
  Object.assign(invoice, {
    serviceDate,
    project: companyId === job.companyId ? refOf(Project, job.projectId) : null,
    customerAccount: refOf(Account, entry.customerAccountId),
    vendorAccount: refOf(Account, entry.vendorAccountId),
    driver: refOf(User, job.driverId),
    payeeDriver: refOf(User, payeeDriverId),
    receivableCompanyId: side === 'receivable' ? companyId : null,
    vendorCompanyId: side === 'payable' && payeeDriverId === null ? companyId : null,
    driverCompanyId: side === 'payable' && payeeDriverId !== null ? companyId : null,
    equipment: refOf(Equipment, job.equipmentId),
    material: refOf(Material, job.materialId),
    pickupSite: refOf(Site, job.pickupSiteId),
    dropoffSite: refOf(Site, job.dropoffSiteId),
    rate: refOf(Rate, rate?.rateId ?? null),
    rateValue: numberOf(rate?.value),
    rateType: rate?.type ?? null,
    rateMinimum: numberOf(rate?.minimum),
    rateIncrement: numberOf(rate?.increment),
    rateTerms: rate?.terms ?? null,
    ...commissionOf(rate, received),
    materialRateItemized: entry.isTop && job.itemized,
    materialRateSellPrice: entry.isTop ? numberOf(job.sellPrice) : null,
    materialRateUnitOfMeasure: entry.isTop ? job.materialUnit : null,
    taxRate: entry.isTop ? numberOf(job.taxRate) : null,
    blockers,
  });
  writePrice(tx, invoice, { job, priced, ofWork, items });
  writeCharges(tx, invoice, { job, priced, copies });
  const isDone = isSettledWork(job);
  if (isDone && invoice.state !== 'pending') invoiceMachine.fire(tx, invoice, 'generate');
  else if (!isDone && invoice.state === 'pending') invoiceMachine.fire(tx, invoice, 'reopen');
  else if (!isDone && invoice.state === 'created' && job.state !== 'accepted') invoiceMachine.fire(tx, invoice, 'begin');
}

/** What a commission comes to for a unit of the customer's rate (DOMAIN 3.4). */
function commissionOf(rate: Entry['rate'], received: Entry['rate']): Pick<Invoice, 'commissionRateValue' | 'commissionRateType'> {
  const isShare = rate?.type === 'RateCommission';
  if (!(isShare || rate?.type === 'RateFlatCommission') || !isComplete(rate) || !isComplete(received))
    return { commissionRateValue: null, commissionRateType: null };
  const value = isShare ? new Decimal(received.value).mul(rate.value).div(100) : new Decimal(rate.value);
  return { commissionRateValue: value.toDecimalPlaces(4, Decimal.ROUND_HALF_UP), commissionRateType: received.type };
}
