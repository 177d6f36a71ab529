import type { Rights } from './rights.ts';
import type { Json } from './scene.ts';
import type { Kind } from './sight.ts';

/** By which names the records of a kind are read. */
export interface Door {
  /** The root fields of one record and of the list. */
  one?: string;
  list?: string;
  /** The path of one record, and that of the list below the company. */
  path?: string;
  lists?: readonly string[];
  /** Its money, as REST calls it. */
  money?: readonly string[];
  /** Invoices and settlements are refused to those who read none. */
  refused?: true;
}

const RATES = ['customer_rate_value', 'vendor_rate_value', 'driver_rate_value'];

export const DOORS: Readonly<Record<Kind, Door>> = {
  Order: { one: 'order', list: 'orders', path: '/v1/orders', lists: ['/orders', '/orders/dispatch'], money: RATES },
  Job: { one: 'job', list: 'jobs', path: '/v1/jobs', lists: ['/jobs'], money: RATES },
  Load: { one: 'load', list: 'loads', path: '/v1/loads' },
  Ticket: { one: 'ticket', list: 'tickets', path: '/v1/tickets', lists: ['/tickets'] },
  DriverDay: { one: 'driverDay', list: 'driverDays', path: '/v1/driver_days', lists: ['/driver_days'] },
  Project: { one: 'project', list: 'projects', path: '/v1/projects', lists: ['/projects'], money: RATES },
  Site: { one: 'site', list: 'sites', path: '/v1/sites', lists: ['/sites'] },
  FileAttachment: { one: 'fileAttachment', path: '/v1/file_attachments' },
  JobAssignment: { one: 'jobAssignment', path: '/v1/job_assignments' },
  JobEvent: {},
  Invoice: { one: 'invoice', list: 'invoices', path: '/invoices', lists: ['/invoices'], money: ['total_amount'], refused: true },
  Settlement: {
    ...{ one: 'settlement', list: 'settlements', path: '/v1/settlements', money: ['total_amount'], refused: true },
    lists: ['/settlements/receivables', '/settlements/payables'],
  },
  AddOnCharge: { one: 'addOnCharge', path: '/v1/add_on_charges' },
  MaterialRate: {
    ...{ one: 'materialRate', list: 'materialRates', path: '/v1/material_rates', lists: ['/material_rates'] },
    money: ['buy_price', 'sell_price'],
  },
};

export const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Who sees money of a side: by permission, and pay the driver who gets it (DOMAIN section 2, "Rate visibility"). */
const seesPay = (rights: Rights, driver: string | null | undefined): boolean =>
  rights.can('view_driver_rates') || (driver === rights.id && rights.can('view_driver_rates:own'));
const seesBill = (rights: Rights, { side }: Json, payee: string | null): boolean => {
  if (side === 'receivable') return rights.can('view_customer_rates');
  return payee ? seesPay(rights, payee) : rights.can('view_vendor_rates');
};

/** What somebody is shown of the money of a row, by its columns; null is what they may not see. */
export function moneyOf(kind: Kind, row: Json, rights: Rights): Readonly<Record<string, number | null>> {
  const shown = (column: string, sees: boolean) => [column, sees ? row[column] : null] as const;
  if (kind === 'Invoice') return Object.fromEntries([shown('total_amount', seesBill(rights, row, row.payee_driver_id))]);
  if (kind === 'Settlement') return Object.fromEntries([shown('total_amount', seesBill(rights, row, row.driver_id))]);
  if (kind === 'MaterialRate')
    return Object.fromEntries([
      shown('buy_price', rights.can('view_vendor_rates')),
      shown('sell_price', rights.can('view_customer_rates')),
    ]);
  if (!DOORS[kind].money) return {};
  return Object.fromEntries([
    shown('customer_rate_value', rights.can('view_customer_rates')),
    shown('vendor_rate_value', rights.can('view_vendor_rates')),
    shown('driver_rate_value', seesPay(rights, kind === 'Project' ? null : row.driver_id)),
  ]);
}

/** What an answer shows of the money of a record. @param named how its fields are called there */
export const moneyIn = (kind: Kind, record: Json, named: (name: string) => string = (name) => name): Record<string, number | null> =>
  Object.fromEntries(
    (DOORS[kind].money ?? []).map((name) => {
      const value = record[named(name)];
      return [name, value === null || value === undefined || value === '' ? null : Number(value)];
    }),
  );
