import { wireName } from '../../platform/model/names.ts';
import { figure } from '../settlements/documents/figures.ts';
import type { Printing } from '../settlements/documents/print-blocks.ts';
import type { SettlementDocument } from '../settlements/documents/settlement-document.ts';
import type { ProjectQuote, QuotedRate } from './project-quote.ts';
import type { QuotedCharge, QuotedFuel } from './quoted-charge.ts';

export type Print = Printing<Pick<SettlementDocument, 'language' | 'dateFormat'>>;
const number = (print: Print, text: string) => figure(text, print.said.language);

/**
 * Returns the charges that come with each of the rates, as they are printed: they are said once, and not with each rate. Two that read the same are
 * charged twice, and said twice.
 */
export function commonCharges(print: Print, rates: readonly QuotedRate[]): readonly string[] {
  const [first = [], ...others] = rates.map(({ charges }) => charges.map((charge) => chargeText(print, charge)));
  const times = (texts: readonly string[], text: string) => texts.filter((one) => one === text).length;
  return first.filter((text) => others.every((texts) => times(texts, text) === times(first, text)));
}

/** Returns for which work a rate is, and all of its terms. @param common the charges that are printed elsewhere */
export function describeRate(print: Print, rate: QuotedRate, common: readonly string[]): string {
  const { pickupSiteName, dropoffSiteName, equipmentTypeName, materialName, tiers, tierMode, charges, fuelPercentage } = rate;
  const work = [
    materialName,
    equipmentTypeName,
    pickupSiteName && print.word('quote_from', { name: pickupSiteName }),
    dropoffSiteName && print.word('quote_to', { name: dropoffSiteName }),
  ].filter(Boolean);
  const own = charges.map((charge) => chargeText(print, charge)).filter((text) => !common.includes(text));
  return [
    work.length > 0 ? work.join(' · ') : print.word('quote_all_work'),
    ...boundsOf(print, rate),
    ...tiers.map(({ from, rate: value }) =>
      print.word(tierMode === 'volume' ? 'quote_tier_volume' : 'quote_tier', {
        quantity: number(print, String(from)),
        rate: print.money(String(value)),
      }),
    ),
    fuelPercentage && print.word('quote_fuel_percentage', { percentage: number(print, fuelPercentage) }),
    ...own.map((charge) => print.word('quote_plus', { charge })),
  ]
    .filter(Boolean)
    .join(', ');
}

/** What is paid at least, up to what is rounded, and which time is paid. */
function boundsOf(print: Print, rate: QuotedRate): (string | null | undefined | false)[] {
  const { rateType, minimumQuantity, incrementQuantity, minimumMinutes, incrementMinutes, minimumPer, timeBasis, fullDayMinutes } = rate;
  const units = (quantity: string) => `${number(print, quantity)} ${print.word(`quote_${wireName(rateType)}`)}`;
  return [
    minimumQuantity && print.word('quote_minimum', { quantity: units(minimumQuantity) }),
    incrementQuantity && print.word('quote_increment', { quantity: units(incrementQuantity) }),
    minimumMinutes && print.word('quote_minutes', { minutes: minimumMinutes }),
    incrementMinutes && print.word('quote_increment_minutes', { minutes: incrementMinutes }),
    minimumPer === 'day' && Boolean(minimumMinutes ?? incrementMinutes) && print.word('quote_by_day'),
    timeBasis && timeBasis !== 'job' && print.word(`quote_basis_${timeBasis}`),
    fullDayMinutes && print.word('quote_full_day', { minutes: fullDayMinutes }),
    rate.breaksPaid && print.word('quote_breaks'),
  ].map((one) => one || null);
}

/** Returns what is charged in addition, with all of its terms. */
function chargeText(print: Print, { name, type, rate, quantity, percentage, percentageBase, ...more }: QuotedCharge): string {
  const { waitCountedIn, waitFreeMinutes, waitIncrementMinutes, fuel } = more;
  if (type === 'FuelSurcharge') return fuel ? fuelText(print, name, fuel) : print.word('quote_fuel_unknown', { name });
  if (type === 'RatePercentOfTotal')
    return print.word(`quote_charge_${percentageBase}`, { name, percentage: number(print, percentage ?? '0') });
  const money = print.money(rate ?? '0');
  if (type === 'PerLoad') return print.word('quote_charge_load', { name, rate: money });
  if (!waitCountedIn) return print.word('quote_charge_each', { name, rate: money, quantity: number(print, quantity ?? '0') });
  const waiting = print.word(`quote_wait_${waitCountedIn}`, { name, rate: money, free: waitFreeMinutes ?? 0 });
  return waitIncrementMinutes ? `${waiting}, ${print.word('quote_increment_minutes', { minutes: waitIncrementMinutes })}` : waiting;
}

function fuelText(print: Print, name: string, { indexName: index, surchargeType, date, lagWeeks, rows }: QuotedFuel): string {
  const isShare = surchargeType === 'percentage';
  const sides = [
    print.word(isShare ? 'quote_fuel' : 'quote_fuel_unit', { name, index }),
    [print.word(`quote_fuel_${date}`), lagWeeks ? print.word('quote_fuel_lag', { weeks: lagWeeks }) : ''].filter(Boolean).join(' '),
    ...rows.map(({ price, billSurcharge }) => {
      const surcharge = isShare ? `${number(print, billSurcharge)} %` : print.money(billSurcharge);
      return print.word('quote_fuel_row', { price: print.money(price), surcharge });
    }),
  ];
  return sides.join(', ');
}

/** Returns what is taxed and how much, or that the customer pays no tax; null if nothing is taxed. */
export function taxText(print: Print, { taxRate, taxExempt, taxFreight, taxMaterial, taxAddOns }: ProjectQuote): string | null {
  if (taxExempt) return `${print.word('tax')}: ${print.word('tax_exempt')}`;
  const taxed = [
    taxFreight && print.word('taxed_freight'),
    taxMaterial && print.word('taxed_material'),
    taxAddOns && print.word('taxed_add_ons'),
  ].filter(Boolean);
  if (!taxRate || taxed.length === 0) return null;
  return `${print.word('tax')} (${taxed.join(', ')}) ${number(print, taxRate)} %`;
}
