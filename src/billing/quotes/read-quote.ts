import { Project } from '../../dispatch/model/project.entity.ts';
import { materialPriceOf, type Priced } from '../../dispatch/pricing/material-price.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { isInUse } from '../../platform/database/former-ids.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Denied, Missing } from '../../platform/errors.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { partySql } from '../settlements/documents/document.sql.ts';
import type { ProjectQuote } from './project-quote.ts';
import { RATES } from './quoted-rates.sql.ts';

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

const LISTED: Priced = { material: 'x.material_id', route: 'o.route_id', supplier: 'null::uuid' };

/**
 * SQL of the materials of project `p`, and of what is paid for each: at its sites, those that are not shared any more left out, or else by the price
 * list for its customer.
 */
const MATERIALS = `select m.name, trim_scale(x.quantity)::text as quantity, x.unit as "unitOfMeasure", trim_scale(coalesce(own.price, listed.price))::text as price,
    coalesce(own.unit, listed.unit) as "priceUnitOfMeasure", own.site as "siteName"
  from (select t.material_id, t.total_quantity as quantity, t.unit_of_measure as unit from project_material t where t.project_id = p.id
      and ${isInUse('t.material_id')}
    union all select distinct k.material_id, null::numeric, null::text from material_rate k where k.project_id = p.id and k.discarded_at is null and k.sell_price is not null
      and ${isInUse('k.material_id', 'k.site_id')} and not exists (select from project_material t where t.project_id = p.id and t.material_id = k.material_id)) x
    join material m on m.id = x.material_id
    cross join lateral (select p.company_id, p.id as project_id, p.account_id, p.route_id, null::uuid as material_rate_site_id,
      null::numeric as material_rate_sell_price, null::numeric as material_rate_buy_price, null::text as material_rate_unit_of_measure) o
    left join lateral (select k.sell_price as price, k.unit_of_measure as unit, s.name as site from material_rate k left join site s on s.id = k.site_id
      where k.project_id = p.id and k.material_id = x.material_id and k.discarded_at is null and k.sell_price is not null
        and (k.site_id is null or s.id is not null) and ${isInUse('k.site_id')}) own on true
    cross join lateral (select ${materialPriceOf('sell_price', 'null::numeric', LISTED)} as price, ${materialPriceOf('unit_of_measure', 'null::text', LISTED)} as unit) listed
  order by lower(m.name), own.site nulls first, m.id, own.unit, own.price`;

/** SQL of the quote of project `$1`, whose day is that of `$2` at its company. Orders take their tax from the project. */
const QUOTE = `select p.id as "projectId", p.project_id as number, p.name, p.po_job_number as "poJobNumber", c.currency,
    to_char($2::timestamptz at time zone c.time_zone, 'YYYY-MM-DD') as date, to_char(p.effective_at at time zone c.time_zone, 'YYYY-MM-DD') as "startsOn",
    to_char(p.expires_at at time zone c.time_zone, 'YYYY-MM-DD') as "validUntil",
    ${partySql('coalesce(c.dba_name, c.legal_name)', 'ca', 'cc')} as company, ${partySql('v.name', 'va', 'vc')} as customer,
    array(select distinct s.name from site s where s.id = p.site_id or s.id in (select w.site_id from waypoint w where w.route_id = p.route_id) order by 1) as sites,
    case when not taxed.exempt then trim_scale(nullif(p.tax_rate, 0))::text end as "taxRate", taxed.exempt as "taxExempt",
    p.tax_freight as "taxFreight", p.tax_material as "taxMaterial", p.tax_add_ons as "taxAddOns",
    coalesce((select json_agg(q) from (${RATES}) q), '[]') as rates, coalesce((select json_agg(q) from (${MATERIALS}) q), '[]') as materials,
    c.language, c.date_format as "dateFormat", ca.country, c.logo_key as "logoKey", c.logo_type as "logoType"
  from project p join company c on c.id = p.company_id join account v on v.id = p.account_id
    left join billing_profile bp on bp.id = p.account_id left join company_settings cs on cs.id = p.company_id
    cross join lateral (select bp.tax_exempt_number is not null as exempt) taxed
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
