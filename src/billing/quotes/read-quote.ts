import { Project } from '../../dispatch/model/project.entity.ts';
import { UNIT_OF_RATE } from '../../dispatch/model/units-of-rates.ts';
import { materialPriceOf, type Priced } from '../../dispatch/pricing/material-price.ts';
import { minimumSql, valueSql } from '../../dispatch/pricing/rate-statement.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Denied, Missing } from '../../platform/errors.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { partySql } from '../settlements/documents/document.sql.ts';
import type { ProjectQuote } from './project-quote.ts';

/** The permission to read what a customer is offered. */
export const READS_QUOTES = 'view_customer_rates';

/** A quote, and how its company writes. */
export interface QuoteOnPaper extends ProjectQuote {
  language: string;
  dateFormat: string;
  country: string | null;
  logoKey: string | null;
  logoType: string | null;
}

/** Types of rates that change with how much was hauled, and those of which a minimum of units is paid: a load is one. */
const TIERED = Object.keys(UNIT_OF_RATE);
const MEASURED = TIERED.filter((type) => type !== 'RatePerLoad');
const among = (types: readonly string[]): string => `coalesce(x.type, r.type) in ('${types.join("', '")}')`;
const MINIMUM = `nullif(${minimumSql('r')}, 0)`;

/**
 * SQL of the customer's rates of project `p`: its own, and those of its schedules. A value goes before that of a rate card that is given, too, whose minimum
 * and tiers hold nevertheless: invoices are made so.
 */
const RATES = `select coalesce(x.type, r.type) as "rateType", trim_scale(coalesce(x.value, ${valueSql('r')}))::text as value,
    case when ${among(MEASURED)} then trim_scale(${MINIMUM})::text end as "minimumQuantity", case when ${among(['RatePerHour'])} then ${MINIMUM}::int end as "minimumMinutes",
    case when r.tier_mode is not null and ${among(TIERED)} then r.tiers else '[]' end as tiers, case when ${among(TIERED)} then r.tier_mode end as "tierMode",
    ps.name as "pickupSiteName", ds.name as "dropoffSiteName", e.name as "equipmentTypeName", m.name as "materialName"
  from (select 0 as place, p.customer_rate_id as rate_id, p.customer_rate_value as value, p.customer_rate_type as type,
      null::uuid as site_id, null::uuid as dropoff_site_id, null::uuid as equipment_type_id, null::uuid as material_id, null::timestamptz as created_at, p.id
    union all select 1, s.customer_rate_id, s.customer_rate_value, s.customer_rate_type, s.site_id, s.dropoff_site_id, s.equipment_type_id, s.material_id, s.created_at, s.id
    from site_rate_schedule s where s.project_id = p.id and s.discarded_at is null) x
    left join rate r on r.id = x.rate_id left join site ps on ps.id = x.site_id left join site ds on ds.id = x.dropoff_site_id
    left join equipment_type e on e.id = x.equipment_type_id left join material m on m.id = x.material_id
  where coalesce(x.type, r.type) is not null and coalesce(x.value, ${valueSql('r')}) is not null
  order by x.place, x.created_at, x.id`;

const LISTED: Priced = { material: 'x.material_id', route: 'o.route_id', supplier: 'null::uuid' };

/** SQL of the materials of project `p`, and of what is paid for each: at its sites, or else by the price list for its customer. */
const MATERIALS = `select m.name, trim_scale(x.quantity)::text as quantity, x.unit as "unitOfMeasure", trim_scale(coalesce(own.price, listed.price))::text as price,
    coalesce(own.unit, listed.unit) as "priceUnitOfMeasure", own.site as "siteName"
  from (select t.material_id, t.total_quantity as quantity, t.unit_of_measure as unit from project_material t where t.project_id = p.id
    union all select distinct k.material_id, null::numeric, null::text from material_rate k where k.project_id = p.id and k.discarded_at is null and k.sell_price is not null
      and not exists (select from project_material t where t.project_id = p.id and t.material_id = k.material_id)) x
    join material m on m.id = x.material_id
    cross join lateral (select p.company_id, p.id as project_id, p.account_id, p.route_id, null::uuid as material_rate_site_id,
      null::numeric as material_rate_sell_price, null::numeric as material_rate_buy_price, null::text as material_rate_unit_of_measure) o
    left join lateral (select k.sell_price as price, k.unit_of_measure as unit, s.name as site from material_rate k left join site s on s.id = k.site_id
      where k.project_id = p.id and k.material_id = x.material_id and k.discarded_at is null and k.sell_price is not null) own on true
    cross join lateral (select ${materialPriceOf('sell_price', 'null::numeric', LISTED)} as price, ${materialPriceOf('unit_of_measure', 'null::text', LISTED)} as unit) listed
  order by lower(m.name), own.site nulls first, m.id, own.unit, own.price`;

/** SQL of the quote of project `$1`, whose day is that of `$2` at its company. */
const QUOTE = `select p.id as "projectId", p.project_id as number, p.name, p.po_job_number as "poJobNumber", c.currency,
    to_char($2::timestamptz at time zone c.time_zone, 'YYYY-MM-DD') as date, to_char(p.effective_at at time zone c.time_zone, 'YYYY-MM-DD') as "startsOn",
    to_char(p.expires_at at time zone c.time_zone, 'YYYY-MM-DD') as "validUntil",
    ${partySql('coalesce(c.dba_name, c.legal_name)', 'ca', 'cc')} as company, ${partySql('v.name', 'va', 'vc')} as customer,
    array(select distinct s.name from site s where s.id = p.site_id or s.id in (select w.site_id from waypoint w where w.route_id = p.route_id) order by 1) as sites,
    coalesce((select json_agg(q) from (${RATES}) q), '[]') as rates, coalesce((select json_agg(q) from (${MATERIALS}) q), '[]') as materials,
    c.language, c.date_format as "dateFormat", ca.country, c.logo_key as "logoKey", c.logo_type as "logoType"
  from project p join company c on c.id = p.company_id join account v on v.id = p.account_id
    left join address ca on ca.id = c.address_id
    left join contact cc on cc.id = ${firstKnown('c.billing_contact_id', 'c.primary_contact_id')}
    left join address va on va.id = ${firstKnown('v.billing_address_id', 'v.address_id')}
    left join contact vc on vc.id = ${firstKnown('v.billing_contact_id', 'v.primary_contact_id')}
  where p.id = $1`;

/**
 * The rates, materials and sites of a project as its customer gets them, as they are now (DOMAIN 8.18). Nothing of what vendors and drivers are paid is in it.
 * @throws Missing also for a project of another company; Denied also for people who are limited to some sites: rates and prices at other ones are in it
 */
export async function quoteOf(ctx: Context, { id, companyId }: RecordPath): Promise<QuoteOnPaper> {
  const viewer = allow(ctx, READS_QUOTES);
  if (viewer.siteIds) throw new Denied(READS_QUOTES, 'permission_beyond_sites');
  const project = await find(ctx, Project, id, { companyId });
  if (!viewer.companyIds.includes(project.company.id)) throw new Missing();
  const [quote] = await queryOf<QuoteOnPaper>(ctx, QUOTE, [project.id, presentTime()]);
  return quote!;
}
