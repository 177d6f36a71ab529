import type { Rate } from '../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../directory/master-data/units.ts';
import { decimalText } from '../../platform/decimal.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import type { UpdateRateInput } from './rate.inputs.ts';

/** The values that rates of a kind have (DOMAIN 3.2). */
const VALUES = {
  time: ['timeRate', 'timeMinimumMinutes', 'timeIncrementMinutes'],
  unit: ['unitRate', 'unitMinimum', 'unitIncrement'],
  commission: ['commissionPercentage'],
  flatCommission: ['commissionAmount'],
  flat: ['flatAmount'],
} as const satisfies Record<string, readonly (keyof UpdateRateInput & keyof Rate)[]>;

export type RateKind = keyof typeof VALUES;

const KINDS: Record<RateType, RateKind> = {
  RatePerHour: 'time',
  RatePerDay: 'time',
  RatePerLoad: 'unit',
  RatePerTon: 'unit',
  RatePerTonne: 'unit',
  RatePerYard: 'unit',
  RatePerBushel: 'unit',
  RateCommission: 'commission',
  RateFlatCommission: 'flatCommission',
  RateFlatRate: 'flat',
};
const ALL = Object.values(VALUES).flat();

export const rateKind = (type: RateType): RateKind => KINDS[type];

/**
 * Writes the type and the values of its kind; values of other kinds are refused. When the kind changes, all values of the new one are
 * required, and those of the old one are cleared.
 */
export function applyRateValues(rate: Rate, input: UpdateRateInput, isNew: boolean, to: ErrorCollector): void {
  const before = rateKind(rate.type);
  if (input.type) rate.type = input.type;
  const kind = rateKind(rate.type);
  const own: readonly string[] = VALUES[kind];
  const target = rate as unknown as Record<string, unknown>;
  for (const name of ALL) {
    const given = input[name];
    const isOwn = own.includes(name);
    if (!isOwn) target[name] = null;
    else if (given !== undefined && given !== null) target[name] = given;
    const params = { type: rate.type };
    if (!isOwn && given !== undefined && given !== null) to.items.push({ model: to.model, field: name, key: 'not_of_rate_type', params });
    else if (isOwn && (given === null || (given === undefined && (isNew || kind !== before))))
      to.items.push({ model: to.model, field: name, key: 'required_of_rate_type', params });
  }
  applyHourlyTerms(rate, input, to);
  applyTiers(rate, input, to);
}

/** Sets the terms that only hourly rates have; another type takes them back. */
function applyHourlyTerms(rate: Rate, { minimumPer, timeBasis }: UpdateRateInput, to: ErrorCollector): void {
  const params = { type: rate.type };
  const isHourly = rate.type === 'RatePerHour';
  if (!isHourly && minimumPer && minimumPer !== 'job')
    to.items.push({ model: to.model, field: 'minimumPer', key: 'not_of_rate_type', params });
  if (!isHourly && timeBasis && timeBasis !== 'job')
    to.items.push({ model: to.model, field: 'timeBasis', key: 'not_of_rate_type', params });
  if (minimumPer !== undefined || !isHourly) rate.minimumPer = (isHourly && minimumPer) || 'job';
  if (timeBasis !== undefined || !isHourly) rate.timeBasis = (isHourly && timeBasis) || 'job';
}

/** Sets the terms that only rates by the unit or the load have; another type takes them back. */
function applyTiers(rate: Rate, { tierMode, tiers }: UpdateRateInput, to: ErrorCollector): void {
  const isTiered = rateKind(rate.type) === 'unit';
  const report = (field: string, key: string, params?: Record<string, string>) =>
    to.items.push({ model: to.model, field, key, ...(params ? { params } : {}) });
  if (!isTiered && tierMode) report('tierMode', 'not_of_rate_type', { type: rate.type });
  if (!isTiered && tiers?.length) report('tiers', 'not_of_rate_type', { type: rate.type });
  if (tiers !== undefined || !isTiered)
    rate.tiers = isTiered ? (tiers ?? []).map(({ from, rate: value }) => ({ from: decimalText(from), rate: decimalText(value) })) : [];
  for (const [i, { from }] of (isTiered ? (tiers ?? []) : []).entries())
    if (from.lte(tiers?.[i - 1]?.from ?? 0)) report(`tiers.${i}.from`, 'not_above_tier_before');
  if (tierMode && isTiered && rate.tiers.length === 0) report('tierMode', 'without_tiers');
  rate.tierMode = rate.tiers.length === 0 ? null : (tierMode ?? rate.tierMode ?? 'slab');
}
