import type { EntityManager } from '@mikro-orm/postgresql';
import { createCharge } from '../../billing/charges/charges.ts';
import { invoiceWithin } from '../../billing/invoices/comparing/invoice-jobs.ts';
import { NOT_ACCEPTED } from '../../billing/invoices/facts/read-job-facts.ts';
import { Invoice } from '../../billing/invoices/invoice.entity.ts';
import { approveInvoice, updateInvoice } from '../../billing/invoices/invoice-commands.ts';
import { invoicesToCompare } from '../../billing/invoices/invoice-tasks.ts';
import { createSettlement } from '../../billing/settlements/create-settlement.ts';
import { paySettlement } from '../../billing/settlements/pay-settlement.ts';
import { rebillSettlement, setRebillRates } from '../../billing/settlements/rebill.ts';
import { customerApproveSettlement, sendSettlement } from '../../billing/settlements/sending/send-settlement.ts';
import { approveSettlement, voidSettlement } from '../../billing/settlements/settlement-commands.ts';
import { noteRates } from '../../dispatch/pricing/rate-source.ts';
import type { Viewer } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import { approveJob } from '../../proof/approvals/approve.ts';
import { PLACE } from './billed-work.ts';
import { type BilledJob, type DemoBooks, inDemoBooks, readBooks } from './demo-books.ts';
import { type Step, stepsIn } from './steps.ts';
import { alwaysCharge, makeTariffs, share } from './tariffs.ts';

const DAY = 86_400_000;

/** Runs steps in the books of the demo. */
interface Billing extends DemoBooks {
  step: Step;
  now: Date;
}

/**
 * Bills two weeks of the demo's work with the commands that people use: settlements in each state, a chain of three companies, and work that cannot be
 * billed yet. The invoices of all other work are made by the worker, as always. All of it happens, or nothing; it is tried again at the next start, and
 * done once.
 * @param now the latest that anything of it happened; by default, when the demo was made
 * @param signal ends it before its next step
 * @throws the reason of the signal
 */
export async function billDemo(root: EntityManager, now?: Date, signal?: AbortSignal): Promise<void> {
  await root.fork({ clear: true }).transactional(async (em) => {
    await em.execute("select pg_advisory_xact_lock(hashtext('haulgate:demo'))");
    const run = stepsIn(em);
    const step: Step = async (...one) => {
      signal?.throwIfAborted();
      return run(...one);
    };
    await inDemoBooks(em, (books) => bill({ ...books, step, now: now ?? books.parent.createdAt }));
  });
}

/**
 * Bills some of the work of a new sandbox with the same commands, in the transaction of `em` and the scope of its companies: invoices that are approved, a
 * settlement that is open and one that is approved, of customers and of a driver. The invoices of all other work are made by the worker.
 */
export async function billSandbox(
  em: EntityManager,
  [parentId, northId, southId]: readonly [string, string, string],
  now: Date,
): Promise<void> {
  const books = (await readBooks(em, { parentId, southId, northId }))!;
  const billing = { ...books, step: stepsIn(em), now };
  const accepted = await price(billing);
  await invoiceBilled(billing, [PLACE.approved, PLACE.open, PLACE.draft]);
  await settleNewest(billing);
  await leaveToWorker(billing, accepted);
}

async function bill(billing: Billing): Promise<void> {
  const accepted = await price(billing);
  await approveChain(billing);
  await invoiceBilled(billing, Object.values(PLACE));
  await settleOwnWork(billing);
  await settleChain(billing);
  await leaveToWorker(billing, accepted);
}

