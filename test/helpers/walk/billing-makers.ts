import { type Ref, ref } from '@mikro-orm/core';
import { LinkedAccount } from '../../../src/billing/accounting/linked-account.entity.ts';
import {
  LinkedCustomer,
  LinkedItem,
  LinkedLedgerAccount,
  type LinkedRecord,
  LinkedVendor,
} from '../../../src/billing/accounting/linked-records.entity.ts';
import { AccountingTemplate } from '../../../src/billing/accounting/templates/accounting-template.entity.ts';
import { AddOn } from '../../../src/billing/add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../../../src/billing/auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge } from '../../../src/billing/charges/add-on-charge.entity.ts';
import { FuelPrice, FuelPriceIndex } from '../../../src/billing/fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from '../../../src/billing/fuel/fuel-surcharge-schedule.entity.ts';
import { Invoice } from '../../../src/billing/invoices/invoice.entity.ts';
import type { InvoiceSide } from '../../../src/billing/invoices/invoice-enums.ts';
import { LoadMatch } from '../../../src/billing/matching/load-match.entity.ts';
import { VendorBill } from '../../../src/billing/matching/vendor-bill.entity.ts';
import { BillingPeriod } from '../../../src/billing/periods/billing-period.entity.ts';
import { Settlement } from '../../../src/billing/settlements/settlement.entity.ts';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import type { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import type { InvoiceState } from '../../../src/dispatch/fields/invoice-enums.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Load } from '../../../src/dispatch/model/load.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { makeOrder, type Tenant } from '../tenant.ts';

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

interface FinishedJob {
  id: string;
  orderId: string;
}

interface Work {
  /** The root field that the records are for. */
  root: string | undefined;
  /** The id of a job of the walk. */
  job(): Promise<string>;
  /** The ids of a job that is finished, without open loads, at a flat rate and approved, and of its order. */
  finishedJob(): Promise<FinishedJob>;
  account(): Promise<string>;
  /** The account by which the company is its own customer, connected with itself. */
  connectedAccount(): Promise<string>;
  driverDay(): Promise<string>;
  sql(text: string, values: unknown[]): Promise<unknown>;
  driver: string;
}

/** The columns that each template needs. */
export const COLUMNS = ['number', 'amount'].map((field) => ({ heading: field, field, text: null }));

const ONE_SYSTEM = `insert into linked_account (id, company_id, system, name, source_key, status)
  values (gen_random_uuid(), ?, 'http', 'Exports', 'https://exports.example', 'linked') on conflict do nothing`;

/**
 * Makes records of src/billing, with ids that the walk uses.
 * @param own the company and a name of their own
 * @param work what they are for
 */
export function billingMakers(own: { company: Ref<Company>; name: string }, saved: Save, around: Work) {
  const { company } = own;
  // Names of a kind are unique in a company.
  let number = 0;
  const named = () => ({ company, name: `${own.name} ${++number}` });
  const index = () => saved(FuelPriceIndex, named());
  const schedule = async () =>
    saved(FuelSurchargeSchedule, { ...named(), surchargeType: 'percentage', fuelPriceIndex: ref(FuelPriceIndex, await index()) });
  const addOn = () => ({ ...named(), addOnTypes: ['job'], quantity: '1' });
  // There is one system to which settlements go.
  const theSystem = async () => {
    await around.sql(ONE_SYSTEM, [company.id]);
    const [one] = (await around.sql(`select id from linked_account where company_id = ? and system = 'http'`, [company.id])) as {
      id: string;
    }[];
    return one!.id;
  };
  const linkedAccount = () => {
    if (around.root === 'exportSettlement' || around.root === 'exportInvoice') return theSystem();
    const { name } = named();
    return saved(LinkedAccount, { company, name, sourceKey: name, system: 'file', status: 'linked' });
  };
  const linked = async (type: new () => LinkedRecord, data: object = {}) => {
    const of = { linkedAccount: ref(LinkedAccount, await linkedAccount()), externalKey: '1' };
    return saved(type, { company, ...of, data: { id: '1', name: own.name, status: 'Active', ...data } });
  };
  const invoice = async ({ id, orderId }: FinishedJob, side: InvoiceSide, state: InvoiceState, more: object = {}) => {
    const of = { currency: 'USD', serviceDate: '2026-11-16', job: ref(Job, id), order: ref(Order, orderId) };
    const seen = side === 'receivable' ? { receivableCompanyId: company.id } : { vendorCompanyId: company.id };
    const number = 1_000_000 + ++invoices;
    const party = { customerAccount: ref(Account, await around.account()) };
    return saved(Invoice, { company, side, state, number, invoiceId: `INV-${number}`, ...of, ...seen, ...party, ...more });
  };
  const settled = async (state: string, more: object = {}) => {
    const invoiceId = await invoice(await around.finishedJob(), 'receivable', 'approved');
    const account = ref(Account, await around.account());
    const sums = {
      invoicesTotalAmount: '0',
      adjustmentsTotalAmount: '0',
      addOnChargesTotalAmount: '0',
      totalAmount: '0',
      deliveredQuantities: [],
    };
    const of = {
      company,
      side: 'receivable',
      customerAccount: account,
      receivableCompanyId: company.id,
      currency: 'USD',
      jobsCount: 1,
      ...sums,
    };
    const id = await saved(Settlement, {
      ...of,
      state,
      number: 1_000_000 + ++invoices,
      startsOn: '2026-11-16',
      endsOn: '2026-11-16',
      ...more,
    });
    const values = [id, invoiceId, company.id, state !== 'voided'];
    await around.sql('insert into settlement_invoice (settlement_id, invoice_id, company_id, live) values (?, ?, ?, ?)', values);
    return id;
  };
  const bill = async () =>
    saved(VendorBill, {
      ...{ company, vendorAccount: ref(Account, await around.account()), number: `V-${++invoices}`, linesCount: 1, totalAmount: '1' },
    });
  const auto = () => ({ ...addOn(), side: 'customer', revenueRateValue: '25', percentage: '0' });
  return {
    linkedAccount,
    linkedCustomer: () => linked(LinkedCustomer, { id: '018cc251-f400-7000-8000-0d0000000001', addresses: [] }),
    linkedVendor: () => linked(LinkedVendor),
    linkedItem: () => linked(LinkedItem),
    linkedLedgerAccount: () => linked(LinkedLedgerAccount, { type: 'AccountsPayable' }),
    accountingTemplate: () => saved(AccountingTemplate, { ...named(), columns: COLUMNS }),
    addOn: () => saved(AddOn, addOn()),
    addOnCharge: async () => {
      const terms = { revenueRateValue: '25', percentage: '0' };
      return saved(AddOnCharge, { ...named(), ...terms, quantity: '1', job: ref(Job, await around.job()) });
    },
    // One that an account and a driver are charged by itself.
    autoAddOn: async () => {
      const id = await saved(AddOn, addOn());
      const account = ref(Account, await around.account());
      for (const side of ['customer', 'vendor']) await saved(AutoAddOnAssignment, { ...auto(), addOn: ref(AddOn, id), account, side });
      await saved(AutoAddOnAssignment, { ...auto(), addOn: ref(AddOn, id), side: 'driver', driver: ref(User, around.driver) });
      return id;
    },
    autoAddOnAssignment: async () => saved(AutoAddOnAssignment, { ...auto(), account: ref(Account, await around.account()) }),
    fuelAddOn: async () => {
      const fuelSurchargeSchedule = ref(FuelSurchargeSchedule, await schedule());
      return saved(AddOn, { ...addOn(), revenueCostRateType: 'FuelSurcharge', fuelSurchargeSchedule });
    },
    invoice: async () => {
      const job = await around.finishedJob();
      // The company of the walk is its own customer.
      const sent = { sentToCompanyId: company.id, sentAt: new Date() };
      if (/^customer/.test(around.root ?? '')) return invoice(job, 'receivable', 'customer_pending', sent);
      const state = /^((unapprove|pay|send|export)Invoice|createSettlement)$/.test(around.root ?? '') ? 'approved' : 'pending';
      const account = around.root === 'sendInvoice' ? { customerAccount: ref(Account, await around.connectedAccount()) } : {};
      return invoice(job, 'receivable', state, account);
    },
    invoicedJob: async () => {
      const job = await around.finishedJob();
      for (const side of ['receivable', 'payable'] as const) await invoice(job, side, 'pending');
      return job.id;
    },
    paidDay: async () => {
      const day = await around.driverDay();
      const number = 1_000_000 + ++invoices;
      const of = { currency: 'USD', serviceDate: '2026-11-16', driverDay: ref(DriverDay, day), driverCompanyId: company.id };
      await saved(Invoice, { company, side: 'payable', state: 'pending', number, invoiceId: `INV-${number}`, ...of });
      return day;
    },
    settlement: async () => {
      const root = around.root ?? '';
      const approved = ['unapproveSettlement', 'paySettlement', 'sendSettlement', 'exportSettlement'].map((name) => [name, 'approved']);
      const states: Record<string, string> = { ...Object.fromEntries(approved), undoPaySettlement: 'paid', rebillSettlement: 'voided' };
      // The company of the walk is its own customer.
      const sent = { sentToCompanyId: company.id, sentAt: new Date() };
      if (/^customer/.test(root)) return settled('customer_pending', sent);
      const connected = root === 'sendSettlement' ? { customerAccount: ref(Account, await around.connectedAccount()) } : {};
      const id = await settled(states[root] ?? 'pending', connected);
      if (root === 'exportSettlement') await theSystem();
      // A voided settlement is billed anew.
      if (root === 'setRebillRates')
        await around.sql('update settlement set original_settlement_id = ? where id = ?', [await settled('voided'), id]);
      return id;
    },
    // A file for accounting has a row for each line, so that it needs one.
    approvedSettlement: async () => {
      const id = await settled('approved', { addOnChargesTotalAmount: '25', totalAmount: '25' });
      const terms = { revenueRateValue: '25', percentage: '0', quantity: '1', amount: '25', receivableCompanyId: company.id };
      await saved(AddOnCharge, { ...named(), ...terms, addOnApplicableType: 'Settlement', addOnApplicableId: id });
      return id;
    },
    vendorBill: bill,
    loadMatch: async () => {
      const vendorBill = ref(VendorBill, await bill());
      const waived = around.root === 'unwaiveLoadMatch' ? { result: 'waived', waivedAt: new Date() } : { result: 'variance' };
      return saved(LoadMatch, { company, side: 'payable', vendorCompanyId: company.id, vendorBill, variances: ['no_load'], ...waived });
    },
    billingPeriod: () => {
      const day = periodDay();
      return saved(BillingPeriod, { company, state: 'closed', startsOn: day, endsOn: day, closedAt: new Date() });
    },
    fuelPriceIndex: index,
    fuelPrice: async () =>
      saved(FuelPrice, { company, fuelPriceIndex: ref(FuelPriceIndex, await index()), date: '2026-11-16', price: '4' }),
    fuelSurchargeSchedule: schedule,
    fuelSurchargeSchedulePrice: async () => {
      const fuelSurchargeSchedule = ref(FuelSurchargeSchedule, await schedule());
      return saved(FuelSurchargeSchedulePrice, { company, fuelSurchargeSchedule, price: '4', billSurcharge: '2' });
    },
  };
}

let closed = 0;
/** A day of long ago, later than all that were asked for before, and than the end of a month that begins after them: a company closes its books in their order. */
export const periodDay = (): string => {
  closed += 40;
  return new Date(Date.UTC(1900, 0, closed)).toISOString().slice(0, 10);
};

/** The columns that the approval of a biller leaves. */
export const APPROVED = { billerApproved: true, billingApprovedAt: new Date(), approvedAt: new Date() };

/** Creates a job that is finished, without open loads, at a flat rate and approved. */
export async function finishedJobOf(tenant: Tenant): Promise<FinishedJob> {
  const { id: orderId } = await makeOrder(tenant, {});
  const [{ id }] = await tenant.must('GET', `/v1/orders/${orderId}/jobs`);
  const em = tenant.app.orm.em.fork();
  const paid = { state: 'completed', customerRateValue: '650', customerRateType: 'RateFlatRate', ...APPROVED };
  await em.nativeUpdate(Job, { id }, paid as never, { filters: { tenant: false } });
  await em.nativeUpdate(Load, { job: id }, { state: 'canceled' }, { filters: { tenant: false } });
  const noted = { customer: { source: 'job', rate_id: null, rate_type: 'RateFlatRate', value: '650', matched: [] } };
  await em.getConnection().execute('update job set rate_source = ? where id = ?', [JSON.stringify(noted), id]);
  return { id, orderId };
}

let invoices = 0;
