import type { RateOwnerType } from '../../../directory/master-data/rate.entity.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import type { Query } from '../../../platform/database/sql.ts';
import { decimalText } from '../../../platform/decimal.ts';
import { type ApplyingAddOn, autoAddOnsOf } from '../../auto-add-ons/applying.ts';
import { type FueledDay, fuelRatesOn } from '../../fuel/fuel-rate.ts';
import type { ChargeOfJob, FuelOfCharge } from './charge-facts.ts';
import { SIDES } from './job-facts.sql.ts';
import type { JobFacts } from './job-facts.ts';

/** Adds to charges for fuel what customers pay, and vendors get, whose profile says by which price. */
export async function addFuelOfAccounts(query: Query, jobs: readonly JobFacts[]): Promise<void> {
  const asked = jobs.flatMap(({ companyId: owner, accountId, links, profiles, companies, charges }) =>
    companies.flatMap(({ id, fuelDate }) => {
      const customer = id === owner ? accountId : links.find(({ vendorCompanyId }) => vendorCompanyId === id)?.customerAccountId;
      const vendor = links.find(({ customerCompanyId }) => customerCompanyId === id)?.vendorAccountId;
      const own = charges.filter(({ companyId }) => companyId === id);
      return [['receivable', customer] as const, ['payable', vendor] as const].flatMap(([side, account]) => {
        const lagWeeks = account ? profiles[account]?.fuelLagWeeks : null;
        return lagWeeks == null ? [] : own.map((charge) => ({ side, charge, date: fuelDate, lagWeeks }));
      });
    }),
  );
  const fueled = asked.flatMap(({ charge: { scheduleId }, ...one }, i) =>
    scheduleId ? [{ ...one, charge: asked[i]!.charge, scheduleId }] : [],
  );
  const found = await surchargesOf(query, fueled);
  for (const [i, { charge, side }] of fueled.entries()) charge.ofAccounts = { ...charge.ofAccounts, [side]: found[i]! };
}

/** Adds to charges for fuel what their schedules charge on the local date that counts. */
export async function addFuel(query: Query, charges: readonly { charge: ChargeOfJob; date: string | undefined }[]): Promise<void> {
  const asked = charges.flatMap(({ charge, date }) => (charge.scheduleId && date ? [{ charge, scheduleId: charge.scheduleId, date }] : []));
  const found = await surchargesOf(query, asked);
  for (const [i, { charge }] of asked.entries()) Object.assign(charge, found[i]!);
}

async function surchargesOf(query: Query, asked: readonly FueledDay[]): Promise<FuelOfCharge[]> {
  const rates = await fuelRatesOn(query, asked);
  return rates.map(({ price, row, billSurcharge, warnings }) => ({
    ratedOn: price?.date ?? null,
    fuelPrice: price && { id: price.id, since: price.since, price: decimalText(price.price) },
    fuelRow: row && { id: row.id, since: row.since, from: decimalText(row.price) },
    billSurcharge: billSurcharge && decimalText(billSurcharge),
    fuelWarnings: warnings,
  }));
}

const HAVING_AUTO = namedStatement(
  'select distinct company_id as id from auto_add_on_assignment where company_id = any($1::uuid[]) order by company_id',
);

/** Adds the charges that come by themselves, of the companies that have any. */
export async function addAutoCharges(query: Query, jobs: readonly JobFacts[]): Promise<void> {
  const companies = new Set(jobs.flatMap((job) => job.companies.map(({ id }) => id)));
  if (companies.size === 0) return;
  const having = await query<{ id: string }>(HAVING_AUTO, [[...companies]]);
  for (const { id: companyId } of having) {
    const of = jobs.filter((job) => job.companies.some(({ id }) => id === companyId));
    for (const side of SIDES) {
      const applying = await autoAddOnsOf(query, { jobIds: of.map(({ id }) => id), side, companyId });
      for (const { id, charges } of of) charges.push(...(applying.get(id) ?? []).map((one) => autoCharge(one, companyId, side)));
    }
  }
}

const autoCharge = (one: ApplyingAddOn, companyId: string, side: RateOwnerType): ChargeOfJob => ({
  ...{ id: one.id, since: one.since, auto: side, rootId: one.root_id, companyId, addOnId: one.add_on_id, name: one.name },
  ...{ quantity: one.quantity, taxable: one.taxable, type: one.revenue_cost_rate_type, rate: one.revenue_rate_value },
  ...{ costRate: one.cost_rate_value, percentage: one.percentage, percentageBase: one.percentage_base, uses: null },
  ...{ waiting: one.waiting, scheduleId: one.schedule_id, scheduleType: one.schedule_type },
});