/** Sets the prices of the work: rate cards, fuel, charges. @returns the jobs that somebody accepted, whose rates are noted */
async function price(billing: Billing): Promise<string[]> {
  const { step, now, admin, south, accounts, jobsAt } = billing;
  const tariffs = await step(admin, ago(now, 14), (tx) => makeTariffs(tx, billing));
  await step(south, ago(now, 14), (tx) =>
    alwaysCharge(tx, accounts['C-PARENT']!, 'customer', { ...share('Broker fee', -8), addOnTypes: ['invoicing'] }),
  );
  const [worked] = jobsAt(PLACE.worked);
  await step(admin, ago(now, 9.5), async (tx) => {
    for (const addOnId of [tariffs.fuelId, tariffs.washId])
      await createCharge(tx, { type: 'Job', id: worked!.id }, { addOnId, quantity: new Decimal(1) });
  });
  return step(admin, ago(now, 3.5), async (tx) => {
    const ids = (await queryIn<{ id: string }>(tx.em, ACCEPTED, [billing.parent.id, NOT_ACCEPTED])).map(({ id }) => id);
    noteRates(tx, ids);
    return ids;
  });
}

/** Has the worker make the invoices of all other work. */
const leaveToWorker = ({ step, now, admin }: Billing, accepted: string[]): Promise<void> =>
  step(admin, now, async (tx) => invoicesToCompare.note(tx, accepted));

const ACCEPTED = 'select id from job where company_id = $1 and state <> all($2::text[]) order by id';

const ago = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY);

/** Each company of the chain approves the work for itself. */
async function approveChain({ step, now, biller, south, north, jobsAt }: Billing): Promise<void> {
  for (const { id } of jobsAt(PLACE.chained))
    for (const by of [biller, south, north]) await step(by, ago(now, 7.4), (tx) => approveJob(tx, { id, companyId: by.companyId }, {}));
}

/** The invoices of the two weeks: what a worker would have made of the work. */
async function invoiceBilled(billing: Billing, places: readonly number[]): Promise<void> {
  const { step, now, parent, southId, northId, admin, north, jobsAt } = billing;
  for (const place of places)
    for (const { id, endedAt } of jobsAt(place)) {
      const companies = place === PLACE.chained ? [parent.id, southId, northId] : [parent.id];
      await step(admin, endedAt, (tx) => invoiceWithin(tx, id, companies));
    }
  for (const job of places.includes(PLACE.chained) ? jobsAt(PLACE.chained) : [])
    await step(north, ago(now, 7.3), async (tx) => {
      const { id } = await invoiceOf(tx.em, job, north, 'payable');
      await updateInvoice(tx, { id, companyId: north.companyId }, { rateType: 'RateCommission', rateValue: new Decimal(30) });
    });
}

type Side = Invoice['side'];

/** The invoice of a job on a side in somebody's books. @param ofMaterial the one of who sold its material */
const invoiceOf = (em: EntityManager, job: BilledJob, { companyId }: Viewer, side: Side, ofMaterial = false): Promise<Invoice> =>
  em.findOneOrFail(
    Invoice,
    { job: job.id, company: companyId, side, ofMaterial, state: { $ne: 'voided' } },
    { filters: { tenant: false } },
  );

/** The invoices that are settled together, and the steps of their settlement, with how many days ago each was. */
interface Settled {
  by: Viewer;
  side: Side;
  of: readonly BilledJob[];
  /** True of payables for material. */
  ofMaterial?: boolean;
  days: number;
}

/** Approves invoices of jobs. @returns them */
async function approved({ step, now }: Billing, { by, side, of, ofMaterial, days }: Settled): Promise<string[]> {
  return step(by, ago(now, days), async (tx) => {
    const ids: string[] = [];
    for (const job of of) {
      const { id } = await invoiceOf(tx.em, job, by, side, ofMaterial);
      await approveInvoice(tx, { id, companyId: by.companyId });
      ids.push(id);
    }
    return ids;
  });
}

type Act = (tx: Parameters<typeof approveSettlement>[0], path: { id: string; companyId: string }) => Promise<unknown>;

/** Approves invoices and settles them together, then does the rest of it an hour later each. @returns the settlement and its invoices */
async function settled(billing: Billing, work: Settled, ...acts: Act[]): Promise<{ id: string; invoiceIds: string[] }> {
  const { step, now } = billing;
  const { by, days } = work;
  const invoiceIds = await approved(billing, work);
  const form = { invoiceIds, settlementLineItemType: 'load' as const, includeLoadsInPdf: true };
  const { id } = await step(by, ago(now, days - 0.04), (tx) => createSettlement(tx, form, by.companyId));
  await follow(billing, work, id, acts);
  return { id, invoiceIds };
}

