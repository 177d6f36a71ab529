import { Concerned, type Watched } from '../../../platform/commands/concerned.ts';
import type { AuditRecord, Records } from '../../../platform/commands/records.ts';
import type { SetTx } from '../../../platform/commands/set-tx.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { PARENTS } from '../../auto-add-ons/auto-add-on-assignment.entity.ts';

/** The changes by which something is charged although nothing of the work says so. */
const WATCHED: Watched = {
  AutoAddOnAssignment: new Set([
    ...['quantity', 'revenue_rate_value', 'revenue_cost_rate_type', 'cost_rate_value', 'percentage', 'add_on_types', 'name'],
    ...['total_installments', 'original_auto_add_on_assignment_id', ...PARENTS],
  ]),
  AddOn: new Set([
    'taxable',
    'percentage_base',
    'fuel_surcharge_schedule_id',
    'wait_counted_in',
    'wait_free_minutes',
    'wait_increment_minutes',
    'add_on_types',
  ]),
  CompanySettings: new Set([
    ...['approval_before_invoice', 'fuel_date', 'ticket_conflict_blocks', 'thin_margin_percent'],
    ...['match_report_percent', 'match_report_least', 'match_scale_percent', 'match_time_percent'],
  ]),
  BillingProfile: new Set(['po_required', 'po_pattern', 'tax_exempt_number', 'fuel_lag_weeks', 'breaks_paid']),
  FuelPrice: new Set(['price', 'date', 'discarded_at']),
  FuelSurchargeSchedule: new Set(['fuel_price_index_id', 'surcharge_type', 'lag_weeks']),
  FuelSurchargeSchedulePrice: new Set(['price', 'bill_surcharge', 'discarded_at']),
  Material: new Set(['density']),
  // It says on which day work was done, and what fuel cost then.
  Company: new Set(['time_zone']),
};
const isNew = ({ type, event }: AuditRecord): boolean => type === 'Company' && event !== 'update';

// A record is the parent of whatever it is the account, driver, rate card, project, order, job or link of. Which work a schedule prices is worked out for each job.
const BY_ADD_ONS = `with a as (select * from auto_add_on_assignment where id = any($1::uuid[])),
  p as (select unnest($2::uuid[]) as id union select unnest(array[${PARENTS.map((column) => `a.${column}`).join(', ')}]) from a)
  select i.id from invoice i where i.state in ('created', 'in_progress', 'pending') and i.company_id = any($3::uuid[])
    and (array[i.customer_account_id, i.vendor_account_id, i.payee_driver_id, i.rate_id, i.project_id, i.order_id, i.job_id, i.job_assignment_id]
        && array(select id from p where id is not null) or exists (select from site_rate_schedule s join p on p.id = s.id))`;

const BY_FUEL = `with s as (select d.id from fuel_surcharge_schedule d where d.id = any($4::uuid[]) or d.fuel_price_index_id = any($5::uuid[])
      or d.id in (select r.fuel_surcharge_schedule_id from fuel_surcharge_schedule_price r where r.id = any($6::uuid[]))
      or d.fuel_price_index_id in (select f.fuel_price_index_id from fuel_price f where f.id = any($7::uuid[]))),
  o as (select d.id from add_on d where d.id = any($8::uuid[]) or d.fuel_surcharge_schedule_id in (select id from s))
  select i.id from invoice i where i.state in ('created', 'in_progress', 'pending') and i.company_id = any($3::uuid[])
    and exists (select from add_on_charge h where h.add_on_applicable_id = i.id and h.add_on_id in (select id from o))`;

// A request of an add-on is on no invoice that it is not for; when the add-on is for it, it is.
const BY_REQUESTS = `select i.id from add_on_charge h join invoice i on i.job_id = h.job_id or i.driver_day_id = h.driver_day_id
  where h.add_on_id = any($8::uuid[]) and h.add_on_applicable_id is null and i.state in ('created', 'in_progress', 'pending') and i.company_id = any($3::uuid[])`;

