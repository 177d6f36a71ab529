import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { lockAroundDay } from '../../dispatch/checks/lock-around.ts';
import { nextNumbers } from '../../dispatch/fields/numbers.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { systemContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { asCompanies } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { FOLLOWING, invoiceMachine } from '../invoices/invoice.machine.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';
import { compareDay } from './compare-day.ts';
import { type DayFacts, factsOfDay } from './day-facts.ts';
import { companiesOfDay } from './day-tasks.ts';

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
  const found = await tx.em.find(
    Invoice,
    { driverDay: day.id, state: { $ne: 'voided' } },
    { filters: { tenant: false }, orderBy: { part: 'asc', id: 'asc' } },
  );
  // A shift that ended without any job is shown, too, so that somebody decides what it is worth.
  const isWanted = day.paidByDay && (day.jobs.length > 0 || (!day.hasOthers && day.endedAt !== null));
  const drafts = found.filter(({ state }) => FOLLOWING.includes(state));
  if (!isWanted) {
    for (const draft of drafts) invoiceMachine.fire(tx, draft, 'void');
    if (drafts.length > 0) compareJobs(tx, day);
    return;
  }
  const live = found.some(({ reason }) => reason === 'regular') ? found : [await beginDay(tx, day), ...found];
  if (live !== found) compareJobs(tx, day);
  await compareDay(tx, day, live);
}

/** Work that is paid with the day is not paid with its jobs, and the other way round. */
const compareJobs = (tx: TxContext, { jobIds }: DayFacts): void => invoicesToCompare.note(tx, jobIds);

/** Adds a payable of a day to the books of the driver's company. */
export async function beginDay(
  tx: TxContext,
  { id, companyId, driverId, currency, serviceDate }: Pick<DayFacts, 'id' | 'companyId' | 'driverId' | 'currency' | 'serviceDate'>,
  part: Partial<Pick<Invoice, 'part' | 'reason' | 'parentInvoice'>> = {},
): Promise<Invoice> {
  const number = await nextNumbers(tx.em, companyId, 'invoice', 1);
  const driver = ref(User, driverId);
  const invoice = Object.assign(new Invoice(), {
    ...{ company: ref(Company, companyId), side: 'payable', number, invoiceId: `INV-${number}`, currency, serviceDate },
    ...{ driverDay: ref(DriverDay, id), driver, payeeDriver: driver, driverCompanyId: companyId },
    ...part,
  });
  tx.em.persist(invoice);
  return invoice;
}
