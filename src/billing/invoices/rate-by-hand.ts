import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../directory/master-data/units.ts';
import type { RateTerms } from '../../dispatch/pricing/rate-statement.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import type { Invoice } from './invoice.entity.ts';
import type { UpdateInvoiceInput } from './invoice.inputs.ts';
import type { InvoiceSide } from './invoice-enums.ts';

/** The side by whose rates invoices are priced: a customer's, a driver's if one is paid, or else a vendor's. */
export const sideOfRates = (side: InvoiceSide, payeeDriver: object | null | undefined): RateOwnerType =>
  side === 'receivable' ? 'customer' : payeeDriver ? 'driver' : 'vendor';

/** Per cent of a commission that is all of it. */
export const WHOLE = 100;

/** Whether a commission would be more than all of what it is a share of. */
export const isAboveAll = (type: RateType | null | undefined, value: Decimal): boolean => type === 'RateCommission' && value.gt(WHOLE);

/** The rate that somebody sets on an invoice. */
export interface GivenRate {
  input: UpdateInvoiceInput;
  /** The rate card that the input names. */
  rateCard?: Rate | undefined;
  side: RateOwnerType;
  /** The company's percentage for fuel without a schedule. */
  fuelPercentage?: Decimal | null | undefined;
}

/** Whether an input says anything of the rate: an absent field leaves all as it is, and null takes back what somebody set. */
export const saysRate = ({ rateId, rateValue, rateType }: UpdateInvoiceInput): boolean =>
  rateId !== undefined || rateValue !== undefined || rateType != null;

/** Material is paid at the prices of its loads, which lines say: there is no rate for all of it. @throws Invalid */
export function refuseRate({ ofMaterial }: Pick<Invoice, 'ofMaterial'>): void {
  if (ofMaterial) throw new Invalid([{ model: 'Invoice', field: 'rateValue', key: 'material_has_no_rate' }]);
}

/** Returns the percentage for fuel without a schedule of the company of a rate card, if the rate card asks for it. */
async function fuelPercentageOf({ em }: TxContext, rateCard: Rate | undefined): Promise<Decimal | null | undefined> {
  return rateCard?.fuelSurchargeEnabled ? (await em.findOneOrFail(Company, rateCard.company.id)).fuelSurchargePercentage : undefined;
}

/** Returns the rate that an input says for invoices of a company and side; a rate card that it cannot name is an error item. */
export async function rateOfInput(
  tx: TxContext,
  input: UpdateInvoiceInput,
  { companyId, side }: { companyId: string; side: RateOwnerType },
  items: ErrorItem[],
): Promise<GivenRate> {
  const found = input.rateId == null ? null : await resolveReference(tx, Rate, input, 'rateId', { model: 'Invoice', items, companyId });
  if (found?.discardedAt) items.push({ model: 'Invoice', field: 'rateId', key: 'must_exist' });
  const rateCard = found ?? undefined;
  return { input, rateCard, side, fuelPercentage: await fuelPercentageOf(tx, rateCard) };
}

/** Sets the rate of an invoice by hand, which the input says: a rate card, a value with its type, which takes precedence, or neither by null. */
export function setRate(invoice: Invoice, { input, rateCard, side, fuelPercentage }: GivenRate, items: ErrorItem[]): void {
  const { rateValue, rateType } = input;
  if (rateCard && rateCard.ownerType !== side)
    items.push({ model: 'Invoice', field: 'rateId', key: 'not_a_rate_of', params: { owner: side } });
  if (rateType && !rateValue && !input.rateId) items.push({ model: 'Invoice', field: 'rateType', key: 'rate_type_needs_rate' });
  if (rateValue && !rateType && !rateCard) items.push({ model: 'Invoice', field: 'rateType', key: 'rate_value_needs_type' });
  if (rateType && !rateValue && rateCard && rateType !== rateCard.type)
    items.push({ model: 'Invoice', field: 'rateType', key: 'rate_type_not_of_rate' });
  const type = rateType ?? rateCard?.type ?? null;
  if (rateValue && isAboveAll(type, rateValue))
    items.push({ model: 'Invoice', field: 'rateValue', key: 'out_of_range', params: { min: 0, max: WHOLE } });
  invoice.byHand = Boolean(rateCard ?? rateValue);
  invoice.rate = rateCard ? ref(Rate, rateCard.id) : null;
  const value = rateValue ?? (rateCard ? valueOfRateCard(rateCard) : null);
  Object.assign(invoice, {
    rateValue: value,
    rateType: type,
    // A value by itself has neither (DOMAIN 3.2).
    rateMinimum: rateValue ? null : numberOf(rateCard?.unitMinimum ?? rateCard?.timeMinimumMinutes),
    rateIncrement: rateValue ? null : numberOf(rateCard?.unitIncrement ?? rateCard?.timeIncrementMinutes),
    rateTerms: rateValue || !rateCard ? null : termsOfRateCard(rateCard, fuelPercentage),
    rateSince: rateCard ? rateCard.updatedAt.toISOString() : null,
  });
}

const numberOf = (value: Decimal | number | null | undefined): Decimal | null => (value == null ? null : new Decimal(value));

const valueOfRateCard = ({ timeRate, unitRate, commissionPercentage, commissionAmount, flatAmount }: Rate): Decimal | null =>
  numberOf(timeRate ?? unitRate ?? commissionPercentage ?? commissionAmount ?? flatAmount);

const termsOfRateCard = (
  { minimumPer, timeBasis, tierMode, tiers, fuelSurchargeEnabled }: Rate,
  fuelPercentage: Decimal | null | undefined,
): RateTerms => ({
  ...(minimumPer === 'day' ? { minimumPer } : {}),
  ...(timeBasis === 'job' ? {} : { timeBasis }),
  ...(tierMode ? { tierMode, tiers } : {}),
  ...(fuelSurchargeEnabled && fuelPercentage?.gt(0) ? { fuelPercentage: decimalText(fuelPercentage) } : {}),
});