// An invoice without a charge of an add-on yet, because its job waits for its price, is compared when its work changes.
const REPRICED = namedStatement(`select distinct r.job_id, j.company_id, r.driver_day_id from invoice r left join job j on j.id = r.job_id
  where r.id in (${BY_ADD_ONS}) or r.id in (${BY_FUEL}) or r.id in (${BY_REQUESTS})`);

// The material that was hauled is that of a load or of its ticket before that of the job. Work that was passed on is in the books of others, too.
const OF_MATERIAL = `i.state in ('created', 'in_progress', 'pending') and (i.material_id = any($1::uuid[])
    or exists (select from load l left join ticket k on k.load_id = l.id where l.job_id = j.id and (l.material_id = any($1::uuid[]) or k.material_id = any($1::uuid[]))))`;
const WEIGHED =
  namedStatement(`select j.id as job_id, j.company_id, null::uuid as driver_day_id from invoice i join job j on j.id = i.job_id
    where i.company_id = any($2::uuid[]) and ${OF_MATERIAL}
  union select j.id, j.company_id, null::uuid from job_assignment a join job j on j.id = a.job_id join invoice i on i.job_id = j.id
    where a.customer_company_id = any($2::uuid[]) and ${OF_MATERIAL}`);

// A choice of a company holds for all that it has not approved.
const CHOSEN = namedStatement(`select distinct i.job_id, j.company_id, i.driver_day_id from invoice i left join job j on j.id = i.job_id
  where i.company_id = any($1::uuid[]) and i.state in ('created', 'in_progress', 'pending')`);

interface Work {
  job_id: string | null;
  /** The owner of the job. */
  company_id: string | null;
  driver_day_id: string | null;
}

/** Work whose invoices follow, and are priced by something that a transaction has changed. */
export interface Repriced {
  jobs: string[];
  days: string[];
}

/** Returns the work whose pending invoices charge what automatic add-ons or fuel tables say now (BILLING B5, B6). */
export async function repricedBy(tx: SetTx, changes: readonly Records[]): Promise<Repriced> {
  const concerned = new Concerned(changes, WATCHED, isNew);
  if (concerned.none) return { jobs: [], days: [] };
  const audits = changes.flatMap((records) => records.audits).filter(({ type }) => WATCHED[type]);
  const companies = [...new Set(audits.flatMap(({ companyId }) => companyId ?? []))];
  const of = (type: string, columns: readonly string[]) => columns.flatMap((column) => concerned.inColumn(type, column));
  const values = [
    ...[concerned.ids('AutoAddOnAssignment'), [...of('AutoAddOnAssignment', PARENTS), ...concerned.ids('BillingProfile')], companies],
    [...concerned.ids('FuelSurchargeSchedule'), ...of('FuelSurchargeSchedulePrice', ['fuel_surcharge_schedule_id'])],
    of('FuelPrice', ['fuel_price_index_id']),
    ...[concerned.ids('FuelSurchargeSchedulePrice'), concerned.ids('FuelPrice'), concerned.ids('AddOn')],
  ];
  const rows = await withPartnerVisibility(() => tx.query<Work>(REPRICED, values));
  const choosing = [...concerned.ids('CompanySettings'), ...concerned.ids('Company')];
  if (choosing.length > 0) rows.push(...(await withPartnerVisibility(() => tx.query<Work>(CHOSEN, [choosing]))));
  const materials = concerned.ids('Material');
  if (materials.length > 0) rows.push(...(await withPartnerVisibility(() => tx.query<Work>(WEIGHED, [materials, companies]))));
  // Work that was passed on is noted with its owner.
  for (const { company_id: companyId } of rows) if (companyId) actOnBehalfOf(companyId);
  return { jobs: rows.flatMap((row) => row.job_id ?? []), days: rows.flatMap((row) => row.driver_day_id ?? []) };
}
