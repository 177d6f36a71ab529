import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { nextNumbers } from '../../dispatch/fields/numbers.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { Invoice, InvoiceLineItem } from '../invoices/invoice.entity.ts';
import { FOLLOWING, invoiceMachine } from '../invoices/invoice.machine.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';
import { editsOf } from '../invoices/lines/edits-of-lines.ts';
import { writeCharges } from '../invoices/write-charges.ts';
import { numberOf, rateOf, writePrice } from '../invoices/write-price.ts';
import { lockAroundDay } from '../lock-around.ts';
import { type DayFacts, factsOfDay } from './day-facts.ts';
import { companiesOfDay } from './day-tasks.ts';
import { blockersOfDay, priceDay, rateOfDay } from './price-day.ts';

/** Compares what a driver is to be paid for a day with the payable that there is, and writes the difference. */
export async function invoiceDay(em: EntityManager, day: { id: string; companyId: string }): Promise<void> {
  await asCompanies(await companiesOfDay(em, day), () => transact(systemContext(em, day.companyId), (tx) => invoiceDayWithin(tx, day.id)));
}

/** The same in a running transaction. The day is locked before its payable. */
export async function invoiceDayWithin(tx: TxContext, dayId: string): Promise<void> {
  await lockAroundDay(tx, dayId);
  // Two looks at one day come one after the other.
  await queryIn(tx.em, 'select from driver_day where id = $1 for no key update', [dayId]);
  const day = await factsOfDay(tx, dayId);
  if (day) await compare(tx, day);
}

async function compare(tx: TxContext, day: DayFacts): Promise<void> {
  const live = { driverDay: day.id, state: { $ne: 'voided' } } as const;
  const found = await tx.em.findOne(Invoice, live, { filters: { tenant: false } });
  // A shift that ended without any job is shown, too, so that somebody decides what it is worth.
  const isWanted = day.paidByDay && (day.jobs.length > 0 || (!day.hasOthers && day.endedAt !== null));
  if (!isWanted) {
    if (!found || !FOLLOWING.includes(found.state)) return;
    invoiceMachine.fire(tx, found, 'void');
    compareJobs(tx, day);
    return;
  }
  const invoice = found ?? (await begin(tx, day));
  if (!found) compareJobs(tx, day);
  const byHand = invoice.byHand ? rateOf(invoice) : undefined;
  const items = await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false }, orderBy: { ordinality: 'asc' } });
  const ofWork = priceDay(day, byHand);
  const edits = editsOf(undefined, invoice, items);
  const priced = edits.length > 0 ? priceDay(day, byHand, edits) : ofWork;
  if (!FOLLOWING.includes(invoice.state)) {
    invoice.stale = !priced?.total.value.eq(invoice.totalAmount);
    return;
  }
  const rate = byHand ?? rateOfDay(day);
  Object.assign(invoice, {
    rate: rate?.rateId ? ref(Rate, rate.rateId) : null,
    ...{ rateValue: numberOf(rate?.value), rateType: rate?.type ?? null },
    ...{ rateMinimum: numberOf(rate?.minimum), rateIncrement: numberOf(rate?.increment), rateTerms: rate?.terms ?? null },
    blockers: blockersOfDay(day, rate, priced),
  });
  const copies = await tx.em.find(AddOnCharge, { addOnApplicableId: invoice.id }, { filters: { tenant: false }, orderBy: { id: 'asc' } });
  writePrice(tx, invoice, { job: day, priced, ofWork, items });
  writeCharges(tx, invoice, { job: day, priced, copies });
  if (day.endedAt === null) {
    if (invoice.state === 'pending') invoiceMachine.fire(tx, invoice, 'reopen');
    else if (invoice.state === 'created') invoiceMachine.fire(tx, invoice, 'begin');
  } else if (invoice.state !== 'pending') invoiceMachine.fire(tx, invoice, 'generate');
}

/** What is paid for the day is not paid for its jobs, and the other way round. */
const compareJobs = (tx: TxContext, { jobIds }: DayFacts): void => invoicesToCompare.note(tx, jobIds);

async function begin(tx: TxContext, { id, companyId, driverId, currency, serviceDate }: DayFacts): Promise<Invoice> {
  const number = await nextNumbers(tx.em, companyId, 'invoice', 1);
  const driver = ref(User, driverId);
  const invoice = Object.assign(new Invoice(), {
    ...{ company: ref(Company, companyId), side: 'payable', number, invoiceId: `INV-${number}`, currency, serviceDate },
    ...{ driverDay: ref(DriverDay, id), driver, payeeDriver: driver, driverCompanyId: companyId },
  });
  tx.em.persist(invoice);
  return invoice;
}
