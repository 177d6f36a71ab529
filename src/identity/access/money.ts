import type { Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Permission } from './permissions.ts';

/**
 * The side whose money a key of free JSON shows (DOMAIN section 2 "Rate visibility"): payloads and warnings of imports, changes in timelines and in
 * the audit log. Columns of entities declare it with `@Masked`; `test/money.test.ts` walks the schema for both.
 */
const MONEY: readonly (readonly [RegExp, Permission])[] = [
  [/^customer_(commission_)?rate|^material_(rate_)?sell|^sell_price|^revenue_/, 'view_customer_rates'],
  [/^vendor_(commission_)?rate|^material_(rate_)?buy|^buy_price|^cost_/, 'view_vendor_rates'],
  [/^driver_(commission_)?rate/, 'view_driver_rates'],
];
/** Amounts of invoices. Another column says whose money it is, so that all sides are required. */
const OF_INVOICES =
  /^(rate|commission_rate|material_rate_sell|tax_|work_rate|work_total_amount|invoice_line_items_total_amount|add_on_charges_total_amount|total_amount|explain)/;
/** Amounts of settlements, of which the same holds. */
const OF_SETTLEMENTS = /(^|_)total_amount/;
/** Money of charges. Who requests one for some work may see that of the customer; on an invoice or a settlement it may be of any side. */
const OF_CHARGES = /^(rate|percentage|total_amount|rebill_|base_amount|amount)/;
/** Amounts of what is compared: another column says whose money they are. */
const OF_MATCHES = /^(rate|amount|their_rate|their_amount)/;
/** Keys whose record decides whose money they show. */
const OF_RECORDS: Record<string, readonly (readonly [RegExp, Permission])[]> = {
  JobAssignment: [[/^(commission_)?rate/, 'view_vendor_rates']],
  Invoice: [[OF_INVOICES, 'view_driver_rates']],
  InvoiceLineItem: [[OF_INVOICES, 'view_driver_rates']],
  Settlement: [[OF_SETTLEMENTS, 'view_driver_rates']],
  VendorBill: [[/^total_amount/, 'view_vendor_rates']],
  LoadMatch: [[OF_MATCHES, 'view_driver_rates']],
  BillingPeriod: [
    [/^(settled_)?receivables_total/, 'view_customer_rates'],
    [/^(settled_)?vendor_payables_total/, 'view_vendor_rates'],
    [/^(settled_)?driver_payables_total/, 'view_driver_rates'],
  ],
  Project: [[/^wages/, 'view_driver_rates']],
  AddOn: [[/^(rate|percentage)/, 'view_customer_rates']],
  AddOnCharge: [[OF_CHARGES, 'view_customer_rates']],
  RequestedCharge: [[OF_CHARGES, 'view_customer_rates']],
};

/** Records of which another column says whose money they show, and their keys of money: all sides are required. */
const OF_ANY_SIDE: Record<string, RegExp> = {
  Rate: /^(time|unit)_|^tiers|^commission_|^flat_amount/,
  AddOnCharge: /^(rate|percentage|revenue_rate|cost_rate|total_amount|rebill_|base_amount|amount)/,
  AutoAddOnAssignment: /^(rate|percentage|revenue_rate|cost_rate)/,
  Invoice: OF_INVOICES,
  InvoiceLineItem: OF_INVOICES,
  Settlement: OF_SETTLEMENTS,
  LoadMatch: OF_MATCHES,
};

/** The permission to see the value of a key in snake_case, of a record of this type; undefined when it is not money. */
export function moneyPermission(key: string, model = ''): Permission | undefined {
  return [...(OF_RECORDS[model] ?? []), ...MONEY].find(([pattern]) => pattern.test(key))?.[1];
}

/** True when the viewer may see the value of the key. */
export function seesMoney(viewer: Viewer, key: string, model = ''): boolean {
  if (OF_ANY_SIDE[model]?.test(key)) return SIDES.every((permission) => viewer.can(permission));
  const permission = moneyPermission(key, model);
  return permission === undefined || viewer.can(permission);
}