async function follow({ step, now }: Billing, { by, days }: Pick<Settled, 'by' | 'days'>, id: string, acts: readonly Act[]): Promise<void> {
  for (const [i, act] of acts.entries()) await step(by, ago(now, days - 0.05 * (i + 2)), (tx) => act(tx, { id, companyId: by.companyId }));
}

/** Work of the parent's own drivers, by what is owed for it. */
function ownWork({ biller, jobsAt, firstDriverId }: Billing) {
  return {
    receivable: (places: readonly number[], days: number): Settled => ({
      ...{ by: biller, side: 'receivable', of: places.flatMap(jobsAt), days },
    }),
    payable: (of: readonly BilledJob[], days: number): Settled => ({ by: biller, side: 'payable', of, days }),
    ofDriver: (place: number) => jobsAt(place).filter(({ driverId }) => driverId === firstDriverId),
  };
}

async function settleOwnWork(billing: Billing): Promise<void> {
  const { step, now, biller, jobsAt } = billing;
  const { receivable, payable, ofDriver } = ownWork(billing);
  const [first, second] = jobsAt(PLACE.paid) as [BilledJob, BilledJob];
  await settled(billing, receivable([PLACE.paid], 6.9), approveSettlement, paySettlement);
  await settled(billing, payable([first, ...ofDriver(PLACE.worked), ...ofDriver(PLACE.hourly)], 6.8), approveSettlement, paySettlement);
  await settled(billing, payable([second], 6.7), approveSettlement);
  // The price of the worked example turned out to be another one after its settlement was approved.
  const wrong = await settled(billing, receivable([PLACE.worked, PLACE.hourly], 6.6), approveSettlement, (tx, path) =>
    voidSettlement(tx, path, { voidReason: 'A ton is 4.50 since the first of the month.' }),
  );
  const again = await step(biller, ago(now, 6.3), (tx) => rebillSettlement(tx, { id: wrong.id, companyId: biller.companyId }));
  const corrected: Act = (tx, path) => setRebillRates(tx, path, [{ invoiceId: wrong.invoiceIds[0]!, rebillRateValue: new Decimal('4.5') }]);
  await follow(billing, { by: biller, days: 6.3 }, again.id, [corrected, approveSettlement]);
  // The pit that sold the material of the worked example.
  await settled(billing, { ...payable(jobsAt(PLACE.worked), 6.2), ofMaterial: true }, approveSettlement);
  await settleNewest(billing);
  await settled(billing, payable(ofDriver(PLACE.inWeek), 2.1), approveSettlement, paySettlement);
}

/** The newest work: a settlement of a customer that is approved, open ones of another and of a driver, and what waits for one. */
async function settleNewest(billing: Billing): Promise<void> {
  const { receivable, payable, ofDriver } = ownWork(billing);
  await settled(billing, receivable([PLACE.approved], 2.5), approveSettlement);
  await settled(billing, receivable([PLACE.open], 2.4));
  await settled(billing, payable([...ofDriver(PLACE.approved), ...ofDriver(PLACE.open)], 2.3));
  await approved(billing, receivable([PLACE.draft], 1.9));
}

/** The chain of three of BILLING B8: each company has its own books, and what is sent is seen by whoever owes it. */
async function settleChain(billing: Billing): Promise<void> {
  const { biller, south, north, jobsAt } = billing;
  const of = jobsAt(PLACE.chained);
  const settle = (by: Viewer, side: Side, days: number, ...acts: Act[]) => settled(billing, { by, side, of, days }, ...acts);
  const { id } = await settle(north, 'receivable', 5.9, approveSettlement, sendSettlement);
  await settle(north, 'payable', 5.8, approveSettlement, paySettlement);
  await follow(billing, { by: south, days: 5.5 }, id, [(tx) => customerApproveSettlement(tx, { id })]);
  await settle(south, 'payable', 5.4);
  await settle(south, 'receivable', 5.3, approveSettlement, sendSettlement);
  await settle(biller, 'payable', 5, approveSettlement);
  await settle(biller, 'receivable', 4.9, approveSettlement);
}