/**
 * Returns a regular expression of PostgreSQL that matches the keys of a record of this type whose values `seesMoney` hides from the viewer; undefined if
 * it hides none. Lists leave out by it what would be empty.
 */
export function unseenKeys(viewer: Viewer, model: string): string | undefined {
  const patterns = [...(OF_RECORDS[model] ?? []), ...MONEY].filter(([, permission]) => !viewer.can(permission)).map(([pattern]) => pattern);
  const ofAnySide = OF_ANY_SIDE[model];
  if (ofAnySide && unseenSides(viewer)) patterns.push(ofAnySide);
  return patterns.length > 0 ? patterns.map(({ source }) => `(?:${source})`).join('|') : undefined;
}

/** The sides whose money the viewer may not see, by the permissions to see it; undefined for a viewer who sees all. */
export function unseenSides(viewer: Viewer): Permission[] | undefined {
  const lacking = SIDES.filter((permission) => !viewer.can(permission));
  return lacking.length > 0 ? lacking : undefined;
}

/** A JSON value with null for all money in it that the viewer may not see; the value itself when there is none. */
export function maskMoney<T>(viewer: Viewer, value: T): T {
  return SIDES.every((permission) => viewer.can(permission)) ? value : (masked(viewer, value) as T);
}

/** The value that a caller who was shown a masked value sends back: if they left the null that they were shown, the stored value stays. */
export function unmaskMoney<T>(viewer: Viewer, sent: T, stored: unknown): T {
  return SIDES.every((permission) => viewer.can(permission)) ? sent : (restored(viewer, sent, stored) as T);
}

/**
 * A PATCH without the nulls that the viewer was shown: a caller who reads a record, changes its notes and sends it back must not erase
 * rates that they may not see. Values are kept, for records whose prices have a separate permission.
 */
export function withoutUnseen<I extends object>(viewer: Viewer, input: I, model = ''): I {
  return kept(viewer, input, model, () => undefined);
}

/**
 * The same for work: nobody who may not see its rates overwrites them.
 * @throws Denied naming the permission to see what a value was sent for
 */
export function onlySeen<I extends object>(viewer: Viewer, input: I, model = ''): I {
  return kept(viewer, input, model, (permission) => {
    throw new Denied(permission);
  });
}

function kept<I extends object>(viewer: Viewer, input: I, model: string, onValue: (lacking: Permission) => void): I {
  if (SIDES.every((permission) => viewer.can(permission))) return input;
  const entries = Object.entries(input).flatMap(([field, value]): [string, unknown][] => {
    if (field === 'materialRateAssignment' && value) return [[field, kept(viewer, value as object, '', onValue)]];
    if (field === 'materialRateAssignment') return value === null && !seesBothPrices(viewer) ? [] : [[field, value]];
    const lacking = seesMoney(viewer, columnOf(field), model) ? undefined : moneyPermission(columnOf(field), model);
    if (!lacking || value === undefined) return [[field, value]];
    if (value === null) return [];
    onValue(lacking);
    return [[field, value]];
  });
  return Object.assign(Object.create(Object.getPrototypeOf(input)), Object.fromEntries(entries));
}

const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const seesBothPrices = (viewer: Viewer): boolean => seesMoney(viewer, 'sell_price') && seesMoney(viewer, 'buy_price');
const SIDES: readonly Permission[] = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'];

function masked(viewer: Viewer, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(viewer, one));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, seesMoney(viewer, key) ? masked(viewer, one) : null]));
}

function restored(viewer: Viewer, sent: unknown, stored: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(stored)) return sent.map((one, at) => restored(viewer, one, stored[at]));
  if (!isObject(sent) || !isObject(stored)) return sent;
  return Object.fromEntries(
    Object.entries(sent).map(([key, one]) => [
      key,
      seesMoney(viewer, key) ? restored(viewer, one, stored[key]) : one === null && key in stored ? stored[key] : one,
    ]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
